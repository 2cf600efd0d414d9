"""docs/security.md names a test for each risk: each has to be there."""

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
