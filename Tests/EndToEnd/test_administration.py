"""What an admin does with the command: projects, keys, the catalogue; and that each change is audited."""

import getpass
import json
import re
import sqlite3
from contextlib import closing

import pytest

from harness import CATALOG, PROJECT, WEB_API_KEY, items


def test_a_key_is_made_shown_and_listed(fresh):
    fresh.project()
    made = fresh.json("key", "create", "--scope", "launch", "--project", PROJECT, "--name", "Backend", "--expires-in", "90d")
    assert re.fullmatch(r"llk_[0-9A-Za-z]{12}_[0-9A-Za-z]{49}", made["api_key"])
    assert made["key_id"] == "key_" + made["api_key"][4:16]
    assert (made["project_id"], made["scopes"]) == (PROJECT, ["launch"]) and made["expires_at"].endswith("Z")
    listed, = items(fresh.json("key", "list", "--project", PROJECT))
    assert listed["key_id"] == made["key_id"] and listed["name"] == "Backend" and "api_key" not in listed
    assert fresh.json("key", "show", made["key_id"])["key_id"] == made["key_id"]
    table = fresh.run("key", "list").stdout
    assert made["key_id"] in table and made["api_key"] not in table and "Backend" in table


def test_a_project_is_made_shown_changed_and_deleted(fresh):
    fresh.project(options=("--ttl", "120", "--replay-policy", "once"), rate=7)
    shown = fresh.json("project", "show", PROJECT)
    assert (shown["name"], shown["key_delivery"], shown["replay_policy"], shown["ttl"]) == ("Acme", "gateway", "once", 120)
    fresh.run("project", "update", PROJECT, "--name", "애크미", "--ttl", "600")
    assert [(one["name"], one["ttl"]) for one in items(fresh.json("project", "list"))] == [("애크미", 600)]
    fresh.run("project", "delete", PROJECT, "--yes")
    assert items(fresh.json("project", "list")) == []


def test_a_project_with_working_keys_is_not_deleted(fresh):
    fresh.project()
    key = fresh.key("launch", PROJECT)["key_id"]
    assert key in fresh.run("project", "delete", PROJECT, "--yes", status=1).stderr
    fresh.run("key", "revoke", key, "--yes")
    fresh.run("project", "delete", PROJECT, "--yes")


@pytest.mark.parametrize("options", [
    ("--ttl", "9"), ("--ttl", "3601"), ("--rate-limit", "0"), ("--replay-policy", "never"), ("--key-delivery", "mail"),
    ("--id", "xyz"), ("--upstream", "nosuch"), ("--name", ""),
])
def test_a_value_out_of_bounds_makes_no_project(fresh, options):
    wanted = {"--id": PROJECT, "--name": "Acme", "--web-api-key-file": "-", "--key-delivery": "gateway"} | dict([options])
    done = fresh.run("project", "create", *(part for pair in wanted.items() for part in pair), stdin="wk_x\n", status=None)
    assert done.returncode in (64, 65) and done.stderr
    assert items(fresh.json("project", "list")) == []


def test_key_delivery_is_always_chosen(fresh):
    fresh.run("project", "create", "--id", PROJECT, "--name", "Acme", "--web-api-key-file", "-", stdin="wk_x\n", status=64)


@pytest.mark.parametrize("text, good", [
    ("wk_x", True), ("wk_x\n", True), ("wk_x\n\n", False), ("", False), ("\n", False), ("wk x\n", False), ("wk\tx", False),
    ("키\n", False), (" wk_x\n", False),
])
def test_a_web_api_key_is_visible_ascii_with_one_line_break_at_most(fresh, text, good):
    arguments = ("project", "create", "--id", PROJECT, "--name", "Acme", "--key-delivery", "direct", "--web-api-key-file")
    file = fresh.directory / "key"
    file.write_text(text)
    done = fresh.run(*arguments, file, status=None)
    assert done.returncode == (0 if good else 65), done.stderr
    if good:
        told = fresh.json("launch", "--project", PROJECT, "--user-id", "U", "--platform", "IOS")
        assert told["headers"]["x-moment-web-api-key"] == "wk_x"


def test_a_web_api_key_is_never_an_argument(fresh):
    fresh.run("project", "create", "--id", PROJECT, "--name", "A", "--key-delivery", "direct", "--web-api-key", "wk_x", status=64)
    fresh.run("project", "create", "--id", PROJECT, "--name", "A", "--key-delivery", "direct", "--web-api-key-file", "nowhere", status=None)
    assert items(fresh.json("project", "list")) == []


def test_a_bad_import_names_every_fault_and_changes_nothing(fresh):
    fresh.run("catalog", "import", CATALOG)
    before = fresh.json("catalog", "list")
    header = CATALOG.read_text(encoding="utf-8").splitlines()[0]
    good = "good,좋은 가게,,etc,,,,,,true,all,,,CPS,1,PERCENTAGE_COMMISSION_UNIT"
    bad = fresh.directory / "bad.csv"
    bad.write_text("\n".join([
        header, good, good.replace("good", "Bad Id"), good.replace(",etc,", ",nosuch,").replace("good", "a"),
        good.replace("CPS,1,", "CPS,one,").replace("good", "b"),
    ]) + "\n", encoding="utf-8")
    done = fresh.run("catalog", "import", bad, status=65)
    assert all(f"line {number}" in done.stderr for number in (3, 4, 5)) and "line 2" not in done.stderr
    assert fresh.json("catalog", "list") == before


def test_import_takes_json_as_the_api_gives_it(fresh, server, keys):
    catalog = server.client(keys.catalog)
    businesses = catalog.get("/businesses?limit=200").json()["items"]
    file = fresh.directory / "catalog.json"
    file.write_text(json.dumps(businesses, ensure_ascii=False), encoding="utf-8")
    fresh.run("catalog", "import", file)
    listed = items(fresh.json("catalog", "list"))
    assert {one["business_id"] for one in listed} == {one["business_id"] for one in businesses}
    assert fresh.json("catalog", "show", "11st")["products"] == catalog.get("/businesses/11st").json()["products"]


def test_every_change_is_one_row_of_the_audit_log(fresh):
    def rows():
        with closing(sqlite3.connect(fresh.data / "launchlink.db")) as database:
            return database.execute("SELECT * FROM audit ORDER BY audit_id").fetchall()

    fresh.project()
    key = fresh.key("launch", PROJECT)
    next_key = fresh.json("key", "rotate", key["key_id"])["key_id"]
    made = rows()
    steps = [
        ("project", "update", PROJECT, "--name", "New"), ("key", "revoke", next_key, "--yes"),
        ("key", "revoke", key["key_id"], "--yes"), ("signing-key", "create"), ("catalog", "import", CATALOG),
        ("launch", "--project", PROJECT, "--user-id", "secret-user", "--platform", "IOS"),
        ("signing-key", "export", "--project", PROJECT), ("project", "disable", PROJECT, "--yes"),
        ("project", "enable", PROJECT), ("project", "delete", PROJECT, "--yes"),
    ]
    for number, step in enumerate(steps, start=1):
        fresh.run(*step)
        assert len(rows()) == len(made) + number, step
    after = rows()
    assert after[:len(made)] == made and len(made) >= 3
    for step in (("project", "list"), ("key", "list"), ("catalog", "list"), ("signing-key", "list")):
        fresh.run(*step)
    assert rows() == after
    text = str(after)
    assert "Acme" in text and "New" in text and getpass.getuser() in text
    assert WEB_API_KEY not in text and key["api_key"] not in text and "secret-user" not in text
