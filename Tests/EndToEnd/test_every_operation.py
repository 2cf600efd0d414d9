"""Every operation of openapi.yaml, called with the wrong keys: no operation is forgotten when one is added."""

import pytest
import yaml

from harness import ROOT, Client, assert_problem

DESCRIPTION = yaml.safe_load((ROOT / "openapi.yaml").read_text())
OTHER = "0badc0de0badc0de0badc0de"
OTHER_NAME, OTHER_KEY, OTHER_USER = "Competitor Ltd", "wk_of-the-competitor_9876543210", "user-of-the-competitor"
METHODS = {"get", "post", "put", "patch", "delete", "head", "options"}
# Who may call what; an operation that is not here fails the test that counts them.
SCOPES = {
    "launch": {"launch"}, "launchBatch": {"launch"}, "revokeLaunches": {"launch"}, "verify": {"verify"}, "forwardAuth": {"verify"},
    "whoami": {"launch", "verify", "catalog", "support"}, "webVersion": {"launch"}, "webViewSettings": {"launch"},
    **dict.fromkeys(["listBusinesses", "getBusiness", "listCategories", "listPages"], {"launch", "catalog", "support"}),
}
PARAMETERS = {"business_id": "11st", "code": "not_found"}


def operations():
    for path, item in DESCRIPTION["paths"].items():
        for method in METHODS & item.keys():
            operation = item[method]
            servers = operation.get("servers", item.get("servers"))
            yield operation["operationId"], method.upper(), path.format(**PARAMETERS), operation.get("security"), servers


GUARDED = [operation[:3] for operation in operations() if operation[3] != []]
OPEN = [operation[0] for operation in operations() if operation[3] == []]


def body(method):
    return {"json": {}} if method == "POST" else {}


@pytest.fixture(scope="module")
def competitor(installation):
    """Another project with keys of its own; gone afterwards."""
    installation.project(OTHER, OTHER_NAME, key=OTHER_KEY)
    made = {scope: installation.key(scope, OTHER) for scope in ("launch", "verify", "catalog")}
    yield {scope: key["api_key"] for scope, key in made.items()}
    for key in made.values():
        installation.run("key", "revoke", key["key_id"], "--yes")
    installation.run("project", "delete", OTHER, "--yes")


def test_every_operation_has_its_scopes_here():
    assert {name for name, _, _ in GUARDED} == SCOPES.keys()
    assert set(OPEN) == {"explainProblem", "getDescription", "health", "readiness", "metrics"}


@pytest.mark.parametrize("name, method, path", GUARDED, ids=lambda value: value)
def test_without_a_key(server, name, method, path):
    answer = Client(server.url).request(method, path, **body(method))
    assert answer.status_code == (403 if name == "forwardAuth" else 401), answer.text[:1000]
    assert "missing_api_key" in answer.text + str(answer.headers)


@pytest.mark.parametrize("name, method, path", GUARDED, ids=lambda value: value)
def test_with_a_key_of_another_scope(server, keys, name, method, path):
    for scope in ("launch", "verify", "catalog", "support"):
        answer = server.client(getattr(keys, scope)).request(method, path, **body(method))
        if scope in SCOPES[name]:
            assert answer.status_code in (200, 400, 422) or name == "forwardAuth", (scope, answer.text)
            assert "insufficient_scope" not in answer.text + str(answer.headers)
        else:
            assert answer.status_code == 403, (scope, answer.text)
            assert "insufficient_scope" in answer.text + str(answer.headers)


@pytest.mark.parametrize("name, method, path", GUARDED, ids=lambda value: value)
def test_nothing_of_another_project_is_told(server, keys, competitor, name, method, path):
    """Whatever names the other project in the request, the answer says nothing that is the other's."""
    headers = {
        "x-moment-project-id": OTHER, "x-moment-user-id": OTHER_USER, "X-Forwarded-Method": "GET",
        "X-Forwarded-Host": "cashback-ui.moment.fairytech.ai", "X-Forwarded-Uri": f"/main?project_id={OTHER}",
    }
    bodies = [{}, {"project_id": OTHER}, {"user_id": "u", "platform": "IOS", "project_id": OTHER}]
    for scope in ("launch", "verify", "catalog"):
        client = server.client(getattr(keys, scope))
        for sent in bodies if method == "POST" else [None]:
            for target in (path, f"{path}?project_id={OTHER}", f"{path}?project={OTHER}"):
                answer = client.request(method, target, headers=headers, **({"json": sent} if sent is not None else {}))
                told = answer.text + str(answer.headers)
                for secret in (OTHER_NAME, OTHER_KEY, competitor["launch"], competitor["verify"]):
                    assert secret not in told, (scope, target, sent)
                assert not (answer.ok and OTHER in told), (scope, target, sent)


def test_a_bundle_of_another_project_is_a_forged_one_to_a_key_of_one_project(server, keys, competitor):
    theirs = server.client(competitor["launch"]).launched(user_id=OTHER_USER)
    assert server.client(keys.verify).verdict(theirs) == "signature_mismatch"
    assert server.client(competitor["verify"]).verdict(theirs) == "valid"
    assert server.client(keys.gateway).verdict(theirs) == "valid"


def test_a_log_out_reaches_no_user_of_another_project(server, partner, keys, competitor):
    theirs = server.client(competitor["launch"]).launched(user_id=OTHER_USER)
    assert partner.post("/launch/revoke", {"user_id": OTHER_USER}).status_code == 204
    assert server.client(keys.gateway).verdict(theirs) == "valid"
    refused = partner.post("/launch", {"user_id": OTHER_USER, "platform": "IOS"}, headers={"x-moment-project-id": OTHER})
    assert_problem(refused, 403, "project_mismatch")
