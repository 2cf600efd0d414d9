"""Rounds of wrk against several servers in turn."""

import json
import os
import statistics
import subprocess
from dataclasses import dataclass
from pathlib import Path

from servers import LOAD_CORE, Running, pinned

ROUNDS = int(os.environ.get("ROUNDS", "5"))
SECONDS = int(os.environ.get("SECONDS_PER_ROUND", "2"))
CONNECTIONS = 64


@dataclass
class Asked:
    """What is asked of a server, over and over."""

    path: str
    body: str | None = None
    key: str | None = None
    keys: Path | None = None

    def variables(self):
        wanted = {
            "METHOD": "GET" if self.body is None else "POST", "BODY": self.body,
            "AUTHORIZATION": self.key and f"Bearer {self.key}", "KEYS": self.keys and str(self.keys),
        }
        return {name: value for name, value in wanted.items() if value is not None}


@dataclass
class Subject:
    """A server under load."""

    server: Running
    asked: Asked
    connections: int = CONNECTIONS
    load_core: str = LOAD_CORE


@dataclass
class Sample:
    """One round."""

    rate: float  # requests a second
    cost: float  # microseconds of processor time a request
    p50: float  # milliseconds
    p99: float
    requests: int


def measure(subject, seconds=SECONDS):
    """One round; every answer has to be a 2xx."""
    before = subject.server.processor_time()
    done = subprocess.run(
        [*pinned(subject.load_core), "wrk", "--threads", "1", "--connections", str(subject.connections),
         "--duration", f"{seconds}s", "--timeout", "30s", "--script", str(Path(__file__).with_name("wrk.lua")),
         subject.server.url + subject.asked.path],
        check=True, capture_output=True, text=True, env={**os.environ, **subject.asked.variables()},
    )
    spent = subject.server.processor_time() - before
    told = json.loads(next(line for line in done.stdout.splitlines() if line.startswith("RESULT")).removeprefix("RESULT"))
    assert told["refused"] == told["failed"] == 0 < told["requests"], (subject.asked.path, told)
    return Sample(
        rate=told["requests"] / told["microseconds"] * 1e6, cost=spent / 1000 / told["requests"],
        p50=told["p50"] / 1000, p99=told["p99"] / 1000, requests=told["requests"],
    )


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

    def ratio(self, name, other):
        """The median of what each pair of rounds gave."""
        pairs = zip(self.samples[name], self.samples[other])
        return statistics.median(one.rate / two.rate for one, two in pairs)

    HEADINGS = ["", "ratio", "requests/s", "spread", "processor time each", "median", "99th percentile", "memory"]

    def rows(self, reference):
        """A line a subject, rates as ratios to the reference's first."""
        return [
            [name, f"{self.ratio(name, reference):.2f}", f"{self.median(name, 'rate'):,.0f}", f"{self.spread(name):.0f} %",
             f"{self.median(name, 'cost'):.2f} µs", f"{self.median(name, 'p50'):.2f} ms",
             f"{self.median(name, 'p99'):.2f} ms", f"{self.memory[name]:.1f} MiB"]
            for name in self.samples
        ]
