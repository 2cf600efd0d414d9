"""TLS by the server itself, judged by openssl, curl and Python's ssl module."""

import json
import os
import re
import socket
import ssl
import subprocess
import threading
import time
from contextlib import ExitStack, suppress
from types import SimpleNamespace

import pytest

from certificates import Authority, settings
from harness import CATALOG, PATIENCE, PROJECT, USER, Client, environment, eventually, install, received
from test_connections import BODY, head
from test_framing import AFTERWARDS, CASES, processor_time


@pytest.fixture(scope="module")
def authority(tmp_path_factory):
    return Authority(tmp_path_factory.mktemp("authority"))


@pytest.fixture(scope="module")
def secure(tmp_path_factory, authority):
    """A server that speaks TLS, with a launch key."""
    made = install(tmp_path_factory.mktemp("secure"))
    made.project()
    made.run("catalog", "import", CATALOG)
    chain, key = authority.server()
    with made.serve("--workers", 2, env=environment(**settings(chain, key))) as server:
        yield SimpleNamespace(installation=made, server=server, key=made.key("launch", PROJECT))


def trusting(authority):
    return ssl.create_default_context(cafile=str(authority.root))


@pytest.fixture
def connect(secure, authority):
    """Makes TLS connections to the server, and closes them in the end."""
    opened = []

    def made():
        plain = socket.create_connection(secure.server.address, timeout=PATIENCE)
        opened.append(trusting(authority).wrap_socket(plain, server_hostname="127.0.0.1"))
        return opened[-1]

    yield made
    for connection in opened:
        connection.close()


def curl(secure, authority, *arguments):
    return subprocess.run(
        ["curl", "--silent", "--show-error", "--max-time", str(PATIENCE), "--cacert", str(authority.root), *arguments],
        capture_output=True, text=True,
    )


