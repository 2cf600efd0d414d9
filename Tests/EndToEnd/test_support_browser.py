"""The support pages in headless Chromium: what staff do, what the console says, what axe-core finds."""

import json
from urllib.parse import parse_qs, urlsplit

import pytest
from selenium.webdriver.common.keys import Keys

from browser import PHONE, WIDE, chromium

LOOKS = [("ko", False, WIDE), ("ko", True, PHONE), ("en", True, WIDE), ("en", False, PHONE)]


def identifiers(browser):
    # In one go: results that are being replaced must not be asked one by one.
    return browser.script("return [...document.querySelectorAll('#results .id code')].map((one) => one.textContent)")


def has_focus(browser, identifier):
    """The browser gives the focus when it next draws the page."""
    browser.until(lambda: browser.script("return document.activeElement.id") == identifier)


def search(browser, text, *found):
    """Types into an emptied search box and waits for its results, which have to be these."""
    box = browser.find("#query")
    box.send_keys(Keys.CONTROL, "a")
    box.send_keys(text)
    browser.until(lambda: parse_qs(urlsplit(browser.driver.current_url).query).get("query") == [text])
    assert identifiers(browser) == list(found)


@pytest.fixture(scope="module")
def korean():
    with chromium("ko") as browser:
        yield browser


@pytest.fixture
def desk(server, keys, korean):
    """A Korean browser that is signed in and at the search."""
    korean.driver.delete_all_cookies()
    korean.sign_in(server.url, keys.support["api_key"])
    korean.complaints()
    yield korean
    assert korean.complaints() == []


def test_a_wrong_key_then_the_right_one(server, keys, korean):
    korean.driver.delete_all_cookies()
    korean.driver.get(server.url + "/support")
    assert korean.text("h1") == "로그인"
    korean.complaints()
    for key, words in ((keys.launch["api_key"], "support 권한이 없습니다"), ("llk_typo", "형식이 맞지 않습니다")):
        korean.find("#api-key").send_keys(key)
        korean.submit("main button")
        assert words in korean.text("[role=alert]") and key not in korean.driver.page_source
        has_focus(korean, "api-key")
    korean.find("#api-key").send_keys(keys.support["api_key"], Keys.ENTER)
    korean.until(lambda: korean.driver.current_url == server.url + "/support")
    assert korean.text("h1") == "비즈니스 찾기" and len(identifiers(korean)) == 25
    assert korean.complaints() == []


def test_searching_while_typing(server, desk):
    desk.script("window.isSamePage = true")
    for text, found in (("11st", ["11st"]), ("쿠팡", ["coupang"]), ("ㅋㅍ", ["coupang", "byte_house"]), ("znvkd", ["coupang"])):
        search(desk, text, *found)
        assert desk.text("#count") == f"{len(found)}개"
    assert desk.script("return window.isSamePage")
    has_focus(desk, "query")
    assert desk.driver.current_url == server.url + "/support?query=znvkd"
    search(desk, "nothing-like-it")
    assert "맞는 비즈니스가 없습니다" in desk.text("#results") and desk.text("#count") == "찾지 못했습니다"
    desk.driver.refresh()
    assert desk.find("#query").get_attribute("value") == "nothing-like-it" and identifiers(desk) == []


def test_the_slash_leads_to_the_search_and_the_first_tab_past_the_menu(server, desk):
    desk.script("document.activeElement.blur()")
    desk.find("body").send_keys("/")
    has_focus(desk, "query")
    desk.find("#query").send_keys("a/b")
    assert desk.find("#query").get_attribute("value") == "a/b"
    desk.driver.get(server.url + "/support/businesses/11st")
    desk.find("body").send_keys(Keys.TAB)
    skip = desk.driver.switch_to.active_element
    assert skip.get_attribute("class") == "skip" and skip.rect["y"] >= 0
    skip.send_keys(Keys.ENTER)
    has_focus(desk, "content")


