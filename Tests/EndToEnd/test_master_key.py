"""The master key: rotated under a running server, killed while it rotates, dropped, refused where it cannot be written."""

import json
import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

from faults import Lock
from harness import CATALOG, PATIENCE, PROJECT, WEB_API_KEY, Client, environment, eventually, install, items
from test_crash import Moments, assert_whole, killed
from test_revocation import Hammer

KILLS = 40


def ring(installation):
    """The ids in the key ring, the sealing one last."""
    path = installation.data / "master.key"
    assert path.stat().st_mode & 0o777 == 0o600
    return [line.split(":")[0] for line in path.read_text().splitlines()]


@pytest.fixture
def house(fresh):
    """A project of each delivery and three signing keys, so that there is more than one secret to seal anew."""
    fresh.project(delivery="direct")
    fresh.project("0" * 23 + "1", "Second", key="wk_second")
    fresh.run("catalog", "import", CATALOG)
    for _ in range(2):
        fresh.run("signing-key", "create")
    return fresh


def test_a_server_whose_key_ring_opens_nothing_any_more_is_not_ready(fresh):
    fresh.project()
    copy = fresh.directory / "copy.key"
    copy.write_bytes((fresh.data / "master.key").read_bytes())
    copy.chmod(0o600)
    with fresh.serve(env={"LAUNCHLINK_MASTER_KEY_FILE": str(copy)}) as server:
        client, operations = server.client(fresh.key("launch", PROJECT)), Client(server.operations)
        assert client.launch(page="cs").status_code == operations.get("/readyz").status_code == 200
        fresh.run("master-key", "rotate", "--yes")
        fresh.run("master-key", "drop", "--yes")
        assert client.launch(page="cs").status_code == operations.get("/readyz").status_code == 503
        assert "launchlink_ready 0" in operations.get("/metrics").text


def assert_opens(installation):
    """Every kind of secret opens: a signing secret, and the Web API Key in a direct launch."""
    launch = installation.json("launch", "--project", PROJECT, "--user-id", "U", "--platform", "IOS")
    assert launch["headers"]["x-moment-web-api-key"] == WEB_API_KEY
    told = installation.json("signing-key", "export", "--project", PROJECT)
    assert len(told["keys"]) == 3


def test_rotated_under_load(house):
    key, verify = house.key("launch", PROJECT), house.key("verify")
    with house.serve("--workers", "4") as server, Hammer(server, key) as hammer:
        partner, verifier = server.client(key), server.client(verify)
        before = partner.launched()
        for number in range(5):
            told = house.json("master-key", "rotate")
            assert (told["resealed"], told["key_id"]) == (6, ring(house)[-1])
            hammer.more()
            assert len(ring(house)) == number + 2
        dropped = house.json("master-key", "drop", "--yes")["dropped"]
        assert len(dropped) == 5 and ring(house) == [told["key_id"]]
        hammer.more()
        assert (verifier.verdict(before), verifier.verdict(partner.launched())) == ("valid", "valid")
        assert partner.launched()["headers"]["x-moment-web-api-key"] == WEB_API_KEY
        house.run("project", "create", "--id", "0" * 23 + "9", "--name", "Later", "--web-api-key-file", "-",
                  "--key-delivery", "direct", stdin="wk_later\n")
        late = server.client(house.key("launch", "0" * 23 + "9"))
        assert late.launched()["headers"]["x-moment-web-api-key"] == "wk_later"
    answers = [status for mine in hammer.answers for _, status, _ in mine]
    assert set(answers) == {200}, "no launch is refused"
    assert_opens(house)


def test_the_gateways_key_under_a_new_master_key(house):
    """The server opens what was sealed with a key that it has never read."""
    with house.serve() as server:
        house.run("master-key", "rotate")
        house.run("master-key", "drop", "--yes")
        partner = server.client(house.key("launch", PROJECT))
        assert partner.launched()["headers"]["x-moment-web-api-key"] == WEB_API_KEY


