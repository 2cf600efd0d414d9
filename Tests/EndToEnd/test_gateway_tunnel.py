"""No client speaks to the cashback web without each request being looked at, whatever protocol the web would change to."""

import re
import socket
import time

import pytest
from h2.config import H2Configuration
from h2.connection import H2Connection
from h2.events import ConnectionTerminated, ResponseReceived, StreamEnded, StreamReset
from h2.exceptions import ProtocolError

from gateways import GATEWAYS, HOST
from harness import WEB_API_KEY, received
from raw_web import RawWeb, answer

WEBSOCKET = (
    "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
)
ASKED = {
    "h2c": "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n",
    "websocket": WEBSOCKET,
    "in capitals": WEBSOCKET.upper(),
    "another protocol": "Connection: upgrade\r\nUpgrade: cashback/2\r\n",
    "TLS": "Connection: Upgrade\r\nUpgrade: TLS/1.2, HTTP/1.1\r\n",
    "several": "Connection: keep-alive, Upgrade\r\nUpgrade: h2c, websocket\r\nUpgrade: cashback/2\r\n",
    "a zero": "Connection: Upgrade\r\nUpgrade: 0\r\n",
    "a comma": "Connection: Upgrade\r\nUpgrade: ,\r\n",
    "not in Connection": "Upgrade: h2c\r\n",
}
# nginx makes a tunnel of the web's 101 for each of these that has an Upgrade.
UNASKED = {
    "empty": "Connection: Upgrade\r\nUpgrade:\r\n",
    "blank": "Connection: Upgrade\r\nUpgrade: \t \r\n",
    "empty before another": "Connection: Upgrade\r\nUpgrade:\r\nUpgrade: h2c\r\n",
    "empty and not in Connection": "Upgrade:\r\n",
    "in Connection alone": "Connection: Upgrade\r\n",
    "none": "",
}
LAUNCH = "/main?redirect_to=%2Fcs"
PATHS = ("/robots.txt", "/assets/app.js", "/api/socket?a=1", "/", "/main")
CHUNKS = "5\r\nhello\r\n0\r\nx-moment-user-id: mallory\r\n\r\n"
# A second request, which a tunnel would bring to the web unseen.
UNSEEN = f"GET /main HTTP/1.1\r\nHost: {HOST}\r\nx-moment-user-id: mallory\r\nConnection: close\r\n\r\n"


def switched(*lines):
    return "\r\n".join(["HTTP/1.1 101 Switching Protocols", *lines, "", ""]).encode()


def as_asked(head):
    """To the protocol that was asked for, and where none was to h2c."""
    asked = re.search("(?im)^upgrade: *(.+?)\r?$", head)
    return switched("Connection: Upgrade", f"Upgrade: {asked[1] if asked else 'h2c'}")


WEBS = {
    "as asked": as_asked, "without a word": lambda head: switched(),
    "to an empty one": lambda head: switched("Connection: Upgrade", "Upgrade:"),
}


@pytest.fixture(params=["without a bundle", "with a bundle"])
def headers(request, house):
    """The lines of a launch's headers, or none."""
    return "" if request.param == "without a bundle" else written(house.launch()[1])


def written(headers):
    return "".join(f"{name}: {value}\r\n" for name, value in headers.items())


def statuses(answers):
    return [int(status) for status in re.findall(rb"HTTP/1\.[01] (\d{3}) ", answers)]


def assert_no_tunnel(web, answers):
    assert web.tunnelled == b"" and b"tunnelled" not in answers
    for head in web.heads:
        assert not re.search("(?im)^(upgrade|http2-settings|te|connection: .*upgrade)", head), head
        assert not re.search("(?i)mallory|^connect", head), head


@pytest.mark.parametrize("lines", ASKED.values(), ids=ASKED)
def test_no_upgrade(house, proxy, headers, lines):
    house.upstream.begin(as_asked)
    target = LAUNCH if headers else "/robots.txt"
    answers = proxy.raw(f"GET {target} HTTP/1.1\r\nHost: {HOST}\r\n{headers}{lines}\r\n" + UNSEEN)
    assert_no_tunnel(house.upstream, answers)
    assert statuses(answers)[0] == 400 and house.upstream.heads == []


