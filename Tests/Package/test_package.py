"""The life of the Debian package, step by step on one system: each test goes on where the one before ended."""

import json
import os
import shutil
import signal
import socket
import sqlite3
import subprocess
import threading
from contextlib import closing, contextmanager

import pytest
import requests

from conftest import ROOT
from harness import PATIENCE, eventually

DATA, ETC = "/var/lib/launchlink", "/etc/launchlink"
FIXTURE = ROOT / "Tests/EndToEnd/fixtures/schema-1"
TOLD = json.loads((FIXTURE / "told.json").read_text())


def test_lintian_finds_no_error(packages):
    said = subprocess.run(["lintian", "--fail-on", "error", packages[1]], capture_output=True, text=True)
    assert said.returncode == 0, said.stdout + said.stderr


def test_the_package_is_the_same_each_time(packages, tmp_path):
    unpacked = tmp_path / "unpacked"
    subprocess.run(["dpkg-deb", "--extract", packages[1], unpacked], check=True)
    again = subprocess.run(
        [ROOT / "Deploy/debian/build", os.environ["BINARY_UNDER_TEST"], tmp_path], check=True, capture_output=True,
        text=True).stdout.strip()
    assert open(again, "rb").read() == packages[1].read_bytes()


def test_it_installs_without_swift(system, packages):
    system.install(packages[0])
    linked = system.run("ldd", "/usr/bin/launchlink").stdout
    assert "swift" not in linked.lower() and "not found" not in linked
    assert system.run("launchlink", "version").stdout.startswith("launchlink ")
    data = system.path(DATA).stat()
    assert (data.st_mode & 0o777, owner(system, DATA)) == (0o700, "launchlink:launchlink")
    assert owner(system, DATA + "/launchlink.db") == owner(system, DATA + "/master.key") == "launchlink:launchlink"
    assert json.loads(system.run("launchlink", "config", "show", "--output", "json").stdout)


def test_its_documentation_is_there(system, packages):
    listed = subprocess.run(["dpkg-deb", "--contents", packages[1]], check=True, capture_output=True, text=True).stdout
    for name in ("man/man1/launchlink.1.gz", "man/man5/launchlink.yaml.5.gz", "bash-completion/completions/launchlink",
                 "zsh/vendor-completions/_launchlink", "fish/vendor_completions.d/launchlink.fish",
                 "doc/launchlink/examples/api.conf", "doc/launchlink/README.md.gz"):
        assert f"./usr/share/{name}" in listed


def test_doctor_finds_nothing_that_keeps_it_from_working(system):
    done = system.run("launchlink", "doctor", "--output", "json", status=None)
    assert done.returncode == 0, done.stdout


def test_an_upgrade_refuses_no_connection_and_keeps_what_there_was(system, packages):
    put_fixture(system)
    with closing(socket.create_server(("127.0.0.1", 0), backlog=1024)) as api, \
            closing(socket.create_server(("127.0.0.1", 0))) as operations:
        url = "http://127.0.0.1:%d" % api.getsockname()[1]
        with serving(system, api, operations) as server:
            assert launch(url, TOLD["keys"]["launch"]).status_code == 200
            with closing(sqlite3.connect(system.path(DATA + "/launchlink.db"))) as database:
                assert database.execute("PRAGMA user_version").fetchone()[0] > 1
            assert list(system.path(DATA).glob("launchlink.db.v1.*.backup"))
            calls = Calls(url)
            system.install(packages[1])
            server.send_signal(signal.SIGTERM)
            assert server.wait(timeout=PATIENCE) == 0
        with serving(system, api, operations) as server:
            calls.end()
            assert launch(url, TOLD["keys"]["launch"]).status_code == 200
        assert calls.answers and set(calls.answers) == {200}
    version = system.run("dpkg-query", "--show", "--showformat", "${Version}", "launchlink").stdout
    assert packages[1].name.split("_")[1] == version


def test_removing_it_keeps_data_and_configuration(system):
    system.path(ETC + "/launchlink.yaml").open("a").write("# changed\n")
    system.run("apt-get", "remove", "--yes", "launchlink")
    assert not system.path("/usr/bin/launchlink").exists()
    assert system.path(DATA + "/launchlink.db").exists() and system.path(ETC + "/launchlink.yaml").exists()


