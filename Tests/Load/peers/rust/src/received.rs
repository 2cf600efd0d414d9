//! What a bundle says, strictly read, and its signature base (RFC 9421).
use std::borrow::Cow;

use hyper::header::HeaderMap;

use crate::fields::{dictionary, Bare, Member, Value};

const TAG: &str = "moment-launch";
const ALG: &str = "hmac-sha256";
const COVERED: [&str; 8] = [
    "@method", "@authority", "@path", "@query",
    "x-moment-project-id", "x-moment-web-api-key", "x-moment-user-id", "x-moment-platform",
];
const GATEWAYS_OWN: [&str; 4] = ["authorization", "x-forwarded-method", "x-forwarded-host", "x-forwarded-uri"];

/// Why a bundle is refused.
pub type Refusal = &'static str;

const MALFORMED: Refusal = "malformed_signature";
const MISSING: Refusal = "missing_component";

/// The request that the gateway holds.
pub struct Judged<'a> {
    pub method: &'a str,
    pub authority: Cow<'a, str>,
    /// Path and query as they came.
    pub target: &'a str,
    pub path: &'a str,
    pub query: &'a str,
    headers: &'a HeaderMap,
}

impl<'a> Judged<'a> {
    /// Takes it from `X-Forwarded-*`, each there once; None where a gateway could not have meant it.
    pub fn forwarded(headers: &'a HeaderMap) -> Option<Judged<'a>> {
        let name = |b: u8| b.is_ascii_alphanumeric() || b == b'-' || b == b'_';
        let method = once(headers, "x-forwarded-method", name)?;
        let host = once(headers, "x-forwarded-host", |b| name(b) || matches!(b, b'.' | b':' | b'[' | b']'))?;
        let target = once(headers, "x-forwarded-uri", |b| matches!(b, 0x21..=0x7e))?;
        if !target.starts_with('/') {
            return None;
        }
        let mut authority = Cow::Borrowed(host);
        if host.bytes().any(|b| b.is_ascii_uppercase()) {
            authority.to_mut().make_ascii_lowercase();
        }
        if let Some(bare) = authority.strip_suffix(":443") {
            authority = Cow::Owned(bare.to_owned());
        }
        if authority.is_empty() || authority.ends_with(":443") {
            return None;
        }
        let (path, query) = match target.find('?') {
            Some(at) => target.split_at(at),
            None => (target, "?"),
        };
        Some(Judged { method, authority, target, path, query, headers })
    }

    /// The values of a header, given in lower case as a component's name is; none of the gateway's own.
    fn values(&self, name: &str) -> impl Iterator<Item = &'a [u8]> {
        let is_hidden = GATEWAYS_OWN.contains(&name) || name.bytes().any(|b| b.is_ascii_uppercase());
        let values = (!is_hidden).then(|| self.headers.get_all(name).iter());
        values.into_iter().flatten().map(|v| trimmed(v.as_bytes()))
    }

    /// The value of a header that a component covers.
    pub fn header(&self, name: &str) -> Option<&'a [u8]> {
        self.values(name).next()
    }

    /// All lines of a field as one (RFC 9110 section 5.3).
    fn joined(&self, name: &str) -> Option<Cow<'a, str>> {
        let mut values = self.headers.get_all(name).iter();
        // What is not ASCII is no structured field; U+FFFD is none either.
        let text = |v: &'a hyper::header::HeaderValue| v.to_str().unwrap_or("\u{fffd}");
        let mut all = Cow::Borrowed(text(values.next()?));
        for value in values {
            all.to_mut().push_str(", ");
            all.to_mut().push_str(text(value));
        }
        Some(all)
    }
}

fn once<'a>(headers: &'a HeaderMap, name: &str, usable: impl Fn(u8) -> bool) -> Option<&'a str> {
    let mut values = headers.get_all(name).iter();
    let value = values.next()?.to_str().ok()?;
    let good = values.next().is_none() && !value.is_empty() && value.bytes().all(|b| b != b',' && usable(b));
    good.then_some(value)
}

fn trimmed(mut value: &[u8]) -> &[u8] {
    while let [b' ' | b'\t', rest @ ..] | [rest @ .., b' ' | b'\t'] = value {
        value = rest;
    }
    value
}

/// A launch's signature, not yet believed, with the base that it should be the code of.
pub struct Received {
    pub key_id: String,
    pub created: i64,
    pub expires: i64,
    pub nonce: LaunchID,
    /// None where `Signature` has none of that label.
    pub code: Option<Vec<u8>>,
    pub base: Vec<u8>,
}

impl Received {
    /// From when on it is refused: an hour after `created` at the latest.
    pub fn end(&self) -> i64 {
        self.expires.min(self.created + 3600)
    }

