"""docs/security.md names a test for each risk and fault: each has to be there, and each fault that is tried in it."""

import re

from harness import ROOT

NAMED = re.compile(r"`(\w+\.(?:py|swift))(?:::(\w+))?`")


def test_every_test_that_the_table_names_is_there():
    named = NAMED.findall((ROOT / "docs/security.md").read_text())
    assert len(named) > 50
    for file, test in named:
        found = list((ROOT / "Tests").rglob(file))
        assert found, file
        text = "".join(path.read_text() for path in found)
        definition = "def" if file.endswith(".py") else "func"
        assert not test or re.search(rf"{definition} {test}\b", text), f"{file}::{test}"


def test_every_fault_that_is_tried_is_in_the_table():
    text = (ROOT / "docs/security.md").read_text()
    table = text[text.index("### Faults"):].split("\n### ")[0]
    named = set(NAMED.findall(table))
    for path in [*(ROOT / "Tests/EndToEnd").glob("test_faults_*.py"), ROOT / "Tests/EndToEnd/test_overload.py"]:
        for test in re.findall(r"^def (test_\w+)", path.read_text(), re.M):
            assert (path.name, test) in named, f"{path.name}::{test}"
