"""What the system hands over as bytes is UTF-8 or refused: arguments, variables, paths, texts on standard input."""

import json
import os
import sqlite3
import subprocess
from contextlib import closing

import pytest

from harness import PATIENCE, PROJECT, USER, binary, environment, install, items

KOREAN = "쿠팡".encode("cp949")  # Every byte has its high bit set, and no part of it is UTF-8.
LATIN, CUT_SHORT, SURROGATE, OVERLONG = b"caf\xe9", "쿠".encode()[:2], b"\xed\xa0\x80", b"\xc0\xaf"


def run(installation, *arguments, env=None, stdin=b""):
    """Runs the command with arguments and variables as bytes."""
    return subprocess.run(
        [*map(os.fsencode, installation.arguments()), *map(os.fsencode, arguments)], input=stdin, capture_output=True,
        cwd=installation.directory, env=env or environment(), timeout=PATIENCE)


def everything(installation):
    with closing(sqlite3.connect(installation.data / "launchlink.db")) as database:
        return list(database.iterdump())


@pytest.fixture(scope="module")
def house(tmp_path_factory):
    made = install(tmp_path_factory.mktemp("system-text"))
    made.project()
    made.run("catalog", "add", "--id", "nike", "--name", "나이키", "--category", "mall", "--commission-type", "CPS",
             "--commission-amount", "1", "--commission-unit", "KRW_COMMISSION_UNIT")
    return made


PLACES = [
    ("project", "update", PROJECT, "--name", None), ("key", "create", "--scope", "catalog", "--name", None),
    ("catalog", "add", "--name", None), ("catalog", "update", "nike", "--display-caution", None), ("catalog", "search", None),
    ("catalog", "search", "--", None), ("catalog", "show", None), ("catalog", "import", None), ("catalog", "list", "--category", None),
    ("launch", "--project", PROJECT, "--user-id", USER, "--platform", "IOS", "--redirect-to", None),
    ("launch", "--project", PROJECT, "--platform", "IOS", "--user-id", None), ("user", "revoke", "--project", PROJECT, "--user-id", None),
    ("cookie", "set", "--name", "a", "--domain", "a.example", "--value", None), ("audit", "list", "--subject", None),
    ("audit", "list", "--user", None), ("db", "backup", None), ("db", "restore", None, "--yes"), ("db", "check", None),
    ("config", "check", "--config", None), ("--data-directory", None, "project", "list"), ("serve", "--listen", None), (None,), ("--help", None),
]


@pytest.mark.parametrize("place", PLACES, ids=lambda place: " ".join(one or "…" for one in place))
def test_an_argument_that_is_not_utf8_is_refused_wherever_it_stands(house, place):
    before, files = everything(house), os.listdir(os.fsencode(house.directory))
    done = run(house, *[KOREAN if one is None else one for one in place])
    said = done.stderr.decode("ascii")
    assert (done.returncode, done.stdout) == (64, b""), said
    # Which one it is, and its bytes; --data-directory DATA come first.
    assert f"argument {3 + place.index(None)}" in said and r'"\xc4\xed\xc6\xce"' in said, said
    assert everything(house) == before and os.listdir(os.fsencode(house.directory)) == files


@pytest.mark.parametrize("text", [KOREAN, LATIN, CUT_SHORT, SURROGATE, OVERLONG, b"ok\xff"])
def test_what_is_not_utf8_is_refused_whatever_it_looks_like(house, text):
    for arguments in ((b"--name", text), (b"--name=" + text,)):
        done = run(house, "key", "create", "--scope", "catalog", *arguments)
        assert done.returncode == 64 and rb"\x" in done.stderr and b"--name" in done.stderr, done.stderr
    assert "\ufffd" not in "".join(everything(house))


def test_every_argument_that_is_not_utf8_is_told_at_once_and_no_key_is_repeated(house):
    done = run(house, "key", "show", b"llk_0123456789\xff", "--output", LATIN)
    assert done.returncode == 64 and b"0123456789" not in done.stderr
    for text in (b"--project=llk_0123456789\xff", b"--name=x llk_0123456789\xff"):
        assert b"0123456789" not in run(house, "key", "create", "--scope", "launch", text).stderr
    assert b"argument 5 " in done.stderr and b'argument 7, behind "--output", is not UTF-8: "caf\\xe9"' in done.stderr


def test_two_backups_of_such_names_never_get_one_file(house):
    for name in ("쿠팡", "쿠핑"):
        assert run(house, "db", "backup", name.encode("cp949") + b".db").returncode == 64
    assert not [name for name in os.listdir(os.fsencode(house.directory)) if name.endswith(b".db")]
    assert run(house, "db", "backup", "쿠팡.db").returncode == 0
    assert (house.directory / "쿠팡.db").exists()
    (house.directory / "쿠팡.db").unlink()


