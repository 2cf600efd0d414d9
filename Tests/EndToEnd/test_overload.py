"""More is asked than can be answered: whoever would wait for too long is refused, and the next are served at once."""

from concurrent.futures import ThreadPoolExecutor

from faults import Gateway, preloadable, refused
from harness import Client, environment, eventually

# On a disk on which each log-out takes a third of a second the last of these would wait for 30 s.
CALLERS = 90


def test_behind_a_slow_disk(fresh, tmp_path):
    slow = tmp_path / "slow"
    env = environment(LD_PRELOAD=preloadable("disk", tmp_path), SLOW=str(slow))
    gateway = Gateway(fresh)
    with fresh.serve("--workers", "1", env=env) as server, ThreadPoolExecutor(CALLERS) as pool:
        partner, verifier = server.client(gateway.launch), server.client(gateway.verify)
        launches = {f"U{number}": partner.launched(user_id=f"U{number}") for number in range(CALLERS)}
        log_out = lambda user: server.client(gateway.launch).post("/launch/revoke", {"user_id": user})
        slow.touch()
        asked = {user: pool.submit(log_out, user) for user in launches}
        assert Client(server.operations).get("/healthz").status_code == 200, "it has a loop of its own"
        answers = {user: one.result() for user, one in asked.items()}
        slow.unlink()
        done = {user for user, answer in answers.items() if answer.status_code == 204}
        late = answers.keys() - done
        assert done and late
        for user in late:
            assert "more requests than the server can answer" in refused(answers[user])["detail"]
        counted = f'{{method="POST",route="/launch/revoke",code="503"}} {len(late)}\n'
        eventually(lambda: counted in Client(server.operations).get("/metrics").text)
        # It is well at once, and did all of what it said that it did and nothing of what it refused.
        eventually(lambda: partner.post("/launch/revoke", {"user_id": "V"}).status_code == 204)
        for user, launch in launches.items():
            assert verifier.verdict(launch) == ("revoked" if user in done else "valid")
        assert server.log.count("failed") == 0, "nothing has failed"
