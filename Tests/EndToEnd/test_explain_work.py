"""The work of `launchlink explain` grows no faster than the text, and what it prints is bounded: instructions are counted, not time."""

import json
import re
import subprocess
from concurrent.futures import ThreadPoolExecutor

import pytest

from harness import environment

URL = "https://cashback-ui.moment.fairytech.ai/main?redirect_to=%2Fcs"
SIGNED = 'signature-input: launch=("@method");created=1764460800;expires=1764461100'


def many(form, size, joint=""):
    """Numbered pieces, until they have so many bytes together."""
    count = size // len((form + joint).replace("#", "0000").encode())
    return joint.join(form.replace("#", f"{number:04d}") for number in range(count))


def members(form, size):
    return "{" + many(form, size, ",") + "}"


KINDS = {
    "parameters": lambda size: URL + many("&p#", size),
    "parameters and headers": lambda size: f'{{"url":"{URL}{many("&p#", size // 3)}","headers":{members(chr(34) + "h#" + chr(34) + ":" + chr(34) + "value#" + chr(34), size)}}}',
    "a path": lambda size: URL + many("%2Fs#%3Fa", size),
    "URLs": lambda size: many("https://h#.example/main?redirect_to=%252F#\n", size),
    "deep links": lambda size: many("moment://cashback?redirect_to=%2Fcs#\n", size),
    "headers as JSON": lambda size: f'{{"url":"{URL}","headers":{members(chr(34) + "h#" + chr(34) + ":" + chr(34) + "value#" + chr(34), size)}}}',
    "headers of a bundle": lambda size: f"{URL}\n" + many("x-moment-h#: value#\n", size),
    "a map": lambda size: f"{URL}\n" + members("x-moment-h#=value#", size),
    "options of a command": lambda size: f"curl '{URL}'" + many(" -H 'h#: value#'", size),
    "components of a signature": lambda size: "signature-input: launch=(" + many('"h#"', size, " ") + ")\nsignature: launch=:AAAA:\n" + URL,
    "objects": lambda size: many('{"a#":[', size // 2) + "]}" * (size // 18),
    "closing parentheses": lambda size: URL + ")" * size,
    "codes": lambda size: many("code: expired, unknown_page, request_id: r#; ", size),
    "API keys": lambda size: many("llk_abcdefgh#_secret ", size),
    # Canonical order takes the square of their number, to compare and to hash.
    "combining characters": lambda size: URL + "?category=" + "\u0300\u0323" * (size // 4),
    "escaped combining characters": lambda size: URL + "%3Fcategory%3D" + "%CC%80%CC%A3" * (size // 12),
}


def explaining(installation, text, *tool):
    return subprocess.run([*tool, *installation.arguments("explain", "--output", "json")], cwd=installation.directory, env=environment(),
                          input=text.encode(), capture_output=True)


def instructions(installation, text):
    """How many instructions it takes to explain the text, the program's start included."""
    tool = ("valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null")
    counted = explaining(installation, text, *tool).stderr.decode(errors="replace")
    return int(re.search(r"I +refs: +([\d,]+)", counted)[1].replace(",", ""))


# Enough that a start of the program under valgrind for each is soon over.
COUNTED = ("parameters", "parameters and headers", "a path", "URLs", "headers of a bundle", "a map", "options of a command",
           "components of a signature", "objects", "closing parentheses", "combining characters", "escaped combining characters")
# How many times as much text it takes for a square to be seen beside the program's start.
LONGER = {"combining characters": 4, "escaped combining characters": 12}


def test_twice_the_text_is_twice_the_work(installation):
    size = 1500
    texts = ["x"] + [KINDS[kind](times * size * LONGER.get(kind, 1)) for kind in COUNTED for times in (1, 2)]
    with ThreadPoolExecutor(2) as pool:
        start, *counts = pool.map(lambda text: instructions(installation, text), texts)
    grown = {kind: (counts[2 * index + 1] - start) / max(counts[2 * index] - start, start / 10) for index, kind in enumerate(COUNTED)}
    assert {kind: ratio for kind, ratio in grown.items() if ratio >= 2.3} == {}


@pytest.mark.parametrize("kind", ("parameters", "URLs", "deep links", "headers as JSON", "headers of a bundle", "codes", "API keys"))
def test_what_is_printed_is_bounded(installation, kind):
    for size, most in ((5_800, 64_000), (60_000, 256_000)):
        done = explaining(installation, KINDS[kind](size))
        assert done.returncode in (0, 1, 65) and 0 < len(done.stdout) < most, (done.returncode, len(done.stdout))
        assert len(json.loads(done.stdout)["findings"]) < 40
