"""`db backup` and `db check`: a sound copy while the server runs, and what is wrong with a database, in words."""

import json
import os
import sqlite3
from contextlib import closing

import pytest

from harness import CATALOG, PROJECT, WEB_API_KEY, items
from test_crash import Moments, assert_whole, killed
from test_revocation import Hammer

KILLS = 20


@pytest.fixture
def house(fresh):
    fresh.project()
    fresh.run("catalog", "import", CATALOG)
    return fresh


def change(path, *statements):
    with closing(sqlite3.connect(path)) as database:
        for statement in statements:
            database.execute(statement)
        database.commit()


def faults(installation, *file):
    done = installation.run("db", "check", *file, "--output", "json", status=65)
    told = json.loads(done.stdout)
    assert told["sound"] is False and "fault" in done.stderr
    return {(fault["check"], fault["message"]) for fault in told["faults"]}


def test_a_backup_is_a_sound_file_that_names_its_master_key(house):
    file = house.directory / "copy.db"
    told = house.json("db", "backup", file)
    assert os.listdir(house.directory).count("copy.db") == 1 and file.stat().st_mode & 0o777 == 0o600
    ring = (house.data / "master.key").read_text().split(":")
    assert told["master_keys"] == [ring[0]] and told["size"] == file.stat().st_size
    assert told["counts"]["projects"] == 1 and told["counts"]["businesses"] > 5
    assert ring[1].strip().encode() not in file.read_bytes() and WEB_API_KEY.encode() not in file.read_bytes()
    assert [name for name in os.listdir(house.directory) if name.startswith("copy.db")] == ["copy.db"]
    assert house.json("db", "check", file)["sound"] is True
    row, = items(house.json("audit", "list", "--action", "db.backup"))
    assert row["subject"] == str(file) and row["new"]["master_keys"] == [ring[0]]


def test_a_file_that_is_there_is_kept_unless_told(house):
    file = house.directory / "copy.db"
    house.run("db", "backup", file)
    before = file.read_bytes()
    house.run("project", "disable", PROJECT)
    assert "--replace" in house.run("db", "backup", file, status=1).stderr
    assert file.read_bytes() == before
    house.run("db", "backup", file, "--replace")
    assert file.read_bytes() != before
    assert house.json("db", "check", file)["sound"] is True
    assert "database itself" in house.run("db", "backup", house.data / "launchlink.db", "--replace", status=65).stderr
    assert "no such" in house.run("db", "backup", house.directory / "nowhere/copy.db", status=74).stderr.lower()


def test_under_load_no_launch_fails_and_the_copy_is_whole(house):
    key = house.key("launch", PROJECT)
    with house.serve("--workers", "2") as server, Hammer(server, key) as hammer:
        for number in range(3):
            hammer.more()
            house.run("db", "backup", house.directory / f"{number}.db")
            assert house.json("db", "check")["sound"] is True, "while the server runs"
            hammer.more()
    assert {status for mine in hammer.answers for _, status, _ in mine} == {200}
    for number in range(3):
        assert house.json("db", "check", house.directory / f"{number}.db")["sound"] is True


def test_killed_at_random_moments(house):
    file = house.directory / "copy.db"
    moments = Moments(20261201, house, "db", "backup", file)
    for _ in range(KILLS):
        status, _ = killed(house, ("db", "backup", file, "--replace"), moments)
        assert status in (0, -9)
        with closing(sqlite3.connect(f"file:{file}?mode=ro", uri=True)) as copy:
            assert copy.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert_whole(house, house.directory / "whole")
    house.run("db", "backup", file, "--replace")
    assert [name for name in os.listdir(house.directory) if ".partial" in name] == [], "leftovers are cleared away"


def test_what_killed_backups_left_in_the_directory_is_removed(house):
    """By the process' number in its name; no process has a higher one than 4194303 (proc(5), pid_max)."""
    file = house.directory / "tuesday.db"
    dead = [house.directory / f"monday.db.launchlink.partial.4194304{end}" for end in ("", "-journal")]
    kept = [house.directory / f"monday.db.launchlink.partial.{os.getpid()}", house.directory / "notes.partial.4194304"]
    for path in [*dead, *kept]:
        path.write_text("half")
    house.run("db", "backup", file)
    assert [path for path in dead if path.exists()] == [] and all(path.exists() for path in [file, *kept])


@pytest.mark.skipif(os.geteuid() != 0, reason="only root becomes another user")
def test_root_works_as_the_owner_who_must_be_able_to_write_there(house):
    closed = house.directory / "closed"
    closed.mkdir(mode=0o700)
    for path in [house.data, *house.data.iterdir()]:
        os.chown(path, 12345, 12345)
    # The owner has to reach the data directory at all.
    parents = [parent for parent in house.data.parents if str(parent) not in ("/", "/tmp")]
    modes = {parent: parent.stat().st_mode & 0o777 for parent in parents}
    try:
        for parent in parents:
            parent.chmod(modes[parent] | 0o011)
        done = house.run("db", "backup", closed / "copy.db", status=77)
        assert "12345" in done.stderr and "closed" in done.stderr
        (closed / "old.db").write_text("of root alone")
        for verb in (("check",), ("restore", "--yes", "--replace")):
            done = house.run("db", *verb, closed / "old.db", status=77)
            assert "12345" in done.stderr and "Permission denied" in done.stderr, verb
    finally:
        for parent in parents:
            parent.chmod(modes[parent])


