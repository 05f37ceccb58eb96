//! Many conversations on Telegram at once, for a while: do all get their answers, and does memory stay where it is?

use std::time::Duration;

use anyhow::Result;

use crate::bench::bots::{Bots, Wrong};
use crate::bench::machine::{Memory, Meter, Spent, memory_of, now_ns};
use crate::bench::model::Model;
use crate::bench::report::{Limit, Report, Section, quantile};
use crate::bench::stage::{Stage, progress};

/// Conversations.
const PEOPLE: usize = 1_000;
/// Accounts: one may say 25 things a second, so that as many answers need more than twenty.
const ACCOUNTS: usize = 25;
/// Messages a second; a little more than promised, so that the last answers may take their time.
const RATE: usize = 520;
/// How long, and how long at least in a quick run.
const SECONDS: usize = 20;
const QUICK_SECONDS: usize = 5;
/// How often is looked whether somebody is to speak.
const TICK: Duration = Duration::from_millis(5);
/// How long the last answers are waited for.
const PATIENCE: Duration = Duration::from_secs(120);
/// How long is listened for answers too many.
const AFTERWARDS: Duration = Duration::from_secs(1);

/// What was seen.
struct Seen {
    spent: Spent,
    /// When each message was said.
    said: Vec<u64>,
    /// Messages without an answer when the last one was said.
    behind: usize,
    memory: [Memory; 4],
    wrong: Wrong,
}

/// Plays the scene.
pub(in crate::bench) async fn play(stage: &Stage, report: &mut Report) -> Result<()> {
    let bots = Bots::start(ACCOUNTS).await?;
    let gateway = stage.gateway_with(&bots.config(stage)).await?;
    bots.connected().await?;
    let total = stage.amount(SECONDS).max(QUICK_SECONDS) * RATE;
    let since = stage.model.requests()?;
    let seen = watch(stage, &bots, gateway.pid()?, total).await?;
    tell(&seen, &there(&stage.model, since, &seen.said)?, report);
    Ok(())
}

async fn watch(stage: &Stage, bots: &Bots, pid: u32, total: usize) -> Result<Seen> {
    let before = memory_of(pid)?;
    let meter = Meter::start(pid, stage.model.pid()?)?;
    let mut said = Vec::with_capacity(total);
    speak(bots, &mut said, total / 3).await?;
    let third = memory_of(pid)?;
    speak(bots, &mut said, total / 3 * 2).await?;
    let two_thirds = memory_of(pid)?;
    speak(bots, &mut said, total).await?;
    let behind = total.saturating_sub(bots.answers());
    let all = bots.until_answered(total, PATIENCE).await;
    let spent = meter.stop()?;
    let memory = [before, third, two_thirds, memory_of(pid)?];
    if !all {
        progress("not every message was answered");
    }
    tokio::time::sleep(AFTERWARDS).await;
    let wrong = bots.wrong(PEOPLE, |person| (0..total).skip(person).step_by(PEOPLE).count())?;
    Ok(Seen { spent, said, behind, memory, wrong })
}

/// Speaks evenly until so much is said; who is late catches up.
async fn speak(bots: &Bots, said: &mut Vec<u64>, until: usize) -> Result<()> {
    let began = said.first().copied().unwrap_or_else(now_ns);
    let mut ticks = tokio::time::interval(TICK);
    while said.len() < until {
        ticks.tick().await;
        let passed = Duration::from_nanos(now_ns().saturating_sub(began));
        let due = usize::try_from(passed.as_micros())? * RATE / 1_000_000 + 1;
        while said.len() < due.min(until) {
            let number = said.len();
            said.push(now_ns());
            bots.hears(number % PEOPLE, &format!("hello [[tag=load.{number}]]"))?;
        }
    }
    Ok(())
}

/// How long each message took to the model.
fn there(model: &Model, since: usize, said: &[u64]) -> Result<Vec<f64>> {
    let stamps = model.stamps_since(since)?;
    let arrived = |number: usize| stamps.get(&format!("load.{number}"))?.first().map(|stamps| stamps.arrived);
    let times = said
        .iter()
        .enumerate()
        .filter_map(|(number, said)| Some(arrived(number)?.saturating_sub(*said) as f64 / 1e6));
    Ok(times.collect())
}

fn tell(seen: &Seen, there: &[f64], report: &mut Report) {
    let count = seen.said.len() as f64;
    let rate = (count - seen.wrong.missing as f64) / seen.spent.wall.as_secs_f64();
    let per_message = |spent: Duration| spent.as_secs_f64() * 1e3 / count;
    let mut section = Section::new(
        "Messages from Telegram",
        "520 messages a second from 1,000 people, each in a conversation of their own, to 25 accounts; no debounce, no streaming, no typing signs, each message gets a turn of its own; the model answers at once with 8 words. The rate is counted from the first message to the last answer. The 25 platforms and the people are the measuring process. CPU times are per message.",
        &[
            "answers/s",
            "behind at the end",
            "to the model p50 ms",
            "p99 ms",
            "gateway CPU ms",
            "model CPU ms",
            "platform CPU ms",
        ],
    );
    let cpu = [seen.spent.gateway, seen.spent.fake, seen.spent.client].map(per_message);
    let at = |p| quantile(there, p);
    section.row(
        format!("{count} messages"),
        &[rate, seen.behind as f64, at(0.5), at(0.99), cpu[0], cpu[1], cpu[2]],
    );
    report.add(section);
    let mut section = Section::new("Memory under this load", "", &["RSS MB", "PSS MB"]);
    let moments = ["before", "after a third", "after two thirds", "when all were answered"];
    for (moment, memory) in moments.into_iter().zip(seen.memory) {
        section.row(moment, &[memory.rss, memory.pss]);
    }
    report.add(section);
    let [_, third, _, end] = seen.memory;
    report.promise(
        "Telegram messages answered per second, 1,000 conversations",
        rate,
        "per s",
        Limit::AtLeast(500.0),
    );
    report.promise(
        "Telegram messages answered twice or never under load",
        seen.wrong.count(),
        "",
        Limit::AtMost(0.0),
    );
    let growth = (end.rss / third.rss - 1.0) * 100.0;
    report.promise("growth of memory (RSS) under this load", growth, "%", Limit::AtMost(5.0));
}
