//! Taking over the jobs of an OpenClaw installation, once.
//!
//! Reads `cron/jobs.json` in the state folder (or the file `cron.store` names) the first time it is seen and leaves it
//! where it is. Logs of old runs are not taken over.

use std::path::{Path, PathBuf};

use homard_protocol::JobId;
use homard_protocol::methods::cron::{CronAddParams, CronDelivery, CronJobState, CronSchedule};
use homard_runtime::json::{self as json_read, ReadError};
use homard_runtime::{OrLog, Timestamp};
use homard_store::CronAdded;
use serde_json::{Map, Value, json};

use crate::automation::Automation;
use crate::job::{Job, check, complete};

/// That it was done.
const MARKER: &str = "imported.cron";
/// Largest file that is read.
const MAX_BYTES: u64 = 16 * 1024 * 1024;
/// What a job is told whose moment is over.
const TOO_LATE: &str = "its time had passed when it was taken over";

impl Automation {
    /// Takes the jobs over that were not yet. What cannot be used is told and left out.
    pub(crate) async fn import(&self) {
        let path = self.jobs_file();
        let known =
            self.inner.store.kv().get(MARKER).await.or_log("whether jobs were taken over is not known");
        if known.is_none_or(|marker| marker.is_some()) {
            return;
        }
        let Some(jobs) = read_file(&path) else { return };
        let now = self.inner.clock.now_ms();
        let jobs: Vec<Job> = jobs.into_iter().filter_map(|value| self.taken_over(value, now)).collect();
        let added = self.inner.store.cron().add_all(jobs.iter().map(Job::to_row).collect()).await;
        let Some(added) = added.or_log("jobs were not taken over") else { return };
        for (job, added) in jobs.iter().zip(&added) {
            let why = match added {
                CronAdded::New => continue,
                CronAdded::Known(_) => "it is declared twice",
                CronAdded::TooMany => "there are too many",
            };
            tracing::warn!(name = job.spec.name, why, "a job is left out");
        }
        let taken = added.iter().filter(|added| **added == CronAdded::New).count();
        tracing::info!(taken, path = %path.display(), "took over existing jobs");
        let marked = self.inner.store.kv().set(MARKER, &self.inner.clock.now_rfc3339()).await;
        marked.or_log("jobs may be taken over twice");
    }

    fn jobs_file(&self) -> PathBuf {
        let usual = || self.inner.config.source().paths.state_dir.join("cron").join("jobs.json");
        self.config().cron.store.clone().unwrap_or_else(usual)
    }

    fn taken_over(&self, value: Value, now: Timestamp) -> Option<Job> {
        let name = value.get("name").and_then(Value::as_str).unwrap_or("?").to_owned();
        let id = value.get("id").and_then(Value::as_str).and_then(|id| JobId::parse(id).ok());
        let created = value.get("createdAtMs").and_then(Value::as_i64).unwrap_or(now);
        let state = value.get("state").cloned().unwrap_or_default();
        let mut state: CronJobState = json_read::from_value(state).unwrap_or_default();
        let mut spec = match read_job(value) {
            Ok(spec) => spec,
            Err(error) => {
                tracing::warn!(%name, %error, "a job was not understood and is left out");
                return None;
            }
        };
        complete(&mut spec, created);
        if let Err(error) = check(&spec, &self.config(), now, false) {
            tracing::warn!(%name, %error, "a job cannot be run here and is left out");
            return None;
        }
        state.running_at_ms = None;
        let mut job = Job::new(spec, Vec::new(), created);
        job.row.id = id.unwrap_or(job.row.id);
        job.row.updated_at = now;
        job.state = state;
        job.arm(now, &self.zone()).or_log("when a job is due could not be found out");
        let is_once = matches!(job.spec.schedule, CronSchedule::At { .. });
        if is_once && job.state.next_run_at_ms.is_some_and(|due| due <= now) {
            job.spec.enabled = Some(false);
            job.state.next_run_at_ms = None;
            job.state.last_error.get_or_insert_with(|| TOO_LATE.to_owned());
        }
        Some(job)
    }
}

fn read_file(path: &Path) -> Option<Vec<Value>> {
    let found = std::fs::metadata(path).ok()?;
    if found.len() > MAX_BYTES {
        tracing::warn!(path = %path.display(), "a file of jobs is too large to take over");
        return None;
    }
    let text = std::fs::read_to_string(path).or_log("a file of jobs could not be read")?;
    let mut file: Value = serde_json::from_str(&text).or_log("a file of jobs is not readable JSON")?;
    file.get_mut("jobs").and_then(Value::as_array_mut).map(std::mem::take)
}

/// Fields of a job that are asked for; the rest is kept by whoever runs it.
const FIELDS: [&str; 15] = [
    "agentId",
    "declarationKey",
    "deleteAfterRun",
    "delivery",
    "description",
    "displayName",
    "enabled",
    "failureAlert",
    "name",
    "payload",
    "schedule",
    "sessionKey",
    "sessionTarget",
    "trigger",
    "wakeMode",
];

/// Reads a job as it was kept, in today's words or in earlier ones.
fn read_job(value: Value) -> Result<CronAddParams, ReadError> {
    let Value::Object(mut fields) = value else { return json_read::from_value(value) };
    fields.retain(|name, value| FIELDS.contains(&name.as_str()) && !value.is_null());
    if let Some(at) = fields.get("schedule").and_then(|schedule| schedule.get("atMs")).and_then(Value::as_i64)
    {
        let moment = jiff::Timestamp::from_millisecond(at).map(|at| at.to_string()).unwrap_or_default();
        fields.insert("schedule".to_owned(), json!({"kind": "at", "at": moment}));
    }
    let delivery = fields.get_mut("payload").and_then(Value::as_object_mut).and_then(earlier_delivery);
    if let (Some(delivery), false) = (delivery, fields.contains_key("delivery")) {
        fields.insert("delivery".to_owned(), json!(delivery));
    }
    fields.entry("wakeMode").or_insert_with(|| json!("now"));
    json_read::from_value(Value::Object(fields))
}

/// Where a result goes, as it once stood in what a job does.
fn earlier_delivery(payload: &mut Map<String, Value>) -> Option<CronDelivery> {
    let wanted = payload.remove("deliver").and_then(|value| value.as_bool());
    let mut text = |name: &str| payload.remove(name).and_then(|value| value.as_str().map(str::to_owned));
    let (channel, to) = (text("channel"), text("to"));
    let best_effort = payload.remove("bestEffortDeliver").and_then(|value| value.as_bool());
    let mode = if wanted? { "announce" } else { "none" };
    let delivery = json!({"mode": mode, "channel": channel, "to": to, "bestEffort": best_effort});
    json_read::from_value(delivery).ok()
}

#[cfg(test)]
mod tests;
