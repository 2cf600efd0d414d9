"""Nobody keeps an answer of the launch path, whatever the cashback web says of keeping it, and whoever answered."""

import re

import pytest

from gateways import GATEWAYS, HOST, Answer, free_port
from harness import PROJECT, ROOT, WEB_API_KEY
from raw_web import RawWeb, answer
from signing import bundle

# By which a cache on the way or in a web view decides (RFC 9111, RFC 9213, and what CDNs have of their own).
KEEPING = re.compile("(?i)^(cache-control|.*-cache-control|surrogate-.*|edge-control|expires|pragma|age|etag|last-modified|vary|"
                     "no-vary-search|x-accel-expires)$")
PAST, FUTURE = "Mon, 01 Jun 2026 00:00:00 GMT", "Fri, 01 Jan 2038 00:00:00 GMT"
SAID = {
    "nothing": [],
    "max-age": ["Cache-Control: private, max-age=600"],
    "for good": ["Cache-Control: public, max-age=31536000, immutable, stale-while-revalidate=600"],
    "Last-Modified": [f"Last-Modified: {PAST}"],
    "Expires": [f"Expires: {FUTURE}"],
    "ETag": ['ETag: "launch"'],
    "all of HTTP": [
        f"Expires: {FUTURE}", 'ETag: W/"launch"', f"Last-Modified: {PAST}", "Pragma: cache", "Age: 1", "Vary: Accept, Cookie",
    ],
    "several Cache-Control": ["Vary: *", "Cache-Control: public", "CACHE-CONTROL: s-maxage=600", "cache-control: no-store"],
    "no-store and more": ["Cache-Control: no-store, max-age=600"],
    "for CDNs": [
        f"{name}: max-age=600" for name in
        ("Surrogate-Control", "CDN-Cache-Control", "Cloudflare-CDN-Cache-Control", "Akamai-Cache-Control",
         "Netlify-CDN-Cache-Control", "Netlify-Cache-Control", "Vercel-CDN-Cache-Control", "Fastly-Cache-Control", "Edge-Control")
    ] + ["X-Accel-Expires: 600", "Surrogate-Key: launch", "No-Vary-Search: params"],
}
STATUSES = ("200 OK", "203 Non-Authoritative Information", "206 Partial Content", "301 Moved Permanently", "302 Found",
            "304 Not Modified", "308 Permanent Redirect", "404 Not Found", "410 Gone", "500 Internal Server Error")


def keeping(answered):
    """What an answer says of keeping it."""
    return [(name, value) for name, value in answered.headers if KEEPING.match(name)]


def assert_not_kept(answered, *statuses):
    assert answered.status in statuses, (answered.status, answered.headers)
    assert keeping(answered) == [("cache-control", "no-store")], answered.headers


@pytest.mark.parametrize("said", SAID.values(), ids=SAID)
def test_what_the_web_says_of_keeping_a_launch(house, proxy, said):
    target, headers = house.launch()
    for status in STATUSES:
        body = b"" if status.startswith("304") else b"ok"
        others = ("Location: /cashback", "Set-Cookie: session=1", "X-Other: kept")
        house.upstream.begin(lambda head: answer(status, *said, *others, body=body))
        answered = proxy.ask(target, headers)
        assert_not_kept(answered, int(status[:3]))
        assert (answered["location"], answered["set-cookie"], answered["x-other"]) == ("/cashback", "session=1", "kept")


@pytest.mark.parametrize("said", [SAID["max-age"], SAID["all of HTTP"]], ids=["max-age", "all of HTTP"])
def test_other_paths_are_kept_as_the_web_says(house, proxy, said):
    house.upstream.begin(lambda head: answer("200 OK", *said))
    answered = proxy.ask("/assets/app.js")
    assert sorted(keeping(answered)) == sorted((line.split(": ")[0].lower(), line.split(": ")[1]) for line in said)


CONDITIONS = {
    "If-None-Match": '"launch"', "If-Modified-Since": FUTURE, "If-Match": '"other"', "If-Unmodified-Since": PAST,
    "If-Range": '"launch"', "Range": "bytes=0-0",
}


def test_a_launch_has_no_conditions(house, proxy):
    """What a web view kept of an earlier time is not shown again, nor a part of an answer."""
    def conditional(head):
        found = re.search("(?im)^(if-[a-z-]+|range):", head)
        status, body = ("304 Not Modified", b"") if found else ("200 OK", b"ok")
        return answer(status, f"Last-Modified: {PAST}", 'ETag: "launch"', body=body)

    house.upstream.begin(conditional)
    for chosen in [*CONDITIONS.items()], *([one] for one in CONDITIONS.items()):
        target, headers = house.launch()
        assert_not_kept(proxy.ask(target, [*headers.items(), *chosen]), 200)
        assert_not_kept(proxy.ask(target, chosen), 401)
    assert proxy.ask("/assets/app.js", CONDITIONS).status == 304, "elsewhere they hold"


