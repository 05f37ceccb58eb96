//! Many sessions at once.

use anyhow::Result;
use serde_json::{Value, json};

use crate::bench::machine::memory_of;
use crate::bench::report::{Limit, Report, Section};
use crate::bench::stage::{REPEATS, Stage, TURNS, keys, progress};
use crate::bench::turns::Plan;
use crate::gateway::TestGateway;

/// `agents.defaults.maxConcurrent` of the wide gateway.
const WIDE: u64 = 64;

/// One line of the table.
#[derive(Clone, Copy)]
struct Crowd {
    what: &'static str,
    /// Sessions that speak at once.
    sessions: usize,
    connections: usize,
    turns: usize,
    /// Whether each connection hears of its own sessions only.
    scoped: bool,
}

const fn crowd(what: &'static str, sessions: usize, connections: usize, turns: usize) -> Crowd {
    Crowd { what, sessions, connections, turns, scoped: false }
}

const NARROW_ROWS: [Crowd; 6] = [
    crowd("1 session", 1, 1, 400),
    crowd("50 sessions", 50, 1, 2_000),
    crowd("200 sessions", 200, 1, 4_000),
    crowd("50 sessions, 50 connections", 50, 50, 1_000),
    crowd("200 sessions, 200 connections", 200, 200, 2_000),
    Crowd {
        scoped: true,
        ..crowd("the same, each hears its own (`session-scoped-events`)", 200, 200, 2_000)
    },
];
const WIDE_ROWS: [Crowd; 1] = [crowd("200 sessions, `maxConcurrent` 64", 200, 1, 4_000)];

/// Plays the scene.
pub(in crate::bench) async fn play(stage: &Stage, report: &mut Report) -> Result<()> {
    let mut section = Section::new(
        "Turns per second",
        "The model answers at once with 8 words; each session speaks again when it is answered. Sessions share one connection unless the line says otherwise; a connection hears every session's events unless it asks for its own only. `agents.defaults.maxConcurrent` is the default (4) unless the line says otherwise.",
        &["turns/s", "p50 ms", "p99 ms", "gateway CPU ms", "model CPU ms", "client CPU ms"],
    );
    let gateway = stage.gateway().await?;
    for crowd in NARROW_ROWS {
        let rate = line(stage, &gateway, crowd, &mut section).await?;
        if crowd.what == "200 sessions" {
            report.promise("turns per second, 200 sessions", rate, "per s", Limit::AtLeast(500.0));
        }
    }
    let memory = memory_of(gateway.pid()?)?;
    drop(gateway);
    let mut config = stage.config();
    if let Some(defaults) = config.pointer_mut("/agents/defaults").and_then(Value::as_object_mut) {
        defaults.insert("maxConcurrent".into(), json!(WIDE));
    }
    let wide = stage.gateway_with(&config).await?;
    for crowd in WIDE_ROWS {
        line(stage, &wide, crowd, &mut section).await?;
    }
    report.add(section);
    let mut section = Section::new("Memory after this load", "", &["RSS MB", "PSS MB"]);
    section.row("gateway", &[memory.rss, memory.pss]);
    report.add(section);
    Ok(())
}

async fn line(stage: &Stage, gateway: &TestGateway, crowd: Crowd, section: &mut Section) -> Result<f64> {
    progress(crowd.what);
    let Crowd { what, sessions, connections, turns, scoped } = crowd;
    let mut conns = match scoped {
        true => stage.scoped_conns(gateway, connections).await?,
        false => stage.conns(gateway, connections).await?,
    };
    let count = stage.amount(turns).div_ceil(TURNS).max(sessions);
    let plan = |round: usize| {
        let name = format!("load-{sessions}-{connections}-{scoped}-{round}");
        Plan { keys: keys(&name, count), name, turns: TURNS, at_once: sessions, say: "hello".into() }
    };
    if scoped {
        // As the plans are shared out: session `i` speaks on connection `i % n`.
        let all: Vec<Plan> = (0..REPEATS).map(plan).collect();
        for (at, conn) in conns.iter_mut().enumerate() {
            conn.listen(all.iter().flat_map(|plan| plan.keys.iter().skip(at).step_by(connections))).await?;
        }
    }
    let weight = stage.weigh_often(gateway, &mut conns, plan).await?;
    let cpu = [weight.gateway_ms(), weight.fake_ms(), weight.client_ms()];
    section.row(what, &[weight.rate(), weight.wall_ms(0.5), weight.wall_ms(0.99), cpu[0], cpu[1], cpu[2]]);
    Ok(weight.rate())
}
