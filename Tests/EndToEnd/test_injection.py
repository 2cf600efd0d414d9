"""Injection: what callers and catalogues write stays text in headers, log lines, spreadsheets and terminals."""

import csv
import html
import io
import json
import os
import pty
import re
import sqlite3
import subprocess
from contextlib import closing

import pytest
import requests

from harness import PATIENCE, PROJECT, USER, environment, eventually, exchanged, install, read_terminal
from test_support import Outline, Visitor

EVIL = "X-Evil: 1"
# What ends a line for one reader or another, begins a folded one, or cuts a string short.
BREAKS = ["\r\n", "\n", "\r", "\0", "\r\n ", "\n\t", "\x0b", "\x0c", "\x85", "\u2028", "\u2029", "\x7f", "\u560a", "\u010a\u010d"]
ENCODED = ["%0d%0a", "%0a", "%0D", "%00", "%0d%0a%20", "%u000a", "%E5%98%8A%E5%98%8D", "\\r\\n", "%250d%250a", "=?utf-8?q?=0a?="]


def heads(received):
    """The header lines of each answer."""
    return [head.split(b"\r\n") for head in re.findall(rb"HTTP/1\.[01] \d{3} .*?\r\n\r\n", received, re.DOTALL)]


def assert_one_clean_head(received):
    """One answer, whose header lines are name and value in visible ASCII, none of them the attacker's."""
    found, = heads(received)
    for line in found[1:-2]:
        assert re.fullmatch(rb"[A-Za-z0-9-]+: [\x20-\x7e]*", line) and not line.lower().startswith(b"x-evil"), line
    return found


# Headers


@pytest.mark.parametrize("text", BREAKS, ids=ascii)
def test_no_line_break_gets_into_a_user_id(partner, gateway, text):
    for user in (f"a{text}{EVIL}", f"a{text}{EVIL.replace(' ', '')}", text + USER, USER + text):
        answer = partner.post("/launch", {"user_id": user, "platform": "IOS"})
        assert (answer.status_code, answer.json()["errors"][0]["pointer"]) == (422, "/user_id"), user
        assert partner.post("/launch/revoke", {"user_id": user}).status_code == 422
        batch = partner.post("/launch/batch", {"user_id": user, "platform": "IOS", "items": [{}]})
        assert batch.status_code == 422 or "launch_id" not in batch.json()["items"][0]
        # A bundle with such a user is a forged one, whatever the header of a gateway could hold.
        launch = partner.launched()
        assert gateway.verdict(launch, headers=launch["headers"] | {"x-moment-user-id": user}) != "valid"


@pytest.mark.parametrize("text", [one for one in ENCODED if " " not in one])
def test_an_encoded_line_break_in_a_user_id_stays_as_it_is(server, partner, gateway, text):
    user = f"a{text}X-Evil:1"
    launch = partner.launched(user_id=user)
    assert launch["headers"]["x-moment-user-id"] == user
    headers = launch["headers"] | {
        "X-Forwarded-Method": "GET", "X-Forwarded-Host": "cashback-ui.moment.fairytech.ai", "X-Forwarded-Uri": "/main",
        "Authorization": gateway.session.headers["Authorization"], "Host": "a", "Connection": "close",
    }
    lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    received = exchanged(server.address, f"GET /verify/forward-auth HTTP/1.1\r\n{lines}\r\n".encode())
    head = assert_one_clean_head(received)
    assert head[0].startswith(b"HTTP/1.1 204") and f"x-moment-user-id: {user}".encode() in head


@pytest.mark.parametrize("header", ["X-Request-Id", "traceparent", "Accept-Language", "If-None-Match", "Origin", "Cookie"])
def test_nothing_of_a_header_becomes_another(server, keys, header):
    for text in (b"\r\n ", b"\r\n\t", b"\n", b"\r", b"\0", b"\n ", b"%0d%0a", b"\\r\\n", b"\xe5\x98\x8a\xe5\x98\x8d", b"\xff", b"\x85", b"\x7f"):
        value = b"a" + text + EVIL.encode()
        received = exchanged(
            server.address,
            b"GET /businesses?limit=1 HTTP/1.1\r\nHost: a\r\nConnection: close\r\nAuthorization: Bearer "
            + keys.launch["api_key"].encode() + b"\r\n" + header.encode() + b": " + value + b"\r\n\r\n")
        for head in heads(received):
            for line in head[1:-2]:
                assert re.fullmatch(rb"[A-Za-z0-9-]+: [\x20-\x7e]*", line), (text, line)
                assert not line.lower().startswith(b"x-evil"), (text, line)
        assert heads(received)


