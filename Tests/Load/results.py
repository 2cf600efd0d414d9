"""The page of results: a section a benchmark, each saying where and how it was measured."""

import platform
import re
import subprocess
from pathlib import Path

PAGE = Path(__file__).with_name("RESULTS.md")
PACKAGES = ["libmicrohttpd12", "libsqlite3-0", "libssl3", "libjansson4", "nginx", "wrk"]
HEAD = "# What was measured\n\n`make bench` measures again and writes this page.\n"


def machine():
    """The processor, the number of cores and the kernel."""
    found = re.search(r"model name\s*:\s*(.+)", Path("/proc/cpuinfo").read_text())
    cores = len(re.findall(r"^processor\s*:", Path("/proc/cpuinfo").read_text(), re.MULTILINE))
    return f"{found[1] if found else platform.machine()}, {cores} cores, Linux {platform.release()}"


def versions(program):
    """The program under test and what it stands on."""
    said = subprocess.run([program, "version"], check=True, capture_output=True, text=True).stdout.split("\n")[0]
    swift = subprocess.run(["swift", "--version"], check=True, capture_output=True, text=True)
    compiler = re.search(r"Swift version \S+", swift.stdout + swift.stderr)
    packages = subprocess.run(
        ["dpkg-query", "--show", "--showformat=${Package} ${Version}, ", *PACKAGES],
        check=False, capture_output=True, text=True,
    ).stdout.rstrip(", ")
    return ", ".join(filter(None, [said.strip(), compiler and compiler[0], packages]))


def table(headings, rows):
    """A Markdown table whose columns but the first are numbers."""
    lines = [headings, ["---"] + ["---:"] * (len(headings) - 1), *rows]
    return "\n".join("| " + " | ".join(map(str, line)) + " |" for line in lines)


def write_section(title, text, first=False):
    """Puts a section in its place on the page; a new one comes last, unless it is to be the first."""
    page = PAGE.read_text(encoding="utf-8") if PAGE.exists() else HEAD
    section = f"## {title}\n\n{text.strip()}\n"
    pattern = re.compile(rf"^## {re.escape(title)}\n.*?(?=^## |\Z)", re.MULTILINE | re.DOTALL)
    if pattern.search(page):
        page = pattern.sub(lambda _: section + "\n", page).rstrip() + "\n"
    elif first:
        page = page.replace(HEAD, f"{HEAD}\n{section}", 1)
    else:
        page = page.rstrip() + "\n\n" + section
    PAGE.write_text(page, encoding="utf-8")
