"""HTTP Message Signatures (RFC 9421) as the tests make them: any bundle that a holder of the key could make."""

import base64
import hashlib
import hmac
import time
import uuid
from urllib.parse import urlsplit

COVERED = (
    "@method", "@authority", "@path", "@query",
    "x-moment-project-id", "x-moment-web-api-key", "x-moment-user-id", "x-moment-platform",
)
URL = "https://cashback-ui.moment.fairytech.ai/main?redirect_to=%2Fcs"


def uuid7(seconds):
    """A UUIDv7 of that time (RFC 9562 section 5.7)."""
    drawn = int(seconds * 1000) << 80 | uuid.uuid4().int & (1 << 80) - 1
    return str(uuid.UUID(int=drawn & ~(0xF << 76) & ~(0b11 << 62) | 0x7 << 76 | 0b10 << 62))


def exported(installation, project):
    """(key id, secret) of the active key, from what `signing-key export` prints and nothing else."""
    told = installation.json("signing-key", "export", "--project", project)
    assert told["project_id"] == project
    active, = (key for key in told["keys"] if key["state"] == "active")
    return active["key_id"], base64.b64decode(active["secret"], validate=True)


def components(method, url, headers):
    """Every component's value; a header occurs once here."""
    parts = urlsplit(url)
    return {
        "@method": method, "@authority": parts.netloc.lower(), "@path": parts.path, "@query": f"?{parts.query}",
    } | {name.lower(): value.strip() for name, value in headers.items()}


def parameters(key_id, *, age=0, ttl=300, **changes):
    """A signature's parameters in their order; a change to None leaves one out."""
    issued = time.time() - age
    made = {
        "created": int(issued), "expires": int(issued) + ttl, "nonce": uuid7(issued), "alg": "hmac-sha256",
        "keyid": key_id, "tag": "moment-launch",
    }
    return {name: value for name, value in (made | changes).items() if value is not None}


def signature(values, covered, params, secret):
    """(the Signature-Input member, the Signature member), both without their label."""
    shown = "".join(f';{name}="{value}"' if isinstance(value, str) else f";{name}={value}" for name, value in params.items())
    listed = " ".join(f'"{name}"' for name in covered)
    inputs = f"({listed}){shown}"
    base = "".join(f'"{name}": {values.get(name, "")}\n' for name in covered) + f'"@signature-params": {inputs}'
    made = base64.b64encode(hmac.new(secret, base.encode(), hashlib.sha256).digest()).decode()
    return inputs, f":{made}:"


def bundle(project, key, *, method="GET", url=URL, covered=COVERED, label="launch", headers=None, **changes):
    """A request with a bundle signed by `key`; `changes` go to the parameters, a header of None is left out."""
    key_id, secret = key
    params = parameters(key_id, **changes)
    sent = {
        "x-moment-project-id": project, "x-moment-web-api-key": "launch-x", "x-moment-user-id": "USER-123",
        "x-moment-platform": "IOS",
    } | (headers or {})
    sent = {name: value for name, value in sent.items() if value is not None}
    inputs, made = signature(components(method, url, sent), covered, params, secret)
    return {
        "method": method, "url": url,
        "headers": sent | {"signature-input": f"{label}={inputs}", "signature": f"{label}={made}"},
    }
