"""The command as such: exit codes, slips, help, what it asks, what it prints where."""

import json
import re

import pytest

from harness import PROJECT, items


@pytest.mark.parametrize("arguments, near", [
    (("projct", "list"), "project"), (("project", "lst"), "list"), (("key", "revok", "key_0Az0Az0Az0Az"), "revoke"),
    (("project", "list", "--outptu", "json"), "--output"), (("serve", "--lisen", "127.0.0.1:0"), "--listen"),
])
def test_a_slip_is_a_usage_error_with_the_nearest_name(installation, arguments, near):
    done = installation.run(*arguments, status=64)
    assert near in done.stderr and done.stdout == ""


@pytest.mark.parametrize("arguments", [
    ("key", "create"), ("key", "create", "--scope", "everything"), ("project", "list", "--output", "yaml"),
    ("project", "show"), ("project", "show", PROJECT, "another"), ("key", "create", "--scope"),
    ("key", "create", "--scope", "launch"), ("launch", "--project", PROJECT, "--platform", "IOS"),
    ("key", "create", "--scope", "verify", "--expires-in", "soon"),
])
def test_a_wrong_use(installation, arguments):
    done = installation.run(*arguments, status=64)
    assert done.stderr and done.stdout == ""


@pytest.mark.parametrize("length", ["999999999d", "36501d", "99999999999999999999s"])
def test_a_length_of_time_that_is_too_long_is_told_with_the_limit(installation, length):
    for command in (("key", "create", "--scope", "verify", "--expires-in"), ("key", "rotate", "key_0Az0Az0Az0Az", "--grace")):
        assert "is too long: 36500d at most" in installation.run(*command, length, status=64).stderr


@pytest.mark.parametrize("arguments", [
    ("project", "show", "0" * 24), ("key", "show", "key_000000000000"), ("catalog", "show", "nosuchmall"),
    ("key", "revoke", "key_000000000000", "--yes"), ("signing-key", "activate", "sk_000000000000"),
    ("project", "create", "--id", PROJECT, "--name", "Again", "--web-api-key-file", "-", "--key-delivery", "gateway"),
])
def test_what_is_not_there_or_there_already_is_refused(installation, arguments):
    done = installation.run(*arguments, stdin="wk_x\n", status=1)
    assert done.stderr and done.stdout == ""


NOUNS = ("", "init", "project", "key", "signing-key", "catalog", "launch", "verify", "serve", "config", "version")


@pytest.mark.parametrize("noun", NOUNS)
def test_help_has_an_example(installation, noun):
    done = installation.run(*noun.split(), "--help")
    assert "launchlink" in done.stdout and done.stderr == ""
    if noun:
        assert "example" in done.stdout.lower()


@pytest.mark.parametrize("verb", [("db", "check"), ("key", "create"), ("launch",)])
def test_help_tells_no_default_that_is_nothing(installation, verb):
    assert "Default: ." not in installation.run(*verb, "--help").stdout


def test_version(installation):
    assert re.search(r"\d+\.\d+\.\d+", installation.run("version").stdout)


@pytest.mark.parametrize("arguments", [
    ("key", "revoke", "KEY"), ("project", "delete", PROJECT), ("signing-key", "revoke", "SIGNING"),
])
def test_a_destructive_verb_needs_yes_off_a_terminal(fresh, arguments):
    fresh.project()
    names = {
        "KEY": fresh.key("verify")["key_id"],
        "SIGNING": items(fresh.json("signing-key", "list"))[0]["key_id"],
    }
    arguments = [names.get(one, one) for one in arguments]
    before = [fresh.json(noun, "list") for noun in ("project", "key", "signing-key")]
    done = fresh.run(*arguments, status=None)
    assert done.returncode == 64 and "--yes" in done.stderr
    assert [fresh.json(noun, "list") for noun in ("project", "key", "signing-key")] == before
    fresh.run(*arguments, "--yes")


def test_launch_and_verify_by_the_command(installation, gateway):
    arguments = ("launch", "--project", PROJECT, "--user-id", "U", "--platform", "IOS")
    launch = installation.json(*arguments, "--page", "program", "--business-id", "11st")
    assert gateway.verdict(launch) == "valid"
    request = {name: launch[name] for name in ("method", "url", "headers")}
    verdict = installation.json("verify", stdin=json.dumps(request))
    assert verdict == gateway.verify(launch)
    request["headers"]["x-moment-user-id"] = "V"
    done = installation.run("verify", "--output", "json", stdin=json.dumps(request), status=1)
    assert json.loads(done.stdout)["code"] == "signature_mismatch"
    assert installation.run("verify", stdin="{", status=65).stdout == ""
    refused = installation.run(*arguments, "--redirect-to", "%2Fcs", status=65)
    assert "redirect_already_encoded" in refused.stderr
    curl = installation.run(*arguments, "--redirect-to", "/cs", "--curl").stdout
    assert curl.startswith("curl ") and "redirect_to=%2Fcs" in curl and "signature-input: launch=" in curl
