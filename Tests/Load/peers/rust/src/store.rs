//! What the database says. One connection, its lock held for a look-up by a prepared statement.
use std::sync::Mutex;
use std::time::Duration;

use rusqlite::{Connection, OpenFlags, OptionalExtension, Result, Row};
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

const PARTNER: &str = "SELECT k.digest, k.scopes, k.expires_at, k.revoked_at, p.project_id, p.web_api_key, \
     p.key_delivery, p.ttl, p.rate_limit, p.disabled_at, s.key_id, s.secret \
     FROM api_key k JOIN project p USING (project_id) JOIN signing_key s ON s.state = 'active' WHERE k.key_id = ?1";
const GATEWAY: &str = "SELECT digest, scopes, expires_at, revoked_at, project_id FROM api_key WHERE key_id = ?1";
const BUSINESS: &str = "SELECT active FROM business WHERE business_id = ?1";
const STANDING: &str = "SELECT s.secret, p.web_api_key, p.replay_policy = 'once', p.disabled_at, p.created_at, \
     (SELECT at FROM log_out WHERE project_id = ?2 AND user_digest = ?3) \
     FROM signing_key s LEFT JOIN project p ON p.project_id = ?2 WHERE s.key_id = ?1";

/// Who asks for launches.
pub struct Partner {
    pub project: String,
    pub web_api_key: String,
    pub delivers_key: bool,
    pub ttl: i64,
    pub rate: i64,
    pub signing_key: String,
    pub secret: Vec<u8>,
}

/// Who verifies; with a project, only that one's launches.
pub struct Gateway {
    pub project: Option<String>,
}

/// What a project's bundles are judged by at this moment.
pub struct Standing {
    pub web_api_key: String,
    pub once: bool,
    pub is_disabled: bool,
    pub created_at: i64,
    pub logged_out_at: Option<i64>,
}

pub struct Store(Mutex<Connection>);

impl Store {
    pub fn open(path: &str) -> Result<Store> {
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(path, flags)?;
        connection.busy_timeout(Duration::from_secs(5))?;
        Ok(Store(Mutex::new(connection)))
    }

    pub fn partner(&self, key: &str, now: i64) -> Result<std::result::Result<Partner, &'static str>> {
        self.holder(PARTNER, "launch", key, now, |row| {
            let disabled_at: Option<i64> = row.get(9)?;
            Ok(if disabled_at.is_some() {
                Err("project_disabled")
            } else {
                Ok(Partner {
                    project: row.get(4)?,
                    web_api_key: row.get(5)?,
                    delivers_key: row.get_ref(6)?.as_str()? == "direct",
                    ttl: row.get(7)?,
                    rate: row.get(8)?,
                    signing_key: row.get(10)?,
                    secret: row.get(11)?,
                })
            })
        })
    }

    pub fn gateway(&self, key: &str, now: i64) -> Result<std::result::Result<Gateway, &'static str>> {
        self.holder(GATEWAY, "verify", key, now, |row| Ok(Ok(Gateway { project: row.get(4)? })))
    }

    /// Whoever holds an API key, or why it is refused.
    fn holder<T>(
        &self,
        look_up: &str,
        scope: &str,
        key: &str,
        now: i64,
        read: impl FnOnce(&Row) -> Result<std::result::Result<T, &'static str>>,
    ) -> Result<std::result::Result<T, &'static str>> {
        let digest = Sha256::digest(key.as_bytes());
        let mut id = [0; 16];
        id[..4].copy_from_slice(b"key_");
        id[4..].copy_from_slice(&key.as_bytes()[4..16]);
        let connection = self.0.lock().unwrap();
        let mut statement = connection.prepare_cached(look_up)?;
        let found = statement.query_row([std::str::from_utf8(&id).unwrap_or("")], |row| {
            if !bool::from(digest.as_slice().ct_eq(row.get_ref(0)?.as_blob()?)) {
                return Ok(Err("invalid_api_key"));
            }
            let (expires_at, revoked_at): (Option<i64>, Option<i64>) = (row.get(2)?, row.get(3)?);
            if revoked_at.is_some() || expires_at.map_or(false, |at| at <= now) {
                return Ok(Err("revoked_api_key"));
            }
            if !row.get_ref(1)?.as_str()?.split(' ').any(|one| one == scope) {
                return Ok(Err("insufficient_scope"));
            }
            read(row)
        });
        Ok(found.optional()?.unwrap_or(Err("invalid_api_key")))
    }

    pub fn is_active(&self, business: &str) -> Result<bool> {
        let connection = self.0.lock().unwrap();
        let found = connection.prepare_cached(BUSINESS)?.query_row([business], |row| row.get(0)).optional();
        Ok(found?.unwrap_or(false))
    }

    /// The signing key's secret and how the project stands, each if it is there.
    pub fn standing(&self, signing_key: &str, project: &str, user: &str) -> Result<Option<(Vec<u8>, Option<Standing>)>> {
        let digest = Sha256::new().chain_update(project).chain_update([0]).chain_update(user).finalize();
        let connection = self.0.lock().unwrap();
        let mut statement = connection.prepare_cached(STANDING)?;
        statement
            .query_row((signing_key, project, digest.as_slice()), |row| {
                let web_api_key: Option<String> = row.get(1)?;
                let standing = match web_api_key {
                    Some(web_api_key) => Some(Standing {
                        web_api_key,
                        once: row.get(2)?,
                        is_disabled: row.get::<_, Option<i64>>(3)?.is_some(),
                        created_at: row.get(4)?,
                        logged_out_at: row.get(5)?,
                    }),
                    None => None,
                };
                Ok((row.get(0)?, standing))
            })
            .optional()
    }
}