@pytest.mark.parametrize("text", ENCODED + ["%C4%8A%C4%8D", "%E2%80%A8"])
def test_nothing_of_an_address_becomes_a_header(server, keys, text):
    text = text.replace("\\", "%5C") + "X-Evil:%201"
    targets = [
        f"/businesses?query={text}&limit=1", f"/businesses?cursor={text}", f"/problems/{text}", f"/{text}", f"/businesses/{text}",
        f"/support/businesses/{text}", f"/support/sign-in?next=/support{text}", f"/support?query={text}", f"/support/{text}",
        f"/support/statistics?period={text}",
    ]
    for target in targets:
        head = assert_one_clean_head(exchanged(
            server.address, f"GET {target} HTTP/1.1\r\nHost: a\r\nConnection: close\r\nAuthorization: Bearer "
            f"{keys.launch['api_key']}\r\n\r\n".encode()))
        assert not [line for line in head if b"\r" in line or b"\n" in line], target
    for target in (f"/support{text}", f"/support?query={text}"):
        answer = requests.post(
            server.url + "/support/sign-in", data=f"api_key={keys.support['api_key']}&next={target}", timeout=PATIENCE,
            headers={"Origin": server.url, "Content-Type": "application/x-www-form-urlencoded"}, allow_redirects=False)
        assert (answer.status_code, "Location" in answer.headers) in ((303, True), (400, False)), target
        assert "X-Evil" not in answer.headers and re.fullmatch(r"/support[\x21-\x7e]*", answer.headers.get("Location", "/support"))


@pytest.mark.parametrize("text", [one for one in BREAKS if one != "\0"] + [";", ",", '"', "\\", " ", "=a; Domain=.evil.example"], ids=ascii)
def test_a_cookie_holds_nothing_that_ends_it(fresh, text):
    for name, value in ((f"a{text}b" if "=" not in text else f"a{text}", "v"), ("a", f"v{text}{EVIL}")):
        done = fresh.run("cookie", "set", "--name", name, "--value", value, "--domain", "cashback.example", status=64)
        assert done.stdout == ""
    for domain, path in ((f"cashback.example{text}", "/"), ("cashback.example", f"/{text}; Secure")):
        fresh.run("cookie", "set", "--name", "a", "--value", "v", "--domain", domain, "--path", path, status=64)
    assert fresh.json("cookie", "list")["items"] == []


# The last two are letters to whoever reads UTF-8.
@pytest.mark.parametrize("text", [one for one in BREAKS if one not in ("\0", "\u560a", "\u010a\u010d")], ids=ascii)
def test_no_line_break_gets_into_a_name(fresh, text):
    created = fresh.run(
        "project", "create", "--id", PROJECT, "--name", f"a{text}{EVIL}", "--web-api-key-file", "-", "--key-delivery", "gateway",
        stdin="wk_1\n", status=None)
    assert created.returncode == 64
    broken = fresh.run("project", "create", "--id", PROJECT, "--name", "a", "--web-api-key-file", "-", "--key-delivery", "direct",
                       stdin=f"wk{text}{EVIL}\n", status=None)
    assert broken.returncode in (64, 65)
    assert fresh.run("key", "create", "--scope", "support", "--name", f"a{text}b", status=None).returncode == 64
    for field in ("name", "aliases", "program_name", "target"):
        refused = fresh.run("catalog", "import", "-", "--format", "json", stdin=json.dumps([business(**{field: f"a{text}{EVIL}"})]), status=65)
        assert field in refused.stderr


def business(identifier="shop", target="모두", aliases="가게", **changes):
    return {
        "business_id": identifier, "name": "상점", "aliases": [aliases], "category": "mall", "image_url": None, "url": None,
        "program_name": None, "display_allowed_cases": None, "display_caution": None, "active": True,
        "products": [{"target": target, "starts_at": None, "ends_at": None, "commission_type": "CPS",
                      "commission": {"amount": "1", "unit": "PERCENTAGE_COMMISSION_UNIT"}}],
    } | changes


# Queries


