"""Many connections of a gateway that use launches at once, without a thread for each."""

import re
import selectors
import socket
from collections import deque

from harness import PATIENCE

SIZE = 64


def message(question, *lines):
    """The bytes that ask for a use."""
    fields = (f"{name}: {value}" for name, value in question.items())
    return "\r\n".join(["GET /verify/forward-auth HTTP/1.1", "Host: a", *lines, *fields]).encode() + b"\r\n\r\n"


class Connection:
    """One of the crowd, with one request under way at most."""

    def __init__(self, address):
        self.socket = socket.create_connection(address, timeout=PATIENCE)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.coming = b""
        self.number = None

    def send(self, number, asked):
        """Whether it could be sent."""
        self.number = number
        try:
            self.socket.sendall(asked)
            return True
        except OSError:
            return False

    def receive(self):
        """(head, outcome) if the answer is whole now, (None, None) if it is not; raises OSError at the end."""
        part = self.socket.recv(65536)
        if not part:
            raise ConnectionResetError
        self.coming += part
        head, end, rest = self.coming.partition(b"\r\n\r\n")
        length = re.search(rb"(?i)\r\ncontent-length: (\d+)", head)
        if not end or len(rest) < (size := int(length[1]) if length else 0):
            return None, None
        self.coming = rest[size:]
        code = re.search(rb"(?i)\r\nx-launch-code: ([^\r]*)", head)
        return head, (int(head.split()[1]), code and code[1].decode())


class Crowd:
    """As many connections as it has members, taking turns over the servers; leave the context to close them."""

    def __init__(self, *servers, size=SIZE):
        self.members = [Connection(servers[number % len(servers)].address) for number in range(size)]
        self.selector = selectors.DefaultSelector()
        for member in self.members:
            self.selector.register(member.socket, selectors.EVENT_READ, member)
        self.waiting, self.outcomes, self.heads = deque(), [], []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.selector.close()
        for member in self.members:
            member.socket.close()

    def send(self, messages):
        """Sends one over each connection; those beyond follow as answers come."""
        self.waiting = deque(enumerate(messages))
        self.outcomes, self.heads = [None] * len(messages), [None] * len(messages)
        for member in self.members:
            self.send_next(member)

    def send_next(self, member):
        member.number = None
        if self.waiting:
            member.send(*self.waiting.popleft())

    def receive(self):
        """Waits for all answers; (status, x-launch-code) of each, None where the connection ended without one."""
        while any(member.number is not None for member in self.members):
            self.take(PATIENCE)
        return self.outcomes

    def take(self, seconds=0):
        """Takes what has come; gives how many are answered."""
        events = self.selector.select(seconds)
        assert events or not seconds, "no answer comes"
        for key, _ in events:
            member = key.data
            try:
                head, outcome = member.receive()
            except OSError:
                self.selector.unregister(member.socket)
                member.number = None
                continue
            if outcome:
                self.outcomes[member.number], self.heads[member.number] = outcome, head
                self.send_next(member)
        return sum(outcome is not None for outcome in self.outcomes)

    def ask(self, messages):
        """Sends them, and waits for the answers."""
        self.send(messages)
        return self.receive()

    @property
    def sent(self):
        """How many of the messages were sent; the later ones found no connection left."""
        return len(self.outcomes) - len(self.waiting)
