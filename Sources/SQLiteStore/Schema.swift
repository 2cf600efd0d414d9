internal import SQLite

/// The tables, as migrations from the first version on; times are milliseconds since 1970.
enum Schema {
  /// "LLnk", which tells `file` and us whose database it is.
  static let applicationID: Int32 = 0x4C4C_6E6B

  static let migrator = Migrator(
    applicationID: applicationID,
    migrations: [
      Migration(
        "projects, keys, catalogue, audit log",
        sql: """
          CREATE TABLE project (
            project_id TEXT PRIMARY KEY,
            name TEXT NOT NULL,
            web_api_key BLOB NOT NULL,
            key_delivery TEXT NOT NULL CHECK (key_delivery IN ('gateway', 'direct')),
            replay_policy TEXT NOT NULL CHECK (replay_policy IN ('allow', 'once')),
            ttl INTEGER NOT NULL CHECK (ttl BETWEEN 10 AND 3600),
            rate_limit INTEGER NOT NULL CHECK (rate_limit BETWEEN 1 AND 100000),
            upstream TEXT NOT NULL,
            disabled_at INTEGER,
            created_at INTEGER NOT NULL,
            updated_at INTEGER NOT NULL
          ) STRICT, WITHOUT ROWID;

          CREATE TABLE api_key (
            key_id TEXT PRIMARY KEY,
            digest BLOB NOT NULL CHECK (length(digest) = 32),
            name TEXT NOT NULL,
            scopes TEXT NOT NULL CHECK (scopes <> ''),
            project_id TEXT REFERENCES project (project_id) ON DELETE CASCADE,
            created_at INTEGER NOT NULL,
            expires_at INTEGER,
            revoked_at INTEGER,
            replaces TEXT UNIQUE
          ) STRICT, WITHOUT ROWID;
          CREATE INDEX api_key_by_project ON api_key (project_id, created_at);

          CREATE TABLE session (
            digest BLOB PRIMARY KEY CHECK (length(digest) = 32),
            key_id TEXT NOT NULL REFERENCES api_key (key_id) ON DELETE CASCADE,
            expires_at INTEGER NOT NULL
          ) STRICT, WITHOUT ROWID;
          CREATE INDEX session_by_key ON session (key_id);

          CREATE TABLE signing_key (
            key_id TEXT PRIMARY KEY,
            secret BLOB NOT NULL,
            state TEXT NOT NULL CHECK (state IN ('pending', 'active', 'retired', 'revoked')),
            created_at INTEGER NOT NULL,
            activated_at INTEGER,
            retired_at INTEGER,
            revoked_at INTEGER
          ) STRICT, WITHOUT ROWID;
          CREATE UNIQUE INDEX signing_key_active ON signing_key (state) WHERE state = 'active';

          CREATE TABLE business (
            business_id TEXT PRIMARY KEY,
            name TEXT NOT NULL,
            aliases TEXT NOT NULL,
            category TEXT NOT NULL,
            image_url TEXT,
            url TEXT,
            program_name TEXT,
            display_allowed_cases TEXT,
            display_caution TEXT,
            active INTEGER NOT NULL CHECK (active IN (0, 1)),
            updated_at INTEGER NOT NULL
          ) STRICT, WITHOUT ROWID;
          CREATE INDEX business_by_name ON business (name, business_id);

          -- Another number after each change of what searches read. It is drawn and not counted, so
          -- that a restored backup, changed again, never comes to a number that meant something else.
          CREATE TABLE search_revision (revision INTEGER NOT NULL) STRICT;
          INSERT INTO search_revision VALUES (random());
          CREATE TRIGGER business_added AFTER INSERT ON business BEGIN
            UPDATE search_revision SET revision = random();
          END;
          CREATE TRIGGER business_changed AFTER UPDATE ON business
          WHEN (old.business_id, old.name, old.aliases, old.category, old.active)
            IS NOT (new.business_id, new.name, new.aliases, new.category, new.active) BEGIN
            UPDATE search_revision SET revision = random();
          END;
          CREATE TRIGGER business_removed AFTER DELETE ON business BEGIN
            UPDATE search_revision SET revision = random();
          END;

          CREATE TABLE product (
            business_id TEXT NOT NULL REFERENCES business (business_id) ON DELETE CASCADE,
            position INTEGER NOT NULL,
            target TEXT,
            starts_at INTEGER,
            ends_at INTEGER,
            commission_type TEXT NOT NULL,
            commission_amount TEXT NOT NULL,
            commission_unit TEXT NOT NULL,
            PRIMARY KEY (business_id, position)
          ) STRICT, WITHOUT ROWID;

          CREATE TABLE log_out (
            project_id TEXT NOT NULL REFERENCES project (project_id) ON DELETE CASCADE,
            user_digest BLOB NOT NULL CHECK (length(user_digest) = 32),
            at INTEGER NOT NULL,
            PRIMARY KEY (project_id, user_digest)
          ) STRICT, WITHOUT ROWID;
          CREATE INDEX log_out_by_time ON log_out (at);

          CREATE TABLE used_launch (
            launch_id TEXT PRIMARY KEY,
            at INTEGER NOT NULL
          ) STRICT, WITHOUT ROWID;
          CREATE INDEX used_launch_by_time ON used_launch (at);

          CREATE TABLE web_version (
            only INTEGER PRIMARY KEY CHECK (only = 1),
            latest TEXT NOT NULL
          ) STRICT;

          CREATE TABLE cookie (
            cookie_id INTEGER PRIMARY KEY,
            project_id TEXT REFERENCES project (project_id) ON DELETE CASCADE,
            name TEXT NOT NULL,
            value TEXT NOT NULL,
            domain TEXT NOT NULL,
            path TEXT NOT NULL,
            secure INTEGER NOT NULL CHECK (secure IN (0, 1)),
            http_only INTEGER NOT NULL CHECK (http_only IN (0, 1)),
            same_site TEXT NOT NULL,
            expires_at INTEGER
          ) STRICT;

          CREATE TABLE audit (
            audit_id INTEGER PRIMARY KEY,
            at INTEGER NOT NULL,
            os_user TEXT NOT NULL,
            sudo_user TEXT,
            action TEXT NOT NULL,
            subject TEXT NOT NULL,
            old TEXT,
            new TEXT
          ) STRICT;
          """),
      Migration(
        "counters of launches, last use of keys, key of user digests",
        sql: """
          -- The page is empty for the plain base URL. Counts are history, like the audit log: they
          -- outlive the key and the project, and go with their day.
          CREATE TABLE launch_count (
            day INTEGER NOT NULL,
            project_id TEXT NOT NULL,
            key_id TEXT NOT NULL,
            page TEXT NOT NULL,
            platform TEXT NOT NULL,
            launches INTEGER NOT NULL CHECK (launches > 0),
            PRIMARY KEY (day, project_id, key_id, page, platform)
          ) STRICT, WITHOUT ROWID;

          -- Apart from api_key, whose rows are wide and are what an admin changed.
          CREATE TABLE api_key_use (
            key_id TEXT PRIMARY KEY REFERENCES api_key (key_id) ON DELETE CASCADE,
            last_used_at INTEGER NOT NULL
          ) STRICT, WITHOUT ROWID;

          -- A secret is sealed, which SQL cannot do: whoever opens the store adds what is missing.
          CREATE TABLE digest_key (
            subject TEXT PRIMARY KEY,
            secret BLOB NOT NULL
          ) STRICT, WITHOUT ROWID;
          """),
      Migration(
        "the longest lifetime that a signing key signed, and the latest launch",
        sql: """
          -- What the earlier ones signed is not known: at most the longest lifetime that there is.
          ALTER TABLE signing_key ADD COLUMN longest_ttl INTEGER NOT NULL DEFAULT 3600
            CHECK (longest_ttl BETWEEN 0 AND 3600);

          -- The time that the latest launch is named by, as far as it has been written down.
          CREATE TABLE latest_launch (at INTEGER NOT NULL) STRICT;
          INSERT INTO latest_launch VALUES (0);
          """),
      Migration(
        "the clock of launches, and the age of used launches and log-outs",
        sql: """
          -- Milliseconds to add to the time since the machine was started: for the time that launches are
          -- named by, and for how long machines have run with the store in all. NULL until they were set.
          CREATE TABLE launch_clock (
            boot_id TEXT,
            launch_offset INTEGER,
            running_offset INTEGER
          ) STRICT;
          INSERT INTO launch_clock VALUES (NULL, NULL, NULL);

          -- When the row was written, by how long machines have run.
          ALTER TABLE used_launch ADD COLUMN running_time INTEGER NOT NULL DEFAULT 0;
          ALTER TABLE log_out ADD COLUMN running_time INTEGER NOT NULL DEFAULT 0;
          DROP INDEX used_launch_by_time;
          CREATE INDEX used_launch_by_running_time ON used_launch (running_time, at);
          CREATE INDEX log_out_by_running_time ON log_out (running_time, at);

          -- Searches read the programme's name and the shop's URL, too.
          DROP TRIGGER business_changed;
          CREATE TRIGGER business_changed AFTER UPDATE ON business
          WHEN (old.business_id, old.name, old.aliases, old.program_name, old.url, old.category, old.active)
            IS NOT (new.business_id, new.name, new.aliases, new.program_name, new.url, new.category, new.active)
          BEGIN
            UPDATE search_revision SET revision = random();
          END;
          """),
      Migration(
        "revisions of what is remembered",
        sql: """
          -- Another number after each change of what admins decide, and of the log-outs. Drawn and not counted,
          -- like the search's.
          CREATE TABLE revision (
            knowledge INTEGER NOT NULL,
            log_outs INTEGER NOT NULL
          ) STRICT;
          INSERT INTO revision VALUES (random(), random());

          -- The latest log-out of a project.
          CREATE INDEX log_out_by_project ON log_out (project_id, at);
          """
            + triggers(
              of: [
                "project", "api_key", "signing_key", "digest_key", "business", "product",
                "web_version", "cookie",
              ], redrawing: "knowledge")
            + triggers(of: ["log_out"], redrawing: "log_outs")),
    ])

  /// Has each change of the tables draw a revision anew.
  private static func triggers(of tables: [String], redrawing revision: String) -> String {
    tables.map { table in
      ["insert", "update", "delete"].map { event in
        """
        CREATE TRIGGER \(table)_\(event)_redraws AFTER \(event.uppercased()) ON \(table) BEGIN
          UPDATE revision SET \(revision) = random();
        END;

        """
      }.joined()
    }.joined()
  }
}
