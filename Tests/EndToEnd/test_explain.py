"""`launchlink explain`: launches issued by the program, broken in the ways of partners, and what is said of them."""

import html
import json
import re

import pytest

from harness import PROJECT, USER, WEB_API_KEY


@pytest.fixture(scope="module")
def launch(partner):
    return partner.launched(page="program", business_id="11st")


def curl(launch):
    return " \\\n".join([f"curl '{launch['url']}'", *(f"-H '{name}: {value}'" for name, value in launch["headers"].items())])


def explained(installation, text, works=False, *options):
    """The explanation, without a secret in it; `works` is None where that cannot be told."""
    done = installation.run("explain", "--output", "json", *options, stdin=text, status={True: 0, False: 1, None: 65}[works])
    explanation = json.loads(done.stdout)
    assert explanation["works"] is works
    assert WEB_API_KEY not in done.stdout + done.stderr and USER not in done.stdout + done.stderr
    return explanation


def problems(explanation):
    return [finding["code"] for finding in explanation["findings"] if finding["severity"] == "problem"]


def test_a_launch_as_it_was_issued(installation, launch):
    for text in (json.dumps(launch), curl(launch)):
        explanation = explained(installation, text, True)
        assert problems(explanation) == []
        assert explanation["parts"]["page"] == "program" and explanation["parts"]["business_id"] == "11st"
        assert explanation["parts"]["project_id"] == PROJECT
    url = explained(installation, launch["url"], None)
    assert [finding["code"] for finding in url["findings"]] == ["headers_not_given", "right_url"]


def without(launch, name):
    return launch | {"headers": {key: value for key, value in launch["headers"].items() if key != name}}


def header(launch, name, change):
    return launch | {"headers": launch["headers"] | {name: change(launch["headers"][name])}}


def url(launch, old, new):
    assert old in launch["url"]
    return launch | {"url": launch["url"].replace(old, new)}


BROKEN = {
    "encoded twice": (lambda it: url(it, "%", "%25"), "double_encoded", "2 times"),
    "decoded": (lambda it: url(it, "%2Fcashback%2Fdetail%3Fbusiness_id%3D", "/cashback/detail?business_id="), "not_encoded", "%2Fcashback"),
    "small hexadecimal digits": (lambda it: url(it, "%2F", "%2f"), "other_encoding", "%2f"),
    "another business": (lambda it: url(it, "11st", "11stt"), "unknown_business", "11st"),
    "a business in capitals": (lambda it: url(it, "11st", "11ST"), "unknown_business", "Perhaps 11st"),
    "a look-alike host": (lambda it: url(it, ".ai/", ".ai.evil.example/"), "wrong_host", "impostor"),
    "canary": (lambda it: url(it, "https://", "https://canary-"), "wrong_upstream", "canary"),
    "a trailing slash": (lambda it: url(it, "/main", "/main/"), "wrong_path", "/main/"),
    "http": (lambda it: url(it, "https:", "http:"), "wrong_scheme", "http://"),
    "POST": (lambda it: it | {"method": "POST"}, "wrong_method", "POST"),
    "no user": (lambda it: without(it, "x-moment-user-id"), "missing_header", "x-moment-user-id"),
    "no signature": (lambda it: without(it, "signature"), "missing_header", "signature"),
    "another platform": (lambda it: header(it, "x-moment-platform", lambda _: "ANDROID"), "altered_part", "x-moment-platform"),
    "a user in capitals": (lambda it: header(it, "x-moment-user-id", str.upper), "altered_part", "x-moment-user-id"),
    "the real key": (lambda it: header(it, "x-moment-web-api-key", lambda _: WEB_API_KEY), "altered_part", "stand-in"),
    "an unknown user": (lambda it: header(it, "x-moment-user-id", lambda it: it[::-1]), "signature_mismatch", "could not be told"),
    "a signature cut off": (lambda it: header(it, "signature", lambda it: it[:-9]), "malformed_signature", "colon"),
    "another key": (lambda it: header(it, "signature-input", lambda it: it.replace('keyid="sk_', 'keyid="sk_0')), "unknown_key", "sk_0"),
}


