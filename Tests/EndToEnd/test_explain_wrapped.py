"""Launches with text right around them, in logs, lists and chats: `launchlink explain` reads them to the letter and blames no launch for what stands beside it."""

import html
import json
import re
import subprocess

import pytest
from harness import environment
from test_explain import curl, each, explained, header, problems, quoted


@pytest.fixture(scope="module")
def launch(partner):
    return partner.launched(page="program", business_id="11st")


@pytest.fixture(scope="module")
def other(partner):
    return partner.launched(page="cs")


def last(launch, name):
    """The launch with that header behind the others."""
    return launch | {"headers": {key: value for key, value in launch["headers"].items() if key != name} | {name: launch["headers"][name]}}


def lines(launch):
    return "\n".join([launch["url"], *(f"{name}: {value}" for name, value in launch["headers"].items())])


def double(launch):
    return f'curl "{launch["url"]}" ' + " ".join(f"-H {quoted(f'{name}: {value}')}" for name, value in launch["headers"].items())


def carets(text):
    return '^"' + text.replace("%", "^%").replace('"', '^\\^"') + '^"'


def cmd(launch):
    return f"curl {carets(launch['url'])} ^\r\n" + " ^\r\n".join(f"  -H {carets(f'{name}: {value}')}" for name, value in launch["headers"].items())


COMMANDS = {
    "one line": lambda it: curl(it).replace(" \\\n", " "),
    "double quotation marks": double,
    "cmd": cmd,
    "$'…'": lambda it: curl(it).replace(" '", " $'").replace(" \\\n", " "),
    "-H'…'": lambda it: curl(it).replace("-H '", "-H'"),
    "wget": lambda it: "wget " + " ".join(f"--header='{name}: {value}'" for name, value in it["headers"].items()) + f" '{it['url']}'",
}
AROUND = [("`", "`"), ("```", "```"), ("(", ")"), ("", "."), ("", ","), ("", "입니다."), ("", "로 호출했습니다"), ("<code>", "</code>"), ("\x1b[1m", "\x1b[0m")]


@pytest.mark.parametrize("command", COMMANDS.values(), ids=COMMANDS)
def test_a_command_that_a_text_goes_on_right_behind(installation, launch, command):
    for before, after in AROUND:
        assert problems(explained(installation, before + command(launch) + after, True)) == [], (before, after)
    broken = command(header(launch, "x-moment-platform", lambda _: "ANDROID"))
    assert problems(explained(installation, f"`{broken}`입니다.")) == ["altered_part"]


java = each("{}={}".format, ", ", "{", "}")
MAPS = {
    "a message of a log in JSON": lambda it: json.dumps({"level": "info", "msg": f"{it['url']} {java(it)}"}),
    "a field of a log in JSON": lambda it: json.dumps({"url": it["url"], "headers": java(it)}),
    "lists in a log in JSON": lambda it: json.dumps({"url": it["url"], "headers": each("{}=[{}]".format, ", ", "{", "}")(it)}),
    "slog": lambda it: f"level=INFO url={it['url']} headers={quoted(each('{}:{}'.format, ' ', 'map[', ']')(it))}",
    "%q": lambda it: quoted(f"{it['url']} {each('{}:{}'.format, ' ', 'map[', ']')(it)}"),
    "logfmt": lambda it: f'INFO url={it["url"]} headers="{java(it)}" status=401',
    "logfmt, single quotation marks": lambda it: f"INFO url={it['url']} headers='{java(it)}' status=401",
    "a full stop": lambda it: f"{it['url']}\n{java(it)}.",
    "backticks": lambda it: f"`{it['url']} {java(it)}`",
    "quotation marks": lambda it: f'"{it["url"]} {java(it)}"',
    "lines in a fence": lambda it: f"```{lines(it)}```",
    "lines in backticks": lambda it: f"`{lines(it)}`",
    "lines in HTML": lambda it: f"<pre>{lines(it)}</pre>",
    "lines in code": lambda it: "{code}" + lines(it) + "{code}",
    "lines in quotation marks": lambda it: f'"{lines(it)}"',
}


@pytest.mark.parametrize("paste", MAPS.values(), ids=MAPS)
def test_whichever_header_stands_last(installation, launch, paste):
    for name in launch["headers"]:
        assert problems(explained(installation, paste(last(launch, name)), True)) == [], name


