-- Setup codes: a device that shows one is let in once per role, and only the first device that shows it.

CREATE TABLE setup_codes (
    setup_id     TEXT PRIMARY KEY,
    token        TEXT NOT NULL UNIQUE,
    -- Part of an address that hands the code out once; NULL when there is none, or it was used.
    join_code    TEXT UNIQUE,
    -- NULL: full access.
    profile      TEXT,
    url          TEXT NOT NULL,
    created_at   INTEGER NOT NULL,
    expires_at   INTEGER NOT NULL,
    device_id    TEXT,
    device_name  TEXT,
    -- The roles it was used for, as JSON.
    roles        TEXT NOT NULL DEFAULT '[]',
    completed_at INTEGER
) STRICT;
