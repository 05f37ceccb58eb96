//! `cargo xtask crash`: is every message answered exactly once, whatever breaks?
//!
//! People write to a gateway over the fake Telegram (alone, in a group, in topics, with files; plain questions, commands,
//! answers that are shown while they grow, answers with files, answers after a command was run or a subagent was given
//! work; they press buttons and are asked for permission) and on a real IRC server; a program sends over the protocol and
//! again when it was cut off, and jobs bring results. The fake model repeats what it was asked, so each message can be
//! found again. The platform refuses, cuts connections before and after taking a message, and asks to wait; the gateway
//! is killed at moments chosen by a seed and started again. In the end `judge` holds what people see against what the
//! gateway says it did, `effects` what the model had done, `programs` what programs see.

mod buttons;
mod conversations;
mod dice;
mod effects;
mod irc_side;
mod jobs;
mod judge;
mod programs;
mod report;
mod workload;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use serde_json::{Value, json};

pub use jobs::{JobsReport, run_job_crash};
pub use report::CrashReport;

use crate::fake_llm::FakeLlm;
use crate::fake_telegram::{FakeTelegram, Fault, Sent};
use crate::gateway::{Launch, TEST_TOKEN, TestGateway};
use crate::home::TestHome;
use conversations::Conversations;
use dice::Dice;
use effects::Effects;
use irc_side::IrcSide;
use judge::Verdict;
use workload::{MARK, READER, Workload, place};

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
        world.workload.press_all(&world.telegram, &mut world.dice);
        world.workload.chat_on_irc(&mut world.irc, &mut world.dice).await?;
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
    let mut report = CrashReport::new(options.kills, options.seed, began.elapsed(), settled.is_some());
    let found = match settled {
        Some(found) => found,
        None => world.look().await?,
    };
    world.count(found, &mut report).await?;
    if let Some(file) = &options.log {
        std::fs::write(file, world.gateway.log())
            .with_context(|| format!("could not write {}", file.display()))?;
        if !report.holds() {
            let kept = file.with_extension("state");
            copy_folder(&world.gateway.home().state_dir(), &kept)
                .with_context(|| format!("could not keep {}", kept.display()))?;
            std::fs::write(file.with_extension("calls"), calls(&world.telegram))?;
        }
    }
    Ok(report)
}