def test_nothing_is_sealed_with_a_key_that_is_dropped_meanwhile(house):
    """Commands that have read the ring wait for a lock, and get it after a rotation and a drop."""
    (house.directory / "key").write_text(WEB_API_KEY)
    active = next(key for key in items(house.json("signing-key", "list")) if key["state"] == "active")["key_id"]
    commands = [
        ("project", "create", "--id", "f" * 24, "--name", "P", "--web-api-key-file", "key", "--key-delivery", "gateway"),
        ("project", "update", PROJECT, "--web-api-key-file", "key"),
        ("signing-key", "create"),
        ("signing-key", "revoke", active, "--yes"),
    ]

    def has_opened(process):
        descriptors = [os.readlink(entry) for entry in Path(f"/proc/{process.pid}/fd").iterdir()]
        return str(house.data.resolve() / "launchlink.db") in descriptors

    with Lock(house, "IMMEDIATE"):
        running = [subprocess.Popen(house.arguments(*command), cwd=house.directory, env=environment(), stdin=subprocess.DEVNULL,
                                    stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) for command in commands]
        for one in running:
            eventually(lambda: has_opened(one))
        time.sleep(0.5)  # until they wait; one that does not yet is no test of anything
        for one in running:
            one.send_signal(signal.SIGSTOP)
    house.run("master-key", "rotate")
    dropped = house.json("master-key", "drop", "--yes")["dropped"]
    for one in running:
        one.send_signal(signal.SIGCONT)
    said = [one.communicate(timeout=PATIENCE)[1] for one in running]
    assert [one.returncode for one in running] == [0] * len(running), said
    assert len(dropped) == 1 and house.json("db", "check")["sound"] is True
    assert house.json("project", "list")


def test_drop_says_which_backups_will_not_open(house):
    first, = ring(house)
    house.run("db", "backup", "monday.db")
    house.run("db", "backup", house.directory / "gone.db")
    (house.directory / "gone.db").unlink()
    house.run("db", "restore", house.directory / "monday.db", "--yes", "--replace")
    house.run("db", "backup", "monday.db", "--replace")
    replaced = next(path for path in house.data.iterdir() if ".replaced-" in path.name)
    second = house.json("master-key", "rotate")["key_id"]
    house.run("db", "backup", house.directory / "tuesday.db")

    def closed():
        done = json.loads(house.run("doctor", "--output", "json", status=None).stdout)
        return [one["what"] for one in done["findings"] if one["check"] == "backups" and first in one["what"]]

    assert closed() == []
    asked = house.run("master-key", "drop", status=64).stderr
    assert str(house.directory / "monday.db") in asked and str(replaced) in asked and f"Drop {first}?" in asked
    assert "tuesday.db" not in asked and ring(house) == [first, second]
    done = house.run("master-key", "drop", "--yes")
    assert "monday.db" in done.stderr and "monday.db" not in done.stdout
    assert [any(str(path) in what for what in closed()) for path in (house.directory / "monday.db", replaced)] == [True, True]
    assert house.run("db", "check", "monday.db", status=65).stdout.startswith("secrets: ")
    replaced.unlink()
    (house.directory / "monday.db").unlink()
    assert closed() == []


def test_drop_names_a_backup_that_was_moved_before_the_next_of_its_name(house):
    first, = ring(house)
    place = house.directory / "today.db"
    house.run("db", "backup", place)
    house.run("db", "backup", place, "--replace")
    at = [one["at"] for one in items(house.json("audit", "list", "--action", "db.backup"))]
    place.rename(house.directory / "monday.db")
    house.run("master-key", "rotate")
    house.run("db", "backup", "./today.db")
    asked = house.run("master-key", "drop", status=64).stderr
    assert [line.strip() for line in asked.splitlines() if "today.db" in line] == [
        f"the backup {place} of {at[0]}, moved or replaced since, needs {first}"], "the one before was replaced for sure"
    house.run("master-key", "drop", "--yes")
    told = house.run("doctor", status=None).stdout
    assert "1 earlier, not where it was made, needs a master key that the key ring does not hold" in told


def told_of(house, *names):
    """What `drop` lists, a line each: the files that go by these names, from the directory on."""
    asked = house.run("master-key", "drop", status=64).stderr
    return [line.strip().removeprefix("the ").replace(f"{house.directory}/", "") for line in asked.splitlines()
            if line.startswith("  ") and any(f"/{name}" in line for name in names)]


def test_drop_names_a_moved_backup_also_where_a_later_one_was_replaced(house):
    first, = ring(house)
    house.run("db", "backup", "t.db")
    (house.directory / "t.db").rename(house.directory / "t.1.db")
    house.run("db", "backup", "t.db")
    moved = house.json("audit", "list", "--action", "db.backup")["items"][1]["at"]
    house.run("master-key", "rotate")
    house.run("db", "backup", "t.db", "--replace")
    assert told_of(house, "t.db") == [f"backup t.db of {moved}, moved or replaced since, needs {first}"]
    house.run("master-key", "drop", "--yes")
    assert house.run("db", "check", "t.1.db", status=65).stdout.startswith("secrets: ")
    assert "1 earlier, not where it was made, needs a master key" in house.run("doctor", status=None).stdout


