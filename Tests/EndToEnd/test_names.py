"""One rule for all names, whichever way they come in: what is stored is what is seen."""

import csv
import io
import json
import sqlite3
from contextlib import closing

import pytest

from harness import PROJECT, install, items
from test_injection import business

PRODUCT = ("--category", "mall", "--commission-type", "CPS", "--commission-amount", "1", "--commission-unit", "KRW_COMMISSION_UNIT")

NOTHING = ["\u200b", "\u3164", "\u2800", "\u115f", "\u1160", "\uffa0", "\u00ad", "\u2060", "\ufeff", "\ufe0f", "\U000e0041", "\U000e0100", "\u034f",
           "\u180e", "\u17b4", "\u2062", "\U0001d159", "\U0001d173", " ", "\u00a0", "\u3000", "\u2003", "\u1680", "\u200b\u3164 \u2800", "\u0301", "a" + "\u0301" * 40]
INSIDE = ["\u202a", "\u202b", "\u202c", "\u202d", "\u202e", "\u2066", "\u2067", "\u2068", "\u2069", "\u200e", "\u200f", "\u061c", "\u200b", "\u200c",
          "\u200d", "\u00ad", "\ufeff", "\u3164", "\ufe0f", "\U000e0061", "\u2028", "\u2029", "\x01", "\t", "\x7f", "\x85", "\ufffd", "\ue000",
          "\uffff", "\ufdd0", "\U0010ffff", "\u0378", "\ufff9", "\ufffc",
          "\u00a0", "\u1680", "\u2000", "\u2002", "\u2009", "\u200a", "\u202f", "\u205f", "\u2800", "\u3000"]
AROUND = [" ", "\u00a0", "\u3000", "\u2009", "\u2800", "\t"]
REFUSED = NOTHING + [f"Ac{one}me" for one in INSIDE] + [f"{one}Acme" for one in AROUND] + [f"Acme{one}" for one in AROUND]
# What people write, with what shows nothing by itself among it: emoji, Persian, Malayalam, Sinhala, a Japanese family name.
TAKEN = ["Acme", "쿠팡 캐시백", "11번가", "Crème & Söhne", "Léa’s – “Bar”", "\u2764\ufe0f", "👨\u200d👩\u200d👧", "👩🏽\u200d💻", "🏳\ufe0f\u200d🌈",
         "1\ufe0f\u20e3", "می\u200cخواهم", "ക്\u200d", "ක්\u200dෂ", "葛\U000e0100城", "ㅎ마켓", "ᄒᆞᆫ글", "עברית", "日本語", "नमस्ते", "ำ", "x" * 50]


def taken_by(made, number, name):
    """Who takes the name; each of the ways in that there are."""
    row = business(f"j{number}", name=name)
    table = io.StringIO()
    csv.writer(table).writerows([
        ["business_id", "name", "category", "commission_type", "commission_amount", "commission_unit"],
        [f"c{number}", name, "mall", "CPS", "1", "KRW_COMMISSION_UNIT"]])
    ways = {
        "project": (("project", "update", PROJECT, f"--name={name}"), ""),
        "key": (("key", "create", "--scope", "catalog", f"--name={name}"), ""),
        "business": (("catalog", "add", "--id", f"b{number}", f"--name={name}", *PRODUCT), ""),
        "program": (("catalog", "update", "nike", f"--program-name={name}"), ""),
        "target": (("catalog", "update", "nike", f"--target={name}"), ""),
        "JSON": (("catalog", "import", "-", "--format", "json"), json.dumps([row])),
        "JSON alias": (("catalog", "import", "-", "--format", "json"), json.dumps([business(f"a{number}", aliases=name)])),
        "CSV": (("catalog", "import", "-", "--format", "csv"), table.getvalue()),
    }
    statuses = {way: made.run(*command, stdin=stdin, status=None) for way, (command, stdin) in ways.items()}
    assert {done.returncode for done in statuses.values()} <= {0, 64, 65}, [(way, done.stderr) for way, done in statuses.items()]
    return [way for way, done in statuses.items() if done.returncode == 0], statuses


@pytest.fixture(scope="module")
def house(tmp_path_factory):
    made = install(tmp_path_factory.mktemp("names"))
    made.project()
    made.run("catalog", "add", "--id", "nike", "--name", "나이키", *PRODUCT)
    return made


@pytest.mark.parametrize("name", REFUSED, ids=ascii)
def test_a_name_that_is_not_what_it_looks_like_is_refused_everywhere(house, name):
    taken, done = taken_by(house, REFUSED.index(name), name)
    assert taken == []
    # The message shows no such character either.
    said = "".join(one.stderr for one in done.values())
    assert [ascii(one) for one in INSIDE if one in said and one not in "\t\u200d\ufffd"] == []


