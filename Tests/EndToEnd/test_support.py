"""The support pages without a browser: sign-in and its session, forged forms, headers, hostile texts."""

import html
import json
import re
from datetime import datetime, timedelta
from html.parser import HTMLParser

import pytest

from harness import PROJECT, eventually, install

COOKIE = "launchlink-session"
PAGES = ["/support", "/support/sign-in", "/support/explain", "/support/businesses/11st", "/support/nowhere"]


class Visitor:
    """A browser's doings without a browser: it keeps cookies, names its origin and follows nothing."""

    def __init__(self, server, language="en"):
        self.client = server.client()
        self.client.session.headers["Accept-Language"] = language
        self.origin = server.url

    def get(self, path, **options):
        return self.client.get(path, **options)

    def post(self, path, fields, **headers):
        return self.client.post(path, data=fields, headers={"Origin": self.origin} | headers)

    def sign_in(self, key):
        answer = self.post("/support/sign-in", {"api_key": key["api_key"]})
        assert (answer.status_code, answer.headers.get("Location")) == (303, "/support")
        return answer

    @property
    def session(self):
        return self.client.session.cookies.get(COOKIE)


class Outline(HTMLParser):
    """The tags and attributes of a page."""

    def __init__(self, text):
        super().__init__()
        self.tags = []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))


@pytest.fixture
def desk(server, keys):
    visitor = Visitor(server)
    visitor.sign_in(keys.support)
    return visitor


def is_signed_in(visitor):
    answer = visitor.get("/support")
    assert answer.status_code in (200, 303)
    return answer.status_code == 200


def test_nobody_sees_anything_without_signing_in(server):
    visitor = Visitor(server)
    for path in ("/support", "/support?query=11st", "/support/businesses/11st", "/support/explain"):
        answer = visitor.get(path)
        assert answer.status_code == 303 and answer.headers["Location"].startswith("/support/sign-in"), path
        assert answer.content == b""
    answer = visitor.post("/support/explain", {"launch": "https://a.example/"})
    assert answer.status_code == 303


def test_the_sign_in_leads_to_the_page_that_was_asked_for(server, keys):
    visitor = Visitor(server)
    asked = visitor.get("/support/businesses/11st")
    page = visitor.get(asked.headers["Location"])
    fields = {tag["name"]: tag.get("value", "") for name, tag in Outline(page.text).tags if name == "input"}
    assert fields == {"next": "/support/businesses/11st", "api_key": ""}
    answer = visitor.post("/support/sign-in", fields | {"api_key": keys.support["api_key"]})
    assert answer.headers["Location"] == "/support/businesses/11st"
    assert "11번가" in visitor.get("/support/businesses/11st").text


@pytest.mark.parametrize("elsewhere", ["//evil.example", "https://evil.example/support", "/\\evil.example", "/whoami"])
def test_the_sign_in_never_leads_elsewhere(server, keys, elsewhere):
    visitor = Visitor(server)
    assert "evil" not in visitor.get("/support/sign-in", params={"next": elsewhere}).text
    answer = visitor.post("/support/sign-in", {"api_key": keys.support["api_key"], "next": elsewhere})
    assert answer.headers["Location"] == "/support"


def test_the_session_cookie(server, keys):
    value = Visitor(server).sign_in(keys.support).headers["Set-Cookie"]
    assert re.fullmatch(
        rf"{COOKIE}=[0-9a-f]{{64}}; Path=/; HttpOnly; SameSite=Lax; Max-Age=28800", value
    )


def test_behind_tls_the_cookie_is_bound_to_the_host(fresh):
    key = fresh.key("support")
    with fresh.serve(env={"LAUNCHLINK_PUBLIC_URL": "https://launch.example"}) as server:
        visitor = Visitor(server)
        assert visitor.post("/support/sign-in", {"api_key": key["api_key"]}).status_code == 403
        visitor.origin = "https://launch.example"
        value = visitor.sign_in(key).headers["Set-Cookie"]
        assert re.fullmatch(
            r"__Host-launchlink=[0-9a-f]{64}; Path=/; HttpOnly; SameSite=Lax; Secure; Max-Age=28800", value
        )


