"""The key ring is missing, wrong, empty or open to others: no command starts with it, and a running server goes on."""

import os

import pytest

from faults import Gateway
from harness import PROJECT, Client
from test_single_use import use

LAUNCH = ("launch", "--project", PROJECT, "--user-id", "U", "--platform", "IOS")
SERVE = ("serve", "--listen", "127.0.0.1:0", "--operations-listen", "127.0.0.1:0")
FAULTS = {
    "missing": (os.unlink, 78, "No such file"),
    "wrong": (lambda path: path.write_text("mk_0123456789ab:" + "A" * 43 + "=\n"), 78, "sealed with the master key"),
    "empty": (lambda path: path.write_bytes(b""), 78, "Restore it from your own backup"),
    "cut short": (lambda path: path.write_bytes(path.read_bytes()[:30]), 78, "damaged in line 1"),
    "readable by all": (lambda path: path.chmod(0o644), 77, "chmod 0600"),
    "no file": (lambda path: (path.unlink(), path.mkdir()), 77, "no plain file"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_it_is_named_and_nothing_is_changed(fresh, fault):
    act, status, word = FAULTS[fault]
    gateway = Gateway(fresh)
    ring = fresh.data / "master.key"
    secret = ring.read_text().strip().split(":")[1]
    with fresh.serve() as server:
        act(ring)
        before = ring.read_bytes() if ring.is_file() else None
        assert server.client(gateway.launch).launch().status_code == 200
        assert use(server, gateway.question(server)) == (204, None), "the running server has what it needs"
        for command in (("project", "list"), LAUNCH, ("master-key", "rotate"), ("init",), SERVE):
            done = fresh.run(*command, status=None)
            assert done.returncode == status, (command, done)
            expected = "master key is missing" if fault == "missing" and command == ("init",) else word
            if expected not in done.stderr:
                assert "master.key is missing" in done.stderr, done.stderr
            assert secret not in done.stderr + done.stdout
        assert (ring.read_bytes() if ring.is_file() else None) == before
        assert secret not in server.log and Client(server.operations).get("/readyz").status_code == 200
