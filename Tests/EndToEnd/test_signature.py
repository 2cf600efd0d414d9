"""The signature, judged by an implementation that nobody here wrote: the PyPI package http-message-signatures."""

import requests
from http_message_signatures import HTTPMessageVerifier, HTTPSignatureKeyResolver, InvalidSignature, algorithms
import pytest

from harness import PROJECT, USER
from signing import COVERED, exported


class Exported(HTTPSignatureKeyResolver):
    """The keys that `launchlink signing-key export` printed."""

    def __init__(self, installation, project):
        self.keys = dict([exported(installation, project)])

    def resolve_public_key(self, key_id):
        return self.keys[key_id]


@pytest.fixture(scope="module")
def verifier(installation):
    return HTTPMessageVerifier(
        signature_algorithm=algorithms.HMAC_SHA256, key_resolver=Exported(installation, PROJECT)
    )


def arrived(launch, **headers):
    """The launch as a gateway's HTTP library would hold it."""
    return requests.Request(launch["method"], launch["url"], headers=launch["headers"] | headers).prepare()


DESTINATIONS = [
    {}, {"page": "main", "category": "beauty"}, {"page": "program", "business_id": "11st"},
    {"redirect_to": "/cashback?category=뷰티&sort=rate+desc#top"}, {"redirect_to": "/settings?rate=100%"},
    {"ttl_seconds": 10, "user_id": "".join(map(chr, range(0x21, 0x7F)))},
]


@pytest.mark.parametrize("fields", DESTINATIONS, ids=map(str, DESTINATIONS))
def test_an_independent_library_accepts_a_launch(partner, verifier, fields):
    launch = partner.launched(**fields)
    result, = verifier.verify(arrived(launch), expect_tag="moment-launch", require_components=COVERED)
    assert result.label == "launch" and result.algorithm is algorithms.HMAC_SHA256
    assert list(result.parameters) == ["created", "expires", "nonce", "alg", "keyid", "tag"]
    assert result.parameters["nonce"] == launch["launch_id"]
    assert [name.strip('"') for name in result.covered_components if "signature-params" not in name] == list(COVERED)


@pytest.mark.parametrize("change", [
    {"headers": {"x-moment-user-id": USER + "x"}}, {"headers": {"x-moment-platform": "ANDROID"}},
    {"url": "https://cashback-ui.moment.fairytech.ai/main?redirect_to=%2Fcs"}, {"method": "POST"},
])
def test_an_independent_library_refuses_a_changed_launch(partner, verifier, change):
    launch = partner.launched(page="program", business_id="11st")
    changed = launch | {name: value for name, value in change.items() if name != "headers"}
    with pytest.raises(InvalidSignature):
        verifier.verify(arrived(changed, **change.get("headers", {})), expect_tag="moment-launch")


def test_an_exported_key_is_the_projects_own(installation, partner):
    other = installation.project("a" * 24, "Another")
    assert exported(installation, PROJECT)[1] != exported(installation, other)[1]
    stranger = HTTPMessageVerifier(
        signature_algorithm=algorithms.HMAC_SHA256, key_resolver=Exported(installation, other)
    )
    with pytest.raises(InvalidSignature):
        stranger.verify(arrived(partner.launched()), expect_tag="moment-launch")


def test_batch_and_command_sign_alike(installation, partner, verifier, gateway):
    item, = partner.post("/launch/batch", {"user_id": "U", "platform": "IOS", "items": [{"page": "cs"}]}).json()["items"]
    told = installation.json("launch", "--project", PROJECT, "--user-id", "U", "--platform", "ANDROID", "--redirect-to", "/cs")
    for launch in (item, told):
        assert verifier.verify(arrived(launch), expect_tag="moment-launch")
        assert gateway.verdict(launch) == "valid"
    assert told.keys() == partner.launched().keys()
