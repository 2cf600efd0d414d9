"""The machine gives no more: descriptors, memory, threads, room for the access log."""

import os
import shutil
import socket
import subprocess
import threading

import pytest

from faults import Gateway, for_others, refused
from harness import CATALOG, PATIENCE, Client, environment, eventually, install, items
from test_crash import HEADER, assert_whole
from test_single_use import use


def set_limit(server, name, value):
    subprocess.run(["prlimit", f"--pid={server.process.pid}", f"--{name}={value}:"], check=True)


def descriptors(server):
    return len(os.listdir(f"/proc/{server.process.pid}/fd"))


def test_without_descriptors_the_longest_idle_makes_room(fresh):
    gateway = Gateway(fresh)
    with fresh.serve("--workers", "1") as server:
        assert server.client(gateway.launch).launch().status_code == 200
        assert Client(server.operations).get("/readyz").status_code == 200
        set_limit(server, "nofile", descriptors(server) + 20)
        held = [socket.create_connection(server.address, timeout=PATIENCE) for _ in range(100)]
        for _ in range(8):
            assert server.client(gateway.launch).launch().status_code == 200
        for one in held:
            one.close()
        assert server.client(gateway.launch).launch().status_code == 200
        assert Client(server.operations).get("/readyz").status_code == 200


def test_without_descriptors_for_the_database_nothing_wrong_is_said(fresh):
    """The first request of a worker opens the database; where it cannot, the next one does."""
    gateway = Gateway(fresh)
    with fresh.serve("--workers", "1") as server:
        partner, operations = server.client(gateway.launch), Client(server.operations)
        # Both have their connection before there is none left to be had.
        assert partner.get("/nowhere").status_code == 404 and operations.get("/healthz").status_code == 200
        taken = {int(name) for name in os.listdir(f"/proc/{server.process.pid}/fd")}
        set_limit(server, "nofile", min(set(range(len(taken) + 1)) - taken))
        # Without a body: one that has not come yet when its head is refused takes the connection with it.
        refused(partner.get("/whoami"))
        assert operations.get("/readyz").status_code == 503 and operations.get("/healthz").status_code == 200
        assert "Too many open files" in server.log
        set_limit(server, "nofile", 1024)
        assert partner.launch().status_code == 200 and operations.get("/readyz").status_code == 200


def test_no_more_connections_than_the_limit_of_descriptors_allows(fresh):
    """So that what has to be opened besides always finds one."""
    gateway = Gateway(fresh)
    said = "the process may open 400 files, and 10000 connections need 10328: the server keeps 72 connections at most"
    workers = environment(LAUNCHLINK_WORKERS="3")
    with fresh.serve(env=workers, command=("prlimit", "--nofile=400:400")) as server:
        assert f"warning: {said}. Raise the limit (LimitNOFILE, ulimit -n)" in server.log
        assert "launchlink_http_connections_limit 72\n" in Client(server.operations).get("/metrics").text
        held = [socket.create_connection(server.address, timeout=PATIENCE) for _ in range(500)]
        for _ in range(20):
            assert server.client(gateway.launch).launch().status_code == 200
        assert descriptors(server) < 400 - 64 - 128
        assert Client(server.operations).get("/readyz").status_code == 200
        for one in held:
            one.close()
    run = lambda limit, *words: subprocess.run(
        ["prlimit", f"--nofile={limit}:{limit}", *fresh.arguments(*words)], capture_output=True, text=True,
        cwd=fresh.directory, env=workers, timeout=PATIENCE)
    done = run(400, "config", "check")
    assert done.returncode == 0 and said in done.stderr
    assert f"warning: open files: {said}" in run(400, "doctor").stdout
    for words in (("serve", "--listen", "127.0.0.1:0", "--operations-listen", "127.0.0.1:0"), ("config", "check"), ("doctor",)):
        done = run(320, *words)
        assert "the server does not start" in done.stderr + done.stdout, done
        assert done.returncode == 69 or words[0] != "serve"


