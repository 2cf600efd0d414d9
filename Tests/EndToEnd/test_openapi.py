"""The running server against openapi.yaml: schemathesis with every check, and what the description promises."""

import subprocess
import sys
from xml.etree import ElementTree

import pytest
import yaml

from harness import PATIENCE, ROOT, environment

DESCRIPTION = ROOT / "openapi.yaml"
PATHS = yaml.safe_load(DESCRIPTION.read_text())["paths"]
OPERATIONS = {
    f"{method.upper()} {path}": "servers" in item
    for path, item in PATHS.items() for method in item if method != "servers"
}


@pytest.fixture(scope="module")
def judged(server, keys, tmp_path_factory):
    """Operation to its failures, of one run against each listener."""
    directory = tmp_path_factory.mktemp("schemathesis")
    found, output = {}, ""
    for url, of_operations in ((server.url, False), (server.operations, True)):
        report = directory / f"{of_operations}.xml"
        chosen = [f"--include-name={name}" for name, here in OPERATIONS.items() if here == of_operations]
        done = subprocess.run(
            [sys.executable, "-m", "schemathesis.cli", "--config-file", ROOT / "Tests/EndToEnd/schemathesis.toml", "run",
             DESCRIPTION, "--url", url, *chosen, "--checks", "all", "--report", "junit", "--report-junit-path", report,
             "--output-sanitize", "true", "--no-color"],
            cwd=directory, capture_output=True, text=True, timeout=PATIENCE * 10,
            env=environment(LAUNCH_KEY=keys.launch["api_key"], VERIFY_KEY=keys.verify["api_key"]),
        )
        output += done.stdout + done.stderr
        for case in ElementTree.parse(report).iter("testcase"):
            faults = [child for child in case if child.tag in ("failure", "error")]
            found.setdefault(case.get("name"), []).extend(fault.get("message") or fault.text for fault in faults)
        if done.returncode not in (0, 1):
            raise AssertionError(output)
    return found, output


@pytest.mark.parametrize("operation", OPERATIONS)
def test_an_operation_does_as_described(judged, operation):
    found, output = judged
    assert operation in found, output
    assert not found[operation], "\n".join(found[operation])


def test_nothing_else_is_wrong(judged):
    found, output = judged
    assert not {name: faults for name, faults in found.items() if faults and name not in OPERATIONS}, output