@pytest.mark.parametrize("web", WEBS.values(), ids=WEBS)
@pytest.mark.parametrize("lines", UNASKED.values(), ids=UNASKED)
def test_no_change_of_protocol_unasked(house, proxy, headers, lines, web):
    """The web changes the protocol for itself: the second request is looked at all the same."""
    house.upstream.begin(web)
    target = LAUNCH if headers else "/robots.txt"
    answers = proxy.raw(f"GET {target} HTTP/1.1\r\nHost: {HOST}\r\n{headers}{lines}\r\n" + UNSEEN)
    assert_no_tunnel(house.upstream, answers)
    assert statuses(answers)[-1] in (400, 401), answers
    assert statuses(answers)[0] in ((101, 400) if proxy.is_nginx else (400, 502)), answers


@pytest.mark.parametrize("target", PATHS)
@pytest.mark.parametrize("version", ["HTTP/1.0", "HTTP/1.1"])
@pytest.mark.parametrize("lines", [ASKED["h2c"], WEBSOCKET], ids=["h2c", "websocket"])
def test_no_upgrade_on_any_path_or_version(house, proxy, target, version, lines):
    house.upstream.begin(as_asked)
    for method in ("GET", "POST", "OPTIONS"):
        answers = proxy.raw(f"{method} {target} {version}\r\nHost: {HOST}\r\nContent-Length: 0\r\n{lines}\r\n" + UNSEEN)
        assert_no_tunnel(house.upstream, answers)
        assert statuses(answers)[0] == 400 and house.upstream.heads == []


CONNECTS = [
    f"{HOST}:443", HOST, "127.0.0.1:8000", "/", "/main", "/robots.txt", f"https://{HOST}/main", f"http://{HOST}/", "*",
]


@pytest.mark.parametrize("target", CONNECTS)
@pytest.mark.parametrize("method", ["CONNECT", "connect", "TRACE", "PRI", "CASHBACK"])
def test_no_method_that_makes_a_tunnel_or_is_unknown(house, proxy, method, target):
    house.upstream.begin(lambda head: answer())
    for version in ("HTTP/1.0", "HTTP/1.1"):
        answers = proxy.raw(f"{method} {target} {version}\r\nHost: {HOST}\r\n\r\n" + UNSEEN)
        assert statuses(answers)[0] in (400, 405, 421), answers
        assert house.upstream.heads == [] and house.upstream.tunnelled == b""


