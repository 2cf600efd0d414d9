"""Catalogue files: 100,000 businesses, all or nothing, in and out again."""

import csv
import io
import json
import os
import pty
import re
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


SIX = "business_id,name,category,commission_type,commission_amount,commission_unit"


def on_a_terminal(installation, *arguments, answer):
    """Runs the command on a terminal and types an answer once it is asked; its status and all that was shown."""
    process, terminal = pty.fork()
    if process == 0:
        os.chdir(installation.directory)
        os.execve(installation.arguments()[0], installation.arguments(*map(str, arguments)), environment())
    shown, answered = b"", False
    try:
        while piece := os.read(terminal, 4096):
            shown += piece
            if b"[y/N]" in shown and not answered:
                answered = True
                os.write(terminal, answer.encode() + b"\n")
    except OSError:
        # The command has closed its end.
        pass
    os.close(terminal)
    return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]), shown.decode()


def shown(installation, business):
    one = installation.json("catalog", "show", business)
    del one["updated_at"]
    return one


def test_what_a_file_does_not_name_stays(fresh):
    """Columns and members that are absent change nothing, of products as little as of businesses; nobody is asked."""
    fresh.run("catalog", "import", CATALOG)
    before = {one: shown(fresh, one) for one in ("11st", "emart", "temu")}
    file = fresh.directory / "some.csv"
    for text in (
        "business_id,name\n11st,새 이름\n",
        "business_id,url\n11st,https://new.example/\n",
        "business_id\n11st\nemart\n",
        # The second products are there, by their rows alone.
        "business_id,commission_amount\n" + "".join(
            f"{name},{number}\n" for name, one in before.items() for number, _ in enumerate(one["products"], 4)),
    ):
        file.write_text(text, encoding="utf-8")
        fresh.run("catalog", "import", file)
    whole = {**before["11st"], "name": "새 이름", "url": "https://new.example/"}
    for name, one in {**before, "11st": whole}.items():
        for number, product in enumerate(one["products"], 4):
            product["commission"]["amount"] = str(number)
        assert shown(fresh, name) == one
    file = fresh.directory / "some.json"
    file.write_text(json.dumps([{"business_id": "emart", "active": False}, {"business_id": "temu", "aliases": ["새 별명", *before["temu"]["aliases"]]}]))
    told = fresh.json("catalog", "import", file, "--yes")
    assert (told["changed"], told["erased"], told["deactivated"]) == (2, 0, 1)
    assert shown(fresh, "emart") == {**before["emart"], "active": False}
    assert shown(fresh, "temu") == {**before["temu"], "aliases": ["새 별명", *before["temu"]["aliases"]]}


def test_products_are_known_by_their_targets_however_the_rows_are_sorted(fresh):
    fresh.run("catalog", "import", CATALOG)
    issued, compared = shown(fresh, "cardnaru")["products"]
    file = fresh.directory / "sorted.csv"
    file.write_text("business_id,target,commission_amount\ncardnaru,카드 비교,40\ncardnaru,카드 발급,16000\n", encoding="utf-8")
    told = fresh.run("catalog", "import", file, "--dry-run").stdout
    assert [line.split(maxsplit=2)[2] for line in told.splitlines() if line.startswith("product ")] == [
        "CPC 30 KRW  카드 비교  from 2026-01-01T00:00:00Z → CPC 40 KRW  카드 비교  from 2026-01-01T00:00:00Z",
        "CPA 15000 KRW  카드 발급  from 2026-01-01T00:00:00Z → CPA 16000 KRW  카드 발급  from 2026-01-01T00:00:00Z"]
    fresh.run("catalog", "import", file)
    issued["commission"]["amount"], compared["commission"]["amount"] = "16000", "40"
    assert shown(fresh, "cardnaru")["products"] == [compared, issued]
    # What goes is the one that no row names, and not the last.
    file.write_text("business_id,target,commission_amount\ncardnaru,카드 발급,17000\n", encoding="utf-8")
    told = fresh.run("catalog", "import", file, status=64).stderr
    assert 'cardnaru: products: "CPC 40 KRW  카드 비교' in told
    # Another target is the product of its place, unless another row is that.
    file.write_text("business_id,target\ncardnaru,카드 견적\ncardnaru,카드 발급\n", encoding="utf-8")
    fresh.run("catalog", "import", file)
    assert shown(fresh, "cardnaru")["products"] == [{**compared, "target": "카드 견적"}, issued]
    file.write_text("business_id,target\ncardnaru,카드 발급\ncardnaru,카드 견적\n", encoding="utf-8")
    assert "in another order" in fresh.run("catalog", "import", file, "--dry-run").stdout
    file.write_text("business_id,target\ncardnaru,카드 견적\ncardnaru,새 카드\ncardnaru,카드 발급\n", encoding="utf-8")
    assert "has no such product yet" in fresh.run("catalog", "import", file, status=65).stderr


