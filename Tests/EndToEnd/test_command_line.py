"""The command: exit codes, slips, what it prints where, and what it refuses."""

import getpass
import json
import os
import re
import socket
import sqlite3
import stat
import subprocess
from contextlib import closing

import pytest

from harness import CATALOG, PROJECT, ROOT, WEB_API_KEY, Installation, environment, install, items


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


def test_version(installation):
    assert re.search(r"\d+\.\d+\.\d+", installation.run("version").stdout)


def test_a_key_is_made_shown_and_listed(fresh):
    fresh.project()
    made = fresh.json("key", "create", "--scope", "launch", "--project", PROJECT, "--name", "Backend", "--expires-in", "90d")
    assert re.fullmatch(r"llk_[0-9A-Za-z]{12}_[0-9A-Za-z]{49}", made["api_key"])
    assert made["key_id"] == "key_" + made["api_key"][4:16]
    assert (made["project_id"], made["scopes"]) == (PROJECT, ["launch"]) and made["expires_at"].endswith("Z")
    listed, = items(fresh.json("key", "list", "--project", PROJECT))
    assert listed["key_id"] == made["key_id"] and listed["name"] == "Backend" and "api_key" not in listed
    assert fresh.json("key", "show", made["key_id"])["key_id"] == made["key_id"]
    table = fresh.run("key", "list").stdout
    assert made["key_id"] in table and made["api_key"] not in table and "Backend" in table


def test_a_project_is_made_shown_changed_and_deleted(fresh):
    fresh.project(options=("--ttl", "120", "--replay-policy", "once"), rate=7)
    shown = fresh.json("project", "show", PROJECT)
    assert (shown["name"], shown["key_delivery"], shown["replay_policy"], shown["ttl"]) == ("Acme", "gateway", "once", 120)
    fresh.run("project", "update", PROJECT, "--name", "애크미", "--ttl", "600")
    assert [(one["name"], one["ttl"]) for one in items(fresh.json("project", "list"))] == [("애크미", 600)]
    fresh.run("project", "delete", PROJECT, "--yes")
    assert items(fresh.json("project", "list")) == []


def test_a_project_with_working_keys_is_not_deleted(fresh):
    fresh.project()
    key = fresh.key("launch", PROJECT)["key_id"]
    assert key in fresh.run("project", "delete", PROJECT, "--yes", status=1).stderr
    fresh.run("key", "revoke", key, "--yes")
    fresh.run("project", "delete", PROJECT, "--yes")


@pytest.mark.parametrize("options", [
    ("--ttl", "9"), ("--ttl", "3601"), ("--rate-limit", "0"), ("--replay-policy", "never"), ("--key-delivery", "mail"),
    ("--id", "xyz"), ("--upstream", "nosuch"), ("--name", ""),
])
def test_a_value_out_of_bounds_makes_no_project(fresh, options):
    wanted = {"--id": PROJECT, "--name": "Acme", "--web-api-key-file": "-", "--key-delivery": "gateway"} | dict([options])
    done = fresh.run("project", "create", *(part for pair in wanted.items() for part in pair), stdin="wk_x\n", status=None)
    assert done.returncode in (64, 65) and done.stderr
    assert items(fresh.json("project", "list")) == []


def test_key_delivery_is_always_chosen(fresh):
    fresh.run("project", "create", "--id", PROJECT, "--name", "Acme", "--web-api-key-file", "-", stdin="wk_x\n", status=64)


@pytest.mark.parametrize("text, good", [
    ("wk_x", True), ("wk_x\n", True), ("wk_x\n\n", False), ("", False), ("\n", False), ("wk x\n", False), ("wk\tx", False),
    ("키\n", False), (" wk_x\n", False),
])
def test_a_web_api_key_is_visible_ascii_with_one_line_break_at_most(fresh, text, good):
    arguments = ("project", "create", "--id", PROJECT, "--name", "Acme", "--key-delivery", "direct", "--web-api-key-file")
    file = fresh.directory / "key"
    file.write_text(text)
    done = fresh.run(*arguments, file, status=None)
    assert done.returncode == (0 if good else 65), done.stderr
    if good:
        told = fresh.json("launch", "--project", PROJECT, "--user-id", "U", "--platform", "IOS")
        assert told["headers"]["x-moment-web-api-key"] == "wk_x"