@pytest.mark.parametrize("name", TAKEN, ids=ascii)
def test_a_name_that_people_write_is_taken_everywhere(house, name):
    number = len(REFUSED) + TAKEN.index(name)
    taken, done = taken_by(house, number, name)
    assert len(taken) == len(done), [one.stderr for one in done.values()]
    assert house.json("project", "show", PROJECT)["name"] == name
    assert {house.json("catalog", "show", f"{way}{number}")["name"] for way in "bjc"} == {name}


def test_a_decomposed_name_is_stored_composed_everywhere(house):
    taken, done = taken_by(house, 999, "\u110f\u1161\u1111\u1166")
    assert len(taken) == len(done)
    assert house.json("project", "show", PROJECT)["name"] == house.json("catalog", "show", "c999")["name"] == "카페"


def test_a_label_of_the_configuration_is_a_name_too(house):
    for label in ("\u200b", "뷰\u202e티", " 뷰티"):
        file = house.directory / "labels.yaml"
        file.write_text(json.dumps({"categories": {"beauty": label}}))
        assert "beauty" in house.run("config", "check", "--config", file, status=78).stderr


def test_long_texts_may_hold_what_shows_nothing_but_nothing_that_turns_them(house):
    house.run("catalog", "update", "nike", "--display-caution", "첫째\u200b 줄\n둘째 줄")
    for text in ("\u200b", "a\u202eb", "a\ufffdb", " a", "\u2800"):
        assert "--display-caution" in house.run("catalog", "update", "nike", "--display-caution", text, status=64).stderr
    assert house.json("catalog", "show", "nike")["display_caution"] == "첫째\u200b 줄\n둘째 줄"


def test_names_from_before_the_rule_stay_readable_and_can_be_mended(fresh):
    fresh.project()
    key = fresh.key("catalog")["key_id"]
    fresh.run("catalog", "add", "--id", "shop", "--name", "상점", *PRODUCT)
    old = "a\u202eb\u3164 "
    with closing(sqlite3.connect(fresh.data / "launchlink.db")) as database, database:
        for table in ("project", "api_key", "business"):
            database.execute(f"UPDATE {table} SET name = ?", [old])
        database.execute("UPDATE business SET aliases = ?", [old])
    assert fresh.json("db", "check")["sound"] is True
    assert fresh.json("project", "show", PROJECT)["name"] == fresh.json("key", "show", key)["name"] == old
    assert fresh.json("catalog", "show", "shop")["name"] == old
    for command in (("project", "list"), ("key", "list"), ("catalog", "list"), ("catalog", "show", "shop")):
        assert r"a\u{202e}b\u{3164}" in fresh.run(*command).stdout, command
    # What does not touch the name is not kept from happening by it.
    fresh.run("project", "update", PROJECT, "--ttl", "100")
    fresh.run("catalog", "update", "shop", "--url", "https://shop.example/")
    fresh.run("catalog", "disable", "shop")
    told = [one for one in fresh.json("doctor", status=None)["findings"] if one["check"] == "names"]
    assert [one["level"] for one in told] == ["warning"] * 3
    for one, what, mend in zip(told, (PROJECT, key, "shop"), ("project update", "key create", "catalog update shop")):
        assert what in one["what"] and mend in one["mend"] and "without blanks" in one["what"]
    fresh.run("project", "update", PROJECT, "--name", "Acme")
    fresh.run("catalog", "update", "shop", "--name", "상점")
    assert fresh.json("catalog", "show", "shop")["name"] == "상점"
    fresh.run("db", "backup", fresh.directory / "copy.db")
    fresh.run("db", "restore", fresh.directory / "copy.db", "--replace", "--yes")


def test_a_name_from_before_forges_no_line(fresh):
    fresh.project()
    fresh.run("catalog", "add", "--id", "shop", "--name", "상점", *PRODUCT)
    with closing(sqlite3.connect(fresh.data / "launchlink.db")) as database, database:
        for table in ("project", "business"):
            database.execute(f"UPDATE {table} SET name = ?", ["Old\nforged"])
    (fresh.directory / "off.csv").write_text("business_id,active\nshop,false\n")
    for command, status in ((("project", "delete", PROJECT), 64), (("catalog", "remove", "shop"), 64), (("project", "show", "Ol"), 1),
                            (("catalog", "import", "off.csv"), 64), (("catalog", "import", "off.csv", "--dry-run"), 0)):
        done = fresh.run(*command, status=status)
        shown = done.stdout + done.stderr
        assert r"Old\nforged" in shown and "\nforged" not in shown.replace(r"\n", ""), command


# Projects by name


OTHER = "67b6f2a9688f4a05db0a1d46"


