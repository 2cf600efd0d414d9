"""`doctor` on broken set-ups: each is named by its cause, with why it matters and how to mend it; nothing is changed."""

import json
import os
import resource
import socket
import sqlite3
from contextlib import closing

import pytest

from certificates import Authority, settings
from harness import CATALOG, PROJECT, Installation, environment
from test_migration import restored, version


@pytest.fixture
def house(fresh):
    fresh.project()
    fresh.run("catalog", "import", CATALOG)
    fresh.run("db", "backup", fresh.directory / "backup.db")
    (fresh.directory / "launchlink.yaml").write_text("listen: 127.0.0.1:0\noperations_listen: 127.0.0.1:0\n")
    return fresh


def examined(installation, *, config="launchlink.yaml", status=None, env=None):
    """(level, check) and text of everything that the doctor finds; whether it is an error agrees with the status."""
    done = installation.run(
        "doctor", "--output", "json", "--config", installation.directory / config, status=None, env=env)
    found = json.loads(done.stdout)["findings"]
    errors = [one for one in found if one["level"] == "error"]
    assert done.returncode == (78 if errors else 0), (done.returncode, done.stderr, errors)
    for one in found:
        assert one["what"] and (one["level"] == "ok" or (one["why"] and one["mend"])), one
    return found


def finds(found, level, check, *words):
    matching = [one for one in found if (one["level"], one["check"]) == (level, check)]
    assert any(all(word in one["what"] + " " + one["mend"] for word in words) for one in matching), (level, check, words, found)


def change(installation, *statements):
    with closing(sqlite3.connect(installation.data / "launchlink.db")) as database:
        for statement in statements:
            database.execute(statement)
        database.commit()


def test_a_sound_house_has_no_error_and_is_left_alone(house):
    before = {path.name: path.read_bytes() for path in house.data.iterdir()}
    found = examined(house)
    assert [one for one in found if one["level"] == "error"] == []
    assert {one["check"] for one in found} >= {
        "configuration", "data directory", "files", "master key", "database", "signing keys", "API keys",
        "projects", "backups", "clock", "disk", "open files", "listeners", "server",
    }
    assert {path.name: path.read_bytes() for path in house.data.iterdir()} == before
    text = house.run("doctor", "--config", house.directory / "launchlink.yaml").stdout
    assert "ok: database: schema version" in text


def test_unknown_settings_are_named_and_the_rest_is_looked_at(house):
    (house.directory / "launchlink.yaml").write_text("listn: 127.0.0.1:0\nworkers: many\n")
    found = examined(house)
    finds(found, "error", "configuration", "listn", "config check")
    finds(found, "error", "configuration", "workers")
    finds(found, "ok", "database", "schema")


def test_no_data_directory(tmp_path):
    (tmp_path / "launchlink.yaml").write_text("")
    finds(examined(Installation(tmp_path)), "error", "data directory", "launchlink init")


def test_a_master_key_that_others_can_read_or_that_is_missing(house):
    key = house.data / "master.key"
    key.chmod(0o644)
    finds(examined(house), "error", "master key", "0644", "chmod 0600")
    copy = house.data / "launchlink.db.launchlink.partial.4194304"
    copy.touch(mode=0o600)
    finds(examined(house), "warning", "files", f"{copy} was left behind", f"rm {copy}")
    copy.unlink()
    key.rename(house.data / "master.key.new.123")
    found = examined(house)
    finds(found, "error", "master key", "No such file")
    finds(found, "warning", "master key", "master.key.new.123", "rm ")


def test_the_wrong_master_key(house):
    right = (house.data / "master.key").read_text()
    for wrong in ("mk_0123456789ab", right.split(":")[0]):
        (house.data / "master.key").write_text(f"{wrong}:" + "A" * 43 + "=\n")
        found = examined(house)
        finds(found, "error", "database", "master key", "None of the 3 secrets")
        assert len([one for one in found if one["check"] == "database"]) == 1, "said once, not for each secret"


