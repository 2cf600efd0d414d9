"""What systemd does and sees, played by the test: notifications, the watchdog, sockets that are passed in."""

import os
import shlex
import socket
import subprocess
import threading
import time
import uuid
from types import SimpleNamespace

import pytest

from faults import preloadable
from harness import PATIENCE, PROJECT, Client, environment, eventually, received
from test_connections import BODY, head


class Manager:
    """The end of NOTIFY_SOCKET that listens."""

    def __init__(self):
        # A name of its own instead of a file, whose path may be too long for a socket.
        self.path = f"@launchlink-{uuid.uuid4()}"
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.bind(self.path.replace("@", "\0"))
        self.socket.settimeout(PATIENCE)

    def next(self, *names):
        """The next message that has one of the names, as a dictionary."""
        while True:
            said = dict(line.split("=", 1) for line in self.socket.recv(4096).decode().splitlines())
            if not names or said.keys() & set(names):
                return said


@pytest.fixture
def manager():
    made = Manager()
    yield made
    made.socket.close()


def test_the_manager_hears_how_the_server_stands(fresh, manager):
    with fresh.serve(env=environment(NOTIFY_SOCKET=manager.path)) as server:
        ready = manager.next()
        assert ready["READY"] == "1" and server.url in ready["STATUS"]
        assert Client(server.url).get("/problems/not_found").status_code == 200
        before = time.monotonic_ns() // 1000
        server.reload()
        reloading = manager.next()
        assert reloading["RELOADING"] == "1"
        assert before <= int(reloading["MONOTONIC_USEC"]) <= time.monotonic_ns() // 1000
        assert manager.next()["READY"] == "1"
        server.process.terminate()
        assert manager.next()["STOPPING"] == "1"


def test_a_server_that_does_not_start_is_never_ready(fresh, manager):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        fresh.run(
            "serve", "--listen", "127.0.0.1:0", "--operations-listen", f"127.0.0.1:{port}", status=69,
            env=environment(NOTIFY_SOCKET=manager.path),
        )
    manager.socket.setblocking(False)
    with pytest.raises(BlockingIOError):
        manager.socket.recv(4096)


def test_the_watchdog_hears_of_a_server_that_works(fresh, manager):
    env = environment(NOTIFY_SOCKET=manager.path, WATCHDOG_USEC="1000000")
    with fresh.serve("--workers", 3, env=env):
        for _ in range(3):
            assert manager.next("WATCHDOG")["WATCHDOG"] == "1"


def test_the_watchdog_hears_nothing_of_a_server_that_is_stuck(fresh, manager):
    """A worker reads from a disk that does not answer, for longer than the watchdog's patience."""
    fresh.project()
    key = fresh.key("launch", PROJECT)
    stuck = fresh.directory / "stuck"
    env = environment(
        NOTIFY_SOCKET=manager.path, WATCHDOG_USEC="400000", LD_PRELOAD=preloadable("disk", fresh.directory), STUCK=str(stuck),
    )
    with fresh.serve("--workers", 1, env=env) as server:
        manager.next("WATCHDOG")
        stuck.touch()
        with socket.create_connection(server.address, timeout=PATIENCE) as made:
            made.sendall(head(key) + BODY)
            eventually(lambda: not heard_within(manager, 1))
            stuck.unlink()
            assert manager.next("WATCHDOG")["WATCHDOG"] == "1"
            assert made.recv(4096).startswith(b"HTTP/1.1 200 ")


def heard_within(manager, seconds):
    """Whether the watchdog is fed at all within the time, from now on."""
    manager.socket.setblocking(False)
    try:
        while True:
            manager.socket.recv(4096)
    except BlockingIOError:
        pass
    manager.socket.settimeout(seconds)
    try:
        manager.next("WATCHDOG")
        return True
    except TimeoutError:
        return False
    finally:
        manager.socket.settimeout(PATIENCE)


def passing(sockets, names=None):
    """How to start a server with these sockets, as systemd does."""
    descriptors = [one.fileno() for one in sockets]

    def arranged():
        copies = [os.dup(one) for one in descriptors]
        high = [os.dup2(one, 100 + index) for index, one in enumerate(copies)]
        for index, one in enumerate(high):
            os.dup2(one, 3 + index)

    named = f"LISTEN_FDNAMES={shlex.quote(':'.join(names))} " if names else ""
    return SimpleNamespace(
        command=["sh", "-c", f'exec env {named}LISTEN_PID=$$ LISTEN_FDS={len(sockets)} "$@"', "sh"],
        how={"preexec_fn": arranged, "close_fds": False},
    )


def listening():
    made = socket.create_server(("127.0.0.1", 0), backlog=512)
    return made, f"http://127.0.0.1:{made.getsockname()[1]}"


@pytest.mark.parametrize("names", [None, ["api", "operations"], ["operations", "api"], ["x", "api"]])
def test_sockets_that_are_passed_in(fresh, names):
    (first, first_url), (second, second_url) = listening(), listening()
    api, operations = (second_url, first_url) if names and names.index("api") == 1 else (first_url, second_url)
    given = passing([first, second], names)
    with first, second, fresh.serve(command=given.command, **given.how) as server:
        assert (server.url, server.operations) == (api, operations)
        assert Client(api).get("/problems/not_found").status_code == 200
        assert Client(operations).get("/readyz").status_code == 200


def test_a_socket_open_to_the_network_needs_tls_or_a_word(fresh):
    with socket.create_server(("0.0.0.0", 0)) as passed:
        given = passing([passed])
        done = subprocess.run(
            [*given.command, *fresh.arguments("serve", "--operations-listen", "127.0.0.1:0")], capture_output=True,
            text=True, env=environment(), cwd=fresh.directory, timeout=PATIENCE, **given.how,
        )
        assert done.returncode == 78 and "allow_plaintext" in done.stderr


def test_an_upgrade_refuses_and_resets_no_connection(fresh):
    fresh.project()
    key = fresh.key("launch", PROJECT)
    api, _ = listening()
    operations, _ = listening()
    given = passing([api, operations], ["api", "operations"])
    failures, answered, over = [], [], threading.Event()

    def client():
        while not over.is_set():
            try:
                with socket.create_connection(api.getsockname(), timeout=PATIENCE) as made:
                    made.sendall(head(key, "Connection: close") + BODY)
                    got = received(made)
                    assert got.startswith(b"HTTP/1.1 200 "), got
                    answered.append(1)
            except Exception as error:
                failures.append(repr(error))

    clients = [threading.Thread(target=client) for _ in range(4)]
    with api, operations:
        server = fresh.serve(command=given.command, **given.how)
        for one in clients:
            one.start()
        try:
            for _ in range(3):
                before = len(answered)
                eventually(lambda: len(answered) > before + 50)
                assert server.stop() == 0
                server = fresh.serve(command=given.command, **given.how)
            before = len(answered)
            eventually(lambda: len(answered) > before + 50)
        finally:
            over.set()
            for one in clients:
                one.join()
            assert server.stop() == 0
    assert not failures, failures[:5]
