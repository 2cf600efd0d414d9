"""The statistics page: who sees it, what it shows, in headless Chromium and without one."""

import re
import sqlite3
import time
from contextlib import closing

import pytest
import requests

from browser import PHONE, WIDE, chromium
from harness import PATIENCE, PROJECT, eventually, install

HOSTILE = "<b onclick=alert(1)>Acme & \"Söhne\"</b>"
OTHER, GONE = "000000000000000000000001", "0000000000000000000000ff"
LOOKS = [("ko", False, WIDE), ("ko", True, PHONE), ("en", True, WIDE), ("en", False, PHONE)]


@pytest.fixture(scope="module")
def house(tmp_path_factory):
    """An installation with a month of launches, one of them real, and its server."""
    made = install(tmp_path_factory.mktemp("statistics"))
    made.project(PROJECT, HOSTILE)
    made.project(OTHER, "한빛은행")
    made.support, made.launch = made.key("support"), made.key("launch", PROJECT)
    today = int(time.time()) // 86_400
    rows = [(today - ago, PROJECT, "key_000000000000", page, platform, launches)
            for ago in range(1, 29) for page, platform, launches in
            (("program", "IOS", 7 * ago % 11 + 1), ("", "ANDROID", 3 * ago % 5 + 1))]
    rows += [(today - 3, OTHER, "key_000000000001", "main", "IOS", 1200), (today - 9, GONE, "key_000000000002", "cs", "IOS", 2)]
    rows += [(today - 40, OTHER, "key_000000000001", "main", "IOS", 99_999)]
    with closing(sqlite3.connect(made.data / "launchlink.db")) as database, database:
        database.executemany("INSERT INTO launch_count VALUES (?, ?, ?, ?, ?, ?)", rows)
    made.total = sum(row[5] for row in rows[:-1]) + 1
    with made.serve() as server:
        server.client(made.launch).launched(page="cs")
        # Not of one day: midnight may pass at any time.
        eventually(lambda: made.json("stats", "--days", 30)["total"] == made.total)
        made.server = server
        yield made


def signed_in(house):
    session = requests.Session()
    session.post(house.server.url + "/support/sign-in", data={"api_key": house.support["api_key"]},
                 headers={"Origin": house.server.url}, timeout=PATIENCE)
    return session


def test_only_who_signed_in_sees_it(house):
    answer = requests.get(house.server.url + "/support/statistics", timeout=PATIENCE, allow_redirects=False)
    assert answer.status_code == 303 and answer.headers["Location"].startswith("/support/sign-in")
    assert signed_in(house).get(house.server.url + "/support/statistics", timeout=PATIENCE).status_code == 200


def test_its_figures_are_those_of_the_command(house):
    page = signed_in(house).get(
        house.server.url + "/support/statistics", headers={"Accept-Language": "en"}, timeout=PATIENCE).text
    assert f"<strong>{house.total:,}</strong>" in page and "<strong>1,2" in page
    assert house.json("stats", "--days", 30)["total"] == house.total
    assert len(re.findall('class="day"', page)) == 30
    assert "한빛은행" in page and GONE in page and "99,999" not in page


def test_a_name_is_shown_as_text(house):
    page = signed_in(house).get(house.server.url + "/support/statistics", timeout=PATIENCE).text
    assert HOSTILE not in page and "&lt;b onclick=alert(1)&gt;Acme &amp;" in page


def test_without_a_launch_it_says_so(fresh):
    key = fresh.key("support")
    with fresh.serve() as server, chromium("en") as browser:
        browser.sign_in(server.url, key["api_key"])
        browser.submit("nav a[href='/support/statistics']")
        assert "No launches in these days" in browser.text()
        assert browser.violations() == [] and browser.complaints() == []


@pytest.mark.parametrize("language, dark, size", LOOKS)
def test_axe_finds_nothing_and_nothing_overflows(house, language, dark, size):
    with chromium(language, dark=dark, size=size) as browser:
        browser.sign_in(house.server.url, house.support["api_key"])
        browser.submit("nav a[href='/support/statistics']")
        assert browser.text("h1") == {"ko": "실행 통계", "en": "Launch statistics"}[language]
        assert len(browser.all(".columns .day")) == 30
        # The columns have room, and the highest reaches far up.
        heights = browser.script("return [...document.querySelectorAll('.columns rect.column')].map((one) => one.getBoundingClientRect().height)")
        assert max(heights) > 50 and min(heights) < 5
        # A date stands under the column of its day.
        distances = browser.script("""
            const middle = (one) => { const box = one.getBoundingClientRect(); return box.left + box.width / 2 };
            const days = [...document.querySelectorAll('.columns .day')];
            return [...document.querySelectorAll('.dates time')].map((date) => Math.abs(middle(date) - middle(
                days.find((day) => day.querySelector('title').textContent.startsWith(date.dateTime)).querySelector('.reach'))))""")
        assert len(distances) == 5 and max(distances) < 2
        browser.find("summary").click()
        assert browser.violations() == [] and browser.complaints() == []
        assert browser.script("return document.documentElement.scrollWidth <= innerWidth")
