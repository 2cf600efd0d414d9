"""What holds for every request: routes, methods, bodies, request ids."""

import gzip
import re

import pytest
import yaml

from harness import ROOT, Client, assert_problem

DESCRIPTION = (ROOT / "openapi.yaml").read_text()
CODES = yaml.safe_load(DESCRIPTION)["components"]["schemas"]["ProblemCode"]["enum"]
JSON = {"Content-Type": "application/json"}
LAUNCH = b'{"user_id":"USER-123","platform":"IOS"}'


@pytest.mark.parametrize("path", ["/", "/nowhere", "/launch/", "/Launch", "/businesses/11st/x", "/businesses/nosuchmall",
                                  "/problems/nosuch", "/healthz", "/readyz"])
def test_an_unknown_path(partner, path):
    assert_problem(partner.get(path), 404, "not_found")


@pytest.mark.parametrize("count", [250, 300, 3000])
def test_a_query_of_many_parameters_is_answered(server, partner, count):
    # The library's own reading of them neither answers nor hangs up once its memory is used up.
    query = "?" + "a&" * count
    assert_problem(partner.get("/businesses" + query), 400, "invalid_request")
    assert_problem(partner.post("/launch" + query, {"user_id": "U", "platform": "IOS"}), 400, "invalid_request")
    assert_problem(Client(server.operations).get("/healthz" + query), 400, "invalid_request")
    whole = "&".join(f"a{number}=" for number in range(count))[:6000]
    assert_problem(partner.get(f"/businesses?{whole}"), 400, "invalid_request")


@pytest.mark.parametrize("count", [100, 400, 1500])
def test_many_cookies_are_answered(partner, count):
    assert partner.get("/whoami", headers={"Cookie": "; ".join(["a=1"] * count)}).status_code in (200, 431)


@pytest.mark.parametrize("path, more", [("/launch", 1300), ("/launch/batch", 20_000), ("/verify", 1300)])
def test_of_very_many_unknown_fields_the_first_are_named(partner, gateway, path, more):
    # Each was compared with all before it, and 20,000 of them kept everybody waiting for four seconds.
    body = {f"k{number}": 1 for number in range(more)}
    answer = (gateway if path == "/verify" else partner).post(path, body)
    assert answer.status_code == 422
    unknown = [fault for fault in answer.json()["errors"] if fault["code"] == "unknown_field"]
    assert len(unknown) == 10 and len(answer.content) < 20_000
    if path == "/launch/batch":
        answer = partner.post(path, {"user_id": "U", "platform": "IOS", "items": [body]})
        assert answer.status_code == 200 and len(answer.content) < 20_000


@pytest.mark.parametrize("method, path, allowed", [
    ("GET", "/launch", {"POST"}), ("HEAD", "/launch", {"POST"}), ("DELETE", "/launch/batch", {"POST"}),
    ("PUT", "/verify", {"POST"}), ("POST", "/whoami", {"GET", "HEAD"}), ("PATCH", "/businesses", {"GET", "HEAD"}),
    ("DELETE", "/businesses/11st", {"GET", "HEAD"}), ("POST", "/openapi.yaml", {"GET", "HEAD"}),
    ("TRACE", "/launch", {"POST"}), ("BREW", "/pages", {"GET", "HEAD"}),
])
def test_a_wrong_method_names_the_right_ones(partner, method, path, allowed):
    answer = partner.request(method, path)
    assert answer.status_code == 405
    assert {name.strip() for name in answer.headers["Allow"].split(",")} == allowed
    if method != "HEAD":
        assert_problem(answer, 405, "method_not_allowed")


@pytest.mark.parametrize("path", ["/whoami", "/businesses", "/businesses/11st", "/categories", "/pages",
                                  "/problems/not_found", "/openapi.yaml", "/businesses/nosuchmall"])
def test_head_is_get_without_the_body(partner, path):
    get, head = partner.get(path), partner.request("HEAD", path)
    assert head.status_code == get.status_code and head.content == b""
    for name in ("Content-Type", "Content-Length", "ETag", "Cache-Control"):
        assert head.headers.get(name) == get.headers.get(name), name


def test_the_operations_listener_has_only_its_own(server, keys):
    operations = Client(server.operations, keys.launch["api_key"])
    assert operations.get("/healthz").json() == {"status": "ok"}
    assert operations.get("/readyz").json() == {"status": "ready"}
    assert operations.request("HEAD", "/readyz").status_code == 200
    assert_problem(operations.launch(), 404, "not_found")


@pytest.mark.parametrize("sent, kept", [
    ("req-1", True), ("~" * 128, True), ("x" * 129, False), ("two words", False), ("caf\xe9", False), ("", False),
])
def test_a_good_request_id_comes_back(partner, sent, kept):
    for path in ("/whoami", "/nowhere"):
        got = partner.get(path, headers={"X-Request-Id": sent.encode("latin-1")}).headers["X-Request-Id"]
        assert (got == sent) == kept
        assert re.fullmatch(r"[!-~]{1,128}", got)


def test_request_ids_differ(partner):
    assert len({partner.get("/whoami").headers["X-Request-Id"] for _ in range(20)}) == 20