def test_no_active_signing_key(house):
    change(house, "UPDATE signing_key SET state = 'retired', retired_at = 1")
    finds(examined(house), "error", "signing keys", "signing-key activate")


def test_a_damaged_a_missing_and_a_newer_database(house):
    change(house, "PRAGMA user_version = 99")
    finds(examined(house), "error", "database", "newer LaunchLink")
    database = house.data / "launchlink.db"
    database.write_bytes(b"no database" + database.read_bytes()[11:])
    finds(examined(house), "error", "database", "damaged")
    database.unlink()
    finds(examined(house), "error", "database", "no database")


def test_a_table_that_was_altered(house):
    change(house, "DROP INDEX business_by_name")
    finds(examined(house), "error", "database", "business_by_name")


def test_modes_of_files(house):
    house.data.chmod(0o755)
    (house.data / "launchlink.db").chmod(0o644)
    (house.directory / "backup.db").chmod(0o640)
    found = examined(house)
    finds(found, "warning", "data directory", "0755", "chmod 0700")
    finds(found, "warning", "files", "launchlink.db has mode 0644")
    finds(found, "warning", "backups", "0640")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")
def test_files_of_another_owner(house):
    (house.data / "launchlink.db-wal").touch(mode=0o600)
    os.chown(house.data / "launchlink.db-wal", 12345, 12345)
    finds(examined(house), "error", "files", "launchlink.db-wal", "12345", "chown")


def test_keys_that_end_or_that_nobody_uses(house):
    soon = house.key("launch", PROJECT, "--expires-in", "3d")["key_id"]
    gone, idle = house.key("launch", PROJECT)["key_id"], house.key("catalog")["key_id"]
    change(
        house,
        f"UPDATE api_key SET expires_at = (unixepoch() - 3600) * 1000 WHERE key_id = '{gone}'",
        f"INSERT INTO api_key_use VALUES ('{gone}', (unixepoch() - 7200) * 1000)",
        f"UPDATE api_key SET created_at = (unixepoch() - 100 * 86400) * 1000 WHERE key_id = '{idle}'",
        "INSERT INTO signing_key SELECT 'sk_000000000000', secret, 'pending', 1, NULL, NULL, NULL, 0 FROM signing_key",
    )
    found = examined(house)
    finds(found, "warning", "API keys", soon, "expires at", "key rotate")
    finds(found, "warning", "API keys", gone, "was in use")
    finds(found, "warning", "API keys", idle, "never used")
    finds(found, "warning", "signing keys", "sk_000000000000", "pending")


def test_after_a_rotation_the_successor_is_named_and_nothing_that_is_refused(house):
    old = house.key("launch", PROJECT)["key_id"]
    new = house.json("key", "rotate", old)["key_id"]
    found = examined(house)
    finds(found, "ok", "API keys", old, f"its successor is {new}")
    assert [one for one in found if one["check"] == "API keys" and one["level"] != "ok"] == []
    last = house.json("key", "rotate", new)["key_id"]
    assert f"launchlink key rotate {last}" in house.run("key", "rotate", old, status=1).stderr
    house.run("key", "revoke", last, "--yes")
    house.run("key", "revoke", new, "--yes")
    assert "key create" in house.run("key", "rotate", old, status=1).stderr
    one, = [one for one in examined(house) if one["check"] == "API keys"]
    assert one["level"] == "warning" and old in one["what"], "nothing that came of it works any more"
    house.run(*one["mend"].split(",")[0].split()[1:])


def test_a_key_that_expired_in_use_is_replaced_by_the_command_that_is_said(house):
    gone = house.key("launch", PROJECT)["key_id"]
    change(
        house, f"UPDATE api_key SET expires_at = (unixepoch() - 3600) * 1000 WHERE key_id = '{gone}'",
        f"INSERT INTO api_key_use VALUES ('{gone}', (unixepoch() - 7200) * 1000)")
    one, = [one for one in examined(house) if one["check"] == "API keys"]
    house.run(*one["mend"].split(",")[0].split()[1:])


