"""POST /launch as a Python programmer would write it: FastAPI, pydantic and sqlite3, served by uvicorn."""

import base64
import hashlib
import hmac
import os
import sqlite3
import time
import uuid
from datetime import datetime, timezone
from typing import Annotated, Literal
from urllib.parse import quote

from fastapi import FastAPI, Header, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import BaseModel, ConfigDict, Field

AUTHORITY = "cashback-ui.moment.fairytech.ai"
COVERED = (
    '("@method" "@authority" "@path" "@query" "x-moment-project-id" "x-moment-web-api-key" "x-moment-user-id" '
    '"x-moment-platform")'
)
LOOK_UP = """
SELECT k.digest, k.scopes, k.expires_at, k.revoked_at, p.project_id, p.web_api_key, p.key_delivery, p.ttl, p.rate_limit,
  p.disabled_at, s.key_id, s.secret
FROM api_key k JOIN project p USING (project_id) JOIN signing_key s ON s.state = 'active' WHERE k.key_id = ?
"""

app = FastAPI(openapi_url=None)
database = sqlite3.connect(os.environ["PEER_DATABASE"], check_same_thread=False)
database.execute("PRAGMA journal_mode = WAL")
buckets = {}
derived = {}


class Refusal(Exception):
    def __init__(self, status, code):
        self.status, self.code = status, code


class LaunchRequest(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)
    user_id: Annotated[str, Field(pattern=r"^[\x21-\x7e]{1,128}$")]
    platform: Literal["IOS", "ANDROID"]
    page: Literal["program"]
    business_id: str
    ttl_seconds: int | None = None


@app.exception_handler(Refusal)
async def refuse(_, refusal):
    return JSONResponse({"type": f"/problems/{refusal.code}", "code": refusal.code}, refusal.status)


@app.exception_handler(RequestValidationError)
async def refuse_fields(_, error):
    return JSONResponse({"type": "/problems/invalid_field", "code": "invalid_field", "errors": str(error)}, 422)


def authenticate(authorization, now):
    scheme, _, key = (authorization or "").partition(" ")
    if scheme.lower() != "bearer" or len(key) != 66 or not key.startswith("llk_"):
        raise Refusal(401, "malformed_api_key")
    row = database.execute(LOOK_UP, (f"key_{key[4:16]}",)).fetchone()
    if row is None or not hmac.compare_digest(hashlib.sha256(key.encode()).digest(), row[0]):
        raise Refusal(401, "invalid_api_key")
    _, scopes, expires_at, revoked_at, *partner = row
    if revoked_at is not None or (expires_at is not None and expires_at <= now * 1000) or "launch" not in scopes.split():
        raise Refusal(401, "revoked_api_key")
    return partner


def take(project, rate, now):
    tokens, at = buckets.get(project, (2 * rate, now))
    tokens = min(2 * rate, tokens + (now - at) * rate)
    if tokens < 1:
        raise Refusal(429, "rate_limited")
    buckets[project] = (tokens - 1, now)
    return int(tokens - 1)


def mac(key, message):
    return hmac.digest(key, message, "sha256")


def project_key(signing_key, secret, project):
    """The project's key by HKDF-SHA256 (RFC 5869), one block."""
    known = derived.get((signing_key, project))
    if known is None:
        known = mac(mac(bytes(32), secret), f"launchlink/launch-signature/v1/{project}\x01".encode())
        derived[signing_key, project] = known
    return known


def uuid7(now):
    drawn = int(now * 1000) << 80 | int.from_bytes(os.urandom(10))
    return str(uuid.UUID(int=drawn & ~(0xF << 76) & ~(0b11 << 62) | 0x7 << 76 | 0b10 << 62))


def rfc3339(seconds):
    return datetime.fromtimestamp(seconds, timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


@app.post("/launch")
async def launch(asked: LaunchRequest, request: Request, authorization: Annotated[str | None, Header()] = None):
    now = time.time()
    project, web_api_key, delivery, longest, rate, disabled_at, signing_key, secret = authenticate(authorization, now)
    if disabled_at is not None:
        raise Refusal(403, "project_disabled")
    left = take(project, rate, now)
    ttl = longest if asked.ttl_seconds is None else asked.ttl_seconds
    if not 10 <= ttl <= longest:
        raise Refusal(422, "invalid_field")
    found = database.execute("SELECT active FROM business WHERE business_id = ?", (asked.business_id,)).fetchone()
    if found is None or not found[0]:
        raise Refusal(422, "unknown_business")

    created, name = int(now), uuid7(now)
    redirect = f"/cashback/detail?business_id={asked.business_id}"
    query = f"?redirect_to={quote(redirect, safe='')}"
    delivered = web_api_key if delivery == "direct" else f"launch-{name}"
    parameters = (
        f'{COVERED};created={created};expires={created + ttl};nonce="{name}";alg="hmac-sha256";keyid="{signing_key}"'
        ';tag="moment-launch"'
    )
    base = (
        f'"@method": GET\n"@authority": {AUTHORITY}\n"@path": /main\n"@query": {query}\n'
        f'"x-moment-project-id": {project}\n"x-moment-web-api-key": {delivered}\n"x-moment-user-id": {asked.user_id}\n'
        f'"x-moment-platform": {asked.platform}\n"@signature-params": {parameters}'
    )
    signature = base64.b64encode(mac(project_key(signing_key, secret, project), base.encode())).decode()
    return JSONResponse({
        "launch_id": name, "method": "GET", "url": f"https://{AUTHORITY}/main{query}", "redirect_to": redirect,
        "deep_link": f"moment://cashback{query}",
        "headers": {
            "x-moment-project-id": project, "x-moment-web-api-key": delivered, "x-moment-user-id": asked.user_id,
            "x-moment-platform": asked.platform, "signature-input": f"launch={parameters}",
            "signature": f"launch=:{signature}:",
        },
        "issued_at": rfc3339(created), "expires_at": rfc3339(created + ttl), "expires_in": ttl,
    }, headers={
        "Cache-Control": "no-store", "RateLimit-Policy": f'"launch";q={2 * rate};w=2',
        "RateLimit": f'"launch";r={left};t=1', "X-Request-Id": request.headers.get("x-request-id") or uuid7(now),
    })
