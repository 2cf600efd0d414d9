"""POST /verify on bundles that a holder of the key could make: what is decided, and in which order."""

import time
import uuid
from urllib.parse import urlsplit

import pytest

from harness import PROJECT, assert_problem, items
from signing import COVERED, URL, bundle, components, exported, parameters, signature

OTHER = "e" * 24


@pytest.fixture(scope="module")
def key(installation):
    return exported(installation, PROJECT)


@pytest.fixture(scope="module")
def other(installation):
    return installation.project(OTHER, "Other verifier")


def test_the_tests_own_bundle_is_good(gateway, key):
    assert gateway.verdict(bundle(PROJECT, key)) == "valid"


ACCEPTED = {
    "another label": {"label": "sig1"},
    "another order": {"covered": COVERED[::-1]},
    "more components": {"covered": (*COVERED, "x-extra", "accept"), "headers": {"x-extra": "1", "accept": "*/*"}},
    "more parameters": {"extra": "yes", "n": 5},
    "created a little ahead": {"age": -15},
    "another path": {"url": "https://cashback-ui.moment.fairytech.ai/other"},
}


@pytest.mark.parametrize("how", ACCEPTED.values(), ids=ACCEPTED)
def test_more_and_otherwise_is_accepted_where_the_signature_covers_it(gateway, key, how):
    assert gateway.verdict(bundle(PROJECT, key, **how)) == "valid"


REFUSED = {
    "another tag": ({"tag": "other"}, "wrong_tag"),
    "no tag": ({"tag": None}, "wrong_tag"),
    "another algorithm": ({"alg": "hmac-sha512"}, "missing_component"),
    "an unknown key": ({"keyid": "sk_000000000000"}, "unknown_key"),
    "a nonce of another version": ({"nonce": str(uuid.UUID(int=5, version=4))}, "malformed_signature"),
    "a nonce that is no UUID": ({"nonce": "abc"}, "malformed_signature"),
    "created in milliseconds": ({"created": int(time.time() * 1000)}, "malformed_signature"),
    "expires in milliseconds": ({"expires": int(time.time() * 1000)}, "malformed_signature"),
    "created as text": ({"created": "1764460800"}, "malformed_signature"),
    "created far ahead": ({"age": -3000}, "not_yet_valid"),
    "expired": ({"age": 400}, "expired"),
    "expired at once": ({"age": 60, "ttl": 60}, "expired"),
    "over an hour old, however long it is to live": ({"age": 3605, "ttl": 864_000}, "expired"),
    "an empty user": ({"headers": {"x-moment-user-id": ""}}, "malformed_signature"),
    "a user of two words": ({"headers": {"x-moment-user-id": "a b"}}, "malformed_signature"),
    "a user that is too long": ({"headers": {"x-moment-user-id": "u" * 129}}, "malformed_signature"),
    "no such platform": ({"headers": {"x-moment-platform": "WEB"}}, "malformed_signature"),
    "an empty platform": ({"headers": {"x-moment-platform": ""}}, "malformed_signature"),
    "a foreign host": ({"url": "https://cashback-ui.moment.fairytech.ai.evil.example/main"}, "authority_mismatch"),
    "a foreign port": ({"url": "https://cashback-ui.moment.fairytech.ai:8443/main"}, "authority_mismatch"),
}


@pytest.mark.parametrize("how, code", REFUSED.values(), ids=REFUSED)
def test_a_wellsigned_bundle_may_be_wrong(gateway, key, how, code):
    verdict = gateway.verify(bundle(PROJECT, key, **how))
    assert verdict.keys() == {"valid", "code", "detail"} and verdict["detail"]
    assert (verdict["valid"], verdict["code"]) == (False, code)


@pytest.mark.parametrize("how, code", REFUSED.values(), ids=REFUSED)
def test_a_gateway_is_told_the_same(server, gateway, key, how, code):
    request = bundle(PROJECT, key, **how)
    url = urlsplit(request["url"])
    answer = gateway.get("/verify/forward-auth", headers=request["headers"] | {
        "X-Forwarded-Method": request["method"], "X-Forwarded-Host": url.netloc, "X-Forwarded-Uri": f"{url.path}?{url.query}"})
    assert (answer.status_code, answer.headers["x-launch-code"]) == (401, code)


@pytest.mark.parametrize("left_out", COVERED)
def test_a_signature_that_covers_less(gateway, key, left_out):
    covered = tuple(name for name in COVERED if name != left_out)
    assert gateway.verdict(bundle(PROJECT, key, covered=covered)) == "missing_component"


def test_a_covered_header_that_is_absent(gateway, key):
    assert gateway.verdict(bundle(PROJECT, key, covered=(*COVERED, "x-extra"))) == "missing_component"


def two(gateway, key, *tags):
    """The verdict on a request with one signature a tag."""
    request = bundle(PROJECT, key)
    made = [
        (f"s{index}", *signature(components("GET", URL, request["headers"]), COVERED, parameters(key[0], tag=tag), key[1]))
        for index, tag in enumerate(tags)
    ]
    return gateway.verdict(request, headers=request["headers"] | {
        "signature-input": ", ".join(f"{label}={inputs}" for label, inputs, _ in made),
        "signature": ", ".join(f"{label}={value}" for label, _, value in made),
    })


def test_a_signature_is_chosen_by_its_tag(gateway, key):
    assert two(gateway, key, "proxy", "moment-launch", "cdn") == "valid"
    assert two(gateway, key, "moment-launch", "moment-launch") == "malformed_signature"
    assert two(gateway, key, "proxy", "cdn") == "wrong_tag"