def test_copying(server, desk, partner):
    desk.driver.execute_cdp_cmd(
        "Browser.grantPermissions", {"origin": server.url, "permissions": ["clipboardReadWrite", "clipboardSanitizedWrite"]}
    )
    search(desk, "11st", "11st")
    launch = partner.launched(page="program", business_id="11st")
    for place, text in ((".id", "11st"), (".link", launch["url"])):
        button = desk.find(f"#results {place} .copy")
        desk.script("""
            window.labels = [];
            new MutationObserver(() => labels.push(arguments[0].textContent)).observe(arguments[0], {childList: true});
        """, button)
        button.click()
        # The label goes back after a moment.
        desk.until(lambda: "복사됨" in desk.script("return labels"))
        desk.until(lambda: desk.find("#announcement").get_attribute("textContent") == "복사됨")
        read = "const done = arguments[0]; navigator.clipboard.readText().then(done, (error) => done(String(error)))"
        assert desk.driver.execute_async_script(read) == text


def test_details_and_back(server, desk):
    search(desk, "ㅋㅍ", "coupang", "byte_house")
    desk.submit("#results h3 a")
    assert desk.driver.current_url == server.url + "/support/businesses/coupang"
    assert desk.text("h1") == "쿠팡" and "1.2%" in desk.text() and "1,500원" in desk.text() and "koopang" in desk.text()
    desk.driver.back()
    desk.until(lambda: identifiers(desk) == ["coupang", "byte_house"])
    assert desk.find("#query").get_attribute("value") == "ㅋㅍ"


def test_explaining(server, desk, partner):
    launch = partner.launched(page="program", business_id="11st")
    desk.driver.get(server.url + "/support/explain")
    desk.find("#launch").send_keys(launch["url"].replace("cashback-ui", "other"))
    desk.submit(".explain button")
    assert desk.driver.current_url == server.url + "/support/explain"
    assert desk.text(".verdict h2") == "이 실행은 지금 열리지 않습니다."
    first = desk.find(".findings li")
    assert first.get_attribute("class") == "problem" and "파트너에게 전할 내용" in first.text
    desk.find("#launch").clear()
    desk.find("#launch").send_keys("hello")
    desk.submit(".explain button")
    assert desk.text("[role=alert]") and desk.find("#launch").get_attribute("value") == "hello"


def test_signing_out(server, desk):
    desk.submit(".account button")
    assert "로그아웃했습니다" in desk.text()
    desk.driver.get(server.url + "/support/businesses/11st")
    assert desk.text("h1") == "로그인"


def test_a_session_that_ends_while_searching(fresh):
    key = fresh.key("support")
    with fresh.serve() as server, chromium("en") as browser:
        browser.sign_in(server.url, key["api_key"])
        browser.find("#query")
        fresh.run("key", "revoke", key["key_id"], "--yes")
        browser.find("#query").send_keys("11st")
        browser.until(lambda: browser.driver.current_url.startswith(server.url + "/support/sign-in"))
        browser.until(lambda: "Your session has ended" in browser.text())
        assert browser.complaints() == []
        again = fresh.key("support")
        browser.find("#api-key").send_keys(again["api_key"])
        browser.submit("main button")
        assert browser.driver.current_url == server.url + "/support?query=11st"
        assert browser.find("#query").get_attribute("value") == "11st"


def test_without_a_script(server, keys):
    with chromium("en") as browser:
        browser.driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
        browser.driver.get(server.url + "/support/sign-in")
        browser.find("#api-key").send_keys(keys.support["api_key"], Keys.ENTER)
        browser.until(lambda: identifiers(browser))
        assert not any(button.is_displayed() for button in browser.all(".copy"))
        browser.find("#query").send_keys("11st", Keys.ENTER)
        browser.until(lambda: identifiers(browser) == ["11st"])
        browser.find("#results h3 a").click()
        browser.until(lambda: browser.text("h1") == "11번가")


