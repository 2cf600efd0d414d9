"""Rounds of wrk against several servers in turn."""

import json
import os
import statistics
import subprocess
import tempfile
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, ExitStack, nullcontext
from dataclasses import dataclass
from pathlib import Path

from servers import LOAD_CORE, Running, pinned

ROUNDS = int(os.environ.get("ROUNDS", "5"))
SECONDS = int(os.environ.get("SECONDS_PER_ROUND", "2"))
CONNECTIONS = 64
# Before the first round nobody knows how many single uses a second a server manages.
FIRST_GUESS, MARGIN = 20_000, 1.4


@dataclass
class Asked:
    """What is asked of a server, over and over: one request, or many that stand in a file with a NUL between two."""

    path: str
    body: str | None = None
    key: str | None = None
    file: Path | None = None
    # Makes so many requests, each for one use: every round asks for new ones.
    supply: Callable[[int], Iterable[bytes]] | None = None
    # What every answer has to be and to hold; else a 2xx, which takes wrk less.
    status: int | None = None
    text: str | None = None

    def variables(self):
        wanted = {
            "METHOD": "GET" if self.body is None else "POST", "BODY": self.body,
            "AUTHORIZATION": self.key and f"Bearer {self.key}", "REQUESTS": self.file and str(self.file),
            "ONCE": self.supply and "1", "STATUS": self.status and str(self.status), "TEXT": self.text,
        }
        return {name: value for name, value in wanted.items() if value is not None}


@dataclass
class Subject:
    """A server under load."""

    server: Running
    asked: Asked
    connections: int = CONNECTIONS
    load_core: str = LOAD_CORE
    # What else the server has to do in a round: another subject, or whatever goes on inside a context.
    beside: "Subject | Callable[[], AbstractContextManager] | None" = None
    # Single uses a second, as fast as they were ever seen.
    fastest: float = 0


@dataclass
class Sample:
    """One round."""

    rate: float  # requests a second
    cost: float  # microseconds of processor time a request, those beside counted as well
    p50: float  # milliseconds
    p99: float
    requests: int
    beside: float = 0  # requests a second of the subject beside


class UsedUp(Exception):
    """There were too few requests for a round."""


def write_requests(path, requests):
    with open(path, "wb") as file:
        for request in requests:
            file.write(request)
            file.write(b"\0")
    return path


class Wrk:
    """wrk at work on a subject."""

    def __init__(self, subject, seconds, stack):
        self.subject, self.asked = subject, subject.asked
        variables = self.asked.variables()
        if self.asked.supply:
            self.count = int((subject.fastest or FIRST_GUESS) * MARGIN * (seconds + 0.3)) + 1000
            file = stack.enter_context(tempfile.NamedTemporaryFile()).name
            variables["REQUESTS"] = str(write_requests(file, self.asked.supply(self.count)))
        self.process = stack.enter_context(subprocess.Popen(
            [*pinned(subject.load_core), "wrk", "--threads", "1", "--connections", str(subject.connections),
             "--duration", f"{seconds}s", "--timeout", "30s", "--script", str(Path(__file__).with_name("wrk.lua")),
             subject.server.url + self.asked.path],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ, **variables},
        ))
        stack.callback(self.process.kill)

    def wait_until_ready(self):
        assert any(line == "READY\n" for line in self.process.stderr), self.process.stdout.read()

    def result(self):
        """What it told; every answer has to be what was asked for."""
        said, _ = self.process.communicate()
        line = next(line for line in said.splitlines() if line.startswith("RESULT"))
        told = json.loads(line.removeprefix("RESULT"))
        if self.asked.supply and told["sent"] > self.count:
            self.subject.fastest = 2 * (self.subject.fastest or FIRST_GUESS)
            raise UsedUp
        assert told["refused"] == told["failed"] == told["wrong"] == 0 < told["requests"], (self.asked.path, told)
        told["rate"] = told["requests"] / told["microseconds"] * 1e6
        self.subject.fastest = max(told["rate"], self.subject.fastest)
        return told


def one_round(subject, seconds):
    is_subject = isinstance(subject.beside, Subject)
    with ExitStack() as stack:
        # Those beside have to be at it first.
        loads = [Wrk(one, seconds, stack) for one in ([subject.beside] if is_subject else []) + [subject]]
        for load in loads:
            load.wait_until_ready()
        before = subject.server.processor_time()
        with subject.beside() if subject.beside and not is_subject else nullcontext():
            *others, told = [load.result() for load in loads]
        spent = subject.server.processor_time() - before
    return Sample(
        rate=told["rate"], cost=spent / 1000 / (told["requests"] + sum(other["requests"] for other in others)),
        p50=told["p50"] / 1000, p99=told["p99"] / 1000, requests=told["requests"],
        beside=sum(other["rate"] for other in others),
    )


def measure(subject, seconds=SECONDS):
    """One round; where requests for one use ran out, another with more of them."""
    while True:
        try:
            return one_round(subject, seconds)
        except UsedUp:
            print(f"{subject.asked.path}: more requests are needed", flush=True)


class Measured:
    """The rounds of several subjects by name, taken in turn so that what the machine does meets all alike."""

    def __init__(self, subjects, rounds=ROUNDS):
        for subject in subjects.values():
            measure(subject, seconds=1)
        self.samples = {name: [] for name in subjects}
        for _ in range(rounds):
            for name, subject in subjects.items():
                self.samples[name].append(measure(subject))
        self.memory = {name: subject.server.resident() for name, subject in subjects.items()}

    def median(self, name, what):
        return statistics.median(getattr(sample, what) for sample in self.samples[name])

    def spread(self, name):
        """How far the rates of the rounds lie apart, in percent of their median."""
        rates = [sample.rate for sample in self.samples[name]]
        return (max(rates) - min(rates)) / statistics.median(rates) * 100

    def ratio(self, name, other, what="rate"):
        """The median of what each pair of rounds gave."""
        pairs = zip(self.samples[name], self.samples[other])
        return statistics.median(getattr(one, what) / getattr(two, what) for one, two in pairs)

    HEADINGS = ["", "ratio", "requests/s", "spread", "processor time each", "median", "99th percentile", "memory"]

    def rows(self, reference):
        """A line a subject, rates as ratios to the reference's first."""
        return [
            [name, f"{self.ratio(name, reference):.2f}", f"{self.median(name, 'rate'):,.0f}", f"{self.spread(name):.0f} %",
             f"{self.median(name, 'cost'):.2f} µs", f"{self.median(name, 'p50'):.2f} ms",
             f"{self.median(name, 'p99'):.2f} ms", f"{self.memory[name]:.1f} MiB"]
            for name in self.samples
        ]
