//! Many conversations on Telegram at once, for a while: do all get their answers, and does memory stay where it is?

use std::time::Duration;

use anyhow::Result;

use crate::bench::bots::{Bots, Wrong};
use crate::bench::machine::{Memory, Meter, Spent, memory_of, now_ns};
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
/// Two crowds, one after the other: a conversation grows while it is spoken in and is let go half a minute later, so
/// that only what the second crowd needs beyond the first is growth.
const CROWDS: usize = 2;
const LET_GO: Duration = Duration::from_secs(35);
/// How long is listened for answers too many.
const AFTERWARDS: Duration = Duration::from_secs(1);

/// What was seen of one crowd.
struct Seen {
    spent: Spent,
    count: usize,
    /// Messages without an answer when the last one was said.
    behind: usize,
    /// How long each message took to the model, in milliseconds.
    there: Vec<f64>,
    memory: [Memory; 4],
}

/// One crowd on its way through.
struct Crowd<'a> {
    stage: &'a Stage,
    bots: &'a Bots,
    pid: u32,
    number: usize,
    /// Messages it will say.
    total: usize,
    /// When each was said.
    said: Vec<u64>,
}

/// Plays the scene.
pub(in crate::bench) async fn play(stage: &Stage, report: &mut Report) -> Result<()> {
    let bots = Bots::start(ACCOUNTS).await?;
    let gateway = stage.gateway_with(&bots.config(stage)).await?;
    bots.connected().await?;
    let (pid, total) = (gateway.pid()?, stage.amount(SECONDS).max(QUICK_SECONDS) * RATE);
    let mut seen = Vec::with_capacity(CROWDS);
    for number in 0..CROWDS {
        if number > 0 {
            progress("the first crowd's conversations are let go");
            tokio::time::sleep(LET_GO).await;
        }
        seen.push(Crowd { stage, bots: &bots, pid, number, total, said: Vec::new() }.watch().await?);
    }
    tokio::time::sleep(AFTERWARDS).await;
    let each = |person: usize| (person % PEOPLE..total).step_by(PEOPLE).count();
    let wrong = bots.wrong(PEOPLE * CROWDS, each)?;
    tell(&seen, &wrong, report);
    Ok(())
}

impl Crowd<'_> {
    async fn watch(mut self) -> Result<Seen> {
        let Self { stage, bots, pid, total, .. } = self;
        let since = stage.model.requests()?;
        let before = memory_of(pid)?;
        let meter = Meter::start(pid, stage.model.pid()?)?;
        self.speak(total / 3).await?;
        let third = memory_of(pid)?;
        self.speak(total / 3 * 2).await?;
        let two_thirds = memory_of(pid)?;
        self.speak(total).await?;
        let all = total * (self.number + 1);
        let behind = all.saturating_sub(bots.answers());
        if !bots.until_answered(all, PATIENCE).await {
            progress("not every message was answered");
        }
        let spent = meter.stop()?;
        let memory = [before, third, two_thirds, memory_of(pid)?];
        Ok(Seen { spent, count: total, behind, there: self.there(since)?, memory })
    }

    /// Speaks evenly until so much is said; who is late catches up.
    async fn speak(&mut self, until: usize) -> Result<()> {
        let began = self.said.first().copied().unwrap_or_else(now_ns);
        let mut ticks = tokio::time::interval(TICK);
        while self.said.len() < until {
            ticks.tick().await;
            let passed = Duration::from_nanos(now_ns().saturating_sub(began));
            let due = usize::try_from(passed.as_micros())? * RATE / 1_000_000 + 1;
            while self.said.len() < due.min(until) {
                let person = self.number * PEOPLE + self.said.len() % PEOPLE;
                let text = format!("hello [[tag={}]]", self.tag(self.said.len()));
                self.said.push(now_ns());
                self.bots.hears(person, &text)?;
            }
        }
        Ok(())
    }

    /// What the model knows a message by.
    fn tag(&self, message: usize) -> String {
        format!("crowd-{}.{message}", self.number)
    }

    fn there(&self, since: usize) -> Result<Vec<f64>> {
        let stamps = self.stage.model.stamps_since(since)?;
        let times = self.said.iter().enumerate().filter_map(|(message, said)| {
            let arrived = stamps.get(&self.tag(message))?.first()?.arrived;
            Some(arrived.saturating_sub(*said) as f64 / 1e6)
        });
        Ok(times.collect())
    }
}

impl Seen {
    /// Answers per second, from the first message to the last answer.
    fn rate(&self) -> f64 {
        self.count as f64 / self.spent.wall.as_secs_f64()
    }

    fn row(&self) -> [f64; 7] {
        let cpu = |spent: Duration| spent.as_secs_f64() * 1e3 / self.count as f64;
        let at = |p| quantile(&self.there, p);
        let Spent { gateway, fake, client, .. } = self.spent;
        [self.rate(), self.behind as f64, at(0.5), at(0.99), cpu(gateway), cpu(fake), cpu(client)]
    }
}

fn tell(seen: &[Seen], wrong: &Wrong, report: &mut Report) {
    let mut section = Section::new(
        "Messages from Telegram",
        "520 messages a second for 20 seconds from 1,000 people, each in a conversation of their own, to 25 accounts; then the same from 1,000 others. No debounce, no streaming, no typing signs, each message gets a turn of its own; the model answers at once with 8 words. The rate is counted from the first message to the last answer. The 25 platforms and the people are the measuring process. CPU times are per message.",
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
    let mut held = Section::new(
        "Memory under this load",
        "Conversations in which something is said are held in memory and grow; they are let go half a minute after their last turn, which is between the two crowds.",
        &["RSS MB", "PSS MB", "anonymous MB"],
    );
    for (crowd, seen) in ["first", "second"].into_iter().zip(seen) {
        section.row(format!("{crowd} 1,000"), &seen.row());
        let moments = ["before", "after a third", "after two thirds", "all answered"];
        for (moment, memory) in moments.into_iter().zip(seen.memory) {
            held.row(format!("{crowd} 1,000, {moment}"), &[memory.rss, memory.pss, memory.own]);
        }
    }
    report.add(section);
    report.add(held);
    let slowest = seen.iter().map(Seen::rate).fold(f64::INFINITY, f64::min);
    let what = "Telegram messages answered per second, 1,000 conversations";
    report.promise(what, slowest, "per s", Limit::AtLeast(500.0));
    let what = "Telegram messages answered twice or never under load";
    report.promise(what, wrong.count(), "", Limit::AtMost(0.0));
    if let [first, second] = seen {
        let growth = (second.memory[3].rss / first.memory[3].rss - 1.0) * 100.0;
        report.promise("growth of memory (RSS) from one crowd to the next", growth, "%", Limit::AtMost(5.0));
    }
}