def test_a_launch_over_tls(secure, authority):
    assert secure.server.url.startswith("https://127.0.0.1:")
    done = curl(
        secure, authority, secure.server.url + "/launch", "-H", f"Authorization: Bearer {secure.key['api_key']}",
        "-H", "Content-Type: application/json", "-d", json.dumps({"user_id": USER, "platform": "IOS", "page": "cs"}),
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["headers"]["x-moment-user-id"] == USER


def test_operations_stays_plain(secure):
    assert secure.server.operations.startswith("http://")
    assert Client(secure.server.operations).get("/readyz").status_code == 200


def shaken(address, *options):
    """What openssl says of a handshake."""
    host, port = address
    return subprocess.run(
        ["openssl", "s_client", "-connect", f"{host}:{port}", *options], input="", capture_output=True, text=True,
        timeout=PATIENCE,
    )


@pytest.mark.parametrize("version", ["-tls1_2", "-tls1_3"])
def test_current_versions_are_spoken_and_the_chain_is_whole(secure, authority, version):
    done = shaken(secure.server.address, version, "-CAfile", str(authority.root), "-verify_return_error")
    assert done.returncode == 0, done.stderr
    assert re.search(r"Verification: OK|Verify return code: 0 ", done.stdout)


@pytest.mark.parametrize("version", ["-tls1", "-tls1_1"])
def test_old_versions_are_refused(secure, version):
    assert shaken(secure.server.address, version, "-cipher", "ALL:@SECLEVEL=0").returncode != 0


@pytest.mark.parametrize("cipher", ["AES128-SHA", "ECDHE-ECDSA-AES128-SHA", "AES128-GCM-SHA256", "aNULL"])
def test_ciphers_without_forward_secrecy_or_authentication_are_refused(secure, cipher):
    assert shaken(secure.server.address, "-tls1_2", "-cipher", f"{cipher}:@SECLEVEL=0").returncode != 0


def test_an_rsa_certificate(authority, fresh):
    with fresh.serve(env=environment(**settings(*authority.server("rsa", "RSA")))) as server:
        done = shaken(server.address, "-CAfile", str(authority.root), "-verify_return_error")
        assert done.returncode == 0 and "Verification: OK" in done.stdout, done.stderr


@pytest.mark.parametrize("rest", CASES.values(), ids=CASES)
def test_ambiguous_framing_is_refused(connect, rest):
    connection = connect()
    connection.sendall(("POST /launch HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n" + rest).encode("latin-1") + AFTERWARDS)
    answers = re.findall(rb"HTTP/1\.[01] (\d{3}) ", received(connection))
    assert answers and set(answers) == {b"400"}


def test_a_connection_is_kept_and_pipelined(secure, connect):
    connection = connect()
    connection.sendall((head(secure.key) + BODY) * 5 + head(secure.key, "Connection: close") + BODY)
    got = received(connection)
    assert got.count(b"HTTP/1.1 200 ") == 6


def test_a_request_in_pieces_is_one_request(secure, connect):
    connection = connect()
    for byte in head(secure.key, "Connection: close") + BODY:
        connection.sendall(bytes([byte]))
    assert received(connection).count(b'"launch_id"') == 1


def test_a_client_that_asks_first_is_told_to_go_on(secure, connect):
    connection = connect()
    connection.sendall(head(secure.key, "Expect: 100-continue", "Connection: close"))
    assert received(connection, until=b"\r\n\r\n").startswith(b"HTTP/1.1 100 ")
    connection.sendall(BODY)
    assert received(connection).startswith(b"HTTP/1.1 200 ")


def test_a_body_without_end_is_answered_over_tls(secure, connect):
    """The answer goes around the library, which takes none in the middle of a body."""
    connection = connect()
    connection.sendall(head(secure.key, "Transfer-Encoding: chunked").replace(b"Content-Length: %d\r\n" % len(BODY), b""))
    chunk = b"10000\r\n" + b"x" * 0x10000 + b"\r\n"
    got = b""
    try:
        for _ in range(64):
            connection.sendall(chunk)
    except OSError:
        pass
    got = received(connection)
    assert got.startswith(b"HTTP/1.1 413 ") and got.endswith(b"}"), got


def test_a_large_answer(secure, authority):
    done = curl(secure, authority, secure.server.url + "/openapi.yaml")
    assert done.returncode == 0 and done.stdout.startswith("openapi:") and len(done.stdout) > 50_000


def test_many_clients_at_once(secure, authority):
    """More than one record, handshake and thread at a time."""
    failures = []

    def client():
        context = trusting(authority)
        for _ in range(10):
            try:
                with socket.create_connection(secure.server.address, timeout=PATIENCE) as plain:
                    with context.wrap_socket(plain, server_hostname="127.0.0.1") as connection:
                        connection.sendall(head(secure.key, "Connection: close") + BODY)
                        assert received(connection).startswith(b"HTTP/1.1 200 ")
            except Exception as error:
                failures.append(error)

    clients = [threading.Thread(target=client) for _ in range(8)]
    for one in clients:
        one.start()
    for one in clients:
        one.join()
    assert not failures


def test_plain_http_to_the_tls_port_gets_no_answer_and_no_key(secure):
    with socket.create_connection(secure.server.address, timeout=PATIENCE) as plain:
        plain.sendall(b"GET /whoami HTTP/1.1\r\nHost: a\r\n\r\n")
        assert b"HTTP/1.1 2" not in received(plain)


def test_a_client_that_never_shakes_hands_is_ended_and_holds_nobody_up(fresh, authority):
    env = environment(**settings(*authority.server()), LAUNCHLINK_TIMEOUTS_IDLE="5s", LAUNCHLINK_TIMEOUTS_REQUEST="5s")
    with fresh.serve("--workers", 1, env=env) as server:
        hello = b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"
        silent, halfway = (socket.create_connection(server.address, timeout=PATIENCE) for _ in range(2))
        halfway.sendall(hello)
        done = shaken(server.address, "-CAfile", str(authority.root), "-verify_return_error")
        assert done.returncode == 0, done.stderr
        for one in (silent, halfway):
            assert received(one) == b""
            one.close()


def hello_of(authority):
    """A client's buffers, its session, and its first message."""
    incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
    session = trusting(authority).wrap_bio(incoming, outgoing, server_hostname="127.0.0.1")
    with pytest.raises(ssl.SSLWantReadError):
        session.do_handshake()
    return incoming, outgoing, session, outgoing.read()


def assert_answered(connection, session, incoming, outgoing):
    """The handshake ends well, and a request is answered."""
    while True:
        try:
            session.do_handshake()
            break
        except ssl.SSLWantReadError:
            connection.sendall(outgoing.read())
            incoming.write(connection.recv(65536))
    session.write(b"GET /problems/internal HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
    connection.sendall(outgoing.read())
    incoming.write(received(connection))
    assert session.read(65536).startswith(b"HTTP/1.1 200 ")


HELLO = b"\x16\x03\x01\x40\x00" + b"\x01\xff\xff\xff\x03\x03" + b"a" * 16378


@pytest.mark.parametrize("start", [b"\x16", b"\x16\x03\x01\x40\x00", HELLO[:-10], HELLO, "hello"])
def test_a_handshake_that_is_not_whole_leaves_the_loop_at_rest(fresh, authority, start):
    with fresh.serve("--workers", 1, env=environment(**settings(*authority.server()))) as server, ExitStack() as stack:
        # An honest client whose hello comes in two packets, the second when the loop has seen the first.
        incoming, outgoing, session, hello = hello_of(authority)
        half, honest = (stack.enter_context(socket.create_connection(server.address, timeout=PATIENCE)) for _ in range(2))
        half.sendall(hello if start == "hello" else start)
        honest.sendall(hello[:100])
        done = shaken(server.address, "-CAfile", str(authority.root), "-verify_return_error")
        assert done.returncode == 0, done.stderr
        before = processor_time(server)
        time.sleep(2)
        # A loop that spins takes all of it, or half on a busy machine.
        assert processor_time(server) - before < 0.5
        honest.sendall(hello[100:])
        assert_answered(honest, session, incoming, outgoing)


@pytest.mark.parametrize("size", [300, 10, 1])
def test_a_hello_in_records_that_arrive_together(secure, authority, size):
    """RFC 8446 section 5.1 lets a message come in several records; the loop hears once of what came together."""
    incoming, outgoing, session, hello = hello_of(authority)
    body = hello[5:]
    parts = [body[at:at + size] for at in range(0, len(body), size)]
    with socket.create_connection(secure.server.address, timeout=PATIENCE) as one:
        one.sendall(b"".join(b"\x16\x03\x01" + len(part).to_bytes(2, "big") + part for part in parts))
        assert_answered(one, session, incoming, outgoing)


@pytest.mark.parametrize("size", [20_000, 70_000])
def test_a_client_that_leaves_in_a_handshake_leaves_nothing(fresh, authority, size):
    with fresh.serve("--workers", 1, env=environment(**settings(*authority.server()))) as server:
        def descriptors():
            return len(os.listdir(f"/proc/{server.process.pid}/fd"))

        before = descriptors()
        for _ in range(20):
            with socket.create_connection(server.address, timeout=PATIENCE) as one, suppress(ConnectionResetError, BrokenPipeError):
                one.sendall((HELLO + (b"\x16\x03\x01\x40\x00" + b"a" * 16384) * 4)[:size])
        eventually(lambda: descriptors() == before)
        server.process.terminate()
        assert server.process.wait(timeout=5) == 0


def test_a_handshake_without_end_is_cut_off(fresh, authority):
    """Before anything is known of the client, so nothing of it may be kept that has no limit."""
    with fresh.serve("--workers", 1, env=environment(**settings(*authority.server()))) as server:
        with socket.create_connection(server.address, timeout=15) as one:
            # The server ends the connection, long before a time-out does; what comes then it throws away.
            with suppress(ConnectionResetError, BrokenPipeError):
                one.sendall(HELLO)
                for _ in range(64):
                    one.sendall(b"\x16\x03\x01\x40\x00" + b"a" * 16384)
                while one.recv(65536):
                    pass


def test_what_comes_after_a_handshake_without_data_is_cut_off(connect):
    """Records without data are as free as a hello, and whoever shook hands may send them."""
    connection = connect()
    connection.sendall(b"GET /problems/internal HTTP/1.1\r\nHost: a\r\n\r\n")
    assert received(connection, until=b"}").startswith(b"HTTP/1.1 200 ")
    with socket.socket(fileno=os.dup(connection.fileno())) as plain:
        plain.settimeout(PATIENCE)
        with pytest.raises((ConnectionResetError, BrokenPipeError)):
            for _ in range(4096):
                plain.sendall(b"\x14\x03\x03\x00\x01\x01" * 1024)


def test_what_is_in_flight_when_the_server_stops_is_finished(fresh, authority):
    fresh.project()
    key = fresh.key("launch", PROJECT)
    with fresh.serve(env=environment(**settings(*authority.server()))) as server:
        plain = socket.create_connection(server.address, timeout=PATIENCE)
        with trusting(authority).wrap_socket(plain, server_hostname="127.0.0.1") as made:
            made.sendall(head(key, "Expect: 100-continue"))
            received(made, until=b"\r\n\r\n")
            server.process.terminate()
            eventually(lambda: "stopping" in server.log)
            made.sendall(BODY)
            assert received(made).startswith(b"HTTP/1.1 200 ")
        assert server.process.wait(timeout=PATIENCE) == 0


def test_a_listener_off_loopback_with_tls(fresh, authority):
    with fresh.serve(env=environment(**settings(*authority.server())), listen="0.0.0.0:0") as server:
        assert server.url.startswith("https://0.0.0.0:")


def refused(installation, env, *words, status=78):
    done = installation.run("serve", "--listen", "127.0.0.1:0", "--operations-listen", "127.0.0.1:0",
                            env=environment(**env), status=status)
    for word in words:
        assert word in done.stderr, done.stderr


def test_what_is_wrong_with_certificate_and_key_is_said_at_the_start(fresh, authority, tmp_path):
    chain, key = authority.server("right")
    _, other = authority.server("other")
    nothing = tmp_path / "nothing.pem"
    refused(fresh, settings(chain, other), "LAUNCHLINK_TLS_KEY", "tls.key", str(other), "does not belong")
    refused(fresh, settings(nothing, key), "LAUNCHLINK_TLS_CERTIFICATE", "tls.certificate", str(nothing))
    refused(fresh, settings(key, key), "tls.certificate", "no certificate")
    refused(fresh, settings(chain, chain), "tls.key", status=None)
    refused(fresh, {"LAUNCHLINK_TLS_CERTIFICATE": str(chain)}, "tls.key")
    refused(fresh, {"LAUNCHLINK_TLS_KEY": str(key)}, "tls.certificate")
    key.chmod(0o644)
    refused(fresh, settings(chain, key), "tls.key", f"chmod 0600 {key}", status=77)
    key.chmod(0o640)
    with fresh.serve(env=environment(**settings(chain, key))):
        pass


def test_the_place_in_the_file_is_named(fresh, authority, tmp_path):
    chain, key = authority.server("placed")
    file = tmp_path / "launchlink.yaml"
    file.write_text(f"tls:\n  certificate: {chain}\n  key: {tmp_path}/gone.key\n")
    refused(fresh, {"LAUNCHLINK_CONFIG": str(file)}, f"{file}:3:8: tls.key", "gone.key")


def test_a_certificate_that_is_over_soon_is_told(fresh, authority):
    with fresh.serve(env=environment(**settings(*authority.server("short", days=3)))) as server:
        eventually(lambda: "expires at" in server.log)


def test_a_new_certificate_is_taken_over_without_dropping_connections(fresh, authority, tmp_path):
    fresh.project()
    launch = fresh.key("launch", PROJECT)
    first, second = authority.server("first"), authority.server("second")
    chain, key = tmp_path / "chain.pem", tmp_path / "key.pem"

    def use(pair):
        for source, target in zip(pair, (chain, key)):
            target.write_bytes(source.read_bytes())
            target.chmod(0o600)

    def name():
        plain = socket.create_connection(server.address, timeout=PATIENCE)
        with trusting(authority).wrap_socket(plain, server_hostname="127.0.0.1") as connection:
            return dict(one[0] for one in connection.getpeercert()["subject"])["commonName"]

    use(first)
    with fresh.serve("--workers", 1, env=environment(**settings(chain, key))) as server:
        assert name() == "first"
        plain = socket.create_connection(server.address, timeout=PATIENCE)
        with trusting(authority).wrap_socket(plain, server_hostname="127.0.0.1") as kept:
            kept.sendall(head(launch) + BODY)
            received(kept, until=b'"expires_in":300}')
            use(second)
            assert "not reloaded" not in server.reload()
            assert name() == "second"
            key.write_bytes(first[1].read_bytes())
            said = server.reload()
            assert "not reloaded" in said and "does not belong" in said
            assert name() == "second"
            kept.sendall(head(launch, "Connection: close") + BODY)
            assert b"HTTP/1.1 200 " in received(kept)