SQL = ["' OR 1=1 --", "'; DROP TABLE business; --", '" OR "zq"="zq', "11st' UNION SELECT secret FROM signing_key --", "%", "_____", "*", "x') OR 1=1 --", "\\", "?1"]


@pytest.mark.parametrize("text", SQL)
def test_no_text_becomes_part_of_a_query(server, keys, partner, installation, text):
    everything = partner.get("/businesses").json()["total"]
    quoted = requests.utils.quote(text, safe="")
    found = partner.get("/businesses", params={"query": text})
    # A text of signs alone may be no text to search for, which is the list itself; none brings up more or less than that.
    assert found.status_code == 200 and found.json()["total"] in (0, everything)
    assert all("match" not in one or text in one["name"] for one in found.json()["items"])
    for path in (f"/businesses/{quoted}", f"/businesses?category={quoted}", f"/businesses?cursor={quoted}"):
        assert partner.get(path).status_code in (400, 404), path
    assert partner.launch(page="program", business_id=text).status_code == 422
    assert partner.post("/launch/revoke", {"user_id": text.replace(" ", "_")}).status_code == 204
    assert server.client().get("/whoami", headers={"Authorization": f"Bearer {text}"}).status_code == 401
    for command in (("key", "show", text), ("project", "show", text), ("catalog", "show", text), ("catalog", "remove", text, "--yes"),
                    ("key", "revoke", text, "--yes"), ("cookie", "remove", "--name", text, "--domain", "a.example", "--yes")):
        assert installation.run(*command, status=None).returncode in (1, 64, 65), command
    assert partner.get("/businesses").json()["total"] == everything
    assert partner.launched(page="program", business_id="11st")


# Log lines


FORGED = '","status":200,"user":"root"}\n{"time":"2026-01-01T00:00:00.000Z","request_id":"forged'


def test_each_request_is_one_line_whatever_is_sent(fresh):
    fresh.project()
    key, path = fresh.key("launch", PROJECT), fresh.directory / "access.log"
    texts = [FORGED, "a\r\nb", "a\x1b[2J", "\u2028", "\x85", "a%0ab", "%0d%0a{}", '"', "\\", "\\n", "\x00"]
    with fresh.serve(env=environment(LAUNCHLINK_ACCESS_LOG=str(path))) as server:
        client, sent = server.client(key), 0
        for text in texts:
            client.post("/launch", {"user_id": text, "platform": text, "redirect_to": text, text: text})
            client.post("/launch/revoke", {"user_id": text})
            client.get("/businesses", params={"query": text, text: text})
            client.get("/problems/" + requests.utils.quote(text, safe=""))
            sent += 4
            for header in ("User-Agent", "X-Request-Id", "traceparent", "X-Forwarded-For", "Referer", "x-moment-project-id"):
                value = text.replace("\r", "").replace("\n", "").replace("\0", "").encode()
                exchanged(server.address, b"GET /whoami HTTP/1.1\r\nHost: a\r\nConnection: close\r\n" + header.encode() + b": " + value + b"\r\n\r\n")
                sent += 1
        client.get("/whoami", headers={"X-Request-Id": "last"})
        sent += 1
        eventually(lambda: path.exists() and b'"last"' in path.read_bytes())
        assert server.stop() == 0
        stderr = server.log
    written = path.read_bytes()
    lines = written.splitlines()
    # Of a request whose head cannot be read there may be no line, never two.
    readable = [json.loads(line) for line in lines]
    assert written.count(b"\n") == len(lines) == len(readable) <= sent and sent - len(readable) <= 2 * len(texts)
    assert all(line["route"] in ("/launch", "/launch/revoke", "/businesses", "/problems/{code}", "/whoami", "none") for line in readable)
    assert not re.search(rb"[^\x20-\x7e\n]", written) and b"forged" not in b"".join(
        line for line in lines if not json.loads(line)["request_id"].endswith("forged"))
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028]", stderr) and "forged" not in stderr and "root" not in stderr


# Spreadsheets


