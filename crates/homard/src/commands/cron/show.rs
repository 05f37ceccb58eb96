//! Jobs and runs in words.

use homard_automation::schedule::schedule_words;
use homard_protocol::methods::cron::{CronJob, CronPayload, CronRunEntry, CronRunStatus};
use homard_runtime::brief;

use super::super::table::{pairs, table};
use super::super::{Cx, words};
use crate::report::Mark;

/// How much of an answer a table shows, in characters.
const BRIEF: usize = 60;

/// When something is, seen from now.
pub(super) fn moment(at: i64, now: i64) -> String {
    match u64::try_from(at.saturating_sub(now)) {
        Ok(ahead) if ahead > 0 => format!("in {}", words::span(ahead)),
        _ => words::ago(at, now),
    }
}

pub(super) fn list(cx: &Cx, jobs: &[CronJob]) -> anyhow::Result<()> {
    let now = cx.source.clock.now_ms();
    let rows: Vec<Vec<String>> = jobs
        .iter()
        .map(|job| {
            vec![
                words::short(job.id.as_str()),
                brief(job.spec.display_name.as_ref().unwrap_or(&job.spec.name), 30),
                schedule_words(&job.spec.schedule),
                next(job, now),
                last(job, now),
                job.spec.session_target.clone(),
            ]
        })
        .collect();
    lines(cx, &table(&["ID", "NAME", "SCHEDULE", "NEXT", "LAST", "SESSION"], &rows))
}

fn next(job: &CronJob, now: i64) -> String {
    match (job.spec.enabled, job.state.running_at_ms, job.state.next_run_at_ms) {
        (_, Some(_), _) => "runs now".to_owned(),
        (Some(false), _, _) => "switched off".to_owned(),
        (_, _, Some(at)) => moment(at, now),
        (_, _, None) => "never".to_owned(),
    }
}

fn last(job: &CronJob, now: i64) -> String {
    match (job.state.last_run_status, job.state.last_run_at_ms) {
        (Some(status), Some(at)) => format!("{}, {}", status.as_str(), words::ago(at, now)),
        _ => "never".to_owned(),
    }
}

fn lines(cx: &Cx, lines: &[String]) -> anyhow::Result<()> {
    for (number, line) in lines.iter().enumerate() {
        let line = if number == 0 { cx.console.mark(Mark::Strong, line) } else { line.clone() };
        cx.console.line(&line)?;
    }
    Ok(())
}

/// One job at length.
pub(super) fn one(cx: &Cx, job: &CronJob) -> anyhow::Result<()> {
    let now = cx.source.clock.now_ms();
    let does = match &job.spec.payload {
        CronPayload::SystemEvent { text, .. } => format!("tells the main session: {text}"),
        CronPayload::AgentTurn { message, .. } => format!("asks the agent: {message}"),
        CronPayload::Command { .. } | CronPayload::Script { .. } => "nothing that is in effect".to_owned(),
    };
    let mut rows = vec![
        ("id", job.id.to_string()),
        ("name", job.spec.name.clone()),
        ("schedule", schedule_words(&job.spec.schedule)),
        ("next", next(job, now)),
        ("last", last(job, now)),
        ("session", job.spec.session_target.clone()),
        ("does", brief(&does, 200)),
    ];
    if let Some(preview) = &job.delivery_preview {
        rows.push(("delivery", preview.detail.clone()));
    }
    if let Some(error) = &job.state.last_error {
        rows.push(("error", error.clone()));
    }
    if let Some(off) = &job.state.auto_disabled {
        rows.push(("switched off", format!("{} ({})", off.reason, words::ago(off.at_ms, now))));
    }
    for line in pairs(&rows) {
        cx.console.line(&line)?;
    }
    Ok(())
}

/// How one run ended.
pub(super) fn ended(cx: &Cx, entry: &CronRunEntry) -> anyhow::Result<()> {
    match entry.status {
        Some(CronRunStatus::Ok) => {
            Ok(cx.console.line(entry.summary.as_deref().unwrap_or("(nothing was said)"))?)
        }
        _ => Err(anyhow::anyhow!(entry.error.clone().unwrap_or_else(|| "the run failed".to_owned()))),
    }
}

pub(super) fn runs(cx: &Cx, entries: &[CronRunEntry]) -> anyhow::Result<()> {
    let now = cx.source.clock.now_ms();
    let rows: Vec<Vec<String>> = entries
        .iter()
        .map(|entry| {
            let said = entry.error.as_ref().or(entry.summary.as_ref());
            vec![
                words::ago(entry.ts, now),
                brief(entry.job_name.as_deref().unwrap_or(entry.job_id.as_str()), 30),
                entry.status.map(|status| status.as_str().to_owned()).unwrap_or_default(),
                entry.duration_ms.and_then(|ms| u64::try_from(ms).ok()).map(words::span).unwrap_or_default(),
                entry.delivery_status.map(|status| status.as_str().to_owned()).unwrap_or_default(),
                said.map(|said| brief(said, BRIEF)).unwrap_or_default(),
            ]
        })
        .collect();
    lines(cx, &table(&["WHEN", "JOB", "STATUS", "TOOK", "DELIVERY", "SAID"], &rows))
}
