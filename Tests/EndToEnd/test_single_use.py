"""replay_policy once: of all who use a bundle, over all worker threads, processes and restarts, exactly one gets in."""

import http.client
import threading
from collections import Counter
from urllib.parse import urlsplit

import pytest

from crowd import Crowd, message
from harness import PATIENCE, PROJECT, USER, Client, install

ONCE = "0" * 23 + "1"
USES, CONTESTS = 64, 200


@pytest.fixture(scope="module")
def house(tmp_path_factory):
    made = install(tmp_path_factory.mktemp("once"))
    made.project(options=("--replay-policy", "allow"))
    made.project(ONCE, "Once", key="wk_once", options=("--replay-policy", "once"))
    made.keys = {project: made.key("launch", project) for project in (PROJECT, ONCE)}
    made.verify = made.key("verify")
    return made


@pytest.fixture(scope="module")
def server(house):
    with house.serve("--workers", "4") as running:
        yield running


def question(house, launch):
    """What a gateway asks with: the launch's headers, its own key, and the request line."""
    url = urlsplit(launch["url"])
    return launch["headers"] | {
        "Authorization": f"Bearer {house.verify['api_key']}", "X-Forwarded-Method": launch["method"],
        "X-Forwarded-Host": url.netloc, "X-Forwarded-Uri": f"{url.path}?{url.query}" if url.query else url.path,
    }


def use(server, headers):
    """(status, x-launch-code) of one use over a connection of its own; None where the server died over it."""
    connection = http.client.HTTPConnection(*server.address, timeout=PATIENCE)
    try:
        connection.request("GET", "/verify/forward-auth", headers=headers)
        answer = connection.getresponse()
        answer.read()
        return answer.status, answer.headers["x-launch-code"]
    except (http.client.HTTPException, OSError):
        return None
    finally:
        connection.close()


def uses(server, headers, count=USES, meanwhile=lambda: None):
    """Uses it that often at once; the outcomes counted."""
    outcomes, start = [], threading.Barrier(count + 1)

    def one():
        start.wait()
        outcomes.append(use(server, headers))

    threads = [threading.Thread(target=one) for _ in range(count)]
    for thread in threads:
        thread.start()
    start.wait()
    meanwhile()
    for thread in threads:
        thread.join()
    return Counter(outcomes)


def test_of_64_at_once_one_gets_in(house, server):
    """Again and again: within a group, between groups, and between processes."""
    partner, launches, first = server.client(house.keys[ONCE]), [], Counter()
    with house.serve("--workers", "4") as other, Crowd(server, other, size=USES) as crowd:
        while len(launches) < CONTESTS:
            items = [{"page": "cs"}] * 100
            launches += partner.post("/launch/batch", {"user_id": USER, "platform": "IOS", "items": items}).json()["items"]
        for contest, launch in enumerate(launches):
            asked = message(question(house, launch))
            outcomes = crowd.ask([asked] * USES)
            assert Counter(outcomes) == {(204, None): 1, (401, "replayed"): USES - 1}, launch["launch_id"]
            first[(outcomes.index((204, None)) + contest) % 2] += 1
            # The other server is asked first the next time.
            crowd.members.reverse()
        assert all(use(server, question(house, launch)) == (401, "replayed") for launch in launches[::10])
    assert len(first) == 2, "either server was the first now and then"


def test_the_policy_allow_lets_all_in(house, server):
    headers = question(house, server.client(house.keys[PROJECT]).launched(page="cs"))
    assert uses(server, headers) == {(204, None): USES}


def test_a_kill_gives_no_second_use(house):
    """What was answered 204 is on disk; a use that the kill cut off may count as used or not."""
    told = Counter()
    for number in range(12):
        with house.serve("--workers", "4") as server:
            headers = question(house, server.client(house.keys[ONCE]).launched(page="cs"))
            if number % 3 == 0:
                before = uses(server, headers)
                server.process.kill()
            else:
                before = uses(server, headers, meanwhile=server.process.kill)
            server.process.wait()
        with house.serve("--workers", "4") as server:
            after = uses(server, headers)
        accepted = before[204, None] + after[204, None]
        assert accepted == 1 or accepted == 0 and before[None], (before, after)
        assert set(before) <= {(204, None), (401, "replayed"), None} and not after[None]
        assert after[401, "replayed"] == USES - after[204, None]
        told += before
    assert told[204, None] >= 4


def test_a_stop_in_between_gives_no_second_use(house):
    with house.serve() as server:
        headers = question(house, server.client(house.keys[ONCE]).launched(page="cs"))
        assert use(server, headers) == (204, None)
    with house.serve() as server:
        assert use(server, headers) == (401, "replayed")


def consume(client, launch, value):
    answer = client.post("/verify", {name: launch[name] for name in ("method", "url", "headers")} | {"consume": value})
    assert answer.status_code == 200, answer.text
    return "valid" if answer.json()["valid"] else answer.json()["code"]


def test_asking_uses_nothing_up_unless_it_is_to(house, server):
    verifier = server.client(house.verify)
    launch = server.client(house.keys[ONCE]).launched(page="cs")
    assert [verifier.verdict(launch) for _ in range(3)] == ["valid"] * 3
    assert [consume(verifier, launch, value) for value in (False, None)] == ["valid"] * 2
    assert [consume(verifier, launch, True) for _ in range(3)] == ["valid", "replayed", "replayed"]
    assert (verifier.verdict(launch), use(server, question(house, launch))) == ("replayed", (401, "replayed"))
    launch = server.client(house.keys[PROJECT]).launched(page="cs")
    assert [consume(verifier, launch, True) for _ in range(3)] == ["valid"] * 3


def test_consuming_at_once(house, server):
    launch = server.client(house.keys[ONCE]).launched(page="cs")
    told = []
    threads = [
        threading.Thread(target=lambda: told.append(consume(Client(server.url, house.verify["api_key"]), launch, True)))
        for _ in range(32)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert Counter(told) == {"valid": 1, "replayed": 31}


def test_a_refused_use_uses_nothing_up(house, server):
    launch = server.client(house.keys[ONCE]).launched(page="cs")
    headers = question(house, launch)
    for wrong in ({"X-Forwarded-Uri": "/main"}, {"X-Forwarded-Method": "POST"}, {"x-moment-user-id": "other"},
                  {"X-Forwarded-Host": "evil.example"}, {"Authorization": "Bearer x"}):
        assert use(server, headers | wrong)[0] in (401, 403)
    assert server.client(house.verify).request("HEAD", "/verify/forward-auth", headers=headers).status_code == 405
    assert use(server, headers) == (204, None)


def test_a_policy_changed_to_once_holds_for_launches_issued_before(house, server):
    project = house.project("0" * 23 + "3", "Changed", options=("--replay-policy", "allow"))
    headers = question(house, server.client(house.key("launch", project)).launched(page="cs"))
    assert [use(server, headers) for _ in range(2)] == [(204, None)] * 2
    house.run("project", "update", project, "--replay-policy", "once")
    assert [use(server, headers) for _ in range(2)] == [(204, None), (401, "replayed")]