# What stands out of the box that it belongs into, or is cut by it; a choice or a hint that is longer than its field.
CUT = """
const room = (field, text) => {
  const style = getComputedStyle(field), pen = document.createElement('canvas').getContext('2d');
  pen.font = style.font;
  const arrow = field.tagName === 'SELECT' ? 16 : 0;
  return field.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight) - arrow - pen.measureText(text).width;
};
const boxes = [...document.querySelectorAll('main table, main dl, main .results, main .search')];
const out = boxes.flatMap((box) => [...box.querySelectorAll('*')]
  .filter((one) => one.getBoundingClientRect().right > box.getBoundingClientRect().right && !one.closest('.unseen, thead, option')));
const cut = [...document.querySelectorAll('main code')].filter((one) => one.clientWidth && one.scrollWidth > one.clientWidth);
const fields = [
  ...[...document.querySelectorAll('select')].map((one) => [one, one.selectedOptions[0].text]),
  ...[...document.querySelectorAll('#query')].map((one) => [one, one.placeholder])];
const short = fields.filter(([field, text]) => room(field, text) < 0).map(([field]) => field);
return [...out, ...cut, ...short].map((one) => one.outerHTML.slice(0, 200));
"""


@pytest.mark.parametrize("language, width", [("en", 320), ("ko", 320), ("en", 390), ("ko", 1280)])
def test_nothing_is_cut_on_a_narrow_screen(fresh, tmp_path, language, width):
    commission = {"amount": "123456789012.123456", "unit": "KRW_COMMISSION_UNIT"}
    product = {"starts_at": "2026-01-01T00:00:00Z", "ends_at": "2026-12-31T14:59:00Z", "commission_type": "CPM", "commission": commission}
    file = tmp_path / "catalog.json"
    file.write_text(json.dumps([{"business_id": "a" * 30, "name": "아주아주 긴 이름의 쇼핑몰", "category": "mall", "products": [product]}]))
    fresh.run("catalog", "import", file)
    with fresh.serve() as server, chromium(language, size=(width, 800)) as browser:
        browser.sign_in(server.url, fresh.key("support")["api_key"])
        for path in ("/support", "/support/businesses/" + "a" * 30):
            browser.driver.get(server.url + path)
            assert browser.script(CUT) == [], path
            assert browser.script("return document.documentElement.scrollWidth <= innerWidth")
        browser.driver.get(server.url + "/support")
        row, name = (browser.script(f"return document.querySelector('{at}').getBoundingClientRect().width") for at in ("#results li", "#results .name"))
        assert name > row / 3
        assert browser.text("#results .link code").endswith("%3D" + "a" * 30)


@pytest.mark.parametrize("language, dark, size", LOOKS, ids=["wide", "dark-phone", "dark-wide", "phone"])
def test_axe_finds_nothing_and_nothing_overflows(server, keys, partner, language, dark, size):
    launch = partner.launched(page="program", business_id="11st")
    with chromium(language, dark=dark, size=size) as browser:

        def check(place):
            assert browser.violations() == [], place
            assert browser.script("return document.documentElement.scrollWidth <= innerWidth"), place
            assert browser.script("return document.documentElement.lang") == language

        browser.driver.get(server.url + "/support/sign-in?ended")
        check("sign-in")
        browser.find("#api-key").send_keys("llk_typo")
        browser.submit("main button")
        check("a wrong key")
        browser.sign_in(server.url, keys.support["api_key"])
        paper = browser.script("return getComputedStyle(document.body).backgroundColor")
        assert (int(paper.split("(")[1].split(",")[0]) < 128) == dark
        for path in ("", "?query=11st", "?active=false", "?query=nothing-like-it&category=beauty", "/businesses/11st", "/explain"):
            browser.driver.get(server.url + "/support" + path)
            check(path)
        for text in (launch["url"], launch["url"].replace("cashback-ui", "other"), "hello"):
            browser.driver.get(server.url + "/support/explain")
            browser.find("#launch").send_keys(text)
            browser.submit(".explain button")
            check(text)
        assert browser.complaints() == []
        browser.driver.get(server.url + "/support/nowhere")
        check("not found")