def test_a_link_that_is_replaced_leaves_the_backup_that_it_leads_to(house):
    first, = ring(house)
    house.run("db", "backup", "t.db")
    made = house.json("audit", "list", "--action", "db.backup")["items"][0]["at"]
    (house.directory / "t.db").rename(house.directory / "real.db")
    (house.directory / "t.db").symlink_to("real.db")
    house.run("master-key", "rotate")
    house.run("db", "backup", "t.db", "--replace")
    assert told_of(house, "t.db") == [f"backup t.db of {made}, moved or replaced since, needs {first}"]


def test_backups_whose_names_look_alike_are_two(house):
    first, = ring(house)
    apart, together = "e\u0301.db", "\u00e9.db"
    for name in (apart, together):
        house.run("db", "backup", name)
    times = [one["at"] for one in house.json("audit", "list", "--action", "db.backup")["items"]]
    house.run("master-key", "rotate")
    assert told_of(house, apart, together) == [
        f"backup {name} of {at}, needs {first}" for name, at in zip((together, apart), times)]
    house.run("db", "backup", together, "--replace")
    assert told_of(house, apart, together) == [f"backup {apart} of {times[1]}, needs {first}"]
    house.run("master-key", "drop", "--yes")
    told = house.run("doctor", status=None).stdout
    assert f"/{apart} of" in told and f"/{together} of" not in told


def test_a_path_is_cut_between_bytes(house):
    """A mark behind a slash makes one character with it."""
    there = house.directory / "\u0301x"
    there.mkdir()
    leftover = there / "y.db.launchlink.partial.4194304"
    leftover.touch()
    house.run("db", "backup", "./\u0301x/\u0301y.db")
    house.run("db", "backup", there / "\u0301z.db")
    assert not leftover.exists()
    assert [one["subject"] for one in house.json("audit", "list", "--action", "db.backup")["items"]] == [
        str(there / "\u0301z.db"), str(there / "\u0301y.db")]


def test_a_backup_that_another_was_moved_over_is_judged_by_what_is_there(house):
    first, = ring(house)
    for name in ("t.db", "other.db"):
        house.run("db", "backup", name)
    second = house.json("master-key", "rotate")["key_id"]
    house.run("db", "backup", "t.new.db")
    (house.directory / "t.new.db").rename(house.directory / "t.db")
    assert [line.partition(" of ")[0] + line.partition("Z")[2] for line in told_of(house, "t.db", "other.db")] == [
        f"backup other.db, needs {first}", f"backup t.db, moved or replaced since, needs {first}"]
    house.run("master-key", "drop", "--yes")
    assert house.run("db", "check", "t.db")
    told = house.run("doctor", status=None).stdout
    assert "/other.db of" in told and "/t.db" not in told
    house.run("master-key", "rotate")
    assert f"copy t.db, needs {second}" in told_of(house, "t.db"), "the file that is there is one too"


def test_a_backup_that_was_replaced_by_another_way_to_its_directory_is_gone(house):
    (house.directory / "real").mkdir()
    (house.directory / "alias").symlink_to("real")
    house.run("db", "backup", "real/t.db")
    house.run("master-key", "rotate")
    house.run("db", "backup", "alias/t.db", "--replace")
    assert told_of(house, "t.db") == []
    house.run("master-key", "drop", "--yes")
    assert "t.db" not in house.run("doctor", status=None).stdout


def test_a_file_name_forges_no_line(house):
    first, = ring(house)
    name = "x.db of 2020-01-01T00:00:00Z, needs nothing\n  the backup y.db"
    house.run("db", "backup", name)
    house.run("master-key", "rotate")
    line, = told_of(house, "x.db", "y.db")
    assert name.replace("\n", r"\n") in line and line.endswith(f", needs {first}")
    house.run("master-key", "drop", "--yes")
    told = house.run("doctor", status=None).stdout.splitlines()
    assert [line.startswith(("warning: backups: ", "  mend: ")) for line in told if "y.db" in line] == [True, True]


def test_drop_names_backups_from_after_the_one_that_was_restored(house):
    first, = ring(house)
    for name in ("g.db", "h.db"):
        house.run("db", "backup", name)
    house.run("project", "update", PROJECT, "--name", "Later")
    house.run("db", "restore", "g.db", "--replace", "--yes")
    assert len(items(house.json("audit", "list", "--action", "db.backup"))) == 2
    assert house.json("audit", "list", "--action", "db.restore")["items"][0]["subject"] == str(house.directory / "g.db")
    house.run("db", "restore", "h.db", "--replace", "--yes")
    assert len(items(house.json("audit", "list", "--action", "db.backup"))) == 2, "none comes twice"
    for path in house.data.iterdir():
        if ".replaced-" in path.name:
            path.unlink()
    assert "never a backup" not in house.run("doctor", status=None).stdout
    house.run("master-key", "rotate")
    asked = house.run("master-key", "drop", status=64).stderr
    assert [asked.count(f"the backup {house.directory / name} of ") for name in ("g.db", "h.db")] == [1, 1]
    house.run("master-key", "drop", "--yes")
    told = house.run("doctor", status=None).stdout
    assert all(f"{house.directory / name} of " in told and f"needs the master key {first}" in told for name in ("g.db", "h.db"))


