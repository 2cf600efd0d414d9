"""What the command reported holds for the server's very next request, under load."""

import http.client
import json
import secrets
import threading
import time

import pytest

from harness import PATIENCE, PROJECT, USER, eventually

CONNECTIONS = 16
BODY = json.dumps({"user_id": USER, "platform": "IOS", "page": "cs"})


class Hammer:
    """Sixteen connections that launch without a pause; each answer with the moment its request began."""

    def __init__(self, server, key):
        self.address = server.address
        self.headers = {"Authorization": f"Bearer {key['api_key']}", "Content-Type": "application/json"}
        self.answers = [[] for _ in range(CONNECTIONS)]
        self.running = True
        self.threads = [threading.Thread(target=self.strike, args=(mine,)) for mine in self.answers]

    def strike(self, mine):
        connection = http.client.HTTPConnection(*self.address, timeout=PATIENCE)
        while self.running:
            began = time.monotonic()
            connection.request("POST", "/launch", BODY, self.headers)
            answer = connection.getresponse()
            mine.append((began, answer.status, answer.read()))
        connection.close()

    def __enter__(self):
        for thread in self.threads:
            thread.start()
        eventually(lambda: all(len(mine) > 5 for mine in self.answers))
        return self

    def __exit__(self, *_):
        self.running = False
        for thread in self.threads:
            thread.join()

    def more(self):
        """Waits until each connection has had some more answers."""
        seen = [len(mine) for mine in self.answers]
        eventually(lambda: all(len(mine) > had + 5 for mine, had in zip(self.answers, seen)))

    def split(self, moment):
        """The answers to requests begun before and from that moment on."""
        every = [answer for mine in self.answers for answer in mine]
        return [one for one in every if one[0] < moment], [one for one in every if one[0] >= moment]


@pytest.fixture
def own(installation):
    """A project and a key for one test."""
    project = installation.project(secrets.token_hex(12), "Hammered", rate=100_000)
    return project, installation.key("launch", project)


def stopped(server, installation, key, *command):
    """Runs the command under load; the (status, code) pairs answered to requests begun after it returned."""
    with Hammer(server, key) as hammer:
        installation.run(*command, "--yes")
        done = time.monotonic()
        hammer.more()
    before, after = hammer.split(done)
    assert 200 in {status for _, status, _ in before}
    assert len(after) >= CONNECTIONS
    return {(status, json.loads(body).get("code")) for _, status, body in after}


def test_a_revoked_key_stops_at_once(server, installation, own):
    _, key = own
    assert stopped(server, installation, key, "key", "revoke", key["key_id"]) == {(401, "revoked_api_key")}


def test_a_disabled_project_stops_at_once(server, installation, own):
    project, key = own
    assert stopped(server, installation, key, "project", "disable", project) == {(403, "project_disabled")}


def test_a_changed_signing_key_signs_the_next_launch(server, installation, own):
    _, key = own
    with Hammer(server, key) as hammer:
        created = installation.json("signing-key", "create")["key_id"]
        installation.run("signing-key", "activate", created)
        done = time.monotonic()
        hammer.more()
    _, after = hammer.split(done)
    assert after and all(f'keyid=\\"{created}\\"' in body.decode() for _, _, body in after)


def test_the_command_works_while_the_server_is_busy(server, installation, own):
    """Writers wait for each other; none is told that the database is locked."""
    project, key = own
    with Hammer(server, key):
        for number in range(10):
            installation.run("project", "update", project, "--name", f"Hammered {number}")
    assert installation.json("project", "show", project)["name"] == "Hammered 9"
    assert PROJECT in installation.run("project", "list", "--output", "json").stdout
