"""Measures the release build against its budgets and writes RESULTS.md.

Usage: bench.py [CASE…], all cases without one. The program is that of BINARY_UNDER_TEST; ROUNDS and
SECONDS_PER_ROUND say how often and how long each server is under load, SERVER_CORE and LOAD_CORE where the server
and the load generator run. Exits 1 where instructions grew by over 5 %, else 0: budgets that are not met are told
in the table.
"""

import os
import signal
import sys
import time
from datetime import date
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "EndToEnd"))

import cases  # noqa: E402
import verification  # noqa: E402
from harness import binary  # noqa: E402
from load import ROUNDS, SECONDS  # noqa: E402
from results import machine, versions, write_section  # noqa: E402
from servers import LOAD_CORE, SERVER_CORE  # noqa: E402


CASES = cases.CASES | verification.CASES


def main(names):
    unknown = [name for name in names if name not in CASES]
    if unknown:
        sys.exit(f"no such case: {', '.join(unknown)}; there are {', '.join(CASES)}")
    # What is running is ended on the way out, also where the script is told to stop.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    load, begin = os.getloadavg()[0], time.monotonic()
    met = {name: CASES[name]() for name in names or CASES}
    took = time.monotonic() - begin
    measured = "all cases" if not names else ", ".join(names)
    write_section("How", f"""Each server alone on core {SERVER_CORE}, wrk with one thread on core {LOAD_CORE}, rounds of {SECONDS} s in turn: {ROUNDS} each. Rates and
times are medians of the rounds, a ratio is the median of the rounds' own, the spread lies between the slowest and
the fastest round. Processor time is the server's from the kernel's accounts, all its threads, over what wrk counted.
Every answer was a 2xx, and launches before and after the rounds were judged by http-message-signatures.

Last: {measured}, {took:.0f} s, {date.today()}; {machine()}, load average {load:.1f} before; {versions(binary())}.
Command: `make bench`; `make bench CASES="launch keys" ROUNDS=9 SECONDS_PER_ROUND=5` for some of it.""")
    return 0 if met.get("instructions", True) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
