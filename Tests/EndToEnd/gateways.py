"""Real nginx and real Caddy from the files in Deploy/, with ports and paths replaced, and what stands behind them."""

import random
import shutil
import signal
import socket
import ssl
import subprocess
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

from harness import PATIENCE, PROJECT, ROOT, environment, eventually, install, received

HOST = "cashback-ui.moment.fairytech.ai"
API_HOST = "launch.partner.example"
MODULES = "/usr/lib/nginx/modules/ngx_http_headers_more_filter_module.so"


def free_port():
    """One that no connection or server gets by itself before it is taken: the system gives those from 32768 on."""
    while True:
        with socket.socket() as one:
            try:
                one.bind(("127.0.0.1", random.randrange(10_000, 32_768)))
                return one.getsockname()[1]
            except OSError:
                continue


class StandIn:
    """The cashback web: records what arrives, and answers with a header that no gateway may let through."""

    def __init__(self):
        self.arrived = arrived = []

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def answer(self):
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                arrived.append((self.command, self.path, [(n.lower(), v) for n, v in self.headers.items()], body))
                self.send_response(200)
                self.send_header("Content-Length", "2")
                self.send_header("x-moment-web-api-key", dict(arrived[-1][2]).get("x-moment-web-api-key", "echo"))
                self.send_header("x-launch-code", "of the cashback web")
                self.end_headers()
                if self.command != "HEAD":
                    self.wfile.write(b"ok")

            do_GET = do_POST = do_HEAD = do_PUT = do_DELETE = do_OPTIONS = answer

            def log_message(self, *_):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def stop(self):
        self.server.shutdown()
        self.server.server_close()


class Answer:
    """A parsed answer of a gateway."""

    def __init__(self, raw):
        head, _, self.body = raw.partition(b"\r\n\r\n")
        first, *lines = head.decode().split("\r\n")
        self.status = int(first.split()[1])
        self.headers = [(name.lower(), value.strip()) for name, _, value in (line.partition(":") for line in lines)]

    def __getitem__(self, name):
        return dict(self.headers).get(name)

    @property
    def refusal(self):
        return self.status, self["x-launch-code"]


class Proxy:
    """A started proxy, which is asked byte by byte over TLS."""

    def __init__(self, command, directory, port, certificate, name=HOST):
        self.port, self.directory, self.name = port, directory, name
        self.certificate, self.context = certificate, ssl.create_default_context(cafile=certificate)
        self.is_nginx = "nginx" in command[0]
        self.output = (directory / "output.log").open("wb")
        self.process = subprocess.Popen(
            command, cwd=directory, stdout=self.output, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
            env=environment(HOME=str(directory), XDG_DATA_HOME=str(directory), XDG_CONFIG_HOME=str(directory)),
        )

        def listens():
            assert self.process.poll() is None, self.log
            with socket.socket() as one:
                return one.connect_ex(("127.0.0.1", port)) == 0

        eventually(listens)

    def stop(self):
        """As their manuals say; whatever was started is waited for."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(timeout=PATIENCE)
        finally:
            self.process.kill()
            self.output.close()

    @property
    def log(self):
        return "".join(path.read_text(errors="replace") for path in sorted(self.directory.glob("*.log")))

    def trusting(self, protocol):
        """A TLS context for this proxy that asks for one protocol."""
        context = ssl.create_default_context(cafile=self.certificate)
        context.set_alpn_protocols([protocol])
        return context

    def raw(self, text, name=None):
        """Sends these bytes and takes what comes until the end of the connection."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE) as plain:
            with self.context.wrap_socket(plain, server_hostname=name or self.name) as secured:
                secured.sendall(text if isinstance(text, bytes) else text.encode())
                return received(secured)

    def ask(self, target, headers=(), *, method="GET", host=None, body=b""):
        """A request with these headers, in this order, repeated ones too."""
        pairs = list(headers.items() if isinstance(headers, dict) else headers)
        pairs = [("Host", host or self.name), *pairs, ("Connection", "close")]
        if body:
            pairs.append(("Content-Length", str(len(body))))
        head = f"{method} {target} HTTP/1.1\r\n" + "".join(f"{name}: {value}\r\n" for name, value in pairs) + "\r\n"
        return Answer(self.raw(head.encode() + body))


def certificate(directory):
    """(certificate, key) for the names in the files; thrown away with the test."""
    made = directory / "tls.crt", directory / "tls.key"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
         "-subj", f"/CN={HOST}", "-addext", f"subjectAltName=DNS:{HOST},DNS:{API_HOST}", "-keyout", made[1], "-out", made[0]],
        check=True, capture_output=True,
    )
    return made


