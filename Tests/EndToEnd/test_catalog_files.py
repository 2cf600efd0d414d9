"""Catalogue files: 100,000 businesses, all or nothing, in and out again."""

import csv
import json
import sqlite3
import subprocess
from contextlib import closing

import pytest

from harness import CATALOG, PROJECT, assert_problem, environment, items
from test_crash import Moments, assert_whole, killed

BUSINESSES = 100_000
FAULTY_LINE = 73_214
HEADER = CATALOG.read_text(encoding="utf-8").splitlines()[0]


def row(number, *, amount="2.5", name="상점"):
    return (
        f"shop-{number:06},{name} {number},shop{number}|가게{number},mall,https://cdn.example/{number}.png,"
        f"https://shop-{number}.example/,상점 캐시백,웹과 앱에서 결제한 주문,\"취소, 반품한 주문은 제외\",true,"
        f"전체 상품,2026-01-01T00:00:00Z,,CPS,{amount},PERCENTAGE_COMMISSION_UNIT"
    )


def write(path, count, *, amounts=None, name="상점"):
    """A catalogue of one row a business: business n stands in line n + 2."""
    amounts = amounts or {}
    lines = [HEADER, *(row(number, amount=amounts.get(number + 2, "2.5"), name=name) for number in range(count))]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def run(installation, *arguments, status=0):
    """The command without a limit of time: a large import may take as long as it takes."""
    done = subprocess.run(
        installation.arguments(*arguments), stdin=subprocess.DEVNULL, capture_output=True,
        cwd=installation.directory, env=environment(),
    )
    assert done.returncode == status, (arguments, done.returncode, done.stderr.decode())
    return done


def exported(installation, form="csv"):
    return run(installation, "catalog", "export", "--format", form).stdout


def audit(installation):
    """The rows of the audit log about the catalogue."""
    with closing(sqlite3.connect(f"file:{installation.data}/launchlink.db?mode=ro", uri=True)) as database:
        return database.execute("SELECT action, subject, old, new FROM audit WHERE action LIKE 'catalog.%'").fetchall()


def test_a_hundred_thousand_businesses(fresh):
    """One fault: nothing changes and its place is told. Without it: in, out and in again without a difference."""
    fresh.run("catalog", "import", CATALOG)
    before, rows = exported(fresh), audit(fresh)
    bad = write(fresh.directory / "bad.csv", BUSINESSES, amounts={FAULTY_LINE: "2.5%"})
    told = run(fresh, "catalog", "import", bad, "--prune", "--yes", status=65).stderr.decode()
    column = row(FAULTY_LINE - 2).index("2.5,PERCENTAGE") + 1
    assert "a fault; nothing was imported" in told
    assert f"line {FAULTY_LINE}, column {column}: commission_amount: " in told
    assert (exported(fresh), audit(fresh)) == (before, rows)

    good = write(fresh.directory / "good.csv", BUSINESSES)
    done = run(fresh, "catalog", "import", good)
    assert done.stdout == f"{BUSINESSES} added, 0 changed, 0 unchanged.\n".encode()
    first = exported(fresh)
    out = fresh.directory / "out.csv"
    out.write_bytes(first)
    again = run(fresh, "catalog", "import", out, "--prune", "--yes", "--output", "json")
    told = json.loads(again.stdout)
    assert (told["added"], told["changed"], told["deactivated"]) == (0, 0, 0) and told["unchanged"] > BUSINESSES
    assert exported(fresh) == first
    shops = [line for line in first.decode().splitlines() if line.startswith("shop-")]
    assert shops == [row(number) for number in range(BUSINESSES)]


