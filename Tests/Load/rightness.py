"""Whether a peer's answers are right, before they are measured: a fast wrong answer is worth nothing.

LaunchLink is the judge of bundles: its own answers are held to the contract in Tests/EndToEnd, by implementations that
nobody here wrote. Each server is asked about a launch that it issued and about everything that comes of it by a change
in one place, and about bundles that only the holder of a key can sign; the peers have to answer as LaunchLink does,
code for code. Then: log-outs, disabled projects, single uses at once and after a kill, and that each is on disk first.
"""

import json
import random
import re
import signal
import subprocess
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

from bundles import USERS, Caller, asked_by_gateway, forward_auth, issue, posted, question
from data import ONCE, made_key
from harness import PROJECT
from servers import launchlink
from signing import COVERED, bundle, exported
from test_verify import REFUSED

SIGNED = {
    "another label": {"label": "sig1"}, "another order": {"covered": COVERED[::-1]},
    "more components": {"covered": (*COVERED, "x-extra"), "headers": {"x-extra": "1"}},
    "derived components": {"covered": (*COVERED, "@scheme")}, "a clock ahead": {"age": -15},
    "another path": {"url": "https://cashback-ui.moment.fairytech.ai/other?x"}, "more parameters": {"extra": "yes", "n": 5},
    "an absent header": {"covered": (*COVERED, "x-extra")}, "the gateway's own header": {"covered": (*COVERED, "authorization")},
    "a name in upper case": {"covered": (*COVERED, "X-Moment-Platform")}, "covered twice": {"covered": (*COVERED, "@path")},
} | {f"without {name}": {"covered": tuple(one for one in COVERED if one != name)} for name in COVERED}
SINGLE, AT_ONCE, EACH = 100, 64, 10


class LaunchLink:
    """LaunchLink, with what a check needs of a peer."""

    name = "LaunchLink"

    def __init__(self, data):
        self.data = data
        self.key = exported(data.installation, PROJECT)

    def serve(self):
        return launchlink(self.data.installation)

    def log_out(self, server, user):
        with Caller(server) as caller:
            answer, = caller.ask([posted("/launch/revoke", json.dumps({"user_id": user}), self.data.keys["launch"])])
        assert answer.status == 204, answer

    def set_disabled(self, is_disabled):
        self.data.installation.run("project", *(["disable", PROJECT, "--yes"] if is_disabled else ["enable", PROJECT]))


def verdict(answer):
    """`204`, or the status and the code."""
    return str(answer.status) if answer.status == 204 else f"{answer.status} {answer.header('x-launch-code')}"


def changed(name, text):
    """A header's value with one character changed, doubled or left out, at each place."""
    # Whether a signature is still base64 with one more = at its end depends on the character before.
    others = 'x7;,"' + "=" * (name != "signature")
    for at, old in enumerate(text):
        for new in (*others, "", old + old):
            if new != old:
                yield f"{at} {new}", text[:at] + new + text[at + 1:]


def variants(launch, data, key):
    """(name, request) of all that can be made of a launch, and of bundles signed by a key."""
    good = asked_by_gateway(launch, data.keys["gateway"])
    yield "good", question(launch, data.keys["gateway"])
    for name in ("X-Forwarded-Method", "X-Forwarded-Host", "X-Forwarded-Uri", *launch["headers"]):
        for which, value in changed(name, good[name]):
            yield f"{name} {which}", forward_auth((good | {name: value}).items())
        yield f"no {name}", forward_auth((one, value) for one, value in good.items() if one != name)
        yield f"two {name}", forward_auth([*good.items(), (name, good[name])])
        yield f"empty {name}", forward_auth((good | {name: ""}).items())
    host = good["X-Forwarded-Host"]
    for other in (f"{host}:443", f"{host}:444", host.title(), f"{host}:443:443", f"{host}.", f"a@{host}"):
        yield f"host {other}", forward_auth((good | {"X-Forwarded-Host": other}).items())
    yield "upper case", forward_auth((name.upper(), value) for name, value in good.items())
    yield "blanks", forward_auth((name, f" {value}\t ") for name, value in good.items())
    yield "another signature", forward_auth([*good.items(), ("Signature", "other=:AAAA:"), ("Signature-Input", "other=()")])
    yield "a query of its own", forward_auth(good.items(), target="/verify/forward-auth?x=1")
    for scope in ("verify", "launch"):
        yield f"{scope} key", question(launch, data.keys[scope])
    yield "unknown key", question(launch, made_key(random.Random(1)))
    for name, how in (SIGNED | {name: how for name, (how, _) in REFUSED.items()}).items():
        yield f"signed: {name}", question(bundle(PROJECT, key, **how), data.keys["gateway"])
    yield "signed with another key", question(bundle(PROJECT, (key[0], bytes(32))), data.keys["gateway"])
    for other in (ONCE, "0" * 24):
        yield f"signed for {other}", question(bundle(other, key), data.keys["gateway"])


def verdicts(subject):
    """A server's verdict on each variant, and that it issues what it accepts and says whom it let pass."""
    data = subject.data
    with subject.serve() as server, Caller(server) as caller:
        launch, = issue(server, data, 1, users=USERS[1:2])
        good, = caller.ask([question(launch, data.keys["gateway"])])
        assert good.status == 204 and good.header("cache-control") == "no-store", good
        for name in ("x-moment-project-id", "x-moment-user-id", "x-moment-platform"):
            assert good.header(name) == launch["headers"][name], (name, good)
        found = {}
        for name, request in variants(launch, data, subject.key):
            answer, = caller.ask([request])
            assert answer.status == 204 or good.header("x-moment-web-api-key").encode() not in answer.head + answer.body
            found[name] = verdict(answer)
        return found, good.header("x-moment-web-api-key")


