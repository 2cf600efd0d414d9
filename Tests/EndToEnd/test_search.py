"""The search over HTTP and with the command: the vectors, whole pages, a catalogue that changes."""

import csv
import json
import re
import unicodedata
from urllib.parse import quote

import pytest

from harness import CATALOG, PROJECT, assert_problem, install, vectors

MORE = vectors("catalog_search_more.json")
VECTORS = vectors("catalog_search.json")
COLUMNS = ["business_id", "name", "aliases", "category", "active", "commission_type", "commission_amount", "commission_unit"]


def write(installation, rows):
    """Imports businesses of (id, name, aliases, category, active), of which the last three may be left out."""
    path = installation.directory / "search.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        out = csv.writer(file)
        out.writerow(COLUMNS)
        for row in rows:
            whole = list(row) + ["", "mall", "true"][len(row) - 2:]
            out.writerow(whole + ["CPS", "1", "PERCENTAGE_COMMISSION_UNIT"])
    installation.run("catalog", "import", path)


def search(client, text, **more):
    answer = client.get("/businesses", params={"query": text} | more)
    assert answer.status_code == 200, answer.text
    return answer.json()


def found(client, text, **more):
    return [(one["business_id"], one["match"]) for one in search(client, text, **more)["items"]]


def pages(client, path):
    """The items of each page, by the Link header, and the path of each."""
    while path:
        answer = client.get(path)
        assert answer.status_code == 200, answer.text
        yield answer.json()
        link = re.fullmatch(r'<([^>]+)>; rel="next"', answer.headers.get("Link", ""))
        assert bool(link) == (answer.json()["next_cursor"] is not None)
        path = link and link[1]


@pytest.fixture(scope="module")
def shop(tmp_path_factory):
    made = install(tmp_path_factory.mktemp("search"))
    write(made, VECTORS["businesses"] + [
        ["zzz_mart", "쿠팡 마트", "", "food", "true"], ["olive_young", "올리브영", "올영|olive", "beauty", "false"],
        ["eleven_st", "일레븐", "11ST"], ["bbang", "빵굽는마을"], ["gamsa", "감사 쿠폰"], ["html", "<b>&\"'</b>"],
    ])
    return made


@pytest.fixture(scope="module")
def mall(tmp_path_factory):
    """The businesses of the vectors that have aliases, programme names and URLs too."""
    made = install(tmp_path_factory.mktemp("mall"))
    path = made.directory / "mall.json"
    products = [{"commission_type": "CPS", "commission": {"amount": "1", "unit": "PERCENTAGE_COMMISSION_UNIT"}}]
    path.write_text(json.dumps([one | {"category": "mall", "products": products} for one in MORE["businesses"]]))
    made.run("catalog", "import", path)
    made.project()
    with made.serve() as server:
        yield made, server


@pytest.fixture(scope="module")
def mall_client(mall):
    return mall[1].client(mall[0].key("support"))


@pytest.fixture(scope="module")
def support(shop):
    with shop.serve() as server:
        yield server.client(shop.key("support"))


@pytest.mark.parametrize("case", VECTORS["cases"], ids=lambda case: case["why"])
def test_the_vectors(support, shop, case):
    page = search(support, case["query"])
    if case["first"] is None:
        assert page == {"items": [], "next_cursor": None, "total": 0}
    else:
        assert page["items"][0]["business_id"] == case["first"]
    by_command = shop.json("catalog", "search", case["query"])
    assert by_command["items"] == page["items"] and by_command["total"] == page["total"]


@pytest.mark.parametrize("text, expected", [
    ("11st", [("11st", "id"), ("eleven_st", "alias")]),
    ("쿠팡", [("coupang", "name"), ("zzz_mart", "prefix")]),
    ("마트", [("emart", "part"), ("zzz_mart", "part")]),
    ("ㅋㅍ", [("coupang", "initials"), ("zzz_mart", "initials"), ("gamsa", "initials")]),
    ("쿺", [("coupang", "prefix"), ("zzz_mart", "prefix"), ("gamsa", "part")]),
    ("쿠파", [("coupang", "prefix"), ("zzz_mart", "prefix")]),
    ("ㅃ", [("bbang", "initials")]),
    ("ㄳ", [("gamsa", "initials")]),
    ("gㅁㅋ", [("gmarket", "initials")]),
    ("znvkd akxm", [("zzz_mart", "keyboard")]),
    ("Qkdrnq", [("bbang", "keyboard")]),
    ("ㅐㅣㅑㅍㄷ_ㅛㅐㅕㅜㅎ", [("olive_young", "keyboard")]),
    (unicodedata.normalize("NFD", "올영"), [("olive_young", "alias")]),
    ("ＯＬＩＶＥ", [("olive_young", "alias")]),
    ("쿠\u3000팡\u00a0마\u200b트", [("zzz_mart", "name")]),
    ("<B>&\"", [("html", "prefix")]),
    ("_", [("olive_young", "part"), ("eleven_st", "part"), ("zzz_mart", "part")]),
    ("%", []), ("' OR 1=1 --", []), ("\u200b", []), ("*", []),
])
def test_how_each_matched_and_in_what_order(support, text, expected):
    got = found(support, text)
    assert got == expected