def test_json_in_and_out(fresh):
    fresh.run("catalog", "import", CATALOG)
    run(fresh, "catalog", "import", write(fresh.directory / "more.csv", 3000))
    text = exported(fresh, "json")
    businesses = json.loads(text)
    businesses[1234]["products"][0]["commission"]["amount"] = "2.5%"
    bad = fresh.directory / "bad.json"
    for indent in (None, 1):
        bad.write_text(json.dumps(businesses, ensure_ascii=False, indent=indent), encoding="utf-8")
        told = run(fresh, "catalog", "import", bad, status=65).stderr.decode()
        lines = bad.read_text(encoding="utf-8").splitlines()
        line = next(number for number, one in enumerate(lines, 1) if '"2.5%"' in one)
        column = lines[line - 1].index('"2.5%"') + 1
        assert f"line {line}, column {column}: /1234/products/0/commission/amount: " in told
    assert exported(fresh, "json") == text
    good = fresh.directory / "good.json"
    for written in (text, b"\xef\xbb\xbf" + json.dumps(json.loads(text), indent="\t").replace("\n", "\r\n").encode()):
        good.write_bytes(written)
        told = fresh.json("catalog", "import", good, "--prune", "--yes")
        assert (told["added"], told["changed"], told["deactivated"]) == (0, 0, 0)
        assert exported(fresh, "json") == text


def test_what_a_search_found_is_imported_again(fresh):
    fresh.run("catalog", "import", CATALOG)
    file = fresh.directory / "found.json"
    items = fresh.json("catalog", "search", "11번가")["items"]
    assert [one["match"] for one in items] == ["name"]
    file.write_text(json.dumps(items))
    told = fresh.json("catalog", "import", file)
    assert (told["added"], told["changed"]) == (0, 0)
    file.write_text(json.dumps({"items": items}))
    assert "take items" in fresh.run("catalog", "import", file, status=65).stderr


def test_what_spreadsheets_make_of_it(fresh):
    """Every field quoted, CRLF, a byte order mark, columns added at the end: still the same catalogue."""
    fresh.run("catalog", "import", CATALOG)
    first = exported(fresh)
    table = list(csv.reader(first.decode().splitlines(keepends=True)))
    for quoting in (csv.QUOTE_ALL, csv.QUOTE_MINIMAL):
        for more in ([], ["", ""]):
            file = fresh.directory / "spreadsheet.csv"
            with file.open("w", encoding="utf-8-sig", newline="") as out:
                writer = csv.writer(out, quoting=quoting, lineterminator="\r\n")
                writer.writerows([cells + more for cells in table])
                out.write(",".join([""] * len(table[0] + more)) + "\r\n\r\n")
            told = fresh.json("catalog", "import", file, "--prune", "--yes")
            assert (told["added"], told["changed"], told["deactivated"]) == (0, 0, 0)
    for encoding in ("utf-16", "utf-16-le", "cp949", "euc-kr"):
        file.write_bytes(first.decode().encode(encoding))
        assert "xport" in fresh.run("catalog", "import", file, status=65).stderr
    assert exported(fresh) == first


def test_separators_that_are_no_commas_are_the_one_thing_said(fresh):
    text = CATALOG.read_text(encoding="utf-8")
    for separator, name in ((";", "semicolons"), ("\t", "tabs")):
        file = fresh.directory / "other.csv"
        file.write_text(text.replace(",", separator), encoding="utf-8")
        said = fresh.run("catalog", "import", file, status=65).stderr
        assert f"separated by {name}" in said and "missing" not in said and "a fault" in said
        file.write_text(f"sep={separator}\n" + text.replace(",", separator), encoding="utf-8")
        said = fresh.run("catalog", "import", file, status=65).stderr
        assert f"separated by {name}" in said and "missing" not in said
    file.write_text("sep=,\r\n" + text, encoding="utf-8")
    assert fresh.json("catalog", "import", file)["added"] > 0


