"""Requests whose framing two HTTP programs could read differently: 400 and an end of the connection.

Behind a proxy each is a way to smuggle a second request past it, so the good request that follows on the same
connection may not be answered. And parts of the framing without end: each is an answer, never a wait.
"""

import re
import socket
import ssl
import time
from contextlib import ExitStack
from urllib.parse import urlsplit

import pytest

from certificates import Authority, settings
from harness import PATIENCE, PROJECT, Client, environment, exchanged, install, received

CASES = {
    "Content-Length and Transfer-Encoding": "Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    "Transfer-Encoding and Content-Length": "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n",
    "two Content-Lengths": "Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}",
    "two equal Content-Lengths": "Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}",
    "a list of Content-Lengths": "Content-Length: 2, 2\r\n\r\n{}",
    "a signed Content-Length": "Content-Length: +2\r\n\r\n{}",
    "a negative Content-Length": "Content-Length: -2\r\n\r\n{}",
    "a hexadecimal Content-Length": "Content-Length: 0x2\r\n\r\n{}",
    "an empty Content-Length": "Content-Length:\r\n\r\n{}",
    "an unknown transfer coding": "Transfer-Encoding: gzip\r\n\r\n{}",
    "two transfer codings": "Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
    "Transfer-Encoding twice": "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    "two Hosts": "Host: other.example\r\nContent-Length: 2\r\n\r\n{}",
    "two Authorizations": "Authorization: Bearer a\r\nAuthorization: Bearer b\r\nContent-Length: 2\r\n\r\n{}",
    "two Content-Types": "Content-Type: text/plain\r\nContent-Length: 2\r\n\r\n{}",
    "a NUL in a header": "X-Odd: a\0b\r\nContent-Length: 2\r\n\r\n{}",
    "a bare CR in a header": "X-Odd: a\rX-Evil: 1\r\nContent-Length: 2\r\n\r\n{}",
    "a bare CR before a header": "X-Odd: a\r\n\rX-Evil: 1\r\nContent-Length: 2\r\n\r\n{}",
}
ONCE = "0" * 23 + "1"
AFTERWARDS = b"GET /problems/not_found HTTP/1.1\r\nHost: smuggled\r\n\r\n"


@pytest.fixture(scope="module")
def fresh_once(tmp_path_factory):
    """A server, and how a gateway asks it about a new launch that may be used once."""
    house = install(tmp_path_factory.mktemp("framing"))
    house.project(ONCE, "Once", key="wk_once", options=("--replay-policy", "once"))
    launch, verify = house.key("launch", ONCE), house.key("verify")
    with house.serve() as server:
        def question():
            made = server.client(launch).launched()
            url = urlsplit(made["url"])
            return made["headers"] | {
                "Authorization": f"Bearer {verify['api_key']}", "X-Forwarded-Method": "GET",
                "X-Forwarded-Host": url.netloc, "X-Forwarded-Uri": url.path}

        yield server, question


def assert_refused(server, request, statuses=(b"400",)):
    answers = exchanged(server.address, request)
    found = re.findall(rb"HTTP/1\.[01] (\d{3}) ", answers)
    assert len(found) == 1 and set(found) <= set(statuses), answers


@pytest.mark.parametrize("rest", CASES.values(), ids=CASES)
def test_ambiguous_framing(server, rest):
    head = f"POST /launch HTTP/1.1\r\nHost: {server.url.removeprefix('http://')}\r\nContent-Type: application/json\r\n"
    assert_refused(server, (head + rest).encode("latin-1") + AFTERWARDS)


def test_a_length_that_no_integer_holds(server):
    """The library's own answer may be 413; a length that wrapped around to 2 would be a launch."""
    request = b"POST /launch HTTP/1.1\r\nHost: a\r\nContent-Length: 18446744073709551618\r\n\r\n{}" + AFTERWARDS
    assert_refused(server, request, statuses=(b"400", b"413"))


@pytest.mark.parametrize("line", ["GET /whoami HTTP/1.9", "GET /whoami HTTP/1.2", "GET /who\0ami HTTP/1.1"])
def test_a_wrong_request_line(server, line):
    assert_refused(server, f"{line}\r\nHost: a\r\n\r\n".encode() + AFTERWARDS)


