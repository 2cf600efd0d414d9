"""Killed at any moment: the database stays whole, and every change that was reported is there."""

import json
import random
import shutil
import sqlite3
import subprocess
import time
from contextlib import closing

from harness import CATALOG, PROJECT, environment, items

KILLS = 200
ROWS = 400
HEADER = CATALOG.read_text(encoding="utf-8").splitlines()[0]


def catalog(path, version):
    """A catalogue whose every business carries the version in its name: an import is all or nothing."""
    rows = (f"b{number:03},{version},,etc,,,,,,true,all,,,CPS,1,PERCENTAGE_COMMISSION_UNIT" for number in range(ROWS))
    path.write_text("\n".join([HEADER, *rows]) + "\n")
    return path


class Moments:
    """Draws moments within and shortly after the run of a command, by how long that takes now.

    One run is timed; then the kills tell whether the machine has become slower or faster. Three of four come in time.
    """

    def __init__(self, seed, installation, *command):
        self.drawn = random.Random(seed)
        began = time.monotonic()
        installation.run(*command)
        self.longest = (time.monotonic() - began) * 1.3

    def next(self):
        return self.drawn.uniform(0, self.longest)

    def note(self, status):
        self.longest *= 0.75 if status == 0 else 1.1


def killed(installation, arguments, moments):
    """Runs the command and kills it at the next of the moments; (its exit status, what it printed)."""
    process = subprocess.Popen(
        installation.arguments(*arguments), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL, text=True, cwd=installation.directory, env=environment(),
    )
    time.sleep(moments.next())
    process.kill()
    printed, _ = process.communicate()
    moments.note(process.returncode)
    return process.returncode, printed


def assert_whole(installation, scratch):
    """The files as the kill left them pass the integrity check; looked at in a copy, so as to repair nothing."""
    shutil.rmtree(scratch, ignore_errors=True)
    shutil.copytree(installation.data, scratch)
    with closing(sqlite3.connect(scratch / "launchlink.db")) as copy:
        assert copy.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert copy.execute("PRAGMA foreign_key_check").fetchall() == []


class Expected:
    """What must be there: the last reported state, or the one that a killed command may have brought."""

    def __init__(self):
        self.name, self.version = {"Acme"}, {"v0"}
        self.live, self.revoked = set(), set()

    def check(self, installation):
        name = installation.json("project", "show", PROJECT)["name"]
        assert name in self.name
        self.name = {name}
        names = {one["name"] for one in items(installation.json("catalog", "list"))}
        assert len(names) == 1 and names <= self.version, names
        self.version = names
        keys = {one["key_id"]: one for one in items(installation.json("key", "list"))}
        assert self.live | self.revoked <= keys.keys()
        assert all(keys[one]["revoked_at"] for one in self.revoked)


def test_killed_at_random_moments(fresh):
    fresh.project()
    fresh.run("catalog", "import", catalog(fresh.directory / "v0.csv", "v0"))
    drawn, expected = random.Random(20261129), Expected()
    expected.live.add(fresh.key("launch", PROJECT)["key_id"])
    moments = Moments(20261129, fresh, "catalog", "import", catalog(fresh.directory / "v0.csv", "v0"))
    survived = 0
    for number in range(KILLS):
        match drawn.choice(("import", "create", "revoke", "update")):
            case "import":
                file = catalog(fresh.directory / "next.csv", f"v{number}")
                status, _ = killed(fresh, ("catalog", "import", file), moments)
                expected.version = {f"v{number}"} | (set() if status == 0 else expected.version)
            case "create":
                status, printed = killed(
                    fresh, ("key", "create", "--scope", "launch", "--project", PROJECT, "--output", "json"), moments
                )
                if printed.endswith("}\n") or status == 0:
                    expected.live.add(json.loads(printed)["key_id"])
            case "revoke":
                key = drawn.choice(sorted(expected.live))
                status, _ = killed(fresh, ("key", "revoke", key, "--yes"), moments)
                if status == 0:
                    expected.revoked.add(key)
            case "update":
                status, _ = killed(fresh, ("project", "update", PROJECT, "--name", f"Acme {number}"), moments)
                expected.name = {f"Acme {number}"} | (set() if status == 0 else expected.name)
        assert status in (0, -9), status
        survived += status == 0
        assert_whole(fresh, fresh.directory / "copy")
        if number % 10 == 9:
            expected.check(fresh)
    expected.check(fresh)
    assert 0 < survived < KILLS, "the moments must lie before and after the end of a command"


def test_a_killed_server_leaves_everything_whole(fresh):
    fresh.project()
    fresh.run("catalog", "import", CATALOG)
    key = fresh.key("launch", PROJECT)
    for _ in range(5):
        with fresh.serve() as server:
            client = server.client(key)
            assert client.launch().status_code == 200
            server.process.kill()
            server.process.wait()
        assert_whole(fresh, fresh.directory / "copy")
