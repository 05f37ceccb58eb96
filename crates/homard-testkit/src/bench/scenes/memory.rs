//! Whether anybody notices that thousands of notes are indexed, how fast they are searched, and what is held of them once
//! nobody asks.

use std::fs;
use std::path::Path;
use std::time::Duration;

use anyhow::{Context as _, Result};
use serde_json::{Value, json};

use crate::bench::conn::Conn;
use crate::bench::machine::{Memory, memory_of, now_ns};
use crate::bench::report::{Limit, Report, Section, quantile};
use crate::bench::stage::{Stage, TURNS, keys};
use crate::bench::turns::{Plan, Turn};
use crate::gateway::TestGateway;
use crate::home::TestHome;

/// Notes, and the sentences of each: about five thousand bytes.
const NOTES: usize = 10_000;
const SENTENCES: usize = 90;
/// Words the notes are made of.
const WORDS: usize = 20_000;
/// Conversations that are spoken in between two looks at how far the index is.
const SPEAKERS: usize = 4;
/// Rounds of these at least, so that there are enough turns for the slowest of a hundred.
const ROUNDS: usize = 10;
/// Questions that are asked, one after the other.
const QUESTIONS: usize = 200;
/// After this long nothing of an index is held any more.
const REST: Duration = Duration::from_secs(125);

/// Plays the scene.
pub(in crate::bench) async fn play(stage: &Stage, report: &mut Report) -> Result<()> {
    let count = stage.amount(NOTES);
    let (with, rounds) = follow(stage, true, count, ROUNDS).await?;
    let (without, _) = follow(stage, false, count, rounds).await?;
    let mut section = Section::new(
        "Notes",
        "One turn at a time while ten thousand notes of 5 kB are indexed, and the same without; then what is held after a restart, some turns and questions, and two minutes of rest.",
        &["turn p50 ms", "turn p99 ms", "turns", "search p50 ms", "search p99 ms", "RSS MB at rest"],
    );
    for (what, seen) in [("notes are indexed", &with), ("no memory", &without)] {
        let turn = |p| quantile(&seen.turns, p);
        let search = |p| if seen.searches.is_empty() { f64::NAN } else { quantile(&seen.searches, p) };
        let figures =
            [turn(0.5), turn(0.99), seen.turns.len() as f64, search(0.5), search(0.99), seen.rest.rss];
        section.row(what, &figures);
    }
    report.add(section);
    let slower = quantile(&with.turns, 0.99) / quantile(&without.turns, 0.99);
    report.promise("slowest of 100 turns while notes are indexed", slower, "× without", Limit::AtMost(2.0));
    let held = with.rest.own - without.rest.own;
    report.promise("held for notes at rest", held, "MB", Limit::AtMost(1.0));
    Ok(())
}

/// What was seen of one gateway; times in milliseconds.
struct Seen {
    turns: Vec<f64>,
    searches: Vec<f64>,
    rest: Memory,
}

/// Talks until the notes are indexed, and for so many rounds at least; begins anew, asks, and waits. Says how many rounds
/// there were.
async fn follow(stage: &Stage, is_on: bool, count: usize, rounds: usize) -> Result<(Seen, usize)> {
    let mut config = stage.config();
    let defaults = config.pointer_mut("/agents/defaults").and_then(Value::as_object_mut);
    let defaults = defaults.context("agents have defaults")?;
    defaults.insert("memorySearch".to_owned(), json!({"enabled": is_on}));
    let home = TestHome::with_config(&config)?;
    write_notes(&home.state_dir().join("workspace/memory"), count)?;
    let mut gateway = stage.gateway_in(home).await?;
    let mut client = gateway.operator().await?;
    let mut conns = stage.conns(&gateway, 1).await?;
    let (mut turns, mut round) = (Vec::new(), 0);
    loop {
        turns.extend(talk(stage, &gateway, &mut conns, round).await?);
        round += 1;
        let is_done = !is_on || {
            let status = client.call("memory.status", json!({})).await?;
            let files = status.get("files").and_then(Value::as_u64);
            status.get("progress").is_none_or(Value::is_null) && files == u64::try_from(count).ok()
        };
        if is_done && round >= rounds {
            break;
        }
    }
    // What was said until here is held for a while, too, and is not what is asked for.
    gateway.kill9().await?;
    gateway.restart().await?;
    conns = stage.conns(&gateway, 1).await?;
    talk(stage, &gateway, &mut conns, round).await?;
    let searches = if is_on { searches(&gateway, stage.amount(QUESTIONS)).await? } else { Vec::new() };
    tokio::time::sleep(REST).await;
    Ok((Seen { turns, searches, rest: memory_of(gateway.pid()?)? }, round))
}

/// Some turns, one at a time; how long each took.
async fn talk(stage: &Stage, gateway: &TestGateway, conns: &mut [Conn], round: usize) -> Result<Vec<f64>> {
    let name = format!("notes{round}");
    let plan = Plan { keys: keys(&name, SPEAKERS), name, turns: TURNS, at_once: 1, say: "hello".to_owned() };
    let weight = stage.weigh(gateway, conns, &plan).await?;
    Ok(weight.turns.iter().map(Turn::total_ms).collect())
}

async fn searches(gateway: &TestGateway, count: usize) -> Result<Vec<f64>> {
    let mut client = gateway.operator().await?;
    let mut times = Vec::new();
    for at in 0..count {
        let asked = format!("what is said about {} and the {}?", word(at * 31), word(at * 17 + 5));
        let began = now_ns();
        let found = client.call("memory.search", json!({"query": asked})).await?;
        times.push(now_ns().saturating_sub(began) as f64 / 1e6);
        let results = found.get("results").and_then(Value::as_array);
        results.filter(|results| !results.is_empty()).context("what is in the notes is found")?;
    }
    Ok(times)
}

fn write_notes(folder: &Path, count: usize) -> Result<()> {
    fs::create_dir_all(folder)?;
    for note in 0..count {
        let mut text = format!("# About {}\n\n", word(note));
        for sentence in 0..SENTENCES {
            // Words far apart, and some more often than others.
            let at = |nth: usize| word((note * 7_919 + sentence * 613 + nth * nth * 104_729) % WORDS);
            let [one, two, three, four] = [at(1), at(2), word(sentence * 3 % 200), at(3)];
            text.push_str(&format!("We saw the {one} beside {two}, and {three} had a {four}.\n"));
            if sentence % 12 == 11 {
                text.push_str(&format!("\n## The {one}\n\n"));
            }
        }
        fs::write(folder.join(format!("note-{note}.md")), text)?;
    }
    Ok(())
}

/// A word like those of people: syllables by its number.
fn word(number: usize) -> String {
    const BEGIN: [&str; 16] =
        ["b", "br", "d", "f", "g", "gr", "k", "l", "m", "n", "p", "r", "s", "st", "t", "v"];
    const MIDDLE: [&str; 8] = ["a", "e", "i", "o", "u", "ai", "ea", "ou"];
    let mut rest = number % WORDS + 1;
    let mut word = String::new();
    while rest > 0 {
        let (begin, middle) = (rest % BEGIN.len(), rest / BEGIN.len() % MIDDLE.len());
        word.push_str(BEGIN.get(begin).copied().unwrap_or_default());
        word.push_str(MIDDLE.get(middle).copied().unwrap_or_default());
        rest /= BEGIN.len() * MIDDLE.len();
    }
    word
}
