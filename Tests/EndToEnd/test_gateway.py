"""The gateways of Deploy/ in front of a stand-in for the cashback web: only a valid bundle arrives with an identity."""

import base64
import json
import subprocess
import threading
import uuid
from collections import Counter
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

import gateways
from gateways import API_HOST, GATEWAYS, HOST, StandIn, free_port, split, start_nginx_api
from harness import PATIENCE, PROJECT, USER, WEB_API_KEY, environment
from signing import bundle, exported

ONCE, OTHER = "0" * 23 + "1", "0" * 23 + "2"
IDENTITY = ("x-moment-project-id", "x-moment-web-api-key", "x-moment-user-id", "x-moment-platform")
LAUNCH = "/main?redirect_to=%2Fcs"


@pytest.fixture(scope="module")
def house(tmp_path_factory):
    """A house of its own, since its keys are revoked, and the stand-in upstream."""
    with gateways.house(tmp_path_factory.mktemp("house"), StandIn()) as made:
        made.project(ONCE, "Once", key="wk_once", options=("--replay-policy", "once"))
        made.project(OTHER, "Other", key="wk_other")
        yield made


@pytest.fixture
def arrived(house):
    house.upstream.arrived.clear()
    return house.upstream.arrived


def signed(house, **how):
    return split(bundle(PROJECT, exported(house.installation, PROJECT), **how))


def identity(request):
    """Everything of a request upstream that could name a user."""
    return sorted((name, value) for name, value in request[2] if name.startswith("x-moment") or "signature" in name)


def test_a_valid_bundle_arrives_with_the_real_key_and_without_the_signature(house, proxy, arrived):
    target, headers = house.launch()
    assert headers["x-moment-web-api-key"].startswith("launch-")
    answer = proxy.ask(target, headers | {"Cookie": "lang=ko", "Authorization": "Basic upstreams-own", "X-Other": "kept"})
    assert (answer.status, answer.body[-2:]) == (200, b"ok")
    (method, path, sent, body), = arrived
    assert (method, path, body) == ("GET", target, b"")
    assert identity(arrived[0]) == sorted(zip(IDENTITY, (PROJECT, WEB_API_KEY, USER, "IOS")))
    kept = dict(sent)
    assert (kept["cookie"], kept["authorization"], kept["x-other"]) == ("lang=ko", "Basic upstreams-own", "kept")
    assert kept["host"] == HOST and house.verify not in str(sent)
    assert answer["x-moment-web-api-key"] is None, "an echo of the real key does not reach the phone"
    assert answer["x-launch-code"] is None and WEB_API_KEY.encode() not in answer.body


@pytest.mark.parametrize("cookies", [1, 3])
def test_a_user_with_many_cookies(house, proxy, arrived, cookies):
    """More than LaunchLink takes of a head; the cashback web gets all of them."""
    target, headers = house.launch()
    given = [("Cookie", f"c{number}=" + "x" * 8000) for number in range(cookies)]
    assert proxy.ask(target, [*headers.items(), *given]).status == 200
    sent = "; ".join(value for name, value in arrived[0][2] if name == "cookie")
    assert sent == "; ".join(value for _, value in given)
    assert proxy.ask(target, [*headers.items(), *given, ("x-moment-user-id", "second")]).status in (400, 401)


def test_a_plain_launch_and_another_order_of_headers(house, proxy, arrived):
    made = house.partner[PROJECT].launched()
    target, headers = split(made)
    assert target == "/main"
    assert proxy.ask(target, list(headers.items())[::-1]).status == 200
    assert proxy.ask(target, {name.title(): value for name, value in headers.items()}).status == 200
    assert [one[1] for one in arrived] == ["/main", "/main"]


def test_a_launch_may_be_used_again_where_the_policy_allows_it(house, proxy, arrived):
    target, headers = house.launch()
    assert [proxy.ask(target, headers).status for _ in range(3)] == [200] * 3
    assert len(arrived) == 3


