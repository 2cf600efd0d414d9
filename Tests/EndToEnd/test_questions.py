"""What is asked on a terminal before people are cut off, and what is shown of it; and where a key stands in its life."""

import json
import os
import pty
import re
import sqlite3
import subprocess
import time
from contextlib import closing

import pytest

from harness import PATIENCE, PROJECT, environment, eventually, items, read_terminal

PRODUCT = ("--category", "mall", "--commission-type", "CPS", "--commission-amount", "1", "--commission-unit", "KRW_COMMISSION_UNIT")


def at_a_terminal(installation, *arguments, answer):
    """(exit status, what is shown) of a command that has a terminal for all three streams, and the answer typed ahead."""
    own, theirs = pty.openpty()
    os.write(own, answer.encode() + b"\n")
    process = subprocess.Popen(
        installation.arguments(*arguments), stdin=theirs, stdout=theirs, stderr=theirs, cwd=installation.directory,
        env=environment(LC_ALL="C.UTF-8", TERM="xterm"))
    os.close(theirs)
    shown = read_terminal(own)
    return process.wait(timeout=PATIENCE), shown.decode()


@pytest.fixture
def house(fresh):
    fresh.project()
    fresh.run("catalog", "add", "--id", "nike", "--name", "나이키", *PRODUCT)
    return fresh


def questions(house):
    """Commands that cut people off: what has to be shown, and the state that tells whether it was done."""
    key = house.json("key", "create", "--scope", "launch", "--project", PROJECT, "--name", "backend")["key_id"]
    return [
        (("project", "disable", PROJECT), ["Acme", PROJECT, "never", "1 that work"], lambda: house.json("project", "show", PROJECT)["enabled"] is False),
        (("catalog", "disable", "nike"), ["나이키", "nike", "mall"], lambda: house.json("catalog", "show", "nike")["active"] is False),
        (("key", "revoke", key), ["backend", "Acme", PROJECT, "launch", "never", key], lambda: house.json("key", "show", key)["status"] == "revoked"),
    ]


def test_a_rotation_without_grace_asks_and_one_with_grace_does_not(house):
    key = house.json("key", "create", "--scope", "launch", "--project", PROJECT, "--name", "backend")["key_id"]
    command = ("key", "rotate", key, "--grace", "0s")
    for answer in ("n", ""):
        status, shown = at_a_terminal(house, *command, answer=answer)
        assert status == 1 and house.json("key", "show", key)["status"] == "active"
        assert all(word in shown for word in ["backend", "Acme", PROJECT, "launch", "never", key, "cut off at once"]), shown
    status, shown = at_a_terminal(house, *command, answer="y")
    assert (status, shown.count("[y/N]")) == (0, 1) and house.json("key", "show", key)["status"] == "replaced"
    graceful = house.json("key", "create", "--scope", "catalog")["key_id"]
    status, shown = at_a_terminal(house, "key", "rotate", graceful, "--grace", "1h", answer="n")
    assert status == 0 and "[y/N]" not in shown
    # A configured grace of nothing is none either.
    file = house.directory / "none.yaml"
    file.write_text(json.dumps({"lifetimes": {"key_grace": "0s"}}))
    last = house.json("key", "create", "--scope", "catalog")["key_id"]
    assert "[y/N]" in at_a_terminal(house, "key", "rotate", last, "--config", file, answer="n")[1]
    assert house.json("key", "show", last)["status"] == "active"
    assert "[y/N]" not in at_a_terminal(house, "key", "rotate", last, "--grace", "0s", "--yes", answer="n")[1]


def test_no_means_no_and_the_question_shows_what_it_is_about(house):
    for command, words, is_done in questions(house):
        for answer in ("n", "", "no", "yess"):
            status, shown = at_a_terminal(house, *command, answer=answer)
            assert status == 1 and not is_done(), shown
            assert all(word in shown for word in words), (command, shown)


def test_yes_does_it_and_what_is_done_already_is_not_asked(house):
    for command, _, is_done in questions(house):
        status, shown = at_a_terminal(house, *command, answer="y")
        assert (status, shown.count("[y/N]")) == (0, 1) and is_done(), shown
        assert "[y/N]" not in at_a_terminal(house, *command, answer="n")[1]
        assert is_done()


