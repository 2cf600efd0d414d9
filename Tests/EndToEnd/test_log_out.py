"""A log-out: every bundle issued before it is refused, every one after it accepted, also within the same second."""

import http.client
import json
import threading
import uuid
from concurrent.futures import ThreadPoolExecutor

import pytest

from harness import PATIENCE, PROJECT, assert_problem, install
from test_revocation import Hammer

OTHER = "0" * 23 + "2"
ROUNDS = 50
USERS = 64


@pytest.fixture(scope="module")
def house(tmp_path_factory):
    made = install(tmp_path_factory.mktemp("logout"))
    made.project()
    made.project(OTHER, "Other", key="wk_other")
    made.keys = {project: made.key("launch", project) for project in (PROJECT, OTHER)}
    made.verify = made.key("verify")
    return made


@pytest.fixture(scope="module")
def server(house):
    with house.serve("--workers", "4") as running:
        yield running


@pytest.fixture(scope="module")
def partner(house, server):
    return server.client(house.keys[PROJECT])


@pytest.fixture(scope="module")
def verifier(house, server):
    return server.client(house.verify)


def log_out(partner, user):
    answer = partner.post("/launch/revoke", {"user_id": user})
    assert (answer.status_code, answer.text, answer.headers["Cache-Control"]) == (204, "", "no-store")
    return answer


def test_before_and_after(partner, verifier):
    user = str(uuid.uuid4())
    before = [partner.launched(user_id=user, platform=platform) for platform in ("IOS", "ANDROID") for _ in range(3)]
    assert {verifier.verdict(one) for one in before} == {"valid"}
    log_out(partner, user)
    after = partner.launched(user_id=user)
    assert {verifier.verdict(one) for one in before} == {"revoked"}
    assert verifier.verdict(after) == "valid"
    log_out(partner, user)
    assert verifier.verdict(after) == "revoked"


def test_within_the_same_second_under_load(house, server, partner, verifier):
    user, seconds = str(uuid.uuid4()), 0
    with Hammer(server, house.keys[PROJECT]):
        for number in range(ROUNDS):
            before = partner.launched(user_id=user)
            log_out(partner, user)
            after = partner.launched(user_id=user)
            assert verifier.verdict(before) == "revoked", number
            assert verifier.verdict(after) == "valid", number
            seconds += before["issued_at"] == after["issued_at"]
    assert seconds > 0, "some rounds must lie within one second"


def test_what_is_issued_at_the_same_time_is_cut_cleanly(server, house, partner, verifier):
    """Launches that run into the log-out: one answered before it began is refused; after its answer, accepted."""
    for _ in range(10):
        user, issued, stop = str(uuid.uuid4()), [], threading.Event()

        def issue():
            own = server.client(house.keys[PROJECT])
            while not stop.is_set():
                began = done.is_set()
                launch = own.launched(user_id=user)
                issued.append((began, start.is_set(), launch))

        start, done = threading.Event(), threading.Event()
        threads = [threading.Thread(target=issue) for _ in range(4)]
        for thread in threads:
            thread.start()
        while len(issued) < 8:
            stop.wait(0.001)
        start.set()
        log_out(partner, user)
        done.set()
        had = len(issued)
        while len(issued) < had + 12:
            stop.wait(0.001)
        stop.set()
        for thread in threads:
            thread.join()
        for began_after, answered_late, launch in issued:
            verdict = verifier.verdict(launch)
            if not answered_late:
                assert verdict == "revoked"
            if began_after:
                assert verdict == "valid"


def test_of_two_servers(house):
    """Each logs out right after a launch of the other, while log-outs of other users are under way there."""
    def asked(server):
        """A log-out of someone else, whose answer is not waited for."""
        connection = http.client.HTTPConnection(*server.address, timeout=PATIENCE)
        connection.request("POST", "/launch/revoke", json.dumps({"user_id": str(uuid.uuid4())}), {
            "Authorization": f"Bearer {house.keys[PROJECT]['api_key']}", "Content-Type": "application/json"})
        return connection

    with house.serve("--workers", "16") as first, house.serve("--workers", "16") as second:
        pairs = [(ours, ours.client(house.keys[PROJECT]), theirs.client(house.keys[PROJECT]), theirs.client(house.verify))
                 for ours, theirs in ((first, second), (second, first))]
        for number in range(ROUNDS * 3):
            busy, launching, leaving, verifier = pairs[number % 2]
            others = [asked(busy) for _ in range(8)]
            user = str(uuid.uuid4())
            before = launching.launched(user_id=user)
            log_out(leaving, user)
            after = launching.launched(user_id=user)
            assert (verifier.verdict(before), verifier.verdict(after)) == ("revoked", "valid"), number
            for connection in others:
                connection.getresponse().read()
                connection.close()


