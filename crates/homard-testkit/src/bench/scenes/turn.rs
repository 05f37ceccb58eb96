//! One turn at a time: what it costs, and where its time goes between client, gateway and model.

use std::fs;

use anyhow::{Context, Result};

use crate::bench::conn::Conn;
use crate::bench::model::Stamps;
use crate::bench::report::{Limit, Report, Section, quantile};
use crate::bench::stage::{Stage, TURNS, Weight, keys};
use crate::bench::turns::{Plan, Turn};
use crate::gateway::TestGateway;

/// Sessions of a plan; each has [`TURNS`] turns.
const SESSIONS: usize = 40;
/// A model that thinks for 20 ms and then says a word every 5 ms: a real stream, and quick.
const STREAM: &str = "hello [[first=20]] [[delay=5]] [[chunks=5]]";

/// Plays the scene.
pub(in crate::bench) async fn play(stage: &Stage, report: &mut Report) -> Result<()> {
    let gateway = stage.gateway().await?;
    let mut conns = stage.conns(&gateway, 1).await?;
    let warm =
        Plan { name: "warm".into(), keys: keys("warm", 5), turns: TURNS, at_once: 1, say: "hello".into() };
    stage.weigh(&gateway, &mut conns, &warm).await?;
    latencies(stage, &gateway, &mut conns, report).await?;
    costs(stage, &gateway, &mut conns, report).await
}

fn plan(stage: &Stage, name: &str, sessions: usize, say: &str) -> Plan {
    let keys = keys(name, stage.amount(sessions));
    Plan { name: name.to_owned(), keys, turns: TURNS, at_once: 1, say: say.to_owned() }
}

async fn latencies(
    stage: &Stage,
    gateway: &TestGateway,
    conns: &mut [Conn],
    report: &mut Report,
) -> Result<()> {
    let since = stage.model.requests()?;
    let weight = stage.weigh(gateway, conns, &plan(stage, "stream", SESSIONS, STREAM)).await?;
    let stamps = stage.model.stamps_since(since)?;
    let parts = |part: fn(&Turn, &[Stamps]) -> Option<f64>| -> Vec<f64> {
        weight.turns.iter().filter_map(|turn| part(turn, stamps.get(&turn.run)?)).collect()
    };
    let send = parts(|turn, stamps| Some(millis(turn.sent, stamps.first()?.arrived)));
    let delta =
        parts(|turn, stamps| Some(millis(stamps.last()?.first, turn.delta)).filter(|_| turn.delta > 0));
    let last = parts(|turn, stamps| Some(millis(stamps.last()?.last, turn.ended)));
    let mut section = Section::new(
        "Where the time of a turn goes",
        "One turn at a time on an otherwise idle gateway; the model streams 5 words, 5 ms apart. The stamps are the client's and the model server's, on one clock.",
        &["p50 ms", "p99 ms", "worst ms", "turns"],
    );
    for (what, values) in [
        ("`chat.send` → model request arrives", &send),
        ("first model chunk → first client delta", &delta),
        ("last model chunk → final event", &last),
    ] {
        let at = |p| quantile(values, p);
        section.row(what, &[at(0.5), at(0.99), at(1.0), values.len() as f64]);
    }
    report.add(section);
    report.promise("`chat.send` → model, p50", quantile(&send, 0.5), "ms", Limit::AtMost(1.0));
    report.promise("`chat.send` → model, p99", quantile(&send, 0.99), "ms", Limit::AtMost(10.0));
    report.promise("first chunk → first delta, p50", quantile(&delta, 0.5), "ms", Limit::AtMost(1.0));
    Ok(())
}

async fn costs(stage: &Stage, gateway: &TestGateway, conns: &mut [Conn], report: &mut Report) -> Result<()> {
    let file = gateway.home().path().join("read-me.txt");
    fs::write(&file, "Read me.\n").context("could not write the file to read")?;
    let read = format!(r#"read it [[tool=read:{{"path":"{}"}}]]"#, file.display());
    let mut section = Section::new(
        "What a turn costs",
        "One turn at a time, the model answers at once with 8 words; 10 turns in each session. CPU times are per turn; a command's own process is not counted.",
        &["p50 ms", "p99 ms", "gateway CPU ms", "model CPU ms", "client CPU ms"],
    );
    let kinds = [
        ("plain turn", "plain", SESSIONS, "hello"),
        ("turn with one `read`", "read", SESSIONS / 2, &read),
        (
            "turn with one `exec` of `true`",
            "exec",
            SESSIONS / 2,
            r#"run it [[tool=exec:{"command":"true"}]]"#,
        ),
    ];
    for (what, name, sessions, say) in kinds {
        let plans = |round: usize| plan(stage, &format!("{name}{round}"), sessions, say);
        let weight = stage.weigh_often(gateway, conns, plans).await?;
        row(&mut section, what, &weight);
        if name == "plain" {
            report.promise("CPU per chat turn", weight.gateway_ms(), "ms", Limit::AtMost(1.0));
        }
    }
    report.add(section);
    Ok(())
}

fn row(section: &mut Section, what: &str, weight: &Weight) {
    let cpu = [weight.gateway_ms(), weight.fake_ms(), weight.client_ms()];
    section.row(what, &[weight.wall_ms(0.5), weight.wall_ms(0.99), cpu[0], cpu[1], cpu[2]]);
}

fn millis(from: u64, to: u64) -> f64 {
    to.saturating_sub(from) as f64 / 1e6
}
