"""The built program under test: an installation made through the command, a server, and short ways to ask them.

The program is found by the environment variable BINARY_UNDER_TEST, else where `swift build` puts it.
"""

import json
import os
import re
import select
import signal
import socket
import ssl
import subprocess
import threading
import time
from functools import cache
from pathlib import Path

import requests

ROOT = Path(__file__).resolve().parents[2]
VECTORS = ROOT / "Tests/DomainTests/vectors"
CATALOG = ROOT / "Config/catalog.sample.csv"
PROJECT = "67b6f2a9688f4a05db0a1d45"
WEB_API_KEY = "wk_end-to-end_0123456789abcdef"
USER = "6182a2f3-2847-43ef-b738-6d5000d9d7fc"

# For what must happen sooner or later; no test passes or fails by how fast it does.
PATIENCE = 180


@cache
def binary():
    named = os.environ.get("BINARY_UNDER_TEST")
    if named:
        return str(Path(named).resolve())
    shown = subprocess.run(
        ["swift", "build", "--show-bin-path"], cwd=ROOT, check=True, capture_output=True, text=True
    )
    return str(Path(shown.stdout.strip()) / "launchlink")


def environment(**more):
    """The caller's environment without anything that configures the program."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("LAUNCHLINK_")}
    return kept | more


def vectors(name):
    return json.loads((VECTORS / name).read_text())


def items(answer):
    """The rows of a list, be it bare or under `items`."""
    return answer["items"] if isinstance(answer, dict) else answer


class Installation:
    """A data directory and the command that works on it, the program under test unless another is named."""

    def __init__(self, directory, program=None):
        self.directory = Path(directory)
        self.data = self.directory / "data"
        self.program = program

    def arguments(self, *arguments):
        return [self.program or binary(), "--data-directory", str(self.data), *map(str, arguments)]

    def run(self, *arguments, stdin="", status=0, env=None):
        """Runs the command to its end; fails unless it exits with `status` (None takes any)."""
        done = subprocess.run(
            self.arguments(*arguments), input=stdin, capture_output=True, text=True,
            cwd=self.directory, env=env or environment(), timeout=PATIENCE,
        )
        if status is not None:
            assert done.returncode == status, (arguments, done.returncode, done.stdout, done.stderr)
        return done

    def json(self, *arguments, **how):
        return json.loads(self.run(*arguments, "--output", "json", **how).stdout)

    def project(self, identifier=PROJECT, name="Acme", *, key=WEB_API_KEY, delivery="gateway", rate=100_000, options=()):
        self.run(
            "project", "create", "--id", identifier, "--name", name, "--web-api-key-file", "-",
            "--key-delivery", delivery, "--rate-limit", rate, *options, stdin=key + "\n",
        )
        return identifier

    def key(self, scope, project=None, *options):
        """A new API key as `key create` tells it."""
        bound = ("--project", project) if project else ()
        return self.json("key", "create", "--scope", scope, *bound, "--name", f"{scope} key", *options)

    def serve(self, *options, command=(), env=None, **how):
        return Server([*command, *self.arguments("serve", *options)], self.directory, env or environment(), **how)


def install(directory, program=None):
    """An installation with an initialised data directory."""
    made = Installation(directory, program)
    made.run("init")
    return made


class Server:
    """A running `launchlink serve` on free ports; leave the context to stop it."""

    def __init__(self, command, directory, env, listen="127.0.0.1:0", **how):
        self.changed = threading.Condition()
        self.heard = bytearray()
        self.is_silent = False
        self.process = subprocess.Popen(
            [*command, "--listen", listen, "--operations-listen", "127.0.0.1:0"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, bufsize=0, cwd=directory, env=env,
            **how,
        )
        os.set_blocking(self.process.stderr.fileno(), False)
        threading.Thread(target=self.listen, daemon=True).start()
        self.url = self.announced(r"(?<!operations )listening on (https?://\S+)\n")
        self.operations = self.announced(r"operations listening on (http://\S+)\n")

    def listen(self):
        coming = select.poll()
        coming.register(self.process.stderr, select.POLLIN)
        while not self.is_silent:
            coming.poll()
            self.take()

    def take(self):
        """Takes what the server has said until now."""
        with self.changed:
            while not self.is_silent and (said := self.process.stderr.read()) is not None:
                self.is_silent = not said
                self.heard += said
                self.changed.notify_all()

    @property
    def log(self):
        """All that the server has said: whoever has its answer finds here what it said before."""
        self.take()
        return self.heard.decode(errors="replace")

    def announced(self, pattern, start=0):
        with self.changed:
            self.changed.wait_for(lambda: self.is_silent or re.search(pattern, self.log[start:]), timeout=PATIENCE * 5)
        found = re.search(pattern, self.log[start:])
        assert found, f"{pattern!r} was never said: {self.log}"
        return found[1]

    @property
    def address(self):
        host, port = self.url.split("://")[1].split(":")
        return host, int(port)

    def reload(self):
        """Has the server take over its configuration; gives what it says about it."""
        start = len(self.log)
        self.process.send_signal(signal.SIGHUP)
        self.announced(r"(reloaded)[^\n]*\n", start)
        return self.log[start:]

    def stop(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        return self.process.wait(timeout=PATIENCE)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            self.stop()
        finally:
            self.process.kill()

    def client(self, key=None):
        return Client(self.url, key["api_key"] if isinstance(key, dict) else key)


class Client:
    """A caller with an API key."""

    def __init__(self, url, key=None):
        self.url = url
        self.session = requests.Session()
        if key is not None:
            self.session.headers["Authorization"] = f"Bearer {key}"

    def request(self, method, path, **options):
        return self.session.request(method, self.url + path, timeout=PATIENCE, allow_redirects=False, **options)

    def get(self, path, **options):
        return self.request("GET", path, **options)

    def post(self, path, body=None, **options):
        return self.request("POST", path, **({"json": body} if body is not None else {}), **options)

    def launch(self, *, headers=None, **fields):
        """A launch for the usual user; a field that is None is left out."""
        body = {"user_id": USER, "platform": "IOS"} | fields
        return self.post("/launch", {name: value for name, value in body.items() if value is not None}, headers=headers)

    def launched(self, **fields):
        answer = self.launch(**fields)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def verify(self, launch, **changes):
        """The verdict on a launch's bundle, with `method`, `url` or `headers` changed."""
        request = {name: launch[name] for name in ("method", "url", "headers")} | changes
        answer = self.post("/verify", request)
        assert answer.status_code == 200, (answer.text, request)
        assert answer.headers["Cache-Control"] == "no-store"
        return answer.json()

    def verdict(self, launch, **changes):
        """`valid`, or the code of the refusal."""
        verdict = self.verify(launch, **changes)
        assert verdict["valid"] is not None
        return "valid" if verdict["valid"] else verdict["code"]


