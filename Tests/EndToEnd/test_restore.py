"""`db restore`: the backup's data lives on elsewhere, what was ended stays ended, and a kill leaves the old or the new."""

import json
import os
import shutil
import sqlite3
import subprocess
from contextlib import closing

import pytest

from harness import CATALOG, PATIENCE, PROJECT, USER, Installation, environment, eventually, install, items
from test_crash import Moments, assert_whole, killed
from test_revocation import Hammer

KILLS = 20
OTHER = "0" * 23 + "1"


@pytest.fixture
def house(fresh):
    fresh.project(options=("--replay-policy", "once"))
    fresh.project(OTHER, "Other", key="wk_other")
    fresh.run("catalog", "import", CATALOG)
    return fresh


def backup(installation, name="backup.db"):
    file = installation.directory / name
    installation.run("db", "backup", file)
    return file


def elsewhere(house, directory):
    """Another machine: the key ring and nothing else."""
    made = Installation(directory)
    made.data.mkdir(mode=0o700, parents=True)
    shutil.copyfile(house.data / "master.key", made.data / "master.key")
    (made.data / "master.key").chmod(0o600)
    return made


def nowhere(directory):
    """A machine without a data directory."""
    made = Installation(directory)
    made.data = directory / "nowhere"
    return made


def status_of(installation):
    return {one["key_id"]: bool(one["revoked_at"]) for one in items(installation.json("key", "list"))}


def test_backed_up_under_load_and_restored_elsewhere(house, tmp_path):
    key, verify = house.key("launch", PROJECT), house.key("verify")
    with house.serve("--workers", "2") as server, Hammer(server, key) as hammer:
        hammer.more()
        bundle = server.client(key).launched()
        file = backup(house)
        hammer.more()
    there = elsewhere(house, tmp_path / "there")
    told = there.json("db", "restore", file, "--keep-keys")
    assert told["kept_aside"] is None and told["ended_keys"] == []
    assert there.json("db", "check")["sound"] is True
    assert there.json("project", "list") == house.json("project", "list")
    active, = [one for one in items(there.json("signing-key", "list")) if one["state"] == "active"]
    assert active["key_id"] == told["signing_key"]
    assert {one["state"] for one in items(there.json("signing-key", "list"))} == {"active", "revoked"}
    assert items(there.json("audit", "list"))[0]["action"] == "db.restore"
    with there.serve() as server:
        partner, verifier = server.client(key), server.client(verify)
        assert verifier.verdict(bundle) == "unknown_key", "what was signed before is refused"
        assert verifier.verdict(partner.launched()) == "valid"


def test_without_the_replaced_database_no_key_works_unless_told(house, tmp_path):
    key = house.key("launch", PROJECT)
    file = backup(house)
    there = elsewhere(house, tmp_path / "there")
    done = there.run("db", "restore", file)
    assert status_of(there) == {key["key_id"]: True} and "ended" in done.stderr
    with there.serve() as server:
        assert server.client(key).launch().json()["code"] == "revoked_api_key"


@pytest.mark.parametrize("keeps", [False, True])
def test_a_new_machine_that_has_a_database_of_its_own(house, tmp_path, keeps):
    """As the Debian package leaves it: what it has of its own says nothing of the backup's keys and projects."""
    key = house.key("launch", PROJECT)
    file = backup(house)
    (tmp_path / "there").mkdir()
    there = install(tmp_path / "there")
    shutil.copyfile(house.data / "master.key", there.data / "master.key")
    refused = there.run("db", "restore", file, "--yes", status=1)
    assert "share no signing key" in refused.stderr and "--replace" in refused.stderr
    done = there.run(
        "db", "restore", file, "--yes", "--replace", *(["--keep-keys"] if keeps else []), "--output", "json")
    told = json.loads(done.stdout)
    assert told["read_replaced"] is False and told["disabled_projects"] == []
    assert "another installation's" in done.stderr and ("1 API key ended" in done.stderr) is not keeps
    assert status_of(there) == {key["key_id"]: not keeps}
    assert there.json("project", "show", PROJECT)["disabled_at"] is None
    with there.serve() as server:
        new = key if keeps else there.key("launch", PROJECT)
        assert server.client(new).launch().status_code == 200


def test_the_commands_that_enable_disabled_projects_are_said_and_work(house):
    file = backup(house)
    house.run("project", "delete", OTHER, "--yes")
    house.run("project", "disable", PROJECT, "--yes")
    said = house.run("db", "restore", file, "--replace", "--yes").stderr
    commands = [line.split()[1:] for line in said.splitlines() if line.startswith("  launchlink project enable ")]
    assert sorted(command[-1] for command in commands) == [OTHER, PROJECT]
    for command in commands:
        house.run(*command)
    assert {one["disabled_at"] for one in items(house.json("project", "list"))} == {None}


def test_without_a_data_directory_it_says_how_to_make_one(house, tmp_path):
    """`init` would make a new master key there, and the backup does not open with that."""
    said = nowhere(tmp_path).run("db", "restore", backup(house), status=78).stderr
    assert "init" not in said and "mkdir -m 0700" in said and "master.key" in said