def test_filters_hold_for_what_is_found(support):
    assert found(support, "쿠팡", category="food") == [("zzz_mart", "prefix")]
    assert found(support, "olive", active="true") == []
    assert found(support, "olive", active="false") == [("olive_young", "alias")]
    assert search(support, "쿠팡", category="beauty")["total"] == 0


def test_a_blank_query_is_the_list(support):
    everything = support.get("/businesses").json()
    assert everything["total"] == 13 and not any("match" in one for one in everything["items"])
    for blank in ("", " ", "\t\u3000"):
        assert search(support, blank) == everything


def test_a_query_that_is_too_long_or_twice(support):
    assert search(support, "a" * 2048)["total"] == 0
    assert_problem(support.get("/businesses", params={"query": "a" * 2049}), 400, "invalid_request")
    assert_problem(support.get("/businesses?query=a&query=b"), 400, "invalid_request")


@pytest.mark.parametrize("limit", [1, 2, 5, 200])
def test_pages_carry_the_query_and_make_up_the_whole(support, limit):
    whole = search(support, "ㅁ", limit=200)
    assert whole["total"] == len(whole["items"]) > 4
    got = list(pages(support, f"/businesses?query={quote('ㅁ')}&limit={limit}"))
    assert sum((page["items"] for page in got), []) == whole["items"]
    assert all(page["total"] == whole["total"] for page in got)


def test_a_cursor_of_another_list_is_refused_or_harmless(support):
    listed = support.get("/businesses?limit=1").json()["next_cursor"]
    searched = search(support, "ㅁ", limit=1)["next_cursor"]
    assert_problem(support.get("/businesses", params={"query": "ㅁ", "cursor": listed}), 400, "invalid_request")
    assert_problem(support.get("/businesses", params={"cursor": searched}), 400, "invalid_request")
    # Of another search it is a place among the matches of this one.
    assert set(found(support, "쿠팡", cursor=searched)) <= set(found(support, "쿠팡"))


def test_what_has_not_changed_is_not_sent_again(support):
    path = f"/businesses?query={quote('ㅋㅍ')}"
    tag = support.get(path).headers["ETag"]
    again = support.get(path, headers={"If-None-Match": tag})
    assert again.status_code == 304 and again.content == b""
    assert support.get("/businesses?query=coupang").headers["ETag"] != tag


def test_pages_stay_right_while_the_catalogue_changes(fresh):
    rows = [[f"shop{number}", f"가게 {number}"] for number in range(100, 130)]
    write(fresh, rows)
    with fresh.serve() as server:
        client = server.client(fresh.key("support"))
        walk = pages(client, f"/businesses?query={quote('가게')}&limit=10")
        got = [one["business_id"] for one in next(walk)["items"]]
        write(fresh, [["early", "가게"], ["before", "가게 0"], ["late", "가게 115x"], ["inside", "새가게"], ["shop105", "다른 이름"]])
        for page in walk:
            got += [one["business_id"] for one in page["items"]]
            assert page["total"] == 33
    assert got == [*(f"shop{n}" for n in range(100, 116)), "late", *(f"shop{n}" for n in range(116, 130)), "inside"]


def test_a_change_holds_for_the_next_search(fresh):
    write(fresh, [["first", "처음"]])
    with fresh.serve() as server:
        client = server.client(fresh.key("catalog"))
        for name in ("사과", "바나나", "포도주", "딸기잼", "수박"):
            assert found(client, name) == []
            write(fresh, [["first", name]])
            assert found(client, name) == [("first", "name")]


def test_the_command_shows_a_table(shop):
    lines = shop.run("catalog", "search", "ㅋㅍ").stdout.splitlines()
    assert lines[0].split() == ["BUSINESS", "ID", "NAME", "CATEGORY", "COMMISSION", "ACTIVE", "MATCH"]
    assert [line.split()[0] for line in lines[1:]] == ["coupang", "zzz_mart", "gamsa"]
    few = shop.run("catalog", "search", "ㅋㅍ", "--limit", "1")
    assert len(few.stdout.splitlines()) == 2 and "1 of 3" in few.stderr
    none = shop.run("catalog", "search", "지마켓")
    assert none.stdout == "" and none.stderr
    assert json.loads(shop.run("catalog", "search", "지마켓", "--output", "json").stdout) == {"items": [], "total": 0}


