"""What holds keys in memory leaves no core file, and is locked where that is allowed; SIGQUIT ends a server orderly."""

import base64
import re
import resource
import shutil
import signal
import subprocess
import termios
from array import array
from fcntl import ioctl
from pathlib import Path

import pytest

from harness import PATIENCE, PROJECT, ROOT, WEB_API_KEY, environment, eventually


def test_a_crash_leaves_no_core_file(fresh):
    _, most = resource.getrlimit(resource.RLIMIT_CORE)
    if Path("/proc/sys/kernel/core_pattern").read_text() != "core\n" or most == 0:
        pytest.skip("core files go elsewhere here, or none may be written")
    fresh.project()
    key = fresh.key("launch", PROJECT)
    with fresh.serve(preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CORE, (most, most))) as server:
        assert server.client(key).launched()
        server.process.send_signal(signal.SIGSEGV)
        assert server.process.wait(PATIENCE) == -signal.SIGSEGV
    secrets = WEB_API_KEY.encode(), base64.b64decode((fresh.data / "master.key").read_text().split(":")[1])
    cores = [file for file in fresh.directory.rglob("*") if file.name.startswith("core")]
    assert not any(secret in core.read_bytes() for core in cores for secret in secrets)
    assert not cores


FAULTS = [signal.SIGABRT, signal.SIGBUS, signal.SIGFPE, signal.SIGILL, signal.SIGSEGV, signal.SIGTRAP]
BACKTRACING = environment(SWIFT_BACKTRACE="enable=yes,color=no,interactive=no,output-to=stderr")


@pytest.fixture
def backtracer():
    swift = shutil.which("swift")
    places = [Path(swift).resolve().parent.parent / "libexec/swift/linux"] if swift else []
    if not any((place / "swift-backtrace").exists() for place in places):
        pytest.skip("Swift's backtracer is not installed here")


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_of_a_command_prints_no_memory(fresh, backtracer, fault):
    """It has read the secret and waits for more of the file."""
    fresh.project()
    process = subprocess.Popen(fresh.arguments("project", "update", PROJECT, "--web-api-key-file", "-"), env=BACKTRACING,
                               stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    process.stdin.write(WEB_API_KEY.encode())
    process.stdin.flush()
    unread = array("i", [1])

    def has_read():
        ioctl(process.stdin, termios.FIONREAD, unread)
        return unread[0] == 0

    eventually(has_read)
    process.send_signal(fault)
    process.stdin.close()
    process.stdin = None
    assert process.communicate(timeout=PATIENCE) == (b"", b"") and process.returncode == -fault


def test_a_fault_of_the_server_prints_no_memory(fresh, backtracer):
    fresh.project()
    key = fresh.key("launch", PROJECT)
    with fresh.serve(env=BACKTRACING) as server:
        assert server.client(key).launched()
        before = server.log
        server.process.send_signal(signal.SIGSEGV)
        assert server.process.wait(PATIENCE) == -signal.SIGSEGV
        eventually(lambda: server.is_silent)
        assert server.log == before


def test_deployments_print_no_backtrace():
    assert "\nEnvironment=SWIFT_BACKTRACE=enable=no\n" in (ROOT / "Deploy/systemd/launchlink.service").read_text()
    assert "SWIFT_BACKTRACE=enable=no" in (ROOT / "Deploy/container/Dockerfile").read_text()


def test_the_master_key_is_locked_and_no_core_file_allowed(fresh):
    with fresh.serve() as server:
        status = Path(f"/proc/{server.process.pid}/status").read_text()
        limits = Path(f"/proc/{server.process.pid}/limits").read_text()
    assert re.search(r"(?m)^Max core file size +0 +0 ", limits)
    if resource.getrlimit(resource.RLIMIT_MEMLOCK)[0] != 0:
        assert int(re.search(r"VmLck:\s+(\d+) kB", status)[1]) > 0


def test_memory_that_cannot_be_locked_is_no_fault(fresh):
    # Root may lock whatever the limit says, so the right to it is taken away as well.
    command = ("setpriv", "--bounding-set=-ipc_lock", "--inh-caps=-ipc_lock")
    with fresh.serve(command=command, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_MEMLOCK, (0, 0))) as server:
        assert server.stop() == 0


def test_deployments_allow_no_core_file():
    assert "\nLimitCORE=0\n" in (ROOT / "Deploy/systemd/launchlink.service").read_text()
    assert re.search(r"\n    ulimits:\n      core: 0\n", (ROOT / "Deploy/container/compose.yaml").read_text())


@pytest.mark.parametrize("sent", [signal.SIGQUIT, signal.SIGTERM, signal.SIGINT])
def test_a_signal_to_end_lets_the_server_finish(fresh, sent):
    fresh.project()
    key = fresh.key("launch", PROJECT)
    with fresh.serve() as server:
        server.client(key).launched()
        server.process.send_signal(sent)
        assert server.process.wait(PATIENCE) == 0, server.log
        assert "stopping" in server.log
    launches = fresh.json("stats", "--days", "1")
    assert launches, "what was counted is written at the end"