def test_drop_names_the_file_that_the_database_was_restored_from(house):
    """On a new machine, whose audit log has no row of that backup."""
    first, = ring(house)
    house.run("db", "backup", "g.db")
    for path in house.data.iterdir():
        if path.name.startswith("launchlink.db"):
            path.unlink()
    house.run("db", "restore", "g.db", "--yes")
    assert "no backup was made since the restore at " in house.run("doctor", status=None).stdout
    house.run("master-key", "rotate")
    assert f"the backup {house.directory / 'g.db'}, restored at " in house.run("master-key", "drop", status=64).stderr
    house.run("master-key", "drop", "--yes")
    assert f"needs the master key {first}" in house.run("doctor", status=None).stdout


def test_help_of_drop_says_which_backups_are_named(house):
    told = " ".join(house.run("master-key", "drop", "--help").stdout.split())
    assert "those that migrations and restores kept in the data directory" in told and "db restore read" in told


def test_the_last_backup_is_named_though_it_was_taken_elsewhere(house):
    first, = ring(house)
    done = subprocess.run(house.arguments("db", "backup", "-"), cwd=house.directory, env=environment(), capture_output=True)
    assert done.returncode == 0 and done.stdout.startswith(b"SQLite format 3\0")
    house.run("master-key", "rotate")
    assert "standard output" in house.run("master-key", "drop", status=64).stderr
    house.run("master-key", "drop", "--yes")
    told = house.run("doctor", status=None).stdout
    assert "the backup that went to standard output at " in told and f"needs the master key {first}" in told
    assert "remove that backup where it is kept" in told and "remove standard output" not in told


def test_drop_keeps_what_is_named(house):
    first, = ring(house)
    assert house.json("master-key", "drop") == {"dropped": []}, "where nothing goes, nothing is asked"
    second = house.json("master-key", "rotate")["key_id"]
    assert house.run("master-key", "drop", status=None).returncode == 64, "asks, and there is no terminal"
    assert ring(house) == [first, second]
    copy = (house.data / "master.key").read_bytes()
    assert house.json("master-key", "drop", "--yes") == {"dropped": [first]}
    assert ring(house) == [second]
    assert_opens(house)
    assert first.encode() in copy and len(ring(house)) == 1


@pytest.mark.parametrize("verb", ["rotate", "drop"])
def test_what_killed_rotations_left_behind_is_removed(house, verb):
    """By the process' number in its name; no process has a higher one than 4194303 (proc(5), pid_max)."""
    dead = [house.data / "master.key.new.4194304", house.data / "master.key.new.4194305"]
    kept = [house.data / f"master.key.new.{os.getpid()}", house.data / "other.key.new.4194304"]
    for path in [*dead, *kept]:
        path.write_bytes((house.data / "master.key").read_bytes())
        path.chmod(0o600)
    house.run("master-key", verb, "--yes")
    assert [path for path in dead if path.exists()] == [] and all(path.exists() for path in kept)


def test_a_link_stays_and_what_it_leads_to_is_rotated(house):
    link, ring_file = house.data / "master.key", house.directory / "keys" / "ring"
    ring_file.parent.mkdir()
    link.rename(ring_file)
    link.symlink_to("../keys/ring")
    ring_file.chmod(0o400)
    leftover = ring_file.with_name("ring.new.4194304")
    leftover.touch()
    key = house.json("master-key", "rotate")["key_id"]
    assert os.readlink(link) == "../keys/ring" and ring_file.stat().st_mode & 0o777 == 0o400
    assert len(ring_file.read_text().splitlines()) == 2
    assert len(house.json("master-key", "drop", "--yes")["dropped"]) == 1
    assert os.readlink(link) == "../keys/ring" and ring_file.stat().st_mode & 0o777 == 0o400
    assert [line.split(":")[0] for line in ring_file.read_text().splitlines()] == [key]
    assert os.listdir(ring_file.parent) == ["ring"]
    assert [path.name for path in house.data.iterdir() if path.name.startswith("master.key")] == ["master.key"]
    assert_opens(house)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")
