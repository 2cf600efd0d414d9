"""The access log: what is in a line, what never is, and that no line is lost."""

import json
import os
import re
import select
import signal
import threading

import pytest
import requests

from harness import PATIENCE, PROJECT, USER, WEB_API_KEY, environment, eventually, exchanged

TRACE, PARENT = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
REQUIRED = {"time", "request_id", "client", "method", "route", "status", "bytes", "duration"}
OPTIONAL = {"trace_id", "span_id", "parent_span_id", "problem", "key_id", "project_id", "user", "launch_id",
            "verification"}


class Logged:
    """An installation whose server writes an access log."""

    def __init__(self, installation):
        self.installation = installation
        self.path = installation.directory / "access.log"
        installation.project()
        self.launch = installation.key("launch", PROJECT)
        self.verify = installation.key("verify")
        self.support = installation.key("support")

    def serve(self, path=None):
        return self.installation.serve(env=environment(
            LAUNCHLINK_ACCESS_LOG=str(path or self.path), LAUNCHLINK_TRUSTED_PROXIES="[127.0.0.1, 10.0.0.0/8]"))

    def lines(self, path=None):
        # What is being written may be seen by halves, and is no line yet.
        written = (path or self.path).read_bytes().splitlines(keepends=True)
        return [json.loads(line) for line in written if line.endswith(b"\n")]

    def line(self, request_id):
        """The line of one request, as soon as it is there."""
        found = []

        def is_there():
            found[:] = [line for line in self.lines() if line["request_id"] == request_id]
            return found

        eventually(is_there)
        assert len(found) == 1
        return found[0]


@pytest.fixture
def logged(fresh):
    return Logged(fresh)


def test_a_launch_and_its_verification(logged):
    with logged.serve() as server:
        launched = server.client(logged.launch).launch(page="cs", headers={"X-Request-Id": "one"})
        launch = launched.json()
        server.client(logged.verify).post(
            "/verify", {name: launch[name] for name in ("method", "url", "headers")}, headers={"X-Request-Id": "two"})
        one, two = logged.line("one"), logged.line("two")
        assert one == one | {
            "client": "127.0.0.1", "method": "POST", "route": "/launch", "status": 200, "bytes": len(launched.content),
            "key_id": logged.launch["key_id"], "project_id": PROJECT, "launch_id": launch["launch_id"]}
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", one["time"])
        assert 0 < one["duration"] < PATIENCE
        assert re.fullmatch("[0-9a-f]{16}", one["user"])
        assert two == two | {
            "route": "/verify", "status": 200, "key_id": logged.verify["key_id"], "project_id": PROJECT,
            "launch_id": launch["launch_id"], "user": one["user"], "verification": "valid"}
        assert one.keys() == REQUIRED | {"key_id", "project_id", "user", "launch_id"}
        assert logged.path.stat().st_mode & 0o777 & ~0o640 == 0


def test_a_refusal_names_its_problem_and_nothing_of_the_request_before(logged):
    with logged.serve() as server:
        partner = server.client(logged.launch)
        partner.launched()
        partner.launch(page="none", headers={"X-Request-Id": "refused"})
        requests.get(server.url + "/nowhere/" + USER, headers={"X-Request-Id": "none"}, timeout=PATIENCE)
        server.client(logged.launch).request("BREW", "/launch", headers={"X-Request-Id": "brew"})
        refused, none, brew = (logged.line(name) for name in ("refused", "none", "brew"))
        assert refused == refused | {"status": 422, "problem": "unknown_page", "key_id": logged.launch["key_id"]}
        assert not refused.keys() & {"user", "launch_id", "verification"}
        assert none.keys() == REQUIRED | {"problem"}
        assert (none["route"], none["status"], none["problem"]) == ("none", 404, "not_found")
        assert (brew["method"], brew["problem"]) == ("other", "method_not_allowed")


def test_forward_auth_and_the_support_pages_name_the_key(logged):
    with logged.serve() as server:
        launch = server.client(logged.launch).launched()
        headers = launch["headers"] | {
            "X-Forwarded-Method": "GET", "X-Forwarded-Host": "cashback-ui.moment.fairytech.ai",
            "X-Forwarded-Uri": "/main", "X-Request-Id": "gate"}
        assert server.client(logged.verify).get("/verify/forward-auth", headers=headers).status_code == 204
        headers |= {"x-moment-user-id": "another", "X-Request-Id": "forged"}
        assert server.client(logged.verify).get("/verify/forward-auth", headers=headers).status_code == 401
        browser = requests.Session()
        browser.post(server.url + "/support/sign-in", data={"api_key": logged.support["api_key"]},
                     headers={"Origin": server.url, "X-Request-Id": "sign-in"}, timeout=PATIENCE,
                     allow_redirects=False)
        assert browser.get(server.url + "/support", headers={"X-Request-Id": "page"}, timeout=PATIENCE).status_code == 200
        gate, forged = logged.line("gate"), logged.line("forged")
        assert gate == gate | {"key_id": logged.verify["key_id"], "launch_id": launch["launch_id"],
                               "project_id": PROJECT, "verification": "valid", "status": 204}
        assert (forged["verification"], forged["status"]) == ("signature_mismatch", 401)
        assert not forged.keys() & {"user", "launch_id", "project_id"}
        assert logged.line("sign-in")["key_id"] == logged.line("page")["key_id"] == logged.support["key_id"]


