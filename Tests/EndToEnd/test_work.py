"""No work on bytes from outside grows faster than their number: instructions are counted at a size and at its double.

Times would say less and fail on a slow day. An input that costs the square of its size, or a large multiple of it, is
how one client holds up all others.
"""

import json
from urllib.parse import quote

import pytest

from harness import CATALOG, PROJECT, install
from work import counted_server, work_of_command

# What may be done for each byte, measured by what a small request costs in the same build: 12,000 instructions of a
# debug build, 1,900 of a release build. A file is the administrator's own, of which each line may be a fault with a
# message.
MOST_PER_BYTE, MOST_PER_BYTE_OF_FILES = 1 / 80, 1 / 20
# How many times as much work the double size may take, and how many small requests more: buffers grow in steps, and the
# server has other work to do now and then.
MOST_GROWTH, CHANCE = 2.3, 3

BODY = {"user_id": "U", "platform": "IOS"}
FORWARDED = ("X-Forwarded-Method: GET", "X-Forwarded-Host: cashback-ui.moment.fairytech.ai", "X-Forwarded-Uri: /main")
COVERED = '"@method" "@authority" "@path" "@query" "x-moment-project-id" "x-moment-web-api-key" "x-moment-user-id" "x-moment-platform"'
BUNDLE = {"x-moment-project-id": PROJECT, "x-moment-web-api-key": "k", "x-moment-user-id": "U", "x-moment-platform": "IOS",
          "signature": "launch=:YQ==:"}
MARKS = "\u0316\u0301"  # Combining characters in the order that is not the canonical one.


