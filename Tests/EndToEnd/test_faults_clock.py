"""The clock jumps, under a server that runs and between two that follow each other."""

import mmap
import sqlite3
import struct
import time
from contextlib import closing

import pytest

from faults import Gateway, preloadable
from harness import PROJECT, environment, eventually
from signing import bundle, exported
from test_signing_keys import retired
from test_single_use import use
from test_systemd import Manager


class Clock:
    """The time of day as a server sees it; what only goes forward is left alone."""

    def __init__(self, file, library):
        file.write_bytes(bytes(8))
        with open(file, "r+b") as opened:
            self.offset = mmap.mmap(opened.fileno(), 8)
        self.environment = environment(LD_PRELOAD=library, CLOCK_OFFSET=str(file))

    def set(self, seconds):
        """Sets it off from the true time."""
        self.offset[:] = struct.pack("=q", seconds)


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    return preloadable("clock", tmp_path_factory.mktemp("clock"))


@pytest.fixture
def clock(tmp_path, library):
    return Clock(tmp_path / "clock", library)


def test_set_back_and_forward_under_a_running_server(fresh, clock):
    gateway = Gateway(fresh)
    fresh.run("project", "update", PROJECT, "--rate-limit", "20")
    with fresh.serve("--workers", "2", env=clock.environment) as server:
        verifier = server.client(gateway.verify)
        launches = []

        def launch():
            # Each over a connection of its own, so that both workers issue.
            answer = server.client(gateway.launch).launch()
            launches.append(answer.json()["launch_id"])
            return answer.json()

        first = launch()
        used = gateway.question(server)
        assert use(server, used) == (204, None) and verifier.verdict(first) == "valid"
        assert server.client(gateway.launch).post("/launch/revoke", {"user_id": "OUT"}).status_code == 204

        clock.set(3600)
        eventually(lambda: verifier.verdict(first) == "expired")
        ahead = launch()
        assert verifier.verdict(ahead) == "valid" and use(server, used) == (401, "expired")

        clock.set(-3600)
        eventually(lambda: verifier.verdict(ahead) == "not_yet_valid")
        # Two hours went by in the wrong direction: ids go on from where they were, and nobody is kept out by an
        # empty bucket that fills in the past.
        for _ in range(8):
            launch()
        moments = [one[:13] for one in launches]
        assert moments == sorted(moments), "the milliseconds of launch ids never go backwards"
        assert use(server, used)[0] == 401, "what was used stays used, or is not valid yet"

        clock.set(0)
        eventually(lambda: verifier.verdict(ahead) in ("not_yet_valid", "valid") and verifier.verdict(first) == "valid")
        assert use(server, used) == (401, "replayed")
        time.sleep(0.3)
        assert server.client(gateway.launch).launch().status_code == 200
        assert server.stop() == 0


def test_the_watchdog_is_fed_by_a_clock_that_cannot_be_set(fresh, clock):
    """Set back by an hour while it waits, it would otherwise be silent for an hour."""
    manager = Manager()
    clock.set(3600)
    env = clock.environment | {"NOTIFY_SOCKET": manager.path, "WATCHDOG_USEC": "1000000"}
    with manager.socket, fresh.serve("--workers", "1", env=env):
        for _ in range(3):
            manager.next("WATCHDOG")


def test_a_log_out_holds_after_the_clock_was_set_back(fresh, clock):
    gateway = Gateway(fresh)
    with fresh.serve(env=clock.environment) as server:
        partner, verifier = server.client(gateway.launch), server.client(gateway.verify)
        before = partner.launched()
        assert partner.post("/launch/revoke", {"user_id": before["headers"]["x-moment-user-id"]}).status_code == 204
        assert verifier.verdict(before) == "revoked"
    clock.set(-20)
    with fresh.serve(env=clock.environment) as server:
        verifier = server.client(gateway.verify)
        assert verifier.verdict(before) == "revoked", "20 s ahead is within what clocks may differ"
    clock.set(0)
    with fresh.serve(env=clock.environment) as server:
        partner, verifier = server.client(gateway.launch), server.client(gateway.verify)
        assert verifier.verdict(before) == "revoked" and verifier.verdict(partner.launched()) == "valid"