@pytest.mark.parametrize("sent, taken", [
    (f"00-{TRACE}-{PARENT}-01", True), (f"00-{TRACE}-{PARENT}-01-x", False), (f"00-{TRACE.upper()}-{PARENT}-01", False),
    (f'00-{TRACE[:-1]}"-{PARENT}-01', False), ("", False), (None, False),
])
def test_the_trace_is_taken_over(logged, sent, taken):
    with logged.serve() as server:
        headers = {"X-Request-Id": "traced"} | ({} if sent is None else {"traceparent": sent})
        server.client(logged.launch).get("/whoami", headers=headers)
        line = logged.line("traced")
        if not taken:
            assert not line.keys() & {"trace_id", "span_id", "parent_span_id"}
            return
        assert (line["trace_id"], line["parent_span_id"]) == (TRACE, PARENT)
        assert re.fullmatch("[0-9a-f]{16}", line["span_id"]) and line["span_id"] not in (PARENT, "0" * 16)


@pytest.mark.parametrize("forwarded, client", [
    ("198.51.100.9, 192.0.2.1", "192.0.2.1"), ("192.0.2.1, 10.0.0.3", "192.0.2.1"),
    ("2001:db8::1", "2001:db8::1"), ('","status":200,"x":"', "127.0.0.1"), (None, "127.0.0.1"),
])
def test_the_client_behind_a_trusted_proxy(logged, forwarded, client):
    with logged.serve() as server:
        headers = {"X-Request-Id": "seen"} | ({} if forwarded is None else {"X-Forwarded-For": forwarded})
        server.client(logged.launch).get("/whoami", headers=headers)
        assert logged.line("seen")["client"] == client


