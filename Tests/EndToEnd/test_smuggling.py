"""Request smuggling through real nginx: exactly as many requests arrive as were meant, and none that was smuggled.

Each case has a whole request where one reading of its head or another sees a body, and the next caller's behind it.
Where nginx refuses by itself, nothing arrives; where it hands on, LaunchLink reads the same ends as nginx did.
"""

import re
from collections import Counter

import pytest
import requests

from gateways import API_HOST, certificate, start_nginx_api
from harness import PATIENCE, eventually

SMUGGLED = f"GET /problems/smuggled HTTP/1.1\r\nHost: {API_HOST}\r\n\r\n"
LENGTH = len(SMUGGLED)

CHUNKED = f"0\r\n\r\n{SMUGGLED}"
# Headers and body of a POST; `{all}` is the whole body's length.
CASES = {
    "CL.TE": ("Content-Length: {all}\r\nTransfer-Encoding: chunked", CHUNKED),
    "TE.CL": ("Transfer-Encoding: chunked\r\nContent-Length: 4", f"{LENGTH:x}\r\n{SMUGGLED}\r\n0\r\n\r\n"),
    "CL.0": ("Content-Length: {all}", SMUGGLED),
    "0.CL": ("Content-Length: 0", SMUGGLED),
    "CL.CL": ("Content-Length: 0\r\nContent-Length: {all}", SMUGGLED),
    "CL list": ("Content-Length: 0, {all}", SMUGGLED),
    "CL signed": ("Content-Length: +{all}", SMUGGLED),
    "CL hexadecimal": ("Content-Length: 0x{all}", SMUGGLED),
    "CL with a blank": ("Content-Length : {all}", SMUGGLED),
    "CL after a blank": (" Content-Length: {all}", SMUGGLED),
    "CL by underscore": ("Content_Length: {all}", SMUGGLED),
    "CL over 64 bits": ("Content-Length: 18446744073709551616", SMUGGLED),
    **{
        f"TE.TE {name}": (f"Content-Length: {{all}}\r\n{line}", CHUNKED)
        for name, line in {
            "twice": "Transfer-Encoding: chunked\r\nTransfer-Encoding: x",
            "unknown first": "Transfer-Encoding: x\r\nTransfer-Encoding: chunked",
            "list": "Transfer-Encoding: chunked, identity", "unknown": "Transfer-Encoding: xchunked",
            "capitals": "Transfer-Encoding: CHUNKED", "a blank before the colon": "Transfer-Encoding : chunked",
            "a tab": "Transfer-Encoding:\tchunked", "a vertical tab": "Transfer-Encoding: \x0bchunked",
            "quoted": 'Transfer-Encoding: "chunked"', "a parameter": "Transfer-Encoding: chunked;q=1",
            "an empty one": "Transfer-Encoding:", "a comma": "Transfer-Encoding: ,chunked",
            "folded": "Transfer-Encoding:\r\n chunked", "behind a bare LF": "X: x\nTransfer-Encoding: chunked",
            "behind a bare CR": "X: x\rTransfer-Encoding: chunked", "a NUL": "Transfer-Encoding: chunked\0",
            "underscore": "Transfer_Encoding: chunked", "after a blank": " Transfer-Encoding: chunked",
            "identity": "Transfer-Encoding: identity",
        }.items()
    },
    "chunk size with a sign": ("Transfer-Encoding: chunked", f"+0\r\n\r\n{SMUGGLED}"),
    "chunk size with 0x": ("Transfer-Encoding: chunked", f"0x0\r\n\r\n{SMUGGLED}"),
    "chunk size over 64 bits": ("Transfer-Encoding: chunked", f"10000000000000000\r\n\r\n{SMUGGLED}"),
    "chunk size behind blanks": ("Transfer-Encoding: chunked", f"  0\r\n\r\n{SMUGGLED}"),
    "chunk extension": ("Transfer-Encoding: chunked", f"0;a=\"\r\n\r\n{SMUGGLED}\""),
    "chunk extension with a bare LF": ("Transfer-Encoding: chunked", f"2;\n{{}}\r\n0\r\n\r\n{SMUGGLED}"),
    "chunks with bare LF": ("Transfer-Encoding: chunked", f"2\n{{}}\n0\n\n{SMUGGLED}"),
    "chunk longer than told": ("Transfer-Encoding: chunked", f"1\r\n{{}}\r\n0\r\n\r\n{SMUGGLED}"),
    "trailers": ("Transfer-Encoding: chunked", f"0\r\nContent-Length: {LENGTH}\r\nHost: other\r\n\r\n{SMUGGLED}"),
    "expect": ("Expect: 100-continue\r\nContent-Length: 0", SMUGGLED),
    "upgrade": ("Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\nContent-Length: 0", SMUGGLED),
    "connection names a length": ("Connection: Content-Length, close\r\nContent-Length: {all}", SMUGGLED),
}