struct World {
    telegram: FakeTelegram,
    irc: IrcSide,
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
        let irc = IrcSide::start().await?;
        let llm = FakeLlm::start().await?;
        llm.repeats(MARK);
        let mut config = TestHome::chat_config(TEST_TOKEN, "openai-completions", &llm.openai_url());
        let own = json!({
            "channels": {"telegram": {
                "botToken": telegram.token(), "apiRoot": telegram.url(), "dmPolicy": "open", "allowFrom": ["*"],
                "groupPolicy": "open", "groups": {"*": {"requireMention": false}}, "streamMode": "partial",
            }, "irc": irc.account()},
            "commands": {"ownerAllowFrom": workload::owners()},
            "tools": {"exec": {"host": "gateway", "security": "full", "ask": "off"}},
            "session": {
                "dmScope": "per-channel-peer", "reset": {"mode": "none"}, "guestCallsPerHour": 0,
            },
            "messages": {"queue": {"mode": "collect", "debounceMs": 20}},
        });
        if let (Some(all), Value::Object(own)) = (config.as_object_mut(), own) {
            all.extend(own);
        }
        let home = TestHome::with_config(&config)?;
        std::fs::create_dir_all(home.state_dir().join(WORKSPACE))?;
        std::fs::write(home.state_dir().join(WORKSPACE).join("note.txt"), "a note")?;
        let gateway = TestGateway::start(Launch::of(&options.homard), home).await?;
        Workload::be_careful(&gateway).await?;
        let mut faults = dice.split();
        telegram.faults_from(Some(Box::new(move |method, _params| fault(&mut faults, method))));
        Ok(Self { telegram, irc, llm, gateway, dice, workload: Workload::default() })
    }

    /// Waits until something happens that may be interesting to be killed at, and a little longer.
    async fn wait_for_a_moment(&mut self) {
        let (telegram, llm, irc) = (&self.telegram, &self.llm, &mut self.irc);
        let choice = self.dice.below(6);
        let moment = async {
            match choice {
                0 => telegram.wait_for_polls(telegram.polls() + 1).await,
                1 => telegram.wait_until_confirmed().await,
                2 => llm.wait_for_request_count(llm.request_count() + 1).await,
                3 => telegram.wait_for_sent_count(telegram.sent_count() + 1).await,
                4 => irc.is_spoken().await,
                _ => Ok(()),
            }
        };
        // Whatever did not happen in time, did not: the kill comes all the same.
        let _happened = tokio::time::timeout(MOMENT_CAP, moment).await;
        tokio::time::sleep(Duration::from_micros(self.dice.below(JITTER_US))).await;
    }

    /// Waits until everything is answered and nothing more comes; what was found then, if that happened in time.
    async fn settle(&mut self) -> Result<Option<Found>> {
        let began = Instant::now();
        let mut looks = tokio::time::interval(LOOK);
        let mut calls = 0;
        let mut changed = Instant::now();
        while began.elapsed() <= CALM_CAP {
            looks.tick().await;
            self.irc.listen().await?;
            let now = self.telegram.sent_count() + self.irc.heard.len();
            let is_pressed = self.workload.press_all(&self.telegram, &mut self.dice);
            if is_pressed || now != calls {
                (calls, changed) = (now, Instant::now());
            }
            if changed.elapsed() < QUIET {
                continue;
            }
            match self.look_when_idle().await? {
                Some(found) if found.owed.is_empty() => return Ok(Some(found)),
                Some(found)
                    if self.irc.repeat(&found.owed, &found.conversations, &self.database()).await? =>
                {
                    changed = Instant::now();
                }
                Some(_) | None => {}
            }
        }
        Ok(None)
    }

    /// Looks while nothing is on its way: what has just arrived is recorded a moment later.
    async fn look_when_idle(&self) -> Result<Option<Found>> {
        let calls = self.telegram.sent_count();
        if self.outbox().await?.waiting > 0 {
            return Ok(None);
        }
        let found = self.look().await?;
        let is_idle = self.outbox().await?.waiting == 0 && self.telegram.sent_count() == calls;
        Ok(is_idle.then_some(found))
    }

    /// Looks at what people see and what the gateway says now.
    async fn look(&self) -> Result<Found> {
        let state = self.gateway.home().state_dir();
        let mut seen = workload::seen(&self.telegram);
        seen.extend(self.irc.heard.iter().cloned());
        let verdict = judge::judge(&seen, &self.database())?;
        let conversations = Conversations::read(&state.join("agents/main/sessions"))?;
        let effects = Effects::read(&state.join(WORKSPACE), &conversations, &self.database())?;
        let given_up = verdict.given_up.iter().flat_map(|run| conversations.asked_in(run));
        let mut told: BTreeSet<String> = given_up.collect();
        let mut client = self.gateway.operator().await?;
        for (mark, job) in self.workload.jobs.iter().filter(|(mark, _)| !verdict.seen.contains_key(mark)) {
            if programs::is_said_to_have_failed(&mut client, job).await? {
                told.insert(mark.clone());
            }
        }
        let reports = effects.reports(&verdict).map(|mark| (mark, "the place of its subagent".to_owned()));
        let jobs = self.workload.jobs.iter().map(|(mark, _)| (mark.clone(), place(READER)));
        let asked: Vec<_> = self.workload.said.iter().cloned().chain(reports).chain(jobs).collect();
        let (owed, told) = verdict.unanswered(asked, &told);
        Ok(Found { verdict, conversations, effects, owed, told })
    }

    fn database(&self) -> PathBuf {
        self.gateway.home().state_dir().join("homard.sqlite")
    }

    /// What the gateway itself says about its deliveries.
    async fn outbox(&self) -> Result<Counts> {
        let mut client = self.gateway.operator().await?;
        let status = client.call("channels.status", json!({})).await?;
        let accounts =
            ["telegram", "irc"].map(|name| status.pointer(&format!("/channelAccounts/{name}/0/outbox")));
        let [Some(telegram), Some(irc)] = accounts else { bail!("the gateway knows no account: {status}") };
        let count = |name: &str| [telegram, irc].iter().filter_map(|outbox| outbox.get(name)?.as_u64()).sum();
        Ok(Counts { ambiguous: count("ambiguous"), failed: count("failed"), waiting: count("waiting") })
    }

    async fn count(&self, found: Found, report: &mut CrashReport) -> Result<()> {
        let Found { verdict, effects, owed, told, .. } = found;
        let workload = &self.workload;
        let wrongs = &mut report.wrongs;
        (wrongs.lost, report.seen.given_up) = (owed, told);
        let mut client = self.gateway.operator().await?;
        let doubled = verdict.seen.iter().filter(|(_, rows)| rows.len() > 1);
        wrongs.doubled = doubled.map(|(mark, rows)| (mark.clone(), rows.iter().cloned().collect())).collect();
        wrongs.others = programs::wrongs(&mut client, workload).await?;
        wrongs.others.extend(effects.wrongs(&verdict, &workload.buttons));
        let seen = &mut report.seen;
        (seen.copies, seen.previews, seen.repeats) = (verdict.copies, verdict.previews, self.irc.repeats);
        wrongs.unexplained = verdict.unexplained;
        seen.messages = workload.said.len() + workload.jobs.len() + workload.sent.len();
        seen.sends = self.telegram.calls().iter().filter(|call| is_send(call.method)).count();
        seen.turns = self.llm.request_count();
        report.outbox = self.outbox().await?;
        Ok(())
    }
}

/// What people see and what the gateway says, held against each other.
struct Found {
    verdict: Verdict,
    conversations: Conversations,
    effects: Effects,
    /// The marks nobody has heard of and nobody was told about, and where they were said.
    owed: Vec<(String, String)>,
    /// How many messages people were told to send once more.
    told: usize,
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

/// Every call of the platform, one in a line, for whoever looks for what went wrong.
fn calls(telegram: &FakeTelegram) -> String {
    let calls = telegram.calls().into_iter().map(|call| {
        let Sent { method, params, outcome, message_id, .. } = call;
        format!("{method} {message_id:?} {outcome:?} {params}\n")
    });
    calls.collect()
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
