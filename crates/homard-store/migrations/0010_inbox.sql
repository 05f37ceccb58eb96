-- What became of a platform's message, and a way to find those that may be forgotten. The payload goes when it is
-- done with; the row stays a while, so that hearing the message again is harmless.
ALTER TABLE inbox ADD COLUMN outcome TEXT;
CREATE INDEX inbox_done ON inbox (done_at) WHERE done_at IS NOT NULL;
