"""The first table of the page: what was promised, what was measured."""

import re

from results import PAGE, table, write_section

TITLE = "Budgets"
HEADINGS = ["what", "budget", "measured", ""]
LAUNCH = "`POST /launch`, requests/s against nginx's constant of the same size"
LOGGED = "the same with the access log to a file on both sides"
COST = "processor time of a launch on top of a bare libmicrohttpd answer"
BUSINESS = "`GET /businesses/{id}`, requests/s against the same nginx"
SEARCH = "search among 10,000 businesses, slowest kind of query, median"
KEYS = "a launch with 1,000,000 keys stored against 10"
COLD = "a launch with another key each time of 1,000,000, processor time against the same key"
ALLOW = "forward-auth `allow`, processor time against a launch"
ONCE = "forward-auth `once`, requests/s against `allow`, 64 connections, on disk before each answer"
VERIFY = "`POST /verify`, processor time against a launch"
BESIDE = "launches' 99th percentile beside 48 connections of `once` against beside as many of `allow`"
LOG_OUTS = "launches beside 200 log-outs a second, requests/s against alone"
ALLOW_PEER = "forward-auth `allow`, requests/s against Rust with hyper"
ONCE_PEER = "forward-auth `once`, requests/s against Rust with hyper"
MEMORY = "memory resident, 10,000 businesses, after 1,000,000 launches"
GROWTH = "memory growth with 1,000,000 launches more"
START = "start to first answer, that data"
INSTRUCTIONS = "instructions of a launch against those recorded"
ORDER = [
    LAUNCH, LOGGED, COST, BUSINESS, SEARCH, KEYS, COLD, ALLOW, ONCE, VERIFY, BESIDE, LOG_OUTS, ALLOW_PEER, ONCE_PEER,
    MEMORY, GROWTH, START, INSTRUCTIONS,
]


def earlier():
    """The rows that the page has."""
    if not PAGE.exists():
        return {}
    found = re.findall(r"^\| (.+?) \| (.+?) \| (.+?) \| (met|\*\*not met\*\*) \|$", PAGE.read_text(encoding="utf-8"), re.M)
    return {row[0]: list(row) for row in found}


def report(what, budget, measured, is_met):
    """Puts one row into the table, whether or not the others are measured in this run."""
    rows = earlier() | {what: [what, budget, measured, "met" if is_met else "**not met**"]}
    ordered = [rows[name] for name in ORDER if name in rows]
    write_section(TITLE, table(HEADINGS, ordered), first=True)
    print(f"{what}: {measured} (budget: {budget}): {'met' if is_met else 'NOT MET'}")
    return is_met
