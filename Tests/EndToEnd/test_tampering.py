"""A bundle changed by one byte anywhere is refused, with the code that the contract names.

What each change of the two signature headers should lead to is worked out here from the contract's section 4,
with http_sf (PyPI) as the judge of what is a structured field.
"""

import re
from urllib.parse import urlsplit

import http_sf
import pytest

from harness import PROJECT, assert_problem
from signing import COVERED

# Two letters and a digit, so that one differs from whatever stands there; and what carries syntax.
REPLACEMENTS = 'xw7"; '
UUID7 = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")


@pytest.fixture(scope="module")
def launch(partner):
    return partner.launched(page="program", business_id="11st")


def changes(text, replacements):
    for index, old in enumerate(text):
        for new in replacements:
            if new != old:
                yield text[:index] + new + text[index + 1:]


def expected(inputs, signature, key_id):
    """The codes that may answer this Signature-Input and Signature; all else of the bundle is as it was signed."""
    try:
        members = http_sf.parse(inputs.strip().encode(), tltype="dictionary")
        http_sf.parse(signature.strip().encode(), tltype="dictionary")
    except http_sf.StructuredFieldError:
        return {"malformed_signature"}
    tagged = {label: member for label, member in members.items() if member[1].get("tag") == "moment-launch"}
    if not tagged:
        return {"wrong_tag"}
    (label, (listed, params)), = tagged.items()
    if not isinstance(listed, list):
        return {"malformed_signature"}
    value = re.fullmatch(rf"{re.escape(label)}=:([A-Za-z0-9+/]*={{0,2}}):", signature.strip())
    if not value:
        label_of_signature = signature.strip().partition("=")[0]
        return {"signature_mismatch"} if label_of_signature != label else {"malformed_signature"}
    if not canonical(value[1]):
        return {"malformed_signature"}
    if not set(COVERED) <= {name for name, flags in listed if not flags} or params.get("alg", "hmac-sha256") != "hmac-sha256":
        return {"missing_component"}
    lacking = {"created", "expires", "nonce", "alg", "keyid"} - params.keys()
    if lacking:
        # The contract does not tell a parameter left out from other syntax; it must only never pass.
        return {"malformed_signature", "missing_component", "signature_mismatch", "unknown_key"}
    if not all(type(params[name]) is int for name in ("created", "expires")) or not UUID7.fullmatch(str(params["nonce"])):
        return {"malformed_signature"}
    if params["keyid"] != key_id:
        return {"unknown_key"}
    return {"signature_mismatch"}


def canonical(text):
    """Base64 with its padding, and no bit set that stands for nothing (RFC 4648 section 3.5)."""
    spare = {0: 0, 1: 0b11, 2: 0b1111}[text.count("=")]
    digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
    return len(text) % 4 == 0 and not digits.index(text.rstrip("=")[-1]) & spare


def test_every_byte_of_the_address(gateway, launch):
    parts = urlsplit(launch["url"])
    rest = launch["url"].removeprefix(f"{parts.scheme}://")
    for changed in changes(rest, "xw7%"):
        url = f"{parts.scheme}://{changed}"
        answer = gateway.post("/verify", {"method": "GET", "url": url, "headers": launch["headers"]})
        if answer.status_code == 422:  # no host has such a name, so that is no address
            assert "%" in changed.split("/")[0]
            assert_problem(answer, 422, "invalid_field", ("/url", "invalid_field"))
        else:
            assert answer.json().get("code") == "signature_mismatch", (url, answer.text)


@pytest.mark.parametrize("name", [name for name in COVERED if not name.startswith("@")])
def test_every_byte_of_a_covered_header(gateway, launch, name):
    for value in changes(launch["headers"][name], 'xw7", '):
        verdict = gateway.verdict(launch, headers=launch["headers"] | {name: value})
        assert verdict == "signature_mismatch", (value, verdict)


