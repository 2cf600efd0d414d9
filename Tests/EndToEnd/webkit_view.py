"""A web view of WebKitGTK, for /usr/bin/python3 under xvfb-run: the system's Python has the bindings, a venv has not.

Arguments: a directory for what WebKit keeps, a proxy's address, the certificate of the host that is trusted, and the
host. Each line on standard input is a JSON object with `url` and `headers`, which is loaded as an app loads it; each
line on standard output says the `status` and the `text` of what is shown then.
"""

import json
import sys

import gi

gi.require_version("Gtk", "3.0")
gi.require_version("WebKit2", "4.1")
from gi.repository import Gio, GLib, Gtk, WebKit2  # noqa: E402

directory, proxy, certificate, host = sys.argv[1:]
manager = WebKit2.WebsiteDataManager(base_data_directory=directory, base_cache_directory=directory)
manager.set_network_proxy_settings(WebKit2.NetworkProxyMode.CUSTOM, WebKit2.NetworkProxySettings.new(proxy, None))
context = WebKit2.WebContext.new_with_website_data_manager(manager)
context.allow_tls_certificate_for_host(Gio.TlsCertificate.new_from_file(certificate), host)
window = Gtk.Window()
window.show_all()


def load(line):
    """In a web view of its own, as an app opens one: in the same one the same URL again would be a reload."""
    if former := window.get_child():
        window.remove(former)
        former.destroy()
    view = WebKit2.WebView.new_with_context(context)
    view.connect("load-changed", changed)
    view.connect("load-failed", failed)
    window.add(view)
    view.show()
    wanted = json.loads(line)
    request = WebKit2.URIRequest.new(wanted["url"])
    for name, value in wanted["headers"].items():
        request.get_http_headers().append(name, value)
    view.load_request(request)


def say(status, text):
    print(json.dumps({"status": status, "text": text}), flush=True)
    listen()


def shown(view, result, status):
    try:
        say(status, view.evaluate_javascript_finish(result).to_string())
    except GLib.Error as error:
        say(status, f"no text: {error.message}")


def changed(view, event):
    if event == WebKit2.LoadEvent.FINISHED:
        answer = view.get_main_resource().get_response()
        view.evaluate_javascript("document.body.textContent", -1, None, None, None, shown, answer.get_status_code())


def failed(view, event, url, error):
    say(0, error.message)
    return True


def listen():
    line = sys.stdin.readline()
    load(line) if line else Gtk.main_quit()


GLib.idle_add(listen)
Gtk.main()
