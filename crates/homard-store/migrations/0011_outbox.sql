-- What goes out to chat platforms. Nothing was ever kept in the first table of that name.
DROP TABLE outbox;

-- `conversation` is what is kept in order: platform, account, person or room, and thread, as one word.
-- `repeatable` says that sending it twice is harmless; `ambiguous` counts the times nobody knew whether the platform
-- took it. A row is waiting, or being sent (`sending_at`), or over (`sent_at`, `failed_at`).
CREATE TABLE outbox (
  id           INTEGER PRIMARY KEY,
  message_key  TEXT NOT NULL UNIQUE,
  channel      TEXT NOT NULL,
  account_id   TEXT NOT NULL,
  conversation TEXT NOT NULL,
  session_key  TEXT,
  run_id       TEXT,
  payload      TEXT NOT NULL,
  repeatable   INTEGER NOT NULL DEFAULT 0,
  created_at   INTEGER NOT NULL,
  next_try_at  INTEGER NOT NULL,
  tries        INTEGER NOT NULL DEFAULT 0,
  ambiguous    INTEGER NOT NULL DEFAULT 0,
  last_error   TEXT,
  sending_at   INTEGER,
  sent_at      INTEGER,
  failed_at    INTEGER,
  receipt      TEXT
);
CREATE INDEX outbox_open ON outbox (channel, account_id, conversation, id) WHERE sent_at IS NULL AND failed_at IS NULL;
CREATE INDEX outbox_sending ON outbox (sending_at) WHERE sending_at IS NOT NULL;
CREATE INDEX outbox_sent ON outbox (sent_at) WHERE sent_at IS NOT NULL;
CREATE INDEX outbox_failed ON outbox (failed_at) WHERE failed_at IS NOT NULL;
CREATE INDEX outbox_by_run ON outbox (run_id, id) WHERE run_id IS NOT NULL;
