"""A file system that turns read-only under a running server: by a switch, which can be put back, and for good.

The kernel refuses to remount one for reading while a server writes there, so it does so only where it finds an error.
"""

import os
import subprocess
import time
from pathlib import Path

import pytest

from faults import Disk, Gateway, OnDisk, preloadable, refused
from harness import CATALOG, PROJECT, Client, environment, eventually
from test_single_use import use

WORD = "The file system of the database is read-only. Nothing was changed."
CHANGES = (("key", "create", "--scope", "launch", "--project", PROJECT), ("catalog", "import", CATALOG),
           ("signing-key", "create"), ("master-key", "rotate"))


def test_for_a_while(fresh, tmp_path):
    switch = tmp_path / "read-only"
    env = environment(LD_PRELOAD=preloadable("disk", tmp_path), READ_ONLY=str(switch))
    gateway = Gateway(fresh)
    log = tmp_path / "access.log"
    with fresh.serve(env=env | {"LAUNCHLINK_ACCESS_LOG": str(log)}) as server:
        partner, verifier = server.client(gateway.launch), server.client(gateway.verify)
        launch, late, launches = partner.launched(user_id="U"), gateway.question(server), 2
        switch.touch()
        for _ in range(5):
            assert verifier.verdict(partner.launched()) == "valid" and verifier.verdict(launch) == "valid"
            launches += 1
            refused(partner.post("/launch/revoke", {"user_id": "U"}))
            assert use(server, late) == (503, None)
            assert partner.get("/businesses").status_code == 200
        assert WORD in server.log
        for command in CHANGES:
            said = fresh.run(*command, status=74, env=env).stderr
            assert WORD in said or "Read-only file system" in said
        eventually(lambda: f"usage counts cannot be written; they are kept and tried again: {WORD}" in server.log)
        eventually(lambda: "access log: writing fails: Read-only file system; requests go on" in server.log)
        switch.unlink()
        assert use(server, late) == (204, None) and use(server, late) == (401, "replayed")
        assert verifier.verdict(launch) == "valid", "no log-out that was refused counts"
        assert partner.post("/launch/revoke", {"user_id": "U"}).status_code == 204
        assert verifier.verdict(launch) == "revoked"
        assert Client(server.operations).get("/readyz").status_code == 200
        fresh.run("master-key", "rotate", env=env)
        eventually(lambda: sum(one["launches"] for one in fresh.json("stats")["items"]) == launches)
        eventually(lambda: log.read_text().count('"/launch"') == launches)
    assert fresh.json("db", "check")["sound"] is True


class FailingDisk(Disk):
    """A file system in a file, which the kernel can be told to find an error in."""

    def __init__(self, place):
        self.image = place.with_name("image")
        with open(self.image, "wb") as image:
            image.truncate(16 << 20)
        if subprocess.run(["mkfs.ext4", "-q", "-F", self.image], capture_output=True, check=False).returncode != 0:
            pytest.skip("mkfs.ext4 does not work here")
        super().__init__(place, 64)
        self.mount()

    def mount(self):
        done = subprocess.run([*self.command, "mount", "-o", "loop,errors=remount-ro", str(self.image), str(self.place)],
                              capture_output=True, text=True, check=False)
        if done.returncode != 0:
            pytest.skip(f"no loop device can be mounted here: {done.stderr.strip()}")
        device = os.stat(self.inside).st_dev
        name = Path(f"/sys/dev/block/{os.major(device)}:{os.minor(device)}").resolve().name
        self.trigger = Path("/sys/fs/ext4") / name / "trigger_fs_error"

    def fail(self):
        try:
            self.trigger.write_text("a test\n")
        except OSError as error:
            pytest.skip(f"no error can be had of the file system here: {error}")

    def mount_anew(self):
        subprocess.run(["nsenter", *self.command[1:3], "umount", str(self.place)], check=True)
        self.mount()


@pytest.fixture
def failing(tmp_path):
    with FailingDisk(tmp_path / "disk") as made:
        yield made


def test_for_good(failing):
    cell = OnDisk(failing)
    cell.run("init")
    gateway = Gateway(cell)
    with cell.serve() as server:
        partner, verifier = server.client(gateway.launch), server.client(gateway.verify)
        before = {user: partner.launched(user_id=user) for user in ("A", "B", "C")}
        late, used = gateway.question(server), gateway.question(server)
        assert partner.post("/launch/revoke", {"user_id": "A"}).status_code == 204 and use(server, used) == (204, None)
        failing.fail()
        for _ in range(5):
            # What is open stays readable; where something has to be opened anew it is refused.
            launch = partner.launch()
            assert launch.status_code in (200, 503)
            if launch.status_code == 200:
                assert verifier.verdict(launch.json()) == "valid" and verifier.verdict(before["A"]) == "revoked"
            refused(partner.post("/launch/revoke", {"user_id": "B"}))
            assert use(server, late) == (503, None) and use(server, used) in ((401, "replayed"), (503, None))
            time.sleep(0.2)
        assert WORD in server.log and "dmesg" in server.log
        for command in CHANGES:
            assert WORD in cell.run(*command, status=74).stderr
        server.process.kill()
    assert WORD in cell.run("serve", "--listen", "127.0.0.1:0", "--operations-listen", "127.0.0.1:0", status=74).stderr
    failing.mount_anew()
    with cell.serve() as server:
        partner, verifier = server.client(gateway.launch), server.client(gateway.verify)
        assert [verifier.verdict(before[user]) for user in "ABC"] == ["revoked", "valid", "valid"]
        assert use(server, used) == (401, "replayed") and use(server, late) == (204, None)
        assert partner.post("/launch/revoke", {"user_id": "B"}).status_code == 204
    assert cell.json("db", "check")["sound"] is True
