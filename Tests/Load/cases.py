"""What `make bench` measures, a function a case; each writes its section and reports its budgets."""

import http.client
import itertools
import json
import statistics
import tempfile
import time
from contextlib import ExitStack, contextmanager
from pathlib import Path

import budgets
import bundles
import instructions
import search
from data import STRANGERS, Data, fill_keys
from load import CONNECTIONS, SECONDS, Asked, Measured, Subject, measure, write_requests
from results import table, write_section
from servers import LOAD_CORE, SERVER_CORE, bare, has_access_log, launchlink, nginx

NGINX, BARE, OURS = "nginx, a constant", "libmicrohttpd, a constant", "LaunchLink"
LAUNCH, ALLOW = "POST /launch", "forward-auth, `allow`"
LAUNCHES = 1_000_000
STARTS = 10


@contextmanager
def place(businesses=10_000):
    """A directory, an installation in it, and a stack that ends whatever is started on it."""
    with tempfile.TemporaryDirectory() as directory, ExitStack() as stack:
        yield Path(directory), Data(Path(directory) / "ours", businesses), stack


def show(title, introduction, *tables):
    text = introduction + "\n\n" + "\n\n".join(tables)
    print(f"\n{title}\n\n" + "\n\n".join(tables), flush=True)
    write_section(title, text)


def launch():
    """A launch against constants."""
    with place() as (directory, data, stack):
        ours = stack.enter_context(launchlink(data.installation))
        size = len(data.checked_launch(ours).content)
        asked = data.launch()
        measured = Measured({
            NGINX: Subject(stack.enter_context(nginx(directory / "nginx", size)), asked),
            BARE: Subject(stack.enter_context(bare(directory, size)), asked),
            OURS: Subject(ours, asked),
        })
        data.checked_launch(ours)
    ratio, on_top = measured.ratio(OURS, NGINX), measured.median(OURS, "cost") - measured.median(BARE, "cost")
    show("Launches", f"`POST /launch` with {len(asked.body)} bytes, an answer of {size}, {CONNECTIONS} connections.",
         table(Measured.HEADINGS, measured.rows(NGINX)))
    return all([
        budgets.report(budgets.LAUNCH, "0.50, aim 0.60", f"{ratio:.2f}", ratio >= 0.50),
        budgets.report(budgets.COST, "5 µs", f"{on_top:.2f} µs", on_top <= 5),
    ])


def access_log():
    """The same with the access log on."""
    with place() as (directory, data, stack):
        if not has_access_log(data.installation):
            print("access_log: the program has no such setting yet")
            return True
        logs = directory / "logs"
        logs.mkdir()
        ours = stack.enter_context(launchlink(data.installation, log=logs / "launchlink.log"))
        size = len(data.checked_launch(ours).content)
        logging_nginx = stack.enter_context(nginx(directory / "nginx", size, log=logs / "nginx.log"))
        bundles.log_out(ours, data)
        measured = Measured({
            NGINX: Subject(logging_nginx, data.launch()), OURS: Subject(ours, data.launch()),
            f"{OURS}, {ALLOW}": Subject(ours, bundles.allow(ours, data, directory)),
        })
        assert all(log.stat().st_size > 0 for log in logs.iterdir()) and len(list(logs.iterdir())) == 2
    ratio = measured.ratio(OURS, NGINX)
    show("Access log", "Launches, and verifications, with the access log to a file: ours, and nginx's `combined`.",
         table(Measured.HEADINGS, measured.rows(NGINX)))
    return budgets.report(budgets.LOGGED, "0.40", f"{ratio:.2f}", ratio >= 0.40)


def business():
    """One business of the catalogue."""
    with place() as (directory, data, stack):
        ours = stack.enter_context(launchlink(data.installation))
        asked = Asked(f"/businesses/{data.business}", key=data.keys["catalog"])
        answer = data.answer(ours, asked)
        assert answer.json()["business_id"] == data.business
        size = len(answer.content)
        constant = stack.enter_context(nginx(directory / "nginx", size))
        measured = Measured({NGINX: Subject(constant, asked), OURS: Subject(ours, asked)})
    ratio = measured.ratio(OURS, NGINX)
    show("One business", f"`GET /businesses/{{id}}` of 10,000, an answer of {size} bytes.",
         table(Measured.HEADINGS, measured.rows(NGINX)))
    return budgets.report(budgets.BUSINESS, "0.70", f"{ratio:.2f}", ratio >= 0.70)


