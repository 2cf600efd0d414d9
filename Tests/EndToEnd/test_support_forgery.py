"""Forged forms and planted sessions on the support pages: whatever another site or a neighbouring host can send along."""

import re
from urllib.parse import urlencode

import pytest

from harness import exchanged, install
from test_support import COOKIE, Visitor, is_signed_in

HOST = "launch.example"
FOREIGN = ["", "null", "http://evil.example", "https://launch.example.evil.example", "https://launch.example@evil.example",
           "https://evil.example/https://launch.example", "http://launch.example", "https://launch.example:444", "https://launch.example/",
           "https://LAUNCH.example", "https://launch.example ,https://evil.example", "https://sub.launch.example", "https://launch.exampl"]


@pytest.fixture(scope="module")
def house(tmp_path_factory):
    """A server that browsers reach over TLS at HOST, and a key to sign in with."""
    made = install(tmp_path_factory.mktemp("house"))
    key = made.key("support")
    with made.serve(env={"LAUNCHLINK_PUBLIC_URL": f"https://{HOST}"}) as server:
        yield server, key


class Worker(Visitor):
    """A support worker's browser, which reaches the server over TLS; the tests go round the proxy."""

    def __init__(self, server):
        super().__init__(server)
        self.origin = f"https://{HOST}"
        self.cookies = {}

    def get(self, path, **cookies):
        return self.client.get(path, headers=self.with_cookies(cookies))

    def post(self, path, fields, cookies=None, **headers):
        return self.client.post(path, data=fields, headers={"Origin": self.origin} | self.with_cookies(cookies or {}) | headers)

    def with_cookies(self, more):
        # What `requests` keeps it would send over TLS only, so the test does.
        self.client.session.cookies.clear()
        pairs = [f"{name}={value}" for name, value in [*more.items(), *self.cookies.items()]]
        return {"Cookie": "; ".join(pairs)} if pairs else {}

    def sign_in(self, key):
        answer = super().sign_in(key)
        name, value = re.match(r"([^=]+)=([0-9a-f]{64});", answer.headers["Set-Cookie"]).groups()
        self.cookies = {name: value}
        return answer


FORMS = {"sign-in": {"api_key": "llk_"}, "sign-out": {}, "explain": {"launch": "https://a.example/"}}


@pytest.mark.parametrize("path", FORMS)
@pytest.mark.parametrize("origin", FOREIGN)
def test_a_form_of_another_origin_does_nothing(house, path, origin):
    server, key = house
    worker = Worker(server)
    worker.sign_in(key)
    fields = {"api_key": key["api_key"]} if path == "sign-in" else FORMS[path]
    answer = worker.post(f"/support/{path}", fields, Origin=origin or None)
    assert answer.status_code == 403 and "Set-Cookie" not in answer.headers
    assert is_signed_in(worker)


@pytest.mark.parametrize("path", FORMS)
@pytest.mark.parametrize("origins", [("https://" + HOST, "https://evil.example"), ("https://evil.example", "https://" + HOST), ("https://" + HOST,) * 2])
def test_a_form_of_two_origins_does_nothing(house, path, origins):
    server, key = house
    worker = Worker(server)
    worker.sign_in(key)
    cookie = "; ".join(f"{name}={value}" for name, value in worker.cookies.items())
    body = urlencode({"api_key": key["api_key"]} if path == "sign-in" else FORMS[path])
    lines = [f"POST /support/{path} HTTP/1.1", f"Host: {HOST}", "Connection: close", f"Cookie: {cookie}", *(f"Origin: {one}" for one in origins),
             "Content-Type: application/x-www-form-urlencoded", f"Content-Length: {len(body)}", "", body]
    received = exchanged(server.address, "\r\n".join(lines).encode())
    assert re.match(rb"HTTP/1.1 40[03] ", received) and b"set-cookie" not in received.lower(), received
    assert is_signed_in(worker)


def test_no_address_alone_changes_anything(house):
    """What a link or an image of another site can ask for: GET and HEAD, with the session's cookie."""
    server, key = house
    worker = Worker(server)
    worker.sign_in(key)
    for method in ("GET", "HEAD", "PUT", "DELETE", "PATCH", "OPTIONS"):
        answer = worker.client.request(method, "/support/sign-out", headers=worker.with_cookies({}))
        assert answer.status_code == 405 and "Set-Cookie" not in answer.headers, method
        answer = worker.client.request(method, f"/support/sign-in?api_key={key['api_key']}", headers=worker.with_cookies({}))
        assert "Set-Cookie" not in answer.headers and answer.status_code in (200, 400, 303, 405), method
    assert is_signed_in(worker)


