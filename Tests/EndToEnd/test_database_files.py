"""What the database and its copies leave on disk, and what goes through pipes instead."""

import os
import pty
import random
import signal
import sqlite3
import subprocess
import time
from contextlib import closing

import pytest

from faults import open_to_others, preloadable
from harness import CATALOG, PATIENCE, PROJECT, environment, eventually
from test_metrics import samples, scrape
from test_migration import FIXTURES, restored

KEPT_LOG = 6_000_000
INTERRUPTS = 12


def many(installation, text, count=2000):
    """Imports businesses with so long a text that the log grows by megabytes."""
    rows = (f"shop{number:05},Shop {number},{text},mall,CPS,1,KRW_COMMISSION_UNIT" for number in range(count))
    file = installation.directory / "many.csv"
    file.write_text("business_id,name,display_caution,category,commission_type,commission_amount,commission_unit\n" + "\n".join(rows))
    installation.run("catalog", "import", file, "--yes")


def test_the_log_is_cut_back_after_a_reader_that_stayed(fresh):
    fresh.project()
    log = fresh.data / "launchlink.db-wal"
    with fresh.serve() as server:
        partner = server.client(fresh.key("launch", PROJECT))
        with closing(sqlite3.connect(fresh.data / "launchlink.db", isolation_level=None)) as reader:
            reader.execute("BEGIN")
            reader.execute("SELECT count(*) FROM project").fetchall()
            for number in range(3):
                many(fresh, str(number) + "가" * 600)
            large = log.stat().st_size
            assert large > 3 * KEPT_LOG
            assert samples(scrape(server).text)["launchlink_database_wal_size_bytes"] >= large
            reader.execute("ROLLBACK")

        def cut_back():
            assert partner.post("/launch/revoke", {"user_id": "u"}).status_code == 204
            return log.stat().st_size < KEPT_LOG

        eventually(cut_back)
        told = samples(scrape(server).text)
        assert told["launchlink_database_wal_size_bytes"] < KEPT_LOG
        assert told["launchlink_database_size_bytes"] == (fresh.data / "launchlink.db").stat().st_size
        assert "write-ahead log" in fresh.run("doctor", status=None).stdout


@pytest.fixture
def house(fresh):
    fresh.project()
    fresh.run("catalog", "import", CATALOG)
    return fresh


def piped(installation, *arguments, stdin=b"", status=0):
    done = subprocess.run(installation.arguments(*arguments), input=stdin, capture_output=True, cwd=installation.directory,
                          env=environment(), timeout=PATIENCE)
    assert status in (None, done.returncode), done.stderr
    return done


def test_a_backup_goes_through_pipes(house):
    before = sorted(os.listdir(house.data))
    made = piped(house, "db", "backup", "-")
    assert b"holds no master key" in made.stderr
    (house.directory / "taken.db").write_bytes(made.stdout)
    assert house.json("db", "check", "taken.db")["sound"] is True
    assert house.json("audit", "list", "--action", "db.backup")["items"][0]["subject"] == "standard output"
    assert piped(house, "db", "check", "-", stdin=made.stdout).stdout.endswith(b"The database is sound.\n")
    house.run("project", "update", PROJECT, "--name", "Later")
    piped(house, "db", "restore", "-", stdin=made.stdout, status=64)
    piped(house, "db", "restore", "-", "--yes", "--replace", stdin=made.stdout)
    assert house.json("project", "show", PROJECT)["name"] == "Acme"
    assert house.json("audit", "list", "--action", "db.restore")["items"][0]["subject"] == "standard input"
    kept = {name for name in os.listdir(house.data) if ".replaced-" in name}
    assert sorted(set(os.listdir(house.data)) - kept) == before and not (house.directory / "-").exists()


@pytest.mark.parametrize("verb", [("check",), ("restore", "--yes", "--replace")])
@pytest.mark.parametrize("stdin, said", [(b"", "is empty"), (b"nothing like it" * 100, "what came on standard input is not a LaunchLink database"),
                                         (..., "what came on standard input is damaged, or was cut off")])
