//! Jobs by the clock that are not due, and how late one begins that is.

use std::time::Duration;

use anyhow::{Context as _, Result};
use serde_json::{Value, json};

use crate::bench::machine::{cpu_of, memory_of};
use crate::bench::report::{Limit, Report, Section, number, quantile};
use crate::bench::stage::Stage;
use crate::client::TestClient;
use crate::home::TestHome;

/// How many wait.
const JOBS: usize = 10_000 - DUE;
/// How many become due, one after the other.
const DUE: usize = 20;
/// How far ahead each of those is planned.
const AHEAD_MS: i64 = 1_500;
/// How long they are left alone before, and watched doing nothing: longer than the longest sleep of the timer.
const SETTLE: Duration = Duration::from_secs(5);
const IDLE: Duration = Duration::from_secs(65);

/// Plays the scene.
pub(in crate::bench) async fn play(stage: &Stage, report: &mut Report) -> Result<()> {
    let mut section = Section::new(
        "Jobs by the clock",
        "Jobs that are due once a year, then some that are due soon: from the moment they are due to their beginning.",
        &["RSS MB", "CPU ms per second", "late p50 ms", "late max ms"],
    );
    let mut most = f64::NAN;
    for count in [0, stage.amount(JOBS)] {
        let home = TestHome::with_config(&stage.config())?;
        // The way in for many at once: those of another installation are taken over at the first start.
        let jobs: Vec<Value> = (0..count).map(yearly).collect();
        let file = home.state_dir().join("cron/jobs.json");
        std::fs::create_dir_all(home.state_dir().join("cron"))?;
        std::fs::write(file, json!({"version": 1, "jobs": jobs}).to_string())?;
        let gateway = stage.gateway_in(home).await?;
        let pid = gateway.pid()?;
        let mut client = gateway.operator().await?;
        tokio::time::sleep(SETTLE).await;
        let (busy, memory) = (idle(pid).await?, memory_of(pid)?);
        let late = lateness(&mut client).await?;
        most = quantile(&late, 1.0);
        let what = format!("{} jobs", number(count as f64));
        section.row(what, &[memory.rss, busy, quantile(&late, 0.5), most]);
    }
    report.add(section);
    report.promise("a job that is due begins, among 10,000", most, "ms", Limit::AtMost(100.0));
    Ok(())
}

/// By how much some jobs begin too late, in milliseconds.
async fn lateness(client: &mut TestClient) -> Result<Vec<f64>> {
    let mut late = Vec::new();
    for at in 0..DUE {
        let due = jiff::Timestamp::now().as_millisecond() + AHEAD_MS;
        let job = json!({
            "name": format!("soon {at}"), "schedule": {"kind": "at", "at": jiff::Timestamp::from_millisecond(due)?.to_string()},
            "sessionTarget": "main", "wakeMode": "next-heartbeat", "payload": {"kind": "systemEvent", "text": "soon"},
        });
        let id = client.call("cron.add", job).await?.get("id").cloned().context("a job has an id")?;
        let begins = |event: &Value| {
            event.get("jobId") == Some(&id) && event.get("action").is_some_and(|action| action == "started")
        };
        let began = client.next_event_where("cron", begins).await?;
        let began = began.pointer("/payload/runAtMs").and_then(Value::as_i64);
        late.push((began.context("a run says when it began")? - due) as f64);
    }
    Ok(late)
}

/// Milliseconds of work in a second in which nothing is asked.
async fn idle(pid: u32) -> Result<f64> {
    let began = cpu_of(pid)?;
    tokio::time::sleep(IDLE).await;
    Ok(cpu_of(pid)?.saturating_sub(began).as_secs_f64() * 1e3 / IDLE.as_secs_f64())
}

fn yearly(at: usize) -> Value {
    let expr = format!("{} {} {} 1 *", at % 60, at % 24, at % 28 + 1);
    json!({"id": format!("yearly-{at}"), "name": format!("yearly {at}"), "enabled": true,
        "schedule": {"kind": "cron", "expr": expr, "tz": "UTC"}, "sessionTarget": "isolated", "wakeMode": "now",
        "delivery": {"mode": "none"}, "payload": {"kind": "agentTurn", "message": "say something"}})
}
