"""Requests whose answers come later: beside others on their connection, without their client, and in the access log."""

import hashlib
import json
import socket
import time

import pytest

from crowd import SIZE, Crowd, message
from faults import Gateway, Lock, refused
from harness import PATIENCE, PROJECT, USER, environment, eventually, install, received
from test_connections import BODY, head

HELD = 0.5


@pytest.fixture(scope="module")
def house(tmp_path_factory):
    made = install(tmp_path_factory.mktemp("waiting"))
    made.gateway = Gateway(made)
    made.log = made.directory / "access.log"
    return made


@pytest.fixture(scope="module")
def server(house):
    with house.serve("--workers", "1", env=environment(LAUNCHLINK_ACCESS_LOG=str(house.log))) as running:
        yield running


@pytest.fixture
def connection(server):
    with socket.create_connection(server.address, timeout=PATIENCE) as made:
        yield made


def is_taken_up(house, server):
    """Returns once the only worker has seen all that was sent before."""
    for _ in range(2):
        server.client(house.gateway.launch).launched()


def lines(house):
    whole = (line for line in house.log.read_bytes().splitlines(keepends=True) if line.endswith(b"\n"))
    return {line["request_id"]: line for line in map(json.loads, whole)}


def test_requests_of_one_connection_are_answered_in_order(house, server, connection):
    """A launch behind a use that waits is answered after it, and so is another use of the same."""
    question = house.gateway.question(server)
    asked = [
        message(question, "X-Request-Id: first"), head(house.gateway.launch, "X-Request-Id: second") + BODY,
        message(question, "X-Request-Id: third"), head(house.gateway.launch, "X-Request-Id: fourth") + BODY,
    ]
    for closing in (False, True):
        with Lock(house, "IMMEDIATE"):
            connection.sendall(b"".join(asked))
            is_taken_up(house, server)
            connection.setblocking(False)
            with pytest.raises(BlockingIOError):
                connection.recv(1)
            connection.settimeout(PATIENCE)
        if closing:
            connection.shutdown(socket.SHUT_WR)
        got = b""
        while got.count(b"HTTP/1.1 ") < 4 or not got.endswith(b"}"):
            part = connection.recv(65536)
            assert part, got
            got += part
        first = b"401" if closing else b"204"
        assert [one[:3] for one in got.split(b"HTTP/1.1 ")[1:]] == [first, b"200", b"401", b"200"]
        places = [got.index(name) for name in (b"first", b"second", b"third", b"fourth")]
        assert places == sorted(places) and got.count(b'"launch_id"') == 2
    assert received(connection) == b""


def test_a_client_that_leaves_has_used_its_launch(house, server):
    names = [f"left-{number}" for number in range(SIZE)]
    messages = [message(house.gateway.question(server), f"X-Request-Id: {name}") for name in names]
    with Lock(house, "IMMEDIATE"), Crowd(server) as leaving:
        leaving.send(messages)
        is_taken_up(house, server)
    eventually(lambda: lines(house).keys() >= set(names))
    assert {lines(house)[name]["status"] for name in names} == {204}
    with Crowd(server) as crowd:
        assert set(crowd.ask(messages)) == {(401, "replayed")}


def test_the_access_log_tells_how_long_the_client_waited(house, server):
    question = message(house.gateway.question(server), "X-Request-Id: waited")
    began = time.monotonic()
    with Crowd(server, size=1) as crowd:
        with Lock(house, "IMMEDIATE"):
            crowd.send([question])
            is_taken_up(house, server)
            time.sleep(HELD)
        assert crowd.receive() == [(204, None)]
    eventually(lambda: "waited" in lines(house))
    line = lines(house)["waited"]
    assert (line["status"], line["route"], line["verification"]) == (204, "/verify/forward-auth", "valid")
    assert HELD <= line["duration"] <= time.monotonic() - began


TAKEN_AWAY = {
    "project disabled": ("UPDATE project SET disabled_at = created_at", "project_disabled"),
    "project deleted": ("DELETE FROM project", "revoked"),
    "signing key revoked": ("UPDATE signing_key SET state = 'revoked', revoked_at = created_at", "unknown_key"),
    "user logged out": ("INSERT INTO log_out SELECT project_id, :user, 4102444800000, 0 FROM project", "revoked"),
}


@pytest.mark.parametrize("statement, code", TAKEN_AWAY.values(), ids=TAKEN_AWAY.keys())
def test_what_is_taken_away_while_a_use_waits_refuses_it(tmp_path, statement, code):
    """By another process, whose commit lies before that of the use."""
    house = install(tmp_path)
    house.gateway = Gateway(house)
    user = hashlib.sha256(f"{PROJECT}\0{USER}".encode()).digest()
    with house.serve("--workers", "1") as server:
        question = message(house.gateway.question(server))
        with Crowd(server, size=1) as crowd:
            lock = Lock(house, "IMMEDIATE")
            crowd.send([question])
            is_taken_up(house, server)
            lock.connection.execute("PRAGMA foreign_keys = ON")
            lock.connection.execute(statement, {"user": user} if ":user" in statement else {})
            lock.connection.execute("COMMIT")
            lock.connection.close()
            assert crowd.receive() == [(401, code)]


def test_a_503_says_that_its_outcome_is_open(house, server):
    question = house.gateway.question(server)
    partner = server.client(house.gateway.launch)
    with Lock(house, "IMMEDIATE"):
        for answer in (
            server.client(house.gateway.verify).get("/verify/forward-auth", headers=question),
            partner.post("/launch/revoke", {"user_id": "nobody"}),
        ):
            assert "may be done all the same" in refused(answer)["detail"]


def test_a_launch_that_was_used_is_named_in_the_access_log_however_it_is_asked_about(house, server):
    launch = server.client(house.gateway.launch).launched(page="cs")
    gateway = server.client(house.gateway.verify)
    asked = {name: launch[name] for name in ("method", "url", "headers")}
    for number, more in enumerate([{"consume": True}, {"consume": True}, {}]):
        answer = gateway.post("/verify", asked | more, headers={"X-Request-Id": f"named-{number}"})
        assert answer.json()["valid"] is (number == 0)
    eventually(lambda: "named-2" in lines(house))
    named = [lines(house)[f"named-{number}"] for number in range(3)]
    assert {line["launch_id"] for line in named} == {launch["launch_id"]}
    assert [line["verification"] for line in named] == ["valid", "replayed", "replayed"]
