"""GET /web-version and /webview-settings, and the commands that say what they answer."""

import shlex
import time
from datetime import datetime, timedelta, timezone

import pytest

from harness import PROJECT, assert_problem, vectors

OTHER = "0" * 23 + "2"
HOST = "cashback-ui.moment.fairytech.ai"
VECTORS = vectors("web_versions.json")


@pytest.fixture
def house(fresh):
    fresh.project()
    fresh.project(OTHER, "Other", key="wk_other", options=("--upstream", "canary"))
    with fresh.serve() as server:
        fresh.server = server
        fresh.partner = server.client(fresh.key("launch", PROJECT))
        fresh.stranger = server.client(fresh.key("launch", OTHER))
        yield fresh


def settings(client):
    answer = client.get("/webview-settings")
    assert (answer.status_code, answer.headers["Cache-Control"]) == (200, "no-store"), answer.text
    return answer.json()


def test_the_vectors(house):
    for case in VECTORS["cases"]:
        house.run("web-version", "set", case["latest"])
        answer = house.partner.get("/web-version", params={"current": case["current"]} if case["current"] else {})
        assert answer.json() == case | {"background_threshold_seconds": 1800}, case
        assert answer.headers["Cache-Control"] == "no-store"


def test_what_is_no_version(house):
    for text in VECTORS["refused"]:
        if text:
            assert_problem(house.partner.get("/web-version", params={"current": text}), 400, "invalid_request")
        assert house.run("web-version", "set", "--", text, status=None).returncode == 64, text
    assert_problem(house.partner.get("/web-version?current=1&current=2"), 400, "invalid_request")
    assert_problem(house.partner.get("/web-version?version=1"), 400, "invalid_request")


def test_before_a_version_was_set_nothing_is_cleared(house):
    assert house.json("web-version", "show") == {"latest": None}
    for query, current in (("", None), ("?current=", None), ("?current=1.3.9", "1.3.9")):
        assert house.partner.get("/web-version" + query).json() == {
            "latest": None, "current": current, "clear_cache": False, "background_threshold_seconds": 1800,
        }
    assert settings(house.partner)["web_version"] is None


def test_a_version_holds_for_the_next_request(house):
    for version in ("1.4.0", "1.5", "1.4.9"):
        house.run("web-version", "set", version)
        assert house.json("web-version", "show") == {"latest": version}
        assert house.partner.get("/web-version").json()["latest"] == version
        assert settings(house.partner)["web_version"] == version


def test_the_settings_of_each_project(house):
    mine, theirs = settings(house.partner), settings(house.stranger)
    assert mine == {
        "internal_origins": [f"https://{HOST}"], "bridge": {"name": "fairyCashbackBridge", "methods": ["finish", "reload"]},
        "javascript": True, "dom_storage": True, "popups": True, "cookies": [], "web_version": None,
        "background_threshold_seconds": 1800,
    }
    assert theirs == mine | {"internal_origins": [f"https://canary-{HOST}"]}
    assert_problem(house.partner.get("/webview-settings?project=x"), 400, "invalid_request")


def test_only_a_launch_key_may_ask(house):
    for scope in ("verify", "catalog", "support"):
        client = house.server.client(house.key(scope))
        for path in ("/web-version", "/webview-settings"):
            assert_problem(client.get(path), 403, "insufficient_scope")
    for path in ("/web-version", "/webview-settings"):
        assert_problem(house.server.client().get(path), 401, "missing_api_key")
        assert house.partner.request("HEAD", path).status_code == 200


def names(client):
    return [cookie["name"] for cookie in settings(client)["cookies"]]


def test_cookies_of_all_projects_and_of_one(house):
    house.run("cookie", "set", "--name", "lang", "--value", "ko", "--domain", HOST)
    house.run("cookie", "set", "--name", "beta", "--value", "1", "--domain", f".{HOST}", "--project", PROJECT,
              "--path", "/cashback", "--same-site", "Strict", "--http-only", "--expires", "2099-01-31T00:00:00Z")
    assert settings(house.partner)["cookies"] == [
        {"name": "beta", "value": "1", "domain": f".{HOST}", "path": "/cashback", "secure": True, "http_only": True,
         "same_site": "Strict", "expires": "2099-01-31T00:00:00Z"},
        {"name": "lang", "value": "ko", "domain": HOST, "path": "/", "secure": True, "http_only": False,
         "same_site": "Lax", "expires": None},
    ]
    assert names(house.stranger) == ["lang"]
    listed = house.json("cookie", "list")
    listed = listed["items"] if isinstance(listed, dict) else listed
    assert [(one["name"], one["project_id"]) for one in listed] == [("beta", PROJECT), ("lang", None)]


