"""The servers under load: each on a core of its own, none left behind whatever ends this script."""

import os
import socket
import subprocess
import threading
import time
from contextlib import contextmanager
from pathlib import Path

from harness import ROOT, environment

SERVER_CORE = os.environ.get("SERVER_CORE", "0")
LOAD_CORE = os.environ.get("LOAD_CORE", "1")
PATIENCE = 60


def pinned(core):
    """What goes before a command: it runs on that core, and ends with the script even if that is killed."""
    return ["setpriv", "--pdeathsig", "TERM", "taskset", "--cpu-list", core]


def pin_thread(core):
    """Keeps the calling thread on that core, or on those."""
    os.sched_setaffinity(threading.get_native_id(), {int(one) for one in core.split(",")})


def free_port():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return taken.getsockname()[1]


@contextmanager
def running(command, port, core=SERVER_CORE, **options):
    """A server's process, once it accepts connections at its port."""
    process = subprocess.Popen([*pinned(core), *map(str, command)], stdin=subprocess.DEVNULL, **options)
    try:
        deadline = time.monotonic() + PATIENCE
        while True:
            try:
                socket.create_connection(("127.0.0.1", port), timeout=1).close()
                break
            except OSError:
                assert process.poll() is None and time.monotonic() < deadline, f"{command[0]} does not listen"
                time.sleep(0.01)
        yield Running(process, f"http://127.0.0.1:{port}")
    finally:
        process.terminate()
        try:
            process.wait(timeout=10)
        finally:
            process.kill()


class Running:
    """A server and what the system says of it."""

    def __init__(self, process, url):
        self.process, self.url = process, url

    def family(self):
        """The process and its children."""
        found = [self.process.pid]
        for pid in found:
            for children in Path(f"/proc/{pid}/task").glob("*/children"):
                found += map(int, children.read_text().split())
        return found

    def processor_time(self):
        """Nanoseconds that all its threads have run until now."""
        threads = (one for pid in self.family() for one in Path(f"/proc/{pid}/task").glob("*/schedstat"))
        return sum(int(one.read_text().split()[0]) for one in threads)

    def resident(self):
        """MiB of memory that it holds."""
        kibibytes = 0
        for pid in self.family():
            lines = Path(f"/proc/{pid}/status").read_text().splitlines()
            kibibytes += next(int(line.split()[1]) for line in lines if line.startswith("VmRSS"))
        return kibibytes / 1024


@contextmanager
def nginx(directory, size, log=None):
    """nginx that answers everything with `size` bytes, with one worker."""
    directory, port = Path(directory), free_port()
    directory.mkdir()
    places = "".join(
        f"  {kind}_temp_path {directory}/{kind};\n" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    configuration = directory / "nginx.conf"
    configuration.write_text(f"""worker_processes 1;
daemon off;
pid {directory}/nginx.pid;
error_log {directory}/error.log;
events {{ worker_connections 2048; }}
http {{
{places}  access_log {f"{log} combined" if log else "off"};
  keepalive_requests 1000000000;
  default_type application/json;
  server {{
    listen 127.0.0.1:{port};
    location / {{ return 200 "{"x" * size}"; }}
  }}
}}
""")
    with running(["nginx", "-c", configuration, "-e", directory / "error.log"], port) as server:
        yield server


def build_bare():
    """The bare libmicrohttpd server, compiled."""
    program = ROOT / ".build/load/bare"
    program.parent.mkdir(parents=True, exist_ok=True)
    source = Path(__file__).with_name("bare.c")
    subprocess.run(["cc", "-O2", "-Wall", "-Wextra", "-Werror", "-o", program, source, "-lmicrohttpd"], check=True)
    return program


@contextmanager
def bare(directory, size):
    """The bare libmicrohttpd server that answers everything with `size` bytes."""
    body = Path(directory) / f"constant-{size}"
    body.write_bytes(b"x" * size)
    port = free_port()
    with running([build_bare(), port, body], port) as server:
        yield server


@contextmanager
def launchlink(installation, core=SERVER_CORE, workers=1, log=None):
    """LaunchLink with everything on that a deployment has on."""
    settings = {"LAUNCHLINK_WORKERS": str(workers)}
    if log:
        settings["LAUNCHLINK_ACCESS_LOG"] = str(log)
    with installation.serve(command=pinned(core), env=environment(**settings)) as server:
        yield Running(server.process, server.url)


def has_access_log(installation):
    """Whether the program under test knows the setting `access_log`."""
    known = installation.run("config", "check", status=None, env=environment(LAUNCHLINK_ACCESS_LOG="access.log"))
    return known.returncode == 0
