-- Version 12: where the owner who had a child started is asked, as JSON the store does not look into. The run that
-- asked for the child knew it and is over while the child still works.
ALTER TABLE subagents ADD COLUMN asks_at TEXT;