def test_a_web_api_key_is_never_an_argument(fresh):
    fresh.run("project", "create", "--id", PROJECT, "--name", "A", "--key-delivery", "direct", "--web-api-key", "wk_x", status=64)
    fresh.run("project", "create", "--id", PROJECT, "--name", "A", "--key-delivery", "direct", "--web-api-key-file", "nowhere", status=None)
    assert items(fresh.json("project", "list")) == []


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


def test_init_changes_nothing_that_is_there(fresh):
    fresh.project()
    before = {path.name: path.read_bytes() for path in fresh.data.iterdir() if path.suffix not in (".db-shm", ".db-wal")}
    told = [fresh.json("project", "list"), fresh.json("signing-key", "list")]
    fresh.run("init")
    assert (fresh.data / "master.key").read_bytes() == before["master.key"]
    assert [fresh.json("project", "list"), fresh.json("signing-key", "list")] == told


def test_the_data_directory_is_the_owners(fresh):
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in (fresh.data, *fresh.data.iterdir())}
    assert modes["master.key"] == 0o600
    assert not any(mode & 0o007 for mode in modes.values()), modes


@pytest.mark.parametrize("mode", [0o644, 0o640, 0o604])
def test_a_readable_master_key_is_refused(fresh, mode):
    fresh.project()
    (fresh.data / "master.key").chmod(mode)
    done = fresh.run("launch", "--project", PROJECT, "--user-id", "U", "--platform", "IOS", status=None)
    assert done.returncode in (77, 78) and "master.key" in done.stderr and "600" in done.stderr


def test_without_init_nothing_works(tmp_path):
    bare = Installation(tmp_path)
    done = bare.run("project", "list", status=None)
    assert done.returncode in (69, 74, 78) and "init" in done.stderr
    assert not bare.data.exists()


def test_serving_on_a_port_in_use(installation):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = installation.run("serve", "--listen", f"127.0.0.1:{port}", "--operations-listen", "127.0.0.1:0", status=69)
        assert str(port) in done.stderr and "in use" in done.stderr


def test_serving_off_loopback_needs_tls_or_a_word(installation):
    done = installation.run("serve", "--listen", "0.0.0.0:0", "--operations-listen", "127.0.0.1:0", status=78)
    assert "allow_plaintext" in done.stderr


def test_a_server_stops_in_order(fresh):
    with fresh.serve() as server:
        assert server.stop() == 0


def test_a_bad_import_names_every_fault_and_changes_nothing(fresh):
    fresh.run("catalog", "import", CATALOG)
    before = fresh.json("catalog", "list")
    header = CATALOG.read_text(encoding="utf-8").splitlines()[0]
    good = "good,좋은 가게,,etc,,,,,,true,all,,,CPS,1,PERCENTAGE_COMMISSION_UNIT"
    bad = fresh.directory / "bad.csv"
    bad.write_text("\n".join([
        header, good, good.replace("good", "Bad Id"), good.replace(",etc,", ",nosuch,").replace("good", "a"),
        good.replace("CPS,1,", "CPS,one,").replace("good", "b"),
    ]) + "\n", encoding="utf-8")
    done = fresh.run("catalog", "import", bad, status=65)
    assert all(f"line {number}" in done.stderr for number in (3, 4, 5)) and "line 2" not in done.stderr
    assert fresh.json("catalog", "list") == before


def test_import_takes_json_as_the_api_gives_it(fresh, server, keys):
    catalog = server.client(keys.catalog)
    businesses = catalog.get("/businesses?limit=200").json()["items"]
    file = fresh.directory / "catalog.json"
    file.write_text(json.dumps(businesses, ensure_ascii=False), encoding="utf-8")
    fresh.run("catalog", "import", file, "--dry-run")
    assert items(fresh.json("catalog", "list")) == []
    fresh.run("catalog", "import", file)
    listed = items(fresh.json("catalog", "list"))
    assert {one["business_id"] for one in listed} == {one["business_id"] for one in businesses}
    assert fresh.json("catalog", "show", "11st")["products"] == catalog.get("/businesses/11st").json()["products"]
    file.write_text(json.dumps(businesses[:1]), encoding="utf-8")
    fresh.run("catalog", "import", file, "--prune", "--yes")
    assert [one["business_id"] for one in items(fresh.json("catalog", "list"))] == [businesses[0]["business_id"]]


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


