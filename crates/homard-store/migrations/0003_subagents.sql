-- Version 3: agents started by agents. One row per child, from the moment it was asked for.

-- `run_id` is the child's first run, whose row says how it went. `settled_at` is when the conversation that
-- asked for it was told, or nobody wanted to know any more.
CREATE TABLE subagents (
  run_id        TEXT PRIMARY KEY,
  child_key     TEXT NOT NULL UNIQUE,
  requester_key TEXT NOT NULL,
  requester_run TEXT NOT NULL,
  depth         INTEGER NOT NULL,
  label         TEXT,
  task          TEXT NOT NULL,
  delete_after  INTEGER NOT NULL,
  created_at    INTEGER NOT NULL,
  settled_at    INTEGER,
  archive_at    INTEGER
) WITHOUT ROWID;
CREATE INDEX subagents_open ON subagents (created_at) WHERE settled_at IS NULL;
CREATE INDEX subagents_by_requester ON subagents (requester_key, created_at DESC);
CREATE INDEX subagents_due ON subagents (archive_at) WHERE archive_at IS NOT NULL;
