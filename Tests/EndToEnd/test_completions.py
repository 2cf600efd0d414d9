"""Completions and the manual as shells and man readers take them, made by the built program."""

import os
import shutil
import sqlite3
import subprocess

import pytest

from harness import CATALOG, PATIENCE, PROJECT, ROOT, binary, environment, install, items


def made(directory, *arguments):
    return subprocess.run(
        [binary(), *arguments], cwd=directory, check=True, capture_output=True, text=True, timeout=PATIENCE,
        env=environment(SOURCE_DATE_EPOCH="1796000000"),
    ).stdout


@pytest.fixture(scope="module")
def scripts(tmp_path_factory):
    directory = tmp_path_factory.mktemp("completions")
    for shell in ("bash", "zsh", "fish"):
        (directory / shell).write_text(made(directory, "--generate-completion-script", shell))
    (directory / "bin").mkdir()
    (directory / "bin/launchlink").symlink_to(binary())
    (directory / "files").mkdir()
    for name in ("files/shops one.csv", "files/shops.json", "files/쿠팡.csv"):
        (directory / name).write_text("")
    return directory


def run(directory, *command, **more):
    done = subprocess.run(
        command, cwd=directory / "files", capture_output=True, text=True, timeout=PATIENCE,
        env=environment(
            HOME=str(directory), LC_ALL="C.UTF-8", TERM="dumb", PATH=f"{directory}/bin:{os.environ['PATH']}", **more),
    )
    assert done.returncode == 0 and not done.stderr, done.stderr
    return done.stdout


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_shell_can_read_it(scripts, shell):
    run(scripts, shell, "-n", str(scripts / shell))


def in_bash(scripts, line, **more):
    """What bash offers after the line, which it splits at blanks and equals signs as readline does."""
    words = line.replace("=", " = ").split()
    if line.endswith(" "):
        words.append("")
    program = 'source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _launchlink; printf "%s\\n" "${COMPREPLY[@]}"'
    return [word for word in run(scripts, "bash", "-c", program, "-", str(scripts / "bash"), *words, **more).split("\n") if word]


def in_fish(scripts, line, **more):
    told = run(scripts, "fish", "--no-config", "-c", f"source '{scripts}/fish'; complete -C '{line}'", **more)
    return [row.split("\t")[0].replace("\\ ", " ") for row in told.splitlines()]


# zsh completes in its line editor alone: a pseudo-terminal of its own is asked, whose lister tells what is added.
ZSH = """
zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell 'PS1=; unset zle_bracketed_paste; autoload -Uz compinit; compinit -u -D; source '${(q)1}
zpty -w shell 'compadd () { if [[ ${@[1,(i)(-|--)]} == *-(O|A|D)\\ * ]] { builtin compadd "$@"; return $? };
  typeset -a hits; builtin compadd -A hits "$@"; print -rl -- "hit:"${^hits}; builtin compadd "$@" }'
zpty -w shell 'show () { _main_complete; print end-of-hits; exit }; zle -C show complete-word show; bindkey ^I show; print now-ready'
zpty -r -m shell line '*now-ready*now-ready*'
zpty -w -n shell "$2"$'\\t'
zpty -r -m shell line '*end-of-hits*'
print -r -- "$line"
"""


def in_zsh(scripts, line, **more):
    told = run(scripts, "zsh", "-f", "-c", ZSH, "-", str(scripts / "zsh"), line, **more)
    hits = [row.split("hit:", 1)[1].strip() for row in told.splitlines() if "hit:" in row and "print" not in row]
    return [hit.removesuffix("=").replace("\\ ", " ") for hit in hits if hit]


ASK = {"bash": in_bash, "fish": in_fish, "zsh": in_zsh}


@pytest.mark.parametrize("shell", ASK)
@pytest.mark.parametrize("line, offered", [
    ("launchlink key ", {"create", "list", "show", "rotate", "revoke"}),
    ("launchlink sig", {"signing-key"}),
    ("launchlink --output json key cr", {"create"}),
    ("launchlink key create --scope ", {"launch", "catalog", "support", "verify"}),
    ("launchlink launch --project 0 --platform I", {"IOS"}),
    ("launchlink key list --output=", {"table", "json"}),
    ("launchlink catalog import ", {"shops one.csv", "shops.json", "쿠팡.csv"}),
    ("launchlink project create --web-api-key-file ", {"shops one.csv", "shops.json", "쿠팡.csv"}),
    ("launchlink key create --ex", {"--expires-in"}),
    ("launchlink --generate-completion-script ", {"bash", "zsh", "fish"}),
    ("launchlink key show ", set()),
])
def test_what_is_offered(scripts, shell, line, offered):
    told = {word.removeprefix("--output=") for word in ASK[shell](scripts, line)}
    assert told == offered


@pytest.fixture(scope="module")
def filled(tmp_path_factory):
    """An installation with something to complete, and the id of its key."""
    made = install(tmp_path_factory.mktemp("filled"))
    made.project(name="Acme: 에이스")
    made.run("catalog", "import", CATALOG)
    made.signing_key = items(made.json("signing-key", "list"))[0]["key_id"]
    return made, made.key("catalog")["key_id"]