def test_every_change_is_one_row_of_the_audit_log(fresh):
    def rows():
        with closing(sqlite3.connect(fresh.data / "launchlink.db")) as database:
            return database.execute("SELECT * FROM audit ORDER BY audit_id").fetchall()

    fresh.project()
    key = fresh.key("launch", PROJECT)
    next_key = fresh.json("key", "rotate", key["key_id"])["key_id"]
    made = rows()
    steps = [
        ("project", "update", PROJECT, "--name", "New"), ("key", "revoke", next_key, "--yes"),
        ("key", "revoke", key["key_id"], "--yes"), ("signing-key", "create"), ("catalog", "import", CATALOG),
        ("launch", "--project", PROJECT, "--user-id", "secret-user", "--platform", "IOS"),
        ("signing-key", "export", "--project", PROJECT), ("project", "disable", PROJECT, "--yes"),
        ("project", "enable", PROJECT), ("project", "delete", PROJECT, "--yes"),
    ]
    for number, step in enumerate(steps, start=1):
        fresh.run(*step)
        assert len(rows()) == len(made) + number, step
    after = rows()
    assert after[:len(made)] == made and len(made) >= 3
    for step in (("project", "list"), ("key", "list"), ("catalog", "list"), ("signing-key", "list")):
        fresh.run(*step)
    assert rows() == after
    text = str(after)
    assert "Acme" in text and "New" in text and getpass.getuser() in text
    assert WEB_API_KEY not in text and key["api_key"] not in text and "secret-user" not in text


BROKEN = "listn: 127.0.0.1:8080\nworkers: many\npages:\n  main: 5\ndata_directory: data\n"


def test_all_faults_of_a_configuration_are_told_at_once(tmp_path):
    here = Installation(tmp_path)
    file = tmp_path / "broken.yaml"
    file.write_text(BROKEN)
    done = here.run("config", "check", "--config", file, status=78, env=environment(LAUNCHLINK_LISTENN="x"))
    for word in ("listn", "listen", "workers", "LAUNCHLINK_LISTENN", "pages"):
        assert word in done.stderr, word
    assert re.search(r"\b1:1\b|line 1\b", done.stderr) and re.search(r"\b2:10\b|line 2, column 10", done.stderr)
    assert here.run("serve", "--config", file, status=78).stdout == ""


def test_options_beat_variables_beat_the_file_beat_defaults(tmp_path):
    here = Installation(tmp_path)
    file = tmp_path / "launchlink.yaml"
    file.write_text("listen: 127.0.0.1:1111\noperations_listen: 127.0.0.1:2222\n")
    shown = here.run("config", "show", "--config", file, env=environment(LAUNCHLINK_OPERATIONS_LISTEN="127.0.0.1:3333")).stdout
    assert "127.0.0.1:1111" in shown and "127.0.0.1:3333" in shown and "2222" not in shown
    by_variable = here.run("config", "show", env=environment(LAUNCHLINK_CONFIG=str(file))).stdout
    assert "127.0.0.1:1111" in by_variable
    here.run("config", "show", "--config", tmp_path / "nowhere.yaml", status=78)


def test_the_example_configuration_is_the_default(tmp_path):
    here = Installation(tmp_path)
    standard, example = (
        {one["setting"]: one["value"] for one in items(here.json("config", "show", *which))}
        for which in ((), ("--config", ROOT / "Config/launchlink.yaml"))
    )
    assert standard == example


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can take another identity")
def test_another_user_is_refused_and_root_works_as_the_owner(tmp_path):
    tmp_path.chmod(0o755)
    for parent in tmp_path.parents:
        if os.access(parent, os.W_OK) and parent.name.startswith("pytest-"):
            parent.chmod(0o755)
    here = install(tmp_path)
    here.project()
    for path in (here.data, *here.data.iterdir()):
        os.chown(path, 65534, 65534)
    here.key("launch", PROJECT)
    assert {path.stat().st_uid for path in here.data.iterdir()} == {65534}
    other = subprocess.run(
        here.arguments("project", "list"), user=1, group=1, extra_groups=[], capture_output=True, text=True,
        cwd="/", env=environment(HOME="/"),
    )
    assert other.returncode == 77 and other.stderr