def test_a_product_without_a_target_is_known_by_that(fresh):
    file = fresh.directory / "products.csv"
    columns = "business_id,name,category,commission_type,commission_amount,commission_unit,target,ends_at\n"
    rows = ["nike,나이키,mall,CPS,2.5,PERCENTAGE_COMMISSION_UNIT,,2027-01-01T00:00:00Z",
            "nike,나이키,mall,CPA,10000,KRW_COMMISSION_UNIT,신규,2027-01-01T00:00:00Z",
            "nike,나이키,mall,CPA,500,KRW_COMMISSION_UNIT,기존,2027-01-01T00:00:00Z"]
    file.write_text(columns + "\n".join(rows) + "\n", encoding="utf-8")
    fresh.run("catalog", "import", file)
    before = {one["target"]: one["commission"] for one in shown(fresh, "nike")["products"]}
    for order in ("신규", "", "기존"), ("기존", "신규", ""):
        file.write_text("business_id,target,ends_at\n" + "".join(f"nike,{target},2028-01-01T00:00:00Z\n" for target in order), encoding="utf-8")
        fresh.run("catalog", "import", file)
        assert {one["target"]: one["commission"] for one in shown(fresh, "nike")["products"]} == before


LESS = {
    "an empty cell": ("less.csv", "business_id,aliases,url\nemart,,\n"),
    "null": ("less.json", '[{"business_id": "emart", "aliases": null, "url": null}]'),
    "fewer products": ("less.csv", SIX + "\n11st,11번가,mall,CPS,1,PERCENTAGE_COMMISSION_UNIT\n"),
    "a product's target": ("less.json", '[{"business_id": "emart", "products": [{"commission_type": "CPS", "commission": {"amount": "1", "unit": "KRW_COMMISSION_UNIT"}}]}]'),
    "businesses that it lacks": ("less.csv", "business_id\nemart\n"),
    "false in CSV": ("less.csv", "business_id,active\n11st,false\n"),
    "false in JSON": ("less.json", '[{"business_id": "11st", "active": false}]'),
}


@pytest.mark.parametrize("case", LESS)
def test_what_an_import_takes_away_is_told_and_agreed_to(fresh, case):
    fresh.run("catalog", "import", CATALOG)
    name, text = LESS[case]
    (fresh.directory / name).write_text(text, encoding="utf-8")
    command = ("catalog", "import", name, *(("--prune",) if case.startswith("businesses") else ()))
    before, rows = exported(fresh, "json"), audit(fresh)
    goes = {
        "fewer products": "11st: products: ", "a product's target": 'emart: products: "target ',
        **dict.fromkeys(("businesses that it lacks", "false in CSV", "false in JSON"), "11st: deactivated (11번가)"),
    }.get(case, "emart: aliases: ")
    told = fresh.run(*command, status=64).stderr
    assert "would take away" in told and goes in told and "--yes" in told
    told = fresh.run(*command, "--dry-run")
    assert ("deactivate" if "deactivated" in goes else "erase ") in told.stdout
    status, seen = on_a_terminal(fresh, *command, answer="n")
    assert status == 1 and goes in seen and "Nothing was changed." in seen
    assert (exported(fresh, "json"), audit(fresh)) == (before, rows)
    status, seen = on_a_terminal(fresh, *command, answer="y")
    assert status == 0 and goes in seen
    after = exported(fresh, "json")
    assert after != before
    # What was taken away is gone: nobody is asked again.
    assert fresh.json(*command)["unchanged"] == 1
    fresh.run("catalog", "import", CATALOG, "--yes")
    done = fresh.run(*command, "--yes")
    assert goes in done.stderr
    kept = [{**one, "updated_at": None} for one in json.loads(exported(fresh, "json"))]
    assert kept == [{**one, "updated_at": None} for one in json.loads(after)]


