"""A Debian system without Swift in a directory, and the packages that are tried on it.

`make test-package` names them: PACKAGE, OLDER_PACKAGE (the same program under an earlier version) and
PACKAGE_CACHE, where the bare system is kept between runs.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "Tests/EndToEnd"))

SUITE, MIRROR = "bookworm", "http://deb.debian.org/debian"


class System:
    """The root of the Debian system."""

    def __init__(self, root):
        self.root = root

    def path(self, name):
        return self.root / name.lstrip("/")

    def run(self, *command, status=0):
        done = subprocess.run(
            ["chroot", self.root, *map(str, command)], capture_output=True, text=True, stdin=subprocess.DEVNULL,
            env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C.UTF-8", "DEBIAN_FRONTEND": "noninteractive"},
        )
        if status is not None:
            assert done.returncode == status, (command, done.returncode, done.stdout[-3000:], done.stderr[-3000:])
        return done

    def install(self, package):
        shutil.copy(package, self.path("/tmp"))
        return self.run("apt-get", "install", "--yes", "--no-install-recommends", f"/tmp/{Path(package).name}")


@pytest.fixture(scope="session")
def packages():
    return Path(os.environ["OLDER_PACKAGE"]), Path(os.environ["PACKAGE"])


@pytest.fixture(scope="session")
def system(tmp_path_factory):
    if os.geteuid() != 0:
        pytest.skip("making a Debian system needs root")
    kept = Path(os.environ["PACKAGE_CACHE"]) / f"{SUITE}.tar"
    if not kept.exists():
        subprocess.run(["debootstrap", "--variant=minbase", SUITE, kept.with_suffix(".new"), MIRROR], check=True,
                       stdout=subprocess.DEVNULL)
        subprocess.run(["tar", "--create", "--file", kept.with_suffix(".partial"), "--directory",
                        kept.with_suffix(".new"), "."], check=True)
        kept.with_suffix(".partial").rename(kept)
        shutil.rmtree(kept.with_suffix(".new"))
    root = tmp_path_factory.mktemp("debian") / "root"
    root.mkdir(mode=0o755)
    subprocess.run(["tar", "--extract", "--file", kept, "--directory", root], check=True)
    # Other users than root have to get there.
    for parent in root.parents:
        if parent.is_relative_to(tmp_path_factory.getbasetemp()):
            parent.chmod(0o755)
    subprocess.run(["mount", "-t", "proc", "proc", root / "proc"], check=True)
    try:
        made = System(root)
        made.run("apt-get", "update")
        yield made
    finally:
        subprocess.run(["umount", "--lazy", root / "proc"], check=True)
        shutil.rmtree(root, ignore_errors=True)
