-- Version 11: device tokens are kept as hashes, several for each device and role: programs that share a device each
-- hold one. `sha256` is Homard's own function. A row of device_tokens stays what clients are shown of a role.

CREATE TABLE device_token_hashes (
  device_id    TEXT NOT NULL,
  role         TEXT NOT NULL,
  hash         BLOB NOT NULL,
  scopes       TEXT NOT NULL,
  -- Under which shared secret it was made; NULL: by an earlier version, the next start binds it.
  generation   TEXT,
  created_at   INTEGER NOT NULL,
  last_used_at INTEGER,
  PRIMARY KEY (device_id, role, hash),
  FOREIGN KEY (device_id, role) REFERENCES device_tokens (device_id, role) ON DELETE CASCADE
) WITHOUT ROWID;

INSERT INTO device_token_hashes (device_id, role, hash, scopes, generation, created_at, last_used_at)
SELECT device_id, role, sha256(token), scopes, generation, coalesce(rotated_at, created_at), last_used_at
FROM device_tokens WHERE revoked_at IS NULL;

-- What a column held stays in unused parts of the file until that is rewritten, after this is committed.
INSERT INTO meta (key, value) SELECT 'scrub', 'due' WHERE EXISTS (SELECT 1 FROM device_tokens);
ALTER TABLE device_tokens DROP COLUMN token;
ALTER TABLE device_tokens DROP COLUMN generation;