def test_a_business_that_is_removed_is_shown_like_one_that_is_disabled(house):
    status, shown = at_a_terminal(house, "catalog", "remove", "nike", answer="n")
    updated = house.json("catalog", "show", "nike")["updated_at"]
    assert status == 1 and all(word in shown for word in ["나이키", "nike", "mall", updated])


def test_a_last_use_is_shown(house):
    key = house.key("launch", PROJECT)
    with house.serve() as server:
        server.client(key).launched()
        eventually(lambda: house.json("key", "show", key["key_id"])["last_used_at"])
    used = house.json("key", "show", key["key_id"])["last_used_at"]
    for command in (("project", "disable", PROJECT), ("key", "revoke", key["key_id"]), ("project", "delete", PROJECT)):
        assert used in at_a_terminal(house, *command, answer="n")[1]


def test_what_can_be_undone_needs_no_yes_in_a_script_and_what_cannot_does(house):
    for command, _, is_done in questions(house):
        done = house.run(*command, status=None)
        if command[0] == "key":
            assert done.returncode == 64 and "--yes" in done.stderr and "backend" in done.stderr and not is_done()
        else:
            assert done.returncode == 0 and "[y/N]" not in done.stderr and is_done()
    assert "Acme" in house.run("project", "delete", PROJECT, status=64).stderr


def test_a_question_does_not_steer_the_terminal(house):
    house.run("catalog", "add", "--id", "bad", "--name", "Bad", *PRODUCT)
    with closing(sqlite3.connect(house.data / "launchlink.db")) as database, database:
        database.execute("UPDATE business SET name = ? WHERE business_id = 'bad'", ["\x1b[2Ja\u202eb"])
    shown = at_a_terminal(house, "catalog", "disable", "bad", answer="n")[1]
    assert r"\u{1b}[2Ja\u{202e}b" in shown and not re.search("[\x1b\u202e]", shown)


# Keys


def status_of(installation, key):
    shown = installation.json("key", "show", key)
    listed, = [one for one in items(installation.json("key", "list")) if one["key_id"] == key]
    assert listed == shown
    row, = [line for line in installation.run("key", "list").stdout.splitlines() if line.startswith(key)]
    assert f" {shown['status']} " in row
    return shown["status"]


def test_a_rotated_key_has_an_end_and_a_successor_everywhere(house):
    old = house.json("key", "create", "--scope", "catalog", "--name", "backend")["key_id"]
    assert status_of(house, old) == "active" and house.json("key", "show", old)["successor"] is None
    done = house.run("key", "rotate", old, "--grace", "24h", "--output", "json")
    told = json.loads(done.stdout)
    shown = house.json("key", "show", old)
    assert told["replaced"] == {"key_id": old, "status": "expiring", "expires_at": shown["expires_at"]}
    assert (shown["status"], shown["successor"]) == ("expiring", told["key_id"])
    assert shown["expires_at"] in done.stderr and old in done.stderr and told["key_id"] in done.stderr
    table = house.run("key", "show", old).stdout
    assert shown["expires_at"] in table and told["key_id"] in table and "expiring" in table
    new = house.json("key", "show", told["key_id"])
    assert (new["status"], new["replaces"], new["successor"]) == ("active", old, None)
    assert status_of(house, old) == "expiring"
    assert "expires_at" in told and "replaced" not in house.json("key", "create", "--scope", "catalog")


def test_each_status(house):
    def made(*options):
        return house.json("key", "create", "--scope", "catalog", *options)["key_id"]

    assert status_of(house, made()) == status_of(house, made("--expires-in", "15d")) == "active"
    assert status_of(house, made("--expires-in", "13d")) == "expiring"
    short = made("--expires-in", "1s")
    revoked = made()
    house.run("key", "revoke", revoked, "--yes")
    assert status_of(house, revoked) == "revoked"
    at_once, later = made(), made()
    ended = house.run("key", "rotate", at_once, "--grace", "0s")
    assert "stopped working" in ended.stderr and status_of(house, at_once) == "replaced"
    house.run("key", "rotate", later, "--grace", "60d")
    assert status_of(house, later) == "expiring"
    house.run("key", "revoke", later, "--yes")
    assert status_of(house, later) == "revoked"
    time.sleep(1.1)
    assert status_of(house, short) == "expired"