def times(text, size):
    """The text over and over, up to so many bytes."""
    return (text * (size // len(text.encode()) + 1)).encode()[:size].decode(errors="ignore")


def listed(size, one, separator=","):
    """Different texts, `one` of a number, of so many bytes together."""
    made, length = [], 0
    while length < size:
        made.append(one(len(made)))
        length += len(made[-1].encode()) + len(separator)
    return separator.join(made)


def request(method, path, scope="launch", lines=(), body=None, kind="application/json"):
    """The bytes of a request; <scope> and <origin> in it are replaced by what is known later."""
    head = [f"{method} {path} HTTP/1.1", "Host: a", "Connection: close", *lines]
    if scope:
        head.append(f"Authorization: Bearer <{scope}>")
    if body is not None:
        body = body if isinstance(body, str) else json.dumps(body, ensure_ascii=False)
        head += [f"Content-Type: {kind}", f"Content-Length: {len(body.encode())}"]
    return "\r\n".join([*head, "", body or ""])


def launch(**fields):
    return request("POST", "/launch", body=BODY | fields)


def batch(items, **fields):
    return request("POST", "/launch/batch", body=BODY | {"items": items} | fields)


def verify(headers, url="https://cashback-ui.moment.fairytech.ai/main"):
    return request("POST", "/verify", "verify", body={"method": "GET", "url": url, "headers": headers})


def forward_auth(*lines, forwarded=FORWARDED):
    return request("GET", "/verify/forward-auth", "verify", [*forwarded, *lines])


def form(body, lines=("Origin: <origin>",)):
    return request("POST", "/support/sign-in", None, lines, body, "application/x-www-form-urlencoded")


def signature_input(covered):
    return (f'launch=({covered});created=1764460800;expires=1764461100;nonce="019ad20f-2be7-7fff-bfff-ffffffffffff"'
            ';alg="hmac-sha256";keyid="sk_000000000001";tag="moment-launch"')


SIGNED = [f"{name}: {value}" for name, value in BUNDLE.items()]
WHOAMI = ("GET", "/whoami")

# By name: the size, and the request of a size, of which the double has to fit the limits of heads and bodies. In heads it
# stays below 8 KiB: from there on libmicrohttpd grows its buffer in steps of 190 bytes, and reads the line anew at each.
REQUESTS = {
    "forward-auth: members of signature-input": (
        3_500, lambda size: forward_auth("signature: a", "signature-input: " + listed(size, lambda at: f"a{at}"))),
    "forward-auth: members of signature": (
        3_500, lambda size: forward_auth("signature-input: a", "signature: " + listed(size, lambda at: f"a{at}"))),
    "forward-auth: parameters": (
        3_500, lambda size: forward_auth("signature: a", "signature-input: a;" + listed(size, lambda at: f"a{at}", ";"))),
    "forward-auth: components": (
        3_500, lambda size: forward_auth(*SIGNED, "signature-input: " + signature_input(
            COVERED + " " + listed(size, lambda at: f'"a{at}"', " ")))),
    "forward-auth: parameters of a component": (
        3_500, lambda size: forward_auth(*SIGNED, "signature-input: " + signature_input(
            '"a";' + listed(size, lambda at: f"a{at}", ";")))),
    "forward-auth: a long key": (3_500, lambda size: forward_auth("signature: a", "signature-input: " + "a" * size)),
    "forward-auth: a long byte sequence": (
        3_500, lambda size: forward_auth("signature-input: a", "signature: a=:" + times("YQAA", size) + ":")),
    "forward-auth: a long target": (
        3_500, lambda size: forward_auth(
            *SIGNED, "signature-input: " + signature_input(COVERED + ' "@target-uri" "@request-target"'),
            forwarded=(*FORWARDED[:2], "X-Forwarded-Uri: /" + times("%2F?&", size)))),
    "forward-auth: a long host": (
        3_500, lambda size: forward_auth(*SIGNED, "signature-input: " + signature_input(COVERED),
                                         forwarded=(*FORWARDED[::2], "X-Forwarded-Host: " + times("a.", size)))),
    "forward-auth: headers beside components": (
        400, lambda size: forward_auth(
            *SIGNED, "signature-input: " + signature_input(COVERED + " " + listed(300, lambda at: f'"a{at}"', " ")),
            *listed(size, lambda at: f"a{at}: b", "|").split("|"))),
    "verify: headers beside components": (
        5_000, lambda size: verify(
            BUNDLE | {"signature-input": signature_input(COVERED + " " + listed(300, lambda at: f'"a{at}"', " "))}
            | {f"a{at}": "" for at in range(size // 10)})),
    "verify: the same header in many spellings": (
        5_000, lambda size: verify({
            "".join(letter.upper() if at >> place & 1 else letter for place, letter in enumerate("signature-in")) + "put": "a"
            for at in range(size // 23)} | {"signature": "a"})),
    "verify: members of signature-input": (
        6_000, lambda size: verify({"signature": "a", "signature-input": listed(size, lambda at: f"a{at}")})),
    "verify: components": (
        6_000, lambda size: verify(BUNDLE | {"signature-input": signature_input(
            COVERED + " " + listed(size, lambda at: f'"a{at}"', " "))})),
    "verify: headers that are no strings": (6_000, lambda size: verify({f"a{at}": 1 for at in range(size // 9)})),
    "verify: combining characters in a header's name": (6_000, lambda size: verify({"a" + times(MARKS, size): ""})),
    "verify: combining characters in a header": (6_000, lambda size: verify(BUNDLE | {"x-moment-platform": times(MARKS, size)})),
    "verify: a long URL": (6_000, lambda size: verify(BUNDLE | {"signature-input": "a"}, "https://a" + times(":443", size))),
    "X-Forwarded-For": (3_500, lambda size: request(*WHOAMI, lines=["X-Forwarded-For: " + times("127.0.0.1,", size)])),
    "X-Forwarded-For: empty elements": (3_500, lambda size: request(*WHOAMI, lines=["X-Forwarded-For: " + times(", ", size)])),
    "Authorization": (3_500, lambda size: request(*WHOAMI, None, ["Authorization: Bearer llk_" + "a" * size])),
    "Authorization: blanks": (3_500, lambda size: request(*WHOAMI, None, ["Authorization: Bearer" + " " * size + "x"])),
    "X-Request-Id": (3_500, lambda size: request(*WHOAMI, lines=["X-Request-Id: " + "a" * size])),
    "traceparent": (3_500, lambda size: request(*WHOAMI, lines=["traceparent: " + "0" * size])),
    "many headers": (500, lambda size: request(*WHOAMI, lines=listed(size, lambda at: f"a{at}: b", "|").split("|"))),
    "x-moment-project-id, often": (
        1_500, lambda size: request("POST", "/launch", "launch", [f"x-moment-project-id: {PROJECT}"] * (size // 46), BODY)),
    "x-moment-project-id: combining characters": (
        2_000, lambda size: request("POST", "/launch", "launch", ["x-moment-project-id: a" + times(MARKS, size)], BODY)),
    "users in headers beside a request's id": (
        1_500, lambda size: request(*WHOAMI, "launch", ["X-Request-Id: " + "a" * 128, *["x-moment-user-id: " + "a" * 18] * (size // 38)])),
    "users in a body beside a request's id": (
        40_000, lambda size: request("POST", "/launch/batch", "launch", ["X-Request-Id: " + "a" * 128],
                                     "[" + listed(size, lambda at: '{"user_id":"aa"}') + "]")),
    "Content-Type": (3_500, lambda size: request("POST", "/launch", body="{}", kind="application/json;" + times(" a=b;", size))),
    "Content-Encoding": (3_500, lambda size: request("POST", "/launch", "launch", ["Content-Encoding: " + times("a,", size)], "{}")),
    "If-None-Match": (3_500, lambda size: request(
        "GET", "/categories", lines=["If-None-Match: " + listed(size, lambda at: f'"a{at}"')])),
    "Accept-Language": (3_500, lambda size: request("GET", "/support/sign-in", None, ["Accept-Language: " + times("ko;q=0.5,", size)])),
    "Accept-Language: combining characters": (
        2_500, lambda size: request("GET", "/support/sign-in", None, ["Accept-Language: a" + times(MARKS, size)])),
    "cookies": (1_000, lambda size: request("GET", "/support", None, ["Cookie: " + listed(size, lambda at: f"a{at}=b", "; ")])),
    "cookies: combining characters": (2_500, lambda size: request("GET", "/support", None, ["Cookie: a" + times(MARKS, size) + "=b"])),
    "a long path": (3_500, lambda size: request("GET", "/businesses/" + times("%EA%B0%80", size))),
    "a path of many segments": (3_500, lambda size: request("GET", "/" + times("a/", size))),
    "a path of combining characters": (3_500, lambda size: request("GET", "/businesses/a" + times(quote(MARKS), size))),
    "query: many parameters": (3_500, lambda size: request("GET", "/businesses?" + listed(size, lambda at: f"a{at}=b", "&"))),
    "query: empty parameters": (3_500, lambda size: request("GET", "/businesses?" + times("limit=&", size))),
    "query: separators": (3_500, lambda size: request("GET", "/businesses?limit=1" + "&" * size)),
    "query: a name of combining characters": (3_500, lambda size: request("GET", "/businesses?a" + times(quote(MARKS), size))),
    "query: category of combining characters": (
        3_500, lambda size: request("GET", "/businesses?category=a" + times(quote(MARKS), size))),
    "query: a long search": (3_500, lambda size: request("GET", "/businesses?query=" + "a" * size)),
    "query: cursor": (3_500, lambda size: request("GET", "/businesses?cursor=" + times("WyJh", size))),
    "query: current": (3_500, lambda size: request("GET", "/web-version?current=" + times("1.", size))),
    "query: limit": (3_500, lambda size: request("GET", "/businesses?limit=" + "1" * size)),
    "a problem's code": (3_500, lambda size: request("GET", "/problems/" + "a" * size, None)),
    "JSON: members": (7_000, lambda size: request("POST", "/launch", body="{" + listed(size, lambda at: f'"a{at}":1') + "}")),
    "JSON: values": (7_000, lambda size: request("POST", "/launch", body="[" + "1," * (size // 2) + "1]")),
    "JSON: open lists": (7_000, lambda size: request("POST", "/launch", body="[" * size)),
    "JSON: lists in lists": (7_000, lambda size: request(
        "POST", "/launch", body="[" + listed(size, lambda at: "[" * 60 + "]" * 60) + "]")),
    "JSON: escapes": (7_000, lambda size: request("POST", "/launch", body='{"user_id":"' + times("\\u0316", size // 6 * 6) + '"}')),
    "JSON: line breaks before a fault": (7_000, lambda size: request("POST", "/launch", body='{"a":' + "\n" * size + "x}")),
    "JSON: a long number": (7_000, lambda size: request("POST", "/launch", body='{"ttl_seconds":0.' + "1" * size + "}")),
    "launch: user_id": (7_000, lambda size: launch(user_id=times(MARKS, size))),
    "launch: platform of combining characters": (7_000, lambda size: launch(platform="a" + times(MARKS, size))),
    "launch: page of combining characters": (7_000, lambda size: launch(page="a" + times(MARKS, size))),
    "launch: category of combining characters": (7_000, lambda size: launch(page="main", category="a" + times(MARKS, size))),
    "launch: category of unjoined Hangul": (7_000, lambda size: launch(page="main", category=times("\u1100\u1161", size))),
    "launch: business_id": (7_000, lambda size: launch(page="program", business_id="a" * size)),
    "launch: redirect_to with many parameters": (
        900, lambda size: launch(redirect_to="/cashback/detail?" + listed(size, lambda at: f"business_id{at}=a", "&"))),
    "launch: redirect_to of combining characters": (900, lambda size: launch(redirect_to="/main?category=a" + times(MARKS, size))),
    "launch: redirect_to of slashes": (900, lambda size: launch(redirect_to="/" + times("/..", size))),
    "launch: redirect_to encoded again and again": (7_000, lambda size: launch(redirect_to="%" + "25" * (size // 2) + "2F")),
    "launch: an unknown field": (7_000, lambda size: launch(**{times("\U0001F1F0", size): 1})),
    "batch: items": (30_000, lambda size: request(
        "POST", "/launch/batch", body=json.dumps(BODY)[:-1] + ',"items":[' + listed(size, lambda at: "{}") + "]}")),
    "batch: unknown fields of 100 items": (
        10_000, lambda size: batch([{f"a{at}": 1 for at in range(size // 100 // 8)} for _ in range(100)])),
    "batch: page of combining characters": (30_000, lambda size: batch([{"page": "a" + times(MARKS, size)}])),
    "log-out: members": (7_000, lambda size: request("POST", "/launch/revoke", body="{" + listed(size, lambda at: f'"a{at}":1') + "}")),
    "sign-in: fields": (1_500, lambda size: form(listed(size, lambda at: f"a{at}=b", "&"))),
    "sign-in: the key": (1_500, lambda size: form("api_key=" + times("%20", size) + "x")),
    "sign-in: next": (1_500, lambda size: form("api_key=x&next=/support" + times("/a", size))),
    "sign-in: where to go back": (3_500, lambda size: request("GET", "/support/sign-in?next=/support" + times("/a", size), None)),
    "sign-in: Origin": (3_500, lambda size: form("", ["Origin: " + "a" * size])),
    "support: a query without a session": (3_500, lambda size: request("GET", "/support?query=" + "a" * size, None)),
    "support: an asset": (3_500, lambda size: request("GET", "/support/assets/" + times("../", size), None)),
    "chunks": (8_000, lambda size: request(
        "POST", "/launch", lines=["Transfer-Encoding: chunked", "Content-Type: application/json"])
        + "1\r\n \r\n" * (size // 6) + "2\r\n{}\r\n0\r\n\r\n"),
}

CSV_HEAD = "business_id,name,aliases,category,commission_type,commission_amount,commission_unit\n"


def csv_row(identifier, name="n", aliases=""):
    return f"{identifier},{name},{aliases},mall,CPS,1,KRW_COMMISSION_UNIT\n"


# By name: the size, the command, and the file that it reads.
COMMANDS = {
    "CSV: rows": (6_000, "catalog import input.csv --dry-run", lambda size: CSV_HEAD + listed(size, lambda at: csv_row(f"a{at}"), "")),
    "CSV: aliases": (6_000, "catalog import input.csv --dry-run", lambda size: CSV_HEAD + csv_row(
        "a", aliases=listed(size, lambda at: f"a{at}", "|"))),
    "CSV: columns": (6_000, "catalog import input.csv --dry-run", lambda size: listed(size, lambda at: f"a{at}") + "\n"),
    "CSV: combining characters": (6_000, "catalog import input.csv --dry-run", lambda size: CSV_HEAD + csv_row(
        *["a" + times(MARKS, size // 3)] * 3)),
    "catalogue as JSON: members": (6_000, "catalog import input.json --dry-run", lambda size: "[{" + listed(
        size, lambda at: f'"a{at}":1') + "}]"),
    "catalogue as JSON: businesses": (6_000, "catalog import input.json --dry-run", lambda size: "[" + listed(
        size, lambda at: f'{{"business_id":"a{at}"}}') + "]"),
    "YAML: unknown settings": (4_000, "config check --config input.yaml", lambda size: listed(size, lambda at: f"a{at}: 1", "\n")),
    "YAML: a list": (4_000, "config check --config input.yaml", lambda size: "trusted_proxies: [" + listed(
        size, lambda at: f"10.{at // 256 % 256}.{at % 256}.1") + "]"),
    "YAML: combining characters": (6_000, "config check --config input.yaml", lambda size: "a" + times(MARKS, size) + ": 1"),
}


@pytest.fixture(scope="module")
def house(tmp_path_factory):
    made = install(tmp_path_factory.mktemp("work"))
    made.project()
    made.run("catalog", "import", CATALOG)
    made.keys = {scope: made.key(scope, PROJECT)["api_key"] for scope in ("launch", "verify")}
    return made


@pytest.fixture(scope="module")
def counted(house):
    settings = {"ACCESS_LOG": "access.log", "TRUSTED_PROXIES": "[127.0.0.1]", "TIMEOUTS_REQUEST": "10m"}
    with counted_server(house, house.directory, **{f"LAUNCHLINK_{name}": value for name, value in settings.items()}) as server:
        yield server


@pytest.fixture(scope="module")
def small(house, counted):
    """What a small request costs."""
    asked = filled(request(*WHOAMI), house, counted)
    return min(counted.work(asked)[0] for _ in range(4))


def filled(text, house, counted):
    for scope, key in house.keys.items():
        text = text.replace(f"<{scope}>", key)
    return text.replace("<origin>", counted.server.url).encode()


def assert_linear(cost, size, length, small, most_per_byte=MOST_PER_BYTE):
    """The work for the double size, less what the smallest input costs, is at most double and some per cent."""
    for attempt in range(4):
        counts = [cost(size_of) for size_of in (10, size, 2 * size)] if attempt == 0 else [
            min(count, cost(size_of)) for count, size_of in zip(counts, (10, size, 2 * size))]
        first, second = (count - counts[0] for count in counts[1:])
        per_byte = second / (length(2 * size) - length(10))
        has_grown = second > MOST_GROWTH * max(first, 0) + CHANCE * small
        if not has_grown and per_byte <= small * most_per_byte:
            return
    assert not has_grown, f"{first:,} instructions for {size} bytes, {second:,} for twice as many"
    assert per_byte <= small * most_per_byte, f"{per_byte:,.0f} instructions for each byte; a small request takes {small:,}"


@pytest.mark.parametrize("name", REQUESTS)
def test_work_on_a_request_grows_with_its_size_alone(name, house, counted, small):
    size, make = REQUESTS[name]
    statuses = []

    def cost(size_of):
        work, status = counted.work(filled(make(size_of), house, counted))
        statuses.append(status)
        return work

    cost(10)
    assert_linear(cost, size, lambda size_of: len(make(size_of).encode()), small)
    assert all(status < 500 for status in statuses), statuses


def test_an_unknown_id_costs_alike_however_many_begin_with_it(tmp_path):
    made = install(tmp_path)
    made.project()
    file = tmp_path / "alike.csv"
    file.write_text(CSV_HEAD + "".join(csv_row(f"shop{at:04}") for at in range(2_000)))
    made.run("catalog", "import", file)
    made.keys = {"launch": made.key("launch", PROJECT)["api_key"]}
    with counted_server(made, tmp_path) as counted:
        def cost(identifier):
            work, status = counted.work(filled(launch(page="program", business_id=identifier), made, counted))
            assert status == 422
            return work

        cost("warm")
        assert cost("sh") < 2 * cost("zz") and cost("shop") < 2 * cost("zzzz")


@pytest.mark.parametrize("name", COMMANDS)
def test_work_on_a_file_grows_with_its_size_alone(name, house, small, tmp_path):
    size, command, make = COMMANDS[name]
    command = [str(tmp_path / word) if word.startswith("input.") else word for word in command.split()]
    file, = (word for word in command if word.startswith(str(tmp_path)))

    def cost(size_of):
        with open(file, "w", newline="") as written:
            written.write(make(size_of))
        work, status = work_of_command(house, tmp_path / "profile", *command)
        assert 0 <= status < 128, status
        return work

    assert_linear(cost, size, lambda size_of: len(make(size_of).encode()), small, MOST_PER_BYTE_OF_FILES)
