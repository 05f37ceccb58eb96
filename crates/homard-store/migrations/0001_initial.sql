-- Version 1: everything but the conversations themselves, which live in JSONL files.
-- Times are milliseconds since 1970. A migration that has been released is never edited; add the next number.

CREATE TABLE meta (
  key   TEXT PRIMARY KEY,
  value TEXT NOT NULL
) WITHOUT ROWID;

-- Small values other rooms keep (gateway instance id, last heartbeat).
CREATE TABLE kv (
  key        TEXT PRIMARY KEY,
  value      TEXT NOT NULL,
  updated_at INTEGER NOT NULL
) WITHOUT ROWID;

-- `entry` is the whole session entry as JSON; the other columns repeat what is queried.
CREATE TABLE sessions (
  id                   INTEGER PRIMARY KEY,
  key                  TEXT NOT NULL UNIQUE,
  agent_id             TEXT NOT NULL,
  session_id           TEXT NOT NULL,
  kind                 TEXT NOT NULL,
  channel              TEXT,
  label                TEXT,
  archived             INTEGER NOT NULL DEFAULT 0,
  created_at           INTEGER NOT NULL,
  updated_at           INTEGER NOT NULL,
  last_message_preview TEXT,
  derived_title        TEXT,
  entry                TEXT NOT NULL
);
CREATE INDEX sessions_by_session_id ON sessions (session_id);
CREATE INDEX sessions_by_label ON sessions (agent_id, label) WHERE label IS NOT NULL;
-- Two pairs of partial indexes: an active session pays for two, and neither list walks over the other's rows.
CREATE INDEX sessions_recent ON sessions (updated_at DESC) WHERE archived = 0;
CREATE INDEX sessions_agent_recent ON sessions (agent_id, updated_at DESC) WHERE archived = 0;
CREATE INDEX sessions_archived ON sessions (updated_at DESC) WHERE archived = 1;
CREATE INDEX sessions_agent_archived ON sessions (agent_id, updated_at DESC) WHERE archived = 1;

-- Kept by triggers, so that a count never scans.
CREATE TABLE session_counts (
  agent_id TEXT NOT NULL,
  kind     TEXT NOT NULL,
  archived INTEGER NOT NULL,
  n        INTEGER NOT NULL,
  PRIMARY KEY (agent_id, kind, archived)
) WITHOUT ROWID;
CREATE TRIGGER sessions_count_insert AFTER INSERT ON sessions BEGIN
  INSERT INTO session_counts VALUES (new.agent_id, new.kind, new.archived, 1)
  ON CONFLICT (agent_id, kind, archived) DO UPDATE SET n = n + 1;
END;
CREATE TRIGGER sessions_count_delete AFTER DELETE ON sessions BEGIN
  UPDATE session_counts SET n = n - 1
  WHERE agent_id = old.agent_id AND kind = old.kind AND archived = old.archived;
END;
CREATE TRIGGER sessions_count_update AFTER UPDATE OF agent_id, kind, archived ON sessions
WHEN old.agent_id <> new.agent_id OR old.kind <> new.kind OR old.archived <> new.archived BEGIN
  UPDATE session_counts SET n = n - 1
  WHERE agent_id = old.agent_id AND kind = old.kind AND archived = old.archived;
  INSERT INTO session_counts VALUES (new.agent_id, new.kind, new.archived, 1)
  ON CONFLICT (agent_id, kind, archived) DO UPDATE SET n = n + 1;
END;

-- The index over the transcript files. Deleting every row of these two tables loses nothing.
-- `session_id` is NULL for a transcript that was reset or deleted and whose rows await sweeping.
CREATE TABLE transcripts (
  id         INTEGER PRIMARY KEY,
  session_id TEXT UNIQUE,
  agent_id   TEXT NOT NULL,
  file       TEXT NOT NULL,
  end_offset INTEGER NOT NULL,
  last_seq   INTEGER NOT NULL,
  leaf_id    TEXT,
  messages   INTEGER NOT NULL
);
-- `message_no` is how many messages stand on the path from the root to this entry.
CREATE TABLE transcript_entries (
  transcript     INTEGER NOT NULL,
  seq            INTEGER NOT NULL,
  entry_id       TEXT NOT NULL,
  parent_seq     INTEGER,
  kind           TEXT NOT NULL,
  role           TEXT,
  message_no     INTEGER NOT NULL,
  first_kept_seq INTEGER,
  offset         INTEGER NOT NULL,
  len            INTEGER NOT NULL,
  PRIMARY KEY (transcript, seq)
) WITHOUT ROWID;
CREATE INDEX transcript_entry_ids ON transcript_entries (transcript, entry_id);

-- A run is also the idempotency record of the request that asked for it and, until it starts, its inbox row.
CREATE TABLE runs (
  run_id      TEXT PRIMARY KEY,
  session_key TEXT NOT NULL,
  session_id  TEXT,
  agent_id    TEXT NOT NULL,
  status      TEXT NOT NULL,
  source      TEXT NOT NULL,
  message     TEXT,
  created_at  INTEGER NOT NULL,
  started_at  INTEGER,
  ended_at    INTEGER,
  stop_reason TEXT,
  error       TEXT,
  provider    TEXT,
  model       TEXT,
  usage       TEXT,
  reply       TEXT
);
CREATE INDEX runs_unfinished ON runs (created_at) WHERE ended_at IS NULL;
CREATE INDEX runs_ended ON runs (ended_at) WHERE ended_at IS NOT NULL;

