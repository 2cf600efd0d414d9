"""POST /launch: every URL of the upstream's table, every refusal, faults told together."""

import re
import time
from datetime import datetime, timezone

import pytest

from harness import PROJECT, USER, assert_problem, vectors

URLS = vectors("launch_urls.json")
REFUSED = vectors("refused_redirects.json")
NOT_A_REQUEST_FIELD = {"url", "redirect_to", "note"}


def deep_link(url):
    query = url.partition("?")[2]
    return "moment://cashback" + (f"?{query}" if query else "")


@pytest.mark.parametrize("case", URLS["raw_redirect_to"], ids=lambda case: case["redirect_to"])
def test_a_raw_redirect_is_encoded_once(partner, case):
    launch = partner.launched(redirect_to=case["redirect_to"])
    assert launch["url"] == case["url"]
    assert launch["redirect_to"] == case["redirect_to"]
    assert launch["deep_link"] == deep_link(case["url"])


@pytest.mark.parametrize("case", URLS["pages"], ids=lambda case: case["url"])
def test_a_page_becomes_its_url(partner, case):
    launch = partner.launched(**{name: case[name] for name in case.keys() - NOT_A_REQUEST_FIELD})
    assert launch["url"] == case["url"]
    assert launch["redirect_to"] == case["redirect_to"]
    assert launch["deep_link"] == deep_link(case["url"])


@pytest.mark.parametrize("case", REFUSED, ids=lambda case: ascii(case["redirect_to"])[:60])
def test_a_wrong_redirect_is_refused(partner, case):
    assert_problem(partner.launch(redirect_to=case["redirect_to"]), 422, case["code"], ("/redirect_to", case["code"]))