@pytest.mark.parametrize("origin", ["", "null", "http://evil.example", "http://127.0.0.1", "https://{host}", "http://{host}/"])
def test_a_form_from_elsewhere_is_refused(server, keys, desk, origin):
    origin = origin.format(host="%s:%d" % server.address)
    for path, fields in (("sign-in", {"api_key": keys.support["api_key"]}), ("sign-out", {}), ("explain", {"launch": "x"})):
        answer = desk.post(f"/support/{path}", fields, Origin=origin or None)
        assert answer.status_code == 403 and "Set-Cookie" not in answer.headers
        assert "public_url" in answer.text and server.url in html.unescape(answer.text)
    assert is_signed_in(desk)


def test_a_planted_session_is_not_taken_over(server, keys):
    visitor, planted = Visitor(server), "ab" * 32
    answer = visitor.post("/support/sign-in", {"api_key": keys.support["api_key"]}, Cookie=f"{COOKIE}={planted}")
    first = visitor.session
    assert answer.status_code == 303 and first != planted and is_signed_in(visitor)
    other = Visitor(server)
    other.client.session.cookies.set(COOKIE, planted)
    assert not is_signed_in(other)
    visitor.sign_in(keys.support)
    assert visitor.session not in (first, planted) and is_signed_in(visitor)
    old = Visitor(server)
    old.client.session.cookies.set(COOKIE, first)
    assert not is_signed_in(old)


def test_a_revoked_key_ends_its_sessions_at_once(fresh):
    key, other = fresh.key("support"), fresh.key("support")
    with fresh.serve() as server:
        visitor, colleague = Visitor(server), Visitor(server)
        visitor.sign_in(key)
        colleague.sign_in(other)
        assert is_signed_in(visitor)
        fresh.run("key", "revoke", key["key_id"], "--yes")
        answer = visitor.get("/support/explain")
        assert answer.headers["Location"] == "/support/sign-in?ended&next=%2Fsupport%2Fexplain"
        assert "session has ended" in visitor.get(answer.headers["Location"]).text
        assert is_signed_in(colleague)


def test_signing_out_ends_the_session_itself(server, desk):
    session = desk.session
    answer = desk.post("/support/sign-out", {})
    assert answer.status_code == 303 and "Max-Age=0" in answer.headers["Set-Cookie"]
    assert "signed out" in desk.get(answer.headers["Location"]).text
    thief = Visitor(server)
    thief.client.session.cookies.set(COOKIE, session)
    assert not is_signed_in(thief)


def test_a_session_outlives_a_restart(fresh):
    key = fresh.key("support")
    with fresh.serve() as server:
        visitor = Visitor(server)
        visitor.sign_in(key)
    with fresh.serve() as server:
        later = Visitor(server)
        later.client.session.cookies.set(COOKIE, visitor.session)
        assert is_signed_in(later)


def test_why_a_key_does_not_sign_in(fresh):
    fresh.project()
    wrong, revoked, expired = fresh.key("launch", PROJECT), fresh.key("support"), fresh.key("support", None, "--expires-in", "1s")
    fresh.run("key", "revoke", revoked["key_id"], "--yes")
    known = fresh.key("support")
    other = known["api_key"][:17]
    with fresh.serve() as server:
        eventually(lambda: server.client(expired).get("/whoami").json().get("code") == "expired_api_key")
        for key, english, korean in (
            ("", "Enter an API key", "입력해 주세요"),
            (known["api_key"][:-1], "mistyped or cut short", "형식이 맞지 않습니다"),
            ("llk_abcDEF012345_003aUlTJC7tjlCTQj2uNU3MFagCXG9LRKRcwGkBIDlf1CWOy9", "not known here", "등록되지 않은"),
            (revoked["api_key"], "was revoked", "취소된"),
            (expired["api_key"], "has expired", "만료된"),
            (wrong["api_key"], "lacks the scope support", "support 권한이 없습니다"),
        ):
            for language, words in (("en", english), ("ko", korean)):
                visitor = Visitor(server, language)
                answer = visitor.post("/support/sign-in", {"api_key": key})
                page = visitor.get(answer.headers["Location"])
                assert page.status_code == 200 and words in html.unescape(page.text), (key, page.text)
                assert visitor.session is None
                for text in (page.text, answer.headers["Location"], server.log):
                    assert not re.findall(".{0,60}llk_.{0,60}", text.replace("begin with llk_", "").replace("llk_로", ""))
        assert other not in server.log


