//! One answer and a thousand who watch it, and one who stopped reading.

use anyhow::{Context, Result};
use futures_util::future::try_join_all;
use serde_json::json;

use crate::bench::conn::{Conn, quoted_after, text};
use crate::bench::machine::{Meter, memory_of, now_ns};
use crate::bench::report::{Limit, Report, Section, quantile};
use crate::bench::stage::{Stage, TURNS, keys};
use crate::bench::turns::Plan;

/// Who watch.
const WATCHERS: usize = 1_000;
/// Answers they watch.
const ANSWERS: usize = 20;
/// Sessions that speak beside somebody who does not read.
const SPEAKERS: usize = 40;

/// Plays the scene.
pub(in crate::bench) async fn play(stage: &Stage, report: &mut Report) -> Result<()> {
    watched(stage, report).await?;
    beside_a_sleeper(stage, report).await
}

/// How long it takes until the last of a thousand has a delta.
async fn watched(stage: &Stage, report: &mut Report) -> Result<()> {
    let gateway = stage.gateway().await?;
    let mut speaker = stage.conn(&gateway).await?;
    let mut watchers = stage.conns(&gateway, stage.amount(WATCHERS)).await?;
    let (mut last, mut spread, mut cpu) = (Vec::new(), Vec::new(), Vec::new());
    for number in 0..stage.amount(ANSWERS) {
        let run = format!("watched-{number}");
        let message = format!("hello [[chunks=1]] [[tag={run}]]");
        let params =
            json!({"sessionKey": "agent:main:watched", "message": message, "idempotencyKey": run.as_str()});
        let since = stage.model.requests()?;
        let meter = Meter::start(gateway.pid()?, stage.model.pid()?)?;
        speaker.call("chat.send", &params).await?;
        let seen = try_join_all(watchers.iter_mut().map(|conn| first_delta(conn, &run))).await?;
        let spent = meter.stop()?;
        try_join_all(watchers.iter_mut().chain([&mut speaker]).map(|conn| end(conn, &run))).await?;
        let stamps = stage.model.stamps_since(since)?;
        let said =
            stamps.get(&run).and_then(|of_run| of_run.first()).context("the model has no stamp")?.first;
        let (first, end) = (seen.iter().min().copied(), seen.iter().max().copied());
        let (first, end) = (first.unwrap_or_default(), end.unwrap_or_default());
        last.push(end.saturating_sub(said) as f64 / 1e6);
        spread.push(end.saturating_sub(first) as f64 / 1e6);
        cpu.push(spent.gateway.as_secs_f64() * 1e3);
    }
    let mut section = Section::new(
        "One delta, 1,000 clients",
        "From the model's first word to the moment the last client has it, and from the first client to the last. All clients are one thread of one process, which has to read a thousand sockets on the same two cores. The CPU time is the gateway's for the whole turn up to then: about three events for each client.",
        &["p50 ms", "worst ms"],
    );
    let row = |figures: &[f64]| [quantile(figures, 0.5), quantile(figures, 1.0)];
    section.row("model's word → last client", &row(&last));
    section.row("first client → last client", &row(&spread));
    section.row("gateway CPU for the turn so far", &row(&cpu));
    report.add(section);
    report.promise("a delta to 1,000 clients, p50", quantile(&last, 0.5), "ms", Limit::AtMost(5.0));
    Ok(())
}

/// Whether turns cost more when one client has stopped reading.
async fn beside_a_sleeper(stage: &Stage, report: &mut Report) -> Result<()> {
    let gateway = stage.gateway().await?;
    let pid = gateway.pid()?;
    let plan = |name: &str| Plan {
        name: name.to_owned(),
        keys: keys(name, stage.amount(SPEAKERS)),
        turns: TURNS,
        at_once: SPEAKERS,
        say: "hello [[chunks=200]]".to_owned(),
    };
    let mut conns = stage.conns(&gateway, 1).await?;
    stage.weigh(&gateway, &mut conns, &plan("warm")).await?;
    let alone = stage.weigh(&gateway, &mut conns, &plan("alone")).await?;
    let before = memory_of(pid)?;
    let sleeper = stage.conn(&gateway).await?;
    let beside = stage.weigh(&gateway, &mut conns, &plan("beside")).await?;
    let after = memory_of(pid)?;
    drop(sleeper);
    let mut section = Section::new(
        "Beside a client that does not read",
        "40 sessions that answer with 200 pieces, over one connection; then the same while another connection never reads.",
        &["turns/s", "p50 ms", "RSS MB"],
    );
    section.row("alone", &[alone.rate(), alone.wall_ms(0.5), before.rss]);
    section.row("beside it", &[beside.rate(), beside.wall_ms(0.5), after.rss]);
    report.add(section);
    Ok(())
}

/// When the first delta of `run` came.
async fn first_delta(conn: &mut Conn, run: &str) -> Result<u64> {
    until(conn, run, "delta").await
}

/// Reads on to the end of `run`.
async fn end(conn: &mut Conn, run: &str) -> Result<u64> {
    until(conn, run, "final").await
}

async fn until(conn: &mut Conn, run: &str, state: &str) -> Result<u64> {
    loop {
        let message = conn.next().await?;
        let now = now_ns();
        let frame = text(&message);
        let is_ours = quoted_after(frame, r#""runId":""#) == Some(run);
        if is_ours && quoted_after(frame, r#""state":""#) == Some(state) {
            return Ok(now);
        }
    }
}
