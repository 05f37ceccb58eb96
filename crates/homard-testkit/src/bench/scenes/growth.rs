//! The same turn as the store and the conversation grow. Nothing on a message's path may notice.

use std::fs;

use anyhow::{Context, Result};
use homard_protocol::SessionId;
use serde_json::json;

use crate::bench::conn::Conn;
use crate::bench::machine::now_ns;
use crate::bench::report::{Limit, Report, Section, number, quantile};
use crate::bench::scenes::rpc::rate;
use crate::bench::scenes::start::{Starts, start};
use crate::bench::stage::{REPEATS, Stage, TURNS, Weight, keys, median, progress};
use crate::bench::transcript::transcript;
use crate::bench::turns::Plan;
use crate::gateway::TestGateway;

/// Sessions that speak, spread over all that are stored.
const SPEAKERS: usize = 40;
/// How many are stored; the fewest that give every round speakers of its own count as empty.
const STORED: [usize; 3] = [SPEAKERS * REPEATS, 10_000, 100_000];
/// Turns in a long transcript.
const LONG: usize = 2_000;
/// Turns since its compaction.
const SINCE: usize = 50;
/// Pages asked for, one after the other.
const PAGES: usize = 100;
/// Starts of the full gateway.
const STARTS: usize = 5;

/// Plays the scene.
pub(in crate::bench) async fn play(stage: &Stage, report: &mut Report) -> Result<()> {
    stored_sessions(stage, report).await?;
    long_transcripts(stage, report).await
}

const COLUMNS: [&str; 5] = ["p50 ms", "p99 ms", "gateway CPU ms", "model CPU ms", "× empty"];