@pytest.mark.parametrize("path", PAGES)
def test_what_every_page_carries(desk, path):
    answer = desk.get(path)
    policy = dict(part.split(" ", 1) for part in answer.headers["Content-Security-Policy"].split("; "))
    assert policy["default-src"] == policy["frame-ancestors"] == policy["base-uri"] == "'none'"
    assert {policy[name] for name in ("style-src", "script-src", "img-src", "connect-src", "form-action")} == {"'self'"}
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert answer.headers["Referrer-Policy"] == "same-origin"
    assert answer.headers["Cache-Control"] == "no-store"
    assert answer.headers["Cross-Origin-Opener-Policy"] == "same-origin"
    assert answer.headers["X-Request-Id"]
    if answer.status_code == 303:
        return
    assert answer.headers["Content-Type"] == "text/html; charset=utf-8"
    for name, tag in Outline(answer.text).tags:
        assert not {"style", "onclick", "onload", "onerror"} & tag.keys()
        if name in ("script", "link", "img"):
            assert re.match(r"/support/assets/\w+\.[0-9a-f]{16}\.(css|js|svg)$", tag.get("src") or tag["href"]), tag
        assert name != "style"


def test_the_assets_are_kept_for_good_and_need_no_session(server, desk):
    found = {tag.get("src") or tag.get("href") for name, tag in Outline(desk.get("/support").text).tags if name in ("script", "link", "img")}
    assert len(found) == 3
    for path in found:
        answer = Visitor(server).get(path)
        assert answer.status_code == 200 and answer.content
        assert answer.headers["Cache-Control"] == "public, max-age=31536000, immutable"
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert Visitor(server).get("/support/assets/support.0000000000000000.css").status_code == 404


def rows(page):
    return re.findall(r'href="/support/businesses/([^"]+)"', page)


def test_searching_works_without_a_script(desk):
    assert rows(desk.get("/support?query=11st&category=&active=").text) == ["11st"]
    page = desk.get("/support?query=nothing-like-it").text
    assert rows(page) == [] and "No business matches" in page and "Initial consonants" in page
    only = rows(desk.get("/support?category=beauty&active=true").text)
    assert only and set(only) < set(everything(desk))


def everything(desk, path="/support"):
    found = []
    while path:
        page = desk.get(path).text
        found += rows(page)
        link = re.search(r'rel="next" href="([^"]+)"', page)
        path = link and html.unescape(link[1])
    return found


def test_pages_make_up_the_list(desk, server, keys):
    listed = server.client(keys.support).get("/businesses?limit=200").json()["items"]
    assert everything(desk) == [one["business_id"] for one in listed]
    assert len(everything(desk)) > len(rows(desk.get("/support").text))


def test_a_row_and_the_details_say_what_support_needs(desk, partner):
    launch = partner.launched(page="program", business_id="11st")
    for path in ("/support?query=11st", "/support/businesses/11st"):
        page = html.unescape(desk.get(path).text)
        for text in ("11번가", "종합몰", "2.5%", "Active", launch["url"], 'data-copy="11st"', f'data-copy="{launch["url"]}"'):
            assert text in page, (path, text)
    for text in ("₩3,000", "첫 구매", "일일번가", "웹과 앱에서 결제한 주문", "2026-12-31 23:59", "https://cdn.example/11st.png", launch["redirect_to"]):
        assert text in page, text
    assert "<img" not in page.split("<main")[1]
    assert desk.get("/support/businesses/nosuch").status_code == 404


@pytest.mark.parametrize("accepted, language", [("ko-KR,ko;q=0.9,en;q=0.8", "ko"), ("en-GB,ko;q=0.1", "en"), ("fr", "en"), ("fr, ko;q=0.2", "ko")])
def test_the_language_follows_the_browser(server, desk, accepted, language):
    for path in PAGES:
        answer = desk.get(path, headers={"Accept-Language": accepted})
        if answer.status_code != 303:
            assert f'<html lang="{language}">' in answer.text and answer.headers["Content-Language"] == language
            assert ("지원" in answer.text) == (language == "ko") and "Accept-Language" in answer.headers["Vary"]


HOSTILE = "<script>alert(1)</script><img src=x onerror=alert(1)>\"'&amp;"
SHORT = "<b onclick=x>\"'&lt;</b><script>a()</script>"