LISTS = {
    "node-fetch": each("    '{}': [ '{}' ]".format, ",\n", "{url}\nHeaders {\n  [Symbol(map)]: [Object: null prototype] {\n", "\n  }\n}"),
    "Objective-C": each(lambda name, value: f'    "{name}" =     (\n        {quoted(value)}\n    );', "\n", "{url}\n{\n", "\n}"),
    "R": each(lambda name, value: f" $ {name:<20}: chr {quoted(value)}", "\n", "{url}\nList of 6\n"),
    "Akka": each("{}: {}".format, ", ", "HttpRequest(HttpMethod(GET),{url},List(", "),HttpEntity.Strict(none/none,0 bytes total),HttpProtocol(HTTP/1.1))"),
    "Spring": each('{}:"{}"'.format, ", ", "<GET {url},[", "]>"),
    "PowerShell 5": lambda it: f'curl.exe "{it["url"]}" ' + " ".join('-H "' + f"{name}: {value}".replace('"', '\\`"') + '"' for name, value in it["headers"].items()),
    "a command in a log in JSON": lambda it: json.dumps({"level": "info", "msg": curl(it)}),
    "a command on one line in a log in JSON": lambda it: json.dumps({"msg": curl(it).replace(" \\\n", " ")}),
    "Gson": lambda it: json.dumps({"url": it["url"], "headers": it["headers"]}).replace("=", "\\u003d"),
}


@pytest.mark.parametrize("paste", LISTS.values(), ids=LISTS)
def test_forms_of_lists_and_logs(installation, launch, paste):
    codes = [finding["code"] for finding in explained(installation, paste(launch), True)["findings"]]
    assert "right_signature" in codes and not {"masked", "cut_off", "several_launches"} & set(codes)


TWICE = {
    "lines": lines,
    "OkHttp": each("{}: {}".format, "\n", "--> GET {url}\n", "\n--> END GET\n<-- 401 (35ms)"),
    "maps": each("{}={}".format, ", ", "{url} {", "}"),
    "the URL behind": lambda it: lines(it).split("\n", 1)[1] + "\n" + it["url"],
    "lines of a log in JSON": lambda it: json.dumps({"url": it["url"], "headers": java(it)}),
    "requests as HTTP writes them": lambda it: f"GET {it['url'].split('.ai', 1)[1]} HTTP/1.1\nHost: cashback-ui.moment.fairytech.ai\n" + lines(it).split("\n", 1)[1],
    "HTTP/2": lambda it: f":authority: cashback-ui.moment.fairytech.ai\n:path: {it['url'].split('.ai', 1)[1]}\n" + lines(it).split("\n", 1)[1],
    "commands": curl,
}


@pytest.mark.parametrize("form", TWICE.values(), ids=TWICE)
def test_two_launches_are_no_doubled_headers(installation, launch, other, form):
    def codes(first, second, end=None):
        explanation = explained(installation, form(first) + "\n\n" + form(second)[:end], True)
        assert problems(explanation) == [] and explanation["parts"]["page"] == "program"
        return [finding["code"] for finding in explanation["findings"]]
    assert "several_launches" in codes(launch, other)
    assert "several_launches" not in codes(launch, launch)
    assert "several_launches" in codes(launch, other, -60)
    assert problems(explained(installation, MAPS["backticks"](launch) + " " + MAPS["backticks"](other), True)) == []
    once = lines(launch) + "\n" + "\n".join(lines(launch).split("\n")[1:])
    assert problems(explained(installation, once)) == ["doubled_header"] * 6


ENDINGS = ["입니다.", "이에요.", "인데 안돼요.", "인데, 안 됩니다", "(운영)", "(운영)에서", "、", "。", "~", "~~", "로 접속하면 안 됩니다", "에서", "라는 주소", "ㅠㅠ", "?"]


@pytest.mark.parametrize("ending", ENDINGS)
def test_words_right_behind_the_url(installation, launch, ending):
    assert problems(explained(installation, lines(launch).replace(launch["url"], launch["url"] + ending), True)) == []
    assert problems(explained(installation, launch["url"] + ending, None)) == []


@pytest.mark.parametrize("ending", ["/", "&", "=", "%"])
def test_what_belongs_to_the_url_is_a_fault(installation, launch, ending):
    assert problems(explained(installation, lines(launch).replace(launch["url"], launch["url"] + ending)))


OTHER_REQUESTS = {
    "OkHttp, POST": (lambda it: f"--> POST {lines(it)}", "wrong_method"),
    "OkHttp, HEAD": (lambda it: f"--> HEAD {lines(it)}", "wrong_method"),
    "HTTPie": (lambda it: f"http POST '{it['url']}' " + " ".join(f"'{name}:{value}'" for name, value in it["headers"].items()), "wrong_method"),
    "an upload": (lambda it: curl(it) + " -T file", "wrong_method"),
    "wget": (lambda it: COMMANDS["wget"](it) + " --method=POST", "wrong_method"),
    "another host": (lambda it: curl(it) + " -H 'Host: evil.example'", "wrong_host"),
}


@pytest.mark.parametrize("paste, code", OTHER_REQUESTS.values(), ids=OTHER_REQUESTS)
def test_another_request_than_the_launch(installation, launch, paste, code):
    assert code in problems(explained(installation, paste(launch)))
    host = re.search("https://([^/]+)", launch["url"])[1]
    explained(installation, curl(launch) + f" -H 'Host: {host}'", True)


