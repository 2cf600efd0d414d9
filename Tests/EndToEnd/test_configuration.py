"""The data directory, the configuration and the start of the server."""

import json
import os
import re
import socket
import stat
import subprocess
from datetime import datetime

import pytest
import requests

from faults import for_others, open_to_others
from harness import CATALOG, PATIENCE, PROJECT, ROOT, WEB_API_KEY, Installation, environment, install, items


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
        assert f"127.0.0.1:{port}" in done.stderr


def test_serving_off_loopback_needs_tls_or_a_word(installation):
    done = installation.run("serve", "--listen", "0.0.0.0:0", "--operations-listen", "127.0.0.1:0", status=78)
    assert "allow_plaintext" in done.stderr


def test_a_server_stops_in_order(fresh):
    with fresh.serve() as server:
        assert server.stop() == 0


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


@pytest.mark.parametrize("setting", ["data_directory", "master_key_file", "access_log", "tls"])
@pytest.mark.parametrize("text", ["a\\0b", "a\\nb", "\\x7F"])
def test_a_path_holds_no_control_characters(tmp_path, setting, text):
    here, file = Installation(tmp_path), tmp_path / "paths.yaml"
    value = f'{{ certificate: "{text}", key: k }}' if setting == "tls" else f'"{text}"'
    file.write_text(f"{setting}: {value}\n")
    assert "control characters" in here.run("config", "check", "--config", file, status=78).stderr


NAMED = """listen: 127.0.0.1:0
operations_listen: 127.0.0.1:0
tls:
  certificate: {here}/none.pem
  key: {here}/key.pem
access_log: {here}/nowhere/access.log
"""


def test_check_serve_and_doctor_refuse_the_same_and_all_at_once(fresh):
    file, key = fresh.directory / "launchlink.yaml", fresh.directory / "key.pem"
    file.write_text(NAMED.format(here=fresh.directory))
    key.write_text("no key")
    key.chmod(0o644)
    done = fresh.run("config", "check", "--config", file, "--output", "json", status=78)
    told = json.loads(done.stdout)
    places = {fault["setting"]: fault["source"] for fault in told["faults"]}
    assert (told["valid"], told["file"]) == (False, str(file))
    assert places == {"tls.certificate": f"{file}:4:16", "tls.key": f"{file}:5:8", "access_log": f"{file}:6:13"}
    faults = [line for line in done.stderr.splitlines() if line.startswith(f"  {file}")]
    assert len(faults) == 3 and "0644" in done.stderr and "none.pem" in done.stderr and "nowhere" in done.stderr
    assert [line for line in fresh.run("serve", "--config", file, status=78).stderr.splitlines() if line in faults] == faults
    doctor = fresh.run("doctor", "--config", file, status=78).stdout
    assert all(line.strip() in doctor for line in faults)


def test_check_takes_what_serve_takes(fresh):
    file = fresh.directory / "launchlink.yaml"
    file.write_text(f"access_log: {fresh.directory}/access.log\nmaster_key_file: /nowhere/master.key\n")
    assert fresh.run("config", "check", "--config", file).stdout.startswith("OK"), "the master key is doctor's business"
    Installation(fresh.directory / "nothing").data.parent.mkdir()
    Installation(fresh.directory / "nothing").run("config", "check")


def test_faults_of_no_setting_are_told_so(tmp_path):
    here, file = Installation(tmp_path), tmp_path / "broken.yaml"
    for text, setting in (("listn: x\n", "listn"), ("a: [", None)):
        file.write_text(text)
        told = json.loads(here.run("config", "check", "--config", file, "--output", "json", status=78).stdout)
        assert told["file"] == str(file) and told["faults"][0]["setting"] == setting


@pytest.mark.parametrize("url, good", [
    ("http://cashback.example/main", False), ("HTTP://10.0.0.1:80/main", False), ("http://127.0.0.1:9/main", True),
    ("http://localhost/main", True), ("http://[::1]:9/main", True), ("https://cashback.example/main", True),
])
def test_bundles_go_over_tls_alone(tmp_path, url, good):
    file = tmp_path / "launchlink.yaml"
    file.write_text(f"upstreams:\n  production:\n    base_url: '{url}'\n")
    done = Installation(tmp_path).run("config", "check", "--config", file, status=0 if good else 78)
    assert good or ("has to be https" in done.stderr and f"{file}:3:15" in done.stderr)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can take another identity")
def test_check_looks_as_the_owner_of_the_data_directory(tmp_path):
    for path in (tmp_path, *tmp_path.parents):
        if os.access(path, os.W_OK) and "pytest-" in str(path):
            path.chmod(0o755)
    here = install(tmp_path)
    for path in (here.data, *here.data.iterdir()):
        os.chown(path, 65534, 65534)
    (tmp_path / "logs").mkdir(mode=0o700)
    file = tmp_path / "launchlink.yaml"
    file.write_text(f"access_log: {tmp_path}/logs/access.log\n")
    said = here.run("config", "check", "--config", file, status=77).stderr
    assert "Permission denied" in said and "nobody" in said
    os.chown(tmp_path / "logs", 65534, 65534)
    here.run("config", "check", "--config", file)


