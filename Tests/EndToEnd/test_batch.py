"""POST /launch/batch, and the rate limit that a batch draws on."""

import re
import secrets
import time

import http_sf
import pytest

from harness import USER, assert_problem, assert_problem_body


def batch(client, *items, **fields):
    return client.post("/launch/batch", {"user_id": USER, "platform": "ANDROID", "items": list(items)} | fields)


def test_each_item_has_its_answer_in_order(partner, gateway):
    answer = batch(
        partner, {"page": "cs"}, {"redirect_to": "%2Fcs"}, {}, {"page": "program", "business_id": "nosuchmall"},
        {"page": "program"}, {"page": "main", "category": "beauty", "ttl_seconds": 20}, {"user_id": "other"}, {"": 1},
    )
    assert answer.status_code == 200 and answer.headers["Cache-Control"] == "no-store"
    items = answer.json()["items"]
    assert [item.get("code") for item in items] == [
        None, "redirect_already_encoded", None, "unknown_business", "missing_parameter", None, "unknown_field",
        "unknown_field",
    ]
    for index, pointer in ((1, "redirect_to"), (3, "business_id"), (4, "business_id"), (6, "user_id"), (7, "")):
        code = items[index]["code"]
        assert_problem_body(items[index], 422, code, (f"/items/{index}/{pointer}", code))
        assert items[index]["request_id"] == answer.headers["X-Request-Id"]
    launches = [items[index] for index in (0, 2, 5)]
    assert [launch["redirect_to"] for launch in launches] == ["/cs", None, "/cashback?category=뷰티"]
    assert [launch["expires_in"] for launch in launches] == [300, 300, 20]
    assert len({launch["launch_id"] for launch in launches}) == 3
    for launch in launches:
        assert launch["headers"]["x-moment-platform"] == "ANDROID" and launch["headers"]["x-moment-user-id"] == USER
        assert gateway.verdict(launch) == "valid"


def test_an_item_that_is_no_object_fails_alone(partner):
    items = batch(partner, 7, {"page": "cs"}).json()["items"]
    assert_problem_body(items[0], 422, "invalid_field", ("/items/0", "invalid_field"))
    assert items[1]["redirect_to"] == "/cs"


@pytest.mark.parametrize("fields, pointer, code", [
    ({"items": []}, "/items", "invalid_field"), ({"items": [{}] * 101}, "/items", "invalid_field"),
    ({"items": {}}, "/items", "invalid_field"), ({"items": None}, "/items", "missing_field"),
    ({"user_id": ""}, "/user_id", "invalid_field"), ({"platform": None}, "/platform", "missing_field"),
    ({"page": "cs"}, "/page", "unknown_field"), ({"": 1}, "/", "unknown_field"),
])
def test_a_fault_of_the_batch_itself_refuses_it_whole(partner, fields, pointer, code):
    assert_problem(batch(partner, {}, **fields), 422, code, (pointer, code))


def test_a_hundred_items(partner):
    assert len(batch(partner, *[{"page": "cs"}] * 100).json()["items"]) == 100


@pytest.fixture
def limited(installation, server):
    """A client whose project may launch once a second, with two in store; each test has its own project."""
    project = installation.project(secrets.token_hex(12), "Limited", rate=1)
    return server.client(installation.key("launch", project))


def rate_limit(answer):
    """What is left by the RateLimit header, which must name a policy of RateLimit-Policy (draft 10)."""
    (name, parameters), = http_sf.parse(answer.headers["RateLimit"].encode(), tltype="list")
    (policy, quota), = http_sf.parse(answer.headers["RateLimit-Policy"].encode(), tltype="list")
    assert name == policy and quota["q"] >= parameters["r"] >= 0
    return parameters["r"]


def used_up(client):
    """Launches until the bucket is empty; how many that took."""
    for count in range(1000):
        answer = client.launch()
        if answer.status_code != 200:
            return count, answer
    raise AssertionError("the bucket never emptied")


def test_launches_over_the_limit_wait(limited):
    first = limited.launch()
    assert rate_limit(first) <= 1
    count, answer = used_up(limited)
    assert count >= 1
    assert_problem(answer, 429, "rate_limited")
    assert re.fullmatch(r"[1-9]\d*", answer.headers["Retry-After"]) and rate_limit(answer) == 0
    told = limited.get("/whoami").json()["rate_limit"]
    assert (told["limit_per_second"], told["burst"]) == (1, 2) and told["remaining"] <= 2


def test_the_limit_comes_before_the_body(limited):
    """An empty bucket answers 429 whatever the body is; it may fill in between, so empty it anew each time."""
    for _ in range(100):
        used_up(limited)
        answer = limited.post("/launch", data="{", headers={"Content-Type": "text/plain"})
        if answer.status_code == 429:
            return
        assert answer.status_code == 415
    raise AssertionError("the body was always looked at first")


def test_a_batch_costs_its_items(installation, server):
    project = installation.project("b" * 24, "Batch", rate=50)
    client = server.client(installation.key("launch", project))
    before = rate_limit(client.launch())
    after = rate_limit(batch(client, *[{}] * 90))
    assert before >= 90 and after < before
    refused = batch(client, *[{}] * 100)
    while refused.status_code == 200:  # a slow machine gave the bucket time to fill
        time.sleep(0.1)  # and it is to hold a few again
        refused = batch(client, *[{}] * 100)
    assert_problem(refused, 429, "rate_limited")
    assert client.launch().status_code == 200, "a refused batch costs nothing"


def test_after_the_wait_a_batch_goes_through(installation, server):
    """Also where not even its first token was there, before it is known how many it takes."""
    project = installation.project(secrets.token_hex(12), "Waiting", rate=5)
    client = server.client(installation.key("launch", project))
    used_up(client)
    refused = batch(client, *[{}] * 10)
    while refused.status_code == 200:  # a slow machine gave the bucket time to fill
        used_up(client)
        refused = batch(client, *[{}] * 10)
    wait = int(assert_problem(refused, 429, "rate_limited") and refused.headers["Retry-After"])
    assert f"Wait {wait} s." in refused.json()["detail"]
    time.sleep(wait)
    assert batch(client, *[{}] * 10).status_code == 200


def test_a_batch_that_no_bucket_could_hold(limited):
    assert_problem(batch(limited, {}, {}, {}), 422, "invalid_field", ("/items", "invalid_field"))


def test_projects_have_buckets_of_their_own(limited, partner):
    used_up(limited)
    assert partner.launch().status_code == 200
