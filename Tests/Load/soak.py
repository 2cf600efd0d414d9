"""Keeps a server under mixed load for minutes, and looks whether anything fails or grows.

Usage: soak.py; MINUTES (10 unless set) says for how long, BINARY_UNDER_TEST which program. It first measures what the
machine can do and then asks for 80 % of it: launches, batches, verifications and searches by wrk, and beside it
launches used up once, log-outs, keys made and revoked by the command, scrapes, reloads and rotated logs. Loopback
only. Exits 1 where a request failed, or memory or descriptors grew. Writes its section of RESULTS.md.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
import threading
import time
from datetime import date
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "EndToEnd"))

from harness import CATALOG, PROJECT, USER, Client, binary, environment, install  # noqa: E402
from results import machine, table, versions, write_section  # noqa: E402
from test_single_use import ONCE, question, use  # noqa: E402

CONNECTIONS = 64
SHARE = 0.8


class House:
    """An installation with everything that the load asks for."""

    def __init__(self, directory):
        self.installation = made = install(directory)
        made.project(options=("--ttl", "3600"), rate=100_000)
        made.project(ONCE, "Once", key="wk_once", options=("--replay-policy", "once"))
        made.run("catalog", "import", CATALOG)
        self.launch, self.once = made.key("launch", PROJECT), made.key("launch", ONCE)
        self.verify = made.key("verify")
        self.log = directory / "access.log"
        self.environment = environment(LAUNCHLINK_ACCESS_LOG=str(self.log))

    def requests(self, server, file):
        """The file of requests for wrk: of ten, six launches, a batch, a verification, a search, a look-up."""
        launched = server.client(self.launch).launched(page="cs")
        key = self.launch["api_key"]
        body = lambda **fields: json.dumps({"user_id": USER, "platform": "IOS"} | fields)
        launches = [("POST", "/launch", key, body(page="program", business_id="11st"))] * 4 + [
            ("POST", "/launch", key, body(page="main", category="beauty")), ("POST", "/launch", key, body(redirect_to="/cs"))]
        others = [
            ("POST", "/launch/batch", key, body(items=[{"page": "cs"}] * 5)),
            ("POST", "/verify", self.verify["api_key"],
             json.dumps({name: launched[name] for name in ("method", "url", "headers")})),
            ("GET", "/businesses?query=g", key, ""), ("GET", "/businesses/11st", key, ""),
        ]
        file.write_text("".join("\t".join(one) + "\n" for one in launches + others))


def wrk(server, requests, seconds, pause=0):
    """A run of wrk; what it told. With a pause in milliseconds before each request of a connection."""
    done = subprocess.run(
        ["wrk", "--threads", "1", "--connections", str(CONNECTIONS), "--duration", f"{seconds}s", "--timeout", "30s",
         "--script", str(Path(__file__).with_name("soak.lua")), server.url],
        check=True, capture_output=True, text=True,
        env={**os.environ, "REQUESTS": str(requests), "PAUSE": str(pause)},
    )
    return json.loads(next(line for line in done.stdout.splitlines() if line.startswith("RESULT")).removeprefix("RESULT"))


class Beside:
    """What goes on beside the bulk of requests, round by round until it is told to end."""

    def __init__(self, house, server):
        self.house, self.server = house, server
        self.rounds, self.faults = 0, []
        self.ending = threading.Event()
        self.thread = threading.Thread(target=self.run)

    def run(self):
        while not self.ending.is_set():
            try:
                self.round()
            except Exception as fault:  # Whatever it is, it is a finding and ends the soak.
                self.faults.append(repr(fault))
                return
            self.rounds += 1
            self.ending.wait(0.2)

    def round(self):
        made, server, house = self.house.installation, self.server, self.house
        partner = server.client(house.once)
        for number in range(20):
            headers = question(house, partner.launched(page="cs", user_id=f"U{number}"))
            first, second = use(server, headers), use(server, headers)
            assert (first, second) == ((204, None), (401, "replayed")), (first, second)
        out = partner.launched(user_id="OUT")
        assert partner.post("/launch/revoke", {"user_id": "OUT"}).status_code == 204
        assert server.client(house.verify).verdict(out) == "revoked"
        scrape = Client(server.operations).get("/metrics")
        assert scrape.status_code == 200 and Client(server.operations).get("/readyz").status_code == 200
        if self.rounds % 5 == 0:
            short = made.key("launch", PROJECT)
            client = server.client(short)
            assert client.launch().status_code == 200
            made.run("key", "revoke", short["key_id"], "--yes")
            assert client.launch().status_code == 401, "a revoked key worked"
        if self.rounds % 3 == 0:
            house.log.replace(house.log.with_suffix(".old"))
            assert server.reload()
        partner.session.close()

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.ending.set()
        self.thread.join()


def figures(server):
    """(KiB of resident memory, open descriptors), once the connections of the load are closed, or after ten seconds."""
    files = len(os.listdir(f"/proc/{server.process.pid}/fd"))
    for _ in range(20):
        time.sleep(0.5)
        before, files = files, len(os.listdir(f"/proc/{server.process.pid}/fd"))
        if files >= before and files < CONNECTIONS // 2 + 16:
            break
    status = Path(f"/proc/{server.process.pid}/status").read_text()
    return int(re.search(r"VmRSS:\s+(\d+) kB", status)[1]), files


def soak(directory, *, measuring, seconds, slices):
    """Soaks a server.

    `measuring` is how many seconds the first phase takes, `seconds` how many the load, in as many slices. Gives what
    was told of the phases, the figures after each slice, and what went wrong.
    """
    house = House(directory)
    requests = directory / "requests"
    with house.installation.serve(env=house.environment) as server:
        house.requests(server, requests)
        with Beside(house, server) as beside:
            full = wrk(server, requests, measuring)
        rate = full["requests"] / full["microseconds"] * 1e6
        turn = CONNECTIONS / (rate * SHARE) * 1000
        pause = turn / 2
        told, sizes, faults = [], [], list(beside.faults)
        for _ in range(slices):
            with Beside(house, server) as beside:
                told.append(wrk(server, requests, max(1, seconds // slices), pause))
            # What is left of a connection's turn after the answers have taken their time.
            pause = max(0.0, turn - (CONNECTIONS * told[-1]["microseconds"] / told[-1]["requests"] / 1000 - pause))
            faults += beside.faults
            sizes.append(figures(server))
        faults += [f"{one['refused']} refused, {one['failed']} failed" for one in [full, *told] if one["refused"] or one["failed"]]
        status, log = server.stop(), server.log
    if status != 0:
        faults.append(f"it ended with status {status}")
    faults += [line for line in log.splitlines() if " failed: " in line or "dropped" in line]
    return rate, told, sizes, faults


def grown(sizes):
    """What grew: memory by over 5 % and 2 MiB from the first third to the end, or any descriptor."""
    (memory, files), (last_memory, last_files) = sizes[len(sizes) // 3], sizes[-1]
    found = []
    if last_memory > max(memory * 1.05, memory + 2048):
        found.append(f"memory grew from {memory} to {last_memory} KiB")
    if last_files > files + 8:
        found.append(f"descriptors grew from {files} to {last_files}")
    return found


def main():
    minutes = float(os.environ.get("MINUTES", "10"))
    slices = max(6, int(minutes))
    with tempfile.TemporaryDirectory() as directory:
        rate, told, sizes, faults = soak(Path(directory), measuring=15, seconds=int(minutes * 60), slices=slices)
    faults += grown(sizes)
    requests = sum(one["requests"] for one in told)
    took = sum(one["microseconds"] for one in told) / 1e6
    rows = [
        ["requests", f"{requests:,}"], ["a second", f"{requests / took:,.0f} of {rate:,.0f} at full load"],
        ["failed or refused", sum(one["refused"] + one["failed"] for one in told)],
        ["median, 99th percentile, slowest",
         f"{max(one['p50'] for one in told) / 1000:.2f} ms, {max(one['p99'] for one in told) / 1000:.2f} ms, "
         f"{max(one['max'] for one in told) / 1000:.0f} ms"],
        ["resident memory, first third and end", f"{sizes[len(sizes) // 3][0] / 1024:.1f} MiB, {sizes[-1][0] / 1024:.1f} MiB"],
        ["open descriptors, the same", f"{sizes[len(sizes) // 3][1]}, {sizes[-1][1]}"],
        ["found", "; ".join(faults[:5]) or "nothing"],
    ]
    write_section("Soak", f"""Mixed load over loopback on one machine, the load generator among it: launches, batches, verifications and
searches by wrk at {SHARE:.0%} of what it could do at full load; beside it launches used up once, log-outs, keys made and
revoked by the command, scrapes, reloads, rotated logs. The worst of {len(told)} slices.

{table(["", f"{took / 60:.1f} minutes"], rows)}

{date.today()}; {machine()}; {versions(binary())}. Command: `make soak MINUTES={minutes:g}`.""")
    print("\n".join(faults) or "nothing failed, nothing grew")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
