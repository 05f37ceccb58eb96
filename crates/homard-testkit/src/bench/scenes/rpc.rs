//! Requests that are not turns.

use std::time::Duration;

use anyhow::Result;

use crate::bench::conn::Conn;
use crate::bench::machine::Meter;
use crate::bench::report::{Limit, Report, Section, quantile};
use crate::bench::requests::hammer;
use crate::bench::stage::{Stage, keys};
use crate::gateway::TestGateway;

const CONNECTIONS: usize = 50;
/// Requests each of them has under way.
const DEPTH: usize = 4;
const SPAN: Duration = Duration::from_secs(4);
/// Sessions in the list.
const SESSIONS: usize = 200;

/// Plays the scene.
pub(in crate::bench) async fn play(stage: &Stage, report: &mut Report) -> Result<()> {
    let gateway = stage.gateway().await?;
    let mut conns = stage.conns(&gateway, CONNECTIONS).await?;
    if let Some(conn) = conns.first_mut() {
        stage.create(conn, keys("listed", SESSIONS)).await?;
    }
    let mut section = Section::new(
        "Requests per second",
        "50 connections with 4 requests under way each; 200 stored sessions.",
        &["requests/s", "p50 ms", "p99 ms", "gateway CPU µs", "client CPU µs", "answer bytes"],
    );
    for (what, method, params) in [
        ("`health`", "health", "{}"),
        ("`sessions.list`", "sessions.list", "{}"),
        ("`sessions.list`, 20 rows", "sessions.list", r#"{"limit":20}"#),
    ] {
        let figures = rate(stage, &gateway, &mut conns, (method, params)).await?;
        if method == "health" {
            report.promise("`health` on 50 connections", figures[0], "per s", Limit::AtLeast(50_000.0));
        }
        section.row(what, &figures);
    }
    report.add(section);
    Ok(())
}

/// The figures of one line.
pub(in crate::bench) async fn rate(
    stage: &Stage,
    gateway: &TestGateway,
    conns: &mut [Conn],
    (method, params): (&str, &str),
) -> Result<[f64; 6]> {
    let span =
        Duration::from_millis(u64::try_from(stage.amount(usize::try_from(homard_runtime::millis(SPAN))?))?);
    let meter = Meter::start(gateway.pid()?, stage.model.pid()?)?;
    let answers = hammer(conns, method, params, DEPTH, span).await?;
    let spent = meter.stop()?;
    let count = answers.millis.len().max(1) as f64;
    let each = |cpu: Duration| cpu.as_secs_f64() * 1e6 / count;
    let at = |p| quantile(&answers.millis, p);
    let rate = count / spent.wall.as_secs_f64();
    Ok([rate, at(0.5), at(0.99), each(spent.gateway), each(spent.client), answers.bytes as f64])
}