def test_the_gateways_own_answers(house, proxy):
    house.upstream.begin(lambda head: answer("200 OK", "Cache-Control: max-age=600"))
    target, headers = house.launch()
    forged = bundle(PROJECT, ("sk_unknown", bytes(32)))["headers"]
    for bad in ({}, forged, headers | {"x-moment-user-id": "another"}):
        assert_not_kept(proxy.ask(target, bad), 401)
    for method in ("HEAD", "POST", "OPTIONS", "DELETE", "CASHBACK", "CONNECT", "TRACE"):
        answered = proxy.ask(target, headers, method=method)
        assert_not_kept(answered, 405)
    for name, value in (("Upgrade", "h2c"), ("Service-Worker", "script")):
        assert_not_kept(proxy.ask(target, headers | {name: value}), 400, 403)
    for spelling in ("/%6dain", "/%6Dain?redirect_to=%2Fcs"):
        assert_not_kept(proxy.ask(spelling, headers), 401)
    assert house.upstream.heads == []


@pytest.fixture(params=GATEWAYS)
def alone(request, house, tmp_path):
    """Starts a gateway with something else, or nothing, behind it."""
    started = []

    def start(**how):
        started.append(house.gateway(request.param, tmp_path / f"{request.param}-{len(started)}", **how))
        return started[-1]

    yield start
    for one in started:
        one.stop()


def test_where_something_is_down_or_wrong(house, alone):
    target, headers = house.launch()
    house.upstream.begin(lambda head: answer("200 OK", "Cache-Control: max-age=600"))
    assert_not_kept(alone(launchlink=f"127.0.0.1:{free_port()}").ask(target, headers), 503)
    assert_not_kept(alone(key="llk_mistyped").ask(target, headers), 403)
    assert_not_kept(alone(upstream=free_port()).ask(target, headers), 502, 503)
    liar = RawWeb()
    for status in ("200 OK", "204 No Content", "302 Found", "401 Unauthorized", "403 Forbidden", "500 Internal Server Error"):
        liar.begin(lambda head: answer(status, "Cache-Control: max-age=600", 'ETag: "a"', "Connection: close", body=b""))
        answered = alone(launchlink=f"127.0.0.1:{liar.port}").ask(target, headers)
        assert_not_kept(answered, 200, 401, 403, 503)
    liar.stop()


@pytest.mark.parametrize("nonsense", ["\r\n", "HTTP/2 200 OK\r\n\r\n", "nonsense\r\n\r\n", "HTTP/1.1\r\n"])
def test_no_answer_behind_nonsense(house, proxy, nonsense):
    """nginx takes it for HTTP/0.9 and hands it on as it came, so nothing in it may be an answer."""
    target, headers = house.launch()
    echo = f"x-moment-web-api-key: {WEB_API_KEY}"
    house.upstream.begin(lambda head: nonsense.encode() + answer("200 OK", "Cache-Control: max-age=600", echo, "Connection: close"))
    lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    answers = proxy.raw(f"GET {target} HTTP/1.1\r\nHost: {HOST}\r\n{lines}Connection: close\r\n\r\n")
    assert WEB_API_KEY.encode() not in answers
    if b"HTTP/" in answers:
        assert_not_kept(Answer(answers), 502, 503)


def test_nginx_that_keeps_everything_else(house, tmp_path):
    """The file stands in http { } beside others, whose settings hold for it too."""
    around = ("proxy_cache_path kept keys_zone=kept:1m; proxy_cache kept; proxy_cache_valid any 10m;"
              "proxy_cache_methods GET HEAD POST; proxy_ignore_headers Cache-Control Expires Set-Cookie; expires 1h; add_header Cache-Control public always;")
    nginx = house.gateway("nginx", tmp_path / "nginx", around=around)
    try:
        house.upstream.begin(lambda head: answer("200 OK", "Cache-Control: max-age=600"))
        for number in (1, 2):
            target, headers = house.launch(user_id=f"USER-{number}")
            assert_not_kept(nginx.ask(target, headers), 200)
            assert_not_kept(nginx.ask(target), 401)
            assert_not_kept(nginx.ask(target, method="POST"), 405)
            assert len(house.upstream.heads) == number
    finally:
        nginx.stop()


@pytest.mark.parametrize("target", ["/sw.js", "/main", "/assets/worker.js?a=1"])
def test_no_service_worker_is_handed_out(house, proxy, target):
    house.upstream.begin()
    assert proxy.ask(target, {"Service-Worker": "script"}).status == 403
    assert house.upstream.heads == []


def test_the_app_guide_loads_past_the_cache():
    guide = (ROOT / "README.md").read_text().split("## For a partner's app")[1].split("\n## ")[0]
    samples = re.findall(r"```(\w+)\n(.*?)```", guide, re.S)
    for language, word in (("swift", "reloadIgnoringLocalCacheData"), ("kotlin", "LOAD_NO_CACHE")):
        assert any(word in sample for name, sample in samples if name == language), word
