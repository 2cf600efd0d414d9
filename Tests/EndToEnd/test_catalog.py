"""The catalogue over HTTP: list, filter, page, revalidate."""

import csv
import re

import pytest

from harness import CATALOG, PROJECT, assert_problem

ROWS = list(csv.DictReader(CATALOG.open(encoding="utf-8")))
# The first row of a business describes it, later ones add products.
FIRST = {row["business_id"]: row for row in reversed(ROWS)}


@pytest.fixture(scope="module")
def catalog(server, keys):
    return server.client(keys.catalog)


def everything(catalog, query=""):
    """All items, page by page, by the Link header; each page must agree with its `next_cursor`."""
    found, path = [], f"/businesses?{query}"
    while path:
        answer = catalog.get(path)
        assert answer.status_code == 200, answer.text
        page = answer.json()
        found += page["items"]
        link = re.fullmatch(r'<([^>]+)>; rel="next"', answer.headers.get("Link", ""))
        assert bool(link) == (page["next_cursor"] is not None)
        path = link and link[1].removeprefix(catalog.url)
        assert len(found) <= page["total"] and (path or len(found) == page["total"])
    return found


def test_the_list_holds_every_business_once_by_name(catalog):
    found = everything(catalog)
    assert sorted(one["business_id"] for one in found) == sorted(FIRST)
    names = [one["name"] for one in found]
    assert names == sorted(names)


@pytest.mark.parametrize("limit", [1, 7, 31, 32, 33, 200])
def test_pages_of_any_size_make_up_the_list(catalog, limit):
    assert everything(catalog, f"limit={limit}") == everything(catalog)


@pytest.mark.parametrize("query, wanted", [
    ("category=beauty", lambda row: row["category"] == "beauty"),
    ("category=beauty&limit=1", lambda row: row["category"] == "beauty"),
    ("active=false", lambda row: row["active"] == "false"),
    ("active=true&limit=9", lambda row: row["active"] == "true"),
    ("category=mall&active=true&limit=2", lambda row: row["category"] == "mall" and row["active"] == "true"),
])
def test_filters(catalog, query, wanted):
    found = {one["business_id"] for one in everything(catalog, query)}
    assert found and found == {name for name, row in FIRST.items() if wanted(row)}


@pytest.mark.parametrize("query", [
    "limit=0", "limit=201", "limit=ten", "limit=1&limit=1", "limit=+1", "limit=99999999999999999999",
    "active=yes", "category=nosuch", "cursor=nonsense", "colour=red", "Limit=1", "limit=%zz",
])
def test_a_fault_in_the_query_string(catalog, query):
    assert_problem(catalog.get(f"/businesses?{query}"), 400, "invalid_request")


def test_one_business_is_what_was_imported(catalog):
    for identifier, row in FIRST.items():
        got = catalog.get(f"/businesses/{identifier}").json()
        assert got["business_id"] == identifier and got["aliases"] == row["aliases"].split("|")
        for name in ("name", "category", "image_url", "url", "program_name", "display_allowed_cases", "display_caution"):
            assert got[name] == row[name], name
        assert got["active"] == (row["active"] == "true")
        assert got["products"] == [
            {
                "target": each["target"], "starts_at": each["starts_at"] or None, "ends_at": each["ends_at"] or None,
                "commission_type": each["commission_type"],
                "commission": {"amount": each["commission_amount"], "unit": each["commission_unit"]},
            }
            for each in ROWS if each["business_id"] == identifier
        ]
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", got["updated_at"])


def test_the_categories(catalog):
    found = catalog.get("/categories").json()["items"]
    assert {one["category"] for one in found} == {row["category"] for row in FIRST.values()}
    assert {"category": "beauty", "label": "뷰티"} in found and all(one["label"] for one in found)


def test_the_pages(catalog):
    assert catalog.get("/pages").json()["items"] == [
        {"page": "main", "path": "/cashback", "parameters": [{"name": "category", "required": False}]},
        {"page": "program", "path": "/cashback/detail", "parameters": [{"name": "business_id", "required": True}]},
        {"page": "transactions", "path": "/cashback/transactions", "parameters": []},
        {"page": "settings", "path": "/settings", "parameters": []},
        {"page": "cs", "path": "/cs", "parameters": []},
    ]


@pytest.mark.parametrize("path", ["/businesses", "/businesses?limit=3&active=true", "/businesses/11st", "/categories", "/pages"])
def test_what_has_not_changed_is_not_sent_again(catalog, path):
    answer = catalog.get(path)
    tag = answer.headers["ETag"]
    assert re.fullmatch(r'"[!#-~]+"', tag) and "no-store" not in answer.headers.get("Cache-Control", "")
    for known in (tag, f'"other", {tag}', f"W/{tag}", "*"):
        again = catalog.get(path, headers={"If-None-Match": known})
        assert again.status_code == 304 and again.content == b"" and again.headers["ETag"] == tag
    assert catalog.get(path, headers={"If-None-Match": '"other"'}).status_code == 200


def test_a_change_holds_for_the_next_request(fresh):
    """Imports while the server runs: the entity tag changes, and launches follow."""
    fresh.project()
    fresh.run("catalog", "import", CATALOG)
    changed = fresh.directory / "changed.csv"
    header = CATALOG.read_text(encoding="utf-8").splitlines()[0]
    changed.write_text(
        f"{header}\n11st,11번가 새 이름,,mall,,,,,,false,전체,,,CPS,1,PERCENTAGE_COMMISSION_UNIT\n", encoding="utf-8"
    )
    with fresh.serve() as server:
        client = server.client(fresh.key("launch", PROJECT))
        before = {path: client.get(path).headers["ETag"] for path in ("/businesses", "/businesses/11st")}
        assert client.launch(page="program", business_id="11st").status_code == 200
        fresh.run("catalog", "import", changed, "--yes")
        assert_problem(client.launch(page="program", business_id="11st"), 422, "inactive_business")
        for path, tag in before.items():
            assert client.get(path, headers={"If-None-Match": tag}).status_code == 200
        now = client.get("/businesses/11st").json()
        assert now["name"] == "11번가 새 이름" and now["aliases"] == [] and now["url"] is None
        assert client.get("/businesses/coupang").status_code == 200