@pytest.mark.parametrize("shell", ASK)
def test_ids_are_offered(scripts, filled, shell):
    installation, key = filled
    businesses = {row["business_id"] for row in items(installation.json("catalog", "list"))}
    first = sorted(businesses)[0]
    alike = {name for name in businesses if name.startswith(first[:2])}
    for line, offered in [
        ("launchlink project show ", {PROJECT}),
        ("launchlink key list --project 67", {PROJECT}),
        ("launchlink key list --project=", {PROJECT}),
        ("launchlink key show key_", {key}),
        ("launchlink signing-key retire sk_", {installation.signing_key}),
        (f"launchlink catalog show {first[:2]}", alike),
        ("launchlink catalog list --category fas", {"fashion"}),
        ("launchlink project update 0 --upstream ", {"production", "canary"}),
        (f"launchlink --data-directory {scripts} project show ", set()),
    ]:
        told = {word.removeprefix("--project=") for word in ASK[shell](
            scripts, line, LAUNCHLINK_DATA_DIRECTORY=str(installation.data))}
        assert told == offered, line


def asked(scripts, *words, **more):
    """What the program answers a shell, which never sees an error."""
    done = subprocess.run(
        [binary(), "__complete", "fish", "--", *words], cwd=scripts / "files", capture_output=True, timeout=PATIENCE,
        env=environment(**more),
    )
    assert (done.returncode, done.stderr) == (0, b"")
    return done.stdout.decode()


def test_ids_beside_a_server_and_without_one(scripts, filled):
    installation, key = filled
    where = {"LAUNCHLINK_DATA_DIRECTORY": str(installation.data)}

    def files():
        return {path.name: path.stat().st_mtime_ns for path in installation.data.iterdir()}

    before = files()
    assert asked(scripts, "key", "show", "", **where) == f"{key}\tcatalog key\n"
    assert files() == before, "looking leaves no trace"
    with installation.serve():
        assert asked(scripts, "key", "show", "", **where) == f"{key}\tcatalog key\n"


def test_nothing_is_said_where_nothing_can_be_read(scripts, tmp_path):
    for line in (["key", "show", ""], ["launch", "--page", ""], ["nothing", ""], ["--config", "/nowhere", "key", "show", ""]):
        assert asked(scripts, *line, LAUNCHLINK_NOTHING="1") == ""
    installation = install(tmp_path)
    (installation.data / "launchlink.db").write_bytes(b"nothing" * 1000)
    assert asked(scripts, "key", "show", "", LAUNCHLINK_DATA_DIRECTORY=str(installation.data)) == ""
    assert asked(scripts, b"\xff", "") == asked(scripts, "")


def test_a_locked_database_is_not_waited_for(scripts, tmp_path):
    installation = install(tmp_path)
    installation.project()
    with sqlite3.connect(installation.data / "launchlink.db", isolation_level=None) as holder:
        holder.execute("PRAGMA locking_mode = EXCLUSIVE")
        holder.execute("BEGIN EXCLUSIVE")
        told = asked(scripts, "project", "show", "", LAUNCHLINK_DATA_DIRECTORY=str(installation.data))
    assert PROJECT in told or told == ""


def test_common_options_in_any_command(scripts):
    told = in_bash(scripts, "launchlink key revoke --")
    assert set(told) == {"--config", "--data-directory", "--output", "--yes", "--help"}


@pytest.fixture(scope="module")
def manual(tmp_path_factory):
    directory = tmp_path_factory.mktemp("manual")
    made(directory, "--generate-manual", str(directory))
    return directory


def pages(manual):
    return sorted(manual.glob("man?/*"))


# mandoc reminds the BSDs of what their own manuals do; and it finds no page that is not installed.
BSD_HABITS = ("operating system explicitly specified", "referenced manual not found")


def test_mandoc_finds_no_fault(manual):
    assert len(pages(manual)) > 15
    done = subprocess.run(["mandoc", "-Tlint", *pages(manual)], capture_output=True, text=True, timeout=PATIENCE)
    told = [line for line in done.stdout.splitlines() + done.stderr.splitlines() if line]
    assert [line for line in told if not any(habit in line for habit in BSD_HABITS)] == []


def test_man_has_no_warning(manual):
    for page in pages(manual):
        for width in ("80", "100"):
            done = subprocess.run(
                ["man", "--warnings", "-E", "UTF-8", "-l", "-Tutf8", "-Z", page], capture_output=True, text=True,
                timeout=PATIENCE, env=environment(LC_ALL="C.UTF-8", MANROFFSEQ="", MANWIDTH=width),
            )
            assert (done.returncode, done.stderr) == (0, ""), page


def test_what_is_read_is_what_was_written(manual):
    """Quotes, dashes and Hangul of the settings' file come out as they stand there."""
    read = subprocess.run(
        ["man", "-E", "UTF-8", "-l", manual / "man5/launchlink.yaml.5"], capture_output=True, text=True, check=True,
        timeout=PATIENCE, env=environment(LC_ALL="C.UTF-8", MANWIDTH="200", MANPAGER="cat"),
    ).stdout
    for text in ("LAUNCHLINK_CATEGORIES='{beauty: 뷰티, food: 식품}'", "--config", "electronics: 가전"):
        assert text in read and text in (ROOT / "Config/launchlink.yaml").read_text()


def test_every_tool_that_these_tests_use_is_there():
    assert all(map(shutil.which, ("bash", "zsh", "fish", "mandoc", "man")))
