"""Real web views ask the shipped gateways for each launch, whatever the cashback web says of keeping its answer."""

import re
from urllib.parse import quote

import pytest

from gateways import HOST
from harness import PROJECT, eventually
from raw_web import answer
from signing import bundle, exported
from web_views import VIEWS, Connector

KEPT = {
    "max-age": ["Cache-Control: private, max-age=600"],
    "Last-Modified": ["Last-Modified: Mon, 01 Jun 2020 00:00:00 GMT"],
    "Expires": ["Expires: Fri, 01 Jan 2038 00:00:00 GMT"],
    "ETag": ['ETag: "launch"', "Cache-Control: max-age=600, must-revalidate"],
}


@pytest.fixture(scope="module", params=VIEWS)
def view(request, house, proxy, tmp_path_factory):
    connector = Connector(proxy.port)
    with VIEWS[request.param](tmp_path_factory.mktemp("view"), connector, house.certificate[0]) as opened:
        yield opened
    connector.stop()


def page(head, *lines):
    """The start page, which says whose session it began."""
    user = re.search("(?im)^x-moment-user-id: (.*?)\r?$", head)
    said = f"<!doctype html><title>Cashback</title><body>signed in as {user[1] if user else 'nobody'}</body>"
    return answer("200 OK", "Content-Type: text/html; charset=utf-8", *lines, body=said.encode())


def moved(head, *lines):
    """A web that leads on to its start page for good, by an address that tells the user."""
    user = re.search("(?im)^x-moment-user-id: (.*?)\r?$", head)
    if user:
        return answer("301 Moved Permanently", f"Location: /cashback?{user[1]}", *lines)
    return answer("200 OK", "Content-Type: text/html", body=f"signed in as {head.split()[1].partition('?')[2]}".encode())


WORKER = b"""
self.addEventListener('install', () => self.skipWaiting());
self.addEventListener('activate', (event) => event.waitUntil(self.clients.claim()));
const kept = async (request) => {
  const cache = await caches.open('pages');
  const found = await cache.match(request.url);
  if (found) return found;
  const answer = await fetch(request);
  await cache.put(request.url, answer.clone());
  return answer;
};
self.addEventListener('fetch', (event) => event.respondWith(kept(event.request)));
"""
# Says what became of the worker at an earlier load, since it takes a moment.
INSTALLS = b"""<!doctype html><body><script>
const say = (what) => localStorage.setItem('worker', what);
document.body.textContent = localStorage.getItem('worker') || 'waiting';
navigator.serviceWorker.register('/worker.js').then(() => navigator.serviceWorker.ready).then(() => say('installed'), () => say('refused'));
</script></body>"""


def with_worker(head):
    path = head.split()[1]
    if path == "/worker.js":
        return answer("200 OK", "Content-Type: text/javascript", "Service-Worker-Allowed: /", body=WORKER)
    return answer("200 OK", "Content-Type: text/html", body=INSTALLS) if path == "/installs" else page(head)


class Launches:
    """Launches of one address, which no other test loads, and what of them arrives at the web."""

    def __init__(self, house, says, name):
        self.house, self.web, self.redirect = house, house.upstream, f"/cs?test={name}"
        self.url = f"https://{HOST}/main?redirect_to={quote(self.redirect, safe='')}"
        self.web.begin(says)

    def of(self, user):
        """The headers of a launch of this user."""
        made = self.house.partner[PROJECT].launched(user_id=user, redirect_to=self.redirect)
        assert made["url"] == self.url
        return made["headers"]

    @property
    def arrived(self):
        return sum(head.startswith("GET /main") for head in self.web.heads)


@pytest.mark.parametrize("name", KEPT)
def test_each_launch_is_asked_for(house, view, name):
    launches = Launches(house, lambda head: page(head, *KEPT[name]), name.lower())
    url, key = launches.url, exported(house.installation, PROJECT)
    first, second, gone = (launches.of(user) for user in ("USER-1", "USER-2", "USER-3"))
    assert view.load(url, {})[0] == 401
    assert view.load(url, first) == (200, "signed in as USER-1")
    assert view.load(url, second) == (200, "signed in as USER-2")
    assert launches.arrived == 2
    assert house.partner[PROJECT].post("/launch/revoke", {"user_id": "USER-3"}).status_code == 204
    expired = bundle(PROJECT, key, url=url, age=400)["headers"]
    forged = bundle(PROJECT, (key[0], bytes(32)), url=url)["headers"]
    for refused in (gone, expired, forged, {}):
        status, text = view.load(url, refused)
        assert status == 401 and "signed in" not in text
    assert view.load(url, second) == (200, "signed in as USER-2")
    assert launches.arrived == 3


def test_a_redirect_for_good_is_asked_for_again(house, view):
    launches = Launches(house, lambda head: moved(head, "Cache-Control: max-age=600"), "redirect")
    for user in ("USER-1", "USER-2"):
        assert view.load(launches.url, launches.of(user)) == (200, f"signed in as {user}")
    assert view.load(launches.url, {})[0] == 401
    assert launches.arrived == 2


def test_no_service_worker_answers_for_the_launch_path(house, view):
    launches = Launches(house, with_worker, "worker")
    eventually(lambda: view.load(f"https://{HOST}/installs", {})[1] != "waiting")
    for user in ("USER-1", "USER-2"):
        assert view.load(launches.url, launches.of(user)) == (200, f"signed in as {user}")
    assert view.load(launches.url, {})[0] == 401
    assert launches.arrived == 2
