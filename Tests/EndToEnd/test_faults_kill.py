"""Killed while keys are rotated: a key and its successor change together, and one signing key is active at any moment.

And while many launches are used at once: what was answered is on disk.
"""

import json
import random
import threading

from crowd import SIZE, Crowd
from faults import Gateway
from harness import PROJECT, items
from test_crash import Moments, assert_whole, killed

KILLS = 24
USED = (204, None)


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


def use_until(end, moment, servers, messages):
    """Uses launches over many connections, and ends that after so many seconds; what was sent, and what each was told."""
    timer = threading.Timer(moment, end)
    with Crowd(*servers) as crowd:
        timer.start()
        outcomes = crowd.ask(messages)
        timer.join()
    assert set(outcomes) <= {USED, None}
    return messages[:crowd.sent], outcomes[:crowd.sent]


def assert_kept(server, messages, outcomes):
    """What was told to be used cannot be used again; gives how many of the others can."""
    with Crowd(server) as crowd:
        again = crowd.ask(messages)
    for told, now in zip(outcomes, again, strict=True):
        assert now == (401, "replayed") or (told, now) == (None, USED)
    return again.count(USED)


def test_while_many_launches_are_used(fresh):
    """On two servers, of which one is killed or both at once; many uses are on their way to the disk at each moment."""
    gateway, drawn = Gateway(fresh), random.Random(20261203)
    told = again = 0
    for number in range(KILLS):
        with fresh.serve("--workers", "4") as first, fresh.serve("--workers", "4") as second:
            dying = (first, second)[:1 + number % 2]

            def kill():
                for server in dying:
                    server.process.kill()

            messages = gateway.messages(first, 1600)
            sent, outcomes = use_until(kill, drawn.uniform(0.01, 0.12), (first, second), messages)
            if len(dying) == 2:
                second.process.wait()
                assert_whole(fresh, fresh.directory / "copy")
            else:
                assert outcomes.count(None) <= SIZE // 2, "the other one has answered all of its own"
        with fresh.serve() as server:
            again += assert_kept(server, sent, outcomes)
        told += outcomes.count(USED)
    assert fresh.json("db", "check")["sound"] is True
    assert told and again, "the kills must come in the middle"