@pytest.mark.parametrize("change", [str.upper, lambda it: it.replace("launch-", "launch_"), lambda it: it.replace("launch-", "launch%2D"), lambda _: "WEB_API_KEY", lambda _: "sample-key",
                                    lambda _: "USER-123", lambda _: "key_gA6IdNJkkmHP", lambda _: "sk_mftfPhbO5Rfl", lambda _: "67b6f2a9688f4a05db0a1d45"])
def test_what_is_no_web_api_key_has_not_leaked(installation, launch, change):
    launch = header(header(launch, "x-moment-user-id", lambda _: "USER-123"), "x-moment-web-api-key", change)
    assert "leaked_web_api_key" not in [finding["code"] for finding in explained(installation, lines(launch))["findings"]]
    foreign = header(launch, "x-moment-web-api-key", lambda _: "3f1c9e0a7b2d4c8e9f0a1b2c3d4e5f60")
    assert "leaked_web_api_key" in [finding["code"] for finding in explained(installation, lines(foreign))["findings"]]


@pytest.mark.parametrize("text, words", [
    ("Unknown business", "unknown_business"), ("signature mismatch", "signature_mismatch"), ("invalid api key", "invalid_api_key"), ("앱에서 401 떠요", "401"),
    ("<html><head><title>401 Authorization Required</title></head><body><center><h1>401 Authorization Required</h1></center><hr><center>nginx</center></body></html>", "401"),
])
def test_what_was_answered_in_other_words(installation, text, words):
    assert words in installation.run("explain", "--language", "en", stdin=text, status=65).stdout


def test_a_status_beside_the_url_and_prose_that_holds_no_code(installation, launch):
    error = f"requests.exceptions.HTTPError: 401 Client Error: Unauthorized for url: {launch['url']}"
    assert "answer_status" in [finding["code"] for finding in explained(installation, error, None)["findings"]]
    for text in ("My card expired yesterday", "주문번호 422 입니다", "캐시백 500원"):
        assert installation.run("explain", stdin=text, status=65).stdout == ""


def test_bytes_that_are_no_utf8(installation):
    pasted = b"https://cashback-ui.moment.fairytech.ai/main?redirect_to=%2F\xc4\xed"
    for language in ("en", "ko"):
        done = subprocess.run(installation.arguments("explain", "--language", language), input=pasted, capture_output=True, env=environment())
        shown = done.stdout.decode()
        assert done.returncode == 1 and "UTF-8" in shown and "%EF%BF%BD" not in shown, shown


SENT_WITH_MORE = {
    "the value twice": ("x-moment-user-id", lambda value: value + "," + value), "another platform": ("x-moment-platform", lambda value: value + ", ANDROID"),
    "a device": ("x-moment-user-id", lambda value: value + " (iPhone)"), "a version": ("x-moment-platform", lambda value: value + "/17"),
    "quotation marks": ("x-moment-user-id", lambda value: f'"{value}"'), "an optional of Swift": ("x-moment-platform", lambda value: f'Optional("{value}")'),
    "behind the signature": ("signature", lambda value: value + ";x y"), "behind the stand-in": ("x-moment-web-api-key", lambda value: value + " real"),
}


@pytest.mark.parametrize("name, change", SENT_WITH_MORE.values(), ids=SENT_WITH_MORE)
def test_what_may_have_been_sent_with_more_is_not_said_to_work(installation, launch, name, change):
    changed = launch | {"headers": launch["headers"] | {name: change(launch["headers"][name])}}
    for text in (lines(changed), "\n".join("> " + line for line in lines(changed).split("\n"))):
        assert installation.run("explain", stdin=text, status=None).returncode in (1, 65), text


@pytest.mark.parametrize("behind", [".", "?", ")", ";", "]", "|x", "\\n"])
def test_what_a_command_has_within_the_quotation_marks_of_its_url_was_sent(installation, launch, behind):
    for quote in "'\"":
        text = re.sub(r"curl '[^']+'", lambda _: f"curl {quote}{launch['url']}{behind}{quote}", curl(launch))
        assert installation.run("explain", stdin=text, status=None).returncode in (1, 65), text


def test_two_launches_of_the_start_page(installation, partner):
    first, second = partner.launched(), partner.launched()
    for text in (lines(first) + "\n" + lines(first), lines(first) + "\n" + lines(second)):
        explained(installation, text, True)


@pytest.mark.parametrize("tag", ["div", "p", "li"])
def test_a_mail_in_html_on_one_line(installation, launch, tag):
    values = [launch["url"], *(f"{name}: {value}" for name, value in launch["headers"].items())]
    explained(installation, "".join(f"<{tag}>{html.escape(value)}</{tag}>" for value in values), True)