def test_what_is_no_backup_is_refused_from_a_pipe_too(house, verb, stdin, said):
    if stdin is ...:
        stdin = piped(house, "db", "backup", "-").stdout[:30_000]
    done = piped(house, "db", *verb, "-", stdin=stdin, status=None)
    assert done.returncode == 65 and said in done.stderr.decode() and "partial" not in done.stderr.decode()
    assert [name for name in os.listdir(house.data) if "partial" in name] == []


@pytest.mark.skipif(os.geteuid() != 0, reason="only root becomes another user")
def test_root_reads_from_a_pipe_that_the_owner_could_not_open(house):
    made = piped(house, "db", "backup", "-").stdout
    open_to_others(house.directory)
    for path in [house.data, *house.data.iterdir()]:
        os.chown(path, 12345, 12345)
    assert b"sound" in piped(house, "db", "check", "-", stdin=made).stdout


def test_a_terminal_gets_no_backup(house):
    """One that tells no width, as this, is one, too."""
    leader, follower = pty.openpty()
    try:
        done = subprocess.run(house.arguments("db", "backup", "-"), stdin=subprocess.DEVNULL, stdout=follower, stderr=subprocess.PIPE,
                              cwd=house.directory, env=environment(), timeout=PATIENCE, text=True)
    finally:
        os.close(leader)
        os.close(follower)
    assert done.returncode == 64 and "Redirect standard output" in done.stderr
    assert house.json("audit", "list", "--action", "db.backup")["items"] == []


def test_a_pipe_that_is_closed_leaves_nothing(house):
    many(house, "가" * 600)
    done = subprocess.run(["sh", "-c", '"$@" db backup - | head -c 100 | wc -c', "sh", *house.arguments()],
                          capture_output=True, env=environment(), cwd=house.directory, text=True, timeout=PATIENCE)
    assert done.stdout.strip() == "100"
    assert [name for name in os.listdir(house.data) if "partial" in name] == []


def interrupted(installation, command, number, longest, env=None):
    """Runs a command and sends it one of the signals that end it, at a moment within its run."""
    process = subprocess.Popen(installation.arguments(*command), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL, cwd=installation.directory, env=env or environment())
    time.sleep(longest * (number + 0.5) / INTERRUPTS)
    sent = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)[number % 3]
    process.send_signal(sent)
    assert process.wait(PATIENCE) in (0, -sent)
    return process.returncode == 0


def duration(installation, *command, env=None):
    began = time.monotonic()
    installation.run(*command, env=env)
    return time.monotonic() - began


def test_a_signal_during_a_backup_leaves_nothing(house):
    many(house, "가" * 600, 6000)
    place = house.directory / "backups"
    place.mkdir()
    longest = duration(house, "db", "backup", place / "today.db")
    (place / "today.db").unlink()
    for number in range(INTERRUPTS):
        finished = interrupted(house, ("db", "backup", place / "today.db"), number, longest)
        assert os.listdir(place) == (["today.db"] if finished else [])
        if finished:
            assert house.json("db", "check", place / "today.db")["sound"] is True
            (place / "today.db").unlink()


ENDING = [getattr(signal, name) for name in (
    "SIGHUP", "SIGINT", "SIGQUIT", "SIGABRT", "SIGUSR1", "SIGUSR2", "SIGPIPE", "SIGALRM", "SIGTERM", "SIGVTALRM", "SIGPROF", "SIGXCPU",
    "SIGIO", "SIGPWR", "SIGSTKFLT", "SIGRTMIN", "SIGRTMAX")]


def stopped_midway(installation, place):
    """A backup that is being made on a slow disk, with its temporary file there."""
    (installation.directory / "slow").touch()
    env = environment(LD_PRELOAD=preloadable("disk", installation.directory), SLOW=str(installation.directory / "slow"))
    process = subprocess.Popen(installation.arguments("db", "backup", place / "today.db"), stdin=subprocess.DEVNULL, env=env,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=installation.directory)
    eventually(lambda: any("partial" in name for name in os.listdir(place)))
    return process


