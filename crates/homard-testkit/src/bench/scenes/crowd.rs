//! Clients that are only connected.

use std::time::Duration;

use anyhow::Result;

use crate::bench::machine::{cpu_of, memory_of};
use crate::bench::report::{Limit, Report, Section, number};
use crate::bench::stage::Stage;

/// How many.
const CLIENTS: usize = 1_000;
/// How long they are watched doing nothing.
const IDLE: Duration = Duration::from_secs(5);

/// Plays the scene.
pub(in crate::bench) async fn play(stage: &Stage, report: &mut Report) -> Result<()> {
    let gateway = stage.gateway().await?;
    let pid = gateway.pid()?;
    let mut section = Section::new("Idle clients", "", &["RSS MB", "PSS MB", "CPU ms per second"]);
    let before = memory_of(pid)?;
    section.row("none", &[before.rss, before.pss, f64::NAN]);
    let clients = stage.conns(&gateway, CLIENTS).await?;
    let began = cpu_of(pid)?;
    tokio::time::sleep(IDLE).await;
    let busy = cpu_of(pid)?.saturating_sub(began).as_secs_f64() * 1e3 / IDLE.as_secs_f64();
    let after = memory_of(pid)?;
    section.row(format!("{} WebSocket clients", number(clients.len() as f64)), &[after.rss, after.pss, busy]);
    report.add(section);
    report.promise("memory with 1,000 idle clients (RSS)", after.rss, "MB", Limit::AtMost(60.0));
    Ok(())
}
