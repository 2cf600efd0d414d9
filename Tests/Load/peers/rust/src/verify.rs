//! GET /verify/forward-auth: the decision about a bundle.
use hmac::Mac;
use hyper::header::{HeaderValue, CACHE_CONTROL};
use hyper::{Body, Request, Response, StatusCode};

use crate::launch::is_user_id;
use crate::received::{Judged, LaunchID, Received, Refusal};
use crate::store::{Gateway, Standing};
use crate::{api_key, now, problem, App, AUTHORITY};

const MISMATCH: Refusal = "signature_mismatch";
/// How far ahead of this clock another server's may be.
const SKEW_SECONDS: i64 = 30;

/// A launch that may pass, unless it may do so once and already has.
struct Passed<'a> {
    launch: LaunchID,
    project: &'a str,
    user: &'a str,
    platform: &'a str,
    web_api_key: String,
    once: bool,
}

/// A refusal: 401 for the bundle, 403 for the gateway. Its body is dropped, so a header has the code too.
fn refuse(status: StatusCode, code: Refusal) -> Response<Body> {
    let mut answer = problem(status, code);
    answer.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    answer.headers_mut().insert("x-launch-code", HeaderValue::from_static(code));
    answer
}

fn unavailable() -> Response<Body> {
    problem(StatusCode::SERVICE_UNAVAILABLE, "unavailable")
}

impl App {
    /// Decides in this order: parse, tag, components, key, MAC, authority, time, project, revocation. The MAC is
    /// checked before anything that the bundle says is believed.
    fn judge<'a>(&self, request: &Judged<'a>, gateway: &Gateway) -> rusqlite::Result<Result<Passed<'a>, Refusal>> {
        let bundle = match Received::read(request) {
            Ok(bundle) => bundle,
            Err(refusal) => return Ok(Err(refusal)),
        };
        let text = |name| request.header(name).and_then(|value| std::str::from_utf8(value).ok());
        let (project, user, platform) =
            match (text("x-moment-project-id"), text("x-moment-user-id"), text("x-moment-platform")) {
                (Some(project), Some(user), Some(platform)) => (project, user, platform),
                _ => return Ok(Err(MISMATCH)),
            };
        let (secret, standing) = match self.store.standing(&bundle.key_id, project, user)? {
            Some(found) => found,
            None => return Ok(Err("unknown_key")),
        };
        let is_ours = gateway.project.as_ref().map_or(true, |only| only == project);
        let (standing, code) = match (standing.filter(|_| is_ours), &bundle.code) {
            (Some(standing), Some(code)) => (standing, code),
            _ => return Ok(Err(MISMATCH)),
        };
        let mut mac = self.key(&bundle.key_id, &secret, project);
        mac.update(&bundle.base);
        // The comparison takes the same time wherever they differ.
        if mac.verify_slice(code).is_err() {
            return Ok(Err(MISMATCH));
        }
        if !is_user_id(user) || !matches!(platform, "IOS" | "ANDROID") {
            return Ok(Err("malformed_signature"));
        }
        Ok(match refusal(request, &bundle, &standing) {
            Some(refusal) => Err(refusal),
            None => {
                let Standing { web_api_key, once, .. } = standing;
                Ok(Passed { launch: bundle.nonce, project, user, platform, web_api_key, once })
            }
        })
    }

    pub async fn forward_auth(&self, request: Request<Body>) -> Response<Body> {
        let gateway = match api_key(&request).map(|key| self.store.gateway(key, now())) {
            Some(Ok(Ok(gateway))) => gateway,
            Some(Ok(Err(code))) => return refuse(StatusCode::FORBIDDEN, code),
            Some(Err(_)) => return unavailable(),
            None => return refuse(StatusCode::FORBIDDEN, "malformed_api_key"),
        };
        let judged = match Judged::forwarded(request.headers()).filter(|_| request.uri().query().is_none()) {
            Some(judged) => judged,
            None => return refuse(StatusCode::FORBIDDEN, "invalid_request"),
        };
        let passed = match self.judge(&judged, &gateway) {
            Ok(Ok(passed)) => passed,
            Ok(Err(refusal)) => return refuse(StatusCode::UNAUTHORIZED, refusal),
            Err(_) => return unavailable(),
        };
        if passed.once {
            match self.used.use_up(passed.launch.0).await {
                Ok(true) => {}
                Ok(false) => return refuse(StatusCode::UNAUTHORIZED, "replayed"),
                Err(_) => return unavailable(),
            }
        }
        Response::builder()
            .status(StatusCode::NO_CONTENT)
            .header(CACHE_CONTROL, "no-store")
            .header("x-moment-project-id", passed.project)
            .header("x-moment-user-id", passed.user)
            .header("x-moment-platform", passed.platform)
            .header("x-moment-web-api-key", passed.web_api_key)
            .body(Body::empty())
            .unwrap_or_else(|_| problem(StatusCode::INTERNAL_SERVER_ERROR, "internal"))
    }
}

/// Why a rightly signed bundle does not pass.
fn refusal(request: &Judged, bundle: &Received, standing: &Standing) -> Option<Refusal> {
    let (now, launched) = (now(), bundle.nonce.milliseconds());
    if request.authority != AUTHORITY {
        Some("authority_mismatch")
    } else if bundle.created > now / 1000 + SKEW_SECONDS {
        Some("not_yet_valid")
    } else if now >= bundle.end() * 1000 {
        Some("expired")
    } else if standing.is_disabled {
        Some("project_disabled")
    } else if launched < standing.created_at || standing.logged_out_at.map_or(false, |at| launched <= at) {
        Some("revoked")
    } else {
        None
    }
}
