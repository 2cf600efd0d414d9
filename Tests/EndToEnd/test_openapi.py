"""The running server against openapi.yaml: schemathesis with every check, and what the description promises."""

import subprocess
import sys
from xml.etree import ElementTree

import pytest
import yaml

from harness import PATIENCE, ROOT, environment

HERE = ROOT / "Tests/EndToEnd"
DESCRIPTION = ROOT / "openapi.yaml"
PATHS = yaml.safe_load(DESCRIPTION.read_text())["paths"]
OPERATIONS = [f"{method.upper()} {path}" for path, item in PATHS.items() for method in item if method != "servers"]
VERIFYING = ["POST /verify"]
# 401 is about the bundle here, so a gateway without a key is 403, and the check knows 401 alone for that header;
# ForwardAuthTests of the Swift tests ask without Authorization and without each X-Forwarded header.
GUARDING, GUARDING_EXEMPT = ["GET /verify/forward-auth"], ["--exclude-checks=missing_required_header"]
OPERATING = ["GET /healthz", "GET /readyz", "GET /metrics"]


@pytest.fixture(scope="module")
def judged(server, keys, tmp_path_factory):
    """(operation to its failures, what schemathesis said): a run a key and listener."""
    directory = tmp_path_factory.mktemp("schemathesis")
    rest = [name for name in OPERATIONS if name not in VERIFYING + GUARDING + OPERATING]
    runs = [
        (server.url, keys.launch, rest, []), (server.url, keys.verify, VERIFYING, []),
        (server.url, keys.verify, GUARDING, GUARDING_EXEMPT), (server.operations, keys.launch, OPERATING, []),
    ]
    found, output = {}, ""
    for url, key, operations, exempt in runs:
        report = directory / f"{len(found)}.xml"
        done = subprocess.run(
            [sys.executable, "-m", "schemathesis.cli", "--config-file", HERE / "schemathesis.toml", "run",
             DESCRIPTION, "--url", url, *(f"--include-name={name}" for name in operations), "--checks", "all", *exempt,
             "--report", "junit", "--report-junit-path", report, "--no-color"],
            cwd=directory, capture_output=True, text=True, timeout=PATIENCE * 10,
            env=environment(API_KEY=key["api_key"], SCHEMATHESIS_HOOKS="schemathesis_checks", PYTHONPATH=str(HERE)),
        )
        output += done.stdout + done.stderr
        assert done.returncode in (0, 1), output[-2000:]
        for case in ElementTree.parse(report).iter("testcase"):
            faults = [child for child in case if child.tag in ("failure", "error")]
            found.setdefault(case.get("name"), []).extend(fault.text or fault.get("message") for fault in faults)
    return found, output


@pytest.mark.parametrize("operation", OPERATIONS)
def test_an_operation_does_as_described(judged, operation):
    found, output = judged
    assert operation in found, output[-2000:]
    assert not found[operation], "\n".join(found[operation])


def test_nothing_else_is_wrong(judged):
    found, _ = judged
    wrong = [fault for name, faults in found.items() if name not in OPERATIONS for fault in faults]
    assert not wrong, "\n".join(wrong)