def keys():
    """How much the number of stored keys matters."""
    counts = [10, 1_000, 100_000, 1_000_000]
    with place() as (directory, data, stack):
        one, many = {}, {}
        for count in counts:
            twin = data.copy(directory / f"keys-{count}")
            secrets = fill_keys(twin, count)
            file = write_requests(directory / f"requests-{count}", launches(data, secrets))
            server = stack.enter_context(launchlink(twin.installation))
            twin.checked_launch(server)
            one[f"{count:,} keys"] = Subject(server, twin.launch())
            many[f"{count:,} keys, {len(secrets):,} of them in turn"] = Subject(server, Asked("/launch", file=file))
        measured = Measured(one | many)
    reference, *_, largest = one
    time = measured.ratio(reference, largest)
    show("Keys", "Launches with one key, and with many keys in turn, whom no memory of the last few callers helps.",
         table(Measured.HEADINGS, measured.rows(reference)))
    return budgets.report(budgets.KEYS, "1.2 times", f"{time:.2f} times", time <= 1.2)


def launches(data, secrets):
    """The same launch by each of these keys, as bytes."""
    return (bundles.posted("/launch", data.launch().body, secret) for secret in secrets)


def cold_keys():
    """Launches by callers of whom nothing is in memory."""
    stored = 1_000_000
    with place() as (_, data, stack):
        strangers = itertools.cycle(fill_keys(data, stored, STRANGERS))
        ours = stack.enter_context(launchlink(data.installation))
        data.checked_launch(ours)
        cold = Asked("/launch", supply=lambda count: launches(data, itertools.islice(strangers, count)))
        warm_name, cold_name = "the same key", "another key each time"
        measured = Measured({warm_name: Subject(ours, data.launch()), cold_name: Subject(ours, cold)})
    times = measured.ratio(cold_name, warm_name, "cost")
    show("Cold keys", f"Launches with {stored:,} keys stored; another key each time is one of {STRANGERS:,}, each asked with once "
         "before the first comes again.", table(Measured.HEADINGS, measured.rows(warm_name)))
    return budgets.report(budgets.COLD, "2 times", f"{times:.2f} times", times <= 2)


def catalogue():
    """How much the size of the catalogue matters."""
    with tempfile.TemporaryDirectory() as directory, ExitStack() as stack:
        subjects = {}
        for count in (10, 10_000, 100_000):
            data = Data(Path(directory) / str(count), count)
            server = stack.enter_context(launchlink(data.installation))
            data.checked_launch(server)
            subjects[f"{count:,} businesses"] = Subject(server, data.launch())
        measured = Measured(subjects)
    show("Catalogue", "Launches of the page of a business.",
         table(Measured.HEADINGS, measured.rows("10 businesses")))
    return True


def connections():
    """How much the number of connections matters."""
    with place() as (directory, data, stack):
        ours = stack.enter_context(launchlink(data.installation))
        size = len(data.checked_launch(ours).content)
        constant = stack.enter_context(nginx(directory / "nginx", size))
        counts = [1, 4, 16, 64, 256]
        measured = Measured({
            (server, count): Subject(process, data.launch(), connections=count)
            for count in counts for server, process in ((NGINX, constant), (OURS, ours))
        })
    headings = ["connections", "ratio", "requests/s", "processor time each", "median", "99th percentile", "nginx's 99th"]
    rows = [
        [count, f"{measured.ratio((OURS, count), (NGINX, count)):.2f}", f"{measured.median((OURS, count), 'rate'):,.0f}",
         f"{measured.median((OURS, count), 'cost'):.2f} µs", f"{measured.median((OURS, count), 'p50'):.2f} ms",
         f"{measured.median((OURS, count), 'p99'):.2f} ms", f"{measured.median((NGINX, count), 'p99'):.2f} ms"]
        for count in counts
    ]
    show("Connections", "Launches over 1 to 256 connections, as ratios to nginx's constant.", table(headings, rows))
    return True


