"""Whether the time of a refusal tells how much of an API key, or of a signature, was right.

Usage: timing.py [SAMPLES], 25,000 of each class without it. The program is that of BINARY_UNDER_TEST; SERVER_CORE and
LOAD_CORE say where the server and the attacker run. One connection asks and waits, each time with a class drawn at
random, so that what the machine does meets all alike. Two classes are compared as dudect does (Reparaz, Balasch,
Verbauwhede: "Dude, is my code constant time?", 2017): the slowest tenth of both together is left out, which is what
the system did and not the program, and Welch's t-test says how far their means lie apart. Exits 1 where a class that
must not differ does (|t| over 4.5), or where one that must differ does not. Writes its section of RESULTS.md.
"""

import base64
import gc
import json
import os
import random
import signal
import socket
import statistics
import sys
import tempfile
import time
from dataclasses import dataclass
from datetime import date
from math import sqrt
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "EndToEnd"))

from data import BASE62, Data, fill_keys, with_checksum  # noqa: E402
from harness import binary  # noqa: E402
from results import machine, table, versions, write_section  # noqa: E402
from servers import LOAD_CORE, launchlink  # noqa: E402

SAMPLES = 25_000
# Different requests of each class, taken in turn: few enough to stay in the attacker's own processor cache.
KINDS = 128
KEYS = 10_000
THRESHOLD = 4.5
CROPPED = 0.9
# A request with a right key after as many of the attacker's, so that the server has it in memory.
RIGHTFUL = 16
HEADINGS = ["", "against", "difference of the means", "95 % confidence", "t", "differs"]


@dataclass
class Compared:
    """Two classes, and whether they have to differ."""

    name: str
    reference: str
    differs: bool = False


