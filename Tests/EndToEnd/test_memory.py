"""Memory: no error under valgrind, no leak that grows with requests, and a resident size that stays flat."""

import re

import pytest

from harness import CATALOG, PROJECT, ROOT, Client


def traffic(server, keys, rounds):
    """Requests of every kind, good and bad, on a connection that is kept and on ones that are not."""
    partner, gateway = server.client(keys[0]), server.client(keys[1])
    for _ in range(rounds):
        launch = partner.launched(page="program", business_id="11st")
        assert gateway.verdict(launch) == "valid"
        assert gateway.verdict(launch, url=launch["url"] + "x") == "signature_mismatch"
        for fields in ({"page": "main", "category": "뷰티"}, {"redirect_to": "//evil"}, {"userId": 1, "ttl_seconds": 5},
                       {"page": "program", "business_id": "gmarkett"}):
            partner.launch(**fields)
        partner.post("/launch/batch", {"user_id": "U", "platform": "IOS", "items": [{"page": "cs"}, {"page": "no"}] * 5})
        partner.post("/launch", data="{", headers={"Content-Type": "application/json"})
        partner.post("/launch", data="x" * 20_000, headers={"Content-Type": "application/json"})
        for path in ("/whoami", "/businesses?limit=5", "/businesses?limit=x", "/businesses/11st", "/categories", "/pages",
                     "/problems/internal", "/openapi.yaml", "/nowhere"):
            tag = partner.get(path).headers.get("ETag")
            partner.get(path, headers={"If-None-Match": tag or "*"})
        partner.request("DELETE", "/launch")
        Client(server.url).get("/whoami")
        Client(server.operations).get("/readyz")


@pytest.fixture
def ready(fresh):
    fresh.project()
    fresh.run("catalog", "import", CATALOG)
    return fresh, [fresh.key("launch", PROJECT), fresh.key("verify")]


def resident(server):
    """KiB of memory that the server holds."""
    with open(f"/proc/{server.process.pid}/status") as status:
        return int(re.search(r"VmRSS:\s+(\d+) kB", status.read())[1])


def test_the_resident_size_is_flat(ready):
    installation, keys = ready
    with installation.serve() as server:
        sizes = []
        for _ in range(4):
            traffic(server, keys, 150)
            sizes.append(resident(server))
    # 150 rounds are some 4,500 requests: a leak of 100 bytes in each would be 440 KiB a step.
    assert sizes[-1] - sizes[1] < 512, sizes


def test_valgrind_finds_no_error_and_no_leak(ready, tmp_path):
    installation, keys = ready
    log = tmp_path / "valgrind.log"
    command = ("valgrind", "--leak-check=full", "--show-leak-kinds=definite", "--errors-for-leak-kinds=definite",
               f"--suppressions={ROOT / 'Tests/EndToEnd/valgrind.supp'}", "--num-callers=30", f"--log-file={log}")
    with installation.serve(command=command) as server:
        traffic(server, keys, 20)
        assert server.stop() == 0
    report = log.read_text()
    assert "ERROR SUMMARY: 0 errors" in report, report[-20_000:]