def test_line_breaks_in_texts_are_line_feeds(fresh):
    def line(caution):
        return f'a,A,,etc,,,,,"{caution}",true,all,,,CPS,1,PERCENTAGE_COMMISSION_UNIT'

    file = fresh.directory / "breaks.csv"
    for number, end in enumerate(("\n", "\r\n", "\r")):
        file.write_bytes((HEADER + "\n" + line(f"one{end}two{end}{end}three") + "\n").encode())
        told = fresh.json("catalog", "import", file)
        assert (told["added"], told["changed"]) == (int(number == 0), 0), repr(end)
    assert fresh.json("catalog", "show", "a")["display_caution"] == "one\ntwo\n\nthree"
    fresh.run("catalog", "update", "a", "--display-caution", "four\r\nfive")
    assert fresh.json("catalog", "show", "a")["display_caution"] == "four\nfive"


def test_a_dry_run_changes_nothing(fresh):
    fresh.run("catalog", "import", CATALOG)
    before, rows = exported(fresh), audit(fresh)
    file = write(fresh.directory / "next.csv", 3)
    told = fresh.json("catalog", "import", file, "--dry-run", "--prune", "--yes")
    assert told["added"] == 3 and told["deactivated"] > 0 and told["dry_run"] is True
    assert len(told["changes"]) == 3 + told["deactivated"]
    assert (exported(fresh), audit(fresh)) == (before, rows)


def test_prune_holds_for_the_next_request(fresh):
    fresh.project()
    fresh.run("catalog", "import", CATALOG)
    with fresh.serve() as server:
        client = server.client(fresh.key("launch", PROJECT))
        assert client.launch(page="program", business_id="11st").status_code == 200
        fresh.run("catalog", "import", write(fresh.directory / "other.csv", 2), "--prune", "--yes")
        assert_problem(client.launch(page="program", business_id="11st"), 422, "inactive_business")
        assert client.launch(page="program", business_id="shop-000001").status_code == 200
        assert client.get("/businesses/11st").json()["active"] is False


def test_editing_holds_for_the_next_request(fresh):
    fresh.project()
    fresh.run("catalog", "import", CATALOG)
    with fresh.serve() as server:
        client = server.client(fresh.key("launch", PROJECT))

        def launch():
            return client.launch(page="program", business_id="11st")

        assert launch().status_code == 200
        fresh.run("catalog", "disable", "11st")
        assert_problem(launch(), 422, "inactive_business")
        fresh.run("catalog", "enable", "11st")
        assert launch().status_code == 200
        fresh.run("catalog", "update", "11st", "--name", "새 이름", "--url", "")
        shown = client.get("/businesses/11st").json()
        assert shown["name"] == "새 이름" and shown["url"] is None
        fresh.run("catalog", "remove", "11st", "--yes")
        assert_problem(launch(), 422, "unknown_business")
        assert client.get("/businesses/11st").status_code == 404
        fresh.run(
            "catalog", "add", "--id", "11st", "--name", "11번가", "--category", "mall", "--commission-type", "CPS",
            "--commission-amount", "1", "--commission-unit", "PERCENTAGE_COMMISSION_UNIT",
        )
        assert launch().status_code == 200
    changes = [(action, bool(old), bool(new)) for action, subject, old, new in audit(fresh) if subject == "11st"]
    assert changes == [
        ("catalog.disable", True, True), ("catalog.enable", True, True), ("catalog.update", True, True),
        ("catalog.remove", True, False), ("catalog.add", False, True),
    ]


@pytest.mark.parametrize("prune", [(), ("--prune", "--yes",)])
def test_killed_in_the_middle_of_an_import(fresh, prune):
    """Killed while it reads or writes: what was there is there, or what the file says, never a mixture."""
    count = 4000
    files = [write(fresh.directory / f"{name}.csv", count, name=name) for name in ("old", "new")]
    moments, names = Moments(3, fresh, "catalog", "import", files[0]), {"old"}
    for number in range(12):
        file = files[(number + 1) % 2]
        status, _ = killed(fresh, ("catalog", "import", file, *prune), moments)
        assert status in (0, -9)
        names = {file.stem} | (set() if status == 0 else names)
        assert_whole(fresh, fresh.directory / "copy")
        found = {one["name"].split()[0] for one in items(fresh.json("catalog", "list"))}
        assert len(found) == 1 and found <= names
        names = found