class Attacker:
    """One connection that asks and waits, with as little of its own work as can be."""

    def __init__(self, server):
        host, port = server.url.removeprefix("http://").split(":")
        self.socket = socket.create_connection((host, int(port)))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def ask(self, request):
        self.socket.sendall(request)
        return self.socket.recv(65536)

    def measure(self, classes, samples, rightful=()):
        """Nanoseconds until the answer, so many for each class, in random order."""
        chance = random.Random(samples)
        order = [name for name in classes for _ in range(samples)]
        chance.shuffle(order)
        times = {name: [] for name in classes}
        turn = 0
        clock, send, receive = time.perf_counter_ns, self.socket.sendall, self.socket.recv
        gc.disable()
        for name in order:
            turn += 1
            if rightful and turn % RIGHTFUL == 0:
                self.ask(rightful[turn // RIGHTFUL % len(rightful)])
            request = classes[name][turn % KINDS]
            start = clock()
            send(request)
            receive(65536)
            times[name].append(clock() - start)
        gc.enable()
        return times


def welch(one, other):
    """The difference of two classes' means, its 95 % confidence and Welch's t, without the slowest tenth of both."""
    limit = sorted(one + other)[int((len(one) + len(other)) * CROPPED)]
    one, other = ([value for value in values if value <= limit] for values in (one, other))
    error = sqrt(statistics.variance(one) / len(one) + statistics.variance(other) / len(other))
    difference = statistics.fmean(one) - statistics.fmean(other)
    return difference, 1.96 * error, difference / error


def judged(times, comparisons):
    """A row a comparison, and whether all came out as they have to."""
    rows, is_right = [], True
    for one in comparisons:
        difference, error, t = welch(times[one.name], times[one.reference])
        differs = abs(t) > THRESHOLD
        is_right &= differs == one.differs
        rows.append([one.name, one.reference, f"{difference:+,.0f} ns", f"± {error:.0f} ns", f"{t:+.1f}",
                     ("yes" if differs else "no") + (", as it must" if one.differs and differs else "")])
    return rows, is_right


def with_key(key):
    return f"GET /whoami HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {key}\r\n\r\n".encode()


UNKNOWN, AGAIN, ID = "unknown key", "another unknown key", "id of a key that is there, other secret"
PREFIXES = {f"{ID.split(',')[0]}, {count} of 43 right": count for count in (8, 21, 42)}
MISTYPED = "wrong checksum, refused before the look-up"


def key_classes(keys):
    """Requests with keys that are refused, by how much of them is right, and requests with right ones."""
    chance = random.Random(62)
    keys = chance.sample(keys, KINDS)

    def digits(count):
        return "".join(chance.choices(BASE62, k=count))

    def right_up_to(key, count):
        other = chance.choice([one for one in BASE62 if one != key[17 + count]])
        return with_checksum(key[: 17 + count] + other + digits(42 - count))

    def unknown():
        return [with_checksum(f"llk_{digits(12)}_0{digits(42)}") for _ in range(KINDS)]

    made = {
        UNKNOWN: unknown(), AGAIN: unknown(), ID: [with_checksum(f"{key[:17]}0{digits(42)}") for key in keys],
        **{name: [right_up_to(key, count) for key in keys] for name, count in PREFIXES.items()},
        MISTYPED: [key[:-1] + ("0" if key[-1] != "0" else "1") for key in unknown()],
    }
    assert {len(key) for some in made.values() for key in some} == {66}
    return {name: [with_key(key) for key in some] for name, some in made.items()}, [with_key(key) for key in keys]


WRONG, WRONG_TOO, FOREIGN = "wrong from the first byte", "another wrong from the first byte", "unknown signing key, refused before the comparison"
RIGHT = {f"{count} of 32 bytes right": count for count in (1, 8, 16, 31)}


def signature_classes(data, launch):
    """Requests to verify with signatures of which so many bytes are right."""
    chance = random.Random(32)
    headers = launch["headers"]
    right = base64.b64decode(headers["signature"].removeprefix("launch=:").removesuffix(":"), validate=True)

    def request(**changes):
        body = json.dumps({"method": launch["method"], "url": launch["url"], "headers": headers | changes}).encode()
        return (f"POST /verify HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {data.keys['verify']}\r\n"
                f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n").encode() + body

    def signed(count):
        code = right[:count] + bytes([right[count] ^ chance.randint(1, 255)]) + chance.randbytes(31 - count)
        return f"launch=:{base64.b64encode(code).decode()}:"

    key_id = headers["signature-input"].split('keyid="')[1].split('"')[0]
    foreign = headers["signature-input"].replace(key_id, "sk_000000000000")
    return {
        WRONG: [request(signature=signed(0)) for _ in range(KINDS)],
        WRONG_TOO: [request(signature=signed(0)) for _ in range(KINDS)],
        **{name: [request(signature=signed(count)) for _ in range(KINDS)] for name, count in RIGHT.items()},
        FOREIGN: [request(**{"signature-input": foreign, "signature": signed(0)}) for _ in range(KINDS)],
    }


def check(attacker, classes, expected):
    """Every class is answered as it has to be, and all that are compared in as many bytes."""
    lengths = set()
    for name, some in classes.items():
        for request in some:
            answer = attacker.ask(request)
            assert expected(name) in answer, (name, answer)
            if name not in (MISTYPED, FOREIGN):
                lengths.add(len(answer))
    assert len(lengths) == 1, lengths


def measure(samples):
    """The tables of all three, and whether everything came out as it has to."""
    with tempfile.TemporaryDirectory() as directory:
        data = Data(Path(directory) / "ours", businesses=100)
        keys = fill_keys(data, KEYS)
        refused, rightful = key_classes(keys)
        compared = [Compared(AGAIN, UNKNOWN), Compared(ID, UNKNOWN), *(Compared(name, ID) for name in PREFIXES),
                    *(Compared(name, UNKNOWN) for name in PREFIXES), Compared(MISTYPED, UNKNOWN, differs=True)]
        signatures = [Compared(WRONG_TOO, WRONG), *(Compared(name, WRONG) for name in RIGHT),
                      Compared(FOREIGN, WRONG, differs=True)]
        with launchlink(data.installation) as server:
            launch = data.checked_launch(server).json()
            attacker = Attacker(server)
            check(attacker, refused, lambda name: b"malformed_api_key" if name == MISTYPED else b'"invalid_api_key"')
            bundles = signature_classes(data, launch)
            check(attacker, bundles, lambda name: b"unknown_key" if name == FOREIGN else b"signature_mismatch")
            assert all(b"HTTP/1.1 200" in attacker.ask(request) for request in rightful)
            return {
                "API keys, those that are there being in use": judged(attacker.measure(refused, samples, rightful), compared),
                "API keys, none of them in use": judged(attacker.measure(refused, samples), compared),
                "Signatures of `POST /verify`": judged(attacker.measure(bundles, samples), signatures),
            }


def main():
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    samples = int(sys.argv[1]) if len(sys.argv) > 1 else SAMPLES
    os.sched_setaffinity(0, {int(LOAD_CORE)})
    load, begin = os.getloadavg()[0], time.monotonic()
    told = measure(samples)
    took = time.monotonic() - begin
    tables = "\n\n".join(f"{title}:\n\n{table(HEADINGS, rows)}" for title, (rows, _) in told.items())
    print(tables)
    write_section("Timing", f"""Whether the time of a refusal tells how much of an API key or of a signature was right: {samples:,} requests of each
class in random order over one connection, {KEYS:,} keys stored, each side on a core of its own, the time from sending to
the whole answer. The slowest tenth of each two classes is left out; |t| over {THRESHOLD} is taken for a difference. The first
line of each table compares like with like, the last is of a class that must differ.

{tables}

The id of a key (`key_…`, the same twelve characters) is public: lists, logs and metrics show it. That a key was revoked or
expired is told only to whoever has its secret, and to them openly.

{date.today()}, {took:.0f} s; {machine()}, load average {load:.1f} before; {versions(binary())}. Command: `make bench-timing`.""")
    return 0 if all(is_right for _, is_right in told.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
