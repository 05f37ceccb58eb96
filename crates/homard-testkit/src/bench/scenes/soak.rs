//! An hour of an ordinary day: does what is held come back?

use std::time::Duration;

use anyhow::{Context, Result};
use serde_json::json;

use crate::bench::machine::memory_of;
use crate::bench::report::{Limit, Report, Section};
use crate::bench::stage::{Stage, keys, progress};
use crate::bench::turns::{Plan, play};

/// Turns a second.
const RATE: usize = 10;
/// Conversations that take turns; each round of turns speaks in other ones.
const SESSIONS: usize = 50;
/// Turns of a conversation before others take its place: one that is at work is held in memory, and one that never ends
/// would only show how long it is.
const TURNS: usize = 20;
/// How often clients leave and come back.
const ROUND: Duration = Duration::from_secs(10);
/// The first part, which is not counted: caches fill.
const WARM_UP: f64 = 0.1;
/// How often a job runs by itself.
const JOB_EVERY_MS: u64 = 10_000;
/// Rows of the table.
const ROWS: usize = 12;

/// Plays the scene for as long as it says.
pub(in crate::bench) async fn play_for(stage: &Stage, long: Duration, report: &mut Report) -> Result<()> {
    let mut gateway = stage.gateway().await?;
    let pid = gateway.pid()?;
    let job = json!({"name": "soak", "schedule": {"kind": "every", "everyMs": JOB_EVERY_MS},
        "sessionTarget": "isolated", "wakeMode": "now", "payload": {"kind": "agentTurn", "message": "hello"}});
    stage.conn(&gateway).await?.call("cron.add", &job).await?;
    let begun = tokio::time::Instant::now();
    let mut seen: Vec<(f64, f64, f64)> = Vec::new();
    let mut ticks = tokio::time::interval(Duration::from_secs(1));
    let mut second = 0;
    while begun.elapsed() < long {
        let mut conns = stage.conns(&gateway, 2).await?;
        let round = begun.elapsed() + ROUND;
        while begun.elapsed() < round.min(long) {
            ticks.tick().await;
            let first = (second * RATE) % SESSIONS;
            let all = keys(&format!("soak{}", second * RATE / (SESSIONS * TURNS)), SESSIONS);
            let speak: Vec<String> = all.into_iter().cycle().skip(first).take(RATE).collect();
            let (name, say) = (format!("soak{second}"), "hello".to_owned());
            play(&mut conns, &Plan { name, keys: speak, turns: 1, at_once: RATE, say }).await?;
            second += 1;
        }
        let memory = memory_of(pid)?;
        seen.push((begun.elapsed().as_secs_f64(), memory.rss, memory.own));
        progress(&format!("soak: {:.0} s, {:.1} MB", begun.elapsed().as_secs_f64(), memory.rss));
    }
    // In order, so that whoever watches it from below gets to write down what was seen.
    gateway.terminate().await?;
    tell(&seen, second * RATE, report).context("the soak was too short to tell anything")
}

fn tell(seen: &[(f64, f64, f64)], turns: usize, report: &mut Report) -> Option<()> {
    let mut section = Section::new(
        "A long day",
        "10 turns a second in 50 conversations at a time, of 20 turns each; clients that leave and come back every 10 s, \
         a job every 10 s.",
        &["seconds", "RSS MB", "anonymous MB"],
    );
    for (at, rss, own) in seen.iter().step_by(seen.len().div_ceil(ROWS).max(1)) {
        section.row(format!("after {:.0} min", at / 60.0), &[*at, *rss, *own]);
    }
    let (end, rss, own) = seen.last()?;
    section.row(format!("at the end, {turns} turns"), &[*end, *rss, *own]);
    report.add(section);
    let warm = seen.iter().find(|(at, ..)| *at >= end * WARM_UP)?;
    report.promise("growth of memory after warm-up", rss - warm.1, "MB", Limit::AtMost(1.0));
    Some(())
}
