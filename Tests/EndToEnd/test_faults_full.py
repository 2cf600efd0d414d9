"""A disk that becomes full in the middle of a change, at each of its writes and new files in turn; and under a server.

What fails says so and leaves everything as it was; where there is room again it succeeds, without anything being mended.
"""

import json
import os
import shutil
import sqlite3
import subprocess
from contextlib import closing

import pytest

from crowd import Crowd
from faults import Disk, Gateway, OnDisk, preloadable
from harness import CATALOG, PATIENCE, PROJECT, Client, Installation, environment, eventually, items
from test_crash import assert_whole
from test_faults_disk import start
from test_migration import FIXTURE, LATEST, contents, restored, version

WORDS = ("The disk is full. Nothing was changed.", "No space left on device")
# Beside the database while it is open, or from then on.
KEPT = ("-wal", "-shm", "-journal", ".migration-lock", ".backup")
MOST = 500
# What a disk can lack, and how much of it every change takes at least.
LACKING = {"WRITES": 10, "NAMES": 1}


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    return preloadable("disk", tmp_path_factory.mktemp("disk"))


def names(installation):
    return {name for name in os.listdir(installation.data) if not name.endswith(KEPT)}


def rows(database):
    """Everything that the database holds, but for who looked at it and when it was backed up."""
    with closing(sqlite3.connect(database)) as connection:
        return [line for line in connection.iterdump() if '"audit"' not in line and "sqlite_sequence" not in line]


def until_there_is_room(library, lacking, installation, *command, check):
    """Runs the command on a disk with room for none of what it lacks, for one, two …; gives how many it takes to succeed."""
    # Names twice each: one that failed leaves log files or takes them away, and the next makes more or fewer.
    for attempt in range(MOST):
        room = attempt if lacking == "WRITES" else attempt // 2
        done = installation.run(*command, status=None, env=environment(LD_PRELOAD=library) | {lacking: str(room)})
        if done.returncode == 0:
            return room
        assert done.returncode == 74 and any(word in done.stderr for word in WORDS), (room, done)
        check()
    raise AssertionError("it never succeeded")


@pytest.fixture
def house(fresh):
    fresh.project()
    fresh.run("catalog", "import", CATALOG)
    fresh.run("db", "backup", fresh.directory / "earlier.db")
    return fresh


CHANGES = {
    "a key is made": ("key", "create", "--scope", "launch", "--project", PROJECT, "--name", "L"),
    "a catalogue is imported": ("catalog", "import", "changed.csv"),
    "a backup is made": ("db", "backup", "copy.db"),
    "a backup is replaced": ("db", "backup", "earlier.db", "--replace"),
    "a backup is restored": ("db", "restore", "earlier.db", "--replace", "--yes"),
    "the master key is rotated": ("master-key", "rotate"),
}


@pytest.mark.parametrize("lacking", LACKING)
@pytest.mark.parametrize("change", CHANGES)
def test_while(house, library, change, lacking):
    changed = CATALOG.read_text(encoding="utf-8").replace(",etc,", ",food,", 1)
    assert changed != CATALOG.read_text(encoding="utf-8")
    (house.directory / "changed.csv").write_text(changed, encoding="utf-8")
    before, ring = names(house), (house.data / "master.key").read_text()
    outside, earlier = set(os.listdir(house.directory)), (house.directory / "earlier.db").read_bytes()
    held = rows(house.data / "launchlink.db")

    def unchanged():
        assert_whole(house, house.directory / "copy")
        assert rows(house.directory / "copy/launchlink.db") == held and names(house) == before
        # A key that nothing names does no harm, and has to be on disk before anything is sealed with it.
        assert (house.data / "master.key").read_text().startswith(ring)
        assert set(os.listdir(house.directory)) == outside | {"copy"}
        assert (house.directory / "earlier.db").read_bytes() == earlier

    assert until_there_is_room(library, lacking, house, *CHANGES[change], check=unchanged) >= LACKING[lacking]
    assert house.json("db", "check")["sound"] is True
    assert len(names(house) - before) == (1 if "restored" in change else 0), "the replaced database is kept, once"
    assert house.json("launch", "--project", PROJECT, "--user-id", "U", "--platform", "IOS")["launch_id"]


@pytest.mark.parametrize("lacking", LACKING)
def test_while_it_is_brought_to_a_newer_schema(tmp_path, library, lacking):
    old = restored(tmp_path)
    before, held = names(old), contents(FIXTURE / "launchlink.db")

    def unchanged():
        assert_whole(old, old.directory / "copy")
        assert contents(old.directory / "copy/launchlink.db") == held and names(old) == before
        assert len(list(old.data.glob("*.backup"))) <= 3

    assert until_there_is_room(library, lacking, old, "project", "list", check=unchanged) >= LACKING[lacking]
    assert version(old) == LATEST and contents(old.data / "launchlink.db")["project"] == held["project"]
    assert old.json("db", "check")["sound"] is True
    backups = list(old.data.glob("*.backup"))
    assert 0 < len(backups) <= 3 and all(contents(one) == held for one in backups)


