"""Bodies of requests: kept only for who may send them, and within a limit over all connections."""

import json
import re
import socket
from contextlib import ExitStack

import pytest

from certificates import Authority, settings
from harness import PROJECT, USER, Client, environment, eventually, exchanged, received
from test_tls import trusting

MANY = 300
LIMIT = 256 * 1024


@pytest.fixture(scope="module")
def authority(tmp_path_factory):
    return Authority(tmp_path_factory.mktemp("authority"))


def resident(server):
    """MiB of memory that the server holds."""
    with open(f"/proc/{server.process.pid}/status") as status:
        return int(re.search(r"VmRSS:\s+(\d+) kB", status.read())[1]) / 1024


def head(path, key, *lines, length=LIMIT):
    known = [f"Authorization: Bearer {key['api_key']}"] if key else []
    told = [f"POST {path} HTTP/1.1", "Host: a", *known, "Content-Type: application/json", f"Content-Length: {length}", *lines]
    return "\r\n".join(told).encode() + b"\r\n\r\n"


def half_sent(server, stack, request, count=MANY, wrap=lambda plain: plain):
    """Connections that have sent all but a byte of their requests, or as much as was taken of them."""
    made = []
    for _ in range(count):
        plain = socket.create_connection(server.address, timeout=30)
        made.append(stack.enter_context(wrap(plain)))
        try:
            made[-1].sendall(request + b" " * (LIMIT - 1))
        except OSError:
            pass  # refused and closed meanwhile
    return made


@pytest.mark.parametrize("who", ["nobody", "a stranger", "another scope", "a disabled project", "another project"])
@pytest.mark.parametrize("path", ["/launch/batch", "/support/explain", "/nowhere"])
def test_bodies_of_those_who_are_refused_are_not_kept(fresh, who, path):
    fresh.project()
    launch, catalog = fresh.key("launch", PROJECT), fresh.key("catalog")
    key = {"nobody": None, "a stranger": {"api_key": launch["api_key"][:-1] + "x"}, "another scope": catalog}.get(who, launch)
    lines = ["x-moment-project-id: " + "0" * 24] if who == "another project" else []
    if who == "a disabled project":
        fresh.run("project", "disable", PROJECT, "--yes")
    with fresh.serve() as server, ExitStack() as stack:
        Client(server.url).get("/whoami")
        before = resident(server)
        made = half_sent(server, stack, head(path, key, *lines))
        # Each has its answer, though its body is not whole.
        status = {"/launch/batch": rb"40[13]", "/support/explain": rb"403|303", "/nowhere": b"404"}[path]
        for one in made:
            assert re.match(rb"HTTP/1\.1 (" + status + rb") ", received(one, until=b"\r\n\r\n"))
        assert resident(server) - before < MANY * LIMIT / 2**20 / 2


def test_what_anybody_may_read_is_held_once_for_those_who_do_not_take_it(fresh):
    with fresh.serve() as server, ExitStack() as stack:
        Client(server.url).get("/openapi.yaml")
        before = resident(server)
        for _ in range(MANY):
            one = stack.enter_context(socket.socket())
            one.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            one.connect(server.address)
            one.sendall(b"GET /openapi.yaml HTTP/1.1\r\nHost: a\r\n\r\n" * 3)
        Client(server.url).get("/openapi.yaml")
        # Some 100 KiB each would be 30 MiB.
        assert resident(server) - before < 16


def test_refusals_by_the_head_say_what_they_say_of_a_whole_request(server, keys):
    """Whatever is wrong with the key: status, code and headers are the same, and each is counted and logged once."""
    good = keys.launch["api_key"]
    for line in ["X-None: 1", f"Authorization: Bearer {good[:-1]}", f"Authorization: Bearer {keys.catalog['api_key']}",
                 f"Authorization: Bearer {good}\r\nx-moment-project-id: {'0' * 24}", f"Authorization: Basic {good}"]:
        answers = []
        for body, length in [(b"{}", 2), (b"", 200)]:
            request = head("/launch", None, line, "Connection: close", "X-Request-Id: same", length=length) + body
            status, _, rest = exchanged(server.address, request).partition(b"\r\n")
            fields, _, problem = rest.partition(b"\r\n\r\n")
            names = {field.split(b":")[0].lower() for field in fields.split(b"\r\n")}
            answers.append((status, names, json.loads(problem)))
        assert answers[0] == answers[1], line
        assert answers[0][0].split()[1] in (b"401", b"403")