def test_what_was_done_while_the_clock_was_ahead_keeps_nobody_out(fresh, clock):
    """A log-out and a project of a time that is yet to come: launches are named by what lies after it."""
    gateway = Gateway(fresh)
    clock.set(1000)
    with fresh.serve(env=clock.environment) as server:
        assert server.client(gateway.launch).post("/launch/revoke", {"user_id": "ONE"}).status_code == 204
    fresh.run("user", "revoke", "--project", PROJECT, "--user-id", "TWO", env=clock.environment)
    young = "a" * 24
    fresh.run("project", "create", "--id", young, "--name", "Young", "--web-api-key-file", "-", "--key-delivery", "gateway",
              stdin="wk_young\n", env=clock.environment)
    clock.set(0)
    with fresh.serve("--workers", "2", env=clock.environment) as server:
        partner, verifier = server.client(gateway.launch), server.client(gateway.verify)
        assert verifier.verdict(server.client(fresh.key("launch", young)).launched()) == "valid"
        for user in ("ONE", "TWO", "THREE"):
            for _ in range(2):
                launch = partner.launched(user_id=user)
                assert verifier.verdict(launch) == "valid"
                assert partner.post("/launch/revoke", {"user_id": user}).status_code == 204
                assert verifier.verdict(launch) == "revoked"
                launch = partner.launched(user_id=user)
                fresh.run("user", "revoke", "--project", PROJECT, "--user-id", user)
                assert verifier.verdict(launch) == "revoked"


def test_a_log_out_finds_launches_that_are_named_by_a_time_to_come(fresh, clock):
    """A server whose clock was ahead goes on from there: its log-outs, those of others, and of a later one."""
    gateway = Gateway(fresh)
    young = "a" * 24

    def offset():
        with closing(sqlite3.connect(f"file:{fresh.data / 'launchlink.db'}?mode=ro", uri=True)) as database:
            return database.execute("SELECT launch_offset FROM launch_clock").fetchone()[0]

    def create():
        fresh.run("project", "create", "--id", young, "--name", "Young", "--web-api-key-file", "-", "--key-delivery", "gateway",
                  stdin="wk_young\n")
        return fresh.key("launch", young)

    def revoke(_, user):
        fresh.run("user", "revoke", "--project", PROJECT, "--user-id", user)

    def post(partner, user):
        assert partner.post("/launch/revoke", {"user_id": user}).status_code == 204

    with fresh.serve(env=clock.environment) as server, fresh.serve(env=clock.environment) as other:
        partner, verifier = server.client(gateway.launch), server.client(gateway.verify)
        second = create()
        before = offset()
        clock.set(1000)
        assert partner.launch().status_code == 200
        eventually(lambda: offset() > before + 500_000)
        clock.set(0)
        for log_out, asked in ((revoke, partner), (post, other.client(gateway.launch)), (post, partner)):
            for user in ("ONE", "TWO"):
                launch = partner.launched(user_id=user)
                assert verifier.verdict(launch) == "valid"
                log_out(asked, user)
                assert verifier.verdict(launch) == "revoked"
                assert verifier.verdict(partner.launched(user_id=user)) == "valid"
        before = server.client(second).launched()
        fresh.run("key", "revoke", second["key_id"], "--yes")
        fresh.run("project", "delete", young, "--yes")
        again = create()
        assert verifier.verdict(before) == "revoked" and verifier.verdict(server.client(again).launched()) == "valid"
        last = [partner.launched(user_id=user) for user in ("ONE", "TWO")]
    with fresh.serve(env=clock.environment) as server:
        partner, verifier = server.client(gateway.launch), server.client(gateway.verify)
        post(partner, "ONE"), revoke(partner, "TWO")
        assert [verifier.verdict(launch) for launch in last] == ["revoked", "revoked"]