@pytest.fixture(scope="module")
def proxy(server, tmp_path_factory):
    directory = tmp_path_factory.mktemp("smuggling")
    started = start_nginx_api(directory / "api", "{}:{}".format(*server.address), certificate(directory))
    yield started
    started.stop()


def attack(headers, body):
    """The POST and, on the same connection, the next caller's request."""
    victim = f"GET /web-version?victim HTTP/1.1\r\nHost: {API_HOST}\r\nConnection: close\r\n\r\n"
    head = f"POST /launch HTTP/1.1\r\nHost: {API_HOST}\r\nContent-Type: application/json\r\n"
    return (head + headers.replace("{all}", str(len(body))) + "\r\n\r\n" + body + victim).encode("latin-1")


def counted(server):
    """How many requests LaunchLink answered, by route."""
    counts = Counter()
    for line in requests.get(server.operations + "/metrics", timeout=PATIENCE).text.splitlines():
        if line.startswith("launchlink_http_requests_total"):
            counts[re.search('route="([^"]*)"', line)[1]] += int(float(line.rsplit(" ", 1)[1]))
    return counts


ROUTES = {"/launch": "/launch", "/problems/smuggled": "/problems/{code}", "/web-version": "/web-version"}


class Log:
    """What nginx logged since; only LaunchLink's answers have a request id."""

    def __init__(self, proxy):
        self.file = proxy.directory / "launchlink-api.log"
        self.start = len(self.file.read_text())

    @property
    def lines(self):
        # What is being written may be seen by halves, and is no line yet.
        written = self.file.read_text()[self.start:].splitlines(keepends=True)
        return [line.split() for line in written if line.endswith("\n")]

    @property
    def handed_on(self):
        return Counter(ROUTES[line[3]] for line in self.lines if line[-1] != "-")


@pytest.mark.parametrize("headers, body", CASES.values(), ids=CASES)
def test_launchlink_answers_the_requests_that_nginx_saw_and_no_more(server, proxy, headers, body):
    before, log = counted(server), Log(proxy)
    answers = proxy.raw(attack(headers, body))
    # 401, since no key was sent; all else is a refusal of the head or the body.
    assert answers[9:12] in (b"100", b"400", b"401", b"411", b"413", b"501"), answers
    eventually(lambda: len(log.lines) >= len(re.findall(rb"HTTP/1\.1 [2-5]", answers)))
    eventually(lambda: counted(server) - before == log.handed_on)


def test_the_count_tells(server, proxy):
    """A request past nginx, as one that was smuggled would be, shows in the comparison."""
    before, log = counted(server), Log(proxy)
    proxy.raw(attack("Content-Length: 2", "{}"))
    eventually(lambda: log.handed_on == {"/launch": 1, "/web-version": 1})
    eventually(lambda: counted(server) - before == log.handed_on)
    requests.get(server.url + "/problems/smuggled", timeout=PATIENCE)
    eventually(lambda: counted(server) - before == log.handed_on + Counter({"/problems/{code}": 1}))
