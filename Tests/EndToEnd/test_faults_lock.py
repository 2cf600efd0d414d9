"""Another process holds the database's lock: launches go on, and whoever has to write is told to come again."""

import subprocess
import threading
import time

from faults import Gateway, Lock, refused
from harness import PATIENCE, Client, environment, eventually
from test_single_use import use


def test_requests_wait_a_moment_and_launches_not_at_all(fresh):
    gateway = Gateway(fresh)
    with fresh.serve("--workers", "1") as server:
        partner, late = server.client(gateway.launch), gateway.question(server)
        launch = partner.launched()
        with Lock(fresh):
            # The commands wait for longer than a request does; here they begin to.
            waiting = [
                subprocess.Popen(fresh.arguments(*command), cwd=fresh.directory, env=environment(),
                                 stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
                for command in (("key", "create", "--scope", "support", "--name", "S"), ("signing-key", "create"))
            ]
            refused(partner.post("/launch/revoke", {"user_id": "U"}))
            assert use(server, late) == (503, None)
            assert "locked by another process" in server.log
            # Each of these would hold the only worker for two seconds, if it waited like the first.
            began = time.monotonic()
            for _ in range(60):
                refused(partner.post("/launch/revoke", {"user_id": "U"}))
            assert time.monotonic() - began < PATIENCE
            # Reading needs no lock: a key that was never seen, the catalogue, a verification.
            assert server.client(gateway.verify).verdict(launch) == "valid"
            assert partner.launch().status_code == 200 and partner.get("/businesses").status_code == 200
            assert Client(server.operations).get("/readyz").status_code == 200
            with fresh.serve() as another:
                assert another.client(gateway.launch).launch().status_code == 200, "a start takes no lock"
                another.process.kill()
            said = [one.communicate(timeout=60)[1] for one in waiting]
            assert [one.returncode for one in waiting] == [69, 69], said
            assert all("locked by another process. Try again" in text for text in said), said
        assert use(server, late) == (204, None) and use(server, late) == (401, "replayed")
        assert partner.post("/launch/revoke", {"user_id": "U"}).status_code == 204
    assert fresh.json("db", "check")["sound"] is True


def test_a_lock_that_is_let_go_in_time_is_waited_for(fresh):
    """A command that changes something for some tenths of a second costs nobody a refusal."""
    gateway = Gateway(fresh)
    with fresh.serve() as server:
        late = gateway.question(server)
        outcome = []
        lock = Lock(fresh, "IMMEDIATE")
        asking = threading.Thread(target=lambda: outcome.append(use(server, late)))
        asking.start()
        asking.join(timeout=0.3)
        lock.__exit__()
        asking.join()
        eventually(lambda: outcome == [(204, None)] or use(server, late) == (401, "replayed"))


def test_what_was_counted_under_a_lock_is_written_after_it(fresh):
    gateway = Gateway(fresh)
    launches = lambda: sum(one["launches"] for one in fresh.json("stats")["items"])
    with fresh.serve() as server:
        partner = server.client(gateway.launch)
        with Lock(fresh):
            for _ in range(25):
                partner.launched()
            eventually(lambda: "usage counts cannot be written; they are kept" in server.log)
        eventually(lambda: launches() == 25)
        eventually(lambda: "usage counts are written again" in server.log)
