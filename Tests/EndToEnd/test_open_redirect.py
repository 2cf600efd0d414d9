"""Open redirects: thousands of hostile `redirect_to` values, judged by ada, the URL parser of Node.js and others.

Whatever is accepted leads to the upstream's own origin, at a configured page, in the URL that the app loads and in the
`redirect_to` that the cashback web then reads out of it, however often somebody decodes that.
"""

import itertools
import random
from urllib.parse import unquote

import ada_url
import pytest

BASE = "https://cashback-ui.moment.fairytech.ai/main"
ORIGIN = "https://cashback-ui.moment.fairytech.ai"
PAGES = {"/cashback", "/cashback/detail", "/cashback/transactions", "/settings", "/cs"}

EVIL = "evil.example"
# What has been taken for the start of a path and read as a host or a scheme by one browser or another.
PREFIXES = [
    "", "/", "//", "///", "////", "/\\", "\\/", "\\\\", "\\", "/\\/", "/\\\\", "\\/\\/", "//\\", "/./", "/../", "/.//", "/..//",
    "/%2f", "/%2F", "/%5c", "/%5C", "%2f", "%2f%2f", "%5c%5c", "%252f", "%25252f%25252f", "/%2e%2e/", "/%2e/", "/.%2e/", "/%2e%2e%2f",
    "/%09/", "/%0a/", "/%0d/", "/%00/", "/\t/", "/\n/", "/\r/", "\t//", "\n//", "\r\n//", " //", "\x00//", "\x0b//", "\x1f//", "\x7f//",
    "/\x00/", "/ /", "/\u00a0/", "\u00a0//", "\u3000//", "\ufeff//", "/\u200b/", "/\u2028/", "/\u2029/", "\u2028//", "/\u00ad/",
    "/\u2044", "/\u2215", "/\uff0f", "\uff0f\uff0f", "/\u29f8", "/\uff3c", "\u3002", "http:", "https:", "http:/", "https:/", "http://",
    "https://", "HTTPS://", "hTtP:\\\\", "https:\\\\", "http:///", "https:////", "ht\ttps://", "javascript:", "java\nscript:",
    "JaVaScRiPt://", "data:", "data:text/html,", "vbscript:", "file:///", "blob:https://", "about:", "view-source:https://", "ftp://",
    "ws://", "intent://", "moment://", "//user@", "https://user:pass@", "//cashback-ui.moment.fairytech.ai@",
    "https://cashback-ui.moment.fairytech.ai.", "//cashback-ui.moment.fairytech.ai.", "https://cashback-ui.moment.fairytech.ai@",
    "https://cashback-ui.moment.fairytech.ai:443@", "https://cashback-ui.moment.fairytech.ai\\@", "?", "#", "?//", "#//", ";//", ":",
    "://", "@", "/@", "/cashback", "/cashback/", "/cashback//", "/cashback@", "/cashback.", "/cashback\\", "/cashback/..//",
    "/cashback/../..//", "/cashback%2f..%2f..//", "/cashback/%2e%2e//", "/cashback;//", "/cashback?next=//", "/cashback#//",
    "/cashback?redirect_to=https://", "/cashback/detail?business_id=11st&u=https://", "/cs?@", "/cs#@", "/settings?\\\\", "/cs?\t//",
    "/CASHBACK//", "/c\u0430shback//", "/cashbac\u212a//", "/cash\u00adback//", "/cs\u0338?//", "/\uff43s?//", "/%63s?//", "/c%73?//",
]
HOSTS = [
    EVIL, f"{EVIL}/", f"{EVIL}/cashback", f"{EVIL}:443", f"{EVIL}%2fcashback", f"{EVIL}\\cashback", f"{EVIL}?/cashback", f"{EVIL}#/cashback",
    f"{EVIL}%00.cashback-ui.moment.fairytech.ai", f"{EVIL}@cashback-ui.moment.fairytech.ai", "[::1]", "[::ffff:7f00:1]", "2130706433",
    "0x7f000001", "017700000001", "127.1", "\u24d4vil\u3002example", "ev\u200bil.example", "xn--", "alert(1)", "", "..", "%2e%2e", "@", ":@", " ",
]
SUFFIXES = ["", "/..", "?business_id=11st", "#", "%0d%0aX-Evil:1", "\r\nX-Evil: 1", "%"]


