"""Signing keys: changed under load with no launch refused, and what each step of their life refuses."""

import json
import threading
import time
from datetime import datetime

import pytest

from harness import PROJECT, items
from test_revocation import Hammer


def states(installation):
    return {one["key_id"]: one["state"] for one in items(installation.json("signing-key", "list"))}


def active(installation):
    found, = (key for key, state in states(installation).items() if state == "active")
    return found


def create(installation):
    return installation.json("signing-key", "create")["key_id"]


def verified_for(key):
    """Seconds for which a retired key verifies what it signed."""
    until, retired = (datetime.fromisoformat(key[name]) for name in ("verifies_until", "retired_at"))
    return (until - retired).total_seconds()


def retired(installation):
    """Has another key sign, and tells of the one that did."""
    old = active(installation)
    installation.run("signing-key", "activate", create(installation))
    found, = (key for key in items(installation.json("signing-key", "list")) if key["key_id"] == old)
    return found


def test_changed_under_load(fresh):
    """Sixteen connections launch and one verifies all that they got, while the key changes ten times."""
    fresh.project()
    key, verify = fresh.key("launch", PROJECT), fresh.key("verify")
    with fresh.serve("--workers", "4") as server:
        with Hammer(server, key) as hammer:
            for number in range(10):
                new = create(fresh)
                fresh.run("signing-key", "activate", new)
                hammer.more()
        answers = [(status, body) for mine in hammer.answers for _, status, body in mine]
        assert {status for status, _ in answers} == {200}
        launches = [json.loads(body) for _, body in answers]
        by_key = {}
        for one in launches:
            by_key.setdefault(one["headers"]["signature-input"].split('keyid="')[1][:15], []).append(one)
        assert len(by_key) == 11, "each key signed"
        verifier = server.client(verify)
        for signed in by_key.values():
            for one in (signed[0], signed[len(signed) // 2], signed[-1]):
                assert verifier.verdict(one) == "valid"


def test_verified_while_they_change(fresh):
    fresh.project()
    with fresh.serve("--workers", "4") as server:
        partner, told, stop = fresh.key("launch", PROJECT), [], threading.Event()
        verify = fresh.key("verify")

        def go():
            mine, verifier = server.client(partner), server.client(verify)
            while not stop.is_set():
                told.append(verifier.verdict(mine.launched()))

        threads = [threading.Thread(target=go) for _ in range(4)]
        for thread in threads:
            thread.start()
        for _ in range(8):
            fresh.run("signing-key", "activate", create(fresh))
        stop.set()
        for thread in threads:
            thread.join()
        assert set(told) == {"valid"} and len(told) > 20


def test_a_retired_key_verifies_for_the_longest_lifetime_that_it_signed(fresh):
    other = "0" * 23 + "1"
    assert verified_for(retired(fresh)) == 0, "there was no project"
    fresh.project()
    assert verified_for(retired(fresh)) == 300, "made while it signed"
    assert verified_for(retired(fresh)) == 300, "there when it began to sign"
    fresh.project(other, "Other", options=("--ttl", "20"))
    assert verified_for(retired(fresh)) == 300
    fresh.run("project", "update", other, "--ttl", "900")
    fresh.run("project", "update", other, "--ttl", "60")
    fresh.run("project", "disable", other, "--yes")
    fresh.run("project", "delete", other, "--yes")
    assert verified_for(retired(fresh)) == 900, "what was signed meanwhile goes on"
    fresh.run("project", "update", PROJECT, "--ttl", "120")
    assert verified_for(retired(fresh)) == 300
    assert verified_for(retired(fresh)) == 120
    pending = create(fresh)
    fresh.run("project", "update", PROJECT, "--ttl", "3600")
    fresh.run("signing-key", "activate", pending)
    fresh.run("project", "update", PROJECT, "--ttl", "10")
    assert verified_for(retired(fresh)) == 3600


def test_an_active_key_is_replaced_by_one_that_knows_what_it_signs(fresh):
    fresh.project(options=("--ttl", "450"))
    fresh.run("signing-key", "revoke", active(fresh), "--yes")
    assert verified_for(retired(fresh)) == 450


def test_what_each_step_refuses(fresh):
    first = active(fresh)
    done = fresh.run("signing-key", "retire", first, "--yes", status=1)
    assert "activate" in done.stderr, "the only active one is not retired, and what to do is said"
    pending = create(fresh)
    fresh.run("signing-key", "activate", first, status=None)
    assert states(fresh) == {first: "active", pending: "pending"}, "activating the active one changes nothing"
    fresh.run("signing-key", "activate", pending)
    assert states(fresh) == {first: "retired", pending: "active"}
    fresh.run("signing-key", "activate", first, status=1)
    fresh.run("signing-key", "retire", pending, "--yes", status=1)
    fresh.run("signing-key", "revoke", first, status=64)
    fresh.run("signing-key", "revoke", first, "--yes")
    for verb in (("activate",), ("retire", "--yes")):
        fresh.run("signing-key", *verb, first, status=1)
    assert states(fresh) == {first: "revoked", pending: "active"}
    for verb in (("activate",), ("retire", "--yes")):
        fresh.run("signing-key", *verb, "sk_000000000000", status=1)
        fresh.run("signing-key", *verb, "sk_short", status=64)
    fresh.run("signing-key", "revoke", "sk_000000000000", "--yes", status=1)


def test_revoking_the_active_key_activates_another(fresh):
    fresh.project()
    with fresh.serve() as server:
        partner, verifier = server.client(fresh.key("launch", PROJECT)), server.client(fresh.key("verify"))
        for _ in range(5):
            launch, key = partner.launched(), active(fresh)
            fresh.run("signing-key", "revoke", key, "--yes")
            assert states(fresh)[key] == "revoked" and active(fresh) != key
            assert verifier.verdict(launch) == "unknown_key"
            assert verifier.verdict(partner.launched()) == "valid"


def test_revoked_under_load_no_launch_is_refused(fresh):
    fresh.project()
    key = fresh.key("launch", PROJECT)
    with fresh.serve("--workers", "4") as server, Hammer(server, key) as hammer:
        for _ in range(5):
            revoked = active(fresh)
            fresh.run("signing-key", "revoke", revoked, "--yes")
            done = time.monotonic()
            hammer.more()
            _, after = hammer.split(done)
            assert after and not any(revoked in body.decode() for _, _, body in after)
    assert {status for mine in hammer.answers for _, status, _ in mine} == {200}


def test_a_pending_key_neither_signs_nor_verifies_and_is_exported(fresh):
    fresh.project()
    pending = create(fresh)
    told = fresh.json("signing-key", "export", "--project", PROJECT)["keys"]
    assert {one["key_id"]: one["state"] for one in told} == states(fresh)
    assert pending in {one["key_id"] for one in told}
    fresh.run("signing-key", "revoke", pending, "--yes")
    told = fresh.json("signing-key", "export", "--project", PROJECT)["keys"]
    assert pending not in {one["key_id"] for one in told}


@pytest.mark.parametrize("count", [4])
def test_activated_at_once(fresh, count):
    """However many are activated at the same time, exactly one is active afterwards."""
    made = [create(fresh) for _ in range(count)]
    threads = [threading.Thread(target=fresh.run, args=("signing-key", "activate", key), kwargs={"status": None}) for key in made]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(states(fresh).values()) == ["active"] + ["retired"] * count