def test_purging_it_leaves_nothing(system):
    system.run("apt-get", "purge", "--yes", "launchlink")
    for name in (DATA, ETC, "/var/log/launchlink", "/etc/logrotate.d/launchlink", "/lib/systemd/system/launchlink.service"):
        assert not system.path(name).exists(), name
    left = system.run("find", "/etc", "/usr", "/var", "-name", "*launchlink*", "-not", "-path", "/var/cache/*").stdout
    assert not left


def test_a_wrong_configuration_fails_no_installation(system, packages):
    system.path(ETC).mkdir()
    system.path(ETC + "/launchlink.yaml").write_text("lissten: 127.0.0.1:8080\n")
    shutil.copy(packages[1], system.path("/tmp"))
    done = system.run("apt-get", "install", "--yes", "--no-install-recommends", "-o", "Dpkg::Options::=--force-confold",
                      f"/tmp/{packages[1].name}")
    assert "did you mean listen?" in done.stdout + done.stderr and "launchlink init" in done.stdout + done.stderr
    assert not system.path(DATA + "/launchlink.db").exists()
    system.path(ETC + "/launchlink.yaml").write_text(f"data_directory: {DATA}\n")
    # The same again, by a shell that is set up for something else.
    system.run("env", "LAUNCHLINK_LISTEN=nowhere", "apt-get", "install", "--yes", "--reinstall", f"/tmp/{packages[1].name}")
    assert owner(system, DATA + "/master.key") == "launchlink:launchlink"
    system.run("apt-get", "purge", "--yes", "launchlink")
    assert not system.path(DATA).exists() and not system.path(ETC).exists()


def owner(system, path):
    return system.run("stat", "--format", "%U:%G", path).stdout.strip()


def put_fixture(system):
    """The data of an installation from before the schema changed."""
    for name in ("launchlink.db-wal", "launchlink.db-shm"):
        system.path(f"{DATA}/{name}").unlink(missing_ok=True)
    for name in ("launchlink.db", "master.key"):
        shutil.copyfile(FIXTURE / name, system.path(f"{DATA}/{name}"))
        system.run("chown", "launchlink:launchlink", f"{DATA}/{name}")
        system.run("chmod", "0600", f"{DATA}/{name}")


@contextmanager
def serving(system, api, operations):
    """The installed server as systemd would start it: as its user, with two sockets and a place to report to."""
    notify = system.path("/run/notify")
    notify.unlink(missing_ok=True)
    with closing(socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)) as manager:
        manager.bind(str(notify))
        notify.chmod(0o666)
        manager.settimeout(PATIENCE)
        sockets = [os.dup(api.fileno()), os.dup(operations.fileno())]

        def place():
            """Sockets have to be the descriptors from 3 on."""
            high = [os.dup2(each, 100 + index) for index, each in enumerate(sockets)]
            for index, each in enumerate(high):
                os.dup2(each, 3 + index)

        process = subprocess.Popen(
            ["chroot", "--userspec=launchlink:launchlink", system.root, "sh", "-c",
             "LISTEN_PID=$$ exec launchlink serve"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, preexec_fn=place,
            pass_fds=(3, 4), close_fds=True,
            env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LISTEN_FDS": "2", "LISTEN_FDNAMES": "api:operations",
                 "NOTIFY_SOCKET": "/run/notify"})
        for each in sockets:
            os.close(each)
        try:
            while "READY=1" not in manager.recv(4096).decode():
                pass
            yield process
        finally:
            if process.poll() is None:
                process.terminate()
                assert process.wait(timeout=PATIENCE) == 0


def launch(url, key):
    return requests.post(url + "/launch", json={"user_id": "USER-1", "platform": "IOS"}, timeout=PATIENCE,
                         headers={"Authorization": "Bearer " + key["api_key"], "Connection": "close"})


class Calls:
    """Launches on new connections, one after the other, until it is ended."""

    def __init__(self, url):
        self.answers = []
        self.ending = threading.Event()
        self.thread = threading.Thread(target=self.call, args=(url,))
        self.thread.start()
        eventually(lambda: len(self.answers) > 10)

    def call(self, url):
        while not self.ending.is_set():
            try:
                self.answers.append(launch(url, TOLD["keys"]["launch"]).status_code)
            except requests.RequestException as fault:
                self.answers.append(str(fault))

    def end(self):
        before = len(self.answers)
        eventually(lambda: len(self.answers) > before + 10)
        self.ending.set()
        self.thread.join(PATIENCE)