def test_many_at_once_on_two_servers_beside_launches(house, verifier):
    """All users leave at the same moment, each between two launches, on the server that launches and on the other one."""
    key, start = house.keys[PROJECT], threading.Barrier(USERS)
    with house.serve("--workers", "4") as first, house.serve("--workers", "4") as second:

        def leave(number):
            servers = (first, second)[::1 - number % 2 * 2]
            launching, leaving = servers[0].client(key), servers[number // 2 % 2].client(key)
            user, judging = str(uuid.uuid4()), servers[0].client(house.verify)
            before = launching.launched(user_id=user)
            start.wait()
            log_out(leaving, user)
            told = judging.verdict(before)
            after = launching.launched(user_id=user)
            return before, told, after, judging.verdict(after)

        with Hammer(first, key), ThreadPoolExecutor(USERS) as pool:
            all_of_them = [one for _ in range(5) for one in pool.map(leave, range(USERS))]
        assert len(all_of_them) == 5 * USERS
        for before, told_before, after, told_after in all_of_them:
            assert (told_before, told_after) == ("revoked", "valid")
            assert (verifier.verdict(before), verifier.verdict(after)) == ("revoked", "valid")


def test_by_the_command(house, partner, verifier):
    user = str(uuid.uuid4())
    for _ in range(5):
        before = partner.launched(user_id=user)
        told = house.json("user", "revoke", "--project", PROJECT, "--user-id", user)
        assert told["project_id"] == PROJECT and told["revoked_until"]
        assert verifier.verdict(before) == "revoked"
        assert verifier.verdict(partner.launched(user_id=user)) == "valid"


def test_others_are_untouched(house, server, partner, verifier):
    user = str(uuid.uuid4())
    stranger = server.client(house.keys[OTHER])
    kept = [partner.launched(user_id=user + "2"), partner.launched(user_id=user.upper()), stranger.launched(user_id=user)]
    log_out(partner, user)
    assert [verifier.verdict(one) for one in kept] == ["valid"] * 3
    assert verifier.verdict(kept[2]) == "valid"
    log_out(stranger, user)
    assert verifier.verdict(kept[2]) == "revoked"


def test_without_a_bundle_and_again(partner):
    user = str(uuid.uuid4())
    for _ in range(3):
        assert "RateLimit" in log_out(partner, user).headers


def test_a_log_out_outlives_the_server(house):
    user = str(uuid.uuid4())
    with house.serve() as server:
        partner = server.client(house.keys[PROJECT])
        before = partner.launched(user_id=user)
        log_out(partner, user)
        server.process.kill()
        server.process.wait()
    with house.serve() as server:
        assert server.client(house.verify).verdict(before) == "revoked"
        assert server.client(house.verify).verdict(server.client(house.keys[PROJECT]).launched(user_id=user)) == "valid"


def test_who_may_and_how(house, server, partner, verifier):
    assert_problem(verifier.post("/launch/revoke", {"user_id": "u"}), 403, "insufficient_scope")
    mismatch = partner.post("/launch/revoke", {"user_id": "u"}, headers={"x-moment-project-id": OTHER})
    assert_problem(mismatch, 403, "project_mismatch")
    for body, code, pointer in (
        ({}, "missing_field", "/user_id"), ({"user_id": None}, "missing_field", "/user_id"),
        ({"user_id": ""}, "invalid_field", "/user_id"), ({"user_id": "a b"}, "invalid_field", "/user_id"),
        ({"user_id": "u", "platform": "IOS"}, "unknown_field", "/platform"),
    ):
        assert_problem(partner.post("/launch/revoke", body), 422, code, (pointer, code))
    house.run("user", "revoke", "--project", "f" * 24, "--user-id", "u", status=1)
    house.run("user", "revoke", "--project", PROJECT, "--user-id", "a b", status=64)


def test_it_costs_a_token(fresh):
    fresh.project(rate=1)
    with fresh.serve() as server:
        partner = server.client(fresh.key("launch", PROJECT))
        answers = [partner.post("/launch/revoke", {"user_id": "u"}) for _ in range(40)]
        refused = [one for one in answers if one.status_code == 429]
        assert refused and {one.status_code for one in answers} == {204, 429}
        assert_problem(refused[0], 429, "rate_limited")


def test_no_user_is_stored_or_logged(fresh):
    fresh.project()
    user = "USER-WHO-LOGS-OUT"
    with fresh.serve() as server:
        log_out(server.client(fresh.key("launch", PROJECT)), user)
        fresh.run("user", "revoke", "--project", PROJECT, "--user-id", user)
        server.stop()
        log = server.log
    assert user not in log
    assert all(user.encode() not in path.read_bytes() for path in fresh.data.rglob("*") if path.is_file())