def test_a_key_that_is_revoked_while_the_body_comes_does_not_launch(fresh):
    fresh.project()
    key = fresh.key("launch", PROJECT)
    body = json.dumps({"user_id": USER, "platform": "IOS"}).encode()
    with fresh.serve() as server, socket.create_connection(server.address, timeout=30) as one:
        one.sendall(head("/launch", key, "Expect: 100-continue", length=len(body)))
        assert received(one, until=b"\r\n\r\n").startswith(b"HTTP/1.1 100 ")
        fresh.run("key", "revoke", key["key_id"], "--yes")
        one.sendall(body)
        answer = received(one, until=b"}")
        assert answer.startswith(b"HTTP/1.1 401 ") and b"revoked_api_key" in answer


def over(server, key, wrap=lambda plain: plain):
    """Fills the server's 4 MiB: how many were refused, and what those were told."""
    with ExitStack() as stack:
        made = half_sent(server, stack, head("/launch/batch", key), count=24, wrap=wrap)
        told = []
        for one in made:
            one.settimeout(0.5)
            try:
                told.append(received(one, until=b"}"))
            except TimeoutError:
                pass  # its body is kept
    return told


@pytest.mark.parametrize("is_secure", [False, True])
def test_bodies_have_a_limit_together_and_give_it_back(fresh, authority, is_secure):
    fresh.project()
    key = fresh.key("launch", PROJECT)
    tls = settings(*authority.server()) if is_secure else {}
    wrap = (lambda plain: trusting(authority).wrap_socket(plain, server_hostname="127.0.0.1")) if is_secure else (lambda plain: plain)
    with fresh.serve("--workers", "2", env=environment(LAUNCHLINK_LIMITS_BODY_MEMORY="4MiB", **tls)) as server:
        for _ in range(2):
            told = over(server, key, wrap)
            # Each takes its room as it comes, so one that is refused may have kept out another for a moment.
            assert 24 - 16 <= len(told) <= 24 - 14
            for answer in told:
                assert answer.startswith(b"HTTP/1.1 503 ") and b'"unavailable"' in answer and b"Retry-After: 1\r\n" in answer
            # Who hangs up gives the room back.
            eventually(lambda: 24 - 16 <= len(over(server, key, wrap)) <= 24 - 14)
        metrics = Client(server.operations).get("/metrics").text
        assert '{method="POST",route="/launch/batch",code="503"}' in metrics


@pytest.mark.parametrize("framing", ["Content-Length: 262144\r\n\r\n", "Transfer-Encoding: chunked\r\n\r\n40000\r\n "])
def test_bodies_that_do_not_come_take_nobodys_room(fresh, framing):
    """What a head announces is no memory yet: one project's announcements shut nobody else out."""
    fresh.project()
    key = fresh.key("launch", PROJECT)
    body = json.dumps({"user_id": USER, "platform": "IOS"}).encode()
    with fresh.serve(env=environment(LAUNCHLINK_LIMITS_BODY_MEMORY="4MiB")) as server, ExitStack() as stack:
        start = head("/launch/batch", key).replace(b"Content-Length: 262144\r\n\r\n", framing.encode())
        for _ in range(MANY):
            stack.enter_context(socket.create_connection(server.address, timeout=30)).sendall(start)
        Client(server.url).get("/whoami")
        one = stack.enter_context(socket.create_connection(server.address, timeout=30))
        one.sendall(head("/launch", key, "Expect: 100-continue", length=len(body)))
        assert received(one, until=b"\r\n\r\n").startswith(b"HTTP/1.1 100 ")
        one.sendall(body)
        assert received(one, until=b"}").startswith(b"HTTP/1.1 200 ")


@pytest.mark.parametrize("value", ["64", "0MiB", "1023KiB", "64mib", "65GiB", "-1MiB", "many"])
def test_the_limit_is_an_amount_of_memory(fresh, value):
    done = fresh.run("config", "check", env=environment(LAUNCHLINK_LIMITS_BODY_MEMORY=value), status=78)
    assert "limits.body_memory" in done.stderr + done.stdout and "such as 64MiB" in done.stderr + done.stdout


def test_the_limit_is_shown(fresh):
    shown = fresh.json("config", "show", env=environment(LAUNCHLINK_LIMITS_BODY_MEMORY="2048KiB"))
    assert '"2MiB"' in json.dumps(shown) and "limits.body_memory" in json.dumps(shown)
