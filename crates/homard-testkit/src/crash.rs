//! `cargo xtask crash`: is every message answered exactly once, whatever breaks?
//!
//! People write to a gateway over the fake Telegram; the fake model repeats what it was asked, so each message can be
//! found again in an answer. The platform refuses, cuts connections before and after taking a message, and asks to
//! wait; the gateway is killed at moments chosen by a seed and started again. In the end what people see is counted.

mod dice;
mod report;

use std::collections::BTreeMap;
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

/// People who write.
const PEOPLE: i64 = 12;
/// The first person's number.
const FIRST: i64 = 1_000;
/// How a message can be found again.
const MARK: &str = "tok-";
/// Most messages between two kills.
const MOST_MESSAGES: u64 = 3;
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
        world.chatter();
        world.wait_for_a_moment().await;
        world.gateway.kill9().await?;
        world.gateway.restart().await.with_context(|| format!("after kill {kill}"))?;
        if kill % 50 == 0 {
            progress(&format!("{kill} of {} kills, {} messages", options.kills, world.said.len()));
        }
    }
    world.telegram.faults_from(None);
    let settled = world.settle().await?;
    let outbox = world.outbox().await?;
    let mut report = CrashReport::new(options.kills, options.seed, began.elapsed(), settled);
    world.count(&mut report, &outbox);
    if let Some(file) = &options.log {
        std::fs::write(file, world.gateway.log())
            .with_context(|| format!("could not write {}", file.display()))?;
        if !report.holds() {
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
    /// The mark of each message, and who said it.
    said: Vec<(String, i64)>,
}

impl World {
    async fn start(options: &CrashOptions) -> Result<Self> {
        let mut dice = Dice::new(options.seed);
        let telegram = FakeTelegram::start().await?;
        let llm = FakeLlm::start().await?;
        llm.repeats(MARK);
        let mut config = TestHome::chat_config(TEST_TOKEN, "openai-completions", &llm.openai_url());
        let own = json!({
            "channels": {"telegram": {
                "botToken": telegram.token(), "apiRoot": telegram.url(), "dmPolicy": "open", "allowFrom": ["*"],
                "streamMode": "off",
            }},
            "session": {"dmScope": "per-channel-peer", "reset": {"mode": "none"}},
            "messages": {"queue": {"mode": "collect", "debounceMs": 20}},
        });
        if let (Some(all), Value::Object(own)) = (config.as_object_mut(), own) {
            all.extend(own);
        }
        let home = TestHome::with_config(&config)?;
        let gateway = TestGateway::start(Launch::of(&options.homard), home).await?;
        let mut faults = dice.split();
        telegram.faults_from(Some(Box::new(move |method, _params| fault(&mut faults, method))));
        Ok(Self { telegram, llm, gateway, dice, said: Vec::new() })
    }

    /// Some people say something.
    fn chatter(&mut self) {
        for _ in 0..=self.dice.below(MOST_MESSAGES) {
            let person = FIRST + i64::try_from(self.dice.below(PEOPLE.unsigned_abs())).unwrap_or_default();
            let mark = format!("{MARK}{}", self.said.len());
            self.telegram.user_says(person, person, &format!("please answer {mark}"));
            self.said.push((mark, person));
        }
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
                let seen = self.seen();
                if self.said.iter().all(|(mark, _)| seen.contains_key(mark)) {
                    return Ok(true);
                }
            }
            if began.elapsed() > CALM_CAP {
                return Ok(false);
            }
        }
    }

    /// In how many answers each mark is seen by people; copies of one answer count once.
    fn seen(&self) -> BTreeMap<String, usize> {
        let mut seen = BTreeMap::new();
        for answers in (FIRST..FIRST + PEOPLE).map(|person| self.answers(person)) {
            for text in answers.keys() {
                for mark in text.split_whitespace().filter(|word| word.starts_with(MARK)) {
                    *seen.entry(mark.to_owned()).or_default() += 1;
                }
            }
        }
        seen
    }

    /// Every answer that names a mark.
    fn answers_with(&self, mark: &str) -> Vec<String> {
        let all = (FIRST..FIRST + PEOPLE).flat_map(|person| self.answers(person).into_keys());
        all.filter(|text| text.split_whitespace().any(|word| word == mark)).collect()
    }

    /// What a person was answered, and in how many copies.
    fn answers(&self, person: i64) -> BTreeMap<String, u64> {
        let mut answers = BTreeMap::new();
        for shown in self.telegram.shown(person).into_iter().filter(|shown| shown.is_ours) {
            *answers.entry(shown.text).or_default() += 1;
        }
        answers
    }

    /// What the gateway itself says about its deliveries.
    async fn outbox(&self) -> Result<Value> {
        let mut client = self.gateway.operator().await?;
        let status = client.call("channels.status", json!({})).await?;
        let accounts = status.pointer("/channelAccounts/telegram/0");
        let Some(account) = accounts else { bail!("the gateway knows no account: {status}") };
        Ok(account.get("outbox").cloned().unwrap_or_default())
    }

    fn count(&self, report: &mut CrashReport, outbox: &Value) {
        let seen = self.seen();
        let count = |name: &str| outbox.get(name).and_then(Value::as_u64).unwrap_or_default();
        report.messages = self.said.len();
        report.lost = self.said.iter().filter(|(mark, _)| !seen.contains_key(mark)).cloned().collect();
        let doubled = seen.iter().filter(|(_, n)| **n > 1);
        report.doubled = doubled.map(|(mark, _)| (mark.clone(), self.answers_with(mark))).collect();
        let all = (FIRST..FIRST + PEOPLE).flat_map(|person| self.answers(person));
        report.copies = all.filter(|(text, n)| *n > 1 && text.contains(MARK)).collect();
        report.sends = self.telegram.calls_of("sendMessage").len();
        report.turns = self.llm.request_count();
        report.ambiguous = count("ambiguous");
        report.failed = count("failed");
        report.waiting = count("waiting");
    }
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
    let is_send = method.eq_ignore_ascii_case("sendMessage");
    Some(match dice.below(5) {
        0 => Fault::status(502),
        1 => Fault::CutBefore,
        2 if is_send => Fault::CutAfter,
        3 if is_send => Fault::TooMany(1),
        4 if is_send => Fault::status(500),
        _ => return None,
    })
}