def test_check_names_each_fault(house):
    database = house.data / "launchlink.db"
    assert house.json("db", "check")["faults"] == []
    house.run("db", "backup", house.directory / "good.db")

    def broken(*statements):
        path = house.directory / "bad.db"
        path.write_bytes((house.directory / "good.db").read_bytes())
        change(path, *statements)
        return faults(house, path)

    assert any(check == "signing_keys" and "active" in message
               for check, message in broken("UPDATE signing_key SET state = 'retired', retired_at = 1"))
    assert ("schema", "the index business_by_name is missing") in broken("DROP INDEX business_by_name")
    assert any(check == "schema" and "extra" in message for check, message in broken("CREATE TABLE extra (a)"))
    moved = broken("UPDATE project SET web_api_key = (SELECT secret FROM signing_key LIMIT 1)")
    assert any(check == "secrets" and PROJECT in message for check, message in moved)
    assert any(check == "rows" and "no product" in message for check, message in broken("DELETE FROM product"))
    assert any(check == "integrity" and "refers" in message for check, message in broken(
        "PRAGMA foreign_keys = OFF", "UPDATE product SET business_id = 'gone' WHERE position = 0 AND business_id = '11st'"))
    newer = house.directory / "newer.db"
    newer.write_bytes((house.directory / "good.db").read_bytes())
    change(newer, "PRAGMA user_version = 99")
    assert "newer LaunchLink" in house.run("db", "check", newer, status=78).stderr
    change(newer, "PRAGMA application_id = 7")
    assert "another program" in house.run("db", "check", newer, status=65).stderr
    assert "no database" in house.run("db", "check", house.directory / "none.db", status=78).stderr
    torn = house.directory / "torn.db"
    torn.write_bytes((house.directory / "good.db").read_bytes()[:20_000])
    for size in (20_000, 4096, 1000, 50, 0):
        torn.write_bytes((house.directory / "good.db").read_bytes()[:size])
        done = house.run("db", "check", torn, status=65)
        assert any(word in done.stderr + done.stdout for word in ("damaged", "integrity", "is empty")), (size, done.stderr)
    before = database.read_bytes()
    house.run("db", "check")
    assert database.read_bytes() == before


@pytest.mark.parametrize("verb", [("check",), ("restore", "--yes", "--replace")])
def test_what_is_no_backup_is_called_so(house, verb):
    pipe = house.directory / "pipe"
    os.mkfifo(pipe)
    for file, said in (
        (CATALOG, "not a LaunchLink database"), (house.data / "master.key", "not a LaunchLink database"),
        (pipe, "no plain file"), (house.data, "no plain file"),
    ):
        done = house.run("db", *verb, file, status=65)
        assert said in done.stderr and "Restore it" not in done.stderr, (verb, file)


@pytest.mark.parametrize("verb", [("check",), ("backup",), ("restore", "--yes", "--replace")])
def test_an_empty_path_names_no_file(house, verb):
    assert "FILE is empty" in house.run("db", *verb, "", status=64).stderr


def test_a_damaged_database_is_told_without_sql(house):
    house.run("db", "backup", house.directory / "good.db")
    database = house.data / "launchlink.db"
    database.write_bytes(b"no database" + database.read_bytes()[11:])
    for command, status in (
        (("db", "restore", house.directory / "good.db", "--yes"), 1), (("db", "check"), 78),
        (("project", "list"), 78), (("doctor",), 78), (("init",), 78),
    ):
        done = house.run(*command, status=status)
        said = done.stdout + done.stderr
        assert "not a database" in said and "PRAGMA" not in said and "SQLite" not in said, (command, said)


def test_a_wrong_key_ring_is_said(house):
    (house.data / "master.key").write_text("mk_0123456789ab:" + "A" * 43 + "=\n")
    assert any(check == "secrets" and "master key" in message for check, message in faults(house))


def test_replace_takes_the_place_of_a_backup_alone(house):
    """The key ring above all: without it neither the database nor any backup opens."""
    others = [house.data / "master.key", house.directory / "notes.txt", house.directory / "other.db", house.directory / "empty"]
    others[1].write_text("SQLite format 3\0 and more" * 10)
    change(others[2], "CREATE TABLE note (text)")
    others[3].touch()
    before = [path.read_bytes() for path in others]
    for path in [*others, house.data / "launchlink.db"]:
        assert str(path) in house.run("db", "backup", path, "--replace", status=65).stderr
    assert [path.read_bytes() for path in others] == before
    house.run("db", "backup", house.directory / "one.db")
    house.run("db", "backup", house.directory / "one.db", "--replace")
