"""What is waited for: each use for a write to the disk that began after it came, and many that come together for one."""

import re
import subprocess

import pytest

from crowd import SIZE, Crowd
from faults import Gateway, Lock
from harness import eventually

ALONE = 20
LINE = re.compile(r"(\d+) +(?:<\.\.\. (\w+) resumed>|(\w+)\((\d+))(.*)")


class Trace:
    """The system calls of a server on its connections and files, in the order in which they began and ended."""

    def __init__(self, file):
        self.file = file
        try:
            subprocess.run(["strace", "-qq", "-o", file, "true"], check=True, capture_output=True)
        except (OSError, subprocess.CalledProcessError) as error:
            pytest.skip(f"nothing can be traced here: {error}")

    @property
    def command(self):
        """What runs a command whose calls are traced; the command itself is the child, not the tracer."""
        return "strace", "-D", "-f", "-q", "-o", str(self.file), "-s", "40", "-e", "trace=recvfrom,sendto,fdatasync,fsync"

    def events(self):
        """(place where it began, place where it ended, call, descriptor, the rest) of each call, in order of their ends.

        A call's place is that of its line, and two lines where another thread's came in between.
        """
        pending = {}
        for place, line in enumerate(self.file.read_text().splitlines()):
            thread, resumed, call, descriptor, rest = LINE.match(line).groups() if LINE.match(line) else [None] * 5
            if resumed:
                began, descriptor, before = pending.pop(thread)
                yield began, place, resumed, descriptor, before + rest
            elif call and rest.endswith("<unfinished ...>"):
                pending[thread] = place, descriptor, rest
            elif call:
                yield place, place, call, descriptor, rest

    def uses(self):
        """Of each use that was answered, by when it came: where it was read, where its answer was begun, the answer's status."""
        asked, found = {}, []
        for began, ended, call, descriptor, rest in self.events():
            if call == "recvfrom" and '"GET /verify/forward-auth' in rest:
                asked[descriptor] = ended
            elif call == "sendto" and '"HTTP/1.1 ' in rest and descriptor in asked:
                found.append((asked.pop(descriptor), began, re.search(r'"HTTP/1.1 (\d+)', rest)[1]))
        return sorted(found)

    def syncs(self):
        """Where each write to the disk began and ended."""
        return [(began, ended) for began, ended, call, *_ in self.events() if call in ("fdatasync", "fsync")]


def test_one_for_each_alone_and_one_for_many_together(fresh, tmp_path):
    gateway, trace = Gateway(fresh), Trace(tmp_path / "trace")
    with fresh.serve("--workers", "1", command=trace.command) as server:
        partner, messages = server.client(gateway.launch), gateway.messages(server, ALONE + 5 * SIZE)
        with Crowd(server, size=1) as crowd:
            assert set(crowd.ask(messages[:ALONE])) == {(204, None)}
        with Crowd(server) as crowd:
            with Lock(fresh, "IMMEDIATE"):
                crowd.send(messages[ALONE:ALONE + SIZE])
                # Of the only worker: the second is answered after whatever came before it.
                for _ in range(2):
                    partner.launched()
            assert set(crowd.receive()) == {(204, None)}
            assert set(crowd.ask(messages[ALONE + SIZE:])) == {(204, None)}
        assert server.stop() == 0
    eventually(lambda: "+++ exited with 0 +++" in trace.file.read_text())
    uses, syncs = trace.uses(), trace.syncs()
    assert len(uses) == len(messages) and {status for _, _, status in uses} == {"204"}

    def within(uses):
        """The writes to the disk while these uses are under way."""
        first, last = min(asked for asked, _, _ in uses), max(answered for _, answered, _ in uses)
        return [one for one in syncs if first < one[0] and one[1] < last]

    for use in uses:
        assert within([use]), f"no write to the disk began and ended between {use}"
    alone, together = uses[:ALONE], uses[ALONE:ALONE + SIZE]
    # Counts are written once a second, besides.
    assert ALONE <= len(within(alone)) <= ALONE + ALONE // 2
    assert 1 <= len(within(together)) <= 4, "one for the first, and one for those that came while it waited"