-- A platform message, written before it is acknowledged.
CREATE TABLE inbox (
  id          INTEGER PRIMARY KEY,
  channel     TEXT NOT NULL,
  account_id  TEXT NOT NULL,
  message_key TEXT NOT NULL,
  session_key TEXT,
  run_id      TEXT,
  payload     TEXT NOT NULL,
  received_at INTEGER NOT NULL,
  done_at     INTEGER,
  UNIQUE (channel, account_id, message_key)
);
CREATE INDEX inbox_open ON inbox (received_at) WHERE done_at IS NULL;

-- A reply, written before it is sent.
CREATE TABLE outbox (
  id          INTEGER PRIMARY KEY,
  message_key TEXT NOT NULL UNIQUE,
  channel     TEXT NOT NULL,
  account_id  TEXT NOT NULL,
  target      TEXT NOT NULL,
  thread_id   TEXT,
  run_id      TEXT,
  payload     TEXT NOT NULL,
  created_at  INTEGER NOT NULL,
  next_try_at INTEGER,
  tries       INTEGER NOT NULL DEFAULT 0,
  last_error  TEXT,
  sent_at     INTEGER,
  receipt     TEXT
);
CREATE INDEX outbox_due ON outbox (next_try_at) WHERE sent_at IS NULL;

-- Keys of requests that are not runs; runs are their own idempotency record.
CREATE TABLE idempotency (
  scope      TEXT NOT NULL,
  key        TEXT NOT NULL,
  response   TEXT,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (scope, key)
) WITHOUT ROWID;

CREATE TABLE devices (
  device_id     TEXT PRIMARY KEY,
  public_key    TEXT NOT NULL,
  display_name  TEXT,
  platform      TEXT,
  device_family TEXT,
  client_id     TEXT,
  client_mode   TEXT,
  roles         TEXT NOT NULL,
  scopes        TEXT NOT NULL,
  remote_ip     TEXT,
  approved_via  TEXT,
  created_at    INTEGER NOT NULL,
  approved_at   INTEGER NOT NULL,
  last_seen_at  INTEGER
) WITHOUT ROWID;
CREATE TABLE device_tokens (
  device_id    TEXT NOT NULL REFERENCES devices (device_id) ON DELETE CASCADE,
  role         TEXT NOT NULL,
  token        TEXT NOT NULL,
  scopes       TEXT NOT NULL,
  created_at   INTEGER NOT NULL,
  rotated_at   INTEGER,
  revoked_at   INTEGER,
  last_used_at INTEGER,
  PRIMARY KEY (device_id, role)
) WITHOUT ROWID;
CREATE TABLE device_pending (
  request_id    TEXT PRIMARY KEY,
  device_id     TEXT NOT NULL UNIQUE,
  public_key    TEXT NOT NULL,
  display_name  TEXT,
  platform      TEXT,
  device_family TEXT,
  client_id     TEXT,
  client_mode   TEXT,
  role          TEXT NOT NULL,
  scopes        TEXT NOT NULL,
  remote_ip     TEXT,
  silent        INTEGER NOT NULL,
  is_repair     INTEGER NOT NULL,
  ts            INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX device_pending_by_ts ON device_pending (ts);

CREATE TABLE dm_pairing (
  channel      TEXT NOT NULL,
  account_id   TEXT NOT NULL,
  sender_id    TEXT NOT NULL,
  code         TEXT NOT NULL,
  meta         TEXT,
  created_at   INTEGER NOT NULL,
  last_seen_at INTEGER NOT NULL,
  PRIMARY KEY (channel, account_id, sender_id)
) WITHOUT ROWID;
CREATE UNIQUE INDEX dm_pairing_by_code ON dm_pairing (channel, code);
CREATE TABLE allow_from (
  channel    TEXT NOT NULL,
  account_id TEXT NOT NULL,
  sender_id  TEXT NOT NULL,
  added_at   INTEGER NOT NULL,
  PRIMARY KEY (channel, account_id, sender_id)
) WITHOUT ROWID;

CREATE TABLE cron_jobs (
  id          TEXT PRIMARY KEY,
  agent_id    TEXT,
  name        TEXT NOT NULL,
  enabled     INTEGER NOT NULL,
  job         TEXT NOT NULL,
  state       TEXT NOT NULL,
  next_run_at INTEGER,
  created_at  INTEGER NOT NULL,
  updated_at  INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX cron_jobs_due ON cron_jobs (next_run_at) WHERE enabled = 1 AND next_run_at IS NOT NULL;
CREATE TABLE cron_runs (
  id          INTEGER PRIMARY KEY,
  job_id      TEXT NOT NULL,
  ts          INTEGER NOT NULL,
  status      TEXT NOT NULL,
  error       TEXT,
  summary     TEXT,
  session_id  TEXT,
  session_key TEXT,
  run_at      INTEGER NOT NULL,
  duration_ms INTEGER NOT NULL,
  usage       TEXT
);
CREATE INDEX cron_runs_by_job ON cron_runs (job_id, ts DESC);

-- Which process runs a session.
CREATE TABLE leases (
  name       TEXT PRIMARY KEY,
  holder     TEXT NOT NULL,
  expires_at INTEGER NOT NULL
) WITHOUT ROWID;
