"""Before a database is brought to a newer schema it is kept as it was: once, checked, and not for ever."""

import sqlite3
import subprocess
from contextlib import closing

import pytest

from harness import PATIENCE, environment
from test_migration import LATEST, ask, restored, version


@pytest.fixture
def old(tmp_path):
    return restored(tmp_path)


def backups(installation):
    return sorted(path for path in installation.data.iterdir() if path.name.endswith(".backup"))


def test_the_old_database_is_kept_and_said(old):
    done = old.run("project", "list")
    file, = backups(old)
    assert file.name.startswith("launchlink.db.v1.") and str(file) in done.stderr
    assert file.stat().st_mode & 0o777 == 0o600
    assert ask(file, "PRAGMA user_version") == [(1,)] and version(old) == LATEST
    assert old.run("project", "list").stderr == "" and backups(old) == [file], "once"
    old.run("db", "restore", file, "--yes", "--replace")
    assert old.json("db", "check")["sound"] is True


def test_init_says_it_too(old):
    done = old.run("init")
    file, = backups(old)
    assert "from schema version 1" in done.stderr and str(file) in done.stderr and version(old) == LATEST


def test_of_many_at_once_one_keeps_it(old):
    running = [
        subprocess.Popen(old.arguments("project", "list"), cwd=old.directory, env=environment(),
                         stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        for _ in range(6)
    ]
    said = [one.communicate(timeout=PATIENCE)[1] for one in running]
    assert [one.returncode for one in running] == [0] * 6, said
    assert len(backups(old)) == 1 and sum(bool(text) for text in said) == 1


def test_the_server_says_it_and_the_last_few_stay(old):
    for number in range(4):
        (old.data / f"launchlink.db.v1.2020010{number}T000000Z.backup").write_text("older")
    with old.serve() as server:
        assert "as it was it is kept in" in server.log
    kept = [path.name[16:] for path in backups(old)]
    assert len(kept) == 3 and kept[:2] == [".20200102T000000Z.backup", ".20200103T000000Z.backup"]


def test_a_newer_database_is_refused_plainly(old):
    with closing(sqlite3.connect(old.data / "launchlink.db")) as database:
        database.execute("PRAGMA user_version = 99")
    done = old.run("project", "list", status=78)
    assert "99" in done.stderr and "newer LaunchLink" in done.stderr and backups(old) == []