def test_a_whole_catalogue_is_not_deactivated_without_a_word(fresh):
    fresh.run("catalog", "import", CATALOG)
    before = exported(fresh)
    file = fresh.directory / "off.csv"
    file.write_bytes(before.replace(b",true,", b",false,"))
    active = sum(one["active"] for one in json.loads(exported(fresh, "json")))
    told = fresh.run("catalog", "import", file, status=64).stderr
    assert f"{active} can no longer be launched" in told and exported(fresh) == before
    dry = fresh.json("catalog", "import", file, "--dry-run")
    assert (dry["changed"], dry["erased"], dry["deactivated"]) == (active, 0, active)
    assert all(one["deactivates"] for one in dry["changes"]) and len(dry["changes"]) == active
    assert f"{active} deactivated" in fresh.run("catalog", "import", file, "--yes").stdout
    # Bringing them back takes nothing away.
    back = fresh.directory / "on.csv"
    back.write_bytes(before)
    assert fresh.json("catalog", "import", back)["deactivated"] == 0


def test_names_from_before_the_rule_go_out_and_in_again(fresh):
    """What is stored to the letter is let be; the same text is no name of another business."""
    fresh.run("catalog", "import", CATALOG)
    old = "a\u202eb\u3164"
    with closing(sqlite3.connect(fresh.data / "launchlink.db")) as database, database:
        database.execute("UPDATE business SET name = ?1, aliases = ?1, program_name = ?1, display_caution = ?1 WHERE business_id = 'emart'", [old])
        database.execute("UPDATE product SET target = ? WHERE business_id = 'emart'", [old])
    for form in ("csv", "json"):
        out = exported(fresh, form)
        assert old.encode() in out
        file = fresh.directory / f"old.{form}"
        file.write_bytes(out)
        told = fresh.json("catalog", "import", file)
        assert (told["added"], told["changed"], told["erased"]) == (0, 0, 0)
        # What is new beside them is looked at.
        file.write_bytes(out.replace(b"emart", b"other"))
        assert "U+202E" in fresh.run("catalog", "import", file, status=65).stderr
    file = fresh.directory / "new.json"
    file.write_text(json.dumps([{"business_id": "emart", "name": old, "aliases": [old, "b\u202ea"]}]))
    assert "U+202E" in fresh.run("catalog", "import", file, "--yes", status=65).stderr
    file.write_text(json.dumps([{"business_id": "emart", "name": old, "aliases": [old, "새 별명"]}]))
    assert fresh.json("catalog", "import", file)["changed"] == 1
    assert shown(fresh, "emart")["aliases"] == [old, "새 별명"]


def test_what_went_in_comes_out_and_goes_in_again_without_a_question(fresh):
    fresh.run("catalog", "import", CATALOG)
    for form in ("csv", "json"):
        file = fresh.directory / f"again.{form}"
        file.write_bytes(exported(fresh, form))
        told = fresh.json("catalog", "import", file, "--prune")
        assert told == {"added": 0, "changed": 0, "unchanged": told["unchanged"], "erased": 0, "deactivated": 0}


def test_a_new_business_needs_what_the_file_does_not_name(fresh):
    fresh.run("catalog", "import", CATALOG)
    before = exported(fresh)
    file = fresh.directory / "new.csv"
    file.write_text("business_id,aliases,url\nnew-1,a,\nemart,b,\nnew-2,c,nowhere\nnew-3,d,\n", encoding="utf-8")
    told = fresh.run("catalog", "import", file, "--yes", status=65).stderr
    assert [line.split(":")[0].strip() for line in told.splitlines() if line.startswith("  ")] == [
        "line 2, column 1", "line 4, column 9", "line 5, column 1"]
    assert "new-1 is not in the catalogue, and a new business needs name, category, products" in told
    assert exported(fresh) == before


def as_a_spreadsheet_saves(cell):
    """What becomes of a cell that a spreadsheet reads by itself: numbers, dates and truth values are written anew."""
    if re.fullmatch(r"[\d.,]*\d(e[+-]?\d+)?", cell, re.IGNORECASE):
        return f"{float(cell.replace(',', '')):.6g}"
    if re.fullmatch(r"\d{1,4}[-/]\d{1,2}([-/]\d{1,2})?|\d+:\d+|[a-z]{3}-?\d+|\d+월 ?\d+일", cell, re.IGNORECASE):
        return "2026-01-02"
    return cell.upper() if cell.lower() in ("true", "false") else cell


