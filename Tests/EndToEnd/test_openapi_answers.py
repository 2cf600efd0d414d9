"""Answer by answer against openapi.yaml: each header is declared, and each example of a problem is what is said."""

import json
import re
import sqlite3
from contextlib import closing

import pytest

from declared import DESCRIPTION, undeclared
from harness import CATALOG, PROJECT, USER, Client, install

GONE, DISABLED, LIMITED = ("0" * 23 + digit for digit in "123")
JSON = {"Content-Type": "application/json"}
LAUNCH = {"user_id": USER, "platform": "IOS"}
EXAMPLES = {name: one["value"] for name, one in DESCRIPTION["components"]["examples"].items()
            if str(one["value"].get("type", "")).startswith("/problems/")}
EXAMPLES["of an item"] = DESCRIPTION["components"]["examples"]["Batch"]["value"]["items"][1]
EXAMPLES["of a gateway"] = DESCRIPTION["paths"]["/verify/forward-auth"]["get"]["responses"]["403"]["content"][
    "application/json"]["examples"]["invalid_request"]["value"]
EXAMPLES["of an explanation"] = DESCRIPTION["paths"]["/problems/{code}"]["get"]["responses"]["200"]["content"][
    "application/json"]["examples"]["encoded"]["value"]
# Nothing that a test can do makes the server fail so, which is as it should be.
NEVER = {"internal"}
READ = {"/whoami": "launch", "/businesses": "launch", "/businesses/{business_id}": "launch", "/categories": "launch",
        "/pages": "launch", "/web-version": "launch", "/webview-settings": "launch", "/problems/{code}": "launch",
        "/openapi.yaml": "launch", "/healthz": None, "/readyz": None, "/metrics": None}
WRITTEN = {"/launch": LAUNCH, "/launch/batch": LAUNCH | {"items": [{}]}, "/launch/revoke": {"user_id": USER}}
PLACES = {"business_id": "11st", "code": "not_found"}