def test_nothing_secret_and_nothing_that_breaks_a_line(logged):
    key, pasted = logged.launch["api_key"], "pasted-by-someone"
    with logged.serve() as server:
        partner, gateway = server.client(logged.launch), server.client(logged.verify)
        launch = partner.launched(page="cs")
        gateway.verdict(launch)
        gateway.verdict(launch, url=launch["url"] + "&secret=query-secret")
        partner.post("/launch/batch", {"user_id": USER, "platform": "IOS", "items": [{}]})
        partner.post("/launch/revoke", {"user_id": USER})
        partner.get(f"/businesses?query={USER}")
        partner.get(f"/{key}?key={key}")
        partner.get("/problems/" + USER)
        gateway.get("/verify/forward-auth?query-secret", headers=launch["headers"])
        browser = requests.Session()
        for secret in (key, logged.support["api_key"]):
            browser.post(server.url + "/support/sign-in", data={"api_key": secret},
                         headers={"Origin": server.url}, timeout=PATIENCE)
        browser.post(server.url + "/support/explain", data={"launch": pasted + launch["url"]},
                     headers={"Origin": server.url}, timeout=PATIENCE)
        for header in (b'X-Request-Id: "\\\r\n', b"X-Request-Id: a\x01b\r\n", b"X-Request-Id: \xff\xfe\r\n",
                       b'traceparent: 00-"\\\x01\r\n', b'X-Forwarded-For: 192.0.2.1", "\x02\r\n'):
            exchanged(server.address, b"GET /whoami HTTP/1.1\r\nHost: x\r\nConnection: close\r\n" + header + b"\r\n")
        exchanged(server.address, b"GET /" + USER.encode() + b" HTTP/1.9\r\nHost: x\r\n\r\n")
        exchanged(server.address, b"G\"T /\" HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        partner.get("/whoami", headers={"X-Request-Id": "last"})
        logged.line("last")
        assert server.stop() == 0
    text = logged.path.read_text("ascii")
    cookie = next(iter(browser.cookies)).value
    for secret in (key, key[17:60], logged.verify["api_key"], logged.support["api_key"], WEB_API_KEY, USER, cookie, pasted,
                   "query-secret", launch["headers"]["signature"], launch["headers"]["signature-input"], "redirect_to", "nonce"):
        assert secret not in text
    assert not re.search(r"[\x00-\x09\x0b-\x1f]", text)
    for line in logged.lines():
        assert REQUIRED <= line.keys() <= REQUIRED | OPTIONAL


def test_the_end_writes_every_line_and_rotation_loses_none(logged):
    with logged.serve() as server:
        sent, stop = [], threading.Event()

        def ask(worker):
            client = server.client(logged.launch)
            number = 0
            while not stop.is_set():
                name = f"{worker}-{number}"
                client.get("/whoami", headers={"X-Request-Id": name})
                sent.append(name)
                number += 1

        threads = [threading.Thread(target=ask, args=(number,)) for number in range(4)]
        for thread in threads:
            thread.start()
        old = []
        for round in range(5):
            eventually(lambda: logged.path.exists() and logged.path.stat().st_size > 0)
            old.append(logged.path.rename(f"{logged.path}.{round}"))
            server.process.send_signal(signal.SIGHUP)
        eventually(lambda: logged.path.exists())
        stop.set()
        for thread in threads:
            thread.join()
        assert server.stop() == 0
    written = [line["request_id"] for path in [*old, logged.path] for line in logged.lines(path)]
    assert sorted(written) == sorted(sent)


def drain(descriptor, done):
    while not done.is_set():
        if select.select([descriptor], [], [], 0.1)[0]:
            os.read(descriptor, 65536)


def test_a_disk_that_does_not_keep_up_holds_no_request_up(logged):
    os.mkfifo(logged.path)
    # Open for reading so that the server can open it, and never read from.
    reader = os.open(logged.path, os.O_RDWR)
    try:
        with logged.serve() as server:
            asked = f"GET /whoami HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer {logged.launch['api_key']}\r\n" \
                f"X-Request-Id: {'x' * 128}\r\nConnection: %s\r\n\r\n"
            dropped = r"^launchlink_access_log_lines_dropped_total (\d+)$"

            def is_full():
                # In one go, so that a slow machine fills the buffer as well.
                answers = exchanged(server.address, (asked % "keep-alive" * 499 + asked % "close").encode())
                assert answers.count(b"HTTP/1.1 200 ") == 500
                told = requests.get(server.operations + "/metrics", timeout=PATIENCE).text
                return int(re.search(dropped, told, re.M)[1]) > 0

            eventually(is_full)
            assert "writing fails" not in server.log, "it waits for room"
            # Whoever reads at last gets whole lines.
            text = b""
            while text.count(b"\n") < 1000:
                text += os.read(reader, 65536)
            assert all(json.loads(line)["request_id"] == "x" * 128 for line in text.splitlines()[:1000])
            done = threading.Event()
            draining = threading.Thread(target=drain, args=(reader, done))
            draining.start()
            try:
                assert server.stop() == 0
            finally:
                done.set()
                draining.join()
    finally:
        os.close(reader)


def test_a_log_that_cannot_be_opened_stops_the_start(logged):
    done = logged.installation.run(
        "serve", "--listen", "127.0.0.1:0", "--operations-listen", "127.0.0.1:0", status=None,
        env=environment(LAUNCHLINK_ACCESS_LOG=str(logged.path / "nowhere")))
    assert done.returncode != 0 and "access log" in done.stderr


def assert_refused_everywhere(logged, said):
    """The check, the doctor and the start say the same of the log, and none of them waits."""
    env = environment(LAUNCHLINK_ACCESS_LOG=str(logged.path))
    said = f"the access log {logged.path} cannot be opened: {said}"
    listen = ("--listen", "127.0.0.1:0", "--operations-listen", "127.0.0.1:0")
    for command in (("config", "check"), ("serve", *listen)):
        assert said in logged.installation.run(*command, env=env, status=78).stderr
    assert said in logged.installation.run("doctor", env=env, status=78).stdout


def test_a_log_that_would_keep_the_start_waiting_is_refused(logged):
    os.mkfifo(logged.path)
    assert_refused_everywhere(logged, "nobody reads it")
    logged.path.unlink()
    logged.path.symlink_to(logged.path)
    assert_refused_everywhere(logged, "Too many levels of symbolic links")


def test_a_log_that_became_a_pipe_nobody_reads_is_not_taken_over(logged):
    with logged.serve() as server:
        client, old = server.client(logged.launch), logged.path.with_suffix(".1")
        client.get("/whoami")
        logged.path.rename(old)
        os.mkfifo(logged.path)
        said = server.reload()
        assert "not reloaded" in said and "nobody reads it" in said
        client.get("/whoami", headers={"X-Request-Id": "later"})
        assert server.stop() == 0
    assert [line["request_id"] for line in logged.lines(old)][-1] == "later"


def test_what_is_no_file_and_takes_lines_is_written_to(logged):
    with logged.serve("/dev/stderr") as server:
        server.client(logged.launch).get("/whoami", headers={"X-Request-Id": "into-a-pipe"})
        eventually(lambda: '"request_id":"into-a-pipe"' in server.log)
        assert server.stop() == 0
    for path in ("/dev/stdout", "/dev/full"):
        logged.installation.run("config", "check", env=environment(LAUNCHLINK_ACCESS_LOG=path))
        with logged.serve(path) as server:
            assert server.client(logged.launch).get("/whoami").status_code == 200
            assert server.stop() == 0


def withheld(logged, count):
    """Whether that many lines withhold their request id."""
    return [line["request_id"] for line in logged.lines()].count("withheld") == count


SIGNATURE = "gl9RGpaM8Lb0fcmO6XrOtJ5zRypVl9/Wde+KMPNgZzU="


@pytest.mark.parametrize("request_id", ["{key}", "sig:" + SIGNATURE, "{web_api_key}", "web={web_api_key}.1", "{user}", "req-{user}-7"])
def test_a_secret_that_came_as_a_request_id_is_withheld(logged, request_id):
    secrets = {"key": logged.launch["api_key"], "web_api_key": WEB_API_KEY, "user": USER}
    request_id = request_id.format(**secrets)
    with logged.serve() as server:
        answer = server.client(logged.launch).launch(headers={"X-Request-Id": request_id})
        assert answer.status_code == 200 and answer.headers["X-Request-Id"] == request_id
        eventually(lambda: withheld(logged, 1))
    text = logged.path.read_text()
    assert not [secret for secret in (*secrets.values(), SIGNATURE) if secret in text]


def test_a_user_in_a_request_id_is_withheld_whatever_becomes_of_the_request(logged):
    headers = {"X-Request-Id": f"for:{USER}"}
    with logged.serve() as server:
        partner, verifier = server.client(logged.launch), server.client(logged.verify)
        launch = partner.launch(page="cs").json()
        bundle = {name: launch[name] for name in ("method", "url", "headers")}
        forged = bundle | {"headers": launch["headers"] | {"x-moment-platform": "ANDROID"}}
        for client, path, body, options, status in (
            (partner, "/launch", {"user_id": USER, "platform": "IOS", "page": "nowhere"}, {}, 422),
            (partner, "/launch", {"user_id": USER, "user": 1}, {}, 422),
            (partner, "/launch/batch", {"user_id": USER, "platform": "IOS", "items": [{}]}, {}, 200),
            (partner, "/launch/revoke", {"user_id": USER}, {}, 204),
            (verifier, "/launch", {"user_id": USER, "platform": "IOS"}, {}, 403),
            (verifier, "/verify", bundle, {}, 200),
            (verifier, "/verify", forged, {}, 200),
            (server.client(), "/verify", bundle, {}, 401),
        ):
            assert client.post(path, body, headers=headers, **options).status_code == status
        assert partner.post("/launch", data=f'{{"platform": 1 "user_id" :\n"{USER}"', headers=headers | {"Content-Type": "application/json"}).status_code == 400
        assert partner.post("/launch", data='{"user\\u005fid": "%s", "page": 1}' % USER, headers=headers | {"Content-Type": "application/json"}).status_code == 422
        assert verifier.get("/verify/forward-auth", headers=headers | {"x-moment-user-id": USER}).status_code == 403
        eventually(lambda: withheld(logged, 11))
    assert USER not in logged.path.read_text()


def test_ids_that_tell_nothing_are_logged_as_they_came(logged):
    kept = ["0af7651916cd43dd8448eb211c80319c0af7651916cd43dd8448eb211c80319c", "5f0c1c0e-7f1b-4b50-8f0e-2d8a6b1f9a11",
            "Root=1-67891233-abcdef012345678912345678", "u7-request", "au", "a=b", "c3RhdHVz", USER[:-1]]
    with logged.serve() as server:
        partner = server.client(logged.launch)
        for request_id in kept:
            partner.post("/launch", {"user_id": "u", "platform": "IOS"}, headers={"X-Request-Id": request_id})
            logged.line(request_id)
        partner.post("/launch", {"user_id": "u", "platform": "IOS"}, headers={"X-Request-Id": "of-u"})
        eventually(lambda: withheld(logged, 1))


def test_a_user_in_a_trace_is_withheld(logged):
    user = TRACE[:20]
    with logged.serve() as server:
        partner = server.client(logged.launch)
        for request_id, name in (("one", user), ("two", USER)):
            body = {"user_id": name, "platform": "IOS"}
            partner.post("/launch", body, headers={"X-Request-Id": request_id, "traceparent": f"00-{TRACE}-{PARENT}-01"})
        assert "trace_id" not in logged.line("one") and logged.line("two")["trace_id"] == TRACE
    assert logged.path.read_text().count(user) == 1