@pytest.fixture(scope="module")
def projects(tmp_path_factory):
    made = install(tmp_path_factory.mktemp("projects"))
    made.project(PROJECT, "쿠팡 파트너스")
    made.project(OTHER, "Acme")
    made.project("0" * 24, "Twin")
    made.project("1" * 24, "twin")
    made.project("2" * 24, "Double")
    made.project("3" * 24, "Double")
    made.project("4" * 24, "From before")
    made.project("5" * 24, "From before, too")
    with closing(sqlite3.connect(made.data / "launchlink.db")) as database, database:
        database.execute("UPDATE project SET name = ? WHERE project_id = ?", [PROJECT, "4" * 24])
        database.execute("UPDATE project SET name = ? WHERE project_id = ?", ["f" * 24, "5" * 24])
    return made


@pytest.mark.parametrize("typed, meant", [
    ("Acme", OTHER), ("acme", OTHER), (OTHER.upper(), OTHER), (OTHER, OTHER), ("쿠팡 파트너스", PROJECT), ("\u110f\u116e\u1111\u1161\u11bc 파트너스", PROJECT),
    ("Twin", "0" * 24), ("twin", "1" * 24),
    (PROJECT, PROJECT),  # An id goes before a name.
])
def test_a_project_is_named_by_its_name_or_its_id_in_any_case(projects, typed, meant):
    key = projects.json("key", "create", "--scope", "launch", "--project", typed)
    assert key["project_id"] == meant
    assert key["key_id"] in [one["key_id"] for one in items(projects.json("key", "list", "--project", typed))]
    launch = projects.json("launch", "--project", typed, "--user-id", "U", "--platform", "IOS")
    assert launch["headers"]["x-moment-project-id"] == meant
    assert projects.json("user", "revoke", "--project", typed, "--user-id", "U")["project_id"] == meant
    assert projects.json("signing-key", "export", "--project", typed)["project_id"] == meant
    assert projects.json("stats", "--project", typed)["project_id"] == meant
    for verb in ("show", "disable", "enable"):
        assert projects.json("project", verb, typed)["project_id"] == meant
    cookie = ("--name", "a", "--domain", "a.example", "--project", typed)
    projects.run("cookie", "set", *cookie, "--value", "b")
    assert [one["project_id"] for one in items(projects.json("cookie", "list"))] == [meant]
    projects.run("cookie", "remove", *cookie, "--yes")


@pytest.mark.parametrize("typed, words", [
    ("Double", ["2" * 24, "3" * 24, "by its id"]), ("TWIN", ["0" * 24, "1" * 24, "by its id"]),
    ("Acne", [f"did you mean Acme ({OTHER})"]), (OTHER[:-1] + "7", ["did you mean"]), ("nothing like it", ["Acme", "and 3 more", "project list"]),
    ("a\u202eb", [r"a\u{202e}b"]), ("f" * 24, ["There is no project " + "f" * 24]), ("F" * 24, ["There is no project"]),
])
def test_a_name_that_does_not_tell_which_project_is_answered_with_those_it_may_be(projects, typed, words):
    rows = len(items(projects.json("audit", "list", "--limit", "1000")))
    for command in (("key", "create", "--scope", "launch", "--project", typed), ("key", "list", "--project", typed), ("project", "show", typed),
                    ("user", "revoke", "--user-id", "U", "--project", typed), ("project", "disable", typed), ("stats", "--project", typed),
                    ("cookie", "set", "--name", "a", "--value", "b", "--domain", "a.example", "--project", typed)):
        done = projects.run(*command, status=1)
        assert all(word in done.stderr for word in words), done.stderr
    assert len(items(projects.json("audit", "list", "--limit", "1000"))) == rows


@pytest.mark.parametrize("name", ["9" * 24, "67B6F2A9688F4A05DB0A1D46", "abcdef" * 4])
def test_a_project_is_not_called_as_an_id_looks(projects, name):
    for command in (("project", "create", "--id", "9" * 23 + "8", "--name", name, "--web-api-key-file", "-", "--key-delivery", "gateway"),
                    ("project", "update", OTHER, "--name", name)):
        assert "form of a project's id" in projects.run(*command, stdin="k", status=64).stderr
    assert projects.json("project", "show", OTHER)["name"] == "Acme"


def test_the_doctor_counts_names_from_before_and_shows_a_few(fresh):
    for number in range(5):
        fresh.project(str(number) * 24, f"Project {number}")
    with closing(sqlite3.connect(fresh.data / "launchlink.db")) as database, database:
        database.execute("UPDATE project SET name = name || char(0x200b)")
    told, = [one for one in fresh.json("doctor", status=None)["findings"] if one["check"] == "names"]
    assert "5 projects" in told["what"] and "2 more" in told["what"] and sum(str(number) * 24 in told["what"] for number in range(5)) == 3


def test_a_key_in_the_place_of_a_project_is_not_repeated(projects):
    secret = projects.key("verify")["api_key"]
    done = projects.run("key", "list", "--project", secret, status=64)
    assert secret not in done.stderr and "API key itself" in done.stderr
