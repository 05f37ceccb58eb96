//! `cargo xtask crash`: is every message answered exactly once, whatever breaks?
//!
//! People write to a gateway over the fake Telegram (alone, in a group, in topics, with files; plain questions, commands,
//! answers that are shown while they grow, answers with files, answers after a command was run), a program sends over the
//! protocol and again when it was cut off, and jobs bring results. The fake model repeats what it was asked, so each
//! message can be found again. The platform refuses, cuts connections before and after taking a message, and asks to
//! wait; the gateway is killed at moments chosen by a seed and started again. In the end `judge` holds what people see
//! against what the gateway says it did, `effects` what commands did, `programs` what programs see.

mod dice;
mod effects;
mod judge;
mod programs;
mod report;
mod workload;

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use serde_json::{Value, json};

pub use report::CrashReport;

use crate::fake_llm::FakeLlm;
use crate::fake_telegram::{FakeTelegram, Fault};
use crate::gateway::{Launch, TEST_TOKEN, TestGateway};
use crate::home::TestHome;
use dice::Dice;
use judge::Verdict;
use workload::{MARK, READER, Workload};

/// How long a moment to kill at is waited for.
const MOMENT_CAP: Duration = Duration::from_millis(600);
/// Longest time between that moment and the kill, in microseconds.
const JITTER_US: u64 = 15_000;
/// One call in so many goes wrong on the platform.
const FAULT_ONE_IN: u64 = 12;
/// How long everything may take to be answered once nothing breaks any more.
const CALM_CAP: Duration = Duration::from_secs(180);
/// Between two looks at what people see; a look takes longer the more was said.
const LOOK: Duration = Duration::from_millis(250);
/// After everything is answered, this long nothing more may come.
const QUIET: Duration = Duration::from_millis(1_500);

/// The agent's folder, below the state folder.
const WORKSPACE: &str = "workspace";

/// What to do.
#[derive(Debug, Clone)]
pub struct CrashOptions {
    pub homard: PathBuf,
    /// How often it is killed.
    pub kills: u64,
    /// What chance grows from.
    pub seed: u64,
    /// Where the gateway's own words go; what it left on the disk goes beside them when something is wrong.
    pub log: Option<PathBuf>,
}

/// Runs the workload and counts.
///
/// # Errors
/// When the gateway does not start or says nothing for too long; the count itself is no error.
pub async fn run_crash(options: &CrashOptions, progress: impl Fn(&str)) -> Result<CrashReport> {
    let began = Instant::now();
    let mut world = World::start(options).await?;
    for kill in 1..=options.kills {
        world.workload.chatter(&world.telegram, &mut world.dice);
        world.workload.programs(&world.gateway, &mut world.dice).await?;
        world.wait_for_a_moment().await;
        world.gateway.kill9().await?;
        world.gateway.restart().await.with_context(|| format!("after kill {kill}"))?;
        if kill % 50 == 0 {
            progress(&format!("{kill} of {} kills, {} messages", options.kills, world.workload.said.len()));
        }
    }
    world.telegram.faults_from(None);
    world.workload.finish(&world.gateway).await?;
    let settled = world.settle().await?;
    let mut report = CrashReport::new(options.kills, options.seed, began.elapsed(), settled);
    world.count(&mut report).await?;
    if let Some(file) = &options.log {
        std::fs::write(file, world.gateway.log())
            .with_context(|| format!("could not write {}", file.display()))?;
        if !report.holds(0) {
            let kept = file.with_extension("state");
            copy_folder(&world.gateway.home().state_dir(), &kept)
                .with_context(|| format!("could not keep {}", kept.display()))?;
        }
    }
    Ok(report)
}

struct World {
    telegram: FakeTelegram,
    llm: FakeLlm,
    gateway: TestGateway,
    dice: Dice,
    workload: Workload,
}

impl World {
    async fn start(options: &CrashOptions) -> Result<Self> {
        let mut dice = Dice::new(options.seed);
        let telegram = FakeTelegram::start().await?;
        Workload::furnish(&telegram);
        let llm = FakeLlm::start().await?;
        llm.repeats(MARK);
        let mut config = TestHome::chat_config(TEST_TOKEN, "openai-completions", &llm.openai_url());
        let own = json!({
            "channels": {"telegram": {
                "botToken": telegram.token(), "apiRoot": telegram.url(), "dmPolicy": "open", "allowFrom": ["*"],
                "groupPolicy": "open", "groups": {"*": {"requireMention": false}}, "streamMode": "partial",
            }},
            "commands": {"ownerAllowFrom": workload::owners()},
            "tools": {"exec": {"host": "gateway", "security": "full", "ask": "off"}},
            "session": {"dmScope": "per-channel-peer", "reset": {"mode": "none"}},
            "messages": {"queue": {"mode": "collect", "debounceMs": 20}},
        });
        if let (Some(all), Value::Object(own)) = (config.as_object_mut(), own) {
            all.extend(own);
        }
        let home = TestHome::with_config(&config)?;
        std::fs::create_dir_all(home.state_dir().join(WORKSPACE))?;
        std::fs::write(home.state_dir().join(WORKSPACE).join("note.txt"), "a note")?;
        let gateway = TestGateway::start(Launch::of(&options.homard), home).await?;
        let mut faults = dice.split();
        telegram.faults_from(Some(Box::new(move |method, _params| fault(&mut faults, method))));
        Ok(Self { telegram, llm, gateway, dice, workload: Workload::default() })
    }

