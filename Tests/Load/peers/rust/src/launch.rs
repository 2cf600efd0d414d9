//! POST /launch.
use std::time::Instant;

use hmac::Mac;
use hyper::header::{HeaderValue, CONTENT_TYPE};
use hyper::{Body, Request, Response, StatusCode};
use percent_encoding::{utf8_percent_encode, AsciiSet, NON_ALPHANUMERIC};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::store::Partner;
use crate::{api_key, now, problem, App, AUTHORITY};

const COVERED: &str = r#"("@method" "@authority" "@path" "@query" "x-moment-project-id" "x-moment-web-api-key" "x-moment-user-id" "x-moment-platform")"#;
const UNRESERVED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');
const LONGEST_BODY: usize = 16 * 1024;

#[derive(Deserialize, Serialize, Clone, Copy)]
#[serde(rename_all = "UPPERCASE")]
enum Platform {
    Ios,
    Android,
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum Page {
    Program,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Asked {
    user_id: String,
    platform: Platform,
    #[serde(rename = "page")]
    _page: Page,
    business_id: String,
    ttl_seconds: Option<i64>,
}

#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct Headers<'a> {
    x_moment_project_id: &'a str,
    x_moment_web_api_key: &'a str,
    x_moment_user_id: &'a str,
    x_moment_platform: Platform,
    signature_input: String,
    signature: String,
}

#[derive(Serialize)]
struct Launch<'a> {
    launch_id: &'a str,
    method: &'static str,
    url: String,
    redirect_to: &'a str,
    deep_link: String,
    headers: Headers<'a>,
    issued_at: String,
    expires_at: String,
    expires_in: i64,
}

/// A UUIDv7 (RFC 9562) of this time.
pub fn uuid7(milliseconds: i64) -> Uuid {
    let mut bytes = [0; 16];
    getrandom::getrandom(&mut bytes[6..]).expect("the system has random bytes");
    bytes[..6].copy_from_slice(&milliseconds.to_be_bytes()[2..]);
    bytes[6] = 0x70 | bytes[6] & 0x0f;
    bytes[8] = 0x80 | bytes[8] & 0x3f;
    Uuid::from_bytes(bytes)
}

/// A time in seconds as RFC 3339 has it, by the civil calendar's days in eras of 400 years from 1 March.
fn rfc3339(seconds: i64) -> String {
    let (days, second) = (seconds.div_euclid(86_400) + 719_468, seconds.rem_euclid(86_400));
    let (era, day_of_era) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * from_march + 2) / 5 + 1;
    let month = if from_march < 10 { from_march + 3 } else { from_march - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02}T{:02}:{:02}:{:02}Z", second / 3600, second / 60 % 60, second % 60)
}

pub fn is_user_id(text: &str) -> bool {
    (1..=128).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_graphic())
}

impl App {
    /// What is left of a project's rate limit after this launch; None where there is nothing.
    fn take(&self, partner: &Partner) -> Option<f64> {
        let (now, rate) = (Instant::now(), partner.rate as f64);
        let mut buckets = self.buckets.lock().unwrap();
        let full = (2.0 * rate, now);
        if !buckets.contains_key(&partner.project) {
            buckets.insert(partner.project.clone(), full);
        }
        let (tokens, at) = buckets.get_mut(&partner.project)?;
        *tokens = (*tokens + (now - *at).as_secs_f64() * rate).min(2.0 * rate);
        *at = now;
        (*tokens >= 1.0).then(|| {
            *tokens -= 1.0;
            *tokens
        })
    }