def generated():
    for prefix, host in itertools.product(PREFIXES, HOSTS):
        yield prefix + host
    for prefix, suffix in itertools.product(PREFIXES, SUFFIXES[1:]):
        yield prefix + EVIL + suffix
    for page, prefix in itertools.product(sorted(PAGES), PREFIXES):
        yield page + prefix + EVIL
        yield prefix + page
    # The same in every run.
    dice = random.Random(9421)
    pieces = [*PREFIXES, *HOSTS, *SUFFIXES, *sorted(PAGES), "/", "\\", ".", "%2f", "%5c", "?", "#", "&", "=", "business_id=11st"]
    for _ in range(4000):
        yield "".join(dice.choices(pieces, k=dice.randint(1, 4)))


def batches(values, size):
    values = iter(values)
    while batch := list(itertools.islice(values, size)):
        yield batch


def assert_stays(url, path, what):
    """A browser goes to the upstream's own origin, to this path, without credentials in the address."""
    assert (url.origin, url.username, url.password) == (ORIGIN, "", ""), what
    assert url.pathname in path, what


def judge(raw, launch):
    """Everything that anybody could read out of an accepted launch."""
    url = ada_url.URL(launch["url"])
    assert_stays(url, {"/main"}, (raw, launch["url"]))
    assert url.href == launch["url"], "a browser changes it, so that it is not what was signed"
    assert launch["redirect_to"] == raw
    assert ada_url.URLSearchParams(url.search.removeprefix("?")).get_all("redirect_to") == [raw]
    # The cashback web goes there by history, location or link, each of which resolves it so; relative to whichever page.
    for base in (ORIGIN, BASE, ORIGIN + "/cashback/detail", "http://cashback-ui.moment.fairytech.ai:80/main"):
        there = ada_url.URL(raw, base=base)
        assert (there.hostname, there.username) == ("cashback-ui.moment.fairytech.ai", ""), (raw, base)
        assert there.pathname in PAGES, (raw, base)
    # Where it is decoded once more than it was encoded, the path stays what it was.
    decoded = unquote(raw.partition("?")[0].partition("#")[0])
    assert_stays(ada_url.URL(decoded, base=BASE), PAGES, raw)
    deep = launch["deep_link"]
    assert deep == "moment://cashback?" + url.search.removeprefix("?"), deep


def test_whatever_is_accepted_stays_at_a_page_of_the_upstream(partner):
    accepted = refused = 0
    for batch in batches(dict.fromkeys(generated()), 100):
        answer = partner.post("/launch/batch", {
            "user_id": "u", "platform": "IOS", "items": [{"redirect_to": raw} for raw in batch],
        })
        assert answer.status_code == 200, answer.text
        for raw, item in zip(batch, answer.json()["items"], strict=True):
            if "launch_id" in item:
                accepted += 1
                judge(raw, item)
            else:
                refused += 1
                assert item["status"] == 422, (raw, item)
    # What hides behind ? and # of a real page is data; all else is turned away.
    assert accepted > 100 and refused > 5000, (accepted, refused)


@pytest.mark.parametrize("raw", ["/cashback?next=//evil.example", "/cs#//evil.example", "/cs?\\\\evil.example"])
def test_the_judge_lets_data_behind_a_page_pass(partner, raw):
    judge(raw, partner.launched(redirect_to=raw))


@pytest.mark.parametrize("raw", [
    "//evil.example/cashback", "/\\evil.example", "https://evil.example/cashback", "/cashback/../../main", "/\t/evil.example",
])
def test_the_judge_sees_what_a_browser_would_do(partner, raw):
    """It is told of launches that no server gives, and finds each."""
    launch = partner.launched(redirect_to="/cs")
    with pytest.raises(AssertionError):
        judge(raw, launch | {"redirect_to": raw})
    with pytest.raises(AssertionError):
        judge("/cs", launch | {"url": launch["url"].replace("://", "://user@", 1)})
