-- Scheduled jobs and their runs. The first version had tables for them that nothing ever wrote to.
DROP TABLE cron_runs;
DROP TABLE cron_jobs;

-- What was asked for and how it has fared are JSON that only the room that runs jobs reads; the columns beside them
-- are what is asked for: who is due, and who runs already. `origin` says whose words the job is made of.
CREATE TABLE cron_jobs (
  id              TEXT PRIMARY KEY,
  declaration_key TEXT UNIQUE,
  enabled         INTEGER NOT NULL,
  next_run_at     INTEGER,
  running         TEXT,
  spec            TEXT NOT NULL,
  state           TEXT NOT NULL,
  origin          TEXT NOT NULL,
  created_at      INTEGER NOT NULL,
  updated_at      INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX cron_jobs_due ON cron_jobs (next_run_at) WHERE enabled = 1 AND running IS NULL;

-- A run has its row before it begins, so that a crash leaves something to go on from; `ended_at` is missing until it
-- is over. `sweep` says that its conversation is its own and goes away some time after it.
CREATE TABLE cron_runs (
  run_id          TEXT PRIMARY KEY,
  job_id          TEXT NOT NULL,
  job_name        TEXT NOT NULL,
  agent_id        TEXT NOT NULL,
  session_key     TEXT NOT NULL,
  started_at      INTEGER NOT NULL,
  plan            TEXT NOT NULL,
  sweep           INTEGER NOT NULL,
  ended_at        INTEGER,
  status          TEXT,
  delivery_status TEXT,
  summary         TEXT,
  error           TEXT,
  entry           TEXT
) WITHOUT ROWID;
CREATE INDEX cron_runs_open ON cron_runs (started_at) WHERE ended_at IS NULL;
CREATE INDEX cron_runs_by_job ON cron_runs (job_id, ended_at);
CREATE INDEX cron_runs_ended ON cron_runs (ended_at);
CREATE INDEX cron_runs_sweep ON cron_runs (ended_at) WHERE sweep = 1;
