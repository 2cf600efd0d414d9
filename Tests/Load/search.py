"""How fast the search is: median and 99th percentile of each kind of query, over HTTP, one after another.

Run by `make bench`; the program is that of BINARY_UNDER_TEST.
"""

import os
import random
import socket
import statistics
import sys
import tempfile
import time
from datetime import date
from pathlib import Path
from urllib.parse import quote

sys.path.insert(0, str(Path(__file__).parents[1] / "EndToEnd"))

from harness import binary, install  # noqa: E402
from results import machine, table, versions, write_section  # noqa: E402
from shops import shops, write_catalog  # noqa: E402

SIZES = [10_000, 100_000]
SAMPLES = 300
INITIALS = "ㄱㄲㄴㄷㄸㄹㅁㅂㅃㅅㅆㅇㅈㅉㅊㅋㅌㅍㅎ"
UNJOINED = (
    INITIALS, "ㅏㅐㅑㅒㅓㅔㅕㅖㅗㅘㅙㅚㅛㅜㅝㅞㅟㅠㅡㅢㅣ", ["", *"ㄱㄲㄳㄴㄵㄶㄷㄹㄺㄻㄼㄽㄾㄿㅀㅁㅂㅄㅅㅆㅇㅈㅊㅋㅌㅍㅎ"],
)
KEYS = (
    "r R s e E f a q Q t T d w W c z x v g".split(),
    "k o i O j p u P h hk ho hl y n nj np nl b m ml l".split(),
    " r R rt s sw sg e f fr fa fq ft fx fv fg a q qt t T d w c z x v g".split(" "),
)