def test_what_was_ended_since_stays_ended(house):
    revoked, rotated, kept, deleted = (house.key("launch", project) for project in (PROJECT, PROJECT, PROJECT, OTHER))
    verify = house.key("verify")
    file = backup(house)
    house.run("key", "revoke", revoked["key_id"], "--yes")
    house.run("key", "rotate", rotated["key_id"], "--grace", "1s")
    house.run("key", "revoke", deleted["key_id"], "--yes")
    house.run("project", "delete", OTHER, "--yes")
    with house.serve() as server:
        bundle = server.client(kept).launched()
        body = {name: bundle[name] for name in ("method", "url", "headers")} | {"consume": True}
        assert server.client(verify).post("/verify", body).json()["valid"] is True
    house.run("user", "revoke", "--project", PROJECT, "--user-id", USER, "--yes")
    refused = house.run("db", "restore", file, "--yes", status=1)
    assert "newer" in refused.stderr and "--replace" in refused.stderr
    assert status_of(house)[kept["key_id"]] is False, "nothing happened"
    told = house.json("db", "restore", file, "--replace", "--yes")
    assert told["read_replaced"] is True and told["disabled_projects"] == [OTHER]
    assert status_of(house) == {
        revoked["key_id"]: True, deleted["key_id"]: True, rotated["key_id"]: False, kept["key_id"]: False,
        verify["key_id"]: False,
    }
    with closing(sqlite3.connect(house.data / "launchlink.db")) as database:
        assert database.execute("SELECT count(*) FROM used_launch").fetchone() == (1,)
        assert database.execute("SELECT count(*) FROM log_out").fetchone() == (1,)
    with house.serve() as server:
        assert server.client(kept).launch().status_code == 200
        eventually(lambda: server.client(rotated).launch().json().get("code") == "expired_api_key")
    with closing(sqlite3.connect(told["kept_aside"])) as old:
        assert old.execute("SELECT count(*) FROM project").fetchone() == (1,)
    assert os.stat(told["kept_aside"]).st_mode & 0o777 == 0o600
    assert house.run("db", "check", told["kept_aside"]).returncode == 0


def test_a_live_database_is_never_replaced(house):
    file = backup(house)
    with house.serve():
        done = house.run("db", "restore", file, "--yes", "--replace", status=1)
        assert "server" in done.stderr
    house.run("db", "restore", file, "--yes")


def test_a_database_that_another_program_has_open_is_not_replaced(house):
    file = backup(house)
    with closing(sqlite3.connect(house.data / "launchlink.db")) as other:
        assert other.execute("SELECT count(*) FROM project").fetchone() == (2,)
        assert "Another program" in house.run("db", "restore", file, "--yes", status=1).stderr
    house.run("db", "restore", file, "--yes")


@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir, lambda path: os.symlink("/dev/zero", path)], ids=["pipe", "directory", "device"])
def test_what_is_no_file_in_the_databases_place_is_refused_by_all(house, make):
    """Nobody waits for it or calls it damaged, and a restore leaves it and nothing else."""
    file = backup(house)
    database = house.data / "launchlink.db"
    kept = house.directory / "kept.db"
    database.rename(kept)
    make(database)
    there = sorted(os.listdir(house.data))
    for command in (
        ("project", "list"), ("serve", "--listen", "127.0.0.1:0", "--operations-listen", "127.0.0.1:0"), ("init",),
        ("db", "check"), ("db", "backup", house.directory / "second.db"), ("db", "restore", file, "--yes"),
        ("db", "restore", file, "--yes", "--replace"),
    ):
        assert "launchlink.db is no plain file." in house.run(*command, status=78).stderr, command
    assert "launchlink.db is no plain file." in house.run("doctor", status=78).stdout
    assert sorted(os.listdir(house.data)) == there
    database.rmdir() if database.is_dir() else database.unlink()
    database.symlink_to("../kept.db")
    assert house.json("project", "show", PROJECT)["name"] == "Acme"


def test_it_asks_first(house):
    file = backup(house)
    assert "--yes" in house.run("db", "restore", file, status=64).stderr


def test_a_damaged_database_is_replaced_when_told_and_its_log_never_meets_the_new_one(house):
    key = house.key("launch", PROJECT)
    file = backup(house)
    with house.serve() as server:
        house.run("project", "update", PROJECT, "--name", "In the log")
        server.process.kill()
        server.process.wait()
    assert (house.data / "launchlink.db-wal").stat().st_size > 0, "the log holds something"
    database = house.data / "launchlink.db"
    database.write_bytes(b"no database" + database.read_bytes()[11:])
    assert "--replace" in house.run("db", "restore", file, "--yes", status=1).stderr
    told = house.json("db", "restore", file, "--yes", "--replace")
    assert told["read_replaced"] is False and told["ended_keys"] == [key["key_id"]]
    assert house.json("project", "show", PROJECT)["name"] == "Acme"
    assert house.json("db", "check")["sound"] is True
    assert os.path.exists(told["kept_aside"]) and os.path.exists(told["kept_aside"] + "-wal")