@pytest.mark.parametrize("name", [
    "LAUNCHLINK_CONFIG", "LAUNCHLINK_DATA_DIRECTORY", "LAUNCHLINK_LISTEN", "LAUNCHLINK_ACCESS_LOG", "LAUNCHLINK_NO_SUCH", "SUDO_USER",
    "CREDENTIALS_DIRECTORY", "TMPDIR", "SOURCE_DATE_EPOCH",
])
def test_a_variable_that_is_read_and_not_utf8_is_refused(house, name):
    before = everything(house)
    for command in (("project", "update", PROJECT, "--name", "Other"), ("serve",), ("config", "check"), ("doctor",)):
        done = run(house, *command, env=os.environb | {name.encode(): LATIN})
        assert (done.returncode, done.stdout) == (64, b"") and name.encode() in done.stderr and rb'"caf\xe9"' in done.stderr, done.stderr
    assert everything(house) == before


def test_a_variable_of_our_name_space_whose_name_is_not_utf8_is_refused(house):
    done = run(house, "project", "list", env=os.environb | {b"LAUNCHLINK_\xff": b"1"})
    assert done.returncode == 64 and rb"LAUNCHLINK_\xff" in done.stderr


def test_variables_of_others_are_none_of_our_business(house):
    done = run(house, "project", "list", env=os.environb | {b"PS1": LATIN, b"\xff": b"1", b"LC_ALL": LATIN, b"LANG": LATIN})
    assert done.returncode == 0, done.stderr


def test_the_audit_log_keeps_who_used_sudo_to_the_letter_and_shows_it_escaped(house):
    who = "kim\u202egnp\u200b"
    house.run("project", "update", PROJECT, "--ttl", "200", env=environment(SUDO_USER=who))
    assert items(house.json("audit", "list", "--user", who))[0]["sudo_user"] == who
    table = house.run("audit", "list", "--user", who).stdout
    assert r"kim\u{202e}gnp\u{200b}" in table and "\ufffd" not in table


@pytest.mark.parametrize("command", [("verify",), ("catalog", "import", "-", "--format", "csv"), ("catalog", "import", "-", "--format", "json")])
def test_a_text_on_standard_input_that_is_not_utf8_is_bad_data(house, command):
    text = b'{"method":"GET","url":"' + LATIN + b'","headers":{}}' if command == ("verify",) else b"business_id,name\nx," + LATIN + b"\n"
    before = everything(house)
    done = run(house, *command, stdin=text)
    assert done.returncode == 65 and done.stderr and everything(house) == before


def test_a_configuration_file_that_is_not_utf8_is_refused_with_its_place(house):
    file = house.directory / "latin.yaml"
    file.write_bytes(b"deep_link_scheme: " + LATIN + b"\n")
    done = run(house, "config", "check", "--config", file)
    assert done.returncode == 78 and b"latin.yaml" in done.stderr and b"\xef\xbf\xbd" not in done.stderr


def test_it_works_in_a_directory_whose_name_is_not_utf8(tmp_path):
    # No path names it; what is told to the system has to be, to the byte, where the files are.
    place = os.fsencode(tmp_path) + b"/" + KOREAN
    os.mkdir(place)
    os.symlink(place, os.fsencode(tmp_path / "link"))

    def here(*arguments, stdin=b""):
        return subprocess.run([binary(), "--data-directory", "data", *arguments], cwd=place, env=environment(), input=stdin,
                              capture_output=True, timeout=PATIENCE)

    assert here("init").returncode == 0
    made = here("project", "create", "--id", PROJECT, "--name", "Acme", "--web-api-key-file", "-", "--key-delivery", "gateway", stdin=b"wk_1\n")
    assert made.returncode == 0, made.stderr
    for command in (("master-key", "rotate"), ("master-key", "drop", "--yes"), ("db", "backup", tmp_path / "link" / "copy.db"), ("db", "check"), ("db", "check", "copy.db"),
                    ("project", "list"), ("db", "restore", tmp_path / "link" / "copy.db", "--replace", "--yes")):
        done = here(*command)
        assert done.returncode == 0, (command, done.stderr)
    # The audit log keeps where backups are, as text.
    for command in (("db", "backup", "two.db"), ("db", "restore", "copy.db", "--replace", "--yes")):
        done = here(*command)
        assert done.returncode == 64 and b"from the root on" in done.stderr, (command, done.stderr)
    told = here("audit", "list", "--action", "db", "--output", "json").stdout.decode()
    assert str(tmp_path / "link" / "copy.db") in told and "\ufffd" not in told and "two.db" not in told
    (tmp_path / "link").unlink()
    assert sorted(os.listdir(place)) == [b"copy.db", b"data"] and os.listdir(os.fsencode(tmp_path)) == [KOREAN]


def test_files_of_others_whose_names_are_not_utf8_are_left_alone(fresh):
    fresh.project()
    strangers = [b"launchlink.db.replaced-\xff", b"master.key.new.\xff.1", b"x.launchlink.partial.\xff.999999"]
    for name in strangers:
        with open(os.fsencode(fresh.data) + b"/" + name, "wb") as file:
            file.write(b"mine")
    fresh.run("master-key", "rotate")
    fresh.run("db", "backup", fresh.data / "copy.db")
    fresh.run("doctor", status=None)
    assert set(strangers) <= set(os.listdir(os.fsencode(fresh.data)))
    assert json.loads(fresh.run("db", "check", "--output", "json").stdout)["sound"] is True