def test_a_forged_bundle_is_never_believed(gateway, key):
    """Whatever else is wrong, a bad MAC is told first."""
    forger = (key[0], bytes(32))
    for how in ({}, {"age": 400}, {"age": -3000}, {"url": "https://evil.example/main"}):
        assert gateway.verdict(bundle(PROJECT, forger, **how)) == "signature_mismatch"


def test_what_is_wrong_is_told_in_the_contracts_order(gateway, key):
    foreign = "https://evil.example/main"
    assert gateway.verdict(bundle(PROJECT, key, tag="other", keyid="sk_x", covered=COVERED[:3])) == "wrong_tag"
    assert gateway.verdict(bundle(PROJECT, key, keyid="sk_000000000000", covered=COVERED[:7])) == "missing_component"
    assert gateway.verdict(bundle(PROJECT, key, url=foreign, age=400)) == "authority_mismatch"
    for malformed in ({"nonce": "abc"}, {"created": int(time.time() * 1000)}, {"keyid": 5}):
        for missing in ({"covered": COVERED[:3]}, {"alg": "hmac-sha512"}, {"expires": None}):
            assert gateway.verdict(bundle(PROJECT, key, **malformed, **missing)) == "malformed_signature"
    stranger = {"x-moment-user-id": "a b"}
    assert gateway.verdict(bundle(PROJECT, (key[0], bytes(32)), headers=stranger)) == "signature_mismatch"
    assert gateway.verdict(bundle(PROJECT, key, headers=stranger, url=foreign)) == "malformed_signature"


def test_a_projects_key_signs_for_no_other(gateway, key, other):
    assert gateway.verdict(bundle(other, key)) == "signature_mismatch"
    assert gateway.verdict(bundle("0" * 24, key)) == "signature_mismatch"
    assert gateway.verdict(bundle("no project", key)) == "signature_mismatch"


def test_a_verify_key_of_a_project_sees_only_that_one(installation, server, keys, key, other):
    theirs = bundle(other, exported(installation, other))
    own, stranger = server.client(keys.verify), server.client(installation.key("verify", other))
    assert (own.verdict(bundle(PROJECT, key)), stranger.verdict(theirs)) == ("valid", "valid")
    assert (own.verdict(theirs), stranger.verdict(bundle(PROJECT, key))) == ("signature_mismatch",) * 2


def test_a_disabled_project_verifies_nothing(installation, gateway, other):
    theirs = exported(installation, other)
    installation.run("project", "disable", other, "--yes")
    assert gateway.verdict(bundle(other, theirs)) == "project_disabled"
    assert gateway.verdict(bundle(other, theirs, age=400)) == "expired"
    installation.run("project", "enable", other)
    assert gateway.verdict(bundle(other, theirs)) == "valid"


def test_signing_keys_come_and_go(fresh):
    """Pending, active, retired, revoked: what each verifies, while the server runs."""
    fresh.project()
    with fresh.serve() as server:
        partner, gateway = server.client(fresh.key("launch", PROJECT)), server.client(fresh.key("verify"))

        def states():
            return {one["key_id"]: one["state"] for one in items(fresh.json("signing-key", "list"))}

        first, = states()
        old = partner.launched()
        second = fresh.json("signing-key", "create")["key_id"]
        assert states() == {first: "active", second: "pending"}
        fresh.run("signing-key", "activate", second)
        assert states() == {first: "retired", second: "active"}
        new = partner.launched()
        assert f'keyid="{second}"' in new["headers"]["signature-input"]
        assert (gateway.verdict(old), gateway.verdict(new)) == ("valid", "valid")
        fresh.run("signing-key", "revoke", first, "--yes")
        assert (gateway.verdict(old), gateway.verdict(new)) == ("unknown_key", "valid")
        fresh.run("signing-key", "revoke", second, "--yes")
        assert gateway.verdict(new) == "unknown_key"
        assert gateway.verdict(partner.launched()) == "valid", "revoking the active key activates a new one"
        assert sorted(states().values()) == ["active", "revoked", "revoked"]


@pytest.mark.parametrize("body, pointer, code", [
    ({"method": "GET", "headers": {}}, "/url", "missing_field"),
    ({"url": URL, "headers": {}}, "/method", "missing_field"),
    ({"method": "GET", "url": URL}, "/headers", "missing_field"),
    ({"method": 1, "url": URL, "headers": {}}, "/method", "invalid_field"),
    ({"method": "GET", "url": "/main", "headers": {}}, "/url", "invalid_field"),
    ({"method": "GET", "url": URL, "headers": []}, "/headers", "invalid_field"),
    ({"method": "GET", "url": URL, "headers": {"signature": 5}}, "/headers", "invalid_field"),
    ({"method": "GET", "url": URL, "headers": {}, "consume": "?"}, "/consume", "invalid_field"),
    ({"method": "GET", "url": URL, "headers": {}, "uses": True}, "/uses", "unknown_field"),
])
def test_a_fault_in_the_question(gateway, body, pointer, code):
    assert_problem(gateway.post("/verify", body), 422, code, (pointer, code))


def test_a_header_of_null_is_none(gateway, key):
    request = bundle(PROJECT, key)
    assert gateway.verdict(request | {"headers": request["headers"] | {"x-extra": None}}) == "valid"
    assert gateway.verdict(request | {"headers": request["headers"] | {"x-moment-platform": None}}) == "missing_component"


def test_a_request_without_a_bundle(gateway):
    assert gateway.verify({"method": "GET", "url": URL, "headers": {}})["code"] == "missing_signature"
