"""No secret is readable anywhere but where it was asked for: not in files, not in logs, not in later output."""

import base64

from harness import CATALOG, PROJECT, USER, Client, assert_problem, install
from signing import exported

WEB_API_KEY = "wk_SECRET-0123456789-abcdefghij-KLMNOP"


def everywhere(directory):
    """The bytes of every file below, by name."""
    return {path.name: path.read_bytes() for path in directory.rglob("*") if path.is_file()}


def encodings(secret):
    return [secret, secret.hex().encode(), secret.hex().upper().encode(), base64.b64encode(secret)]


def test_no_secret_lies_in_the_data_directory_or_the_log(fresh):
    fresh.project(key=WEB_API_KEY, delivery="direct")
    fresh.run("catalog", "import", CATALOG)
    keys = [fresh.key("launch", PROJECT), fresh.key("verify")]
    with fresh.serve() as server:
        partner, gateway = map(server.client, keys)
        launch = partner.launched(page="program", business_id="11st")
        assert launch["headers"]["x-moment-web-api-key"] == WEB_API_KEY
        assert gateway.verdict(launch) == "valid"
        Client(server.url, keys[0]["api_key"][:-1]).launch()
        partner.post("/launch", data='{"user_id":"' + USER + '",', headers={"Content-Type": "application/json"})
        partner.get(f"/businesses?user={USER}&key={keys[0]['api_key']}")
        running = everywhere(fresh.data)
        server.stop()
        log = server.log.encode()
    _, derived = exported(fresh, PROJECT)
    secrets = [WEB_API_KEY.encode(), derived, *(key["api_key"].encode() for key in keys),
               *(key["api_key"][17:60].encode() for key in keys)]
    for files in (running, everywhere(fresh.data)):
        assert "launchlink.db" in files
        for name, content in files.items():
            for secret in secrets:
                assert not any(form in content for form in encodings(secret)), name
    signature = launch["headers"]["signature"].removeprefix("launch=:").removesuffix(":")
    for secret in [*secrets, signature.encode(), USER.encode()]:
        assert secret not in log


def test_a_copied_database_gives_no_key_away(fresh, tmp_path):
    """Sealed values open only under the master key that sealed them."""
    fresh.project(key=WEB_API_KEY, delivery="direct")
    (tmp_path / "thief").mkdir()
    thief = install(tmp_path / "thief")
    for path in fresh.data.glob("launchlink.db*"):
        (thief.data / path.name).write_bytes(path.read_bytes())
    done = thief.run("launch", "--project", PROJECT, "--user-id", "U", "--platform", "IOS", status=None)
    assert done.returncode != 0 and WEB_API_KEY not in done.stdout + done.stderr


def test_later_output_shows_no_secret(fresh):
    fresh.project(key=WEB_API_KEY)
    key = fresh.key("launch", PROJECT)
    for arguments in (("project", "show", PROJECT), ("project", "list"), ("key", "show", key["key_id"]), ("key", "list"),
                      ("signing-key", "list"), ("config", "show")):
        for form in ("table", "json"):
            done = fresh.run(*arguments, "--output", form)
            for secret in (WEB_API_KEY, key["api_key"], key["api_key"][17:]):
                assert secret not in done.stdout + done.stderr, arguments


def test_a_gateways_launch_never_carries_the_real_key(fresh):
    fresh.project(key=WEB_API_KEY, delivery="gateway")
    with fresh.serve() as server:
        answer = server.client(fresh.key("launch", PROJECT)).launch()
        assert WEB_API_KEY not in answer.text and WEB_API_KEY not in str(answer.headers)


def test_one_projects_key_sees_nothing_of_another(fresh):
    fresh.project()
    other = fresh.project("f" * 24, "Competitor", key="wk_other")
    with fresh.serve() as server:
        client = server.client(fresh.key("launch", PROJECT))
        texts = [client.get(path).text for path in ("/whoami", "/businesses", "/pages")]
        texts.append(client.launch(headers={"x-moment-project-id": other}).text)
        assert not any("Competitor" in text or "wk_other" in text for text in texts)
        assert_problem(client.launch(headers={"x-moment-project-id": other}), 403, "project_mismatch")
