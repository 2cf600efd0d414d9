"""SIGHUP: what a running server takes over, what it refuses, and what needs a restart."""

import json
import os
import threading

from harness import PROJECT, environment, eventually

FILE = """
upstreams:
  production:
    base_url: https://{host}/main
deep_link_scheme: {scheme}
access_log: {log}
"""


def served(fresh, **more):
    """A configuration file, and a server that reads it."""
    file = fresh.directory / "launchlink.yaml"
    log = fresh.directory / "access.log"

    def write(host="first.example", scheme="first", extra=""):
        file.write_text(FILE.format(host=host, scheme=scheme, log=log) + extra)

    write()
    return write, log, fresh.serve("--workers", 2, env=environment(LAUNCHLINK_CONFIG=str(file), **more))


def test_a_changed_configuration_is_taken_over(fresh):
    fresh.project()
    write, _, serving = served(fresh)
    with serving as server:
        client = server.client(fresh.key("launch", PROJECT))
        assert client.launched()["url"].startswith("https://first.example/")
        write(host="second.example")
        server.reload()
        assert client.launched()["url"].startswith("https://second.example/")


def test_a_wrong_configuration_is_refused_as_a_whole_with_every_fault(fresh):
    fresh.project()
    write, _, serving = served(fresh)
    with serving as server:
        client = server.client(fresh.key("launch", PROJECT))
        write(host="second.example", extra="workers: many\nlistn: x\n")
        said = server.reload()
        for word in ("not reloaded", "workers", "listn", "launchlink.yaml:"):
            assert word in said
        launch = client.launched()
        assert launch["url"].startswith("https://first.example/") and launch["deep_link"].startswith("first://")


def test_what_needs_a_restart_is_named(fresh):
    write, _, serving = served(fresh)
    with serving as server:
        write(extra="workers: 7\nlimits:\n  connections: 77\n")
        said = server.reload()
        eventually(lambda: "limits.connections has changed" in server.log)
        assert "workers has changed" not in said, "the option beats the file"


def test_each_launch_is_of_one_configuration(fresh):
    """Host and scheme change together, while launches are asked for all the time."""
    fresh.project()
    key = fresh.key("launch", PROJECT)
    write, _, serving = served(fresh)
    seen, over = [], threading.Event()
    with serving as server:
        def ask():
            client = server.client(key)
            while not over.is_set():
                launch = client.launched()
                seen.append((launch["url"].split("/")[2].split(".")[0], launch["deep_link"].split(":")[0]))

        clients = [threading.Thread(target=ask) for _ in range(3)]
        for one in clients:
            one.start()
        for name in ("second", "first") * 5:
            write(host=f"{name}.example", scheme=name)
            server.reload()
            before = len(seen)
            eventually(lambda: len(seen) > before + 10)
        over.set()
        for one in clients:
            one.join()
    assert set(seen) == {("first", "first"), ("second", "second")}


def test_the_access_log_is_opened_anew(fresh):
    fresh.project()
    _, log, serving = served(fresh)
    with serving as server:
        client = server.client(fresh.key("launch", PROJECT))
        client.launched()
        eventually(lambda: log.exists() and log.read_text().count("\n") == 1)
        os.rename(log, log.with_suffix(".1"))
        server.reload()
        client.launched()
        eventually(lambda: log.exists() and log.read_text().count("\n") == 1)
    assert [json.loads(one)["status"] for one in log.read_text().splitlines()] == [200]
    assert log.with_suffix(".1").read_text().count("\n") == 1


def test_counts_are_written_before_the_server_ends(fresh):
    fresh.project()
    with fresh.serve() as server:
        client = server.client(fresh.key("launch", PROJECT))
        for _ in range(5):
            client.launched()
        assert server.stop() == 0
    assert "5" in fresh.run("stats").stdout
