"""The systemd units, and the scripts and files of the Debian package that need no package to be judged."""

import re
import subprocess

import pytest

from harness import ROOT

UNITS = ROOT / "Deploy/systemd"
SCRIPTS = ROOT / "Deploy/debian"


@pytest.fixture
def units(tmp_path):
    """The units as they are installed, but that the program is one which is there."""
    for unit in UNITS.glob("launchlink*"):
        (tmp_path / unit.name).write_text(unit.read_text().replace("/usr/bin/launchlink serve", "/bin/true"))
    return tmp_path


def test_the_units_are_well_formed(units):
    done = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", *map(str, units.iterdir())], capture_output=True, text=True)
    assert done.returncode == 0 and "launchlink" not in done.stderr, done.stderr


def test_the_service_is_hardened(units):
    done = subprocess.run(
        ["systemd-analyze", "security", "--offline=true", "--no-pager", units / "launchlink.service"],
        capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    exposure = float(re.search(r"Overall exposure level for launchlink.service: ([0-9.]+)", done.stdout)[1])
    assert exposure <= 2.0, "\n".join(line for line in done.stdout.splitlines() if line.startswith("✗"))


def test_the_service_sees_what_its_metrics_are_made_of():
    """/proc/stat, which has the time of the start of the machine, is gone under ProcSubset=pid."""
    assert "\nProcSubset=pid" not in (UNITS / "launchlink.service").read_text()


@pytest.mark.parametrize("script", ["postinst", "prerm", "postrm"])
def test_a_maintainer_script_is_plain_shell(script):
    text = (SCRIPTS / script).read_text()
    assert text.startswith("#!/bin/sh\n") and "\nset -e\n" in text
    subprocess.run(["sh", "-n", SCRIPTS / script], check=True)
