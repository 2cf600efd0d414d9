"""The disk fails the program: full, read-only, files cut short, damaged, moved away or replaced.

What was reported done stays done, nothing wrong is answered, the operator is told, and the server goes on by itself where
it can.
"""

import os
import shutil
import subprocess

import pytest

from faults import Disk, Gateway, OnDisk, open_to_others, refused
from harness import CATALOG, PROJECT, Client, environment, eventually, install, items
from test_single_use import use

LIMIT = 2000


@pytest.fixture
def disk(tmp_path):
    with Disk(tmp_path / "disk", 4096) as made:
        yield made


@pytest.fixture
def cell(disk):
    """An installation on the small disk."""
    made = OnDisk(disk)
    made.run("init")
    return made


@pytest.fixture
def house(fresh):
    fresh.run("catalog", "import", CATALOG)
    return fresh


def ready(server):
    return Client(server.operations).get("/readyz").status_code == 200


def start(installation, status):
    """What a server says that does not start."""
    done = installation.run("serve", "--listen", "127.0.0.1:0", "--operations-listen", "127.0.0.1:0", status=status)
    return done.stderr


def test_a_full_disk_stops_changes_and_no_launch(cell, disk):
    gateway = Gateway(cell)
    with cell.serve() as server:
        partner, verifier = server.client(gateway.launch), server.client(gateway.verify)
        before = {user: partner.launched(user_id=user) for user in (f"U{number}" for number in range(40))}
        used, late = gateway.question(server), gateway.question(server)
        assert use(server, used) == (204, None)
        disk.fill()
        # The log has some room of its own; what was said to be done up to its end has to hold.
        out = []
        for user in [*before, *(f"X{number}" for number in range(LIMIT))]:
            answer = partner.post("/launch/revoke", {"user_id": user})
            if answer.status_code != 204:
                break
            out.append(user)
        refused(answer)
        assert use(server, late) == (503, None) and use(server, used) == (401, "replayed")
        assert verifier.verdict(partner.launched()) == "valid" and ready(server)
        assert "The disk is full. Nothing was changed." in server.log

        keys = items(cell.json("key", "list"))
        for command in (("key", "create", "--scope", "launch", "--project", PROJECT), ("catalog", "import", CATALOG),
                        ("db", "backup", disk.place / "backup.db"), ("signing-key", "create"), ("master-key", "rotate")):
            said = cell.run(*command, status=74).stderr
            assert "disk is full" in said or "No space left" in said, said
        assert not list(disk.inside.glob("backup*")) and not list(cell.files.glob("master.key.*")), "nothing half-written"
        assert [one["key_id"] for one in items(cell.json("key", "list"))] == [one["key_id"] for one in keys]

        disk.make_room()
        assert use(server, late) == (204, None) and use(server, late) == (401, "replayed")
        assert partner.post("/launch/revoke", {"user_id": "Z"}).status_code == 204
        for user, launch in before.items():
            assert verifier.verdict(launch) == ("revoked" if user in out else "valid")
        cell.key("launch", PROJECT)
        assert cell.json("db", "check")["sound"] is True
        assert server.stop() == 0


def test_a_read_only_file_system_is_called_so(cell, disk):
    gateway = Gateway(cell)
    disk.remount("ro")
    assert "read-only" in start(cell, 74)
    for command in (("project", "list"), ("init",), ("db", "check"), ("key", "create", "--scope", "support", "--name", "S")):
        assert "read-only" in cell.run(*command, status=74).stderr
    disk.remount("rw")
    with cell.serve() as server:
        assert server.client(gateway.launch).launch().status_code == 200


def test_a_file_that_may_not_grow_is_a_failure_and_no_death(house):
    gateway = Gateway(house)
    with house.serve() as server:
        partner, late = server.client(gateway.launch), gateway.question(server)
        limit = lambda size: subprocess.run(["prlimit", f"--pid={server.process.pid}", f"--fsize={size}:"], check=True)
        limit(4096)
        eventually(lambda: partner.post("/launch/revoke", {"user_id": "U"}).status_code == 503)
        assert use(server, late) == (503, None) and partner.launch().status_code == 200
        assert server.process.poll() is None and "disk is full or failed" in server.log
        limit("unlimited")
        assert use(server, late) == (204, None)
    command = ["prlimit", "--fsize=4096", *house.arguments("catalog", "import", CATALOG)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=house.directory, env=environment())
    assert done.returncode == 74 and "disk is full or failed" in done.stderr
    assert house.json("db", "check")["sound"] is True


FILES = ("launchlink.db", "launchlink.db-wal", "launchlink.db-shm")


