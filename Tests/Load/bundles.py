"""Bundles that a server under load issued itself, and what a gateway and a backend ask about them."""

import itertools
import json
import re
import socket
import threading
import time
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

from harness import USER
from load import Asked, write_requests
from servers import LOAD_CORE, pin_thread

USERS = [f"{USER[:24]}{number:012x}" for number in range(1000)]
# Every second user logged out, before any launch that is verified.
LOGGED_OUT = USERS[::2]
IN_A_ROW = 16
LENGTH = re.compile(rb"(?i)\r\ncontent-length: *(\d+)")
LOG_OUTS_A_SECOND, LOG_OUT_CONNECTIONS = 200, 8

# What a web view's request for the page comes with, beside the bundle's own headers.
WEB_VIEW = {
    "Accept": "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
    "Accept-Language": "ko-KR,ko;q=0.9,en-US;q=0.8,en;q=0.7",
    "Accept-Encoding": "gzip, deflate, br",
    "User-Agent": "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148",
    "Sec-Fetch-Dest": "document", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Site": "none",
}


def posted(path, body, key):
    """`POST` of a JSON text, as bytes."""
    body = body.encode()
    return (
        f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nAuthorization: Bearer {key}\r\n"
        f"Content-Length: {len(body)}\r\n\r\n"
    ).encode() + body


def asked_by_gateway(launch, key):
    """The headers with which nginx asks, as `Deploy/nginx/cashback-gateway.conf` has it, about a web view's request."""
    host, slash, target = launch["url"].removeprefix("https://").partition("/")
    return {
        "Host": "launchlink", "Authorization": f"Bearer {key}", "X-Forwarded-Method": launch["method"],
        "X-Forwarded-Host": host, "X-Forwarded-Uri": slash + target, "X-Forwarded-For": "203.0.113.7",
    } | WEB_VIEW | launch["headers"]


def forward_auth(headers, method="GET", target="/verify/forward-auth"):
    """The request of a gateway, as bytes; `headers` are pairs of a name and a value."""
    lines = "".join(f"{name}: {value}\r\n" for name, value in headers)
    return f"{method} {target} HTTP/1.1\r\n{lines}\r\n".encode()


def question(launch, key):
    """What a gateway asks about a launch, as bytes."""
    return forward_auth(asked_by_gateway(launch, key).items())


class Answer(NamedTuple):
    status: int
    head: bytes
    body: bytes

    def header(self, name):
        """The value of a header that is there once; None without it."""
        found = re.findall(rb"(?i)\r\n" + re.escape(name.encode()) + rb": *([^\r\n]*)", self.head)
        return found[0].decode() if len(found) == 1 else None


class Caller:
    """A connection on which several requests may be on their way at once."""

    def __init__(self, server):
        url = urlsplit(server.url)
        self.socket = socket.create_connection((url.hostname, url.port), 60)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.unread = b""

    def ask(self, requests):
        """The answer to each."""
        self.socket.sendall(b"".join(requests))
        return [self.answer() for _ in requests]

    def answer(self):
        while True:
            end = self.unread.find(b"\r\n\r\n") + 4
            if end >= 4:
                found = LENGTH.search(self.unread, 0, end)
                whole = end + int(found[1] if found else 0)
                if len(self.unread) >= whole:
                    answer, self.unread = self.unread[:whole], self.unread[whole:]
                    return Answer(int(answer[9:12]), answer[:end], answer[end:])
            got = self.socket.recv(1 << 18)
            assert got, "the server hung up"
            self.unread += got

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()


def issue(server, data, count, key="launch", users=USERS):
    """Launches for the users in turn, by as many `POST /launch`; `key` names the project's key."""
    requests = [posted("/launch", json.dumps({
        "user_id": user, "platform": "IOS", "page": "program", "business_id": data.business,
    }), data.keys[key]) for user in users]
    coming = itertools.islice(itertools.cycle(requests), count)
    with Caller(server) as caller:
        while some := list(itertools.islice(coming, IN_A_ROW)):
            for answer in caller.ask(some):
                assert answer.status == 200, answer
                yield json.loads(answer.body)


def log_out(server, data):
    """Logs half of the users out of both projects, so that the look-up that every verification makes finds something."""
    with Caller(server) as caller:
        for key in ("launch", "once"):
            for user in LOGGED_OUT:
                answer, = caller.ask([posted("/launch/revoke", json.dumps({"user_id": user}), data.keys[key])])
                assert answer.status == 204, answer


def allow(server, data, directory):
    """Forward-auth of launches that may be used often, of 1,000 users in turn."""
    questions = (question(one, data.keys["gateway"]) for one in issue(server, data, len(USERS)))
    file = write_requests(Path(directory) / "allow", questions)
    return Asked("/verify/forward-auth", file=file, status=204)


def once(server, data):
    """Forward-auth of launches that may be used once, each used one time."""
    def supply(count):
        return (question(one, data.keys["gateway"]) for one in issue(server, data, count, "once"))

    return Asked("/verify/forward-auth", supply=supply, status=204)


def verify(server, data, directory):
    """`POST /verify` of the same kind of launches as in `allow`."""
    bodies = (json.dumps({name: one[name] for name in ("method", "url", "headers")}) for one in issue(server, data, len(USERS)))
    file = write_requests(Path(directory) / "verify", (posted("/verify", body, data.keys["verify"]) for body in bodies))
    return Asked("/verify", file=file, status=200, text='"valid":true')


class LogOuts:
    """Log-outs beside the load, each of another user of another project, so many a second over several connections."""

    def __init__(self, server, data):
        self.server, self.data = server, data
        self.users, self.answers, self.seconds = itertools.count(), [], 0.0

    def revoke(self, number, start, ending):
        pin_thread(LOAD_CORE)
        with Caller(self.server) as caller:
            for turn in itertools.count():
                due = start + (turn * LOG_OUT_CONNECTIONS + number) / LOG_OUTS_A_SECOND
                if ending.wait(max(0.0, due - time.monotonic())):
                    return
                body = json.dumps({"user_id": f"logged-out-{next(self.users)}"})
                answer, = caller.ask([posted("/launch/revoke", body, self.data.keys["once"])])
                assert answer.status == 204, answer
                self.answers.append(answer)

    @contextmanager
    def __call__(self):
        start, ending, faults = time.monotonic(), threading.Event(), []

        def run(number):
            try:
                self.revoke(number, start, ending)
            except (AssertionError, OSError) as fault:
                faults.append(fault)

        threads = [threading.Thread(target=run, args=(number,)) for number in range(LOG_OUT_CONNECTIONS)]
        for thread in threads:
            thread.start()
        try:
            yield
        finally:
            ending.set()
            for thread in threads:
                thread.join()
            self.seconds += time.monotonic() - start
        assert not faults, faults

    @property
    def rate(self):
        """Log-outs a second that were answered."""
        return len(self.answers) / self.seconds