@pytest.mark.parametrize("sent", ENDING, ids=lambda sent: sent.name)
def test_every_signal_that_ends_a_backup_leaves_nothing(house, sent):
    place = house.directory / "backups"
    place.mkdir()
    process = stopped_midway(house, place)
    process.send_signal(sent)
    assert (process.wait(PATIENCE), os.listdir(place)) == (-sent, [])


@pytest.mark.parametrize("suffix", ["", "-journal", "-wal"])
def test_what_a_killed_backup_left_is_removed_by_the_next(house, suffix):
    """By the process' number in its name; no process has a higher one than 4194303 (proc(5), pid_max)."""
    dead = house.directory / f"copy.db.launchlink.partial.4194304{suffix}"
    mine = house.directory / f"copy.db.launchlink.partial.{os.getpid()}{suffix}"
    dead.touch()
    mine.touch()
    house.run("db", "backup", house.directory / "other.db")
    assert (dead.exists(), mine.exists()) == (False, True)


def test_two_signals_at_once_leave_nothing(house):
    place = house.directory / "backups"
    place.mkdir()
    for number in range(25):
        process = stopped_midway(house, place)
        other = (signal.SIGTERM, signal.SIGINT)[number % 2]
        process.send_signal(signal.SIGTERM)
        process.send_signal(other)
        assert process.wait(PATIENCE) in (-signal.SIGTERM, -other)
        assert os.listdir(place) == [], number


def test_a_signal_during_a_restore_leaves_the_old_database_or_the_new_one(house):
    many(house, "가" * 600, 3000)
    house.run("db", "backup", house.directory / "copy.db")
    command = ("db", "restore", house.directory / "copy.db", "--yes", "--replace")
    longest = duration(house, *command)
    for number in range(INTERRUPTS):
        before = {name for name in os.listdir(house.data) if ".replaced-" in name}
        finished = interrupted(house, command, number, longest)
        after = set(os.listdir(house.data))
        assert not any("restoring" in name for name in after)
        assert len({name for name in after if ".replaced-" in name} - before) == (1 if finished else 0)
        assert house.json("db", "check")["sound"] is True


def test_a_signal_during_a_rotation_leaves_one_key_ring(house):
    """On a slow disk, so that the new ring is half-made for long enough."""
    (house.directory / "slow").touch()
    env = environment(LD_PRELOAD=preloadable("disk", house.directory), SLOW=str(house.directory / "slow"))
    longest = duration(house, "master-key", "rotate", env=env)
    for number in range(INTERRUPTS):
        interrupted(house, ("master-key", "rotate"), number, longest, env=env)
        assert [name for name in os.listdir(house.data) if name.startswith("master.key")] == ["master.key"]
    assert house.json("db", "check")["sound"] is True


def test_a_signal_during_a_migration_leaves_no_partial_backup(tmp_path):
    longest = duration(restored(tmp_path / "timed"), "project", "list")
    for number in range(INTERRUPTS):
        old = restored(tmp_path / str(number), random.Random(number).choice(list(FIXTURES.values())))
        interrupted(old, ("project", "list"), number, longest)
        assert [name for name in os.listdir(old.data) if "partial" in name] == []
        old.run("project", "list")


def test_what_is_ignored_stays_ignored(house):
    """As under nohup(1)."""
    many(house, "가" * 600, 6000)
    process = subprocess.Popen(
        ["sh", "-c", 'trap "" HUP; exec "$@"', "sh", *house.arguments("db", "backup", house.directory / "copy.db")],
        cwd=house.directory, env=environment(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    for _ in range(20):
        time.sleep(0.02)
        process.send_signal(signal.SIGHUP)
    assert process.wait(PATIENCE) == 0