def test_the_owner_of_a_ring_behind_roots_link_stays(house):
    ring_file = house.directory / "ring"
    (house.data / "master.key").rename(ring_file)
    (house.data / "master.key").symlink_to(ring_file)
    os.chown(ring_file, 65534, 65534)
    house.run("master-key", "rotate")
    assert ring_file.stat().st_uid == 65534 and (house.data / "master.key").is_symlink()


def test_an_old_ring_opens_nothing_after_a_rotation(house):
    path = house.data / "master.key"
    old = path.read_bytes()
    house.run("master-key", "rotate")
    path.write_bytes(old)
    done = house.run("launch", "--project", PROJECT, "--user-id", "U", "--platform", "IOS", status=None)
    assert done.returncode == 78 and "master key" in done.stderr and WEB_API_KEY not in done.stdout


def test_killed_at_random_moments(house):
    moments = Moments(20261130, house, "master-key", "rotate")
    survived = 0
    for number in range(KILLS):
        before = ring(house)
        verb = ("rotate",) if number % 4 else ("drop", "--yes")
        status, _ = killed(house, ("master-key", *verb), moments)
        assert status in (0, -9)
        survived += status == 0
        after = ring(house)
        if verb == ("rotate",):
            assert after[:len(before)] == before and len(after) <= len(before) + 1
            assert status != 0 or len(after) == len(before) + 1
        else:
            assert set(after) <= set(before)
        assert_whole(house, house.directory / "copy")
        assert [path.name for path in house.data.iterdir() if "master" in path.name and path.name != "master.key"
                and path.stat().st_mode & 0o077] == [], "nothing left behind is readable by others"
        if number % 5 == 4:
            assert_opens(house)
    assert_opens(house)
    assert 0 < survived < KILLS, "the moments must lie before and after the end of a command"
    with house.serve() as server:
        assert server.client(house.key("launch", PROJECT)).launched()["headers"]["x-moment-web-api-key"] == WEB_API_KEY


def test_two_at_once(house):
    """Rotations wait for each other, and none loses the other's key."""
    running = [
        subprocess.Popen(house.arguments("master-key", "rotate"), cwd=house.directory, env=environment(),
                         stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        for _ in range(4)
    ]
    for one in running:
        _, said = one.communicate(timeout=PATIENCE)
        assert one.returncode == 0, said
    assert len(set(ring(house))) == 5
    assert_opens(house)


def test_a_systemd_credential_is_refused_with_what_to_do(house):
    credentials = house.directory / "credentials"
    credentials.mkdir(mode=0o700)
    moved = credentials / "master.key"
    moved.write_bytes((house.data / "master.key").read_bytes())
    moved.chmod(0o440)
    (house.data / "master.key").unlink()
    env = environment(CREDENTIALS_DIRECTORY=str(credentials), LAUNCHLINK_MASTER_KEY_FILE=str(moved))
    before = moved.read_bytes()
    house.run("launch", "--project", PROJECT, "--user-id", "U", "--platform", "IOS", env=env)
    done = house.run("master-key", "rotate", status=77, env=env)
    assert "LoadCredential" in done.stderr and "restart" in done.stderr
    assert moved.read_bytes() == before and os.listdir(credentials) == ["master.key"]
    house.run("launch", "--project", PROJECT, "--user-id", "U", "--platform", "IOS", env=env)


def test_what_was_done_is_in_the_audit_log_without_the_key(house):
    house.run("master-key", "rotate")
    house.run("master-key", "drop", "--yes")
    secrets = [line.split(":")[1].encode() for line in (house.data / "master.key").read_text().splitlines()]
    for path in house.data.iterdir():
        if path.name != "master.key":
            assert not any(secret in path.read_bytes() for secret in secrets), path


@pytest.mark.skipif(os.geteuid() != 0, reason="only root becomes another user")
def test_a_ring_that_the_owner_cannot_write_is_not_rotated_and_says_why(tmp_path):
    tmp_path.chmod(0o755)
    for parent in tmp_path.parents:
        if parent.name.startswith("pytest-"):
            parent.chmod(0o755)
    here = install(tmp_path)
    ring = tmp_path / "etc" / "master.key"
    ring.parent.mkdir()
    (here.data / "master.key").rename(ring)
    ring.chmod(0o400)
    for path in (here.data, *here.data.iterdir()):
        os.chown(path, 65534, 65534)
    before = ring.read_bytes()
    said = here.run("master-key", "rotate", status=77, env=environment(LAUNCHLINK_MASTER_KEY_FILE=str(ring))).stderr
    assert "Move it" in said and "master_key_file" in said
    assert ring.read_bytes() == before