@pytest.mark.parametrize("case", MORE["cases"], ids=lambda case: case["why"])
def test_what_is_pasted_typed_as_keys_or_nearly_right(mall_client, case):
    first = next(iter(search(mall_client, case["query"])["items"]), {})
    assert (first.get("business_id"), first.get("match")) == (case["first"], case["match"])


def test_the_command_finds_the_same_and_says_that_a_guess_is_one(mall):
    installation, _ = mall
    for case in MORE["cases"][::7]:
        items = installation.json("catalog", "search", case["query"])["items"]
        assert (items[0]["business_id"] if items else None) == case["first"]
    guess = installation.run("catalog", "search", "쿠핑")
    assert "Nothing matches" in guess.stderr and guess.stdout.splitlines()[1].split()[-1] == "near"
    assert "Nothing matches" not in installation.run("catalog", "search", "쿠팡").stderr
    assert "2048" in installation.run("catalog", "search", "a" * 2049, status=64).stderr


def test_every_example_of_the_help_finds_something_in_the_sample(fresh):
    fresh.run("catalog", "import", CATALOG)
    examples = re.findall(r"catalog search (?!TEXT)(\S.*)", fresh.run("catalog", "search", "--help").stdout)
    assert len(examples) > 2
    for example in examples:
        assert fresh.json("catalog", "search", *example.split())["items"], example


def test_a_guess_is_never_among_what_matches(mall_client):
    for text in ("coupang", "쿠", "11", "gmarket", "ㅋㅍ", "znvkd", "캐시백", "쿠핑", "gmaket", "배달에민족"):
        kinds = [match == "near" for _, match in found(mall_client, text)]
        assert kinds and len(set(kinds)) == 1


def test_a_programme_name_and_a_url_hold_for_the_next_search(fresh):
    write(fresh, [["first", "처음"]])
    with fresh.serve() as server:
        client = server.client(fresh.key("catalog"))
        for program, host in (("사과 적립", "apple.example"), ("바나나 환급", "banana.example"), ("포도주 할인", "grape.example")):
            assert found(client, program) == [] and found(client, host) == []
            fresh.run("catalog", "update", "first", "--program-name", program)
            assert found(client, program) == [("first", "alias")]
            fresh.run("catalog", "update", "first", "--url", f"https://www.{host}/")
            assert found(client, host) == [("first", "alias")]


@pytest.mark.parametrize("given, meant", [
    ("Coupang", "coupang"), ("COUPANG", "coupang"), ("11ST", "11st"), (" 11st", "11st"), ("11st ", "11st"),
    ("byte-house", "byte_house"), ("ｃｏｕｐａｎｇ", "coupang"), ("쿠팡", "coupang"), ("coupnag", "coupang"),
    ("oupang", "coupang"), ("gmarket1", "gmarket"),
])
def test_the_id_that_is_meant_is_suggested_first(mall, given, meant):
    installation, server = mall
    client = server.client(installation.key("launch", PROJECT))
    problem = assert_problem(client.launch(page="program", business_id=given), 422, "unknown_business")
    assert problem["errors"][0]["suggestions"][0] == meant
    batch = client.post("/launch/batch", {
        "user_id": "u", "platform": "IOS", "items": [{"page": "program", "business_id": given}] * 3,
    }).json()
    assert [one["errors"][0]["suggestions"][0] for one in batch["items"]] == [meant] * 3


def test_the_command_names_the_id_that_is_meant(mall):
    installation, _ = mall
    for verb in ("show", "enable"):
        assert "did you mean coupang?" in installation.run("catalog", verb, "Coupang", status=1).stderr


def test_an_id_and_a_name_of_punctuation_alone(fresh):
    write(fresh, [["-_-", "!?"], ["__", "..."]])
    fresh.project()
    with fresh.serve() as server:
        client = server.client(fresh.key("catalog"))
        assert found(client, "-_-") == [("-_-", "id")] and found(client, "!?") == [("-_-", "name")]
        assert found(client, "abcd") == []
        problem = server.client(fresh.key("launch", PROJECT)).launch(page="program", business_id="abcd").json()
        assert problem["code"] == "unknown_business" and "suggestions" not in problem["errors"][0]
