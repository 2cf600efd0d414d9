"""Real web views, WebKit's and Chromium's, that load the gateway's host as an app does: a URL with headers."""

import base64
import hashlib
import json
import select
import socket
import subprocess
from contextlib import contextmanager
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from browser import chromium
from gateways import HOST
from harness import PATIENCE, environment, received
from raw_web import serve_each


class Connector:
    """A proxy for CONNECT that leads each connection to one port, since the bundle is signed for the host's port 443."""

    def __init__(self, port):
        self.target = port
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.address = "http://127.0.0.1:{}".format(self.listener.getsockname()[1])
        serve_each(self.listener, self.lead)

    def lead(self, client):
        with client:
            # A browser asks for other hosts too, its maker's.
            if not received(client, b"\r\n\r\n").startswith(f"CONNECT {HOST}:443 ".encode()):
                return
            with socket.create_connection(("127.0.0.1", self.target)) as server:
                client.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
                other = {client: server, server: client}
                try:
                    while True:
                        for one in select.select([client, server], [], [])[0]:
                            if not (part := one.recv(65536)):
                                return
                            other[one].sendall(part)
                except OSError:
                    return  # hung up

    def stop(self):
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()


class WebKitView:
    def __init__(self, process):
        self.process = process

    def load(self, url, headers):
        """(status, text) of what is shown then."""
        self.process.stdin.write(json.dumps({"url": url, "headers": headers}) + "\n")
        self.process.stdin.flush()
        said = self.process.stdout.readline()
        assert said, "WebKit has ended"
        shown = json.loads(said)
        return shown["status"], shown["text"]


@contextmanager
def webkit(directory, connector, certificate):
    # As root there is no sandbox, and in a virtual frame buffer no graphics processor; xvfb-run wants a temporary
    # directory without a blank in its name.
    env = environment(
        TMPDIR="/tmp", HOME=str(directory), WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS="1", WEBKIT_DISABLE_COMPOSITING_MODE="1",
        WEBKIT_DISABLE_DMABUF_RENDERER="1", LIBGL_ALWAYS_SOFTWARE="1", NO_AT_BRIDGE="1", GIO_USE_VFS="local",
    )
    script = Path(__file__).with_name("webkit_view.py")
    with (directory / "webkit.log").open("wb") as log:
        process = subprocess.Popen(
            ["xvfb-run", "--auto-servernum", "/usr/bin/python3", script, directory, connector.address, certificate, HOST],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, text=True, env=env,
        )
    try:
        yield WebKitView(process)
    finally:
        process.stdin.close()
        try:
            process.wait(timeout=PATIENCE)
        finally:
            process.kill()
            process.stdout.close()


class ChromiumView:
    def __init__(self, browser):
        self.driver = browser.driver

    def load(self, url, headers):
        """(status, text) of what is shown then."""
        self.driver.get("about:blank")  # the same URL again would be a reload, which asks the server
        self.driver.execute_cdp_cmd("Network.enable", {})
        self.driver.execute_cdp_cmd("Network.setExtraHTTPHeaders", {"headers": headers})
        self.driver.get(url)
        return tuple(self.driver.execute_script(
            "return [performance.getEntriesByType('navigation')[0].responseStatus, document.body.textContent]"
        ))


@contextmanager
def chromium_view(directory, connector, certificate):
    key = x509.load_pem_x509_certificate(Path(certificate).read_bytes()).public_key()
    pin = base64.b64encode(hashlib.sha256(key.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)).digest()).decode()
    # Chromium keeps nothing of a host whose certificate is in doubt.
    with chromium(arguments=(f"--proxy-server={connector.address}", f"--ignore-certificate-errors-spki-list={pin}")) as browser:
        yield ChromiumView(browser)


VIEWS = {"WebKit": webkit, "Chromium": chromium_view}
