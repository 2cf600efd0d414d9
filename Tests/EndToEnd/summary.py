"""Adds up the test results: `summary.py DIRECTORY stage=status…` prints `N passed, N failed`.

The directory holds JUnit XML. A stage that failed without a failed test to show for it (a build error, a crash
of the runner, the linter) counts as one failure.
"""

import sys
from pathlib import Path
from xml.etree import ElementTree


def count(file):
    """(passed, failed) of one JUnit file."""
    passed = failed = 0
    for case in ElementTree.parse(file).iter("testcase"):
        kinds = {child.tag for child in case}
        if kinds & {"failure", "error"}:
            failed += 1
        elif "skipped" not in kinds:
            passed += 1
    return passed, failed


def main(directory, stages):
    passed = failed = 0
    for stage in stages:
        name, status = stage.split("=")
        counts = [count(file) for file in Path(directory).glob(f"{name}*.xml")]
        stage_failed = sum(bad for _, bad in counts)
        passed += sum(good for good, _ in counts)
        failed += stage_failed
        if status != "0" and stage_failed == 0:
            print(f"{name} ended with status {status}")
            failed += 1
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
