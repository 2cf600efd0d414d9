"""`launchlink explain`: launches issued by the program, broken in the ways of partners, and what is said of them."""

import json

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