def test_lifetimes(fresh):
    """Each is the default where the command says nothing, and a sign-in's length."""
    file = fresh.directory / "launchlink.yaml"
    file.write_text("lifetimes: { launch: 2m, session: 5m, key_grace: 2h }\n")
    with fresh.serve("--config", file) as server:
        fresh.run("--config", file, "project", "create", "--id", PROJECT, "--name", "A", "--key-delivery", "gateway",
                  "--web-api-key-file", "-", stdin=WEB_API_KEY)
        key = fresh.key("launch", PROJECT)
        assert server.client(key).launched()["expires_in"] == 120
        fresh.run("--config", file, "key", "rotate", key["key_id"])
        row = next(row for row in items(fresh.json("audit", "list")) if row["action"] == "key.rotate")
        end, now = (datetime.fromisoformat(text) for text in (row["new"]["expires_at"], row["at"]))
        assert abs((end - now).total_seconds() - 7200) <= 1
        support = fresh.key("support")["api_key"]

        def sign_in():
            return requests.post(server.url + "/support/sign-in", data={"api_key": support}, timeout=PATIENCE,
                                 headers={"Origin": server.url}, allow_redirects=False).headers["Set-Cookie"]

        assert "Max-Age=300" in sign_in()
        file.write_text("lifetimes: { session: 1h }\n")
        assert "restart" not in server.reload()
        assert "Max-Age=3600" in sign_in()
    for wrong in ("launch: 9s", "launch: 61m", "session: 4m", "session: 9h", "key_grace: 91d", "launch: 300"):
        file.write_text(f"lifetimes: {{ {wrong} }}\n")
        assert wrong.split(":")[0] in fresh.run("config", "check", "--config", file, status=78).stderr


def test_what_is_no_plain_file_keeps_nobody_waiting(fresh, tmp_path):
    """A pipe that nobody writes to, and a device without an end; a pipe that was handed over is read."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe, 0o600)
    assert "no plain file" in fresh.run("config", "check", "--config", pipe, status=78).stderr
    assert "no plain file" in fresh.run("config", "check", "--config", "/dev/zero", status=78).stderr
    fresh.run("config", "check", "--config", "/dev/stdin", stdin="workers: 2\n")
    tls = environment(LAUNCHLINK_TLS_CERTIFICATE=str(pipe), LAUNCHLINK_TLS_KEY=str(pipe))
    for command in (("config", "check"), ("serve",)):
        assert "no plain file" in fresh.run(*command, env=tls, status=78).stderr
    assert "no plain file" in fresh.run("catalog", "import", "/dev/zero", "--format", "csv", status=74).stderr
    fresh.run("catalog", "import", "/dev/stdin", "--format", "csv", stdin=CATALOG.read_text(encoding="utf-8"))
    fresh.run("project", "create", "--id", PROJECT, "--name", "A", "--key-delivery", "gateway",
              "--web-api-key-file", "/dev/stdin", stdin=WEB_API_KEY)
    key = fresh.data / "master.key"
    moved = tmp_path / "moved.key"
    key.rename(moved)
    os.mkfifo(key, 0o600)
    for command in (("project", "list"), ("doctor",), ("master-key", "rotate"), ("init",)):
        done = fresh.run(*command, status=None)
        assert done.returncode and "no plain file" in done.stdout + done.stderr, command
    key.unlink()
    key.symlink_to(moved)
    fresh.run("project", "list")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can take another identity")
def test_root_reads_no_other_users_file_as_the_key_ring(fresh):
    key, mine = fresh.data / "master.key", fresh.directory / "of-root.key"
    mine.write_bytes(key.read_bytes())
    mine.chmod(0o600)
    key.unlink()
    key.symlink_to(mine)
    fresh.run("project", "list")
    os.chown(key, 65534, 65534, follow_symlinks=False)
    for command in (("project", "list"), ("doctor",)):
        done = fresh.run(*command, status=None)
        assert done.returncode and "not followed" in done.stdout + done.stderr


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
    open_to_others(tmp_path)
    here = install(tmp_path)
    here.project()
    for path in (here.data, *here.data.iterdir()):
        os.chown(path, 65534, 65534)
    here.key("launch", PROJECT)
    # What root names is read as root, also where the owner could not.
    mine = tmp_path / "catalog.csv"
    mine.write_bytes(CATALOG.read_bytes())
    mine.chmod(0o600)
    here.run("catalog", "import", mine)
    mine.write_text(WEB_API_KEY)
    here.run("project", "update", PROJECT, "--web-api-key-file", mine)
    assert {path.stat().st_uid for path in here.data.iterdir()} == {65534}
    other = subprocess.run(
        for_others(here.arguments("project", "list"), tmp_path), user=1, group=1, extra_groups=[], capture_output=True,
        text=True, cwd="/", env=environment(HOME="/"),
    )
    assert other.returncode == 77 and other.stderr
