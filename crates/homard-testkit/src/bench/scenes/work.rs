//! So many turns in so many sessions at once and nothing else, for whoever looks at the gateway from below (callgrind,
//! strace, perf): the difference of two amounts is what turns cost, without start and end.

use anyhow::{Context, Result};

use crate::bench::report::{Report, Section};
use crate::bench::stage::{Stage, TURNS, keys};
use crate::bench::turns::Plan;

/// How much work.
#[derive(Debug, Clone, Copy)]
pub struct Work {
    /// Sessions that speak at once.
    pub sessions: usize,
    /// Turns in all of them together.
    pub turns: usize,
}

impl Work {
    /// Reads `SESSIONS:TURNS`.
    ///
    /// # Errors
    /// When it is something else.
    pub fn parse(text: &str) -> Result<Self> {
        let read = || {
            let (sessions, turns) = text.split_once(':')?;
            Some(Self { sessions: sessions.parse().ok()?, turns: turns.parse().ok()? })
        };
        read().with_context(|| {
            format!("`--work` wants sessions at once and turns, as in 200:4000, not `{text}`")
        })
    }
}

/// Plays the scene.
pub(in crate::bench) async fn play(stage: &Stage, work: Work, report: &mut Report) -> Result<()> {
    let mut gateway = stage.gateway().await?;
    let mut conns = stage.conns(&gateway, 1).await?;
    let count = work.turns.div_ceil(TURNS).max(work.sessions);
    let name = "work".to_owned();
    let turns = work.turns.div_ceil(count).max(1);
    let plan = Plan { keys: keys(&name, count), name, turns, at_once: work.sessions, say: "hello".into() };
    let weight = stage.weigh(&gateway, &mut conns, &plan).await?;
    gateway.terminate().await?;
    let mut section = Section::new("Work", "", &["turns", "turns/s", "p50 ms", "p99 ms", "gateway CPU ms"]);
    let turns = weight.turns.len() as f64;
    let row = [turns, weight.rate(), weight.wall_ms(0.5), weight.wall_ms(0.99), weight.gateway_ms()];
    section.row(format!("{} sessions at once", work.sessions), &row);
    report.add(section);
    Ok(())
}