    pub fn read(request: &Judged) -> Result<Received, Refusal> {
        let (inputs, signatures) =
            request.joined("signature-input").zip(request.joined("signature")).ok_or("missing_signature")?;
        let inputs = dictionary(&inputs).ok_or(MALFORMED)?;
        let mut signatures = dictionary(&signatures).ok_or(MALFORMED)?;
        let mut tagged = inputs.iter().filter(|m| matches!(m.parameter("tag"), Some(Bare::String(t)) if t == TAG));
        let member = tagged.next().ok_or("wrong_tag")?;
        if tagged.next().is_some() {
            return Err(MALFORMED);
        }
        let items = match &member.value {
            Value::List(items) => items,
            Value::Item(_) => return Err(MALFORMED),
        };

        // What is malformed comes before what is missing, wherever it stands.
        let mut lacking = false;
        let mut names: Vec<&str> = Vec::with_capacity(items.len());
        for (item, parameters) in items {
            let name = match item {
                Bare::String(name) => name,
                _ => return Err(MALFORMED),
            };
            lacking |= !parameters.is_empty();
            if names.contains(&name.as_ref()) || (!name.starts_with('@') && request.values(name).nth(1).is_some()) {
                return Err(MALFORMED);
            }
            names.push(name);
        }
        let key_id = string(member, "keyid")?;
        let alg = string(member, "alg")?;
        let nonce = match string(member, "nonce")? {
            Some(text) => Some(LaunchID::parse(text).ok_or(MALFORMED)?),
            None => None,
        };
        let (created, expires) = (seconds(member, "created")?, seconds(member, "expires")?);
        let code = match signatures.iter().position(|m| m.key == member.key) {
            Some(at) => match signatures.swap_remove(at).value {
                Value::Item(Bare::Bytes(code)) => Some(code),
                _ => return Err(MALFORMED),
            },
            None => None,
        };
        if lacking || COVERED.iter().any(|c| !names.contains(c)) || alg != Some(ALG) {
            return Err(MISSING);
        }
        let (key_id, nonce, created, expires) = match (key_id, nonce, created, expires) {
            (Some(key_id), Some(nonce), Some(created), Some(expires)) => (key_id.to_owned(), nonce, created, expires),
            _ => return Err(MISSING),
        };

        let mut base = Vec::with_capacity(1024);
        for name in names {
            base.push(b'"');
            base.extend_from_slice(name.as_bytes());
            base.extend_from_slice(b"\": ");
            match name {
                "@method" => base.extend_from_slice(request.method.as_bytes()),
                "@authority" => base.extend_from_slice(request.authority.as_bytes()),
                "@path" => base.extend_from_slice(request.path.as_bytes()),
                "@query" => base.extend_from_slice(request.query.as_bytes()),
                "@scheme" => base.extend_from_slice(b"https"),
                "@target-uri" => {
                    base.extend_from_slice(b"https://");
                    base.extend_from_slice(request.authority.as_bytes());
                    base.extend_from_slice(request.target.as_bytes());
                }
                "@request-target" => base.extend_from_slice(request.target.as_bytes()),
                _ => base.extend_from_slice(request.header(name).ok_or(MISSING)?),
            }
            base.push(b'\n');
        }
        base.extend_from_slice(b"\"@signature-params\": ");
        base.extend_from_slice(member.text.as_bytes());
        Ok(Received { key_id, created, expires, nonce, code, base })
    }
}

fn string<'m>(member: &'m Member, name: &str) -> Result<Option<&'m str>, Refusal> {
    match member.parameter(name) {
        Some(Bare::String(text)) => Ok(Some(text)),
        Some(_) => Err(MALFORMED),
        None => Ok(None),
    }
}

/// A time in whole seconds; from 1e11 on it can only be milliseconds.
fn seconds(member: &Member, name: &str) -> Result<Option<i64>, Refusal> {
    match member.parameter(name) {
        Some(Bare::Integer(time @ 0..=99_999_999_999)) => Ok(Some(*time)),
        Some(_) => Err(MALFORMED),
        None => Ok(None),
    }
}

/// A launch id: a UUIDv7 (RFC 9562).
#[derive(Clone, Copy)]
pub struct LaunchID(pub uuid::Uuid);

impl LaunchID {
    fn parse(text: &str) -> Option<LaunchID> {
        let id = uuid::Uuid::try_parse(text).ok().filter(|_| text.len() == 36)?;
        let bytes = id.as_bytes();
        (bytes[6] >> 4 == 7 && bytes[8] >> 6 == 0b10).then(|| LaunchID(id))
    }

    pub fn milliseconds(self) -> i64 {
        (self.0.as_u128() >> 80) as i64
    }
}
