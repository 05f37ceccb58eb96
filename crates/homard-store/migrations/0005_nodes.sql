-- Nodes: what the owner let each offer, what each asks to offer, how it was when it was last heard of, and what
-- waits for it to wake. A device that is forgotten takes all of it along.

CREATE TABLE nodes (
  device_id         TEXT PRIMARY KEY REFERENCES devices (device_id) ON DELETE CASCADE,
  -- Kinds, commands and permissions the owner said yes to, as JSON; NULL: nothing yet.
  surface           TEXT,
  approved_at       INTEGER,
  last_connected_at INTEGER,
  last_seen_at      INTEGER,
  last_seen_reason  TEXT,
  host_stats        TEXT
) WITHOUT ROWID;
CREATE TABLE node_requests (
  request_id    TEXT PRIMARY KEY,
  device_id     TEXT NOT NULL UNIQUE REFERENCES devices (device_id) ON DELETE CASCADE,
  surface       TEXT NOT NULL,
  display_name  TEXT,
  platform      TEXT,
  version       TEXT,
  device_family TEXT,
  remote_ip     TEXT,
  silent        INTEGER NOT NULL,
  ts            INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE node_work (
  id         TEXT PRIMARY KEY,
  device_id  TEXT NOT NULL REFERENCES devices (device_id) ON DELETE CASCADE,
  -- 'action': a command for the foreground; else a question for when the node wakes.
  kind       TEXT NOT NULL,
  command    TEXT,
  params     TEXT,
  priority   INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER
) WITHOUT ROWID;
CREATE INDEX node_work_by_device ON node_work (device_id, priority DESC, created_at);
