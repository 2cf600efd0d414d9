"""What `make bench` measures of verifications and log-outs, and of launches beside them."""

import budgets
import bundles
from cases import ALLOW, LAUNCH, NGINX, place, show
from load import CONNECTIONS, Measured, Subject
from results import table
from servers import launchlink, nginx

ONCE, VERIFY = "forward-auth, `once`", "POST /verify"
ASKING, BESIDE = 16, 48


def verification():
    """A gateway's and a backend's verifications against launches."""
    with place() as (directory, data, stack):
        ours = stack.enter_context(launchlink(data.installation))
        size = len(data.checked_launch(ours).content)
        bundles.log_out(ours, data)
        asked = bundles.allow(ours, data, directory)
        measured = Measured({
            NGINX: Subject(stack.enter_context(nginx(directory / "nginx", size)), data.launch()),
            LAUNCH: Subject(ours, data.launch()), ALLOW: Subject(ours, asked),
            VERIFY: Subject(ours, bundles.verify(ours, data, directory)), ONCE: Subject(ours, bundles.once(ours, data)),
        })
        data.checked_launch(ours)
    allow, verify = (measured.ratio(name, LAUNCH, "cost") for name in (ALLOW, VERIFY))
    once = measured.ratio(ONCE, ALLOW)
    show("Verification", f"""Launches and verifications of one server, {CONNECTIONS} connections. Forward-auth as nginx asks, with the headers of a
web view: `allow` with the bundles of 1,000 users in turn, `once` with each bundle used one time and on disk before the
answer. Half of the users had been logged out before. The server issued each bundle; every answer was judged: 204, or
200 and `"valid":true`.""", table(Measured.HEADINGS, measured.rows(LAUNCH)))
    return all([
        budgets.report(budgets.ALLOW, "1.3 times", f"{allow:.2f} times", allow <= 1.3),
        budgets.report(budgets.ONCE, "0.60", f"{once:.2f}", once >= 0.6),
        budgets.report(budgets.VERIFY, "1.6 times", f"{verify:.2f} times", verify <= 1.6),
    ])


def beside():
    """What launches notice of verifications."""
    with place() as (directory, data, stack):
        ours = stack.enter_context(launchlink(data.installation))
        data.checked_launch(ours)
        bundles.log_out(ours, data)
        measured = Measured({
            name: Subject(ours, data.launch(), connections=ASKING, beside=Subject(ours, asked, connections=BESIDE))
            for name, asked in ((ALLOW, bundles.allow(ours, data, directory)), (ONCE, bundles.once(ours, data)))
        })
        data.checked_launch(ours)
    times = measured.ratio(ONCE, ALLOW, "p99")
    show("Launches beside verifications", f"Launches of {ASKING} connections beside {BESIDE} that verify all the time.",
         beside_table(measured))
    return budgets.report(budgets.BESIDE, "2 times", f"{times:.2f} times", times <= 2)


def beside_table(measured):
    """What was measured of launches beside something else."""
    return table(["beside", "launches/s", "median", "99th percentile", "verifications/s"], [
        [name, f"{measured.median(name, 'rate'):,.0f}", f"{measured.median(name, 'p50'):.2f} ms",
         f"{measured.median(name, 'p99'):.2f} ms", f"{measured.median(name, 'beside'):,.0f}"] for name in measured.samples
    ])


def log_outs():
    """What launches notice of other projects' log-outs."""
    with place() as (_, data, stack):
        ours = stack.enter_context(launchlink(data.installation))
        data.checked_launch(ours)
        going_on = bundles.LogOuts(ours, data)
        alone, together = "alone", f"beside {bundles.LOG_OUTS_A_SECOND} log-outs a second"
        measured = Measured({alone: Subject(ours, data.launch()), together: Subject(ours, data.launch(), beside=going_on)})
        data.checked_launch(ours)
    ratio = measured.ratio(together, alone)
    show("Launches beside log-outs", f"""Launches of {CONNECTIONS} connections beside `POST /launch/revoke` of another project, another user each
time; {going_on.rate:.0f} a second were answered. What they take of the processor is in what the launches take.""",
         table(Measured.HEADINGS, measured.rows(alone)))
    is_met = ratio >= 0.95 and going_on.rate >= 0.95 * bundles.LOG_OUTS_A_SECOND
    return budgets.report(budgets.LOG_OUTS, "0.95", f"{ratio:.2f} at {going_on.rate:.0f} a second", is_met)


CASES = {"verification": verification, "beside": beside, "log-outs": log_outs}
