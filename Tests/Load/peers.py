"""Launches and verifications as what a user would pick instead does them: Go's net/http, Rust's hyper and FastAPI, each
over SQLite and each doing the same work.

A launch: look the key up in SQLite and compare its SHA-256, take from the project's rate limit, check every field and,
in SQLite, the business, build the URL, sign the same base (RFC 9421) with the project's derived key, answer the same
JSON. A verification, by Go and Rust: look the gateway's key up, read the bundle (RFC 8941), compare its code, look up
in SQLite whether the project is disabled and the user logged out, and where a launch may be used once have that on
disk before the answer, by one writer that commits in groups. Nothing counts before it was found right: rightness.py.

Run by `make bench-peers`; the sources are in peers/.
"""

import os
import signal
import sys
from datetime import date
from pathlib import Path

import requests

sys.path.insert(0, str(Path(__file__).parents[1] / "EndToEnd"))

import budgets  # noqa: E402
import bundles  # noqa: E402
import rightness  # noqa: E402
from cases import OURS, place  # noqa: E402
from data import check_launch  # noqa: E402
from harness import binary  # noqa: E402
from load import CONNECTIONS, Measured, Subject  # noqa: E402
from peer_servers import Peer, build_go, build_rust, compilers, uvicorn  # noqa: E402
from results import machine, table, versions, write_section  # noqa: E402
from servers import launchlink  # noqa: E402
from verification import ALLOW, ASKING, BESIDE, ONCE, beside_table  # noqa: E402

GO, RUST, FASTAPI = "Go, net/http", "Rust, hyper", "FastAPI, uvicorn"


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


def measure_all(servers, directory, data):
    """Launches by all, verifications by those that verify, and launches beside these."""
    verifying = {name: server for name, server in servers.items() if name != FASTAPI}
    launches = Measured({name: Subject(server, data.launch()) for name, server in servers.items()})
    often, beside = {}, {}
    for number, (name, server) in enumerate(verifying.items()):
        own = directory / str(number)
        own.mkdir()
        often[name] = bundles.allow(server, data, own)
        beside[name] = Subject(server, bundles.once(server, data), connections=BESIDE)
    verifications = Measured(
        {(name, ALLOW): Subject(server, often[name]) for name, server in verifying.items()}
        | {(name, ONCE): Subject(server, bundles.once(server, data)) for name, server in verifying.items()}
    )
    together = Measured({
        name: Subject(server, data.launch(), connections=ASKING, beside=beside[name]) for name, server in verifying.items()
    })
    return launches, verifications, together


def show(launches, verifications, together, checked, load):
    """Writes the section and reports its budgets."""
    tables = [table(["`POST /launch`", *Measured.HEADINGS[1:]], launches.rows(OURS))]
    for kind in (ALLOW, ONCE):
        rows = [[name[0], *row] for name, *row in verifications.rows((OURS, kind)) if name[1] == kind]
        tables.append(table([kind, *Measured.HEADINGS[1:]], rows))
    text = "\n\n".join(tables) + f"\n\nLaunches of {ASKING} connections beside {BESIDE} of `once`:\n\n" + beside_table(together)
    print(text)
    write_section("Peers", f"""The same by what a user would pick instead, {CONNECTIONS} connections: `peers/`. For a launch each looks the key
and the business up in SQLite, checks every field, signs and answers alike; an answer's signature and URL were checked,
and that a wrong key, field or business is refused. For a verification each looks up the gateway's key, the project and the user's
log-out, and has a single use on disk before the answer, by one writer that commits in groups. {checked}
The peers leave out what a deployment has on here: the sealed Web API Key, several signing keys, time limits, metrics.

{text}

{date.today()}; {machine()}, load average {load:.1f} before; {versions(binary())}; {compilers()}.
Command: `make bench-peers`.""")
    for what, kind in ((budgets.ALLOW_PEER, ALLOW), (budgets.ONCE_PEER, ONCE)):
        ratio = verifications.ratio((OURS, kind), (RUST, kind))
        budgets.report(what, "1.3", f"{ratio:.2f}", ratio >= 1.3)


def main():
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    load = os.getloadavg()[0]
    go, rust = build_go(), build_rust()
    with place() as (directory, data, stack):
        commands = {GO: lambda port: [go], RUST: lambda port: [rust], FASTAPI: uvicorn}
        peers = [Peer(name, command, directory / f"{number}.db", data) for number, (name, command) in enumerate(commands.items())]
        checked = rightness.check([peer for peer in peers if peer.name != FASTAPI], rightness.LaunchLink(data))
        print(" ".join(checked.split()), flush=True)
        servers = {OURS: stack.enter_context(launchlink(data.installation))}
        bundles.log_out(servers[OURS], data)
        data.checked_launch(servers[OURS])
        for peer in peers:
            servers[peer.name] = server = stack.enter_context(peer.serve())
            launch = data.answer(server, data.launch()).json()
            check_launch(launch, data.business, dict([peer.key]))
        for server in servers.values():
            refuses(data, server)
        show(*measure_all(servers, directory, data), checked, load)


if __name__ == "__main__":
    main()