@pytest.mark.parametrize("kind, good", [
    ("application/json", True), ("application/json; charset=utf-8", True), ("Application/JSON", True),
    ("text/plain", False), ("application/jsonp", False), ("application/x-www-form-urlencoded", False), (None, False),
])
def test_a_body_is_json_by_its_type(partner, kind, good):
    answer = partner.post("/launch", data=LAUNCH, headers={"Content-Type": kind})
    if good:
        assert answer.status_code == 200, answer.text
    else:
        assert_problem(answer, 415, "unsupported_media_type")


@pytest.mark.parametrize("coding, status", [
    ("gzip", 415), ("GZIP", 415), ("br", 415), ("deflate, identity", 415), ("identity, gzip", 415), ("identity", 200),
    ("Identity", 200), ("", 200),
])
def test_a_body_in_a_content_coding(partner, coding, status):
    answer = partner.post("/launch", data=LAUNCH, headers=JSON | {"Content-Encoding": coding})
    assert answer.status_code == status, answer.text
    if status == 415:
        assert "uncompressed" in assert_problem(answer, 415, "unsupported_media_type")["detail"]


@pytest.mark.parametrize("path", ["/launch", "/launch/batch", "/launch/revoke", "/verify"])
def test_no_operation_takes_a_compressed_body(partner, gateway, path):
    client = gateway if path == "/verify" else partner
    answer = client.post(path, data=gzip.compress(b"{}"), headers=JSON | {"Content-Encoding": "gzip"})
    assert_problem(answer, 415, "unsupported_media_type")


@pytest.mark.parametrize("path", ["/healthz", "/readyz", "/metrics"])
def test_an_operation_of_the_other_listener_takes_no_query(server, path):
    operations = Client(server.operations)
    assert operations.get(path).status_code == operations.get(path + "?").status_code == 200
    assert_problem(operations.get(path + "?x=1"), 400, "invalid_request")


@pytest.mark.parametrize("path, limit", [("/launch", 16 * 1024), ("/verify", 16 * 1024), ("/launch/batch", 256 * 1024)])
@pytest.mark.parametrize("chunked", [False, True])
def test_a_body_has_its_limit(server, keys, path, limit, chunked):
    client = server.client(keys.verify if path == "/verify" else keys.launch)

    def sent(size):
        body = b"{}" + b" " * (size - 2)
        return client.post(path, data=iter([body]) if chunked else body, headers=JSON)

    assert sent(limit).status_code == 422
    assert_problem(sent(limit + 1), 413, "body_too_large")


@pytest.mark.parametrize("body, line, column", [
    (b"", 1, None), (b"{", 1, None), (b"nonsense", 1, 8), (b'{"user_id":"a",}', 1, 16),
    (b'{"user_id":"a",\n "platform" "IOS"}', 2, None), (b"{}\n\n{}", 3, None), (LAUNCH + b"\x00", 1, None),
    (b'{"user_id":"a","user_id":"b"}', 1, None), (b'{"a":{"b":1,\n"b":2}}', 2, None),
    (b'{"user_id":"\xff"}', 1, None), (b'{"user_id":"\xed\xa0\x80"}', 1, None), (b'\xef\xbb\xbf{}', 1, None),
    (b'{"user_id":"\\ud800"}', 1, None), (b"{'user_id':'a'}", 1, None), (b"// no\n{}", 1, None),
    (b"[" * 8000, 1, None), (b'{"ttl_seconds":NaN}', 1, None), (b'{"user_id":"a\nb"}', 1, None),
])
def test_bad_json_is_told_with_its_place(partner, body, line, column):
    problem = assert_problem(partner.post("/launch", data=body, headers=JSON), 400, "invalid_json")
    place = re.search(r"line (\d+), column (\d+)", problem["detail"])
    assert place, problem["detail"]
    assert int(place[1]) == line
    if column:
        assert abs(int(place[2]) - column) <= 1


@pytest.mark.parametrize("path", ["/launch", "/launch/batch"])
def test_a_body_that_is_no_object(partner, path):
    assert_problem(partner.post(path, data=b"[]", headers=JSON), 422, "invalid_field", ("", "invalid_field"))


def test_a_problem_never_tells_more_than_it_should(partner):
    text = partner.post("/launch", data=b'{"user_id":"\xff"}', headers=JSON).text
    assert not re.search(r"sqlite|/tmp|/home|\.swift|select ", text, re.IGNORECASE)


@pytest.mark.parametrize("code", CODES)
def test_every_problem_is_explained(server, code):
    answer = Client(server.url).get(f"/problems/{code}")
    assert answer.status_code == 200 and answer.headers["Content-Type"] == "application/json"
    told = answer.json()
    assert told.keys() == {"code", "title", "status", "detail", "remedy"} and told["code"] == code
    assert all(told.values())


def test_a_problem_is_explained_as_it_is_answered(partner):
    for answer in (partner.get("/nowhere"), partner.launch(platform="WEB"), Client(partner.url).get("/whoami")):
        problem = answer.json()
        told = partner.get(problem["type"]).json()
        assert (told["title"], told["status"]) == (problem["title"], problem["status"])


def test_the_description_is_served_as_it_is(server):
    answer = Client(server.url).get("/openapi.yaml")
    assert answer.headers["Content-Type"].split(";")[0] == "application/yaml"
    assert answer.content.decode() == DESCRIPTION