    /// Waits until something happens that may be interesting to be killed at, and a little longer.
    async fn wait_for_a_moment(&mut self) {
        let (telegram, llm) = (&self.telegram, &self.llm);
        let choice = self.dice.below(5);
        let moment = async {
            match choice {
                0 => telegram.wait_for_polls(telegram.polls() + 1).await,
                1 => telegram.wait_until_confirmed().await,
                2 => llm.wait_for_request_count(llm.request_count() + 1).await,
                3 => telegram.wait_for_sent_count(telegram.sent_count() + 1).await,
                _ => Ok(()),
            }
        };
        // Whatever did not happen in time, did not: the kill comes all the same.
        let _happened = tokio::time::timeout(MOMENT_CAP, moment).await;
        tokio::time::sleep(Duration::from_micros(self.dice.below(JITTER_US))).await;
    }

    /// Waits until everything is answered and nothing more comes; whether that happened in time.
    async fn settle(&self) -> Result<bool> {
        let began = Instant::now();
        let mut looks = tokio::time::interval(LOOK);
        let mut calls = 0;
        let mut changed = Instant::now();
        loop {
            looks.tick().await;
            let now = self.telegram.sent_count();
            if now != calls {
                (calls, changed) = (now, Instant::now());
            }
            if changed.elapsed() >= QUIET {
                let verdict = self.judge()?;
                let is_answered = |(mark, chat): &(String, i64)| is_answered(&verdict, mark, *chat);
                if self.workload.said.iter().all(is_answered) && self.outbox().await?.waiting == 0 {
                    return Ok(true);
                }
            }
            if began.elapsed() > CALM_CAP {
                return Ok(false);
            }
        }
    }

    fn judge(&self) -> Result<Verdict> {
        judge::judge(&self.telegram, &self.gateway.home().state_dir().join("homard.sqlite"))
    }

    /// What the gateway itself says about its deliveries.
    async fn outbox(&self) -> Result<Counts> {
        let mut client = self.gateway.operator().await?;
        let status = client.call("channels.status", json!({})).await?;
        let Some(outbox) = status.pointer("/channelAccounts/telegram/0/outbox") else {
            bail!("the gateway knows no account: {status}")
        };
        let count = |name: &str| outbox.get(name).and_then(Value::as_u64).unwrap_or_default();
        Ok(Counts { ambiguous: count("ambiguous"), failed: count("failed"), waiting: count("waiting") })
    }

    async fn count(&self, report: &mut CrashReport) -> Result<()> {
        let verdict = self.judge()?;
        let workload = &self.workload;
        let unseen = || workload.said.iter().filter(|(mark, _)| !verdict.seen.contains_key(mark));
        let wrongs = &mut report.wrongs;
        wrongs.lost = unseen().filter(|(_, chat)| !verdict.given_up.contains(chat)).cloned().collect();
        report.seen.given_up = unseen().count() - wrongs.lost.len();
        let mut client = self.gateway.operator().await?;
        for (mark, job) in workload.jobs.iter().filter(|(mark, _)| !verdict.seen.contains_key(mark)) {
            match programs::is_said_to_have_failed(&mut client, job).await? {
                true => report.seen.given_up += 1,
                false => wrongs.lost.push((mark.clone(), READER)),
            }
        }
        let doubled = verdict.seen.iter().filter(|(_, rows)| rows.len() > 1);
        wrongs.doubled = doubled.map(|(mark, rows)| (mark.clone(), rows.iter().cloned().collect())).collect();
        wrongs.unexplained.clone_from(&verdict.unexplained);
        wrongs.others = programs::wrongs(&mut client, workload).await?;
        let state = self.gateway.home().state_dir();
        let asked = verdict.seen.keys().map(String::as_str);
        let asked: Vec<&str> = asked.filter(|mark| mark.ends_with(effects::ASKED)).collect();
        let sessions = state.join("agents/main/sessions");
        wrongs.others.extend(effects::wrongs(&state.join(WORKSPACE), &sessions, &asked)?);
        let seen = &mut report.seen;
        (seen.copies, seen.previews) = (verdict.copies, verdict.previews);
        seen.messages = workload.said.len() + workload.jobs.len() + workload.sent.len();
        seen.sends = self.telegram.calls().iter().filter(|call| is_send(call.method)).count();
        seen.turns = self.llm.request_count();
        report.outbox = self.outbox().await?;
        Ok(())
    }
}

/// Whether somebody sees the answer to a message, or was told to ask once more.
fn is_answered(verdict: &Verdict, mark: &str, chat: i64) -> bool {
    verdict.seen.contains_key(mark) || verdict.given_up.contains(&chat)
}

/// How an account's outbox is.
#[derive(Debug, Clone, Copy, Default)]
struct Counts {
    ambiguous: u64,
    failed: u64,
    waiting: u64,
}

fn is_send(method: &str) -> bool {
    method.starts_with("send") && method != "sendChatAction"
}

/// What the gateway left behind, for whoever looks for what went wrong.
fn copy_folder(from: &Path, to: &Path) -> std::io::Result<()> {
    std::fs::create_dir_all(to)?;
    for entry in std::fs::read_dir(from)? {
        let entry = entry?;
        let kind = entry.file_type()?;
        if kind.is_dir() {
            copy_folder(&entry.path(), &to.join(entry.file_name()))?;
        } else if kind.is_file() {
            std::fs::copy(entry.path(), to.join(entry.file_name()))?;
        }
    }
    Ok(())
}

/// What goes wrong with a call.
fn fault(dice: &mut Dice, method: &str) -> Option<Fault> {
    if dice.below(FAULT_ONE_IN) != 0 {
        return None;
    }
    let is_send = is_send(method);
    Some(match dice.below(5) {
        0 => Fault::status(502),
        1 => Fault::CutBefore,
        2 if is_send => Fault::CutAfter,
        3 if is_send => Fault::TooMany(1),
        4 if is_send => Fault::status(500),
        _ => return None,
    })
}
