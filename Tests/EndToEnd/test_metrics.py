"""What `/metrics` tells Prometheus, of what was asked of the API before."""

import re
import sqlite3
import subprocess
from contextlib import closing

import pytest
import requests

from harness import PATIENCE, PROJECT, WEB_API_KEY, USER, eventually

SAMPLE = re.compile(r'^(\w+)(?:\{(.*)\})? (\S+)$')


def scrape(server):
    answer = requests.get(server.operations + "/metrics", timeout=PATIENCE)
    assert answer.status_code == 200
    return answer


def samples(text):
    """The values by name and labels, such as `x_total{a="1"}`."""
    found = {}
    for line in text.splitlines():
        if not line.startswith("#"):
            name, labels, value = SAMPLE.match(line).groups()
            series = f"{name}{{{labels}}}" if labels else name
            assert series not in found, f"{series} twice"
            found[series] = float(value)
    return found


@pytest.fixture
def busy(fresh):
    """A server that has launched, refused and verified, with what it tells then."""
    fresh.project(rate=5)
    launch, verify = fresh.key("launch", PROJECT), fresh.key("verify")
    with fresh.serve() as server:
        partner, gateway = server.client(launch), server.client(verify)
        made = partner.launched(page="cs")
        partner.launched(redirect_to="/cs?from=mail", platform="ANDROID")
        partner.post("/launch/batch", {"user_id": USER, "platform": "IOS", "items": [{}, {"page": "none"}]})
        assert partner.launch(page="none").status_code == 422
        assert gateway.verdict(made) == "valid"
        assert gateway.verdict(made, url=made["url"] + "x") == "signature_mismatch"
        headers = made["headers"] | {"X-Forwarded-Method": "GET", "X-Forwarded-Host": "elsewhere.example",
                                     "X-Forwarded-Uri": "/main"}
        assert gateway.get("/verify/forward-auth", headers=headers).status_code == 401
        # More than the project has left, unless it took two seconds to come here.
        while partner.post("/launch/batch", {"user_id": USER, "platform": "IOS", "items": [{}] * 10}).status_code != 429:
            pass
        partner.get("/nowhere/" + USER)
        partner.request("BREW", "/launch")
        partner.request("HEAD", "/pages")
        partner.get("/problems/rate_limited")
        partner.get("/problems/unavailable")
        partner.post("/launch/revoke", {"user_id": USER})
        yield server, scrape(server)


def test_promtool_has_nothing_to_say(busy):
    _, answer = busy
    checked = subprocess.run(["promtool", "check", "metrics"], input=answer.content, capture_output=True, timeout=PATIENCE)
    assert (checked.returncode, checked.stdout + checked.stderr) == (0, b"")


def test_the_format(busy):
    server, answer = busy
    assert answer.headers["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8"
    families = re.findall(r"^# (HELP|TYPE) (\S+)", answer.text, re.M)
    assert families[::2] == [("HELP", name) for _, name in families[1::2]]
    assert all(name.startswith(("launchlink_", "process_")) for _, name in families)
    head = requests.head(server.operations + "/metrics", timeout=PATIENCE)
    assert head.status_code == 200 and head.headers["Content-Type"] == answer.headers["Content-Type"]


def test_what_was_asked_is_counted(busy):
    _, answer = busy
    found = samples(answer.text)
    by_route = lambda method, route, code: found.get(
        f'launchlink_http_requests_total{{method="{method}",route="{route}",code="{code}"}}', 0)
    assert by_route("POST", "/launch", 200) >= 2 and by_route("POST", "/launch", 422) == 1
    assert by_route("POST", "/launch/batch", 200) >= 1 and by_route("POST", "/launch/batch", 429) == 1
    assert by_route("GET", "none", 404) == 1 and by_route("other", "none", 405) == 1
    assert by_route("HEAD", "/pages", 200) == 1
    assert by_route("GET", "/problems/{code}", 200) == 2
    for method, route in [("POST", "/launch"), ("GET", "/problems/{code}"), ("POST", "/verify")]:
        labels = f'method="{method}",route="{route}"'
        count = found[f"launchlink_http_request_duration_seconds_count{{{labels}}}"]
        assert count == sum(by_route(method, route, code) for code in (200, 401, 422, 429))
        assert found[f'launchlink_http_request_duration_seconds_bucket{{{labels},le="+Inf"}}'] == count
        assert 0 < found[f"launchlink_http_request_duration_seconds_sum{{{labels}}}"] < count * PATIENCE


def test_launches_verifications_and_refusals(busy):
    _, answer = busy
    found = samples(answer.text)
    launches = lambda page, platform: found[
        f'launchlink_launches_total{{project="{PROJECT}",page="{page}",platform="{platform}"}}']
    assert launches("cs", "IOS") == 1 and launches("cs", "ANDROID") == 1 and launches("none", "IOS") >= 1
    results = {series: value for series, value in found.items() if series.startswith("launchlink_verifications_total")}
    assert {series: value for series, value in results.items() if value} == {
        'launchlink_verifications_total{result="valid"}': 1,
        'launchlink_verifications_total{result="signature_mismatch"}': 2,
    }
    assert found[f'launchlink_rate_limited_total{{project="{PROJECT}"}}'] >= 1


def test_what_the_server_and_its_process_are(busy):
    server, answer = busy
    found = samples(answer.text)
    assert found["launchlink_ready"] == 1
    assert found['launchlink_signing_keys{state="active"}'] == 1
    assert found["launchlink_http_connections"] >= 1
    assert re.search(r'^launchlink_build_info\{version="\d+\.\d+\.\d+"\} 1$', answer.text, re.M)
    assert 0 < found["process_open_fds"] < found["process_max_fds"]
    assert found["process_cpu_seconds_total"] >= 0
    assert 1 << 20 < found["process_resident_memory_bytes"] < found["process_virtual_memory_bytes"]
    assert found["process_start_time_seconds"] > 1_700_000_000


def test_nothing_secret_or_personal(busy):
    _, answer = busy
    assert USER not in answer.text and WEB_API_KEY not in answer.text and "llk_" not in answer.text


def test_it_is_nothing_for_partners(server, partner):
    assert partner.get("/metrics").status_code == 404


def test_keys_that_expire(fresh):
    fresh.project()
    for lifetime in ("1d", "13d", "15d"):
        fresh.run("key", "create", "--scope", "catalog", "--expires-in", lifetime)
    revoked = fresh.key("catalog", None, "--expires-in", "2d")
    fresh.run("key", "revoke", revoked["key_id"], "--yes")
    replaced = fresh.key("catalog", None, "--expires-in", "90d")
    fresh.run("key", "rotate", replaced["key_id"], "--grace", "1d")
    gone = fresh.key("catalog", None, "--expires-in", "2d")
    with closing(sqlite3.connect(fresh.data / "launchlink.db")) as database, database:
        database.execute("UPDATE api_key SET expires_at = (unixepoch() - 60) * 1000 WHERE key_id = ?", [gone["key_id"]])
    with fresh.serve() as server:
        assert samples(scrape(server).text)["launchlink_api_keys_expiring"] == 2


def test_without_a_signing_key_it_still_tells(fresh):
    with fresh.serve() as server:
        found = samples(scrape(server).text)
        assert found["launchlink_ready"] == 1
        (fresh.data / "launchlink.db").rename(fresh.data / "moved.db")
        eventually(lambda: samples(scrape(server).text)["launchlink_ready"] == 0)
        (fresh.data / "moved.db").rename(fresh.data / "launchlink.db")
        eventually(lambda: samples(scrape(server).text)["launchlink_ready"] == 1)