async fn stored_sessions(stage: &Stage, report: &mut Report) -> Result<()> {
    let mut section = Section::new(
        "Stored sessions",
        "One turn at a time in sessions spread over all stored ones, 10 turns each.",
        &COLUMNS,
    );
    let mut lists = Section::new(
        "`sessions.list` and start with many sessions",
        "",
        &["requests/s", "gateway CPU µs", "start ms", "start CPU ms"],
    );
    let gateway = stage.gateway().await?;
    let mut conns = stage.conns(&gateway, 1).await?;
    let (mut stored, mut empty) = (0, f64::NAN);
    let mut last = f64::NAN;
    for count in STORED {
        progress(&format!("{count} stored sessions"));
        let key = |n: usize| format!("agent:main:stored-{n}");
        if let Some(conn) = conns.first_mut() {
            stage.create(conn, (stored..count).map(key)).await?;
        }
        stored = count;
        // Each round speaks in sessions of its own, all of the same age.
        let plan = |round: usize| {
            let step = count / SPEAKERS;
            let keys = (0..SPEAKERS).map(|n| key(n * step + round.min(step.saturating_sub(1)))).collect();
            Plan {
                name: format!("stored-{count}-{round}"),
                keys,
                turns: TURNS,
                at_once: 1,
                say: "hello".into(),
            }
        };
        let weight = stage.weigh_often(&gateway, &mut conns, plan).await?;
        if empty.is_nan() {
            empty = weight.gateway_ms();
        }
        last = weight.gateway_ms() / empty;
        add(&mut section, &format!("{} sessions", number(count as f64)), &weight, empty);
        let figures = rate(stage, &gateway, &mut conns, ("sessions.list", r#"{"limit":20}"#)).await?;
        lists
            .row(format!("{} sessions", number(count as f64)), &[figures[0], figures[3], f64::NAN, f64::NAN]);
    }
    report.add(section);
    report.promise("CPU per turn with 100,000 stored sessions", last, "× empty", Limit::AtMost(1.3));
    if let Some(conn) = conns.first_mut() {
        let page = first_page(conn).await?;
        report.promise("first page of 100,000 sessions, p50", page, "ms", Limit::AtMost(3.0));
    }
    drop(conns);
    let mut starts = Starts::default();
    let mut gateway = gateway;
    gateway.terminate().await?;
    for _ in 0..STARTS {
        starts.add(start(&stage.homard, gateway.home()).await?);
    }
    lists.row("start on the last one", &[f64::NAN, f64::NAN, starts.wall(0.5), starts.cpu()]);
    report.add(lists);
    Ok(())
}

/// How long one `sessions.list` of the usual size takes, one at a time.
async fn first_page(conn: &mut Conn) -> Result<f64> {
    let mut millis = Vec::with_capacity(PAGES);
    for _ in 0..PAGES {
        let asked = now_ns();
        conn.call("sessions.list", &json!({})).await?;
        millis.push(now_ns().saturating_sub(asked) as f64 / 1e6);
    }
    Ok(quantile(&millis, 0.5))
}

/// A kind of conversation.
#[derive(Clone, Copy)]
struct Age {
    what: &'static str,
    name: &'static str,
    turns: usize,
    since_compaction: Option<usize>,
    /// How many conversations of the kind speak in each round.
    sessions: usize,
}

const AGES: [Age; 4] = [
    Age { what: "new", name: "new", turns: 0, since_compaction: None, sessions: 20 },
    Age { what: "52 turns", name: "young", turns: SINCE + 2, since_compaction: None, sessions: 20 },
    Age {
        what: "2,000 turns, compacted 50 turns ago",
        name: "compacted",
        turns: LONG,
        since_compaction: Some(SINCE),
        sessions: 20,
    },
    Age {
        what: "2,000 turns, never compacted",
        name: "endless",
        turns: LONG,
        since_compaction: None,
        sessions: 8,
    },
];

impl Age {
    fn plan(&self, round: usize, phase: &str, turns: usize) -> Plan {
        let name = format!("{}-{round}", self.name);
        let keys = keys(&name, self.sessions);
        Plan { name: format!("{name}-{phase}"), keys, turns, at_once: 1, say: "hello".into() }
    }
}

/// Rounds of one kind: the turns that read the past from disk, and those after them.
#[derive(Default)]
struct Rounds {
    first: Vec<Weight>,
    later: Vec<Weight>,
    /// In the last request.
    messages: usize,
}

async fn long_transcripts(stage: &Stage, report: &mut Report) -> Result<()> {
    let mut gateway = stage.gateway().await?;
    place_transcripts(stage, &mut gateway).await?;
    let mut conns = stage.conns(&gateway, 1).await?;
    let warm =
        Plan { name: "warm".into(), keys: keys("warm", 20), turns: TURNS, at_once: 1, say: "hello".into() };
    stage.weigh(&gateway, &mut conns, &warm).await?;
    let mut all = AGES.map(|_| Rounds::default());
    // Round by round, so that a busy moment of the machine hits every kind.
    for round in 0..REPEATS {
        progress(&format!("transcripts, round {}", round + 1));
        for (age, rounds) in AGES.iter().zip(&mut all) {
            rounds.first.push(stage.weigh(&gateway, &mut conns, &age.plan(round, "first", 1)).await?);
            let since = stage.model.requests()?;
            rounds.later.push(stage.weigh(&gateway, &mut conns, &age.plan(round, "later", TURNS)).await?);
            let stamps = stage.model.stamps_since(since)?;
            rounds.messages = stamps.values().flatten().map(|stamps| stamps.messages).max().unwrap_or(0);
        }
    }
    tell_ages(report, all)
}

fn tell_ages(report: &mut Report, all: [Rounds; AGES.len()]) -> Result<()> {
    let mut section = Section::new(
        "Long transcripts",
        "One turn at a time. *First* is the first turn after a start, which reads what the model must be told from disk (and here also indexes a file the gateway has never seen); the others are the ten turns after it. *Messages* is what the last request told the model.",
        &[
            "first: p50 ms",
            "first: CPU ms",
            "p50 ms",
            "p99 ms",
            "gateway CPU ms",
            "model CPU ms",
            "× new",
            "messages",
        ],
    );
    let mut fresh = f64::NAN;
    for (age, Rounds { first, later, messages }) in AGES.iter().zip(all) {
        let (first, later) = (median(first)?, median(later)?);
        let cpu = later.gateway_ms();
        if age.turns == 0 {
            fresh = cpu;
        }
        let walls = [first.wall_ms(0.5), first.gateway_ms(), later.wall_ms(0.5), later.wall_ms(0.99)];
        let costs = [cpu, later.fake_ms(), cpu / fresh, messages as f64];
        section.row(age.what, &[walls, costs].concat());
        if age.name == "compacted" {
            let what = "CPU per turn, 2,000 turns compacted 50 turns ago";
            report.promise(what, cpu / fresh, "× new", Limit::AtMost(1.3));
        } else if age.name == "endless" {
            report.promise("CPU per turn, 2,000 turns never compacted", cpu, "ms", Limit::AtMost(10.0));
        }
    }
    report.add(section);
    Ok(())
}

/// Makes the gateway find transcripts it did not write, and starts it again.
async fn place_transcripts(stage: &Stage, gateway: &mut TestGateway) -> Result<()> {
    let mut conn = stage.conn(gateway).await?;
    let mut files = Vec::new();
    for age in AGES.iter().filter(|age| age.turns > 0) {
        for key in (0..REPEATS).flat_map(|round| age.plan(round, "", 1).keys) {
            let id = session_id(&mut conn, &key).await?;
            files.push((transcript(&id, age.turns, age.since_compaction)?, id));
        }
    }
    drop(conn);
    gateway.terminate().await?;
    let folder = gateway.home().state_dir().join("agents/main/sessions");
    fs::create_dir_all(&folder)?;
    for (text, id) in files {
        fs::write(folder.join(format!("{id}.jsonl")), text).context("could not write a transcript")?;
    }
    gateway.restart().await
}

async fn session_id(conn: &mut Conn, key: &str) -> Result<SessionId> {
    let answer = conn.call("sessions.patch", &json!({"key": key, "label": key.replace(':', " ")})).await?;
    let id = answer.pointer("/entry/sessionId").and_then(serde_json::Value::as_str);
    Ok(SessionId::parse(id.with_context(|| format!("no session id in {answer}"))?)?)
}

fn add(section: &mut Section, what: &str, weight: &Weight, empty: f64) {
    let cpu = weight.gateway_ms();
    section.row(what, &[weight.wall_ms(0.5), weight.wall_ms(0.99), cpu, weight.fake_ms(), cpu / empty]);
}