def test_http_2(house, proxy, arrived):
    target, headers = house.launch()
    given = [part for name, value in headers.items() for part in ("-H", f"{name}: {value}")]
    done = subprocess.run(
        ["curl", "--silent", "--http2", "--cacert", house.certificate[0], "--resolve", f"{HOST}:{proxy.port}:127.0.0.1",
         "--write-out", " %{http_version} %{http_code}", f"https://{HOST}:{proxy.port}{target}", *given, "-H", f"Host: {HOST}"],
        capture_output=True, text=True, timeout=PATIENCE,
    )
    assert done.stdout == "ok 2 200", (done.stdout, done.stderr, proxy.log)
    assert identity(arrived[0]) == sorted(zip(IDENTITY, (PROJECT, WEB_API_KEY, USER, "IOS")))


REFUSED = {
    "expired": ({"age": 400}, "expired"),
    "issued in the future": ({"age": -3000}, "not_yet_valid"),
    "of another method": ({"method": "POST"}, "signature_mismatch"),
    "of another host": ({"url": "https://evil.example/main?redirect_to=%2Fcs"}, "signature_mismatch"),
    "of another path": ({"url": f"https://{HOST}/other?redirect_to=%2Fcs"}, "signature_mismatch"),
    "covering less": ({"covered": ("@method", "@authority", "@path", *IDENTITY)}, "missing_component"),
}


@pytest.mark.parametrize("how, code", REFUSED.values(), ids=REFUSED)
def test_a_bundle_that_is_wrong(house, proxy, arrived, how, code):
    _, headers = signed(house, **how)
    assert proxy.ask(LAUNCH, headers).refusal == (401, code)
    assert arrived == []


def test_the_tests_own_bundle_is_good(house, proxy, arrived):
    target, headers = signed(house)
    assert (proxy.ask(target, headers).status, target) == (200, LAUNCH)


def test_a_forged_bundle(house, proxy, arrived):
    key_id, _ = exported(house.installation, PROJECT)
    target, headers = split(bundle(PROJECT, (key_id, bytes(32))))
    assert proxy.ask(target, headers).refusal == (401, "signature_mismatch")
    target, headers = house.launch()
    raw = bytearray(base64.b64decode(headers["signature"][8:-1]))
    raw[0] ^= 1
    forged = headers | {"signature": f"launch=:{base64.b64encode(raw).decode()}:"}
    assert proxy.ask(target, forged).refusal == (401, "signature_mismatch")
    assert arrived == []


def test_nothing_at_all(house, proxy, arrived):
    answer = proxy.ask(LAUNCH)
    assert answer.refusal == (401, "missing_signature")
    assert answer["cache-control"] == "no-store"
    assert answer["location"] is None
    assert arrived == []


@pytest.mark.parametrize("change", [
    lambda target: target.replace("cs", "settings"),
    lambda target: target + "&a=1",
    lambda target: target.replace("%2F", "%2f"),
    lambda target: target.replace("%2F", "/"),
    lambda target: target + "&",
    lambda target: "/main",
    lambda target: "/%6dain" + target[5:],
])
def test_an_altered_target(house, proxy, arrived, change):
    target, headers = house.launch()
    assert proxy.ask(change(target), headers).status in (400, 401, 403)
    assert arrived == []


def test_an_altered_authority(house, proxy, arrived):
    target, headers = house.launch()
    for host in (f"{HOST}:444", f"{HOST}:80", "evil.example"):
        assert proxy.ask(target, headers, host=host).status in (401, 421)
    assert arrived == []
    for host in (HOST, f"{HOST}:443", HOST.upper()):
        assert proxy.ask(target, headers, host=host).status == 200


def test_a_bundle_of_another_environment(house, proxy, arrived):
    """The request line names this host, Host another, and the bundle was signed for that one."""
    other = f"canary-{HOST}"
    target, headers = signed(house, url=f"https://{other}/main?redirect_to=%2Fcs")
    for asked in (target, f"https://{HOST}{target}", f"http://{HOST}{target}", f"https://{HOST}:9{target}"):
        proxy.ask(asked, headers, host=other)
    assert arrived == []