def test_a_cookie_is_known_by_name_domain_path_and_project(house):
    lang = ("--name", "lang", "--domain", HOST)
    for value in ("ko", "en"):
        house.run("cookie", "set", *lang, "--value", value)
    house.run("cookie", "set", *lang, "--value", "ja", "--project", PROJECT)
    assert sorted(one["value"] for one in settings(house.partner)["cookies"]) == ["ja"]
    house.run("cookie", "remove", *lang, "--yes")
    assert [one["value"] for one in settings(house.partner)["cookies"]] == ["ja"]
    house.run("cookie", "remove", *lang, "--yes", status=1)
    house.run("cookie", "remove", *lang, "--project", PROJECT, "--path", "/x", "--yes", status=1)
    house.run("cookie", "remove", *lang, "--project", PROJECT, status=64)
    house.run("cookie", "remove", *lang, "--project", PROJECT, "--yes")
    assert names(house.partner) == []


def test_expired_cookies_are_left_out(house):
    old = ("--name", "old", "--value", "1", "--domain", HOST, "--expires", "2020-01-01T00:00:00Z")
    assert "lies in the past" in house.run("cookie", "set", *old, status=64).stderr
    house.run("cookie", "set", "--name", "kept", "--value", "1", "--domain", HOST, "--expires", "2099-01-01T00:00:00Z")
    for seconds in (2, 8, 32, 128):
        soon = (datetime.now(timezone.utc) + timedelta(seconds=seconds)).replace(microsecond=0)
        told = f"{soon:%Y-%m-%dT%H:%M:%SZ}"
        done = house.run("cookie", "set", "--name", "soon", "--value", "1", "--domain", HOST, "--expires", told, status=None)
        seen = sorted(names(house.partner))
        if datetime.now(timezone.utc) < soon:
            break  # The machine was quick enough to see it before its end.
    assert done.returncode == 0 and seen == ["kept", "soon"], done.stderr
    time.sleep(max(0, (soon - datetime.now(timezone.utc)).total_seconds()))
    assert names(house.partner) == ["kept"]


@pytest.mark.parametrize("domain", [f"https://{HOST}", f"{HOST}:443", f"{HOST}/", f"//{HOST}", "*.fairytech.ai", "", "a b.example"])
def test_a_domain_is_a_host_name_alone(house, domain):
    done = house.run("cookie", "set", "--name", "a", "--value", "b", f"--domain={domain}", status=64)
    assert "domain" in done.stderr
    assert settings(house.partner)["cookies"] == []


def test_what_else_no_browser_would_take(house):
    for wrong in (("--name", "a;b"), ("--value", "a;b"), ("--value", "a\r\nSet-Cookie: x"), ("--path", "x"),
                  ("--same-site", "Maybe"), ("--expires", "tomorrow"), ("--same-site", "None", "--insecure")):
        given = {"--name": "a", "--value": "b", "--domain": HOST}
        options = [part for option, value in given.items() if option not in wrong for part in (option, value)]
        house.run("cookie", "set", *options, *wrong, status=64)
    house.run("cookie", "set", "--name", "a", "--value", "b", "--domain", HOST, "--project", "f" * 24, status=1)
    assert settings(house.partner)["cookies"] == []


def test_the_fault_of_a_path_is_named_and_the_command_that_ends_a_cookie_works(house):
    cookie = ("--name", "a", "--domain", HOST)
    said = house.run("cookie", "set", *cookie, "--value", "1", "--path", "/b;c", status=64).stderr
    assert "semicolons" in said
    house.run("cookie", "set", *cookie, "--value", "1")
    said = house.run("cookie", "set", *cookie, "--value", "1", "--expires", "2020-01-01T00:00:00Z", status=64).stderr
    house.run(*shlex.split(said.splitlines()[0].split("To end it: launchlink ")[1]), "--yes")
    assert settings(house.partner)["cookies"] == []


def test_a_projects_cookies_go_with_it(house):
    house.run("cookie", "set", "--name", "own", "--value", "1", "--domain", HOST, "--project", OTHER)
    house.run("project", "delete", OTHER, "--yes", status=None)
    house.run("cookie", "list")
    assert names(house.partner) == []
