"""Instructions of one launch, counted by callgrind: they repeat where times do not, also on a busy machine.

Usage: instructions.py [record | profile FILE]; without one of them it compares with what was recorded. The program is
that of BINARY_UNDER_TEST. A record is good for one machine and toolchain, which it names: valgrind shows a program
its own idea of the processor, without the instructions for SHA-256, and another compiler gives another count.
"""

import json
import re
import socket
import sys
import tempfile
from pathlib import Path

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[1] / "EndToEnd"))

from data import Data
from harness import binary
from results import machine, versions, write_section

RECORD = Path(__file__).with_name("instructions.json")
FEW, MANY = 1_000, 4_000
LIMIT = 1.05


def ask(address, request, count):
    """Sends the same request over and over on one connection; each answer has to be a 200."""
    with socket.create_connection(address) as connection:
        for _ in range(count):
            connection.sendall(request)
            answer = b""
            while (end := answer.find(b"\r\n\r\n")) < 0 or len(answer) < end + 4 + length(answer[:end]):
                got = connection.recv(1 << 16)
                assert got, "the server hung up"
                answer += got
            assert answer.startswith(b"HTTP/1.1 200 "), answer


def length(head):
    return int(re.search(rb"(?i)\r\ncontent-length: *(\d+)", head)[1])


def count(data, asked, times, file):
    """All instructions of a server that answers `times` requests."""
    command = ("setpriv", "--pdeathsig", "TERM", "valgrind", "--tool=callgrind", f"--callgrind-out-file={file}")
    body = asked.body.encode()
    request = (
        f"POST {asked.path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {asked.key}\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    ).encode() + body
    with data.installation.serve("--workers", "1", command=command) as server:
        data.checked_launch(server)
        ask(server.address, request, times)
        assert server.stop() == 0, server.log
    return int(re.search(r"^summary: (\d+)", Path(file).read_text(), re.MULTILINE)[1])


def counted(keep=None):
    """Instructions of one launch: what more launches took more; `keep` is where the profile goes."""
    with tempfile.TemporaryDirectory() as directory:
        data = Data(Path(directory) / "ours", businesses=10)
        few = count(data, data.launch(), FEW, Path(directory) / "few")
        many = count(data, data.launch(), MANY, keep or Path(directory) / "many")
    return round((many - few) / (MANY - FEW))


def conditions():
    return {"machine": machine(), "versions": versions(binary())}


def compare():
    """The count beside the recorded one, as a sentence, and whether it has grown by no more than 5 %."""
    recorded, found = json.loads(RECORD.read_text()), counted()
    ratio = found / recorded["instructions"]
    told = f"{found:,}, {(ratio - 1) * 100:+.1f} %"
    same = all(recorded[name] == value for name, value in conditions().items())
    note = "" if same else f"\n\nRecorded elsewhere: {recorded['machine']}; {recorded['versions']}."
    write_section("Instructions", f"A launch takes {found:,} instructions under callgrind; recorded are "
                  f"{recorded['instructions']:,} (`instructions.json`). `Tests/Load/instructions.py record` takes this "
                  f"count for the one to compare with.{note}")
    if ratio > LIMIT:
        print(f"A launch has grown from {recorded['instructions']:,} to {found:,} instructions.", file=sys.stderr)
    return told, ratio <= LIMIT


def main(arguments):
    match arguments:
        case []:
            told, is_met = compare()
            print(told)
            return 0 if is_met else 1
        case ["record"]:
            RECORD.write_text(json.dumps({"instructions": counted()} | conditions(), indent=2) + "\n")
            print(RECORD.read_text(), end="")
        case ["profile", file]:
            print(f"{counted(Path(file).resolve()):,} instructions a launch; callgrind_annotate {file}")
        case _:
            sys.exit(__doc__)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