def test_the_answer_is_whole(partner):
    before = int(time.time())
    answer = partner.launch(page="program", business_id="11st")
    launch = answer.json()
    after = int(time.time())
    assert answer.headers["Content-Type"] == "application/json"
    assert answer.headers["Cache-Control"] == "no-store"
    assert list(launch) == [
        "launch_id", "method", "url", "redirect_to", "deep_link", "headers", "issued_at", "expires_at", "expires_in",
    ]
    assert list(launch["headers"]) == [
        "x-moment-project-id", "x-moment-web-api-key", "x-moment-user-id", "x-moment-platform",
        "signature-input", "signature",
    ]
    assert launch["method"] == "GET" and launch["expires_in"] == 300
    issued, expires = (
        datetime.strptime(launch[name], "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=timezone.utc).timestamp()
        for name in ("issued_at", "expires_at")
    )
    assert before <= issued <= after and expires - issued == 300
    assert launch["headers"]["x-moment-project-id"] == PROJECT
    assert launch["headers"]["x-moment-user-id"] == USER
    assert launch["headers"]["x-moment-platform"] == "IOS"
    assert launch["headers"]["x-moment-web-api-key"] == f"launch-{launch['launch_id']}"


def test_a_launch_id_is_a_rising_uuid_of_version_7(partner):
    before = int(time.time() * 1000)
    ids = [partner.launched()["launch_id"] for _ in range(50)]
    after = int(time.time() * 1000)
    assert all(re.fullmatch(r"[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}", one) for one in ids)
    times = [int(one.replace("-", "")[:12], 16) for one in ids]
    assert len(set(ids)) == 50 and times == sorted(times)
    assert before <= times[0] and times[-1] <= after


def test_direct_delivery_puts_the_real_key_into_the_bundle(installation, server):
    project = installation.project("d" * 24, "Direct", key="wk_direct", delivery="direct")
    launch = server.client(installation.key("launch", project)).launched()
    assert launch["headers"]["x-moment-web-api-key"] == "wk_direct"


def test_a_lifetime_of_the_callers_choice(partner):
    launch = partner.launched(ttl_seconds=10)
    assert launch["expires_in"] == 10
    signed = re.search(r";created=(\d+);expires=(\d+);", launch["headers"]["signature-input"])
    assert int(signed[2]) - int(signed[1]) == 10


def test_null_is_the_same_as_absent(partner):
    answer = partner.post("/launch", {
        "user_id": USER, "platform": "ANDROID", "page": None, "category": None, "business_id": None,
        "redirect_to": None, "ttl_seconds": None,
    })
    assert answer.status_code == 200 and answer.json()["redirect_to"] is None
    assert_problem(partner.post("/launch", {"user_id": None, "platform": "IOS"}), 422, "missing_field",
                   ("/user_id", "missing_field"))


FAULTS = {
    "user_id of none": ({"user_id": ""}, "/user_id", "invalid_field"),
    "user_id too long": ({"user_id": "u" * 129}, "/user_id", "invalid_field"),
    "user_id with a space": ({"user_id": "a b"}, "/user_id", "invalid_field"),
    "user_id with a line break": ({"user_id": "a\nX-Evil: 1"}, "/user_id", "invalid_field"),
    "user_id in Hangul": ({"user_id": "사용자"}, "/user_id", "invalid_field"),
    "user_id a number": ({"user_id": 7}, "/user_id", "invalid_field"),
    "platform in lower case": ({"platform": "ios"}, "/platform", "invalid_field"),
    "platform absent": ({"platform": None}, "/platform", "missing_field"),
    "no such page": ({"page": "admin"}, "/page", "unknown_page"),
    "page a number": ({"page": 1}, "/page", "invalid_field"),
    "no such category": ({"page": "main", "category": "nosuch"}, "/category", "unknown_category"),
    "program of nothing": ({"page": "program"}, "/business_id", "missing_parameter"),
    "no such business": ({"page": "program", "business_id": "nosuchmall"}, "/business_id", "unknown_business"),
    "closed business": ({"page": "program", "business_id": "closedmall"}, "/business_id", "inactive_business"),
    "page and redirect": ({"page": "cs", "redirect_to": "/cs"}, "/redirect_to", "conflicting_fields"),
    "a parameter of another page": ({"page": "cs", "category": "beauty"}, "/category", "conflicting_fields"),
    "a parameter of no page": ({"business_id": "11st"}, "/business_id", "conflicting_fields"),
    "redirect a list": ({"redirect_to": ["/cs"]}, "/redirect_to", "invalid_field"),
    "ttl too short": ({"ttl_seconds": 9}, "/ttl_seconds", "invalid_field"),
    "ttl over the project's": ({"ttl_seconds": 301}, "/ttl_seconds", "invalid_field"),
    "ttl a fraction": ({"ttl_seconds": 60.5}, "/ttl_seconds", "invalid_field"),
    "ttl true": ({"ttl_seconds": True}, "/ttl_seconds", "invalid_field"),
    "ttl past 32 bits": ({"ttl_seconds": 2**32 + 60}, "/ttl_seconds", "invalid_field"),
    "unknown field": ({"userId": USER}, "/userId", "unknown_field"),
    "unknown field with a slash": ({"a/b~c": 1}, "/a~1b~0c", "unknown_field"),
    "unknown field without a name": ({"": 1}, "/", "unknown_field"),
}


@pytest.mark.parametrize("fields, pointer, code", FAULTS.values(), ids=FAULTS)
def test_a_fault_has_a_pointer_and_a_code(partner, fields, pointer, code):
    assert_problem(partner.launch(**fields), 422, code, (pointer, code))


def test_faults_are_told_together_in_the_order_of_the_table(partner):
    answer = partner.post("/launch", {
        "zzz": 1, "ttl_seconds": 5, "business_id": "no such", "page": "program", "platform": "WEB", "user_id": "",
    })
    assert_problem(
        answer, 422, "invalid_field", ("/user_id", "invalid_field"), ("/platform", "invalid_field"),
        ("/business_id", "unknown_business"), ("/ttl_seconds", "invalid_field"), ("/zzz", "unknown_field"),
    )


def test_a_slip_in_a_business_id_gets_near_ones(partner):
    problem = assert_problem(partner.launch(page="program", business_id="gmarkett"), 422, "unknown_business")
    suggestions = problem["errors"][0]["suggestions"]
    assert suggestions[0] == "gmarket" and len(suggestions) <= 3
    closed = assert_problem(partner.launch(page="program", business_id="closedmal"), 422, "unknown_business")
    assert "closedmall" not in closed["errors"][0].get("suggestions", []), "it would be refused in turn"
    far = assert_problem(partner.launch(page="program", business_id="0" * 30), 422, "unknown_business")
    assert far["errors"][0].get("suggestions") != []


@pytest.mark.parametrize("body", ["7", "[]", "null", '"x"'])
@pytest.mark.parametrize("path", ["/launch", "/launch/batch", "/launch/revoke"])
def test_a_body_that_is_no_object(partner, path, body):
    answer = partner.post(path, data=body, headers={"Content-Type": "application/json"})
    assert_problem(answer, 422, "invalid_field", ("", "invalid_field"))
