"""Texts that leave out, hide or cut off a part of a launch: `launchlink explain` says that it cannot be told, and calls no launch broken."""

import json

import pytest
from test_explain import curl, each, explained, header, problems, url


@pytest.fixture(scope="module")
def launch(partner):
    return partner.launched(page="program", business_id="11st")


def lines(launch, names=None):
    return "\n".join([launch["url"], *(f"{name}: {value}" for name, value in launch["headers"].items() if names is None or name in names)])


def cut_behind(text, mark):
    return text[:text.index(mark) + len(mark)]


CUT = {
    "in the host": lambda it: cut_behind(it["url"], "https://cashback-ui.moment.fai"),
    "behind the host": lambda it: cut_behind(it["url"], ".ai"),
    "in the path": lambda it: cut_behind(it["url"], "/ma"),
    "in the parameter's name": lambda it: cut_behind(it["url"], "?redir"),
    "behind the equals sign": lambda it: cut_behind(it["url"], "redirect_to="),
    "in the page": lambda it: cut_behind(it["url"], "%2Fcashback%2Fdet"),
    "in an escape": lambda it: cut_behind(it["url"], "%2Fcashback%2"),
    "in the page's parameter": lambda it: cut_behind(it["url"], "%3Fbusiness"),
    "in the business": lambda it: cut_behind(it["url"], "%3D11s"),
    "the headers first, then in the URL": lambda it: json.dumps(it["headers"]) + "\n" + cut_behind(it["url"], "%2Fcashback%2Fdet"),
    "in the project": lambda it: cut_behind(lines(it), "x-moment-project-id: 67b6f2"),
    "in the key": lambda it: cut_behind(lines(it), "x-moment-web-api-key: launch-01"),
    "in the platform": lambda it: cut_behind(lines(it), "x-moment-platform: IO"),
    "in created": lambda it: cut_behind(lines(it), "created=17"),
    "in expires": lambda it: cut_behind(lines(it), "expires=17"),
    "in the signature's label": lambda it: cut_behind(lines(it), "signature: laun"),
    "in expires, in Python": lambda it: cut_behind(repr({"url": it["url"], "headers": it["headers"]}), "expires=17"),
    "in expires, in a map": lambda it: cut_behind(each("{}={}".format, ", ", "{url}\n{", "}")(it), "expires=17"),
    "in a header's name": lambda it: cut_behind(lines(it), "\nsignature-in"),
    "in the last header's name": lambda it: cut_behind(lines(it), "\nsignature:")[:-4],
    "in the first letter of a name": lambda it: lines(it).split("\nsignature-input")[0] + "\ns",
    "in a name, in a map": lambda it: cut_behind(each("{}={}".format, ", ", "{url}\n{", "}")(it), ", x-moment-user"),
    "in an option": lambda it: curl(it).replace("-H", "--header").replace(" \\\n", " ").split("--header 'signature:")[0] + "--hea",
    "behind an option": lambda it: curl(it).split(" 'signature:")[0],
    "behind an option's quotation mark": lambda it: cut_behind(curl(it), "-H 'signature:")[:-len("signature:")],
    "in the URL, for cmd": lambda it: 'curl "' + it["url"].replace("%", "^%")[:75],
    "behind the path, the URL last": lambda it: curl(it).replace(f"'{it['url']}' \\\n", "") + " '" + it["url"].split("?")[0],
    "in the path of HTTP/2": lambda it: ":authority: cashback-ui.moment.fairytech.ai\n:method: GET\n:path: /main?redirect_to=%2Fcashback%2",
    "in PHP, print_r": lambda it: cut_behind(each("    [{}] => {}".format, "\n", "{url}\nArray\n(\n", "\n)\n")(it), "[x-moment-platform] => IOS") + "\n  ",
    "in the project, in a map": lambda it: cut_behind(each("{}={}".format, ", ", "{url}\n{", "}")(it), "x-moment-project-id=67b6"),
}


@pytest.mark.parametrize("cut", CUT.values(), ids=CUT)
def test_what_a_cut_has_left_of_a_part_is_not_judged(installation, launch, cut):
    codes = [finding["code"] for finding in explained(installation, cut(launch), None)["findings"]]
    assert "cut_off" in codes, codes


CUT_AND_WRONG = {
    "another host": (lambda it: cut_behind(it["url"].replace(".ai/", ".ai.evil.example/"), "/ma"), "wrong_host"),
    "encoded twice": (lambda it: cut_behind(it["url"].replace("%", "%25"), "%252Fcash"), "double_encoded"),
    "an unknown page": (lambda it: it["url"].replace("%2Fcashback", "%2Fcashbag"), "unknown_page"),
    "a character too many": (lambda it: it["url"] + "t", "unknown_business"),
    "an unknown project": (lambda it: cut_behind(lines(it).replace("project-id: 67", "project-id: 76"), "created=17"), "unknown_project"),
}


@pytest.mark.parametrize("cut, code", CUT_AND_WRONG.values(), ids=CUT_AND_WRONG)
def test_what_stands_there_as_a_whole_is_judged_though_the_text_was_cut(installation, launch, cut, code):
    assert code in problems(explained(installation, cut(launch)))