def test_an_altered_order_of_the_query(house, proxy, arrived):
    url = f"https://{HOST}/main?redirect_to=%2Fcs&a=1&b=2"
    target, headers = signed(house, url=url)
    assert proxy.ask("/main?redirect_to=%2Fcs&b=2&a=1", headers).refusal == (401, "signature_mismatch")
    assert proxy.ask("/main?a=1&redirect_to=%2Fcs&b=2", headers).refusal == (401, "signature_mismatch")
    assert arrived == []
    assert proxy.ask(target, headers).status == 200 and arrived[0][1] == target


@pytest.mark.parametrize("target", [
    "//main", "/main/", "/main%2F", "/%2Fmain", "/x%2F..%2Fmain", "/./main", "/x/../main", "/%2e/main", "/x/%2E%2E/main",
    "/main/.", "/main\\", "/%5Cmain", "/MAIN", "/main;a=1", "/main%00", "/main%20", "/..;/main", "/main?x#y", "/mai%6e",
    "/main%3Fredirect_to=%2Fcs",
])
def test_no_other_spelling_of_the_path_brings_an_identity(house, proxy, arrived, target):
    _, headers = house.launch()
    answer = proxy.ask(target + "?redirect_to=%2Fcs", headers)
    assert answer["location"] is None and not 300 <= answer.status < 400
    assert all(identity(one) == [] for one in arrived)
    if "//" in target or ".." in target or "/." in target or "\\" in target or any(
        escape in target.upper() for escape in ("%2F", "%5C", "%2E", "%00")
    ):
        assert answer.status in (400, 401) and arrived == [], "not to be read as another path further in"


def test_another_projects_bundle(house, proxy, arrived):
    """One project's user cannot take the launch of another, and gets that one's key only with its own bundle."""
    target, headers = house.launch()
    assert proxy.ask(target, headers | {"x-moment-project-id": OTHER}).refusal == (401, "signature_mismatch")
    assert arrived == []
    target, headers = house.launch(OTHER)
    assert proxy.ask(target, headers).status == 200
    assert identity(arrived[0]) == sorted(zip(IDENTITY, (OTHER, "wk_other", USER, "IOS")))


@pytest.mark.parametrize("name", IDENTITY + ("signature", "signature-input"))
@pytest.mark.parametrize("first", (True, False))
def test_a_second_header_of_the_bundle(house, proxy, arrived, name, first):
    target, headers = house.launch()
    pairs = list(headers.items())
    for second in ("(broken", headers[name], ""):
        added = [(name.upper(), second)]
        answer = proxy.ask(target, added + pairs if first else pairs + added)
        # Two lines of a structured field are one dictionary (RFC 9110 section 5.3): refused where that is broken.
        assert answer.status in (400, 401) or name.startswith("signature") and second != "(broken", second
    assert all(identity(one) == sorted(zip(IDENTITY, (PROJECT, WEB_API_KEY, USER, "IOS"))) for one in arrived)
    assert not arrived or name.startswith("signature")


FORWARDED = {
    "X-Forwarded-Uri": "/main?redirect_to=%2Fsettings", "X-Forwarded-Method": "POST", "X-Forwarded-Host": "evil.example",
    "X-Forwarded-Proto": "http", "X-Forwarded-For": "10.0.0.1", "Forwarded": "host=evil.example", "X-Original-URI": "/x",
    "X-Real-IP": "10.0.0.1", "X-Rewrite-URL": "/x",
}


