"""`audit list`: who did what to what, found by each filter."""

import json

import pytest

from harness import CATALOG, PROJECT, environment, items


@pytest.fixture
def house(fresh):
    fresh.project()
    fresh.json("key", "create", "--scope", "launch", "--project", PROJECT, "--name", "first")
    fresh.run("project", "update", PROJECT, "--name", "Renamed")
    return fresh


def found(installation, *filters):
    return [(row["action"], row["subject"]) for row in items(installation.json("audit", "list", *filters))]


def test_newest_first_with_old_and_new_as_values(house):
    rows = items(house.json("audit", "list"))
    assert [row["action"] for row in rows] == ["project.update", "key.create", "project.create", "signing-key.activate"]
    assert rows[0].keys() == {"at", "os_user", "sudo_user", "action", "subject", "old", "new"}
    assert (rows[0]["old"]["name"], rows[0]["new"]["name"]) == ("Acme", "Renamed")
    assert rows[1]["old"] is None and rows[1]["new"]["scopes"] == ["launch"]


def test_an_import_leaves_a_row_for_each_business_that_it_changes(house):
    """Old and new of what was changed; businesses that are added are counted only."""
    house.run("catalog", "import", CATALOG)
    assert found(house, "--action", "catalog") == [("catalog.import", "catalog")]
    kept = house.json("catalog", "show", "11st")
    file = house.directory / "next.json"
    new = kept | {"name": "Eleventh", "display_caution": "New", "products": kept["products"][:1]}
    added = kept | {"business_id": "added"}
    file.write_text(json.dumps([new, added]))
    house.run("catalog", "import", file, "--prune", "--yes")
    rows = items(house.json("audit", "list", "--action", "catalog", "--limit", "1000"))
    assert rows[0]["action"] == "catalog.import" and rows[0]["new"]["changed"] == 1
    changed, = [row for row in rows if row["action"] == "catalog.update"]
    fields = {"name", "display_caution"} | ({"products"} if len(kept["products"]) > 1 else set())
    assert changed["subject"] == "11st"
    assert changed["old"] == {name: kept[name] for name in fields}
    assert changed["new"] == {name: new[name] for name in fields}
    ended = [row for row in rows if row["action"] == "catalog.disable"]
    assert len(ended) == rows[0]["new"]["deactivated"] > 0
    assert all((row["old"], row["new"]) == ({"active": True}, {"active": False}) for row in ended)
    assert all(row["subject"] != "added" for row in rows)


def test_another_value_of_a_cookie_is_said_and_not_shown(house):
    def set_to(value):
        house.run("cookie", "set", "--name", "lang", "--value", value, "--domain", "cashback.example")
        row = items(house.json("audit", "list"))[0]
        assert value not in json.dumps(row)
        return row["old"], row["new"]

    assert set_to("secret-one")[0] is None
    old, new = set_to("secret-two")
    assert new == old | {"value": "changed"}
    assert "value=-→changed" in house.run("audit", "list").stdout


def test_a_launch_is_told_by_its_id_its_users_digest_and_where_it_leads(house):
    house.run("catalog", "import", CATALOG)
    house.run("user", "revoke", "--project", PROJECT, "--user-id", "secret-user", "--yes")
    digest = items(house.json("audit", "list"))[0]["new"]["user_digest"]

    def row(*options):
        launch = house.json("launch", "--project", PROJECT, "--user-id", "secret-user", "--platform", "IOS", *options)
        row = items(house.json("audit", "list"))[0]
        assert (row["action"], row["subject"], row["old"]) == ("launch", PROJECT, None)
        assert row["new"]["launch_id"] == launch["launch_id"] and row["new"]["user_digest"] == digest
        assert row["new"]["platform"] == "IOS" and "secret" not in json.dumps(row)
        return row["new"]["page"], row["new"]["redirect_to"]

    assert row() == (None, None)
    assert row("--page", "program", "--business-id", "11st") == ("program", "/cashback/detail?business_id=11st")
    assert row("--redirect-to", "/cs?token=secret#secret") == (None, "/cs")
    before = len(items(house.json("audit", "list")))
    house.run("launch", "--project", PROJECT, "--user-id", "U", "--platform", "IOS", "--page", "program", status=65)
    assert len(items(house.json("audit", "list"))) == before, "what is refused gives nothing away"


def test_filters(house):
    assert found(house, "--action", "project") == [("project.update", PROJECT), ("project.create", PROJECT)]
    assert found(house, "--action", "project.create") == [("project.create", PROJECT)]
    assert found(house, "--subject", PROJECT, "--limit", "1") == [("project.update", PROJECT)]
    user = items(house.json("audit", "list"))[0]["os_user"]
    assert len(found(house, "--user", user)) == 4 and found(house, "--user", "nobody-of-that-name") == []
    assert len(found(house, "--since", "1h")) == 4 and found(house, "--until", "1h") == []
    assert found(house, "--since", "2100-01-01") == [] and len(found(house, "--until", "2100-01-01T00:00:00Z")) == 4
    newest = items(house.json("audit", "list"))[0]["at"]
    assert ("project.update", PROJECT) in found(house, "--until", newest, "--since", newest)
    assert ("project.update", PROJECT) in found(house, "--until", newest[:10])


def test_the_table_says_what_changed_and_that_there_is_more(house):
    done = house.run("audit", "list", "--limit", "2")
    assert "name=Acme→Renamed" in done.stdout and "There are more" in done.stderr
    assert "There are more" not in house.run("audit", "list", "--limit", "4").stderr
    assert "no such row" in house.run("audit", "list", "--action", "cookie").stderr


@pytest.mark.parametrize("unknown, near", [("proj", "project"), ("key.revok", "key.revoke"), ("key.", "key")])
def test_an_unknown_action_is_refused_and_the_known_ones_named(house, unknown, near):
    said = house.run("audit", "list", "--action", unknown, status=64).stderr
    assert f"did you mean {near}?" in said and "web-version.set" in said and "launch" in said


def test_a_time_that_is_none_is_said(house):
    done = house.run("audit", "list", "--since", "yesterday", status=64)
    assert "2026-11-29" in done.stderr


def test_who_used_sudo(house):
    house.run("project", "disable", PROJECT, "--yes", env=environment(SUDO_USER="kim"))
    assert found(house, "--user", "kim") == [("project.disable", PROJECT)]
    assert items(house.json("audit", "list", "--user", "kim"))[0]["sudo_user"] == "kim"


def test_a_period_that_ends_before_it_begins_is_refused(house):
    assert "--until" in house.run("audit", "list", "--since", "2026-11-30", "--until", "2026-11-29", status=64).stderr
