"""Slow disks: whoever waits for one waits together, whoever would wait for too long is refused, and launches go on."""

import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from crowd import Crowd
from faults import Gateway, preloadable, refused
from harness import Client, environment, eventually

CALLERS = 90


@pytest.fixture
def library(tmp_path):
    return preloadable("disk", tmp_path)


def log_out(server, gateway, user):
    return server.client(gateway.launch).post("/launch/revoke", {"user_id": user})


def test_behind_a_slow_disk(fresh, tmp_path, library):
    """A third of a second for each of these log-outs would be half a minute for the last one."""
    slow, gateway = tmp_path / "slow", Gateway(fresh)
    env = environment(LD_PRELOAD=library, SLOW=str(slow))
    with fresh.serve("--workers", "1", env=env) as server, ThreadPoolExecutor(CALLERS) as pool:
        partner, verifier = server.client(gateway.launch), server.client(gateway.verify)
        launches = {f"U{number}": partner.launched(user_id=f"U{number}") for number in range(CALLERS)}
        slow.touch()
        asked = [pool.submit(log_out, server, gateway, user) for user in launches]
        assert {one.result().status_code for one in asked} == {204}
        slow.unlink()
        assert {verifier.verdict(launch) for launch in launches.values()} == {"revoked"}
        assert server.log.count("failed") == 0


def test_behind_a_disk_that_hangs(fresh, tmp_path, library):
    """What was on its way to the disk may get there; what waited behind it is not done any more once it is refused."""
    slow, gateway = tmp_path / "slow", Gateway(fresh)
    env = environment(LD_PRELOAD=library, SLOW=str(slow), SLOW_BY="6000")
    with fresh.serve("--workers", "1", env=env) as server, ThreadPoolExecutor(CALLERS) as pool, Crowd(server) as crowd:
        partner, verifier = server.client(gateway.launch), server.client(gateway.verify)
        launches = {f"U{number}": partner.launched(user_id=f"U{number}") for number in range(CALLERS)}
        first, *messages = gateway.messages(server, CALLERS)
        slow.touch()
        crowd.send([first])
        # Of the only worker: the second is answered after whatever came before it. Then the writer takes it up.
        for _ in range(2):
            partner.launched()
        time.sleep(0.3)
        asked = {user: pool.submit(log_out, server, gateway, user) for user in launches}
        with Crowd(server, size=len(messages)) as others:
            others.send(messages)
            for _ in range(20):
                partner.launched()
            assert Client(server.operations).get("/healthz").status_code == 200
            assert crowd.take() == others.take() == 0, "each of the launches was answered while all others waited"
            assert crowd.receive() == [(503, None)] and set(others.receive()) == {(503, None)}
        for one in asked.values():
            refused(one.result())
        slow.unlink()
        counted = f'{{method="POST",route="/launch/revoke",code="503"}} {CALLERS}\n'
        eventually(lambda: counted in Client(server.operations).get("/metrics").text)
        # It is well as soon as the disk is.
        eventually(lambda: log_out(server, gateway, "V").status_code == 204)
        assert {verifier.verdict(launch) for launch in launches.values()} == {"valid"}
        assert set(crowd.ask(messages)) == {(204, None)}
        assert set(crowd.ask([first, *messages])) == {(401, "replayed")}
