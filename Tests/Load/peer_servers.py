"""The peers' programs and databases: built from peers/, each started on a database that holds what LaunchLink's does."""

import hashlib
import shutil
import sqlite3
import subprocess
import time
from contextlib import contextmanager
from pathlib import Path

from bundles import LOGGED_OUT
from data import ONCE, WEB_API_KEY_ONCE, derived_key
from harness import PROJECT, ROOT, WEB_API_KEY, environment
from servers import free_port, running

HERE = Path(__file__).with_name("peers")
BUILT = ROOT / ".build/load"
# Where `make .build/crates/ready` unpacks Debian's crates.
CRATES = ROOT / ".build/crates/usr/share/cargo/registry"
SIGNING_KEY, SECRET = "sk_0123456789AB", bytes(range(32))


def build_go():
    """The Go server, from Debian's compiler and packages."""
    program = BUILT / "peer-go"
    program.parent.mkdir(parents=True, exist_ok=True)
    subprocess.run(
        ["go", "build", "-tags", "libsqlite3", "-o", program, "."], cwd=HERE / "go", check=True,
        env=environment(GO111MODULE="off", GOPATH="/usr/share/gocode", GOCACHE=str(BUILT / "go-cache")),
    )
    return program


def build_rust():
    """The Rust server, from Debian's crates and no other; cargo writes its lock file beside a copy of the sources."""
    place = BUILT / "peer-rust"
    (place / ".cargo").mkdir(parents=True, exist_ok=True)
    (place / ".cargo/config.toml").write_text(
        f'[source.crates-io]\nreplace-with = "debian"\n[source.debian]\ndirectory = "{CRATES}"\n'
    )
    shutil.copytree(HERE / "rust", place, dirs_exist_ok=True)
    subprocess.run(["cargo", "build", "--quiet", "--release", "--offline"], cwd=place, check=True, env=environment())
    return place / "target/release/peer"


def uvicorn(port):
    """The command of the FastAPI server, with uvicorn's faster parts."""
    return [
        ROOT / ".build/peers/bin/python", "-m", "uvicorn", "app:app", "--app-dir", HERE / "fastapi", "--port", port,
        "--loop", "uvloop", "--http", "httptools", "--no-access-log", "--log-level", "warning",
    ]


class Peer:
    """A peer's program and its database."""

    def __init__(self, name, command, database, data):
        self.name, self.command, self.database, self.data = name, command, Path(database), data
        connection = sqlite3.connect(self.database)
        connection.execute("PRAGMA journal_mode = WAL")
        connection.executescript((HERE / "schema.sql").read_text())
        connection.executemany("INSERT INTO project VALUES (?, ?, 'gateway', ?, 3600, 100000, 0, NULL)", [
            (PROJECT, WEB_API_KEY, "allow"), (ONCE, WEB_API_KEY_ONCE, "once"),
        ])
        connection.executemany("INSERT INTO api_key VALUES (?, ?, ?, ?, NULL, NULL)", [
            (f"key_{key[4:16]}", hashlib.sha256(key.encode()).digest(), scope, project)
            for key, scope, project in (
                (data.keys["launch"], "launch", PROJECT), (data.keys["once"], "launch", ONCE),
                (data.keys["verify"], "verify", PROJECT), (data.keys["gateway"], "verify", None),
            )
        ])
        connection.execute("INSERT INTO signing_key VALUES (?, ?, 'active')", [SIGNING_KEY, SECRET])
        connection.executemany("INSERT INTO business VALUES (?, 1)", ([shop[0]] for shop in data.shops))
        connection.commit()
        connection.close()
        self.key = SIGNING_KEY, derived_key(SECRET)
        for project in (PROJECT, ONCE):
            self.write_log_outs(project, LOGGED_OUT)

    @contextmanager
    def serve(self):
        port = free_port()
        variables = environment(PEER_DATABASE=str(self.database), PEER_PORT=str(port))
        with running(self.command(port), port, env=variables) as server:
            yield server

    def change(self, statement, rows):
        connection = sqlite3.connect(self.database, timeout=10)
        with connection:
            connection.executemany(statement, rows)
        connection.close()

    def log_out(self, server, user):
        """As LaunchLink has an API for it; here the database is told."""
        self.write_log_outs(PROJECT, [user])

    def write_log_outs(self, project, users):
        now = time.time_ns() // 1_000_000
        self.change("INSERT INTO log_out VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET at = excluded.at", [
            (project, hashlib.sha256(f"{project}\0{user}".encode()).digest(), now) for user in users
        ])

    def set_disabled(self, is_disabled):
        """Disables or enables the project whose launches may be used often."""
        self.change("UPDATE project SET disabled_at = ? WHERE project_id = ?", [(1 if is_disabled else None, PROJECT)])


def compilers():
    """What the peers are built with and run on."""
    told = [
        subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip() for command in (
            ["go", "version"], ["rustc", "--version"],
            [ROOT / ".build/peers/bin/python", "-c",
             "import platform, fastapi, uvicorn; print('Python', platform.python_version() + ', FastAPI', "
             "fastapi.__version__ + ', uvicorn', uvicorn.__version__)"],
        )
    ]
    return f"{told[0].split()[2]}, {' '.join(told[1].split()[:2])}, {told[2]}"