@pytest.mark.parametrize("hosts", ["", "Host: a\r\nHost: a\r\n"])
def test_a_request_has_one_host(server, hosts):
    assert_refused(server, f"GET /whoami HTTP/1.1\r\n{hosts}\r\n".encode() + AFTERWARDS)


def test_a_refusal_is_a_problem_where_the_request_could_be_read(server):
    answer = exchanged(server.address, b"GET /whoami HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n")
    assert b'"invalid_request"' in answer and b"application/problem+json" in answer
    assert b"connection: close" in answer.lower()


@pytest.mark.parametrize("fields, code", [
    ("Content-Type: a/b\r\nContent-Type: a/b\r\n", b"invalid_request"), ("X-Odd: a\0b\r\n", b"invalid_request"),
    ("X-Odd: a\x01b\r\n", b"invalid_request"), (f"X-Long: {'x' * 13_000}\r\n", b"headers_too_large"),
    ("Cookie: " + "a=b; " * 2_000 + "\r\n", b"headers_too_large"), ("a: b\r\n" * 150, b"headers_too_large"),
])
def test_a_gateway_is_refused_in_its_own_way(server, fields, code):
    """What is wrong with the client's headers is no fault of LaunchLink's: nginx and Caddy take a 400 for one."""
    answer = exchanged(server.address, f"GET /verify/forward-auth HTTP/1.1\r\nHost: a\r\n{fields}\r\n".encode())
    assert answer.startswith(b"HTTP/1.1 403 ") and b"\r\nx-launch-code: " + code + b"\r\n" in answer
    assert exchanged(server.address, f"GET /whoami HTTP/1.1\r\nHost: a\r\n{fields}\r\n".encode())[9:12] in (b"400", b"431")


@pytest.mark.parametrize("size", range(6_500, 8_600, 100))
def test_what_a_long_cookie_leaves_no_room_to_answer_is_not_carried_out(fresh_once, size):
    """libmicrohttpd keeps cookies twice, and the head of an answer in the same memory."""
    server, question = fresh_once
    headers = question()
    lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    request = f"GET /verify/forward-auth HTTP/1.1\r\nHost: a\r\n{lines}"
    refused = exchanged(server.address, f"{request}Cookie: a={'x' * size}\r\nConnection: close\r\n\r\n".encode())
    used = exchanged(server.address, f"{request}Connection: close\r\n\r\n".encode())
    found = (refused[9:12], used[9:12])
    assert found in [(b"204", b"401"), (b"403", b"204")], found


UNFINISHED = {
    "an extension": b"1;x=" + b"a" * 17_000, "a size": b"0" * 17_000, "an extension behind a chunk": b"1\r\n{\r\n1;" + b"a" * 17_000,
    "a trailer": b"0\r\nX: " + b"a" * 17_000,
}


def processor_time(server):
    """Seconds of processor that the server has used: its process clock, clock_gettime(2)."""
    return time.clock_gettime((~server.process.pid << 3) | 2)


@pytest.fixture(scope="module")
def authority(tmp_path_factory):
    return Authority(tmp_path_factory.mktemp("authority"))


@pytest.mark.parametrize("listener", ["plain", "tls", "operations"])
@pytest.mark.parametrize("rest", UNFINISHED.values(), ids=UNFINISHED)
@pytest.mark.parametrize("has_key", [True, False])
def test_framing_without_end_is_refused_and_leaves_the_loop_at_rest(fresh, authority, listener, rest, has_key):
    fresh.project()
    key = f"Authorization: Bearer {fresh.key('launch', PROJECT)['api_key']}\r\n" if has_key else ""
    env = environment(**settings(*authority.server())) if listener == "tls" else None
    path = "/readyz" if listener == "operations" else "/launch"
    request = f"POST {path} HTTP/1.1\r\nHost: a\r\n{key}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
    with fresh.serve("--workers", "1", env=env) as server:
        Client(server.operations).get("/readyz")
        port = int(server.operations.rsplit(":", 1)[1]) if listener == "operations" else server.address[1]
        plain = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE)
        trust = ssl.create_default_context(cafile=str(authority.root))
        with trust.wrap_socket(plain, server_hostname="127.0.0.1") if listener == "tls" else plain as one:
            one.sendall(request.encode() + rest)
            answers = received(one)
            statuses = re.findall(rb"HTTP/1\.1 (\d{3}) ", answers)
            right = [b"405"] if listener == "operations" else [b"413"] if has_key else [b"401"]
            assert statuses == right or (has_key and statuses == [b"431"]), answers
            before = processor_time(server)
            time.sleep(1)
            # A loop that spins takes all of it, or half on a busy machine.
            assert processor_time(server) - before < 0.25
        server.process.terminate()
        assert server.process.wait(timeout=8) == 0