def test_a_clients_own_forwarded_headers(house, proxy, arrived):
    """They neither make a good launch bad nor a bad one good, and do not reach the upstream."""
    target, headers = house.launch()
    for name, value in FORWARDED.items():
        assert proxy.ask(target, headers | {name: value}).status == 200, name
    assert proxy.ask(target, list((headers | FORWARDED).items()) + list(FORWARDED.items())).status == 200
    for _, _, sent, _ in arrived:
        names = dict(sent)
        assert not {"x-forwarded-uri", "x-forwarded-method", "forwarded", "x-original-uri", "x-real-ip",
                    "x-rewrite-url"} & names.keys()
        assert (names["x-forwarded-host"], names["x-forwarded-proto"]) == (HOST, "https")
        assert "10.0.0.1" not in names["x-forwarded-for"]
    arrived.clear()
    _, settings = house.launch(page="settings")
    truth = {"X-Forwarded-Uri": "/main?redirect_to=%2Fsettings", "X-Forwarded-Method": "GET", "X-Forwarded-Host": HOST}
    assert proxy.ask(target, settings | truth).refusal == (401, "signature_mismatch")
    assert proxy.ask(target, headers | {"Connection": "x-moment-user-id, x-moment-web-api-key"}).status in (200, 401)
    assert all(dict(sent).get("x-moment-web-api-key") == WEB_API_KEY for _, _, sent, _ in arrived)


@pytest.mark.parametrize("target", ["/main?redirect_to=%2Fcs", "/cashback"])
def test_what_a_client_says_about_its_address(house, proxy, arrived, target):
    """Also with an underscore, which is the same name to a program that reads headers from CGI-like variables."""
    headers = house.launch()[1] | FORWARDED
    named = list(headers.items()) + [(name.replace("-", "_"), value) for name, value in FORWARDED.items()]
    assert proxy.ask(target, named + [("X_Real-IP", "10.0.0.1")]).status == 200
    said = [(name, value) for name, value in arrived[0][2] if "10.0.0.1" in value or "_" in name]
    assert said == []


def test_the_access_log_has_the_address_that_the_gateway_saw(house, broken, tmp_path):
    path = tmp_path / "access.log"
    env = environment(LAUNCHLINK_ACCESS_LOG=str(path), LAUNCHLINK_TRUSTED_PROXIES="[10.0.0.1, 127.0.0.1]")
    with house.installation.serve(env=env) as server:
        proxy = broken("{}:{}".format(*server.address))
        target, headers = house.launch()
        assert proxy.ask(target, headers | {"X-Forwarded-For": "192.0.2.1", "Forwarded": "for=192.0.2.1"}).status == 200
    line, = [json.loads(line) for line in path.read_bytes().splitlines()]
    assert (line["route"], line["client"]) == ("/verify/forward-auth", "127.0.0.1")


@pytest.mark.parametrize("target", ["/", "/cashback", "/cashback/detail?business_id=11st", "/assets/app.js", "/api/main", "/mainx"])
def test_no_other_path_takes_an_identity_from_a_client(house, proxy, arrived, target):
    _, headers = house.launch()
    names = [*headers.items(), ("X-Moment-Anything-New", "1"), ("x-moment-user-id", "second"), ("x_moment_user_id", "third"),
             ("X-Other", "kept")]
    for answer in (proxy.ask(target, names), proxy.ask(target, names, method="POST", body=b"{}")):
        assert answer.status == 200
        assert answer["x-moment-web-api-key"] is None and answer["x-launch-code"] is None
    assert [(one[0], one[1], one[3]) for one in arrived] == [("GET", target, b""), ("POST", target, b"{}")]
    for one in arrived:
        assert identity(one) == [] and not any("moment" in name for name, _ in one[2])
        assert dict(one[2])["x-other"] == "kept"


def test_what_else_a_client_calls_itself_on_the_launch_path(house, proxy, arrived):
    target, headers = house.launch()
    assert proxy.ask(target, headers | {"x-moment-admin": "1", "x_moment_user_id": "x"}).status == 200
    assert identity(arrived[0]) == sorted(zip(IDENTITY, (PROJECT, WEB_API_KEY, USER, "IOS")))