def assert_problem(answer, status, code, *faults):
    """The answer is this problem, whole; `faults` are the (pointer, code) pairs of its errors, in order."""
    assert (answer.status_code, answer.json().get("code")) == (status, code), answer.json().get("detail")
    assert answer.headers["Content-Type"] == "application/problem+json"
    problem = answer.json()
    assert_problem_body(problem, status, code, *faults)
    assert problem["request_id"] == answer.headers["X-Request-Id"]
    return problem


def assert_problem_body(problem, status, code, *faults):
    assert {"type", "title", "status", "detail", "code", "request_id"} <= problem.keys()
    assert problem.keys() <= {"type", "title", "status", "detail", "code", "request_id", "errors"}
    assert (problem["type"], problem["status"], problem["code"]) == (f"/problems/{code}", status, code)
    assert problem["title"] and problem["detail"]
    if faults:
        assert [(error["pointer"], error["code"]) for error in problem["errors"]] == list(faults)
        assert all(error["detail"] for error in problem["errors"])


def received(connection, until=None):
    """What comes, up to and with `until`, else to the connection's end in whichever way; a time-out is a failure."""
    got = b""
    try:
        while not (until and until in got) and (part := connection.recv(65536)):
            got += part
    except (ConnectionResetError, ssl.SSLEOFError):
        pass  # ended with something of ours unread
    return got


def exchanged(address, request):
    """What comes back to these bytes, sent as they are, until the server closes."""
    with socket.create_connection(address, timeout=PATIENCE) as connection:
        connection.sendall(request)
        return received(connection)


def eventually(holds):
    """Waits for something that must become true."""
    deadline = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < deadline, "it never came true"
        time.sleep(0.05)


def read_terminal(own):
    """Everything that a terminal shows until its other end is closed."""
    shown = b""
    with open(own, "rb", buffering=0) as terminal:
        try:
            while chunk := terminal.read(65536):
                shown += chunk
        except OSError:
            pass  # Linux says so when the other end is closed.
    return shown
