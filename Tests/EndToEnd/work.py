"""How much work the program does: instructions under callgrind, which repeat where times do not."""

import os
import re
import socket
import subprocess
from contextlib import contextmanager
from pathlib import Path

from faults import preloadable
from harness import PATIENCE, environment, received

CALLGRIND = ("valgrind", "--tool=callgrind")


def instructions(profile):
    """All that a profile counts."""
    return int(re.search(rb"(?m)^(?:totals|summary): (\d+)", profile.read_bytes())[1])


class CountedServer:
    """A server of one worker whose requests are counted one by one."""

    def __init__(self, server, directory):
        self.server, self.directory, self.dumps = server, directory, 0
        self.asked, self.told = (os.open(directory / name, mode) for name, mode in (("asked", os.O_WRONLY), ("told", os.O_RDONLY)))

    def counted(self):
        """The instructions since the last time."""
        os.write(self.asked, b"?")
        assert os.read(self.told, 1) == b"?", self.server.log
        self.dumps += 1
        profile = self.directory / f"profile.{self.dumps}"
        counted = instructions(profile)
        profile.unlink()
        return counted

    def answer(self, request, address=None):
        with socket.create_connection(address or self.server.address, timeout=PATIENCE) as connection:
            connection.sendall(request)
            return received(connection)

    def work(self, request):
        """(instructions, status) of a request that ends its connection."""
        self.counted()
        answer = self.answer(request)
        # The loop has closed the connection of the one before it takes up the next.
        self.answer(b"GET /nowhere HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        return self.counted(), int(answer.split(b" ", 2)[1])


@contextmanager
def counted_server(installation, directory, **variables):
    for name in ("asked", "told"):
        os.mkfifo(directory / name)
    env = environment(
        LD_PRELOAD=preloadable("work", directory), WORK_ASKED=str(directory / "asked"), WORK_TOLD=str(directory / "told"),
        **variables)
    command = (*CALLGRIND, f"--callgrind-out-file={directory / 'profile'}")
    with installation.serve("--workers", "1", command=command, env=env) as server:
        yield CountedServer(server, directory)


def work_of_command(installation, profile, *arguments):
    """(instructions, exit status) of a whole command."""
    done = subprocess.run(
        [*CALLGRIND, f"--callgrind-out-file={profile}", *installation.arguments(*arguments)],
        stdin=subprocess.DEVNULL, capture_output=True, cwd=installation.directory, env=environment(), timeout=PATIENCE * 5)
    return instructions(Path(profile)), done.returncode