def batch():
    """A batch of 100 against single launches."""
    with place() as (_, data, stack):
        ours = stack.enter_context(launchlink(data.installation))
        data.checked_launch(ours)
        items = [{"page": "program", "business_id": data.business}] * 100
        asked = Asked("/launch/batch", json.dumps({"user_id": "U", "platform": "IOS", "items": items}), data.keys["launch"])
        assert all("launch_id" in item for item in data.answer(ours, asked).json()["items"])
        # The project's rate limit, at its largest, is 100,000 launches a second: batches of 100 go over one connection.
        subjects = {LAUNCH: Subject(ours, data.launch()), "POST /launch/batch of 100": Subject(ours, asked, connections=1)}
        measured = Measured(subjects)
    each = measured.median("POST /launch/batch of 100", "cost") / 100
    show("Batch", f"Requests against single launches. Each launch of a batch of 100 takes {each:.2f} µs of processor time.",
         table(Measured.HEADINGS, measured.rows(LAUNCH)))
    return True


def workers():
    """A second worker on the second core."""
    both = f"{SERVER_CORE},{LOAD_CORE}"
    with place() as (directory, data, stack):
        subjects = {}
        for count in (1, 2):
            twin = data.copy(directory / f"workers-{count}")
            server = stack.enter_context(launchlink(twin.installation, core=both, workers=count))
            twin.checked_launch(server)
            subjects[f"{count} worker{'s' * (count > 1)}"] = Subject(server, twin.launch(), load_core=both)
        measured = Measured(subjects)
    show("Workers", "One worker and two, on two cores that the load generator shares: what it takes, the second worker cannot have.",
         table(Measured.HEADINGS, measured.rows("1 worker")))
    return True


def memory():
    """Resident memory after 1,000,000 launches, and after as many again."""
    with place() as (_, data, stack):
        server = stack.enter_context(launchlink(data.installation))
        data.checked_launch(server)
        sizes, done = [server.resident()], 0
        for until in (LAUNCHES, 2 * LAUNCHES):
            while done < until:
                done += measure(Subject(server, data.launch()), seconds=max(SECONDS, 4)).requests
            sizes.append(server.resident())
        data.checked_launch(server)
    show("Memory", f"Resident after one launch {sizes[0]:.1f} MiB, after {LAUNCHES:,} {sizes[1]:.1f} MiB, after as many again "
         f"{sizes[2]:.1f} MiB; 10,000 businesses.")
    return all([
        budgets.report(budgets.MEMORY, "48 MiB", f"{sizes[1]:.1f} MiB", sizes[1] <= 48),
        budgets.report(budgets.GROWTH, "flat", f"{sizes[2] - sizes[1]:+.2f} MiB", sizes[2] - sizes[1] < 1),
    ])


def start():
    """From the start of the program to its first launch."""
    with place() as (_, data, _):
        times = []
        for _ in range(STARTS):
            before = time.perf_counter()
            with launchlink(data.installation) as server:
                asked = data.launch()
                connection = http.client.HTTPConnection(server.url.removeprefix("http://"))
                connection.request("POST", asked.path, asked.body, {
                    "Authorization": f"Bearer {asked.key}", "Content-Type": "application/json",
                })
                answer = connection.getresponse()
                assert answer.status == 200 and json.loads(answer.read())["launch_id"]
                times.append((time.perf_counter() - before) * 1000)
                connection.close()
    median = statistics.median(times)
    show("Start", f"From starting the program to the whole answer to the first launch, 10,000 businesses: median of {STARTS} "
         f"starts {median:.0f} ms, from {min(times):.0f} to {max(times):.0f} ms.")
    return budgets.report(budgets.START, "60 ms", f"{median:.0f} ms", median <= 60)


def searches():
    """Each kind of query."""
    kind, slowest = search.main()
    return budgets.report(budgets.SEARCH, "1 ms", f"{slowest:.2f} ms ({kind})", slowest <= 1)


def count_instructions():
    """Instructions of a launch, which repeat where times do not."""
    told, is_met = instructions.compare()
    return budgets.report(budgets.INSTRUCTIONS, "at most 5 % more", told, is_met)


CASES = {
    "launch": launch, "access-log": access_log, "business": business, "keys": keys, "cold-keys": cold_keys,
    "catalogue": catalogue, "connections": connections, "batch": batch, "workers": workers, "memory": memory,
    "start": start, "search": searches, "instructions": count_instructions,
}