@pytest.mark.parametrize("kind", ["application/json", "text/plain", "multipart/form-data; boundary=a", None])
def test_a_form_is_of_its_own_kind(house, kind):
    """Even from our own origin: what a form of text/plain could put together is none."""
    server, key = house
    answer = Worker(server).post("/support/sign-in", f"api_key={key['api_key']}", **{"Content-Type": kind})
    assert answer.status_code == 415 and "Set-Cookie" not in answer.headers


def test_a_form_is_not_compressed(house):
    server, key = house
    answer = Worker(server).post("/support/sign-in", {"api_key": key["api_key"]}, **{"Content-Encoding": "gzip"})
    assert answer.status_code == 415 and "Set-Cookie" not in answer.headers


@pytest.mark.parametrize("name", [COOKIE, "__Secure-launchlink", "launchlink", "__host-launchlink", "__Host-launchlink2", "__HOST-launchlink"])
def test_a_session_under_another_name_is_none(house, name):
    """A neighbouring host can set any cookie for the domain but one of the prefix __Host-."""
    server, key = house
    worker = Worker(server)
    worker.sign_in(key)
    (real, session), = worker.cookies.items()
    assert real == "__Host-launchlink" and is_signed_in(worker)
    thief = Worker(server)
    thief.cookies = {name: session}
    assert not is_signed_in(thief)


def test_a_planted_session_is_not_taken_over_whatever_it_is(house):
    """Fixation: what was there before the sign-in is worth nothing after it, be it made up or somebody's own session."""
    server, key = house
    attacker, victim = Worker(server), Worker(server)
    attacker.sign_in(key)
    own = attacker.cookies["__Host-launchlink"]
    for planted in ("ab" * 32, own):
        for name in ("__Host-launchlink", COOKIE):
            victim.cookies = {}
            answer = victim.post("/support/sign-in", {"api_key": key["api_key"]}, cookies={name: planted})
            given = re.match(r"__Host-launchlink=([0-9a-f]{64});", answer.headers["Set-Cookie"])[1]
            assert answer.status_code == 303 and given != planted
            other = Worker(server)
            other.cookies = {"__Host-launchlink": planted}
            # The planted one is no session, or was one and has ended with the sign-in under its name.
            assert is_signed_in(other) == (planted == own and name == COOKIE)
            if planted == own:
                attacker.sign_in(key)
                own = planted = attacker.cookies["__Host-launchlink"]


@pytest.mark.parametrize("way", [
    "/support/..//evil.example/", "/support/../businesses", "/support/./../x", "/support//evil.example", "/support/%2e%2e/x",
    "/support/..", "/support/\\..\\x", "//evil.example", "https://evil.example", "/supporters", "/support/a\t/x",
])
def test_after_the_sign_in_nobody_leaves_the_support_pages(house, way):
    server, key = house
    worker = Worker(server)
    answer = worker.post("/support/sign-in", {"api_key": key["api_key"], "next": way})
    assert (answer.status_code, answer.headers["Location"]) == (303, "/support")
    assert way not in worker.client.get("/support/sign-in", params={"next": way}).text
    answer = worker.post("/support/sign-in", {"api_key": key["api_key"], "next": "/support/businesses/11st?a=/../b"})
    assert answer.headers["Location"] == "/support/businesses/11st?a=/../b"


def test_two_sessions_at_once_are_none(house):
    """A cookie tossed in beside the real one, before or behind it: neither is believed."""
    server, key = house
    worker, attacker = Worker(server), Worker(server)
    worker.sign_in(key)
    attacker.sign_in(key)
    mine, theirs = worker.cookies["__Host-launchlink"], attacker.cookies["__Host-launchlink"]
    for pair in ((mine, theirs), (theirs, mine), (mine, "x"), ("", mine)):
        answer = worker.client.get("/support", headers={"Cookie": "; ".join(f"__Host-launchlink={one}" for one in pair)})
        assert answer.status_code == 303, pair
    assert is_signed_in(worker) and is_signed_in(attacker)


@pytest.mark.parametrize("path", ["/support/sign-in", "/support", "/whoami", "/launch", "/businesses", "/openapi.yaml", "/problems/not_found", "/nowhere"])
@pytest.mark.parametrize("method", ["GET", "OPTIONS", "TRACE"])
def test_no_answer_opens_to_another_origin_or_tells_what_served_it(house, method, path):
    server, _ = house
    asked = {"Origin": "https://evil.example", "Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "authorization"}
    answer = server.client().request(method, path, headers=asked)
    assert not [name for name in answer.headers if name.lower().startswith("access-control-")]
    assert not answer.headers.keys() & {"Server", "X-Powered-By", "Via"}
    assert answer.status_code == 405 or method == "GET" or path == "/nowhere"
    assert "evil.example" not in str(answer.headers)
