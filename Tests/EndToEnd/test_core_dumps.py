"""What holds keys in memory leaves no core file, and is locked where that is allowed; SIGQUIT ends a server orderly."""

import base64
import re
import resource
import signal
from pathlib import Path

import pytest

from harness import PATIENCE, PROJECT, ROOT, WEB_API_KEY, environment


def test_a_crash_leaves_no_core_file(fresh):
    _, most = resource.getrlimit(resource.RLIMIT_CORE)
    if Path("/proc/sys/kernel/core_pattern").read_text() != "core\n" or most == 0:
        pytest.skip("core files go elsewhere here, or none may be written")
    fresh.project()
    key = fresh.key("launch", PROJECT)
    with fresh.serve(env=environment(SWIFT_BACKTRACE="enable=no"),
                     preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CORE, (most, most))) as server:
        assert server.client(key).launched()
        server.process.send_signal(signal.SIGSEGV)
        assert server.process.wait(PATIENCE) == -signal.SIGSEGV
    secrets = WEB_API_KEY.encode(), base64.b64decode((fresh.data / "master.key").read_text().split(":")[1])
    cores = [file for file in fresh.directory.rglob("*") if file.name.startswith("core")]
    assert not any(secret in core.read_bytes() for core in cores for secret in secrets)
    assert not cores


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