def test_without_memory_it_ends_and_leaves_everything_whole(fresh):
    """An import and a server that may not grow: they end or refuse, and what was reported is there."""
    gateway = Gateway(fresh)
    fresh.run("catalog", "import", CATALOG)
    businesses = len(items(fresh.json("catalog", "list")))
    large = fresh.directory / "large.csv"
    large.write_text("\n".join([HEADER, *(
        f"b{number},{'n' * 40},,etc,,,,{'t' * 900},,true,all,,,CPS,1,PERCENTAGE_COMMISSION_UNIT" for number in range(3000)
    )]) + "\n")
    done = subprocess.run(
        ["prlimit", "--as=100000000", *fresh.arguments("catalog", "import", large)], capture_output=True, text=True,
        cwd=fresh.directory, env=environment(SWIFT_BACKTRACE="enable=no"))
    assert_whole(fresh, fresh.directory / "copy")
    if done.returncode != 0:
        assert len(items(fresh.json("catalog", "list"))) == businesses, "all or nothing"
    with fresh.serve(env=environment(SWIFT_BACKTRACE="enable=no")) as server:
        partner = server.client(gateway.launch)
        assert partner.post("/launch/revoke", {"user_id": "U"}).status_code == 204
        with open(f"/proc/{server.process.pid}/statm") as statm:
            size = int(statm.read().split()[0]) * os.sysconf("SC_PAGE_SIZE")
        set_limit(server, "as", size + (2 << 20))
        body = {"user_id": "U", "platform": "IOS", "items": [{"page": "cs"}] * 100}
        statuses = set()
        try:
            for _ in range(200):
                statuses.add(server.client(gateway.launch).post("/launch/batch", body).status_code)
        except OSError:
            assert server.process.wait(timeout=PATIENCE) != 0, "whoever supervises it is told"
        assert statuses <= {200, 503}
        server.process.kill()
    assert_whole(fresh, fresh.directory / "copy")
    assert fresh.json("db", "check")["sound"] is True


def test_without_memory_under_load_no_reported_change_is_lost(fresh):
    """Whether it ends, closes connections or refuses: what it said was done is done, and the next one goes on."""
    gateway = Gateway(fresh)
    with fresh.serve("--workers", "2", env=environment(SWIFT_BACKTRACE="enable=no")) as server:
        partner = server.client(gateway.launch)
        launches = {f"U{number}": partner.launched(user_id=f"U{number}") for number in range(200)}
        out, refusals, used, late = [], [], [], [gateway.question(server) for _ in range(20)]

        def log_out(users):
            try:
                for user in users:
                    answer = server.client(gateway.launch).post("/launch/revoke", {"user_id": user})
                    if answer.status_code == 204:
                        out.append(user)
                    else:
                        refusals.append(answer.status_code)
            except OSError:
                pass

        threads = [threading.Thread(target=log_out, args=(list(launches)[first::4],)) for first in range(4)]
        with open(f"/proc/{server.process.pid}/statm") as statm:
            size = int(statm.read().split()[0]) * os.sysconf("SC_PAGE_SIZE")
        for thread in threads:
            thread.start()
        eventually(lambda: len(out) > 10)
        set_limit(server, "as", size + (1 << 20))
        held, batch = [], {"user_id": "X", "platform": "IOS", "items": [{"page": "cs"}] * 100}
        try:
            for question in late:
                if use(server, question) == (204, None):
                    used.append(question)
                for _ in range(10):
                    held.append(server.client(gateway.launch))
                    assert held[-1].post("/launch/batch", batch).status_code in (200, 503)
        except OSError:
            pass
        for thread in threads:
            thread.join()
        assert set(refusals) <= {503}
        server.process.kill()
    assert_whole(fresh, fresh.directory / "copy")
    with fresh.serve() as server:
        verifier = server.client(gateway.verify)
        assert all(verifier.verdict(launches[user]) == "revoked" for user in out)
        assert all(use(server, question) == (401, "replayed") for question in used)
        assert server.client(gateway.launch).launch().status_code == 200


def test_without_threads_it_says_so(tmp_path):
    if os.geteuid() != 0 or not shutil.which("setpriv"):
        pytest.skip("running as another user takes root")
    made = install(tmp_path)
    command = ["setpriv", "--reuid=4343", "--regid=4343", "--clear-groups", "prlimit", "--nproc=2:2"]
    for path in [made.data, *made.data.iterdir()]:
        os.chown(path, 4343, 4343)
    serve = made.arguments("serve", "--workers", "4", "--listen", "127.0.0.1:0", "--operations-listen", "127.0.0.1:0")
    done = subprocess.run(
        command + for_others(serve, tmp_path), capture_output=True, text=True, cwd=tmp_path, env=environment(), timeout=PATIENCE)
    assert done.returncode == 69 and "starting a thread failed" in done.stderr, done
    assert made.json("db", "check")["sound"] is True


def test_a_full_disk_of_the_access_log_stops_no_request(fresh):
    gateway = Gateway(fresh)
    with fresh.serve(env=environment(LAUNCHLINK_ACCESS_LOG="/dev/full")) as server:
        partner = server.client(gateway.launch)
        for _ in range(20):
            assert partner.launch().status_code == 200
        eventually(lambda: "access log: writing fails: No space left on device; requests go on" in server.log)
        assert partner.launch().status_code == 200
        assert server.stop() == 0
    assert "its last lines could not be written" in server.log
