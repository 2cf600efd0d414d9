"""Instructions of one request, counted by callgrind: they repeat where times do not, also on a busy machine.

Usage: instructions.py [record | profile FILE [CASE]]; without one of them it compares with what was recorded. A case is
launch, verify or forward-auth. The program is that of BINARY_UNDER_TEST. A record is good for one machine and
toolchain, which it names: valgrind shows a program its own idea of the processor, without the instructions for SHA-256,
and another compiler gives another count.
"""

import json
import re
import socket
import sys
import tempfile
from pathlib import Path

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[1] / "EndToEnd"))

from bundles import posted, question
from data import Data
from harness import binary
from results import machine, table, versions, write_section

RECORD = Path(__file__).with_name("instructions.json")
FEW, MANY = 1_000, 4_000
LIMIT = 1.05


def ask(address, request, count, status):
    """Sends the same request over and over on one connection; each answer has to have the status."""
    with socket.create_connection(address) as connection:
        for _ in range(count):
            connection.sendall(request)
            answer = b""
            while (end := answer.find(b"\r\n\r\n")) < 0 or len(answer) < end + 4 + length(answer[:end]):
                got = connection.recv(1 << 16)
                assert got, "the server hung up"
                answer += got
            assert answer.startswith(b"HTTP/1.1 %d " % status), answer


def length(head):
    found = re.search(rb"(?i)\r\ncontent-length: *(\d+)", head)
    return int(found[1]) if found else 0


def launch(data, _):
    """`POST /launch` of the page with most to check."""
    return posted("/launch", data.launch().body, data.keys["launch"]), 200


def verify(data, issued):
    """`POST /verify` of a launch."""
    body = json.dumps({name: issued[name] for name in ("method", "url", "headers")})
    return posted("/verify", body, data.keys["verify"]), 200


def forward_auth(data, issued):
    """`GET /verify/forward-auth` of a launch, with what a web view and its gateway send."""
    return question(issued, data.keys["gateway"]), 204


CASES = {"launch": launch, "verify": verify, "forward-auth": forward_auth}


def count(data, case, times, file):
    """All instructions of a server that answers `times` requests."""
    command = ("setpriv", "--pdeathsig", "TERM", "valgrind", "--tool=callgrind", f"--callgrind-out-file={file}")
    with data.installation.serve("--workers", "1", command=command) as server:
        request, status = CASES[case](data, data.checked_launch(server).json())
        ask(server.address, request, times, status)
        assert server.stop() == 0, server.log
    return int(re.search(r"^summary: (\d+)", Path(file).read_text(), re.MULTILINE)[1])


def counted(case, keep=None):
    """Instructions of one request: what more of them took more; `keep` is where the profile goes."""
    with tempfile.TemporaryDirectory() as directory:
        data = Data(Path(directory) / "ours", businesses=10)
        few = count(data, case, FEW, Path(directory) / "few")
        many = count(data, case, MANY, keep or Path(directory) / "many")
    return round((many - few) / (MANY - FEW))


def conditions():
    return {"machine": machine(), "versions": versions(binary())}


def compare():
    """The counts beside the recorded ones, as a sentence, and whether none has grown by over 5 %."""
    recorded = json.loads(RECORD.read_text())
    found = {case: counted(case) for case in CASES}
    ratios = {case: found[case] / recorded["instructions"][case] for case in CASES}
    told = "; ".join(f"{case} {found[case]:,}, {(ratios[case] - 1) * 100:+.1f} %" for case in CASES)
    same = all(recorded[name] == value for name, value in conditions().items())
    note = "" if same else f"\n\nRecorded elsewhere: {recorded['machine']}; {recorded['versions']}."
    counts = table(["request", "instructions", "recorded"], [
        [case, f"{found[case]:,}", f"{recorded['instructions'][case]:,}"] for case in CASES
    ])
    write_section("Instructions", f"What a request takes under callgrind, and what is recorded (`instructions.json`). "
                  f"`Tests/Load/instructions.py record` takes these counts for the ones to compare with.\n\n{counts}{note}")
    for case, ratio in ratios.items():
        if ratio > LIMIT:
            print(f"{case} has grown from {recorded['instructions'][case]:,} to {found[case]:,} instructions.", file=sys.stderr)
    return told, max(ratios.values()) <= LIMIT


def main(arguments):
    match arguments:
        case []:
            told, is_met = compare()
            print(told)
            return 0 if is_met else 1
        case ["record"]:
            counts = {case: counted(case) for case in CASES}
            RECORD.write_text(json.dumps({"instructions": counts} | conditions(), indent=2) + "\n")
            print(RECORD.read_text(), end="")
        case ["profile", file, *cases] if set(cases) <= set(CASES) and len(cases) < 2:
            found = counted(*(cases or ["launch"]), keep=Path(file).resolve())
            print(f"{found:,} instructions a request; callgrind_annotate {file}")
        case _:
            sys.exit(__doc__)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
