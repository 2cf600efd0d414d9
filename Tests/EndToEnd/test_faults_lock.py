"""Another process holds the database's lock: launches go on, and whoever has to write is told to come again."""

import re
import subprocess
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from crowd import SIZE, Crowd
from faults import Gateway, Lock, refused
from harness import CATALOG, PATIENCE, USER, Client, environment, eventually, items
from test_crash import ROWS, catalog
from test_single_use import use
from test_support import Visitor, is_signed_in

MINUTE = 60
# Refusals under a lock of a minute. If each waited for as long as the first they would take more than LONGEST.
MANY = 400
LONGEST = 600


def begin(installation, *command):
    """A command that runs beside the test."""
    return subprocess.Popen(installation.arguments(*command), cwd=installation.directory, env=environment(),
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def test_requests_wait_a_moment_and_launches_not_at_all(fresh):
    gateway = Gateway(fresh)
    with fresh.serve("--workers", "1") as server:
        partner, late = server.client(gateway.launch), gateway.question(server)
        launch = partner.launched()
        with Lock(fresh):
            # The commands wait for longer than a request does; here they begin to.
            waiting = [
                begin(fresh, *command)
                for command in (("key", "create", "--scope", "support", "--name", "S"), ("signing-key", "create"))
            ]
            refused(partner.post("/launch/revoke", {"user_id": "U"}))
            assert use(server, late) == (503, None)
            assert "locked by another process" in server.log
            # Each of these would hold the only worker for two seconds, if it waited like the first.
            began = time.monotonic()
            for _ in range(60):
                refused(partner.post("/launch/revoke", {"user_id": "U"}))
            assert time.monotonic() - began < MINUTE
            # Reading needs no lock: a key that was never seen, the catalogue, a verification.
            assert server.client(gateway.verify).verdict(launch) == "valid"
            assert partner.launch().status_code == 200 and partner.get("/businesses").status_code == 200
            assert Client(server.operations).get("/readyz").status_code == 200
            with fresh.serve() as another:
                assert another.client(gateway.launch).launch().status_code == 200, "a start takes no lock"
                another.process.kill()
            said = [one.communicate(timeout=PATIENCE)[1] for one in waiting]
            assert [one.returncode for one in waiting] == [69, 69], said
            assert all("locked by another process. Try again" in text for text in said), said
        assert use(server, late) == (204, None) and use(server, late) == (401, "replayed")
        assert partner.post("/launch/revoke", {"user_id": "U"}).status_code == 204
    assert fresh.json("db", "check")["sound"] is True


def test_many_wait_together_and_launches_not_at_all(fresh):
    """On one worker: whoever writes waits for two seconds beside the launches, and all of them at once."""
    gateway = Gateway(fresh)
    support = fresh.key("support")
    with fresh.serve("--workers", "1") as server, Crowd(server) as crowd, ThreadPoolExecutor(3) as pool:
        partner, verifier = server.client(gateway.launch), server.client(gateway.verify)
        visitor, messages, launch = Visitor(server), gateway.messages(server, SIZE), partner.launched()
        visitor.sign_in(support)
        with Lock(fresh):
            began = time.monotonic()
            crowd.send(messages)
            writing = [
                pool.submit(server.client(gateway.launch).post, "/launch/revoke", {"user_id": USER}),
                pool.submit(Visitor(server).post, "/support/sign-in", {"api_key": support["api_key"]}),
                pool.submit(visitor.post, "/support/sign-out", {}),
            ]
            for _ in range(30):
                partner.launched()
                assert Client(server.operations).get("/healthz").status_code == 200
            assert verifier.verdict(launch) == "valid"
            assert crowd.take() == 0, "each of the launches was answered while all of the uses waited"
            assert set(crowd.receive()) == {(503, None)} and all(b"\r\nRetry-After: " in head for head in crowd.heads)
            assert [one.result().status_code for one in writing] == [503] * 3
            assert 1.9 < time.monotonic() - began < SIZE / 4, "together, not one after another"
            assert is_signed_in(visitor)
            # What was under way when they were refused comes to its end, too.
            time.sleep(0.5)
        assert set(crowd.ask(messages)) == {(204, None)}
        assert verifier.verdict(launch) == "valid", "no log-out that was refused counts"
        assert visitor.post("/support/sign-out", {}).status_code == 303 and not is_signed_in(visitor)


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


def waiting(server, crowd, messages, partner):
    """Has all of them wait for the lock."""
    crowd.send(messages)
    # Of the only worker: the second is answered after whatever came before it.
    for _ in range(2):
        partner.launched()
    assert crowd.take() == 0


def test_a_stop_lets_those_finish_who_wait(fresh):
    gateway = Gateway(fresh)
    with fresh.serve("--workers", "1") as server, Crowd(server) as crowd:
        messages = gateway.messages(server, SIZE)
        with Lock(fresh, "IMMEDIATE"):
            waiting(server, crowd, messages, server.client(gateway.launch))
            server.process.terminate()
            server.announced(r"(stopping)\n")
            time.sleep(0.3)
            assert crowd.take() == 0
        assert set(crowd.receive()) == {(204, None)} and all(b"\r\nConnection: close\r\n" in head for head in crowd.heads)
        assert server.process.wait(PATIENCE) == 0 and "cut off" not in server.log
    with fresh.serve() as server, Crowd(server) as crowd:
        assert set(crowd.ask(messages)) == {(401, "replayed")}


@pytest.mark.parametrize("shutdown, outcome, cut_off", [("10s", (503, None), 0), ("1s", None, SIZE)])
def test_a_stop_under_a_lock_that_stays(fresh, shutdown, outcome, cut_off):
    """Who waits is refused after as long as ever, or cut off when the time of the stop is over; nothing is used."""
    gateway = Gateway(fresh)
    with fresh.serve("--workers", "1", env=environment(LAUNCHLINK_TIMEOUTS_SHUTDOWN=shutdown)) as server, \
            Crowd(server) as crowd:
        messages = gateway.messages(server, SIZE)
        with Lock(fresh, "IMMEDIATE"):
            waiting(server, crowd, messages, server.client(gateway.launch))
            server.process.terminate()
            assert set(crowd.receive()) == {outcome}
            assert server.process.wait(PATIENCE) == 0
        assert (f"{cut_off} requests were cut off after 1 s" in server.log) == (cut_off > 0)
        assert "the last usage counts could not be written within 5 s and are lost" in server.log
    with fresh.serve() as server, Crowd(server) as crowd:
        assert set(crowd.ask(messages)) == {(204, None)}


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


def test_a_whole_minute(fresh):
    """Readers notice nothing, changes are refused at once, and what waited for too long changed nothing."""
    gateway = Gateway(fresh)
    fresh.run("catalog", "import", CATALOG)
    support, large = fresh.key("support"), catalog(fresh.directory / "large.csv", "v1")
    businesses = lambda: items(fresh.json("catalog", "list"))
    before = businesses()
    with fresh.serve("--workers", "2") as server:
        partner, verifier = server.client(gateway.launch), server.client(gateway.verify)
        late, launch, launches, refusals = gateway.question(server), partner.launched(), 2, 0
        with Lock(fresh):
            began = time.monotonic()
            waiting = [begin(fresh, "catalog", "import", large), begin(fresh, "db", "backup", fresh.directory / "copy.db")]
            while refusals < MANY or time.monotonic() < began + MINUTE:
                assert time.monotonic() < began + LONGEST
                refused(partner.post("/launch/revoke", {"user_id": USER}))
                assert use(server, late) == (503, None)
                assert Visitor(server).post("/support/sign-in", {"api_key": support["api_key"]}).status_code == 503
                refusals += 3
                assert partner.launch().status_code == 200 and verifier.verdict(launch) == "valid"
                launches += 1
                assert partner.get("/businesses").status_code == 200
                assert Client(server.operations).get("/readyz").status_code == 200
                time.sleep(0.1)
            assert businesses() == before
            said = [one.communicate(timeout=PATIENCE)[1] for one in waiting]
            assert [one.returncode for one in waiting] == [69, 69], said
            assert all("locked by another process. Try again" in text for text in said), said
            last = begin(fresh, "catalog", "import", large)
            time.sleep(0.5)
        # It waits until the lock is let go; where the machine is busy that may be too long for it as well.
        said = last.communicate(timeout=PATIENCE)[1]
        assert last.returncode in (0, 69), said
        assert len(businesses()) == len(before) + (ROWS if last.returncode == 0 else 0)
        assert use(server, late) == (204, None) and use(server, late) == (401, "replayed")
        assert verifier.verdict(launch) == "valid", "no log-out that was refused counts"
        assert partner.post("/launch/revoke", {"user_id": USER}).status_code == 204
        assert verifier.verdict(launch) == "revoked"
        Visitor(server).sign_in(support)
        eventually(lambda: sum(one["launches"] for one in fresh.json("stats")["items"]) == launches)
        fresh.run("catalog", "import", large)
        assert not list(fresh.directory.glob("copy*"))
        fresh.run("db", "backup", fresh.directory / "copy.db")
    assert fresh.json("db", "check")["sound"] is True


def test_a_fault_of_every_request_leaves_a_line_a_second(fresh):
    """And each request is in one of them, or counted by it."""
    gateway = Gateway(fresh)
    refusals, overloaded, began = 400, [], time.monotonic()
    with fresh.serve("--workers", "2") as server:

        def ask():
            client = server.client(gateway.launch)
            for _ in range(refusals // 8):
                # On a slow machine some are refused before they come to the lock.
                detail = refused(client.post("/launch/revoke", {"user_id": "U"}))["detail"]
                if "more requests than the server can answer" in detail:
                    overloaded.append(detail)

        with Lock(fresh):
            asking = [threading.Thread(target=ask) for _ in range(8)]
            for thread in asking:
                thread.start()
            for thread in asking:
                thread.join()
        alone = lambda why: len(re.findall(rf"^request \S+ \(POST /launch/revoke\) failed: .* {why}", server.log, re.M))
        counted = lambda why: re.findall(rf"^(\d+) more requests? failed likewise: .* {why}", server.log, re.M)
        # The first ones may hear of their own limit, or of those before them.
        whys = "(?:locked|in time)"
        eventually(lambda: alone(whys) + sum(map(int, counted(whys))) == refusals - len(overloaded))
        seconds = time.monotonic() - began
        assert 10 <= alone("locked") <= 10 + seconds and 1 <= len(counted("locked")) <= seconds
        assert server.client(gateway.launch).post("/launch/revoke", {"user_id": "U"}).status_code == 204