@pytest.mark.parametrize("method", ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"])
def test_the_usual_methods_pass(house, proxy, method):
    house.upstream.begin(lambda head: answer(body=b"" if method == "HEAD" else b"ok"))
    assert proxy.ask("/api/me", method=method).status == 200
    assert house.upstream.heads[0].startswith(f"{method} /api/me HTTP/1.1\r\n")


@pytest.mark.parametrize("lines", [
    "", "Trailer: x-moment-user-id\r\n", "TE: trailers\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n",
    "TE: trailers\r\nConnection: TE\r\nTrailer: x-moment-user-id\r\n",
])
def test_no_identity_in_a_trailer(house, proxy, lines):
    house.upstream.begin()
    answers = proxy.raw(f"POST /api/me HTTP/1.1\r\nHost: {HOST}\r\nTransfer-Encoding: chunked\r\n{lines}\r\n{CHUNKS}" + UNSEEN)
    assert statuses(answers) == [200, 401]
    assert_no_tunnel(house.upstream, answers)
    assert b"mallory" not in house.upstream.trailers


LAUNCH_BODIES = {
    "a length": f"Content-Length: {len(UNSEEN)}\r\n\r\n{UNSEEN}",
    "chunks": f"Transfer-Encoding: chunked\r\n\r\n{len(UNSEEN):x}\r\n{UNSEEN}\r\n0\r\n\r\n",
}


@pytest.mark.parametrize("body", LAUNCH_BODIES.values(), ids=LAUNCH_BODIES)
def test_no_body_of_a_launch(house, proxy, body):
    """A web that reads none behind a GET would take it for a request with an identity."""
    house.upstream.begin()
    target, headers = house.launch()
    answers = proxy.raw(f"GET {target} HTTP/1.1\r\nHost: {HOST}\r\n{written(headers)}Connection: close\r\n{body}")
    assert_no_body(house.upstream, proxy, *statuses(answers))


def test_no_body_of_a_launch_over_http_2(house, proxy):
    house.upstream.begin()
    target, headers = house.launch()
    assert_no_body(house.upstream, proxy, streamed(proxy, [*pseudo("GET", target), *headers.items()], UNSEEN))


def assert_no_body(web, proxy, status):
    """nginx leaves it out; Caddy gives up when it comes, with the web's connection where the head has got there."""
    patience = time.monotonic() + 1
    while not web.heads and time.monotonic() < patience:
        time.sleep(0.01)  # The head may arrive behind the refusal, and belongs to no later test.
    assert len(web.heads) <= 1 and "mallory" not in "".join(web.heads), web.heads
    assert status == (200 if proxy.is_nginx else 503)
    if proxy.is_nginx:
        assert not re.search("(?im)^(content-length: *[1-9]|transfer-encoding)", web.heads[0]), web.heads


def test_no_other_http_without_its_handshake(house, proxy):
    """HTTP/2 by prior knowledge, in clear and within TLS, and HTTP/3."""
    house.upstream.begin(lambda head: answer())
    connection = H2Connection()
    connection.initiate_connection()
    connection.send_headers(1, pseudo("GET", "/robots.txt"), end_stream=True)
    said = connection.data_to_send()
    with socket.create_connection(("127.0.0.1", proxy.port)) as plain:
        plain.sendall(said)
        received(plain)
    proxy.raw(said)
    assert house.upstream.heads == []
    with socket.socket(type=socket.SOCK_DGRAM) as one:
        one.bind(("127.0.0.1", proxy.port))  # nobody listens there for HTTP/3


def pseudo(method, path):
    return [(":method", method), (":scheme", "https"), (":authority", HOST), (":path", path)]


STREAMS = {
    "CONNECT": [(":method", "CONNECT"), (":authority", f"{HOST}:443")],
    "CONNECT with a path": pseudo("CONNECT", "/robots.txt"),
    "extended CONNECT (RFC 8441)": [
        *pseudo("CONNECT", "/robots.txt"), (":protocol", "websocket"), ("sec-websocket-version", "13"),
    ],
    "extended CONNECT of the launch path": [*pseudo("CONNECT", "/main"), (":protocol", "websocket")],
    "WebTransport": [*pseudo("CONNECT", "/robots.txt"), (":protocol", "webtransport")],
    "GET with a protocol": [*pseudo("GET", "/robots.txt"), (":protocol", "websocket")],
    "Upgrade": [*pseudo("GET", "/robots.txt"), ("connection", "Upgrade"), ("upgrade", "h2c")],
    "Upgrade alone": [*pseudo("GET", "/robots.txt"), ("upgrade", "websocket")],
    "an empty Upgrade": [*pseudo("GET", "/robots.txt"), ("upgrade", "")],
}


def streamed(proxy, headers, then):
    """The status of the answer over HTTP/2, or None where there is none; `then` is sent as the stream's data."""
    with socket.create_connection(("127.0.0.1", proxy.port)) as plain:
        context = proxy.trusting("h2")
        with context.wrap_socket(plain, server_hostname=HOST) as secured:
            assert secured.selected_alpn_protocol() == "h2"
            connection = H2Connection(H2Configuration(
                validate_outbound_headers=False, normalize_outbound_headers=False, validate_inbound_headers=False
            ))
            connection.initiate_connection()
            connection.send_headers(1, headers)
            connection.send_data(1, then.encode(), end_stream=True)
            secured.sendall(connection.data_to_send())
            status = None
            while got := secured.recv(65536):
                try:
                    events = connection.receive_data(got)
                except ProtocolError:
                    return None  # nginx calls the web's 101 an early answer, and what follows is none
                for event in events:
                    if isinstance(event, ResponseReceived):
                        status = int(dict(event.headers)[b":status"])
                    if isinstance(event, (StreamEnded, StreamReset, ConnectionTerminated)):
                        return status
                secured.sendall(connection.data_to_send())
            return status


@pytest.mark.parametrize("stream", STREAMS.values(), ids=STREAMS)
def test_no_tunnel_in_a_stream_of_http_2(house, proxy, stream):
    house.upstream.begin(as_asked)
    assert streamed(proxy, stream, UNSEEN) in (None, 400, 405, 421, 502)
    assert_no_tunnel(house.upstream, b"")
    house.upstream.begin()
    assert streamed(proxy, pseudo("POST", "/robots.txt"), "") == 200, "the tests' own client is good"


@pytest.fixture(params=GATEWAYS)
def misled(request, house, tmp_path):
    """A gateway, and what stands in LaunchLink's place behind it."""
    liar = RawWeb()
    started = house.gateway(request.param, tmp_path / request.param, launchlink=f"127.0.0.1:{liar.port}")
    yield started, liar
    started.stop()
    liar.stop()


@pytest.mark.parametrize("lines", ["", UNASKED["empty"], ASKED["h2c"]], ids=["none", "empty", "h2c"])
def test_no_tunnel_to_launchlink(house, misled, lines):
    proxy, liar = misled
    for says in WEBS.values():
        house.upstream.begin()
        liar.begin(says)
        answers = proxy.raw(f"GET /main HTTP/1.1\r\nHost: {HOST}\r\n{lines}\r\n" + UNSEEN)
        assert liar.tunnelled == b"" and house.upstream.heads == []
        assert set(statuses(answers)) <= {400, 503}, answers


EARLY = {
    "103": b"HTTP/1.1 103 Early Hints\r\nLink: </a>; rel=preload\r\nx-moment-web-api-key: %s\r\n\r\n" % WEB_API_KEY.encode(),
    "102 and 103": b"HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 103 Early Hints\r\n\r\n",
    "100": b"HTTP/1.1 100 Continue\r\n\r\n",
    "101": switched(),
}


@pytest.mark.parametrize("early", EARLY.values(), ids=EARLY)
def test_an_early_answer_opens_no_way_round(house, proxy, early):
    """What follows it is looked at as well, or is no answer to anyone: nginx hands it on as it came."""
    target, headers = house.launch()
    final = answer("200 OK", f"x-moment-web-api-key: {WEB_API_KEY}", "Cache-Control: max-age=600", "Connection: close")
    house.upstream.begin(lambda head: early + final)
    answers = proxy.raw(f"GET {target} HTTP/1.1\r\nHost: {HOST}\r\n{written(headers)}Connection: close\r\n\r\n")
    assert WEB_API_KEY.encode() not in answers
    for answered in re.findall(rb"(?s)HTTP/1\.1 \d{3} .*?\r\n\r\n", answers):
        assert b"no-store" in answered or answered.startswith(b"HTTP/1.1 10"), answers
        assert b"max-age" not in answered, answers
    assert proxy.is_nginx or early.startswith(b"HTTP/1.1 101") or 200 in statuses(answers)


def test_what_the_web_says_about_other_ways_to_it(house, proxy):
    said = ("Alt-Svc: h3=\":8443\"; ma=86400", "Upgrade: h2,h2c", "Connection: Upgrade", "X-Accel-Redirect: /_verify_launch",
            "Trailer: x-moment-web-api-key", "X-Other: kept")
    house.upstream.begin(lambda head: answer("200 OK", *said))
    _, headers = house.launch()
    answered = proxy.ask("/robots.txt", headers)
    assert (answered.status, answered["x-other"], answered.body) == (200, "kept", b"ok")
    for name in ("alt-svc", "upgrade", "trailer", "x-moment-web-api-key"):
        assert answered[name] is None, name


def test_no_key_in_a_trailer_of_the_web(house, proxy):
    target, headers = house.launch()
    chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: x-moment-web-api-key\r\n\r\n2\r\nok\r\n0\r\n"
    house.upstream.begin(lambda head: f"{chunked}x-moment-web-api-key: {WEB_API_KEY}\r\n\r\n".encode())
    answered = proxy.ask(target, headers | {"TE": "trailers"})
    assert answered.status == 200 and WEB_API_KEY.encode() not in answered.body and answered["trailer"] is None


def test_a_tunnel_would_be_seen(house):
    """The stand-in's own: whoever is sent 101 and goes on speaking is noted."""
    house.upstream.begin(as_asked)
    with socket.create_connection(("127.0.0.1", house.upstream.port)) as direct:
        direct.sendall(b"GET / HTTP/1.1\r\nUpgrade: h2c\r\n\r\n")
        assert received(direct, b"\r\n\r\n").startswith(b"HTTP/1.1 101")
        direct.sendall(UNSEEN.encode())
        assert received(direct, b"tunnelled").endswith(b"tunnelled")
    assert house.upstream.tunnelled == UNSEEN.encode()
