"""What mail and chat programs, consoles and logs make of a launch: `launchlink explain` reads it to the letter, where the signature fits."""

import json
import re
from urllib.parse import quote

import pytest
from test_explain import curl, each, explained, header, problems, quoted


def lines(launch):
    return "\n".join([launch["url"], *(f"{name}: {value}" for name, value in launch["headers"].items())])


def folded(text, width, before=""):
    return "\n".join(before + line[at:at + width] for line in text.split("\n") for at in range(0, len(line), width))


def renamed(rename):
    return lambda it: json.dumps({"url": it["url"], "headers": {rename(name): value for name, value in it["headers"].items()}})


def safe_link(text):
    return f"https://kor01.safelinks.protection.outlook.com/?url={quote(text, safe='')}&data=05%7C02&reserved=0"


VARIANTS = {
    "a link of Markdown": lambda it: lines(it).replace(it["url"], f"[{it['url']}]({it['url']})"),
    "a link of Markdown in JSON": lambda it: json.dumps(it | {"url": f"[{it['url']}]({it['url']})"}),
    "a link of Outlook": lambda it: lines(it).replace(it["url"], safe_link(it["url"])),
    "a link of Google": lambda it: lines(it).replace(it["url"], "https://www.google.com/url?q=" + quote(it["url"], safe="") + "&sa=D"),
    "a link of Proofpoint": lambda it: lines(it).replace(it["url"], "https://urldefense.com/v3/__" + it["url"].replace("%", "*") + "__;JSUlJQ!!abc$"),
    "a fragment": lambda it: lines(it).replace(it["url"], it["url"] + "#top"),
    "JSON at 60": lambda it: folded(json.dumps({"url": it["url"], "headers": it["headers"]}), 60),
    "JSON at 80": lambda it: folded(json.dumps({"url": it["url"], "headers": it["headers"]}), 80),
    "JSON at 120": lambda it: folded(json.dumps({"url": it["url"], "headers": it["headers"]}), 120),
    "a command at 80": lambda it: folded(curl(it).replace(" \\\n", " "), 80),
    "cmd, doubled quotation marks": lambda it: "curl " + " -H ".join(['"' + it["url"] + '"', *('"' + f"{name}: {value}".replace('"', '""') + '"' for name, value in it["headers"].items())]),
    "a batch file": lambda it: "curl " + " -H ".join(['"' + it["url"].replace("%", "%%") + '"', *(quoted(f"{name}: {value}") for name, value in it["headers"].items())]),
    "PowerShell, curl.exe": lambda it: curl(it).replace("curl ", "curl.exe ").replace(" \\\n", " ").replace('"', '\\"'),
    "camelCase": renamed(lambda name: re.sub("-(.)", lambda letter: letter[1].upper(), name)),
    "snake_case": renamed(lambda name: name.replace("-", "_")),
    "UPPER_SNAKE": renamed(lambda name: name.replace("-", "_").upper()),
    "snake_case in lines": each(lambda name, value: f"{name.replace('-', '_')}={value}", "\n"),
    "Apache's log of the wire": lambda it: "\n".join(f'DEBUG wire - http-outgoing-0 >> "{line}[\\r][\\n]"' for line in [
        f"GET {it['url'].split('.ai', 1)[1]} HTTP/1.1", "Host: cashback-ui.moment.fairytech.ai", *(f"{name}: {value}" for name, value in it["headers"].items())]),
    "a table without blanks": each("|{}|{}|".format, "\n", "|url|{url}|\n"),
    "HTML": each("<b>{}:</b> {}<br>".format, "\n", "{url}<br>\n"),
    "OpenTelemetry": each('     -> http.request.header.{}: Slice(["{}"])'.format, "\n", "     -> url.full: Str({url})\n"),
    "Markdown's backslashes": lambda it: lines(it).replace("_", "\\_"),
    "U+2011": lambda it: lines(it).replace("x-moment-", "x\u2011moment\u2011"),
    "U+2013": lambda it: lines(it).replace("signature-input", "signature\u2013input"),
    "Japanese quotation marks": lambda it: re.sub('"([^"]*)"', "「\\1」", json.dumps({"url": it["url"], "headers": it["headers"]}).replace('\\"', '"')),
}


@pytest.mark.parametrize("paste", VARIANTS.values(), ids=VARIANTS)
def test_what_programs_on_the_way_make_of_a_launch(installation, partner, paste):
    launch = partner.launched(page="program", business_id="11st")
    explanation = explained(installation, paste(launch), True)
    assert "right_signature" in [finding["code"] for finding in explanation["findings"]] and problems(explanation) == []
    broken = paste(header(launch, "x-moment-platform", lambda _: "ANDROID"))
    assert installation.run("explain", "--output", "json", stdin=broken, status=1).stdout


def test_links_by_themselves(installation, partner):
    url = partner.launched(page="program", business_id="11st")["url"]
    for text in (f"[{url}]({url})", f"[여기]({url})", safe_link(url)):
        assert problems(explained(installation, text, None)) == []
    assert problems(explained(installation, f"https://shop.example/?url={quote(url, safe='')}"))


def test_one_name_in_another_style_is_a_fault(installation, partner):
    launch = partner.launched(page="cs")
    headers = {name.replace("x-moment-user", "x_moment_user"): value for name, value in launch["headers"].items()}
    assert "missing_header" in problems(explained(installation, json.dumps(launch | {"headers": headers})))


@pytest.mark.parametrize("text, words", [
    ("https://acme.atlassian.net/browse/CS-12 signature_mismatch", "signature_mismatch"),
    ("e0a62ead637dd46e-0000000002af", "request id"),
    ("SignatureMismatch", "signature_mismatch"),
    ("error 500", "500"),
    ("curl: (22) The requested URL returned error: 401", "401"),
])
def test_what_was_answered_beside_a_link_and_in_other_words(installation, text, words):
    shown = installation.run("explain", "--language", "en", stdin=text, status=65).stdout
    assert shown.startswith("This is no launch but what was answered") and words in shown