def configured(source, directory, replacements, cert):
    """A file of Deploy/ in the proxy's own directory, with its ports and paths replaced, each of which has to occur in it.

    Paths in it are relative to that directory, since one with a blank would have to be quoted.
    """
    text = (ROOT / "Deploy" / source).read_text()
    for old, new in replacements.items():
        assert old in text, (source, old)
        text = text.replace(old, new)
    for file in cert:
        shutil.copy(file, directory)
    file = directory / source.split("/")[1]
    file.write_text(text)
    return file


def start_nginx(directory, file, replacements, port, cert, name=HOST, around=""):
    """nginx with one file of Deploy/nginx, its temporary files among the test's own; `around` is said in http { } too."""
    configured(f"nginx/{file}", directory, {"/var/log/nginx": ".", **replacements}, cert)
    temporary = "".join(f"{kind}_temp_path {kind};" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
    (directory / "nginx.conf").write_text(
        f"load_module {MODULES};\ndaemon off;\nworker_processes 2;\npid nginx.pid;\n"
        f"error_log error.log;\nevents {{}}\nhttp {{ {temporary}\n{around}\ninclude {file};\n}}\n"
    )
    command = ["/usr/sbin/nginx", "-p", str(directory), "-e", str(directory / "error.log"), "-c", str(directory / "nginx.conf")]
    return Proxy(command, directory, port, cert[0], name)


def start_nginx_gateway(directory, launchlink, upstream, key, cert, around=""):
    directory.mkdir()
    secret = directory / "gateway-key.conf"
    secret.write_text(f'proxy_set_header Authorization "Bearer {key}";\n')
    secret.chmod(0o600)
    port = free_port()
    return start_nginx(directory, "cashback-gateway.conf", {
        "listen 443": f"listen 127.0.0.1:{port}", "127.0.0.1:8080": launchlink, "127.0.0.1:8000": upstream,
        "/etc/launchlink/gateway-key.conf": secret.name, "/etc/launchlink/tls/cashback.crt": cert[0].name,
        "/etc/launchlink/tls/cashback.key": cert[1].name,
    }, port, cert, around=around)


def start_nginx_api(directory, launchlink, cert):
    directory.mkdir()
    port = free_port()
    return start_nginx(directory, "api.conf", {
        "listen 443": f"listen 127.0.0.1:{port}", "127.0.0.1:8080": launchlink,
        "/etc/launchlink/tls/api.crt": cert[0].name, "/etc/launchlink/tls/api.key": cert[1].name,
    }, port, cert, API_HOST)


def start_caddy_gateway(directory, launchlink, upstream, key, cert):
    directory.mkdir()
    secret = directory / "gateway-key.caddy"
    secret.write_text(f'header_up Authorization "Bearer {key}"\n')
    secret.chmod(0o600)
    port = free_port()
    configured("caddy/Caddyfile", directory, {
        f"https://{HOST}:443": f"https://{HOST}:{port}", "127.0.0.1:8080": launchlink, "127.0.0.1:8000": upstream,
        "/etc/launchlink/gateway-key.caddy": secret.name, "/etc/launchlink/tls/cashback.crt": cert[0].name,
        "/etc/launchlink/tls/cashback.key": cert[1].name, "/var/log/caddy": ".",
    }, cert)
    command = ["/usr/bin/caddy", "run", "--config", "Caddyfile", "--adapter", "caddyfile"]
    return Proxy(command, directory, port, cert[0])


GATEWAYS = {"nginx": start_nginx_gateway, "caddy": start_caddy_gateway}


def split(launch):
    """(target, headers) of a launch or a bundle."""
    url = urlsplit(launch["url"])
    return url.path + (f"?{url.query}" if url.query else ""), dict(launch["headers"])


class House:
    """An installation with its server, and what gateways in front of an upstream need."""

    def __init__(self, directory, upstream, installation, server):
        self.installation, self.server, self.upstream = installation, server, upstream
        self.certificate = certificate(directory)
        self.verify = installation.key("verify")["api_key"]
        self.partner = {PROJECT: server.client(installation.key("launch", PROJECT))}

    def project(self, identifier, name, **how):
        """One more project, and its partner."""
        self.installation.project(identifier, name, **how)
        self.partner[identifier] = self.server.client(self.installation.key("launch", identifier))

    def launch(self, project=PROJECT, **fields):
        """(target, headers) of a new launch."""
        return split(self.partner[project].launched(**({"page": "cs"} | fields)))

    def gateway(self, name, directory, launchlink=None, key=None, upstream=None, **how):
        """A started gateway, with another address in LaunchLink's place, another key or another upstream's port where given."""
        address = launchlink or "{}:{}".format(*self.server.address)
        behind = f"127.0.0.1:{upstream or self.upstream.port}"
        return GATEWAYS[name](directory, address, behind, key or self.verify, self.certificate, **how)


@contextmanager
def house(directory, upstream):
    """A house with one project; the upstream ends with it."""
    made = install(directory)
    made.project()
    with made.serve() as server:
        yield House(directory, upstream, made, server)
    upstream.stop()
