"""Load: a short soak, and ten thousand idle connections with five hundred slow senders while launches go on."""

import resource
import shutil
import socket
import sys

import pytest

from harness import PATIENCE, PROJECT, ROOT, environment
from test_connections import BODY, head

sys.path.insert(0, str(ROOT / "Tests/Load"))

IDLE = 10_000
SLOW = 500
ROUNDS = 20


@pytest.mark.skipif(shutil.which("wrk") is None, reason="wrk is not here")
def test_a_short_soak_finds_nothing(tmp_path):
    from soak import grown, soak

    _, told, sizes, faults = soak(tmp_path, measuring=2, seconds=9, slices=3)
    assert faults == [] and grown(sizes) == [], (faults, grown(sizes), sizes)
    assert all(one["requests"] > 0 for one in told)


@pytest.fixture
def many_files():
    """Room for the test's own ends of the connections; the server raises its limit by itself."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    needed = IDLE + SLOW + 1000
    if hard < needed:
        pytest.skip(f"{needed} open files are needed, and {hard} are allowed")
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, needed), hard))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def open_connection(server, number):
    """From one of several addresses, so that ports do not run out."""
    return socket.create_connection(server.address, timeout=PATIENCE, source_address=(f"127.0.0.{number % 4 + 2}", 0))


def resident(server):
    with open(f"/proc/{server.process.pid}/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmRSS:"))


def test_idle_connections_and_slow_senders_keep_nobody_out(fresh, many_files, record_property):
    fresh.project()
    key = fresh.key("launch", PROJECT)
    env = environment(LAUNCHLINK_LIMITS_CONNECTIONS=str(IDLE + SLOW + 100), LAUNCHLINK_TIMEOUTS_IDLE="10m",
                      LAUNCHLINK_TIMEOUTS_REQUEST="10m")
    held = []
    with fresh.serve(env=env) as server:
        partner = server.client(key)
        assert partner.launch().status_code == 200
        before = resident(server)
        try:
            for number in range(IDLE):
                held.append(open_connection(server, number))
            # A request on some of them: what it takes to have served one stays with a connection.
            for one in held[:100]:
                one.sendall(head(key) + BODY)
            for one in held[:100]:
                assert one.recv(65536).startswith(b"HTTP/1.1 200 ")
            idle = resident(server)
            slow = [open_connection(server, number) for number in range(SLOW)]
            held += slow
            request = head(key, "Connection: close") + BODY
            for byte in request[:ROUNDS]:
                for one in slow:
                    one.sendall(bytes([byte]))
                for _ in range(10):
                    assert partner.launch().status_code == 200
            record_property("kib_per_idle_connection", (idle - before) / IDLE)
            # Every one of them is still there, the slow ones as well as the idle ones.
            for one in held:
                one.setblocking(False)
                with pytest.raises(BlockingIOError):
                    one.recv(1)
                one.setblocking(True)
            for one in slow[:50]:
                one.sendall(request[ROUNDS:])
            for one in slow[:50]:
                assert one.recv(65536).startswith(b"HTTP/1.1 200 "), "slow, and served all the same"
            assert (idle - before) / IDLE < 40, "KiB for an idle connection"
            assert partner.launch().status_code == 200
        finally:
            for one in held:
                one.close()
        assert server.client(key).launch().status_code == 200
