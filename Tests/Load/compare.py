"""Compares two builds of the program in one interleaved run: what each kind of request takes of either.

Usage: compare.py ONE OTHER [CASE…], all cases without one. Each program works on an installation of its own with the
same content; ROUNDS, SECONDS_PER_ROUND, SERVER_CORE and LOAD_CORE are those of `make bench`. Ratios are the other's to
the one's, medians of the rounds' own. Writes nothing.
"""

import json
import signal
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "EndToEnd"))

import bundles  # noqa: E402
from data import Data  # noqa: E402
from load import Asked, Measured, Subject  # noqa: E402
from results import table  # noqa: E402
from servers import launchlink  # noqa: E402
from verification import ASKING, BESIDE  # noqa: E402


def beside(server, data, verification):
    return Subject(server, data.launch(), ASKING, beside=Subject(server, verification, BESIDE))


def batch(data):
    items = [{"page": "program", "business_id": data.business}] * 100
    return Asked("/launch/batch", json.dumps({"user_id": "U", "platform": "IOS", "items": items}), data.keys["launch"])


# Each gets a server, its data and a directory of its own.
CASES = {
    "launch": lambda server, data, place: Subject(server, data.launch()),
    "batch": lambda server, data, place: Subject(server, batch(data), connections=1),
    "business": lambda server, data, place: Subject(server, Asked(f"/businesses/{data.business}", key=data.keys["catalog"])),
    "allow": lambda server, data, place: Subject(server, bundles.allow(server, data, place)),
    "once": lambda server, data, place: Subject(server, bundles.once(server, data)),
    "verify": lambda server, data, place: Subject(server, bundles.verify(server, data, place)),
    "launch-beside-allow": lambda server, data, place: beside(server, data, bundles.allow(server, data, place)),
    "launch-beside-once": lambda server, data, place: beside(server, data, bundles.once(server, data)),
    "launch-beside-log-outs": lambda server, data, place: Subject(
        server, data.launch(), beside=bundles.LogOuts(server, data)),
}


def main(programs, names):
    unknown = [name for name in names if name not in CASES]
    if unknown:
        sys.exit(f"no such case: {', '.join(unknown)}; there are {', '.join(CASES)}")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    with tempfile.TemporaryDirectory() as directory, ExitStack() as stack:
        sides = []
        for number, program in enumerate(programs):
            data = Data(Path(directory) / str(number), program=str(Path(program).resolve(strict=True)))
            server = stack.enter_context(launchlink(data.installation))
            data.checked_launch(server)
            bundles.log_out(server, data)
            sides.append((server, data))
        rows = []
        for name in names or CASES:
            subjects = {}
            for number, (server, data) in enumerate(sides):
                place = Path(directory) / f"{name}-{number}"
                place.mkdir()
                subjects[number] = CASES[name](server, data, place)
            measured = Measured(subjects)
            row = [name]
            for what, unit in (("rate", "{:,.0f}/s"), ("cost", "{:.2f} µs"), ("p99", "{:.2f} ms")):
                row += [unit.format(measured.median(side, what)) for side in subjects] + [f"{measured.ratio(1, 0, what):.2f}"]
            rows.append(row)
            print(", ".join(row), file=sys.stderr, flush=True)
    headings = [[what, "other", "ratio"] for what in ("requests/s", "processor time each", "99th percentile")]
    print(table(["", *sum(headings, [])], rows))


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    main(sys.argv[1:3], sys.argv[3:])