    pub async fn launch(&self, request: Request<Body>) -> Response<Body> {
        let now = now();
        let partner = match api_key(&request).map(|key| self.store.partner(key, now)) {
            Some(Ok(Ok(partner))) => partner,
            Some(Ok(Err(code))) => return problem(StatusCode::UNAUTHORIZED, code),
            Some(Err(_)) => return problem(StatusCode::INTERNAL_SERVER_ERROR, "internal"),
            None => return problem(StatusCode::UNAUTHORIZED, "malformed_api_key"),
        };
        let left = self.take(&partner);
        let mut answer = match left {
            Some(_) => self.launched(request, &partner, now).await,
            None => problem(StatusCode::TOO_MANY_REQUESTS, "rate_limited"),
        };
        let headers = answer.headers_mut();
        for (name, text) in [
            ("ratelimit-policy", format!(r#""launch";q={};w=2"#, 2 * partner.rate)),
            ("ratelimit", format!(r#""launch";r={};t=1"#, left.unwrap_or(0.0) as i64)),
            ("x-request-id", uuid7(now).to_string()),
        ] {
            headers.insert(name, HeaderValue::try_from(text).expect("digits and letters"));
        }
        answer
    }

    async fn launched(&self, request: Request<Body>, partner: &Partner, now: i64) -> Response<Body> {
        if request.headers().get(CONTENT_TYPE).map_or(true, |kind| kind != "application/json") {
            return problem(StatusCode::UNSUPPORTED_MEDIA_TYPE, "unsupported_media_type");
        }
        let length = request.headers().get("content-length").and_then(|text| text.to_str().ok()?.parse::<usize>().ok());
        if length.map_or(true, |length| length > LONGEST_BODY) {
            return problem(StatusCode::PAYLOAD_TOO_LARGE, "body_too_large");
        }
        let body = match hyper::body::to_bytes(request.into_body()).await {
            Ok(body) => body,
            Err(_) => return problem(StatusCode::BAD_REQUEST, "invalid_json"),
        };
        let asked: Asked = match serde_json::from_slice(&body) {
            Ok(asked) => asked,
            Err(error) if error.is_data() => return problem(StatusCode::UNPROCESSABLE_ENTITY, "invalid_field"),
            Err(_) => return problem(StatusCode::BAD_REQUEST, "invalid_json"),
        };
        let ttl = asked.ttl_seconds.unwrap_or(partner.ttl);
        if !is_user_id(&asked.user_id) || !(10..=partner.ttl).contains(&ttl) {
            return problem(StatusCode::UNPROCESSABLE_ENTITY, "invalid_field");
        }
        match self.store.is_active(&asked.business_id) {
            Ok(true) => self.signed(&asked, partner, now, ttl),
            Ok(false) => problem(StatusCode::UNPROCESSABLE_ENTITY, "unknown_business"),
            Err(_) => problem(StatusCode::INTERNAL_SERVER_ERROR, "internal"),
        }
    }

    fn signed(&self, asked: &Asked, partner: &Partner, now: i64, ttl: i64) -> Response<Body> {
        let id = uuid7(now).to_string();
        let redirect = format!("/cashback/detail?business_id={}", asked.business_id);
        let query = format!("?redirect_to={}", utf8_percent_encode(&redirect, UNRESERVED));
        let (created, expires) = (now / 1000, now / 1000 + ttl);
        let delivered = if partner.delivers_key { partner.web_api_key.clone() } else { ["launch-", &id].concat() };
        let (project, user, key) = (&partner.project, &asked.user_id, &partner.signing_key);
        let platform = match asked.platform {
            Platform::Ios => "IOS",
            Platform::Android => "ANDROID",
        };
        let parameters = format!(
            "{COVERED};created={created};expires={expires};nonce=\"{id}\";alg=\"hmac-sha256\";keyid=\"{key}\";tag=\"moment-launch\""
        );
        let base = format!(
            "\"@method\": GET\n\"@authority\": {AUTHORITY}\n\"@path\": /main\n\"@query\": {query}\n\
             \"x-moment-project-id\": {project}\n\"x-moment-web-api-key\": {delivered}\n\
             \"x-moment-user-id\": {user}\n\"x-moment-platform\": {platform}\n\"@signature-params\": {parameters}"
        );
        let mut mac = self.key(key, &partner.secret, project);
        mac.update(base.as_bytes());
        let launch = Launch {
            launch_id: &id,
            method: "GET",
            url: format!("https://{AUTHORITY}/main{query}"),
            redirect_to: &redirect,
            deep_link: ["moment://cashback", &query].concat(),
            headers: Headers {
                x_moment_project_id: project,
                x_moment_web_api_key: &delivered,
                x_moment_user_id: user,
                x_moment_platform: asked.platform,
                signature_input: ["launch=", &parameters].concat(),
                signature: format!("launch=:{}:", base64::encode(mac.finalize().into_bytes())),
            },
            issued_at: rfc3339(created),
            expires_at: rfc3339(expires),
            expires_in: ttl,
        };
        let mut answer = Response::new(Body::from(serde_json::to_vec(&launch).expect("strings and numbers")));
        let headers = answer.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        headers.insert("cache-control", HeaderValue::from_static("no-store"));
        answer
    }
}