@pytest.fixture(scope="module")
def hostile(tmp_path_factory):
    """An installation whose catalogue is hostile in every field that takes such text."""
    made = install(tmp_path_factory.mktemp("hostile"))
    file = made.directory / "catalog.json"
    file.write_text(json.dumps([{
        "business_id": "evil", "name": SHORT, "aliases": [SHORT + "2"], "category": "mall",
        "image_url": "https://a.example/?" + HOSTILE.replace(" ", "+"), "url": "https://b.example/#" + HOSTILE.replace(" ", "+"),
        "program_name": HOSTILE, "display_allowed_cases": HOSTILE + "\n" + HOSTILE, "display_caution": HOSTILE, "active": False,
        "products": [{"target": HOSTILE, "starts_at": None, "ends_at": None, "commission_type": "CPS",
                      "commission": {"amount": "1", "unit": "PERCENTAGE_COMMISSION_UNIT"}}],
    }]))
    made.run("catalog", "import", file)
    key = made.json("key", "create", "--scope", "support", "--name", HOSTILE)
    with made.serve() as server:
        visitor = Visitor(server)
        visitor.sign_in(key)
        yield visitor


def assert_harmless(page):
    tags = Outline(page).tags
    assert not [name for name, tag in tags if name == "b" or any(part.startswith("on") for part in tag)]
    assert [name for name, _ in tags].count("script") == 1 and [name for name, _ in tags].count("img") == 1
    for name, tag in tags:
        if name == "a":
            assert re.match(r"/support|#content|https://[ab]\.example/", tag["href"])


def test_hostile_catalogue_texts_are_shown_as_text(hostile):
    details = hostile.get("/support/businesses/evil").text
    assert_harmless(details)
    shown = html.unescape(details)
    assert shown.count(HOSTILE) >= 6 and SHORT in shown and SHORT + "2" in shown
    listed = hostile.get("/support").text
    assert_harmless(listed)
    assert SHORT in html.unescape(listed)


@pytest.mark.parametrize("text", [HOSTILE, SHORT, "\"><script>alert(1)</script>", '" onfocus=alert(1) x="', "' onfocus=alert(1) x='", "</title>", "\u202e<b>"])
def test_hostile_input_is_shown_as_text(hostile, text):
    for page in (
        hostile.get("/support", params={"query": text}),
        hostile.post("/support/explain", {"launch": text}),
        hostile.post("/support/explain", {"launch": f"https://{text}/main?redirect_to={text}"}),
        hostile.post("/support/explain", {"launch": f"</textarea>{text}"}),
    ):
        assert page.status_code == 200
        assert_harmless(page.text)
        assert text in html.unescape(page.text)


@pytest.mark.parametrize("language, label", [("ko", "한국 시간"), ("en", "Korean time")])
def test_every_time_is_by_the_clock_of_korea(server, keys, partner, language, label):
    visitor = Visitor(server, language)
    visitor.sign_in(keys.support)
    launch = partner.launched(page="program", business_id="11st")
    page = visitor.post("/support/explain", {"launch": json.dumps(launch)}).text
    for name in ("issued_at", "expires_at"):
        time = datetime.fromisoformat(launch[name]) + timedelta(hours=9)
        assert re.search(rf'<dt>[^<]*\({label}\)</dt><dd><time datetime="{launch[name]}">{time:%Y-%m-%d %H:%M:%S}</time>', page)
    words = re.sub("<[^>]*>", " ", page)
    assert f"{time:%Y-%m-%d %H:%M:%S}" in words.split(launch["launch_id"])[0] and " UTC" not in words
    details = visitor.get("/support/businesses/11st").text
    assert details.count(label) == 4 and "2026-01-01 09:00" in details


def test_what_is_explained_is_neither_kept_nor_logged(server, desk, partner, installation):
    launch = partner.launched(page="program", business_id="11st")
    answer = desk.post("/support/explain", {"launch": launch["url"]})
    assert answer.status_code == 200 and "cashback-ui.moment.fairytech.ai" in answer.text
    empty = desk.post("/support/explain", {"launch": " \r\n"})
    assert empty.status_code == 200 and "Paste something" in empty.text
    marked = "mark-7f3a9b"
    desk.post("/support/explain", {"launch": f"https://a.example/{marked}"})
    assert marked not in server.log
    assert not [file for file in installation.data.iterdir() if marked.encode() in file.read_bytes()]
    assert desk.post("/support/explain", {"launch": "x" * 300_000}).status_code == 413