def test_every_byte_of_signature_input(gateway, launch):
    key_id = re.search('keyid="([^"]+)"', launch["headers"]["signature-input"])[1]
    seen = set()
    for value in changes(launch["headers"]["signature-input"], REPLACEMENTS):
        headers = launch["headers"] | {"signature-input": value}
        verdict = gateway.verdict(launch, headers=headers)
        assert verdict in expected(value, headers["signature"], key_id), (value, verdict)
        seen.add(verdict)
    assert {"malformed_signature", "wrong_tag", "missing_component", "unknown_key", "signature_mismatch"} <= seen


def test_every_byte_of_the_signature(gateway, launch):
    key_id = re.search('keyid="([^"]+)"', launch["headers"]["signature-input"])[1]
    for value in changes(launch["headers"]["signature"], REPLACEMENTS + "="):
        verdict = gateway.verdict(launch, headers=launch["headers"] | {"signature": value})
        assert verdict in expected(launch["headers"]["signature-input"], value, key_id), (value, verdict)


def test_a_byte_more_or_less(gateway, launch):
    for name in launch["headers"]:
        for value in (launch["headers"][name] + "0", launch["headers"][name][:-1]):
            assert gateway.verdict(launch, headers=launch["headers"] | {name: value}) != "valid", (name, value)
    for url in (launch["url"] + "0", launch["url"][:-1], launch["url"] + "&a=b", launch["url"].replace("/main", "/main/")):
        assert gateway.verdict(launch, url=url) == "signature_mismatch"


@pytest.mark.parametrize("name, code", [
    ("x-moment-project-id", "missing_component"), ("x-moment-web-api-key", "missing_component"),
    ("x-moment-user-id", "missing_component"), ("x-moment-platform", "missing_component"),
    ("signature-input", "missing_signature"), ("signature", "missing_signature"),
])
def test_a_header_removed(gateway, launch, name, code):
    headers = {one: value for one, value in launch["headers"].items() if one != name}
    assert gateway.verdict(launch, headers=headers) == code


@pytest.mark.parametrize("name", [*(name for name in COVERED if not name.startswith("@")), "signature-input", "signature"])
def test_a_header_doubled(gateway, launch, name):
    same, other = launch["headers"][name], "other"
    # A second Signature line with another label is no fault: its members are one dictionary (RFC 9421 section 4).
    for value in (same,) if name.startswith("signature") else (same, other):
        for headers in ({name.upper(): value} | launch["headers"], launch["headers"] | {name.upper(): value}):
            assert gateway.verdict(launch, headers=headers) == "malformed_signature"


@pytest.mark.parametrize("method", ["POST", "get", "GETX"])
def test_another_method(gateway, launch, method):
    assert gateway.verdict(launch, method=method) == "signature_mismatch"


@pytest.mark.parametrize("change", [
    lambda query: query.replace("%2F", "%2f", 1), lambda query: query.replace("11st", "%31%31st"),
    lambda query: query.replace("%3D", "="), lambda query: "&" + query, lambda query: query.replace("redirect_to", "redirect%5Fto"),
])
def test_a_query_that_means_the_same_and_is_written_otherwise(gateway, launch, change):
    address, query = launch["url"].split("?")
    assert change(query) != query
    assert gateway.verdict(launch, url=f"{address}?{change(query)}") == "signature_mismatch"


@pytest.mark.parametrize("change", [
    lambda request: request | {"headers": {name.upper(): value for name, value in request["headers"].items()}},
    lambda request: request | {"headers": {name: f" \t{value} " for name, value in request["headers"].items()}},
    lambda request: request | {"headers": request["headers"] | {"accept": "*/*", "cookie": "a=b"}},
    lambda request: request | {"url": request["url"].replace(".ai/", ".ai:443/")},
    lambda request: request | {"url": request["url"].replace("cashback-ui", "Cashback-UI")},
], ids=["names in upper case", "blanks around values", "more headers", "the default port", "the host in upper case"])
def test_what_changes_nothing_is_accepted(gateway, launch, change):
    request = change({name: launch[name] for name in ("method", "url", "headers")})
    verdict = gateway.verify(request)
    assert verdict == {
        "valid": True, "launch_id": launch["launch_id"], "project_id": PROJECT, "platform": "IOS",
        "user_id": launch["headers"]["x-moment-user-id"],
        "issued_at": launch["issued_at"], "expires_at": launch["expires_at"],
    }
