-- Version 2: every model call with what it cost, and what each run tried before it was answered.

-- `state`: `open` while the call is under way (its numbers are then the worst case), `settled` when it ended,
-- `lost` when the process died meanwhile: the worst case stands, because nobody knows better.
-- Money is millionths of a US dollar. `total_ms` and `first_ms` are how long the call and its first word took.
CREATE TABLE usage_calls (
  id                       INTEGER PRIMARY KEY,
  at                       INTEGER NOT NULL,
  run_id                   TEXT,
  session_key              TEXT NOT NULL,
  session_id               TEXT,
  agent_id                 TEXT NOT NULL,
  job_id                   TEXT,
  provider                 TEXT NOT NULL,
  model                    TEXT NOT NULL,
  api                      TEXT NOT NULL,
  profile                  TEXT,
  state                    TEXT NOT NULL,
  input                    INTEGER NOT NULL,
  output                   INTEGER NOT NULL,
  cache_read               INTEGER NOT NULL,
  cache_write              INTEGER NOT NULL,
  total                    INTEGER NOT NULL,
  cost_microusd            INTEGER NOT NULL,
  input_cost_microusd      INTEGER NOT NULL,
  output_cost_microusd     INTEGER NOT NULL,
  cache_read_cost_microusd INTEGER NOT NULL,
  cache_write_cost_microusd INTEGER NOT NULL,
  first_ms                 INTEGER,
  total_ms                 INTEGER,
  outcome                  TEXT,
  thinking                 TEXT
);
CREATE INDEX usage_by_time ON usage_calls (at);
CREATE INDEX usage_by_agent ON usage_calls (agent_id, at);
CREATE INDEX usage_by_session ON usage_calls (session_key, at);
CREATE INDEX usage_by_run ON usage_calls (run_id, at) WHERE run_id IS NOT NULL;
CREATE INDEX usage_open ON usage_calls (id) WHERE state = 'open';

-- JSON list of the attempts that did not answer, and why.
ALTER TABLE runs ADD COLUMN attempts TEXT;