def test_ids_and_texts_survive_a_spreadsheet(fresh):
    """Of what a spreadsheet would take for something else, every text and id comes back as it was."""
    names = ["007", "1e5", "1-2", "2026-11-29", "true", "12345678901234567890", "mar1", "11st"]
    product = {"commission_type": "CPS", "commission": {"amount": "2.5", "unit": "PERCENTAGE_COMMISSION_UNIT"}}
    businesses = [
        {"business_id": name, "name": text, "aliases": [text], "category": "mall", "program_name": text, "products": [{**product, "target": text}]}
        for name, text in zip(names, ["3.10", "1/2", "10:30", "1월 2일", "FALSE", "1,000", "'007", "쿠팡"])
    ]
    fresh.run("catalog", "import", "-", "--format", "json", stdin=json.dumps(businesses))
    before, out = exported(fresh, "json"), exported(fresh).decode()
    table = [[as_a_spreadsheet_saves(cell) for cell in row] for row in csv.reader(io.StringIO(out, newline=""))]
    assert not {row[0] for row in table} & set(names[:-1]) and "11st" in {row[0] for row in table}
    file = fresh.directory / "saved.csv"
    with file.open("w", encoding="utf-8-sig", newline="") as saved:
        csv.writer(saved, lineterminator="\r\n").writerows(table)
    told = fresh.json("catalog", "import", file, "--prune")
    assert (told["added"], told["changed"], told["unchanged"]) == (0, 0, len(names))
    assert exported(fresh, "json") == before


SPOILT = {
    "CR line ends": (lambda text: text.replace("\n", "\r"), "carriage return (CR)"),
    "CR CR LF": (lambda text: text.replace("\n", "\r\r\n"), "carriage return (CR)"),
    "two byte order marks": (lambda text: "\ufeff\ufeff" + text, "two byte order marks"),
    "a no-break space": (lambda text: text.replace("name,", "name\u00a0,", 1), "no-break space (U+00A0)"),
    "typographic quotation marks": (lambda text: "“" + text.replace(",", "”,“", 15).replace("\n", "”\n", 1), "U+201C"),
    "capitals": (lambda text: text.replace(HEADER, HEADER.upper(), 1), "small letters"),
    "full-width commas": (lambda text: text.replace(",", "，"), "full-width commas"),
    "no header": (lambda text: text.split("\n", 1)[1], "The first row has to name the columns"),
    "two files in one": (lambda text: text + "\ufeff" + HEADER + "\n", "the first row again"),
    "a line break that nothing quotes": (lambda text: text.replace("웹과 앱에서", "웹과\n앱에서", 1), "A line break inside a field"),
    "CR below a header in LF": (lambda text: HEADER + "\n" + text.split("\n", 1)[1].replace("\n", "\r"), "carriage return (CR)"),
    "a quotation mark that nothing closes": (lambda text: text + 'zz,"Z,,mall\n', "The closing quotation mark is missing."),
    "a no-break space behind an id": (lambda text: text.replace("\n11st,", "\n11st\u00a0,", 1), "a no-break space (U+00A0)"),
    "a byte order mark between files": (lambda text: text.replace("\n11st,", "\n\ufeff11st,", 1), "a byte order mark (U+FEFF)"),
    "a no-break space behind an amount": (lambda text: text.replace("CPS,2.5,", "CPS,2.5\u00a0,", 1), "a no-break space (U+00A0)"),
    "a decimal comma": (lambda text: text.replace("CPS,2.5,", "CPS,2,5,", 1), "2,5 is cut in two by its comma"),
}


@pytest.mark.parametrize("case", SPOILT)
def test_one_cause_is_one_fault(fresh, case):
    spoil, cause = SPOILT[case]
    file = fresh.directory / "spoilt.csv"
    file.write_bytes(spoil(CATALOG.read_text(encoding="utf-8")).encode())
    told = fresh.run("catalog", "import", file, "--dry-run", status=65).stderr
    assert "The catalogue has a fault" in told and cause in told, told


def test_rows_that_show_nothing_are_no_rows(fresh):
    text = CATALOG.read_text(encoding="utf-8")
    file = fresh.directory / "blank.csv"
    for blank in (" ", "\t", "\u00a0", "\u3000"):
        file.write_text(text + ",".join([blank] * 16) + "\n\n" + ",".join([blank] * 20) + "\n", encoding="utf-8")
        assert fresh.json("catalog", "import", file, "--prune")["deactivated"] == 0


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
