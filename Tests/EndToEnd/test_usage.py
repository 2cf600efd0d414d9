"""The counters: what a stop writes down, and what a kill may lose."""

import signal
import sqlite3
import threading
import time
from contextlib import closing

import requests

from harness import PATIENCE, PROJECT, eventually


def counted(installation):
    with closing(sqlite3.connect(installation.data / "launchlink.db")) as database:
        return database.execute("SELECT coalesce(sum(launches), 0) FROM launch_count").fetchone()[0]


class Load:
    """Launches over several connections at once, until nobody answers any more."""

    def __init__(self, server, key, connections=6):
        self.launched = 0
        self.lock = threading.Lock()
        self.threads = [threading.Thread(target=self.call, args=(server.url, key)) for _ in range(connections)]
        for thread in self.threads:
            thread.start()

    def call(self, url, key):
        with requests.Session() as session:
            session.headers["Authorization"] = "Bearer " + key["api_key"]
            while True:
                try:
                    answer = session.post(url + "/launch", json={"user_id": "U", "platform": "IOS"}, timeout=PATIENCE)
                except requests.RequestException:
                    return
                if answer.status_code == 200:
                    with self.lock:
                        self.launched += 1

    def end(self):
        for thread in self.threads:
            thread.join(PATIENCE)
        return self.launched


def test_a_stop_under_load_writes_every_count(fresh):
    fresh.project()
    key = fresh.key("launch", PROJECT)
    with fresh.serve("--workers", 2) as server:
        load = Load(server, key)
        eventually(lambda: load.launched > 200)
        server.process.send_signal(signal.SIGTERM)
        assert server.process.wait(timeout=PATIENCE) == 0
        launched = load.end()
    assert counted(fresh) == launched > 200


def test_a_kill_loses_the_last_moments_at_most(fresh):
    fresh.project()
    key = fresh.key("launch", PROJECT)
    with fresh.serve() as server:
        client = server.client(key)
        for _ in range(50):
            client.launched()
        eventually(lambda: counted(fresh) == 50)
        load = Load(server, key)
        eventually(lambda: load.launched > 100)
        before = load.launched
        # More than a second, in which all that was answered before is written; a busy machine may need longer.
        eventually(lambda: counted(fresh) >= 50 + before)
        server.process.kill()
        server.process.wait(timeout=PATIENCE)
        launched = load.end()
    assert 50 + before <= counted(fresh) <= 50 + launched + len(load.threads)


def test_when_a_key_was_last_used(fresh):
    fresh.project()
    key = fresh.key("launch", PROJECT)
    assert fresh.json("key", "show", key["key_id"])["last_used_at"] is None
    before = time.time()
    with fresh.serve() as server:
        server.client(key).launched()
        eventually(lambda: fresh.json("key", "show", key["key_id"])["last_used_at"])
    used = fresh.json("key", "show", key["key_id"])["last_used_at"]
    assert time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(before)) <= used