@pytest.mark.parametrize("how, code, words", BROKEN.values(), ids=BROKEN)
def test_a_broken_launch(installation, launch, how, code, words):
    explanation = explained(installation, json.dumps(how(launch)))
    assert code in problems(explanation), explanation
    texts = [finding for finding in explanation["findings"] if finding["code"] == code]
    assert any(words in finding["text"]["en"] for finding in texts) or any(words in finding["advice"]["en"] for finding in texts)
    assert all(finding["text"]["ko"] != finding["text"]["en"] for finding in texts)


def test_what_changes_in_the_store_is_told(fresh):
    fresh.project()
    with fresh.serve() as server:
        launch = json.dumps(server.client(fresh.key("launch", PROJECT)).launched())
    explained(fresh, launch, True)
    fresh.run("project", "disable", PROJECT, "--yes")
    assert problems(explained(fresh, launch)) == ["project_disabled"]
    fresh.run("project", "enable", PROJECT)
    for key in fresh.json("signing-key", "list")["items"]:
        fresh.run("signing-key", "revoke", key["key_id"], "--yes")
    assert problems(explained(fresh, launch)) == ["revoked_key"]


def test_a_leaked_key_is_named_by_its_id_alone(installation, launch):
    key = installation.key("launch", PROJECT)
    done = installation.run("explain", stdin=curl(launch) + f" -H 'Authorization: Bearer {key['api_key']}'")
    assert key["key_id"] in done.stdout and key["api_key"] not in done.stdout
    assert key["api_key"][17:] not in done.stdout


def test_a_web_api_key_in_a_url_is_told_and_never_shown(installation, launch):
    for query in (f"&web_api_key={WEB_API_KEY}", "&k=" + "".join(f"%{byte:02x}" for byte in WEB_API_KEY.encode())):
        explanation = explained(installation, "https://cashback-ui.moment.fairytech.ai/main?redirect_to=%2Fcs" + query, None)
        assert "leaked_web_api_key" in problems(explanation)
    text = installation.run("explain", "--language", "en", stdin=curl(launch) + " -A " + WEB_API_KEY).stdout
    assert text.startswith("Nothing that stops the launch was found. But a key has leaked") and WEB_API_KEY not in text


def test_one_clock_on_one_screen(installation, launch):
    shown = {language: installation.run("explain", "--language", language, stdin=json.dumps(launch)).stdout for language in ("ko", "en")}
    assert shown["ko"].count("한국 시간 20") == 3 and "UTC" not in shown["ko"]
    assert shown["en"].count(" Korean time") == 3 and "UTC" not in shown["en"]


def in_form(launch, form):
    return json.dumps([form(name, value) for name, value in launch["headers"].items()])


def power_shell(launch):
    headers = "\n  ".join('"%s"="%s"' % (name, value.replace('"', '`"')) for name, value in launch["headers"].items())
    return f'Invoke-WebRequest -UseBasicParsing -Uri "{launch["url"]}" `\n-Headers @{{\n{headers}\n}}'


@pytest.mark.parametrize("paste", [
    lambda it: it["url"] + "\n" + in_form(it, lambda name, value: {"key": name, "value": value}),
    lambda it: json.dumps({"url": it["url"], "headers": [[name, value] for name, value in it["headers"].items()]}),
    lambda it: curl(it).replace(it["url"], it["url"].split("?")[0]) + " -G --data-urlencode 'redirect_to=/cashback/detail?business_id=11st'",
    power_shell,
], ids=["Postman", "pairs", "curl -G", "PowerShell"])
def test_forms_in_which_tools_give_a_request(installation, launch, paste):
    assert "right_signature" in [finding["code"] for finding in explained(installation, paste(launch), True)["findings"]]