def test_what_is_no_fit_backup_is_refused(house, tmp_path):
    file = backup(house)
    newer = tmp_path / "newer.db"
    newer.write_bytes(file.read_bytes())
    with closing(sqlite3.connect(newer)) as database:
        database.execute("PRAGMA user_version = 99")
    assert "newer LaunchLink" in house.run("db", "restore", newer, "--yes", status=78).stderr
    torn = tmp_path / "torn.db"
    torn.write_bytes(file.read_bytes()[:30_000])
    assert f"{torn} is damaged, or was cut off: " in house.run("db", "restore", torn, "--yes", status=65).stderr
    empty = tmp_path / "empty.db"
    empty.touch()
    assert f"{empty} is empty: it was cut off" in house.run("db", "restore", empty, "--yes", status=65).stderr
    assert house.run("db", "restore", tmp_path / "none.db", "--yes", status=1)
    assert "itself" in house.run("db", "restore", house.data / "launchlink.db", "--yes", status=65).stderr
    (tmp_path / "stranger").mkdir()
    stranger = install(tmp_path / "stranger")
    needed = house.json("db", "check")["master_keys"][0]
    assert needed in stranger.run("db", "restore", file, "--yes", "--replace", status=78).stderr
    assert house.json("db", "check")["sound"] is True
    assert [name for name in os.listdir(house.data) if "restoring" in name] == []


def test_a_backup_of_the_first_schema_is_brought_up_to_date(tmp_path):
    from test_migration import FIXTURE
    there = Installation(tmp_path)
    there.data.mkdir(mode=0o700)
    shutil.copyfile(FIXTURE / "master.key", there.data / "master.key")
    (there.data / "master.key").chmod(0o600)
    told = there.json("db", "restore", FIXTURE / "launchlink.db", "--keep-keys")
    assert told["schema_version"] == 1
    assert there.json("db", "check")["sound"] is True


def test_killed_at_random_moments(house):
    """The name of a project tells the old from the new: it is one of them, and whole, whatever the moment."""
    file = backup(house)
    moments = Moments(20261202, house, "db", "restore", file, "--yes")
    seen = set()
    for number in range(KILLS * 5):
        house.run("project", "update", PROJECT, "--name", f"Later {number}")
        status, _ = killed(house, ("db", "restore", file, "--replace", "--yes"), moments)
        assert status in (0, -9)
        assert_whole(house, house.directory / "whole")
        name = house.json("project", "show", PROJECT)["name"]
        assert name == "Acme" if status == 0 else name in ("Acme", f"Later {number}")
        seen.add(name == "Acme")
        active = [one for one in items(house.json("signing-key", "list")) if one["state"] == "active"]
        assert len(active) == 1
        assert house.json("db", "check")["sound"] is True
        if number >= KILLS and len(seen) == 2:
            break
    assert seen == {True, False}, "the moments must lie before and after the change"
    house.run("db", "restore", file, "--replace", "--yes")
    assert [one for one in os.listdir(house.data) if "restoring" in one] == []


def test_many_commands_at_once_wait_for_a_restore_and_lose_nothing(house):
    file = backup(house)
    keys = [
        subprocess.Popen(house.arguments("key", "create", "--scope", "verify", "--name", str(number)),
                         cwd=house.directory, env=environment(), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        for number in range(6)
    ]
    restore = house.run("db", "restore", file, "--replace", "--yes", status=None)
    assert all(one.wait(timeout=PATIENCE) == 0 for one in keys)
    assert restore.returncode in (0, 1), restore.stderr
    assert house.json("db", "check")["sound"] is True


@pytest.mark.parametrize("damaged", [b"", b"\0", b"mk_0123"])
def test_a_backup_with_damaged_secrets_is_restored_and_each_is_told(house, damaged):
    """A damaged secret stops only what needs it; a restore that refuses would leave the admin without a database."""
    revoked = items(house.json("signing-key", "list"))[0]["key_id"]
    house.run("signing-key", "revoke", revoked, "--yes")
    with closing(sqlite3.connect(house.data / "launchlink.db")) as database, database:
        database.execute("UPDATE signing_key SET secret = ? WHERE key_id = ?", [damaged, revoked])
        database.execute("UPDATE project SET web_api_key = ? WHERE project_id = ?", [damaged, OTHER])
    rotation = house.run("master-key", "rotate", status=78).stderr
    file = backup(house)
    said = house.run("db", "restore", file, "--replace", "--yes").stderr
    remedy = f"launchlink project update {OTHER} --web-api-key-file FILE"
    assert f"A sealed value of project {OTHER} is damaged" in said and remedy in said
    assert revoked not in said, "the restore replaces what it revokes"
    assert remedy in rotation or f"launchlink signing-key revoke {revoked}" in rotation
    with house.serve() as server:
        server.client(house.key("launch", PROJECT)).launched()
        assert server.client(house.key("launch", OTHER)).launch().status_code == 503
    house.run("project", "update", OTHER, "--web-api-key-file", "-", stdin="wk_new")
    house.run("master-key", "rotate")
    assert house.json("db", "check")["sound"]
