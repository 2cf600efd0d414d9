"""Killed while keys are rotated: a key and its successor change together, and one signing key is active at any moment."""

import json

from harness import PROJECT, items
from test_crash import Moments, assert_whole, killed

KILLS = 24


def keys(installation):
    return {one["key_id"]: one for one in items(installation.json("key", "list"))}


def signing_keys(installation):
    return {one["key_id"]: one["state"] for one in items(installation.json("signing-key", "list"))}


def test_while_an_api_key_is_rotated(fresh):
    fresh.project()
    moments = Moments(20261202, fresh, "key", "rotate", fresh.key("launch", PROJECT)["key_id"], "--yes")
    survived = 0
    for _ in range(KILLS):
        old = fresh.key("launch", PROJECT)["key_id"]
        before = keys(fresh)
        status, printed = killed(fresh, ("key", "rotate", old, "--grace", "24h", "--yes", "--output", "json"), moments)
        assert_whole(fresh, fresh.directory / "copy")
        after = keys(fresh)
        added = after.keys() - before.keys()
        assert len(added) == (after[old]["expires_at"] is not None), "both or neither"
        if status == 0 or printed.endswith("}\n"):
            assert added == {json.loads(printed)["key_id"]}
        survived += status == 0
        assert status in (0, -9)
    assert survived < KILLS


def test_while_the_signing_key_changes(fresh):
    fresh.project()
    first = fresh.json("signing-key", "create")["key_id"]
    moments = Moments(20261202, fresh, "signing-key", "activate", first, "--yes")
    for _ in range(KILLS):
        pending = fresh.json("signing-key", "create")["key_id"]
        before = signing_keys(fresh)
        status, _ = killed(fresh, ("signing-key", "activate", pending, "--yes"), moments)
        assert_whole(fresh, fresh.directory / "copy")
        after = signing_keys(fresh)
        active = [one for one, state in after.items() if state == "active"]
        assert len(active) == 1 and after.keys() == before.keys()
        assert active == [pending] or status != 0 and after == before
        fresh.json("launch", "--project", PROJECT, "--user-id", "U", "--platform", "IOS")
