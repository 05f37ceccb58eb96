-- What every turn had to write and hardly anybody asks for.

-- Nothing happens in a session without its being updated, so that a list by activity or interaction walks the list by
-- age and stops when nothing older can come before what it has found.
DROP INDEX sessions_by_interaction;
DROP INDEX sessions_by_activity;
DROP INDEX sessions_archived_interaction;
DROP INDEX sessions_archived_activity;
UPDATE sessions SET updated_at = activity_at WHERE activity_at > updated_at;

-- An agent's calls of a range are picked from those of all agents.
DROP INDEX usage_by_agent;

-- Whether the search has still to read a transcript. It is set once and not with every entry; new ones are unread.
DROP INDEX transcripts_unread;
ALTER TABLE transcripts ADD COLUMN unread INTEGER NOT NULL DEFAULT 1;
UPDATE transcripts SET unread = 0 WHERE words_seq >= last_seq;
CREATE INDEX transcripts_unread ON transcripts (id) WHERE unread = 1;