def test_a_log_out_finds_launches_of_a_moment_in_which_the_clock_was_ahead(fresh, clock):
    """Nobody had a second to write down that the clock was ahead, nor does a kill."""
    gateway = Gateway(fresh)
    with fresh.serve(env=clock.environment) as server, fresh.serve() as other:
        partner, verifier = server.client(gateway.launch), server.client(gateway.verify)
        for number, log_out in enumerate((
            lambda user: other.client(gateway.launch).post("/launch/revoke", {"user_id": user}),
            lambda user: fresh.run("user", "revoke", "--project", PROJECT, "--user-id", user),
        )):
            user = f"USER-{number}"
            clock.set(20)
            launch = partner.launched(user_id=user)
            clock.set(0)
            log_out(user)
            assert verifier.verdict(launch) == "revoked", number
            assert verifier.verdict(other.client(gateway.launch).launched(user_id=user)) == "valid"
        clock.set(20)
        launch = partner.launched(user_id="LAST")
        clock.set(0)
        server.process.kill()
        server.process.wait()
        assert other.client(gateway.launch).post("/launch/revoke", {"user_id": "LAST"}).status_code == 204
        assert other.client(gateway.verify).verdict(launch) == "revoked"


def test_a_clock_days_ahead_and_set_back_revives_nothing(fresh, clock):
    """What was used and who was logged out before, while and after it was ahead."""
    gateway = Gateway(fresh)
    with fresh.serve(env=clock.environment) as server:
        partner, verifier = server.client(gateway.launch), server.client(gateway.verify)
        used, left = gateway.question(server), partner.launched(user_id="LEFT")

        def log_out(user):
            assert partner.post("/launch/revoke", {"user_id": user}).status_code == 204

        assert use(server, used) == (204, None)
        log_out("LEFT")
        clock.set(2 * 86_400)
        ahead = gateway.question(server)
        assert use(server, ahead) == (204, None)
        log_out("SOMEONE")
        clock.set(0)
        assert use(server, used) == (401, "replayed") and verifier.verdict(left) == "revoked"
        log_out("SOMEONE")
        clock.set(2 * 86_400 + 20)
        assert use(server, ahead) == (401, "replayed"), "when the time comes that it was issued at"
    fresh.run("user", "revoke", "--project", PROJECT, "--user-id", "ANYONE", env=clock.environment)
    clock.set(0)
    with fresh.serve(env=clock.environment) as server:
        assert use(server, used) == (401, "replayed") and server.client(gateway.verify).verdict(left) == "revoked"


def test_a_key_that_expires_does_so_by_the_clock(fresh, clock):
    gateway = Gateway(fresh)
    short = fresh.key("launch", PROJECT, "--expires-in", "1h")
    with fresh.serve(env=clock.environment) as server:
        client = server.client(short)
        assert client.launch().status_code == 200
        clock.set(7200)
        eventually(lambda: client.launch().status_code == 401)
        assert client.launch().json()["code"] == "expired_api_key"
        assert server.client(gateway.launch).launch().status_code == 200
        clock.set(0)
        eventually(lambda: client.launch().status_code == 200)


def test_a_key_that_was_rotated_without_grace_stays_ended(fresh, clock):
    fresh.project()
    old = fresh.key("launch", PROJECT)
    with fresh.serve(env=clock.environment) as server:
        client = server.client(old)
        assert client.launch().status_code == 200
        clock.set(2 * 86_400)
        new = fresh.json("key", "rotate", old["key_id"], "--grace", "0s", env=clock.environment)
        assert client.launch().json()["code"] == "expired_api_key"
        clock.set(0)
        eventually(lambda: server.client(new).launch().status_code == 200)
        answer = client.launch()
        assert (answer.status_code, answer.json()["code"]) == (401, "expired_api_key")
    assert fresh.json("key", "show", old["key_id"], env=clock.environment)["status"] == "replaced"
    fresh.run("key", "revoke", old["key_id"], "--yes", env=clock.environment)
    assert fresh.json("key", "show", old["key_id"], env=clock.environment)["status"] == "revoked"


def test_nothing_is_verified_by_a_retired_key_for_longer(fresh, clock):
    """Whoever has a retired key has no longer than any launch of it to forge one."""
    fresh.project(options=("--ttl", "60"))
    with fresh.serve(env=clock.environment) as server:
        verifier, secret = server.client(fresh.key("verify")), exported(fresh, PROJECT)
        long = bundle(PROJECT, secret, ttl=3600)
        retired(fresh)
        assert verifier.verdict(long) == "valid"
        clock.set(200)
        assert verifier.verdict(long) == "unknown_key"
