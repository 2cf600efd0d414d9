"""The power fails while many launches are used at once: what has not reached the disk is lost, and nobody was told of it."""

import random
import shutil

from faults import Gateway, preloadable
from harness import environment
from test_faults_kill import USED, assert_kept, use_until

CUTS = 12


def test_while_many_launches_are_used(fresh, tmp_path):
    gateway, drawn, durable, slow = Gateway(fresh), random.Random(20261203), tmp_path / "durable", tmp_path / "slow"
    # Nearly all of the time a group is on its way to the disk.
    env = environment(LD_PRELOAD=preloadable("disk", tmp_path), DURABLE=str(durable), SLOW=str(slow), SLOW_BY="15")
    told = lost = 0
    for _ in range(CUTS):
        shutil.rmtree(durable, ignore_errors=True)
        shutil.copytree(fresh.data, durable)
        with fresh.serve("--workers", "4", env=env) as server:
            messages = gateway.messages(server, 1600)
            slow.touch()
            sent, outcomes = use_until(server.process.kill, drawn.uniform(0.05, 0.4), [server], messages)
            slow.unlink()
            server.process.wait()
        shutil.rmtree(fresh.data)
        shutil.copytree(durable, fresh.data)
        assert fresh.json("db", "check")["sound"] is True
        with fresh.serve() as server:
            lost += assert_kept(server, sent, outcomes)
        told += outcomes.count(USED)
    assert told and lost, "the cuts must come in the middle"