def test_a_chunk_extension_of_any_size_leaves_the_loop_at_rest(server, keys):
    """The library's buffer may be full to the byte with nothing more to read."""
    head = (f"POST /launch HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer {keys.launch['api_key']}\r\n"
            "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n1;")
    with ExitStack() as connections:
        for size in range(7_700, 8_400):
            one = connections.enter_context(socket.create_connection(server.address, timeout=PATIENCE))
            one.sendall(head.encode() + b"0" * size)
        # Each loop has read all of it when it has answered others.
        for _ in range(20):
            assert exchanged(server.address, AFTERWARDS.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n"))
        before = processor_time(server)
        time.sleep(1)
        assert processor_time(server) - before < 0.25


def test_a_target_in_absolute_form_is_served(fresh_once, partner, server, keys):
    """As RFC 9112 section 3.2.2 has it; what counts is its path."""
    key = f"Authorization: Bearer {keys.launch['api_key']}\r\n"
    for target, status in [("http://a.example/whoami", 200), ("HTTPS://a.example:443/whoami", 200), ("http://[::1]/whoami?x=1", 400),
                           ("http://a.example/nowhere", 404), ("http://a.example", 404), ("http://a.example?x", 404),
                           ("http://a@b/whoami", 400), ("http:///whoami", 400), ("ftp://a/whoami", 400), ("a.example:80", 400)]:
        answer = exchanged(server.address, f"GET {target} HTTP/1.1\r\nHost: b\r\n{key}Connection: close\r\n\r\n".encode())
        assert answer.startswith(f"HTTP/1.1 {status} ".encode()) and answer.count(b"HTTP/1.1 ") == 1, (target, answer)
    once, question = fresh_once
    lines = "".join(f"{name}: {value}\r\n" for name, value in question().items())
    request = f"GET http://gateway.example/verify/forward-auth HTTP/1.1\r\nHost: a\r\n{lines}Connection: close\r\n\r\n"
    assert exchanged(once.address, request.encode()).startswith(b"HTTP/1.1 204 ")
    # A host that is none is the gateway's fault as any other of the client's.
    refused = exchanged(once.address, request.replace("gateway.example", "a@b").encode())
    assert refused.startswith(b"HTTP/1.1 403 ") and b"x-launch-code: invalid_request" in refused


@pytest.mark.parametrize("framing", ["Content-Length: 50", "Transfer-Encoding: chunked", "Content-Length: 50\r\nExpect: 100-continue"])
def test_who_reads_no_body_answers_at_the_head(fresh_once, framing):
    server, question = fresh_once
    lines = "".join(f"{name}: {value}\r\n" for name, value in question().items())
    with socket.create_connection(server.address, timeout=20) as one:
        one.sendall(f"GET /verify/forward-auth HTTP/1.1\r\nHost: a\r\n{lines}{framing}\r\n\r\n".encode())
        answer = received(one, until=b"\r\n\r\n")
        assert answer.startswith(b"HTTP/1.1 204 ") and b"connection: close" in answer.lower()
        # What comes as its body is no request, whatever it looks like.
        one.sendall(AFTERWARDS)
        assert received(one) == b""


def test_blanks_behind_a_length_are_no_part_of_it(server, keys):
    body = '{"user_id":"U","platform":"IOS"}'
    for length in [f"{len(body)} ", f" \t{len(body)}\t "]:
        answer = exchanged(server.address, (
            f"POST /launch HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer {keys.launch['api_key']}\r\nConnection: close\r\n"
            f"Content-Type: application/json\r\nContent-Length: {length}\r\n\r\n{body}").encode())
        assert answer.startswith(b"HTTP/1.1 200 ")


@pytest.mark.parametrize("blanks", [" ", "\t", " \t "])
@pytest.mark.parametrize("has_key", [True, False])
def test_blanks_behind_a_word_are_no_part_of_it(server, keys, blanks, has_key):
    key = f"Authorization: Bearer {keys.launch['api_key']}\r\n" if has_key else ""
    body = '{"user_id":"U","platform":"IOS"}'
    told = f"POST /launch HTTP/1.1\r\nHost: a\r\n{key}Connection: close{blanks}\r\nContent-Type: application/json{blanks}\r\n"
    status = b"HTTP/1.1 200 " if has_key else b"HTTP/1.1 401 "
    for coding in ["chunked", "CHUNKED"]:
        chunks = f"{len(body):x}\r\n{body}\r\n0\r\n\r\n"
        assert exchanged(server.address, f"{told}Transfer-Encoding: {coding}{blanks}\r\n\r\n{chunks}".encode()).startswith(status)
    with socket.create_connection(server.address, timeout=PATIENCE) as one:
        one.sendall(f"{told}Expect: 100-Continue{blanks}\r\nContent-Length: {len(body)}\r\n\r\n".encode())
        answer = received(one, until=b"\r\n\r\n")
        assert answer.startswith(b"HTTP/1.1 100 " if has_key else status)
        if has_key:
            one.sendall(body.encode())
            assert received(one).startswith(status)


@pytest.mark.parametrize("framing, sent", [
    *((f"Content-Length: {length}", sent) for length in (270_000, 1_200_000) for sent in (1, 17_000, 300_000, 900_000)),
    *(("Transfer-Encoding: chunked", sent) for sent in (300_000, 900_000)),
])
def test_a_body_over_its_limit_is_answered_when_that_is_known(server, keys, framing, sent):
    """A client that stops in the middle has its answer, however much is still missing."""
    chunked = "chunked" in framing
    with socket.create_connection(server.address, timeout=20) as one:
        one.sendall((f"POST /launch/batch HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer {keys.launch['api_key']}\r\n"
                     f"Content-Type: application/json\r\n{framing}\r\n\r\n").encode())
        one.sendall((b"%x\r\n" % 1_200_000 if chunked else b"") + b" " * min(sent, 260_000 if "27" in framing else sent))
        answer = received(one, until=b"}")
        assert answer.startswith(b"HTTP/1.1 413 ") and b"connection: close" in answer.lower()


def test_a_server_that_stops_does_not_wait_for_who_has_an_answer(fresh):
    with fresh.serve() as server:
        made = []
        for request in [b"GET /whoami HTTP/1.1\r\nHost: a\r\nContent-Length: 50\r\n\r\n", b"GET /whoami HTTP/1.1\r\n\r\n" + b"a" * 5000,
                        b"POST /launch HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999\r\n\r\n" + b"a" * 5000]:
            made.append(socket.create_connection(server.address, timeout=20))
            made[-1].sendall(request)
            assert received(made[-1], until=b"}").startswith(b"HTTP/1.1 4")
            made[-1].sendall(b"aaa")
        began = time.monotonic()
        assert server.stop() == 0
        # What is in flight has ten seconds, and who was still sending was given five.
        assert time.monotonic() - began < 4
        for one in made:
            one.close()


def test_good_requests_share_a_connection(server):
    """The cases above close the connection for what they are, not because every answer does."""
    last = AFTERWARDS.replace(b"Host: smuggled\r\n", b"Host: b\r\nConnection: close\r\n")
    assert exchanged(server.address, AFTERWARDS + last).count(b"HTTP/1.1 200") == 2


def test_headers_over_the_limit(server):
    request = b"GET /whoami HTTP/1.1\r\nHost: a\r\nX-Long: " + b"x" * 200_000 + b"\r\n\r\n"
    assert exchanged(server.address, request).split(b" ")[1] in (b"431", b"400", b"413")


def test_an_address_over_the_limit(server):
    request = b"GET /" + b"x" * 200_000 + b" HTTP/1.1\r\nHost: a\r\n\r\n"
    assert exchanged(server.address, request).split(b" ")[1] in (b"414", b"431", b"400")