def told(answer):
    """What an answer says, with one id and one time in place of what differs from run to run."""
    text = re.sub(r"key_[0-9A-Za-z]{12}", "key_0Az0Az0Az0Az", answer.text)
    text = re.sub(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", "2026-11-29T12:00:00Z", text)
    return json.loads(text)


class Asked:
    """Answers, with the operation that gave each, and those that are to be an example of the description."""

    def __init__(self):
        self.answers, self.examples = [], {}

    def take(self, method, path, answer, example=None):
        self.answers.append((method, path, answer))
        if example:
            self.examples[example] = told(answer)
        return answer


def install_house(directory):
    made = install(directory)
    made.project()
    made.run("catalog", "import", CATALOG)
    for project in (GONE, DISABLED):
        made.project(project, "Other")
    made.project(LIMITED, "Limited", rate=1)
    keys = {scope: made.key(scope, PROJECT) for scope in ("launch", "verify", "catalog")}
    keys |= {name: made.key("launch", PROJECT) for name in ("expired", "revoked")}
    keys |= {"gone": made.key("launch", GONE), "disabled": made.key("launch", DISABLED),
             "limited": made.key("launch", LIMITED)}
    made.run("key", "rotate", keys["expired"]["key_id"], "--grace", "0s")
    for name in ("revoked", "gone"):
        made.run("key", "revoke", keys[name]["key_id"], "--yes")
    made.run("project", "delete", GONE, "--yes")
    made.run("project", "disable", DISABLED, "--yes")
    secret = keys["launch"]["api_key"]
    keys["malformed"] = {"api_key": secret[:-1] + ("A" if secret[-1] != "A" else "B")}
    return made, keys


def ask_of_keys(asked, client):
    for name, example in (("malformed", "malformed_api_key"), ("gone", "invalid_api_key"), ("expired", "expired_api_key"),
                          ("revoked", "revoked_api_key"), ("verify", "insufficient_scope"), ("disabled", "project_disabled")):
        for path, body in WRITTEN.items():
            # A log-out of a disabled project is not lost.
            answer = asked.take("POST", path, client[name].post(path, body))
            if path == "/launch":
                asked.examples[example] = told(answer)
    asked.take("GET", "/whoami", client[None].get("/whoami"), "missing_api_key")
    asked.take("POST", "/launch", client["launch"].launch(headers={"x-moment-project-id": LIMITED}), "project_mismatch")


def ask_of_bodies(asked, client):
    """The checks of a body, of every operation that has one."""
    for path, body in (WRITTEN | {"/verify": {"method": "GET", "url": "https://a.example/", "headers": {}}}).items():
        one = client["verify" if path == "/verify" else "launch"]
        asked.take("POST", path, one.post(path, body))
        asked.take("POST", path, one.post(path, {}))
        asked.take("POST", path, client[None].post(path, body))
        asked.take("POST", path, one.post(path + "?x=1", body))
        example = (lambda name: name if path == "/launch" else None)
        twice = '{"user_id":"a","user_id":"b"}'
        asked.take("POST", path, one.post(path, data=twice, headers=JSON), example("invalid_json"))
        asked.take("POST", path, one.post(path, data="{}", headers={"Content-Type": "text/plain"}),
                   example("unsupported_media_type"))
        asked.take("POST", path, one.post(path, data="{}", headers=JSON | {"Content-Encoding": "gzip"}))
        asked.take("POST", path, one.post(path, data=" " * 300_000, headers=JSON), example("body_too_large"))


FIELDS = {
    "unknown_field": LAUNCH | {"userId": USER}, "missing_field": {"platform": "IOS"}, "invalid_field": LAUNCH | {"platform": "ios"},
    "conflicting_fields": LAUNCH | {"page": "cs", "redirect_to": "/cs"}, "invalid_redirect": LAUNCH | {"redirect_to": "cs"},
    "redirect_already_encoded": LAUNCH | {"redirect_to": "%2Fcs"}, "unknown_page": LAUNCH | {"page": "admin"},
    "missing_parameter": LAUNCH | {"page": "program"},
    "duplicate_parameter": LAUNCH | {"redirect_to": "/cashback/detail?business_id=11st&business_id=temu"},
    "unknown_business": LAUNCH | {"page": "program", "business_id": "gmarkett"},
    "inactive_business": LAUNCH | {"page": "program", "business_id": "closedmall"},
    "unknown_category": LAUNCH | {"page": "main", "category": "nosuch"},
    "several": {"platform": "ios", "page": "program", "business_id": "11stt", "userId": USER},
}


def ask_of_fields(asked, client):
    for example, body in FIELDS.items():
        asked.take("POST", "/launch", client["launch"].post("/launch", body), example)
    mixed = client["launch"].post("/launch/batch", LAUNCH | {"items": [{"page": "cs"}, {"redirect_to": "%2Fcs"}]})
    asked.examples["of an item"] = asked.take("POST", "/launch/batch", mixed).json()["items"][1]


def ask_of_reading(asked, client, operations):
    for path, scope in READ.items():
        one, target = client[scope] if scope else operations, path.format(**PLACES)
        first = asked.take("GET", path, one.get(target))
        asked.take("GET", path, one.request("HEAD", target))
        asked.take("GET", path, one.get(target + "?nosuch=1"))
        if "ETag" in first.headers:
            unchanged = one.get(target, headers={"If-None-Match": first.headers["ETag"]})
            assert asked.take("GET", path, unchanged).status_code == 304
        if path not in ("/problems/{code}", "/openapi.yaml") and scope:
            asked.take("GET", path, client[None].get(target))
            asked.take("GET", path, client["disabled"].get(target))
            asked.take("GET", path, client["verify"].get(target))
    asked.take("GET", "/businesses", client["launch"].get("/businesses?limit=2"))
    asked.take("GET", "/businesses", client["launch"].get("/businesses?limit=0"), "invalid_request")
    asked.take("GET", "/businesses/{business_id}", client["launch"].get("/businesses/nosuchmall"), "not_found")
    asked.take("GET", "/problems/{code}", client["launch"].get("/problems/nosuch"))
    asked.take("GET", "/problems/{code}", client["launch"].get("/problems/redirect_already_encoded"), "of an explanation")
    long = {"X-Long": "x" * 12_500}
    for path in ("/whoami", "/launch"):
        method = "POST" if path == "/launch" else "GET"
        asked.take(method, path, client["launch"].request(method, path, headers=long), "headers_too_large")


def ask_of_gateways(asked, client):
    launch = client["launch"].launched(page="cs")
    target = launch["url"].removeprefix("https://cashback-ui.moment.fairytech.ai")
    question = {"X-Forwarded-Method": "GET", "X-Forwarded-Host": "cashback-ui.moment.fairytech.ai", "X-Forwarded-Uri": target}
    path, one = "/verify/forward-auth", client["verify"]
    assert asked.take("GET", path, one.get(path, headers=question | launch["headers"])).status_code == 204
    asked.take("POST", "/verify", one.post("/verify", {name: launch[name] for name in ("method", "url", "headers")}))
    asked.take("GET", path, one.get(path, headers=question))
    asked.take("GET", path, client["launch"].get(path, headers=question))
    asked.take("GET", path, client[None].get(path, headers=question))
    asked.take("GET", path, one.get(path), "of a gateway")


def ask_of_the_limit(asked, client):
    for path, body in WRITTEN.items():
        while asked.take("POST", path, answer := client["limited"].post(path, body)).status_code != 429:
            pass
        if path == "/launch":
            asked.examples["rate_limited"] = told(answer)


def ask_of_a_broken_store(asked, client, operations, database):
    with closing(sqlite3.connect(database)) as connection, connection:
        connection.execute("UPDATE signing_key SET state = 'retired', retired_at = activated_at")
    asked.take("POST", "/launch", client["launch"].launch(), "unavailable")
    asked.take("POST", "/launch/batch", client["launch"].post("/launch/batch", WRITTEN["/launch/batch"]))
    asked.take("GET", "/readyz", operations.get("/readyz"))
    with closing(sqlite3.connect(database)) as connection, connection:
        connection.execute("DROP TABLE log_out")
        connection.execute("DROP TABLE business")
        connection.execute("DROP TABLE cookie")
    asked.take("POST", "/launch/revoke", client["launch"].post("/launch/revoke", WRITTEN["/launch/revoke"]))
    asked.take("GET", "/businesses/{business_id}", client["launch"].get("/businesses/temu"))
    asked.take("GET", "/webview-settings", client["launch"].get("/webview-settings"))


@pytest.fixture(scope="module")
def asked(tmp_path_factory):
    """An installation that is asked in every way, and broken at the end."""
    made, keys = install_house(tmp_path_factory.mktemp("answers"))
    found = Asked()
    with made.serve() as server:
        client = {name: server.client(key) for name, key in keys.items()} | {None: Client(server.url)}
        operations = Client(server.operations)
        ask_of_keys(found, client)
        ask_of_bodies(found, client)
        ask_of_fields(found, client)
        ask_of_reading(found, client, operations)
        ask_of_gateways(found, client)
        ask_of_the_limit(found, client)
        ask_of_a_broken_store(found, client, operations, made.data / "launchlink.db")
    return found


def test_no_answer_has_a_header_that_is_not_declared(asked):
    wrong = {}
    for method, path, answer in asked.answers:
        if found := undeclared(method, path, answer.status_code, answer.headers):
            wrong.setdefault(f"{method} {path} {answer.status_code}", found)
    assert not wrong, "\n".join(f"{name}: {', '.join(found)}" for name, found in wrong.items())


def test_every_status_that_can_be_had_was_had(asked):
    had = {(method, path, answer.status_code) for method, path, answer in asked.answers}
    for path in WRITTEN:
        assert {status for method, where, status in had if where == path} >= {400, 401, 403, 413, 415, 422, 429, 503}, path
    assert {path for _, path, _ in had} == DESCRIPTION["paths"].keys()


@pytest.mark.parametrize("name", [name for name in EXAMPLES if name not in NEVER])
def test_an_example_of_a_problem_is_what_the_server_says(asked, name):
    said = asked.examples[name]
    if "request_id" in said:
        said["request_id"] = EXAMPLES[name]["request_id"]
    assert said == EXAMPLES[name]


def test_every_component_is_used():
    text = json.dumps(DESCRIPTION)
    for kind, parts in DESCRIPTION["components"].items():
        for name in parts:
            assert kind == "securitySchemes" or f'"#/components/{kind}/{name}"' in text, f"{kind}/{name}"
