-- What the peers know: LaunchLink's tables as far as launches and verifications read them, the secrets in the clear.
CREATE TABLE project (
  project_id TEXT PRIMARY KEY, web_api_key TEXT NOT NULL, key_delivery TEXT NOT NULL, replay_policy TEXT NOT NULL,
  ttl INTEGER NOT NULL, rate_limit INTEGER NOT NULL, created_at INTEGER NOT NULL, disabled_at INTEGER
) STRICT, WITHOUT ROWID;
CREATE TABLE api_key (
  key_id TEXT PRIMARY KEY, digest BLOB NOT NULL, scopes TEXT NOT NULL, project_id TEXT, expires_at INTEGER,
  revoked_at INTEGER
) STRICT, WITHOUT ROWID;
CREATE TABLE signing_key (key_id TEXT PRIMARY KEY, secret BLOB NOT NULL, state TEXT NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE business (business_id TEXT PRIMARY KEY, active INTEGER NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE log_out (
  project_id TEXT NOT NULL, user_digest BLOB NOT NULL, at INTEGER NOT NULL, PRIMARY KEY (project_id, user_digest)
) STRICT, WITHOUT ROWID;
CREATE TABLE used_launch (launch_id TEXT PRIMARY KEY, at INTEGER NOT NULL) STRICT, WITHOUT ROWID;
CREATE INDEX used_launch_by_time ON used_launch (at);