@pytest.mark.parametrize("lacking", LACKING)
def test_while_an_installation_is_made(tmp_path, library, lacking):
    made = Installation(tmp_path)

    def nothing_half_made():
        assert names(made) <= {"master.key", "launchlink.db"}

    assert until_there_is_room(library, lacking, made, "init", check=nothing_half_made) >= LACKING[lacking]
    made.project()
    assert made.json("db", "check")["sound"] is True


def test_a_backup_to_a_full_disk(house, tmp_path):
    with Disk(tmp_path / "disk", 64) as disk, house.serve() as server:
        backup = lambda: subprocess.run(
            [*disk.command, *house.arguments("db", "backup", disk.place / "copy.db")], cwd=house.directory,
            env=environment(), capture_output=True, text=True, timeout=PATIENCE)
        done = backup()
        assert done.returncode == 74 and "The disk is full" in done.stderr, done
        assert os.listdir(disk.inside) == []
        subprocess.run([*disk.command, "mount", "-o", "remount,size=4m", disk.place], check=True)
        done = backup()
        assert done.returncode == 0, done
        shutil.copyfile(disk.inside / "copy.db", house.directory / "copy.db")
        assert house.json("db", "check", house.directory / "copy.db")["sound"] is True
        assert server.client(house.key("launch", PROJECT)).launch().status_code == 200


@pytest.fixture
def disk(tmp_path):
    with Disk(tmp_path / "disk", 8192) as made:
        yield made


def test_no_room_for_the_backup_before_a_newer_schema(disk):
    old = OnDisk(disk)
    old.files.mkdir(mode=0o700)
    for name in ("launchlink.db", "master.key"):
        shutil.copyfile(FIXTURE / name, old.files / name)
        (old.files / name).chmod(0o600)
    disk.fill()
    for said in (start(old, 74), old.run("project", "list", status=74).stderr):
        assert "Make room; the database is as it was." in said
    assert (old.files / "launchlink.db").read_bytes() == (FIXTURE / "launchlink.db").read_bytes()
    disk.make_room()
    with old.serve() as server:
        assert "as it was it is kept in" in server.log


def test_counts_and_log_lines_are_kept_until_there_is_room(disk):
    cell = OnDisk(disk)
    cell.run("init")
    gateway, log = Gateway(cell), disk.inside / "access.log"
    launches = 0
    with cell.serve(env=environment(LAUNCHLINK_ACCESS_LOG=str(disk.place / "access.log"))) as server:
        partner = server.client(gateway.launch)
        partner.launched()
        disk.fill()

        def is_noticed():
            nonlocal launches
            partner.launched()
            launches += 1
            return all(f"{what}: No space left" in server.log or f"{what}; they are kept" in server.log
                       for what in ("access log: writing fails", "usage counts cannot be written"))

        eventually(is_noticed)
        assert Client(server.operations).get("/readyz").status_code == 200
        disk.make_room()
        launches += 1
        eventually(lambda: "access log: writing works again" in server.log)
        eventually(lambda: "usage counts are written again" in server.log)
        eventually(lambda: sum(one["launches"] for one in cell.json("stats")["items"]) == launches)
        assert server.stop() == 0
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    assert len({line["request_id"] for line in lines}) == len(lines) == launches, "each request once, and whole"


def test_while_many_launches_are_used(disk):
    """Some of the groups find room and some do not: who was told so has used the launch, the others may come again."""
    cell = OnDisk(disk)
    cell.run("init")
    gateway = Gateway(cell)
    with cell.serve("--workers", "2") as server, Crowd(server) as crowd:
        partner = server.client(gateway.launch)
        # What is written in all stays below 4 MB: from then on the log's room is used again.
        for room in (0, 1 << 16, 1 << 18):
            messages = gateway.messages(server, 320)
            disk.fill(leaving=room)
            crowd.send(messages)
            while crowd.take() < len(messages):
                partner.launched()
            outcomes = crowd.outcomes
            assert set(outcomes) == {(503, None)} | ({(204, None)} if room else set())
            disk.make_room()
            for told, now in zip(outcomes, crowd.ask(messages), strict=True):
                assert now == (401, "replayed") or told == (503, None) and now == (204, None)
            assert set(crowd.ask(messages)) == {(401, "replayed")}
        assert server.stop() == 0
    assert cell.json("db", "check")["sound"] is True