@pytest.mark.parametrize("mark", ["...", "…", "(중략)", "(이하 생략)", "<생략>", "[truncated]", "// ..."])
def test_lines_and_entries_left_out_are_not_missing(installation, launch, mark):
    short = lines(launch, ["x-moment-project-id", "x-moment-platform"])
    assert problems(explained(installation, short)) == ["missing_header"] * 4
    for text in (short + "\n" + mark, short.replace("x-moment-platform", mark + "\nx-moment-platform"), f"{launch['url']}\n{mark}\n" + short):
        assert problems(explained(installation, text, None)) == [], text
    project = launch["headers"]["x-moment-project-id"]
    text = f'{{"url": "{launch["url"]}", "headers": {{"x-moment-project-id": "{project}", {mark} }}}}'
    assert problems(explained(installation, text.replace("//", ""), None)) == []


WORDS = ["가림", "(생략)", "마스킹", "비공개", "삭제", "비밀", "private", "CONFIDENTIAL", "SECRET", "%API_KEY%", "process.env.KEY", "sha256:ab12cd34", "N/A", "n/a", "[FILTERED]"]


@pytest.mark.parametrize("mask", WORDS)
@pytest.mark.parametrize("form", [lines, json.dumps], ids=["lines", "JSON"])
def test_words_that_stand_for_a_value(installation, launch, mask, form):
    for name in ("x-moment-project-id", "x-moment-web-api-key", "x-moment-user-id", "signature-input", "signature"):
        codes = [finding["code"] for finding in explained(installation, form(header(launch, name, lambda _: mask)), None)["findings"]]
        assert "masked" in codes, (name, codes)


@pytest.mark.parametrize("name, mask", [
    *(("x-moment-user-id", mask) for mask in ("US**-123", "USER-1**", "*SER-123", "USER-###", "USER-XXX", "USER-OOO", "USER-○○○", "홍*동", "○○○", "ㅇㅇㅇ", "OOO")),
    ("x-moment-platform", "I**"), ("x-moment-platform", "○○○"), ("x-moment-project-id", "ㅇㅇㅇ"),
])
@pytest.mark.parametrize("form", [lines, json.dumps, curl], ids=["lines", "JSON", "curl"])
def test_letters_that_stand_for_hidden_ones(installation, launch, name, mask, form):
    codes = [finding["code"] for finding in explained(installation, form(header(launch, name, lambda _: mask)), None)["findings"]]
    assert "masked" in codes, codes


@pytest.mark.parametrize("user", ["USER-XXX", "US**-123", "OOO", "***", "USER-###"])
def test_nothing_is_hidden_where_the_signature_fits(installation, partner, user):
    launch = partner.launched(user_id=user, page="cs")
    for text in (lines(launch), json.dumps(launch), curl(launch)):
        codes = [finding["code"] for finding in json.loads(installation.run("explain", "--output", "json", stdin=text).stdout)["findings"]]
        assert "right_signature" in codes and "masked" not in codes, codes


@pytest.mark.parametrize("mask", ["***", "sk_***", "[FILTERED]", "<hidden>"])
def test_a_hidden_key_of_the_signature_is_not_unknown(installation, launch, mask):
    key = launch["headers"]["signature-input"].split('keyid="')[1].split('"')[0]
    hidden = header(launch, "signature-input", lambda value: value.replace(key, mask))
    for text in (json.dumps(hidden), lines(hidden)):
        assert problems(explained(installation, text, None)) == []


@pytest.mark.parametrize("old, mask", [
    ("%2Fcashback%2Fdetail%3Fbusiness_id%3D11st", "***"), ("%2Fcashback%2Fdetail%3Fbusiness_id%3D11st", "[FILTERED]"),
    ("%2Fcashback%2Fdetail%3Fbusiness_id%3D11st", "%5BFILTERED%5D"), ("%2Fcashback%2Fdetail%3Fbusiness_id%3D11st", "<생략>"),
    ("%2Fcashback%2Fdetail%3Fbusiness_id%3D11st", "REDACTED"), ("%2Fcashback%2Fdetail%3Fbusiness_id%3D11st", "xxxxx"),
    ("11st", "%2A%2A%2A"), ("11st", "○○○"), ("11st", "***"), ("cashback-ui.moment.fairytech.ai", "<host>"), ("cashback-ui.moment.fairytech.ai", "***"),
])
def test_what_is_hidden_in_the_url(installation, launch, old, mask):
    hidden = url(launch, old, mask)
    for text in (lines(hidden), json.dumps(hidden)):
        explanation = explained(installation, text, None)
        assert problems(explanation) == [] and "masked" in [finding["code"] for finding in explanation["findings"]]


@pytest.mark.parametrize("method", ["get", "Get"])
def test_the_method_as_clients_of_javascript_write_it(installation, launch, method):
    explained(installation, json.dumps({"config": {"method": method, "url": launch["url"], "headers": launch["headers"]}}), True)
    assert "wrong_method" in problems(explained(installation, json.dumps(launch | {"method": "post"})))