def revocations(subject):
    """Verdicts before and after a log-out, and on a project that is disabled and enabled again."""
    user = "logged-out-in-a-check"
    with subject.serve() as server, Caller(server) as caller:
        def ask(launch):
            answer, = caller.ask([question(launch, subject.data.keys["gateway"])])
            return verdict(answer)

        (before, ), (bystander, ) = (list(issue(server, subject.data, 1, users=[one])) for one in (user, USERS[1]))
        told = [ask(before)]
        subject.log_out(server, user)
        time.sleep(0.01)
        after, = issue(server, subject.data, 1, users=[user])
        told += [ask(before), ask(after), ask(bystander)]
        for is_disabled in (True, False):
            subject.set_disabled(is_disabled)
            told.append(ask(after))
    assert told == ["204", "401 revoked", "204", "204", "401 project_disabled", "204"], (subject.name, told)


def use(server, data, launches):
    """The verdicts on uses over a connection, one after another."""
    with Caller(server) as caller:
        return [verdict(caller.ask([question(launch, data.keys["gateway"])])[0]) for launch in launches]


def use_at_once(server, data, parts):
    """The verdicts on uses of all parts at the same time, a connection each."""
    with ThreadPoolExecutor(len(parts)) as pool:
        return [one for some in pool.map(lambda part: use(server, data, part), parts) for one in some]


def single_uses(subject):
    """Of all who use a launch at once one gets in, and none after a stop or a kill."""
    data = subject.data
    with subject.serve() as server:
        contested, killed, stopped = issue(server, data, 3, "once")
        assert Counter(use_at_once(server, data, [[contested]] * AT_ONCE)) == {"204": 1, "401 replayed": AT_ONCE - 1}, subject.name
        assert use(server, data, [killed]) == ["204"], subject.name
        server.process.send_signal(signal.SIGKILL)
        server.process.wait()
    with subject.serve() as server:
        assert use(server, data, [killed, stopped, stopped]) == ["401 replayed", "204", "401 replayed"], subject.name
    with subject.serve() as server:
        assert use(server, data, [stopped, contested]) == ["401 replayed"] * 2, subject.name


def syncs(server, work):
    """How often the server had files written to the disk during the work."""
    tracer = subprocess.Popen(
        ["strace", "-f", "-c", "-e", "trace=fdatasync,fsync", "-p", str(server.process.pid)], stderr=subprocess.PIPE, text=True,
    )
    attached = threading.Event()
    said = []

    def listen():
        for line in tracer.stderr:
            said.append(line)
            if "attached" in line:
                attached.set()

    listener = threading.Thread(target=listen)
    listener.start()
    try:
        assert attached.wait(10), said
        # Threads that the main one was attached with follow at once.
        time.sleep(0.5)
        work()
    finally:
        tracer.send_signal(signal.SIGINT)
        tracer.wait()
        listener.join()
    return sum(int(count) for count in re.findall(r"(?m)^\s*[\d.]+\s+[\d.]+\s+\d+\s+(\d+)\s.*f(?:data)?sync$", "".join(said)))


def waits_for_the_disk(subject):
    """Each single use alone waits for a sync of its own, many at once share them; gives both counts."""
    data = subject.data
    with subject.serve() as server:
        alone = list(issue(server, data, SINGLE, "once"))
        together = list(issue(server, data, AT_ONCE * EACH, "once"))
        verdicts_alone, verdicts_together = [], []
        one = syncs(server, lambda: verdicts_alone.extend(use(server, data, alone)))
        parts = [together[number::AT_ONCE] for number in range(AT_ONCE)]
        many = syncs(server, lambda: verdicts_together.extend(use_at_once(server, data, parts)))
    assert set(verdicts_alone + verdicts_together) == {"204"}, subject.name
    assert one >= SINGLE, f"{subject.name}: {one} syncs for {SINGLE} single uses one after another"
    assert 0 < many <= len(together) / 2, f"{subject.name}: {many} syncs for {len(together)} single uses at once"
    return one, many


def check(peers, ours):
    """Fails unless every peer is right; a sentence on what was asked."""
    expected, web_api_key = verdicts(ours)
    assert expected["good"] == "204" and expected["blanks"] == "204" and len(set(expected.values())) > 10, expected
    told = []
    for peer in peers:
        found, key = verdicts(peer)
        assert key == web_api_key, peer.name
        # Two launches differ, and where one already has the character of a change that one is left out.
        wrong = {name: (found[name], right) for name, right in expected.items() if found.get(name, right) != right}
        assert not wrong, f"{peer.name}: {len(wrong)} of {len(expected)} verdicts are wrong: {dict(list(wrong.items())[:20])}"
        assert len(found) > 0.9 * len(expected), f"{peer.name} was asked {len(found)} of {len(expected)}"
        revocations(peer)
        single_uses(peer)
        told.append("{}: {} and {} syncs".format(peer.name, *waits_for_the_disk(peer)))
    return f"""{len(expected):,} verdicts of each
were LaunchLink's own, code for code; single uses held at once, after a kill and after a stop. {SINGLE} of them one after
another, and {AT_ONCE * EACH} over {AT_ONCE} connections: {"; ".join(told)}."""
