-- More ways to sort, filter and find conversations, and a way back for those that were deleted or reset.

-- What lists sort and filter by, repeated from `entry`.
ALTER TABLE sessions ADD COLUMN interacted_at INTEGER;
ALTER TABLE sessions ADD COLUMN activity_at INTEGER;
ALTER TABLE sessions ADD COLUMN pinned INTEGER NOT NULL DEFAULT 0;
ALTER TABLE sessions ADD COLUMN category TEXT;
ALTER TABLE sessions ADD COLUMN spawned_by TEXT;
UPDATE sessions SET
  interacted_at = json_extract(entry, '$.lastInteractionAt'),
  activity_at = nullif(max(coalesce(json_extract(entry, '$.lastActivityAt'), 0),
                           coalesce(json_extract(entry, '$.lastInteractionAt'), 0)), 0),
  pinned = json_extract(entry, '$.pinnedAt') IS NOT NULL,
  spawned_by = json_extract(entry, '$.spawnedBy');
-- Partial as those of version 1: a list by age must not be tempted to use them.
CREATE INDEX sessions_by_interaction ON sessions (interacted_at DESC) WHERE archived = 0;
CREATE INDEX sessions_by_activity ON sessions (activity_at DESC) WHERE archived = 0;
CREATE INDEX sessions_archived_interaction ON sessions (interacted_at DESC) WHERE archived = 1;
CREATE INDEX sessions_archived_activity ON sessions (activity_at DESC) WHERE archived = 1;
CREATE INDEX sessions_pinned ON sessions (archived, updated_at DESC) WHERE pinned = 1;
CREATE INDEX sessions_by_name ON sessions (label, archived, updated_at DESC) WHERE label IS NOT NULL;
CREATE INDEX sessions_by_category ON sessions (category, archived, updated_at DESC) WHERE category IS NOT NULL;
CREATE INDEX sessions_by_parent ON sessions (spawned_by, archived, updated_at DESC) WHERE spawned_by IS NOT NULL;

-- What was said, by word. The row of an entry is `transcript << 24 | seq`; the text itself stays in the file.
-- `words_seq` is how far a transcript has been read for it. Emptying the table and setting `words_seq` to 0
-- everywhere loses nothing.
CREATE VIRTUAL TABLE transcript_words USING fts5 (
  text, content = '', contentless_delete = 1, tokenize = 'unicode61 remove_diacritics 2'
);
ALTER TABLE transcripts ADD COLUMN words_seq INTEGER NOT NULL DEFAULT 0;
CREATE INDEX transcripts_unread ON transcripts (id) WHERE session_id IS NOT NULL AND words_seq < last_seq;

-- Conversations that were deleted or reset, as they were. `file` is the name the transcript is kept under.
CREATE TABLE ended_sessions (
  session_id           TEXT PRIMARY KEY,
  key                  TEXT NOT NULL,
  agent_id             TEXT NOT NULL,
  reason               TEXT NOT NULL,
  file                 TEXT,
  ended_at             INTEGER NOT NULL,
  last_message_preview TEXT,
  derived_title        TEXT,
  entry                TEXT NOT NULL
) WITHOUT ROWID;
CREATE INDEX ended_sessions_by_key ON ended_sessions (key, ended_at DESC);
CREATE INDEX ended_sessions_recent ON ended_sessions (ended_at DESC);

-- The drawers people sort their conversations into; which one a session lies in is its `category`.
CREATE TABLE session_groups (
  name     TEXT PRIMARY KEY,
  position INTEGER NOT NULL,
  cwd      TEXT,
  worktree INTEGER NOT NULL DEFAULT 0
) WITHOUT ROWID;
