"""What the servers under load hold and are asked: installations, API keys in bulk, and launches judged to be right."""

import hashlib
import hmac
import json
import random
import shutil
import sqlite3
import string
import zlib
from urllib.parse import quote

import requests
from http_message_signatures import HTTPMessageVerifier, HTTPSignatureKeyResolver, algorithms

from harness import PROJECT, USER, install
from load import Asked
from shops import shops, write_catalog
from signing import COVERED, exported

ONCE, WEB_API_KEY_ONCE = "6540c6dfd94458b60d8e7aca", "wk_load_once_0123456789abcdef"
BASE = "https://cashback-ui.moment.fairytech.ai/main"
CALLERS = 20_000
STRANGERS = 300_000
BASE62 = string.digits + string.ascii_uppercase + string.ascii_lowercase


class Data:
    """An installation with a project, another whose launches may be used once, their keys and a catalogue."""

    def __init__(self, directory, businesses=10_000, program=None):
        directory.mkdir()
        self.installation = install(directory, program)
        self.installation.project(options=["--ttl", "3600"])
        self.installation.project(ONCE, "Once", key=WEB_API_KEY_ONCE, options=["--ttl", "3600", "--replay-policy", "once"])
        self.shops = shops(businesses)
        catalog = self.installation.directory / "catalog.csv"
        write_catalog(catalog, self.shops)
        self.installation.run("catalog", "import", catalog)
        self.business = self.shops[len(self.shops) // 2][0]
        self.keys = {scope: self.installation.key(scope, PROJECT)["api_key"] for scope in ("launch", "verify", "catalog")}
        for name, made in {"once": ("launch", ONCE), "gateway": ("verify", )}.items():
            self.keys[name] = self.installation.key(*made)["api_key"]

    def copy(self, directory):
        """The same installation at another place."""
        twin = object.__new__(Data)
        twin.__dict__ |= self.__dict__
        twin.installation = type(self.installation)(directory, self.installation.program)
        shutil.copytree(self.installation.directory, directory)
        return twin

    def launch(self, **more):
        """`POST /launch` of the page with most to check."""
        fields = {"user_id": USER, "platform": "IOS", "page": "program", "business_id": self.business}
        return Asked("/launch", json.dumps(fields, separators=(",", ":")), **({"key": self.keys["launch"]} | more))

    def answer(self, server, asked):
        """One answer, which has to be a 200."""
        answer = requests.request(
            "GET" if asked.body is None else "POST", server.url + asked.path, data=asked.body,
            headers={"Authorization": f"Bearer {asked.key}", "Content-Type": "application/json"}, timeout=60,
        )
        assert answer.status_code == 200, answer.text
        return answer

    def checked_launch(self, server):
        """A launch that leads where it should and whose signature http-message-signatures accepts."""
        answer = self.answer(server, self.launch())
        check_launch(answer.json(), self.business, dict([exported(self.installation, PROJECT)]))
        return answer


def derived_key(secret):
    """The project's key by HKDF-SHA256 (RFC 5869), of one signing key's secret."""
    extracted = hmac.digest(bytes(32), secret, "sha256")
    return hmac.digest(extracted, f"launchlink/launch-signature/v1/{PROJECT}\x01".encode(), "sha256")


class Known(HTTPSignatureKeyResolver):
    def __init__(self, keys):
        self.keys = keys

    def resolve_public_key(self, key_id):
        return self.keys[key_id]


def check_launch(launch, business, keys):
    """Fails unless the launch is right; `keys` are the secrets by key id."""
    redirect = f"/cashback/detail?business_id={business}"
    assert launch["url"] == f"{BASE}?redirect_to={quote(redirect, safe='')}", launch
    assert launch["deep_link"] == f"moment://cashback?redirect_to={quote(redirect, safe='')}", launch
    assert (launch["redirect_to"], launch["method"], launch["expires_in"] > 0) == (redirect, "GET", True), launch
    assert launch["headers"]["x-moment-user-id"] == USER and launch["headers"]["x-moment-platform"] == "IOS", launch
    assert launch["headers"]["x-moment-project-id"] == PROJECT, launch
    arrived = requests.Request(launch["method"], launch["url"], headers=launch["headers"]).prepare()
    verifier = HTTPMessageVerifier(signature_algorithm=algorithms.HMAC_SHA256, key_resolver=Known(keys))
    verified, = verifier.verify(arrived, expect_tag="moment-launch", require_components=COVERED)
    assert verified.parameters["nonce"] == launch["launch_id"], launch


def with_checksum(head):
    """The API key that begins so: the six characters that say it is not mistyped are added."""
    checksum = zlib.crc32(head.encode())
    return head + "".join(BASE62[checksum // 62**place % 62] for place in reversed(range(6)))


def made_key(chance):
    """An API key as the program makes them, from a source that gives the same ones each time."""
    return with_checksum("llk_" + "".join(chance.choices(BASE62, k=12)) + "_0" + "".join(chance.choices(BASE62, k=42)))


def fill_keys(data, count, callers=CALLERS):
    """Adds launch keys up to `count`, straight into the database, as twins of the one that is there.

    The secrets of up to `callers` of them, spread over all, come back; of the others only a digest was ever made.
    """
    chance = random.Random(count)
    connection = sqlite3.connect(data.installation.data / "launchlink.db", isolation_level=None)
    own = data.keys["launch"]
    names = [row[1] for row in connection.execute("PRAGMA table_info(api_key)")]
    twin = dict(zip(names, connection.execute("SELECT * FROM api_key WHERE key_id = ?", [f"key_{own[4:16]}"]).fetchone()))
    there, = connection.execute("SELECT count(*) FROM api_key").fetchone()
    secrets = [made_key(chance) for _ in range(min(count, callers) - there)]

    def rows():
        for secret in secrets:
            yield twin | {"key_id": f"key_{secret[4:16]}", "digest": hashlib.sha256(secret.encode()).digest()}
        for _ in range(count - there - len(secrets)):
            yield twin | {"key_id": "key_" + "".join(chance.choices(BASE62, k=12)), "digest": chance.randbytes(32)}

    connection.execute("BEGIN")
    connection.executemany(
        f"INSERT INTO api_key ({', '.join(names)}) VALUES ({', '.join(f':{name}' for name in names)})", rows()
    )
    connection.execute("COMMIT")
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()
    chance.shuffle(secrets)
    return [own, *secrets]