@pytest.mark.parametrize("method", ["HEAD", "POST", "PUT", "DELETE", "OPTIONS"])
def test_other_methods_use_nothing_up(house, proxy, arrived, method):
    target, headers = house.launch(ONCE)
    answer = proxy.ask(target, headers, method=method, body=b"" if method == "HEAD" else b"x=1")
    assert answer.status == 405 and arrived == []
    assert proxy.ask(target, headers).status == 200
    assert identity(arrived[0])[0] == ("x-moment-platform", "IOS")


def test_a_second_use_under_once(house, proxy, arrived):
    target, headers = house.launch(ONCE)
    assert proxy.ask(target, headers).status == 200
    assert [proxy.ask(target, headers).refusal for _ in range(3)] == [(401, "replayed")] * 3
    assert [dict(one[2])["x-moment-web-api-key"] for one in arrived] == ["wk_once"]


def test_many_uses_at_once(house, proxy, arrived):
    target, headers = house.launch(ONCE)
    answers = []
    threads = [threading.Thread(target=lambda: answers.append(proxy.ask(target, headers).refusal)) for _ in range(32)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert Counter(answers) == {(200, None): 1, (401, "replayed"): 31}
    assert len(arrived) == 1


@pytest.mark.parametrize("by", ["partner", "command"])
def test_a_user_who_was_logged_out(house, proxy, arrived, by):
    user = f"USER-{uuid.uuid4()}"
    target, headers = house.launch(user_id=user)
    assert proxy.ask(target, headers).status == 200
    if by == "partner":
        assert house.partner[PROJECT].post("/launch/revoke", {"user_id": user}).status_code == 204
    else:
        house.installation.run("user", "revoke", "--project", PROJECT, "--user-id", user)
    arrived.clear()
    assert proxy.ask(target, headers).refusal == (401, "revoked")
    assert arrived == []
    target, headers = house.launch(user_id=user)
    assert proxy.ask(target, headers).status == 200


def test_a_revoked_signing_key(house, proxy, arrived):
    target, headers = house.launch()
    key_id, _ = exported(house.installation, PROJECT)
    house.installation.run("signing-key", "revoke", key_id, "--yes")
    assert proxy.ask(target, headers).refusal == (401, "unknown_key")
    assert arrived == []
    target, headers = house.launch()
    assert proxy.ask(target, headers).status == 200


def test_a_disabled_project(house, proxy, arrived):
    target, headers = house.launch(OTHER)
    house.installation.run("project", "disable", OTHER, "--yes")
    assert proxy.ask(target, headers).refusal == (401, "project_disabled")
    house.installation.run("project", "enable", OTHER)
    assert arrived == [] and proxy.ask(target, headers).status == 200


def test_the_question_cannot_be_asked_from_outside(house, proxy, arrived):
    for target in ("/_verify_launch", "/verify/forward-auth", "/@launch"):
        _, headers = house.launch()
        answer = proxy.ask(target, headers)
        assert WEB_API_KEY not in str(answer.headers)
    assert all(identity(one) == [] for one in arrived)


def test_a_name_that_is_not_ours(house, proxy, arrived):
    _, headers = house.launch()
    assert proxy.ask(LAUNCH, headers, host="evil.example").status == 421
    assert arrived == []


def test_the_logs_hold_no_secret(house, proxy, arrived):
    target, headers = signed(house, url=f"https://{HOST}/main?redirect_to=%2Fcs&a=of-a-person")
    assert proxy.ask(target, headers | {"Authorization": "Basic of-the-client"}).status == 200
    assert proxy.ask(target, headers | {"x-moment-platform": "ANDROID"}).status == 401
    assert proxy.ask("/cashback?a=of-a-person", headers).status == 200
    for secret in (house.verify, WEB_API_KEY, headers["signature"][8:-1], USER, "USER-123", "of-the-client", "of-a-person"):
        assert secret not in proxy.log
    assert "/main" in proxy.log


@pytest.fixture(params=GATEWAYS)
def broken(request, house, tmp_path):
    """Starts the gateway with another LaunchLink or key behind it."""
    started = []

    def start(launchlink, key=None):
        started.append(house.gateway(request.param, tmp_path / request.param, launchlink, key))
        return started[0]

    yield start
    for one in started:
        one.stop()


def assert_denied(house, proxy, arrived, statuses):
    target, headers = house.launch()
    answer = proxy.ask(target, headers)
    assert answer.status in statuses and answer["location"] is None, (answer.status, proxy.log)
    assert arrived == []
    assert proxy.ask("/cashback").status == 200, "the rest of the web goes on"
    return answer


def test_launchlink_down_denies(house, broken, arrived):
    answer = assert_denied(house, broken(f"127.0.0.1:{free_port()}"), arrived, (503,))
    assert (answer["retry-after"], answer["cache-control"]) == ("1", "no-store")


@pytest.mark.parametrize("status", [200, 202, 302, 400, 404, 405, 429, 500, 503])
def test_an_answer_that_is_no_verdict_denies(house, broken, arrived, status):
    """Also a 2xx that is not 204, with everything that a 204 carries."""
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(status)
            for name in IDENTITY:
                self.send_header(name, "believed")
            self.send_header("Location", "https://evil.example/")
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_):
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as liar:
        threading.Thread(target=liar.serve_forever, daemon=True).start()
        try:
            answer = assert_denied(house, broken(f"127.0.0.1:{liar.server_address[1]}"), arrived, (503,))
            assert (answer["x-launch-code"], answer["retry-after"]) == (None, "1")
        finally:
            liar.shutdown()


