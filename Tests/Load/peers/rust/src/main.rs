//! POST /launch and GET /verify/forward-auth as a Rust programmer would write them: hyper, tokio and rusqlite.
mod fields;
mod launch;
mod received;
mod store;
mod used;
mod verify;

use std::collections::HashMap;
use std::convert::Infallible;
use std::sync::{Arc, Mutex, RwLock};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use hmac::{Hmac, Mac};
use hyper::header::{HeaderValue, AUTHORIZATION};
use hyper::service::{make_service_fn, service_fn};
use hyper::{Body, Method, Request, Response, Server, StatusCode};
use sha2::Sha256;

use store::Store;
use used::UsedLaunches;

pub const AUTHORITY: &str = "cashback-ui.moment.fairytech.ai";
const MOST_KEYS: usize = 4096;

pub type Code = Hmac<Sha256>;

/// What all requests share.
pub struct App {
    store: Store,
    used: UsedLaunches,
    /// Each project's own signing keys by their id and the project's, derived once and ready to go on from.
    keys: RwLock<HashMap<String, Code>>,
    /// What is left of each project's rate limit, and since when.
    buckets: Mutex<HashMap<String, (f64, Instant)>>,
}

pub fn now() -> i64 {
    SystemTime::now().duration_since(UNIX_EPOCH).expect("a clock after 1970").as_millis() as i64
}

/// The project's key by HKDF-SHA256 (RFC 5869) without salt: one block is 32 bytes.
fn derive(secret: &[u8], project: &str) -> Code {
    let mac = |key: &[u8], parts: &[&[u8]]| {
        let mut mac = Code::new_from_slice(key).expect("any length will do");
        parts.iter().for_each(|part| mac.update(part));
        mac.finalize().into_bytes()
    };
    let extracted = mac(&[0; 32], &[secret]);
    let key = mac(&extracted, &[b"launchlink/launch-signature/v1/", project.as_bytes(), &[1]]);
    Code::new_from_slice(&key).expect("any length will do")
}

impl App {
    fn key(&self, id: &str, secret: &[u8], project: &str) -> Code {
        let name = [id, project].concat();
        if let Some(key) = self.keys.read().unwrap().get(&name) {
            return key.clone();
        }
        let key = derive(secret, project);
        let mut keys = self.keys.write().unwrap();
        if keys.len() >= MOST_KEYS {
            keys.clear();
        }
        keys.insert(name, key.clone());
        key
    }

    async fn route(self: Arc<Self>, request: Request<Body>) -> Result<Response<Body>, Infallible> {
        Ok(match (request.method(), request.uri().path()) {
            (&Method::POST, "/launch") => self.launch(request).await,
            (&Method::GET, "/verify/forward-auth") => self.forward_auth(request).await,
            (_, "/launch" | "/verify/forward-auth") => problem(StatusCode::METHOD_NOT_ALLOWED, "method_not_allowed"),
            _ => problem(StatusCode::NOT_FOUND, "not_found"),
        })
    }
}

/// The API key that a request came with, if it has the form of one.
pub fn api_key(request: &Request<Body>) -> Option<&str> {
    let key = request.headers().get(AUTHORIZATION)?.to_str().ok()?.strip_prefix("Bearer ")?;
    (key.len() == 66 && key.starts_with("llk_")).then(|| key)
}

pub fn problem(status: StatusCode, code: &str) -> Response<Body> {
    let text = format!(r#"{{"type":"/problems/{code}","status":{},"code":"{code}"}}"#, status.as_u16());
    let mut answer = Response::new(Body::from(text));
    *answer.status_mut() = status;
    answer.headers_mut().insert("content-type", HeaderValue::from_static("application/problem+json"));
    answer
}

fn main() {
    let variable = |name: &str| std::env::var(name).unwrap_or_else(|_| panic!("{name} is not set"));
    let database = variable("PEER_DATABASE");
    let port: u16 = variable("PEER_PORT").parse().expect("PEER_PORT is a port");
    let app = Arc::new(App {
        store: Store::open(&database).expect("the database opens"),
        used: UsedLaunches::open(&database).expect("the database opens"),
        keys: RwLock::default(),
        buckets: Mutex::default(),
    });
    let make = make_service_fn(move |_| {
        let app = app.clone();
        async move { Ok::<_, Infallible>(service_fn(move |request| app.clone().route(request))) }
    });
    // One core is all it gets: one thread for the requests, beside the one that writes.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async {
        Server::bind(&([127, 0, 0, 1], port).into()).tcp_nodelay(true).serve(make).await.expect("the port is free")
    });
}