def quoted(text):
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def carets(text):
    """As Chrome wrote "Copy as cURL (cmd)" until 2023: carets inside plain quotation marks, where the processor keeps them."""
    text = re.sub(r"([^a-zA-Z0-9\s_\-:=+~'/.,?;()*`])", r"^\1", quoted(text)[1:-1])
    return '"' + re.sub(r"%(?=[A-Za-z0-9_])", "%^", text) + '"'


def caret_command(it):
    return f"curl {carets(it['url'])} ^\r\n" + " ^\r\n".join(f"  -H {carets(f'{name}: {value}')}" for name, value in it["headers"].items()) + " ^\r\n  --compressed"


def each(form, joint, before="{url}\n", after=""):
    """The headers, each in a form, between a beginning and an end."""
    def paste(it):
        items = joint.join(form(name, value) for name, value in it["headers"].items())
        return before.replace("{url}", it["url"]) + items + after
    return paste


def plist(text):
    return text if text.isalnum() else quoted(text)


# How programs print the headers of a launch. Each has to be read to the letter.
FORMS = {
    "Kotlin or Java, Map.toString": each("{}={}".format, ", ", "{url}\n{", "}"),
    "Kotlin, a data class": each("{}={}".format, ", ", "Launch(url={url}, headers={", "}, expiresIn=300)"),
    "Kotlin, without blanks": each("{}={}".format, ",", "{url}\n{", "}"),
    "Java, lists of values": each("{}=[{}]".format, ", ", "{url}\n{", "}"),
    "Java, Bundle": each("{}={}".format, ", ", "{url}\nBundle[{", "}]"),
    "Spring, HttpHeaders": each('{}:"{}"'.format, ", ", "{url}\n[", "]"),
    "Kotlin, pairs": each(lambda name, value: f"{quoted(name)} to {quoted(value)}", ",\n", "{url}\nmapOf(", ")"),
    "Kotlin, pairs printed": each("({}, {})".format, ", ", "{url}\n[", "]"),
    "Dart, a map": each("{}: {}".format, ", ", "{url}\n{", "}"),
    "Go, map[...]": each("{}:{}".format, " ", "{url}\nmap[", "]"),
    "Go, http.Header": each(lambda name, value: f"{name.title()}:[{value}]", " ", "{url}\nmap[", "]"),
    "Go, %+v of a request": each(lambda name, value: f"{name.title()}:[{value}]", " ", "&{Method:GET URL:{url} Proto:HTTP/1.1 Header:map[", "] Body:<nil>}"),
    "Go, %#v": each(lambda name, value: f"{quoted(name.title())}:[]string{{{quoted(value)}}}", ", ", "{url}\nhttp.Header{", "}"),
    "Python, a dictionary": each(lambda name, value: f"{name!r}: {value!r}", ", ", "{'url': '{url}', 'headers': {", "}}"),
    "Python, bytes": each(lambda name, value: f"({name.encode()!r}, {value.encode()!r})", ", ", "{url}\n[", "]"),
    "Ruby, a hash": each(lambda name, value: f"{quoted(name)}=>{quoted(value)}", ", ", "{url}\n{", "}"),
    "Ruby 3.4": each(lambda name, value: f"{quoted(name)}: {quoted(value)}", ", ", "{url}\n{", "}"),
    "Ruby, symbols": each(lambda name, value: f":{name if name.isalnum() else quoted(name)}=>{quoted(value)}", ", ", "{url}\n{", "}"),
    "Rack": each(lambda name, value: f'"HTTP_{name.upper().replace("-", "_")}"=>{quoted(value)}', ", ", "{url}\n{", "}"),
    "Swift, a dictionary": each(lambda name, value: f"{quoted(name)}: {quoted(value)}", ", ", "{url}\n[", "]"),
    "Swift, AnyHashable": each(lambda name, value: f"AnyHashable({quoted(name)}): {quoted(value)}", ", ", "{url}\n[", "]"),
    "Swift, Optional": each(lambda name, value: f"{quoted(name)}: Optional({quoted(value)})", ", ", "{url}\n[", "]"),
    "Swift, dump": each(lambda name, value: f"  ▿ (2 elements)\n    - key: {quoted(name)}\n    - value: {quoted(value)}", "\n", "{url}\n▿ 6 key/value pairs\n"),
    "Objective-C, a description": each(lambda name, value: f"    {plist(name)} = {plist(value)};", "\n", "{url}\n{\n", "\n}"),
    "PHP, print_r": each(lambda name, value: f"    [{name}] => {value}", "\n", "{url}\nArray\n(\n", "\n)\n"),
    "PHP, var_dump": each(lambda name, value: f'  ["{name}"]=>\n  string({len(value)}) "{value}"', "\n", "{url}\narray(6) {\n", "\n}\n"),
    "PHP, var_export": each(lambda name, value: f"  '{name}' => '{value}',", "\n", "{url}\narray (\n", "\n)"),
    "JavaScript, a console": each(lambda name, value: f"  {name if name.isalnum() else repr(name)}: {value!r}", ",\n", "{ url: '{url}',\n headers: {\n", "\n} }"),
    "JavaScript, a Map": each(lambda name, value: f"{name!r} => {value!r}", ", ", "{url}\nMap(6) {", "}"),
    "JavaScript, rawHeaders": each(lambda name, value: f"  {name!r}, {value!r}", ",\n", "{url}\n[\n", "\n]"),
    "JavaScript, calls": each(lambda name, value: f"headers.set({name!r}, {value!r});", "\n"),
    "C#, a dictionary": each("[{}, {}]".format, ", "),
    "C#, a literal": each(lambda name, value: f"{{ {quoted(name)}, {quoted(value)} }}", ",\n"),
    "PowerShell, Add": each(lambda name, value: f"""$h.Add("{name}", "{value.replace('"', '`"')}")""", "\n"),
    "PowerShell, indexed": each("$h['{}'] = '{}'".format, "\n"),
    "OkHttp": each("11-30 09:00:00.000  4242  4269 I okhttp.OkHttpClient: {}: {}".format, "\n", "I okhttp.OkHttpClient: --> GET {url}\n"),
    "logfmt": each(lambda name, value: f"{name}={quoted(value) if chr(34) in value else value}", " ", "level=info url={url} "),
    "YAML, folded": each("{}: >-\n  {}".format, "\n", "{url}\n", "\n"),
    "YAML, a block": each("  {}: |\n    {}".format, "\n", "url: {url}\nheaders:\n", "\n"),
    "a table of Markdown": each("| {} | `{}` |".format, "\n"),
    "a table with tabs": each("{}\t{}".format, "\n"),
    "XML": each("<{0}>{1}</{0}>".format, "\n"),
    "elements": each(lambda name, value: f'<header name="{name}" value="{html.escape(value)}"/>', "\n"),
    "names and values": each(lambda name, value: f"Header{{name='{name}', value='{value}'}}", ", ", "{url}\n[", "]"),
    "a log of JSON, cut at the end": lambda it: ("request: " + json.dumps({"url": it["url"], "headers": it["headers"], "more": "x"}))[:-8],
    "PHP, json_encode": lambda it: 'body: "' + json.dumps({"url": it["url"], "headers": it["headers"]}).replace("/", "\\/").replace('"', '\\"') + '"',
    "cURL (cmd) until 2023": caret_command,
    "a bare command first": lambda it: f"curl '{it['url'].split('?')[0]}'\n\n{curl(it)}",
    "the URL as a command, the headers as lines": lambda it: f"curl '{it['url']}'\n\n" + "\n".join(f"{name}: {value}" for name, value in it["headers"].items()),
    "a URL wrapped in a name": lambda it: json.dumps(it["headers"]) + "\n" + it["url"].replace("redirect_to", "redi\nrect_to"),
    "a URL wrapped in a word": lambda it: "\n".join(f"{name}: {value}" for name, value in it["headers"].items()) + "\n" + it["url"].replace("11st", "11s\nt"),
}