def test_moved_away_and_put_back(house):
    gateway = Gateway(house)
    away = house.directory / "away"
    away.mkdir()
    with house.serve() as server:
        partner, late = server.client(gateway.launch), gateway.question(server)
        for name in FILES:
            (house.data / name).rename(away / name)
        eventually(lambda: partner.launch().status_code == 503)
        refused(partner.launch())
        refused(partner.post("/launch/revoke", {"user_id": "U"}))
        assert use(server, late) == (503, None) and not ready(server)
        assert "no database" in house.run("project", "list", status=78).stderr
        assert "no database" in start(house, 78)
        for name in reversed(FILES):
            (away / name).rename(house.data / name)
        eventually(lambda: partner.launch().status_code == 200)
        assert use(server, late) == (204, None) and use(server, late) == (401, "replayed") and ready(server)
    assert house.json("db", "check")["sound"] is True


def test_another_database_in_its_place_ends_the_server(house, tmp_path):
    """systemd starts it again (Restart=on-failure), and the next start opens the new one."""
    gateway = Gateway(house)
    (tmp_path / "other").mkdir()
    other = install(tmp_path / "other")
    server = house.serve()
    with server:
        server.client(gateway.launch).launched()
        for name in FILES:
            (house.data / name).unlink()
        house.run("init")
        assert server.process.wait(10) == 69
        assert "Another database was put in the place of the open one" in server.log
    with house.serve() as server:
        assert server.client(gateway.launch).launch().status_code == 401
        house.project()
        assert server.client(house.key("launch", PROJECT)).launch().status_code == 200
    # One that was sealed with another key ring.
    for name in FILES:
        (house.data / name).unlink(missing_ok=True)
    other.project()
    shutil.copyfile(other.data / "launchlink.db", house.data / "launchlink.db")
    assert "master key" in start(house, 78)


@pytest.mark.parametrize("lost", [FILES[1:], FILES[1:2], FILES[2:]])
def test_without_its_log_files_the_server_answers_nothing(house, lost):
    """Else a key that the command revokes, which makes new files, would go on working here."""
    gateway = Gateway(house)
    with house.serve() as server:
        partner, late = server.client(gateway.launch), gateway.question(server)
        partner.launched()
        for name in lost:
            (house.data / name).unlink()
        eventually(lambda: partner.launch().status_code == 503)
        refused(partner.launch())
        refused(partner.post("/launch/revoke", {"user_id": "U"}))
        assert use(server, late) == (503, None)
        assert "removed or replaced" in server.log and "db check" in server.log
        server.process.kill()
    with house.serve() as server:
        assert server.client(gateway.launch).launch().status_code == 200
        assert use(server, late) == (204, None)
    assert house.json("db", "check")["sound"] is True


def damage(path, start, size):
    with open(path, "r+b") as file:
        file.seek(start)
        file.write(b"\xa5" * size)


def test_damaged_under_a_running_server(house):
    gateway = Gateway(house)
    house.run("db", "backup", house.directory / "backup.db")
    with house.serve() as server:
        partner, late = server.client(gateway.launch), gateway.question(server)
        launch = partner.launched()
        size = (house.data / "launchlink.db").stat().st_size
        damage(house.data / "launchlink.db", 4096, size - 4096)
        # What it knows it still answers, and rightly; what it would have to read it does not make up.
        assert partner.launch().status_code in (200, 503)
        refused(partner.get("/businesses"))
        refused(partner.launch(page="program", business_id="11st"))
        assert use(server, late) == (503, None) and not ready(server)
        assert server.client(gateway.verify).post(
            "/verify", {name: launch[name] for name in ("method", "url", "headers")}).status_code == 503
        assert "The database is damaged" in server.log
        for command in (("project", "list"), ("db", "check"), ("key", "create", "--scope", "support", "--name", "S")):
            said = house.run(*command, status=78).stderr
            assert "damaged" in said and "backup" in said
        server.process.kill()
    assert "damaged" in start(house, 78)
    house.run("db", "restore", house.directory / "backup.db", "--replace", "--keep-keys", "--yes")
    with house.serve() as server:
        assert server.client(gateway.launch).launch(page="program", business_id="11st").status_code == 200


@pytest.mark.parametrize("content", [b"", b"x" * 100, b"SQLite format 3\0" + bytes(84)])
def test_cut_short_or_overwritten_while_stopped(house, content):
    (house.data / "launchlink.db").write_bytes(content)
    said = start(house, 78)
    assert ("empty" if content == b"" else "damaged") in said and "backup" in said


def test_files_of_another_user_are_refused_by_name(house):
    if os.geteuid() != 0:
        pytest.skip("giving files to another user takes root")
    for path in [house.data, *house.data.iterdir()]:
        os.chown(path, 4242, 4242)
    open_to_others(house.directory)
    with house.serve():
        assert all((house.data / name).stat().st_uid == 4242 for name in FILES), "root serves as the owner"
    for name in FILES[1:]:
        (house.data / name).touch(mode=0o600)
        os.chown(house.data / name, 0, 0)
    assert "launchlink.db" in house.run("doctor", status=78).stdout
    assert "The database" in start(house, None)