@pytest.mark.parametrize("scope", ["launch", None])
def test_a_gateway_without_a_good_key(house, broken, arrived, scope):
    key = house.installation.key(scope, PROJECT)["api_key"] if scope else "llk_mistyped"
    proxy = broken("{}:{}".format(*house.server.address), key)
    answer = assert_denied(house, proxy, arrived, (403,))
    assert answer["x-launch-code"] == ("insufficient_scope" if scope else "malformed_api_key")


def test_a_gateways_key_of_one_project_lets_no_other_in(house, broken, arrived):
    proxy = broken("{}:{}".format(*house.server.address), house.installation.key("verify", PROJECT)["api_key"])
    target, headers = house.launch(OTHER)
    assert proxy.ask(target, headers).refusal == (401, "signature_mismatch")
    target, headers = house.launch()
    assert proxy.ask(target, headers).status == 200 and len(arrived) == 1


def test_tls_in_front_of_the_api(house, tmp_path):
    proxy = start_nginx_api(tmp_path / "api", "{}:{}".format(*house.server.address), house.certificate)
    try:
        key = house.installation.key("launch", PROJECT)["api_key"]
        sent = {"Authorization": f"Bearer {key}", "Content-Type": "application/json", "X-Request-Id": "mine-1"}
        body = b'{"user_id":"USER-IN-BODY","platform":"IOS","page":"cs"}'
        answer = proxy.ask("/launch", sent, method="POST", body=body)
        assert answer.status == 200 and b'"launch_id"' in answer.body
        assert (answer["cache-control"], answer["x-request-id"]) == ("no-store", "mine-1")
        assert answer["strict-transport-security"]
        assert proxy.ask("/launch", sent, method="POST", body=b" " * 300_000).status == 413
        assert b"body_too_large" in proxy.ask("/launch", sent, method="POST", body=b" " * 300_000).body
        assert proxy.ask("/businesses?query=of-a-person", sent).status == 200
        assert proxy.ask("/launch", [*sent.items(), ("Authorization", "Bearer x")], method="POST", body=body).status in (400, 401)
        assert proxy.ask("/nothing").status == 404
        with pytest.raises(OSError):
            proxy.raw(f"GET /openapi.yaml HTTP/1.1\r\nHost: {API_HOST}\r\nConnection: close\r\n\r\n", name=HOST)
        for secret in (key, "USER-IN-BODY", "of-a-person"):
            assert secret not in proxy.log
        assert "POST /launch 200" in proxy.log
    finally:
        proxy.stop()