@pytest.mark.parametrize("paste", FORMS.values(), ids=FORMS)
def test_forms_in_which_programs_print_a_launch(installation, launch, paste):
    explanation = explained(installation, paste(launch), True)
    assert "right_signature" in [finding["code"] for finding in explanation["findings"]] and problems(explanation) == []


AWKWARD = "a{b}[c],d;e=f'g|h"


@pytest.mark.parametrize("form", ["Kotlin or Java, Map.toString", "Go, map[...]", "Go, http.Header", "Ruby, a hash", "Objective-C, a description", "cURL (cmd) until 2023"])
def test_a_user_id_of_the_characters_that_maps_are_written_with(installation, partner, form):
    for user in (AWKWARD, "x]", "y}", "z,", "[u]"):
        explanation = json.loads(installation.run("explain", "--output", "json", stdin=FORMS[form](partner.launched(user_id=user, page="cs"))).stdout)
        assert explanation["works"] is True, (user, explanation["findings"])


MASKS = ["***", "*****", "<hidden>", "[FILTERED]", "█████", "██", "…", "...", "REDACTED", "[redacted]", "xxxx", "XXXXXXXXXXXX", "<REDACTED BY PROXY>", "•••••", "{{key}}"]


@pytest.mark.parametrize("mask", MASKS)
@pytest.mark.parametrize("form", ["lines", "JSON", "curl", "Kotlin or Java, Map.toString", "Ruby, a hash"])
def test_what_was_masked_cannot_be_told(installation, launch, mask, form):
    forms = FORMS | {"lines": each("{}: {}".format, "\n"), "JSON": json.dumps, "curl": curl}
    for hide in (lambda _: mask, lambda value: value[:12] + mask, lambda value: value[:16] + mask + value[-4:]):
        masked = header(header(launch, "x-moment-web-api-key", hide), "signature", hide)
        explanation = explained(installation, forms[form](masked), None)
        codes = [finding["code"] for finding in explanation["findings"]]
        assert "masked" in codes and "leaked_web_api_key" not in codes, (masked, codes)


