"""Launches as what a user would pick instead issues them: Go's net/http and FastAPI, each over SQLite, each doing the
same work: look the key up in SQLite and compare its SHA-256, take from the project's rate limit, check every field
and, in SQLite, the business, build the URL, sign the same base (RFC 9421) with the project's derived key, and answer
the same JSON. An answer is checked as LaunchLink's own before it counts.

Run by `make bench-peers`; the sources are in peers/.
"""

import hashlib
import os
import signal
import sqlite3
import subprocess
import sys
from contextlib import ExitStack, contextmanager
from datetime import date
from pathlib import Path

import requests

sys.path.insert(0, str(Path(__file__).parents[1] / "EndToEnd"))

from cases import OURS, place  # noqa: E402
from data import check_launch, derived_key  # noqa: E402
from harness import PROJECT, ROOT, WEB_API_KEY, binary, environment  # noqa: E402
from load import CONNECTIONS, Measured, Subject  # noqa: E402
from results import machine, table, versions, write_section  # noqa: E402
from servers import free_port, launchlink, running  # noqa: E402

HERE = Path(__file__).with_name("peers")
SIGNING_KEY, SECRET = "sk_0123456789AB", bytes(range(32))


def make_database(path, data):
    """The peers' database with the project, the key and the catalogue that LaunchLink has."""
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.executescript((HERE / "schema.sql").read_text())
    key = data.keys["launch"]
    digest = hashlib.sha256(key.encode()).digest()
    connection.execute("INSERT INTO project VALUES (?, ?, 'gateway', 3600, 100000, NULL)", [PROJECT, WEB_API_KEY])
    connection.execute("INSERT INTO api_key VALUES (?, ?, 'launch', ?, NULL, NULL)", [f"key_{key[4:16]}", digest, PROJECT])
    connection.execute("INSERT INTO signing_key VALUES (?, ?, 'active')", [SIGNING_KEY, SECRET])
    connection.executemany("INSERT INTO business VALUES (?, 1)", ([shop[0]] for shop in data.shops))
    connection.commit()
    connection.close()


def build_go():
    """The Go server, from Debian's compiler and packages."""
    program = ROOT / ".build/load/peer-go"
    program.parent.mkdir(parents=True, exist_ok=True)
    subprocess.run(
        ["go", "build", "-tags", "libsqlite3", "-o", program, "."], cwd=HERE / "go", check=True,
        env=environment(GO111MODULE="off", GOPATH="/usr/share/gocode", GOCACHE=str(ROOT / ".build/load/go-cache")),
    )
    return program


def uvicorn(port):
    """The command of the FastAPI server, with uvicorn's faster parts."""
    return [
        ROOT / ".build/peers/bin/python", "-m", "uvicorn", "app:app", "--app-dir", HERE / "fastapi", "--port", port,
        "--loop", "uvloop", "--http", "httptools", "--no-access-log", "--log-level", "warning",
    ]


@contextmanager
def peers(database):
    """Each peer's server by its name."""
    with ExitStack() as stack:
        found = {}
        for name, command in (("Go, net/http", lambda port: [build_go()]), ("FastAPI, uvicorn", uvicorn)):
            port = free_port()
            variables = environment(PEER_DATABASE=str(database), PEER_PORT=str(port))
            found[name] = stack.enter_context(running(command(port), port, env=variables))
        yield found


def refuses(data, server):
    """Fails unless the server refuses what it must: a wrong key, a wrong field, an unknown business."""
    asked = data.launch()
    for status, body, key in (
        (401, asked.body, asked.key[:-1] + ("a" if asked.key[-1] != "a" else "b")),
        (422, asked.body.replace("IOS", "PC"), asked.key), (422, asked.body.replace(data.business, "none"), asked.key),
    ):
        headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
        answer = requests.post(server.url + asked.path, data=body, headers=headers, timeout=60)
        assert answer.status_code == status, (answer.status_code, status, answer.text)


def peer_versions():
    go = subprocess.run(["go", "version"], check=True, capture_output=True, text=True).stdout.split()[2]
    python = subprocess.run(
        [ROOT / ".build/peers/bin/python", "-c",
         "import platform, fastapi, uvicorn; print('Python', platform.python_version() + ', FastAPI', "
         "fastapi.__version__ + ', uvicorn', uvicorn.__version__)"],
        check=True, capture_output=True, text=True,
    ).stdout.strip()
    return f"{go}, {python}"


def main():
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    load = os.getloadavg()[0]
    with place() as (directory, data, stack):
        make_database(directory / "peers.db", data)
        ours = stack.enter_context(launchlink(data.installation))
        data.checked_launch(ours)
        subjects = {OURS: Subject(ours, data.launch())}
        for name, server in stack.enter_context(peers(directory / "peers.db")).items():
            refuses(data, server)
            check_launch(data.answer(server, data.launch()).json(), data.business, {SIGNING_KEY: derived_key(SECRET)})
            subjects[name] = Subject(server, data.launch())
        refuses(data, ours)
        measured = Measured(subjects)
    text = table(Measured.HEADINGS, measured.rows(OURS))
    print(text)
    write_section("Peers", f"""The same launch by what a user would pick instead, {CONNECTIONS} connections: `peers/`. Each looks the key and the business
up in SQLite, checks every field, signs and answers alike; each answer's signature and URL were checked, and that a
wrong key, field or business is refused.

{text}

{date.today()}; {machine()}, load average {load:.1f} before; {versions(binary())}; {peer_versions()}.
Command: `make bench-peers`.""")


if __name__ == "__main__":
    main()
