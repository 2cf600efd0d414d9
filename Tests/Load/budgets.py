"""The first table of the page: what was promised, what was measured."""

import re

from results import PAGE, table, write_section

TITLE = "Budgets"
HEADINGS = ["what", "budget", "measured", ""]
ORDER = [
    "`POST /launch`, requests/s against nginx's constant of the same size",
    "the same with the access log to a file on both sides",
    "processor time of a launch on top of a bare libmicrohttpd answer",
    "`GET /businesses/{id}`, requests/s against the same nginx",
    "search among 10,000 businesses, slowest kind of query, median",
    "a launch with 1,000,000 keys stored against 10",
    "memory resident, 10,000 businesses, after 1,000,000 launches",
    "memory growth with 1,000,000 launches more",
    "start to first answer, that data",
    "instructions of a launch against those recorded",
]
LAUNCH, LOGGED, COST, BUSINESS, SEARCH, KEYS, MEMORY, GROWTH, START, INSTRUCTIONS = ORDER


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