def letters(syllable):
    """The numbers of a syllable's initial, vowel and final; None for anything else."""
    number = ord(syllable) - 0xAC00
    return (number // 588, number // 28 % 21, number % 28) if 0 <= number < 11_172 else None


def initials(text):
    return "".join(INITIALS[found[0]] if (found := letters(one)) else one for one in text)


def english_keys(text):
    return "".join(
        "".join(keys[at] for keys, at in zip(KEYS, found)) if (found := letters(one)) else one for one in text
    )


def unjoined(text):
    return "".join(
        "".join(UNJOINED[at][number] for at, number in enumerate(found)) if (found := letters(one)) else one
        for one in text
    )


def queries(made):
    """SAMPLES queries of each kind, of businesses chosen by chance."""
    chance = random.Random(1)
    mixed = [shop for shop in made if shop[1][0].isascii()]
    korean = [shop for shop in made if all(letters(one) for one in shop[1].replace(" ", ""))]

    def some(make, of=made):
        return [make(chance.choice(of)) for _ in range(SAMPLES)]

    return {
        "id": some(lambda shop: shop[0]),
        "name": some(lambda shop: shop[1]),
        "prefix": some(lambda shop: shop[1].replace(" ", "")[:3]),
        "part": some(lambda shop: shop[1].replace(" ", "")[1:4]),
        "one syllable": some(lambda shop: shop[1][0]),
        "one letter": some(lambda shop: shop[0][0]),
        "initials": some(lambda shop: initials(shop[1].replace(" ", ""))[:4], korean),
        "one initial": some(lambda shop: initials(shop[1])[0], korean),
        "keyboard": some(lambda shop: english_keys(shop[1]), korean),
        "keyboard, Latin and Hangul": some(lambda shop: english_keys(shop[1]), mixed),
        "unjoined letters": some(lambda shop: unjoined(shop[1]), korean),
        "programme's name": some(lambda shop: f"{shop[1]} 캐시백"),
        "host": some(lambda shop: f"m.{shop[0].replace('_', '-')}.example"),
        "URL": some(lambda shop: f"https://www.{shop[0].replace('_', '-')}.example/item/12?id=345&utm_source=a"),
        "launch URL": some(lambda shop: quote(f"/cashback/detail?business_id={shop[0]}", safe="")),
        "two words": some(lambda shop: f"{shop[1].split()[-1]} {shop[0]}"),
        "six words": some(lambda shop: f"{shop[0]} 캐시백 example 백 스 a"),
        "words of one letter": some(lambda shop: " ".join(chance.choices("aeiouns", k=chance.randint(3, 6)))),
        "a common word and a letter": some(lambda shop: f"캐시백 {shop[0][0]}"),
        "the same, other layout": some(lambda shop: f"zotlqor {shop[0][0]}"),
        "words that all have": some(lambda shop: f"{shop[0][0]} 캐시백 백 example 시"),
        "short words": some(lambda shop: " ".join(chance.choice(made)[0][:2] for _ in range(4))),
        "URL in text": some(lambda shop: f"보세요 https://www.{shop[0].replace('_', '-')}.example/"),
        "escapes of no link": some(lambda shop: "%25" * 680),
        "near, Hangul": some(lambda shop: shop[1][:-1] + chr(ord(shop[1][-1]) ^ 1), korean),
        "near, Latin": some(lambda shop: shop[0][:2] + shop[0][3:]),
        "no such host": some(lambda shop: f"https://a.b.c.d.{shop[0][::-1]}x.invalid/a/b"),
        "nothing found, short": some(lambda shop: shop[1].replace(" ", "")[-1] + "힣"),
        "nothing found, words": some(lambda shop: f"{shop[1]} 캐시백 없음"),
        "nothing found": some(lambda shop: shop[1][::-1] + "힣a"),
    }


class Caller:
    """One connection that asks and waits, with as little of its own work as can be."""

    def __init__(self, server, key):
        self.socket = socket.create_connection(server.address)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.head = f"Host: localhost\r\nAuthorization: Bearer {key['api_key']}\r\n\r\n"

    def ask(self, text):
        """Microseconds until the whole answer is there, and the answer."""
        request = f"GET /businesses?query={quote(text)} HTTP/1.1\r\n{self.head}".encode()
        start = time.perf_counter_ns()
        self.socket.sendall(request)
        answer = bytearray()
        wanted = None
        while wanted is None or len(answer) < wanted:
            answer += self.socket.recv(1 << 20)
            if wanted is None and (end := answer.find(b"\r\n\r\n")) >= 0:
                length = next(
                    line for line in answer[:end].decode().lower().split("\r\n") if line.startswith("content-length:")
                )
                wanted = end + 4 + int(length.split(":")[1])
        took = (time.perf_counter_ns() - start) / 1000
        assert answer.startswith(b"HTTP/1.1 200 "), bytes(answer)
        return took, answer


def resident(process):
    """Memory of a process in MiB."""
    lines = Path(f"/proc/{process.pid}/status").read_text().splitlines()
    return int(next(line for line in lines if line.startswith("VmRSS")).split()[1]) / 1024


def measure(size):
    made = shops(size)
    with tempfile.TemporaryDirectory() as directory:
        installation = install(directory)
        catalog = Path(directory) / "catalog.csv"
        write_catalog(catalog, made)
        installation.run("catalog", "import", catalog)
        with installation.serve() as server:
            caller = Caller(server, installation.key("support"))
            first, _ = caller.ask("첫 검색")
            times = {}
            for kind, texts in queries(made).items():
                for text in texts[:20]:
                    caller.ask(text)
                times[kind] = [caller.ask(text)[0] for text in texts]
            return times, first / 1000, resident(server.process)


def percentile(values, share):
    return sorted(values)[min(int(len(values) * share), len(values) - 1)]


def main():
    """Measures and writes the section; gives the slowest kind of query among 10,000 and its median in ms."""
    load = os.getloadavg()[0]
    measured = {size: measure(size) for size in SIZES}
    headings = ["query"] + [f"{size:,}: {what}" for size in SIZES for what in ("median", "99th percentile")]
    rows = []
    for kind in measured[SIZES[0]][0]:
        row = [kind]
        for size in SIZES:
            times = measured[size][0][kind]
            row += [f"{statistics.median(times) / 1000:.2f} ms", f"{percentile(times, 0.99) / 1000:.2f} ms"]
        rows.append(row)
    notes = "\n".join(
        f"- {size:,} businesses: the first search, which builds the index, {first:.0f} ms; memory resident afterwards "
        f"{memory:.1f} MiB."
        for size, (_, first, memory) in measured.items()
    )
    text = f"""From sending `GET /businesses?query=…` to the last byte of the answer, up to 50 whole businesses: {SAMPLES}
queries of each kind one after another on one connection; the caller's own time is in it. What callers are given of a
business is remembered until something is committed: the median has it remembered, the 99th percentile has not.

{table(headings, rows)}

{notes}

{date.today()}, {machine()}, load average {load:.1f} before; {versions(binary())}. Command: `make bench`, here `Tests/Load/search.py`."""
    print(table(headings, rows) + "\n\n" + notes)
    write_section("Search", text)
    medians = {kind: statistics.median(times) / 1000 for kind, times in measured[SIZES[0]][0].items()}
    slowest = max(medians, key=medians.get)
    return slowest, medians[slowest]


if __name__ == "__main__":
    main()