def test_a_masked_api_key_is_no_leak(installation, launch):
    for key in ("llk_…", "llk_***", "llk_abcdefghijkl***", "llk_abcdefghijkl_xxxxxxxx", "llk_xxxxxxxxxxxxxxxxxxxxxxxx"):
        explanation = json.loads(installation.run("explain", "--output", "json", stdin=curl(launch) + f" -H 'Authorization: Bearer {key}'").stdout)
        assert "leaked_api_key" not in [finding["code"] for finding in explanation["findings"]], key


@pytest.mark.parametrize("paste", [json.dumps, curl, *(FORMS[name] for name in ("Kotlin or Java, Map.toString", "Python, a dictionary", "Swift, a dictionary", "cURL (cmd) until 2023"))],
                         ids=["JSON", "curl", "Kotlin", "Python", "Swift", "cmd"])
def test_a_text_that_was_cut_off_says_so_and_is_not_called_broken(installation, launch, paste):
    whole = paste({"url": launch["url"], "headers": launch["headers"]})
    start, end = whole.index("signature-input") + 20, whole.rindex("=:")
    for at in (*range(start, end, 37), end):
        for mark in ("", "…", "... [truncated]"):
            explanation = explained(installation, whole[:at] + mark, None)
            codes = [finding["code"] for finding in explanation["findings"]]
            assert "cut_off" in codes, (whole[:at] + mark, explanation["findings"])


