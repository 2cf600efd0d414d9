"""Ways to break what the program stands on: a disk without room, a file system that takes no writing, a held lock."""

import os
import shutil
import sqlite3
import subprocess
from pathlib import Path

import pytest

from crowd import message
from harness import PATIENCE, PROJECT, USER, Installation, assert_problem
from test_single_use import question


class Disk:
    """A small file system that only those who join its mount namespace see."""

    def __init__(self, place, kibibytes):
        self.place = Path(place)
        self.place.mkdir()
        if os.geteuid() != 0:
            pytest.skip("mounting a small disk takes root")
        self.keeper = subprocess.Popen(
            ["unshare", "--mount", "--propagation", "private", "sh", "-c",
             f'mount -t tmpfs -o size={kibibytes}k,mode=700 tmpfs "$0" && echo ready && exec sleep infinity',
             str(self.place)],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )
        if self.keeper.stdout.readline().strip() != "ready":
            pytest.skip(f"no mount namespace can be had here: {self.keeper.stderr.read().strip()}")

    @property
    def inside(self):
        """Where the test itself reaches the files."""
        return Path(f"/proc/{self.keeper.pid}/root{self.place}")

    @property
    def command(self):
        """What runs a command in the namespace."""
        return "nsenter", f"--target={self.keeper.pid}", "--mount", f"--wd={self.place}"

    def remount(self, options):
        subprocess.run([*self.command, "mount", "-o", f"remount,bind,{options}", str(self.place)], check=True)

    def fill(self, leaving=0):
        """Takes all the room that is left but for some bytes, whole pages of them."""
        with open(self.inside / "filler", "wb", buffering=0) as filler:
            for size in (1 << 16, 1 << 12, 1):
                try:
                    while True:
                        filler.write(b"\0" * size)
                except OSError:
                    continue
            filler.truncate(max(filler.tell() - leaving, 0))

    def make_room(self):
        (self.inside / "filler").unlink()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.keeper.kill()
        self.keeper.wait()


class OnDisk(Installation):
    """An installation on a small disk."""

    def __init__(self, disk):
        super().__init__(disk.place)
        self.disk = disk

    @property
    def files(self):
        return self.disk.inside / "data"

    def arguments(self, *arguments):
        return [*self.disk.command, *super().arguments(*arguments)]


class Lock:
    """Another process's lock on the database: nobody else can write until it is let go."""

    def __init__(self, installation, kind="EXCLUSIVE"):
        self.connection = sqlite3.connect(installation.data / "launchlink.db", isolation_level=None, timeout=PATIENCE)
        self.connection.execute(f"BEGIN {kind}")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.connection.execute("ROLLBACK")
        self.connection.close()


def preloadable(name, directory):
    """A library made of a C source beside the tests, for LD_PRELOAD."""
    swift = shutil.which("swift")
    compiler = shutil.which("clang") or shutil.which("cc") or swift and shutil.which("clang", path=Path(swift).resolve().parent)
    if not compiler:
        pytest.skip("no C compiler is here")
    built = directory / f"{name}.so"
    source = Path(__file__).with_name(f"{name}.c")
    subprocess.run([compiler, "-shared", "-fPIC", "-O", "-o", built, source], check=True)
    return str(built)


class Gateway:
    """A gateway that uses launches up, and a partner that issues them, in a project of the policy `once`."""

    def __init__(self, installation):
        installation.project(options=("--replay-policy", "once"))
        self.launch, self.verify = installation.key("launch", PROJECT), installation.key("verify")

    def question(self, server):
        return question(self, server.client(self.launch).launched(page="cs"))

    def messages(self, server, count):
        """The bytes that use so many launches, each another."""
        partner, launches = server.client(self.launch), []
        while len(launches) < count:
            items = [{"page": "cs"}] * min(count - len(launches), 100)
            launches += partner.post("/launch/batch", {"user_id": USER, "platform": "IOS", "items": items}).json()["items"]
        return [message(question(self, launch)) for launch in launches]


def open_to_others(directory):
    """Lets other users reach a directory that pytest made for one alone."""
    for place in [directory, *directory.parents]:
        if "pytest" in str(place) and place.stat().st_mode & 0o055 != 0o055:
            place.chmod(place.stat().st_mode | 0o055)


def for_others(command, directory):
    """A command of the program as other users can run it: a copy, since the tree may lie where only its owner gets."""
    open_to_others(directory)
    return [shutil.copy(command[0], directory / "launchlink"), *command[1:]]


def refused(answer):
    """The answer is a 503 that says when to come again."""
    problem = assert_problem(answer, 503, "unavailable")
    assert int(answer.headers["Retry-After"]) >= 1
    return problem
