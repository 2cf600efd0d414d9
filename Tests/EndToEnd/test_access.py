"""Who may do what: API keys, scopes, projects, and the order in which a request is checked."""

import string
import time
import zlib

import pytest

from harness import PROJECT, Client, assert_problem, eventually, vectors

API_KEYS = vectors("api_keys.json")
DIGITS = string.digits + string.ascii_uppercase + string.ascii_lowercase
OTHER = "6540c6dfd94458b60d8e7aca"


def with_another_secret(key):
    """A well-formed key of the same id that nobody was given."""
    head = key[:17] + "0" * 43
    checksum, digits = zlib.crc32(head.encode()), ""
    for _ in range(6):
        checksum, digit = divmod(checksum, 62)
        digits = DIGITS[digit] + digits
    return head + digits


@pytest.fixture(scope="module")
def other(installation):
    return installation.project(OTHER, "Other")


@pytest.mark.parametrize("header", [None, "", "Basic bGxrXzo=", "llk_0Az0Az0Az0Az"])
def test_without_a_bearer_key(server, header):
    answer = Client(server.url).get("/whoami", headers={"Authorization": header} if header is not None else {})
    assert_problem(answer, 401, "missing_api_key")
    assert answer.headers["WWW-Authenticate"].startswith("Bearer")


def test_a_key_counts_nowhere_but_in_its_header(server, keys):
    key = keys.launch["api_key"]
    answer = Client(server.url).get("/categories", params={"api_key": key, "access_token": key}, headers={"X-Api-Key": key})
    assert_problem(answer, 401, "missing_api_key")


@pytest.mark.parametrize("key", API_KEYS["malformed"], ids=range(len(API_KEYS["malformed"])))
def test_a_mistyped_key_is_told_apart(server, key):
    answer = Client(server.url, key).get("/whoami")
    assert_problem(answer, 401, "malformed_api_key")
    assert answer.headers["WWW-Authenticate"].startswith("Bearer")


@pytest.mark.parametrize("key", [case["key"] for case in API_KEYS["well_formed"]])
def test_a_well_formed_key_that_is_unknown(server, key):
    assert_problem(Client(server.url, key).get("/whoami"), 401, "invalid_api_key")


def test_the_scheme_is_bearer_in_any_case(server, keys):
    answer = Client(server.url).get("/whoami", headers={"Authorization": f"bEARER {keys.launch['api_key']}"})
    assert answer.status_code == 200


def test_revoked_is_told_only_to_who_has_the_secret(installation, server):
    key = installation.key("launch", PROJECT)
    client = server.client(key)
    assert client.launch().status_code == 200
    installation.run("key", "revoke", key["key_id"], "--yes")
    assert_problem(client.launch(), 401, "revoked_api_key")
    assert_problem(Client(server.url, with_another_secret(key["api_key"])).launch(), 401, "invalid_api_key")


def test_expired_is_told_only_to_who_has_the_secret(installation, server):
    key = installation.key("launch", PROJECT, "--expires-in", "1s")
    client = server.client(key)
    eventually(lambda: client.launch().status_code == 401)
    assert_problem(client.launch(), 401, "expired_api_key")
    assert_problem(Client(server.url, with_another_secret(key["api_key"])).launch(), 401, "invalid_api_key")


def test_a_rotated_key_has_a_grace(installation, server):
    old = installation.key("launch", PROJECT)
    new = installation.json("key", "rotate", old["key_id"], "--grace", "1h")
    assert new["key_id"] != old["key_id"] and new["scopes"] == ["launch"] and new["project_id"] == PROJECT
    assert [server.client(key).launch().status_code for key in (old, new)] == [200, 200]
    newest = installation.json("key", "rotate", new["key_id"], "--grace", "1s")
    eventually(lambda: server.client(new).launch().status_code == 401)
    assert server.client(newest).launch().status_code == 200