def test_projects_of_direct_delivery_or_an_upstream_that_is_gone(house):
    house.run("project", "update", PROJECT, "--key-delivery", "direct")
    change(house, "UPDATE project SET upstream = 'staging'")
    found = examined(house)
    finds(found, "warning", "projects", PROJECT, "direct")
    finds(found, "error", "projects", PROJECT, "staging", "--upstream")


def test_a_clock_that_was_set_back(house):
    change(house, "INSERT INTO audit (at, os_user, action, subject) VALUES (4102444800000, 'x', 'x', 'x')")
    finds(examined(house), "error", "clock", "2100-01-01")


def test_backups_that_are_missing_or_old(house):
    change(house, "UPDATE audit SET at = at - 30 * 86400000 WHERE action = 'db.backup'")
    finds(examined(house), "warning", "backups", "30 days old", "db backup")
    change(house, "DELETE FROM audit WHERE action = 'db.backup'")
    finds(examined(house), "warning", "backups", "never")


def test_a_listener_that_others_reach_and_too_few_open_files(house):
    (house.directory / "launchlink.yaml").write_text(
        "listen: 0.0.0.0:0\noperations_listen: 127.0.0.1:0\nallow_plaintext: true\nlimits: { connections: 1000000 }\n")
    found = examined(house)
    finds(found, "warning", "listeners", "0.0.0.0", "without TLS")
    finds(found, "warning", "listeners", "public_url")
    if resource.getrlimit(resource.RLIMIT_NOFILE)[1] < 1_000_000:
        finds(found, "warning", "open files", "LimitNOFILE")


def test_a_taken_port_and_a_server_that_runs(house):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        (house.directory / "taken.yaml").write_text(f"listen: 127.0.0.1:{port}\noperations_listen: 127.0.0.1:0\n")
        finds(examined(house, config="taken.yaml"), "error", "server", str(port), "another program")
    with house.serve() as server:
        port = server.operations.rsplit(":", 1)[1]
        (house.directory / "runs.yaml").write_text(f"listen: 127.0.0.1:0\noperations_listen: 127.0.0.1:{port}\n")
        finds(examined(house, config="runs.yaml"), "ok", "server", "ready")
        (house.directory / "elsewhere.yaml").write_text("listen: 127.0.0.1:0\noperations_listen: 127.0.0.1:0\n")
        finds(examined(house, config="elsewhere.yaml"), "warning", "server", "has the database open", "settings")
        change(house, "UPDATE signing_key SET state = 'retired', retired_at = 1")
        finds(examined(house, config="runs.yaml"), "error", "server", "503")


def test_an_older_schema_is_said_and_not_brought_up_to_date(tmp_path):
    old = restored(tmp_path)
    (tmp_path / "launchlink.yaml").write_text("listen: 127.0.0.1:0\noperations_listen: 127.0.0.1:0\n")
    finds(examined(old), "warning", "database", "schema version 1")
    assert version(old) == 1


def test_certificates(house, tmp_path):
    authority = Authority(tmp_path / "authority")
    chain, key = authority.server(days=3)
    finds(examined(house, env=environment(**settings(chain, key))), "warning", "TLS", "expires at", "SIGHUP")
    chain, _ = authority.server("later", days=90)
    finds(examined(house, env=environment(**settings(chain, key))), "error", "TLS", "does not belong")
    key.chmod(0o644)
    finds(examined(house, env=environment(**settings(chain, key))), "error", "TLS", "0644")
    finds(examined(house, env=environment(**settings(tmp_path / "none.pem", key))), "error", "TLS", "none.pem")


def test_an_access_log_that_cannot_be_written(house):
    wrong = environment(LAUNCHLINK_ACCESS_LOG=str(house.directory / "nowhere" / "access.log"))
    finds(examined(house, env=wrong), "error", "access log", "nowhere/access.log", "access_log")
