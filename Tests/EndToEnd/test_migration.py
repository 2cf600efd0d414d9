"""A database of an earlier schema version: today's program brings it up to date, and everything in it works on."""

import json
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from harness import PROJECT, USER, Client, Installation, items
from test_crash import Moments, assert_whole, killed
from test_signing_keys import verified_for
from test_single_use import ONCE, question

LATEST = 5
FIXTURES = {version: Path(__file__).parent / f"fixtures/schema-{version}" for version in range(1, LATEST)}
FIXTURE = FIXTURES[1]
APPLICATION_ID = 0x4C4C6E6B
KILLS = 40


def restored(directory, fixture=FIXTURE):
    """An installation with an old database and its key ring, and what was told of it."""
    made = Installation(directory)
    made.fixture, made.told = fixture, json.loads((fixture / "told.json").read_text())
    made.data.mkdir(mode=0o700, parents=True)
    for name in ("launchlink.db", "master.key"):
        shutil.copyfile(fixture / name, made.data / name)
        (made.data / name).chmod(0o600)
    return made


@pytest.fixture(params=FIXTURES.values(), ids=lambda fixture: fixture.name)
def old(request, tmp_path):
    return restored(tmp_path, request.param)


def ask(database, question):
    with closing(sqlite3.connect(database)) as connection:
        return connection.execute(question).fetchall()


def version(installation):
    return ask(installation.data / "launchlink.db", "PRAGMA user_version")[0][0]


def contents(database, fixture=FIXTURE):
    """Every row of every table of an old version, with its columns of then."""
    columns = ask(fixture / "launchlink.db", """
        SELECT tables.name, group_concat('"' || columns.name || '"', ', ')
        FROM sqlite_schema AS tables, pragma_table_info(tables.name) AS columns WHERE tables.type = 'table' GROUP BY 1""")
    return {table: sorted(ask(database, f"SELECT {names} FROM {table}"), key=repr) for table, names in columns}


@pytest.mark.parametrize("version", FIXTURES)
def test_a_fixture_is_what_it_says(version):
    database = FIXTURES[version] / "launchlink.db"
    rows = contents(database, FIXTURES[version])
    assert ask(database, "PRAGMA user_version") == [(version,)]
    assert all(rows.values()), {table for table, found in rows.items() if not found}


def test_opening_migrates_and_keeps_every_row(old):
    old.run("project", "list")
    database = old.data / "launchlink.db"
    assert version(old) == LATEST
    assert ask(database, "PRAGMA application_id") == [(APPLICATION_ID,)]
    before, after = contents(old.fixture / "launchlink.db", old.fixture), contents(database, old.fixture)
    assert after == before, "whoever signed in, and every row else, is there as it was"
    assert_whole(old, old.directory / "copy")
    old.run("project", "list")
    assert version(old) == LATEST


def test_the_old_keys_and_launches_work(old):
    keys, web_api_keys = old.told["keys"], old.told["web_api_keys"]
    with old.serve() as server:
        partner, gateway = server.client(keys["launch"]), server.client(keys["gateway"])
        launch = partner.launched()
        assert launch["headers"]["x-moment-web-api-key"] == web_api_keys[PROJECT]
        assert gateway.verdict(launch) == server.client(keys["verify"]).verdict(launch) == "valid"
        assert server.client(keys["successor"]).launch().status_code == 200
        assert [server.client(keys[name]).launch().json()["code"] for name in ("replaced", "revoked")] == [
            "expired_api_key", "revoked_api_key",
        ]
        once = server.client(keys["once"]).launched()
        old.verify = keys["gateway"]
        answers = [gateway.get("/verify/forward-auth", headers=question(old, once)) for _ in range(2)]
        assert [answer.status_code for answer in answers] == [204, 401]
        assert answers[0].headers["x-moment-web-api-key"] == web_api_keys[ONCE]
        assert partner.post("/launch/revoke", {"user_id": USER}).status_code == 204
        assert gateway.verdict(launch) == "revoked"
        assert server.client(keys["catalog"]).get("/businesses/temu").json()["active"] is False
        assert Client(server.operations).get("/readyz").status_code == 200


def test_the_commands_show_everything(old):
    keys = old.told["keys"]
    assert {project["project_id"] for project in items(old.json("project", "list"))} == {PROJECT, ONCE}
    listed = {key["key_id"]: key for key in items(old.json("key", "list"))}
    assert listed.keys() == {key["key_id"] for key in keys.values()}
    # A rotation without grace revokes the old key since schema 4; before, the key only expired.
    ended = {"revoked", "replaced"} if old.fixture is FIXTURES[4] else {"revoked"}
    assert {name for name, key in keys.items() if listed[key["key_id"]]["revoked_at"]} == ended
    assert listed[keys["successor"]["key_id"]]["replaces"] == keys["replaced"]["key_id"]
    signing = {key["state"]: key for key in items(old.json("signing-key", "list"))}
    assert signing.keys() == {"active", "retired"}
    knows_what_it_signed = old.fixture in (FIXTURES[3], FIXTURES[4])
    assert verified_for(signing["retired"]) == (300 if knows_what_it_signed else 3600)
    assert old.json("catalog", "show", "temu")["active"] is False
    assert old.json("web-version", "show")["latest"] == "1.4.0"
    assert {(cookie["name"], cookie["value"]) for cookie in items(old.json("cookie", "list"))} == {
        ("lang", "ko"), ("for", "acme"),
    }


def test_secrets_of_the_new_schema_are_sealed_with_the_rest(old):
    """Two Web API Keys, two signing keys, and the key of user digests, which a migration had made."""
    told = old.json("master-key", "rotate")
    assert told["resealed"] == 5
    assert len(old.json("master-key", "drop", "--yes")["dropped"]) == 1
    assert old.json("launch", "--project", PROJECT, "--user-id", "U", "--platform", "IOS")["launch_id"]


CUT_SHORT = """
import os, sqlite3, sys
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.executescript("PRAGMA journal_mode = DELETE; PRAGMA cache_size = 1; BEGIN IMMEDIATE")
connection.execute("UPDATE business SET name = name || 'x', display_caution = hex(zeroblob(4000))")
os._exit(0)
"""


@pytest.mark.parametrize("command", [("project", "list"), ("db", "check")])
def test_a_change_cut_short_without_a_write_ahead_log_is_undone(old, command):
    """As in a backup that was copied into place, when the first command that opened it was killed."""
    database = old.data / "launchlink.db"
    subprocess.run([sys.executable, "-c", CUT_SHORT, database], check=True)
    assert (old.data / "launchlink.db-journal").stat().st_size > 0
    old.run(*command)
    assert not (old.data / "launchlink.db-journal").exists()
    assert contents(database)["business"] == contents(old.fixture / "launchlink.db")["business"]


def test_killed_while_it_migrates(tmp_path):
    """The database is of the old version or of the new one, whole, and the next command finishes the work."""
    moments = Moments(20261130, restored(tmp_path / "timed"), "project", "list")
    for number in range(KILLS):
        house = restored(tmp_path / str(number))
        killed(house, ("project", "list"), moments)
        copy = house.directory / "copy"
        assert_whole(house, copy)
        assert ask(copy / "launchlink.db", "PRAGMA user_version")[0][0] in (1, LATEST)
        house.run("user", "revoke", "--project", PROJECT, "--user-id", "U")
        assert version(house) == LATEST
        assert contents(house.data / "launchlink.db")["project"] == contents(FIXTURE / "launchlink.db")["project"]
        shutil.rmtree(house.directory)
