"""A cashback web that answers byte by byte as a test says, and notes what arrives, through a tunnel too."""

import re
import socket
import threading

OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"


def answer(status="200 OK", *lines, body=b"ok"):
    """An answer with these header lines."""
    return "\r\n".join([f"HTTP/1.1 {status}", f"Content-Length: {len(body)}", *lines, "", ""]).encode() + body


def more(client):
    part = client.recv(65536)
    if not part:
        raise ConnectionError("the gateway hung up")
    return part


def serve_each(listener, serve):
    """Hands each connection to `serve` on a thread of its own, until the listener is closed."""

    def accept():
        while True:
            try:
                client, _ = listener.accept()
            except OSError:
                return
            threading.Thread(target=serve, args=(client,), daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()


class RawWeb:
    """`says` makes the bytes of an answer from a request's head; whoever was sent 101 gets a tunnel."""

    def __init__(self):
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.begin()
        serve_each(self.listener, self.serve)

    def begin(self, says=lambda head: OK):
        """Forgets what arrived, and answers so from now on."""
        self.heads, self.trailers, self.tunnelled, self.says = [], b"", b"", says

    def serve(self, client):
        with client:
            try:
                self.converse(client)
            except OSError:
                pass  # the gateway hung up, or waits for this end

    def converse(self, client):
        kept = b""
        while True:
            while b"\r\n\r\n" not in kept:
                kept += more(client)
            head, kept = kept.split(b"\r\n\r\n", 1)
            head = head.decode("latin-1")
            self.heads.append(head)
            kept = self.without_body(client, head, kept)
            said = self.says(head)
            client.sendall(said)
            if b"\r\nConnection: close\r\n" in said:
                return
            if said.startswith(b"HTTP/1.1 101"):
                # A gateway that opens no tunnel may wait for this end.
                client.settimeout(1)
                while True:
                    self.tunnelled += more(client)
                    client.sendall(answer(body=b"tunnelled"))

    def without_body(self, client, head, kept):
        if re.search("(?im)^transfer-encoding: *chunked", head):
            while not re.search(rb"(?s)(^|\r\n)0\r\n(.*\r\n)?\r\n$", kept):
                kept += more(client)
            self.trailers += kept.rpartition(b"0\r\n")[2]
            return b""
        length = re.search(r"(?im)^content-length: *(\d+)", head)
        while length and len(kept) < int(length[1]):
            kept += more(client)
        return kept[int(length[1]):] if length else kept

    def stop(self):
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