ANSWERS = {
    "a code": ("expired", "expired", "lives for minutes"),
    "a code in prose": ("expired 오류가 납니다", "expired", "lives for minutes"),
    "x-launch-code": ("x-launch-code: replayed", "replayed", "may be used once"),
    "an answer's head": ("HTTP/1.1 401 Unauthorized\r\nx-launch-code: revoked\r\ncontent-length: 0\r\n", "revoked", "logged out"),
    "a problem": (json.dumps({"type": "/problems/revoked_api_key", "title": "Revoked API key", "status": 401, "detail": "…", "code": "revoked_api_key", "request_id": "e0a62ead637dd46e-00000000025"}), "revoked_api_key", "Ask the administrator for a new key"),
    "a verdict": ('{"valid":false,"code":"signature_mismatch","detail":"…"}', "signature_mismatch", "to the letter"),
    "a problem's type": ("type: /problems/internal", "internal", "not the caller's fault"),
    "a code in capitals": ("REDIRECT_ALREADY_ENCODED", "redirect_already_encoded", "raw path"),
    "a code in a log": ("E/Launch: launch failed, code=unavailable", "unavailable", "Retry-After"),
    "a request id": ("request_id: e0a62ead637dd46e-00000000025", "e0a62ead637dd46e-00000000025", "access log"),
    "a request id alone": ("e0a62ead637dd46e-00000000025", "e0a62ead637dd46e-00000000025", "access log"),
    "a request id of the caller's": ('X-Request-Id: "trace-1"', "request id", "access log"),
    "a status line": ("< HTTP/2 429", "429", "Retry-After"),
    "a status": ("401", "401", "x-launch-code"),
    "a launch id": ("launch-01a2272d-267b-7abc-8def-0123456789ab", "id of a launch", "Send the URL"),
}


@pytest.mark.parametrize("text, words, advice", ANSWERS.values(), ids=ANSWERS)
def test_what_partners_send_first(installation, text, words, advice):
    explanation = explained(installation, text, None)
    said = [finding for finding in explanation["findings"] if finding["advice"]]
    shown = " ".join(finding["text"]["en"] + " " + finding["advice"]["en"] for finding in said)
    assert words in shown and advice in shown, explanation
    assert all(re.search("[가-힣]", finding["text"]["ko"] + finding["advice"]["ko"]) for finding in said)
    shown = installation.run("explain", "--language", "en", stdin=text, status=65).stdout
    assert shown.startswith("This is no launch but what was answered")


def test_an_answer_beside_a_launch_is_told_and_does_not_decide(installation, launch):
    explanation = explained(installation, curl(launch) + "\n\n< HTTP/1.1 401 Unauthorized\n< x-launch-code: replayed\n", True)
    assert [finding["severity"] for finding in explanation["findings"] if finding["code"] == "answer_code"] == ["warning"]


def test_what_cannot_be_told_says_what_is_missing(installation, launch):
    headers = "\n".join(f"{name}: {value}" for name, value in launch["headers"].items())
    for text, missing in ((launch["url"], "no headers"), (launch["url"] + "\nplatform=IOS", "no headers"), (headers, "no URL")):
        shown = installation.run("explain", "--language", "en", stdin=text, status=65).stdout
        assert shown.startswith("Whether this launch works cannot be told") and missing in shown and "PROBLEM" not in shown


def test_two_commands_and_a_call_to_the_program_itself(installation, partner, launch):
    other = partner.launched(page="cs")
    shown = installation.run("explain", "--language", "en", stdin=curl(launch) + "\n\n" + curl(other)).stdout
    assert shown.startswith("Nothing that stops the first launch was found; the others were not looked at.")
    broken = explained(installation, curl(header(launch, "x-moment-platform", lambda _: "ANDROID")) + "\n\n" + curl(other))
    assert problems(broken) == ["altered_part"]
    call = installation.run("explain", "--language", "en", stdin="curl -X POST https://launch.example/launch -H 'content-type: application/json' -d '{}'", status=65).stdout
    assert call.startswith("This is no launch.") and call.count("PROBLEM") == 1 and "its answer is what to paste" in call


def test_language_file_and_what_cannot_be_read(installation, launch, tmp_path):
    file = tmp_path / "pasted.txt"
    file.write_text(curl(launch))
    korean, english = "서명이 올바릅니다", "The signature is right"
    assert korean in installation.run("explain", file, "--language", "ko").stdout
    assert english in installation.run("explain", file, "--language", "en").stdout
    nothing = installation.run("explain", stdin="안녕하세요", status=65)
    assert "curl" in nothing.stderr and nothing.stdout == ""
    installation.run("explain", stdin="x" * 70_000, status=65)