def test_no_exported_cell_is_a_formula_and_all_import_again(fresh):
    """Read by Python's own reader, as a spreadsheet would: no cell begins what one evaluates."""
    formulas = ["=1+1", "+1", "-1", "@SUM(A1)", "＝1", "－2", "=HYPERLINK(\"http://a\",\"b\")", "=cmd|'/c calc'!A1", "'=1", "'", "'a", "a=1", "a;=1"]
    businesses = [
        business(f"-{number}", name=text, aliases=text.replace("|", "!"), target=text, program_name=text, display_allowed_cases=text, display_caution=text + "\n=1\t=1")
        for number, text in enumerate(formulas)
    ]
    fresh.run("catalog", "import", "-", "--format", "json", stdin=json.dumps(businesses))
    before, text = fresh.run("catalog", "export", "--format", "json").stdout, fresh.run("catalog", "export").stdout
    table = list(csv.reader(io.StringIO(text, newline="")))
    assert len(table) == len(formulas) + 1 and not [cell for row in table for cell in row if re.match(r"[=+\-@\t\r\n＝＋－＠]", cell)]
    # Text is quoted where it holds what some spreadsheets take for a separator.
    assert ';=1"' in text and not re.search(r'(^|,)[^",\n]*[;\t]', text.split("\n", 1)[1])
    # A spreadsheet quotes as it likes when it saves.
    again = fresh.directory / "again.csv"
    for quoting in (csv.QUOTE_MINIMAL, csv.QUOTE_ALL):
        with again.open("w", encoding="utf-8", newline="") as file:
            csv.writer(file, quoting=quoting, lineterminator="\r\n").writerows(table)
        told = fresh.json("catalog", "import", again, "--prune", "--yes")
        assert (told["added"], told["changed"], told["deactivated"]) == (0, 0, 0)
    assert fresh.run("catalog", "export", "--format", "json").stdout == before
    assert {one["name"] for one in json.loads(before)} == set(formulas)


# Terminals


STEERING = "\x1b]0;owned\x07\x1b[2J\x9b31m\x08\x7f\u202egnp.exe"


def on_a_terminal(installation, *arguments, stdin="", language="C.UTF-8"):
    """What a terminal gets to see of a command, standard error among it."""
    own, theirs = pty.openpty()
    read, write = os.pipe()
    os.write(write, stdin.encode())
    os.close(write)
    process = subprocess.Popen(
        installation.arguments(*arguments), stdin=read, stdout=theirs, stderr=theirs, cwd=installation.directory,
        env=environment(LC_ALL=language, TERM="xterm"))
    os.close(theirs)
    os.close(read)
    shown = read_terminal(own)
    process.wait(timeout=PATIENCE)
    return shown.decode()


def assert_steers_nothing(shown):
    # What stands before them tells where they are.
    assert not re.findall(r".{0,60}[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", shown)
    assert not re.findall(r".{0,60}\r(?!\r*\n)", shown)


@pytest.fixture(scope="module")
def tampered(tmp_path_factory):
    """An installation whose database holds what no command would have let in."""
    made = install(tmp_path_factory.mktemp("tampered"))
    made.project()
    made.key("launch", PROJECT)
    made.run("catalog", "import", "-", "--format", "json", stdin=json.dumps([business()]))
    made.run("cookie", "set", "--name", "a", "--value", "b", "--domain", "cashback.example")
    with closing(sqlite3.connect(made.data / "launchlink.db")) as database, database:
        texts = {
            "business": ["name", "program_name", "display_allowed_cases", "display_caution", "url", "image_url"], "product": ["target"],
            "project": ["name"], "api_key": ["name"], "cookie": ["value", "path"], "audit": ["os_user", "sudo_user", "subject"],
        }
        for name, columns in texts.items():
            database.execute(f"UPDATE {name} SET {', '.join(f'{column} = ?' for column in columns)}", [f"a{STEERING}"] * len(columns))
        database.execute("UPDATE business SET aliases = ?", [json.dumps([f"a{STEERING}"])])
    return made


COMMANDS = [
    ("catalog", "list"), ("catalog", "show", "shop"), ("catalog", "search", "shop"), ("catalog", "search", STEERING), ("catalog", "show", STEERING),
    ("catalog", "disable", "shop"), ("audit", "list"), ("project", "list"), ("project", "show", PROJECT), ("key", "list"), ("cookie", "list"),
    ("stats",), ("doctor",), ("db", "check"), ("project", "disable", PROJECT), ("launch", "--project", STEERING), (STEERING,), ("--" + STEERING,),
]


