"""Connections: kept, pipelined, half-sent, and what becomes of them when the server stops or cannot serve."""

import json
import signal
import socket
import sqlite3
from contextlib import ExitStack, closing

import pytest

from harness import PATIENCE, PROJECT, USER, Client, assert_problem, eventually, received

BODY = json.dumps({"user_id": USER, "platform": "IOS", "page": "cs"}).encode()


def head(key, *lines, length=len(BODY), version="1.1"):
    told = [f"POST /launch HTTP/{version}", "Host: a", f"Authorization: Bearer {key['api_key']}",
            "Content-Type: application/json", f"Content-Length: {length}", *lines]
    return "\r\n".join(told).encode() + b"\r\n\r\n"


@pytest.fixture
def connection(server):
    with socket.create_connection(server.address, timeout=PATIENCE) as made:
        yield made


def test_a_request_in_pieces_is_one_request(connection, keys):
    for byte in head(keys.launch, "Connection: close") + BODY:
        connection.sendall(bytes([byte]))
    got = received(connection)
    assert got.startswith(b"HTTP/1.1 200 ") and got.count(b'"launch_id"') == 1


def test_pipelined_requests_are_answered_in_order(connection, keys):
    ids = [f"X-Request-Id: request-{number}" for number in range(5)]
    connection.sendall(b"".join(head(keys.launch, one) + BODY for one in ids) + head(keys.launch, "Connection: close") + BODY)
    got = received(connection)
    assert got.count(b"HTTP/1.1 200 ") == 6
    places = [got.index(one.encode()) for one in ids]
    assert places == sorted(places)


def test_http_1_0_gets_its_answer_and_the_end(connection, keys):
    connection.sendall(head(keys.launch, version="1.0") + BODY)
    assert b" 200 " in received(connection).split(b"\r\n")[0]


def test_a_client_that_asks_first_is_told_to_go_on(connection, keys):
    connection.sendall(head(keys.launch, "Expect: 100-continue", "Connection: close"))
    assert received(connection, until=b"\r\n\r\n").startswith(b"HTTP/1.1 100 ")
    connection.sendall(BODY)
    assert received(connection).startswith(b"HTTP/1.1 200 ")


def test_a_client_that_would_send_too_much_is_told_so_before(connection, keys):
    connection.sendall(head(keys.launch, "Expect: 100-continue", "Connection: close", length=10**9))
    assert received(connection).startswith(b"HTTP/1.1 413 ")


def test_a_client_that_hangs_up_harms_nobody(server, keys, partner):
    for cut in range(0, len(head(keys.launch)) + len(BODY), 7):
        with socket.create_connection(server.address, timeout=PATIENCE) as made:
            made.sendall((head(keys.launch) + BODY)[:cut])
    assert partner.launch().status_code == 200


@pytest.mark.parametrize("count", [128, 256])
def test_requests_that_are_there_all_at_once_are_all_answered(installation, count):
    # libmicrohttpd takes 128 events at most at once, and was seen to wait for more when it had got just so many.
    asked = b"GET /problems/internal HTTP/1.1\r\nHost: a\r\nConnection: %s\r\n\r\n"
    with installation.serve("--workers", "1") as server, ExitStack() as stack:
        made = [stack.enter_context(socket.create_connection(server.address, timeout=PATIENCE)) for _ in range(count)]
        for connection in made:
            connection.sendall(asked % b"keep-alive")
            assert received(connection, until=b"}").startswith(b"HTTP/1.1 200 ")
        # While the server stands still, requests gather.
        server.process.send_signal(signal.SIGSTOP)
        for connection in made:
            connection.sendall(asked % b"close")
        server.process.send_signal(signal.SIGCONT)
        assert all(received(connection).startswith(b"HTTP/1.1 200 ") for connection in made)


def test_what_is_in_flight_when_the_server_stops_is_finished(fresh):
    fresh.project()
    key = fresh.key("launch", PROJECT)
    with fresh.serve() as server, socket.create_connection(server.address, timeout=PATIENCE) as made:
        made.sendall(head(key, "Expect: 100-continue"))
        received(made, until=b"\r\n\r\n")
        server.process.send_signal(signal.SIGTERM)
        eventually(lambda: not accepts(server))
        made.sendall(BODY)
        assert received(made).startswith(b"HTTP/1.1 200 ")
        assert server.process.wait(timeout=PATIENCE) == 0


def accepts(server):
    try:
        socket.create_connection(server.address, timeout=PATIENCE).close()
    except (ConnectionRefusedError, ConnectionResetError):
        # Reset: the listener was closed while the connection still waited to be accepted.
        return False
    return True


def test_without_an_active_signing_key_nothing_is_launched(fresh):
    """No command leaves it so; a database that was tampered with does."""
    fresh.project()
    with fresh.serve() as server:
        client, operations = server.client(fresh.key("launch", PROJECT)), Client(server.operations)
        assert (client.launch().status_code, operations.get("/readyz").status_code) == (200, 200)
        with closing(sqlite3.connect(fresh.data / "launchlink.db")) as database, database:
            database.execute("UPDATE signing_key SET state = 'retired', retired_at = activated_at")
        answers = [client.launch(), operations.get("/readyz")]
        # Nothing is said of the fields, of one launch as of many: the order of checks is the same.
        answers += [client.post("/launch", {}), client.post("/launch/batch", {}), client.post("/launch/batch", {"items": [7]})]
        for answer in answers:
            assert_problem(answer, 503, "unavailable")
            assert int(answer.headers["Retry-After"]) >= 1
        for path in ("/launch", "/launch/batch"):
            answer = client.post(path, data="{", headers={"Content-Type": "application/json"})
            assert_problem(answer, 400, "invalid_json")
        assert operations.get("/healthz").status_code == 200