@pytest.mark.parametrize("method, path, allowed", [
    ("POST", "/launch", {"launch"}),
    ("POST", "/launch/batch", {"launch"}),
    ("POST", "/verify", {"verify"}),
    ("GET", "/businesses", {"catalog", "launch", "support"}),
    ("GET", "/businesses/11st", {"catalog", "launch", "support"}),
    ("GET", "/categories", {"catalog", "launch", "support"}),
    ("GET", "/pages", {"catalog", "launch", "support"}),
    ("GET", "/whoami", {"catalog", "launch", "support", "verify"}),
])
def test_each_operation_has_its_scopes(server, keys, method, path, allowed):
    for scope in ("launch", "verify", "catalog", "support"):
        answer = server.client(getattr(keys, scope)).request(method, path, json={} if method == "POST" else None)
        if scope in allowed:
            assert answer.status_code in (200, 422)
        else:
            assert_problem(answer, 403, "insufficient_scope")


@pytest.mark.parametrize("path", ["/launch", "/launch/batch"])
def test_the_project_header_must_be_the_keys_project(partner, path):
    assert_problem(partner.post(path, {}, headers={"x-moment-project-id": OTHER}), 403, "project_mismatch")
    assert_problem(partner.post(path, {}, headers={"X-Moment-Project-Id": "nonsense"}), 403, "project_mismatch")
    assert partner.post(path, {}, headers={"X-Moment-Project-Id": PROJECT}).status_code == 422


def test_a_disabled_project_launches_nothing_until_enabled(installation, server, other):
    client = server.client(installation.key("launch", other))
    assert client.launch().status_code == 200
    installation.run("project", "disable", other, "--yes")
    assert_problem(client.launch(), 403, "project_disabled")
    installation.run("project", "enable", other)
    assert client.launch().status_code == 200


def test_checks_come_in_their_order(server, keys, other):
    nobody = Client(server.url)
    broken = {"data": "{", "headers": {"Content-Type": "text/plain"}}
    assert_problem(nobody.post("/nowhere", **broken), 404, "not_found")
    assert_problem(nobody.request("PUT", "/launch", **broken), 405, "method_not_allowed")
    assert_problem(nobody.post("/launch", **broken), 401, "missing_api_key")
    assert_problem(server.client(keys.verify).post("/launch", **broken), 403, "insufficient_scope")
    partner = server.client(keys.launch)
    elsewhere = {"headers": broken["headers"] | {"x-moment-project-id": other}}
    assert_problem(partner.post("/launch", **broken | elsewhere), 403, "project_mismatch")
    assert_problem(partner.post("/launch", **broken), 415, "unsupported_media_type")
    long = {"data": "{" * 20_000, "headers": {"Content-Type": "application/json"}}
    assert_problem(partner.post("/launch", **long), 413, "body_too_large")
    assert_problem(partner.post("/launch", **long | {"data": "{"}), 400, "invalid_json")


def test_whoami_tells_what_a_key_is(installation, server, keys):
    answer = server.client(keys.launch).get("/whoami")
    assert answer.headers["Cache-Control"] == "no-store"
    told = answer.json()
    assert told.pop("rate_limit").keys() == {"limit_per_second", "burst", "remaining"}
    assert told == {
        "key_id": keys.launch["key_id"], "name": "launch key", "scopes": ["launch"], "expires_at": None,
        "project": {"id": PROJECT, "name": "Acme", "key_delivery": "gateway", "replay_policy": "allow", "ttl": 300},
    }
    told = server.client(keys.gateway).get("/whoami").json()
    assert told["project"] is None and told["rate_limit"] is None and told["scopes"] == ["verify"]
    lasting = installation.key("launch", PROJECT, "--expires-in", "90d")
    told = server.client(lasting).get("/whoami").json()
    assert told["expires_at"] == lasting["expires_at"] and told["expires_at"].endswith("Z")
    assert abs(time.mktime(time.strptime(told["expires_at"], "%Y-%m-%dT%H:%M:%SZ")) - time.timezone
               - time.time() - 90 * 86_400) < 86_400