@pytest.mark.parametrize("form", ["table", "json"])
@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: ascii(" ".join(command)))
def test_what_is_stored_or_typed_does_not_steer_a_terminal(tampered, command, form):
    shown = on_a_terminal(tampered, *command, "--output", form)
    assert shown
    assert_steers_nothing(shown)


@pytest.mark.parametrize("form", ["table", "json"])
def test_what_is_pasted_does_not_steer_a_terminal(tampered, form):
    url = f"https://cashback-ui.moment.fairytech.ai/main?redirect_to={STEERING}"
    for pasted in (STEERING, url, f"curl '{url}' -H 'x-moment-user-id: {STEERING}' -H 'signature: {STEERING}' -H '{STEERING}: a'",
                   json.dumps({"url": url, "headers": {"x-moment-user-id": STEERING, STEERING: STEERING}}),
                   json.dumps({"url": url, "headers": {"x-moment-user-id": STEERING}}, ensure_ascii=False)):
        for command in (("explain",), ("explain", "--language", "en"), ("verify",)):
            assert_steers_nothing(on_a_terminal(tampered, *command, "--output", form, stdin=pasted))


def test_a_faulty_file_does_not_steer_a_terminal(tampered):
    for name, text in (("a.csv", f"business_id,{STEERING}\n{STEERING},{STEERING}\n"), ("a.json", json.dumps([business(name=STEERING)], ensure_ascii=False)),
                       ("b.json", '[{"' + STEERING), ("a.yaml", f"listen: {STEERING}\n{STEERING}: 1\n"), ("b.yaml", f'listen: "{ascii(STEERING)[1:-1]}"\n')):
        file = tampered.directory / name
        file.write_text(text)
        arguments = ("config", "check", "--config", file) if name.endswith(".yaml") else ("catalog", "import", file)
        shown = on_a_terminal(tampered, *arguments)
        assert shown
        assert_steers_nothing(shown)


# Pages


FIELDS = ["name", "alias", "program", "allowed", "caution", "target", "url", "image", "key", "project"]


def marker(field):
    """An element of a name of its own, out of a text or an attribute of either quotation mark."""
    return f"{field}'\"><x-{field} onload=a()>"


@pytest.fixture(scope="module")
def marked(tmp_path_factory):
    """Every page that shows what somebody else wrote, by the fields that it has to show."""
    made = install(tmp_path_factory.mktemp("marked"))
    made.project(name=marker("project"))
    in_url = {field: "https://a.example/" + marker(field).replace(" ", "/") for field in ("url", "image")}
    made.run("catalog", "import", "-", "--format", "json", stdin=json.dumps([business(
        name=marker("name"), aliases=marker("alias"), program_name=marker("program"), display_allowed_cases=marker("allowed"),
        display_caution=marker("caution"), target=marker("target"), url=in_url["url"], image_url=in_url["image"])]))
    key = made.json("key", "create", "--scope", "support", "--name", marker("key"))
    with made.serve() as server:
        launch = server.client(made.key("launch", PROJECT)).launched(page="program", business_id="shop")
        browser = Visitor(server)
        browser.sign_in(key)
        pasted = json.dumps({name: launch[name] for name in ("method", "url", "headers")})
        # Counters are written once a second.
        eventually(lambda: "x-project" in browser.get("/support/statistics").text)
        yield {
            "list": (browser.get("/support").text, {"name", "key"}),
            "search": (browser.get("/support", params={"query": "shop"}).text, {"name", "key"}),
            "business": (browser.get("/support/businesses/shop").text, set(FIELDS) - {"project"}),
            "explanation": (browser.post("/support/explain", {"launch": pasted}).text, {"project", "key"}),
            "statistics": (browser.get("/support/statistics").text, {"project", "key"}),
            "nothing": (browser.get("/support/businesses/none").text, set()),
        }


@pytest.mark.parametrize("page", ["list", "search", "business", "explanation", "statistics", "nothing"])
def test_no_field_becomes_markup_on_any_page(marked, page):
    text, shown = marked[page]
    tags = Outline(text).tags
    assert not [name for name, tag in tags if name.startswith("x-") or any(part.startswith("on") for part in tag)]
    assert not [tag for name, tag in tags if name == "a" and not re.match(r"/support|#content|https://a\.example/", tag["href"])]
    found = {field for field in FIELDS if f"<x-{field}" in html.unescape(text)}
    assert found >= shown, shown - found
