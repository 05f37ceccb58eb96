//! `cargo xtask crash --jobs`: is every job run when it is due, once, however often the gateway is killed?
//!
//! Jobs at a distance and of the calendar, in conversations of their own and in the main one, with every rule for missed
//! runs, and jobs that are due once, while the gateway is killed at moments chosen by a seed and started again. In the
//! end `judge` holds the table of runs against the moments at which runs were due, and what the model was asked against
//! the table.

mod judge;
mod planned;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};
use rusqlite::{Connection, OpenFlags};
use serde_json::{Value, json};

use super::dice::Dice;
use super::{CrashOptions, JITTER_US};
use crate::fake_llm::{FakeLlm, FakeLlmOptions};
use crate::gateway::{Launch, TEST_TOKEN, TestGateway};
use crate::home::TestHome;
use judge::{Life, Run, Verdict};
use planned::{Kind, Planned};

/// Longest life of a gateway after it is ready, in milliseconds, before a moment to kill at is waited for.
const LIFE_MS: u64 = 2_500;
/// How long a moment to kill at is waited for.
const MOMENT_CAP: Duration = Duration::from_millis(500);
/// How long the gateway lives in the end: jobs that were cut off wait half a minute, and what was missed is made up for.
const CALM: Duration = Duration::from_secs(45);
/// How long a model takes to begin, and between two words, in milliseconds: something to be killed in.
const FIRST_MS: u64 = 15;
const DELAY_MS: u64 = 2;
/// How many wrongs are shown.
const MOST_NAMED: usize = 20;

/// What came of it.
#[derive(Debug, Clone)]
pub struct JobsReport {
    kills: u64,
    seed: u64,
    took: Duration,
    jobs: usize,
    runs: usize,
    asked: usize,
    /// Results that were to be shown in the main conversation, and those that are.
    results: (usize, usize),
    all: Verdict,
}

/// Runs the jobs, kills and counts.
///
/// # Errors
/// When the gateway does not start or does not answer; the count itself is no error.
pub async fn run_job_crash(options: &CrashOptions, progress: impl Fn(&str)) -> Result<JobsReport> {
    let began = Instant::now();
    let mut world = World::start(options).await?;
    for kill in 1..=options.kills {
        world.live().await?;
        world.kill().await.with_context(|| format!("at kill {kill}"))?;
        if kill % 50 == 0 {
            progress(&format!("{kill} of {} kills", options.kills));
        }
    }
    tokio::time::sleep(CALM).await;
    let report = world.count(options, began).await?;
    if let Some(file) = &options.log {
        std::fs::write(file, world.gateway.log())
            .with_context(|| format!("could not write {}", file.display()))?;
        if !report.holds() {
            let kept = file.with_extension("state");
            super::copy_folder(&world.gateway.home().state_dir(), &kept)?;
        }
    }
    Ok(report)
}

struct World {
    llm: FakeLlm,
    gateway: TestGateway,
    dice: Dice,
    jobs: Vec<Planned>,
    lives: Vec<Life>,
}

impl World {
    async fn start(options: &CrashOptions) -> Result<Self> {
        let answers = FakeLlmOptions { first_ms: FIRST_MS, delay_ms: DELAY_MS, ..FakeLlmOptions::default() };
        let llm = FakeLlm::start_with(&answers)?;
        let mut config = TestHome::chat_config(TEST_TOKEN, "openai-completions", &llm.openai_url());
        if let Some(all) = config.as_object_mut() {
            all.insert("cron".to_owned(), json!({"maxConcurrentRuns": 4}));
        }
        let home = TestHome::with_config(&config)?;
        let gateway = TestGateway::start(Launch::of(&options.homard), home).await?;
        let mut jobs = Vec::new();
        let mut client = gateway.operator().await?;
        for kind in Kind::recurring() {
            jobs.push(Planned::make(&mut client, jobs.len(), kind).await?);
        }
        let lives = vec![Life { ready: now_ms(), killed: None }];
        Ok(Self { llm, gateway, dice: Dice::new(options.seed), jobs, lives })
    }

    /// Lets the gateway live for a while, with jobs that are due soon, until something happens that may be interesting.
    async fn live(&mut self) -> Result<()> {
        let mut client = self.gateway.operator().await?;
        if self.dice.below(2) == 0 {
            let kind = Kind::once(&mut self.dice, now_ms());
            self.jobs.push(Planned::make(&mut client, self.jobs.len(), kind).await?);
        }
        tokio::time::sleep(Duration::from_millis(self.dice.below(LIFE_MS))).await;
        let (llm, choice) = (&self.llm, self.dice.below(3));
        let next = llm.request_count() + 1;
        let moment = async {
            match choice {
                0 => llm.wait_for_request_count(next).await.is_ok(),
                1 => client.next_event_where("cron", |told| told["action"] == "started").await.is_ok(),
                _ => true,
            }
        };
        // Whatever did not happen in time, did not: the kill comes all the same.
        let _happened = tokio::time::timeout(MOMENT_CAP, moment).await;
        tokio::time::sleep(Duration::from_micros(self.dice.below(JITTER_US))).await;
        Ok(())
    }

    async fn kill(&mut self) -> Result<()> {
        let killed = now_ms();
        self.gateway.kill9().await?;
        if let Some(life) = self.lives.last_mut() {
            life.killed = Some(killed);
        }
        self.gateway.restart().await?;
        self.lives.push(Life { ready: now_ms(), killed: None });
        Ok(())
    }

    async fn count(&self, options: &CrashOptions, began: Instant) -> Result<JobsReport> {
        let end = now_ms();
        let mut runs = runs(&self.gateway.home().state_dir().join("homard.sqlite"))?;
        let asked = self.asked();
        let mut client = self.gateway.operator().await?;
        let listed = client.call("cron.list", json!({"enabled": "all", "limit": 200})).await?;
        let shown = client.call("chat.history", json!({"sessionKey": "main", "limit": 1_000})).await?;
        let shown = shown.to_string();
        let mut all = Verdict::default();
        let (mut results, mut count) = ((0, 0), 0);
        for job in &self.jobs {
            let ran = runs.remove(&job.id).unwrap_or_default();
            let times = asked.get(&job.mark).copied().unwrap_or_default();
            let mut verdict = job.judge(&ran, &self.lives, end);
            if times > ran.len() {
                verdict.doubled.push(format!("the model was asked {times} times in {} runs", ran.len()));
            }
            if ran.is_empty() && !verdict.lost.is_empty() && job.says_that_it_is_left_out(&listed) {
                verdict.lost.clear();
                verdict.left_out += 1;
            }
            if job.is_announced() && ran.iter().any(|run| run.is_ok) {
                let seen = shown.matches(&job.heading()).count();
                results = (results.0 + 1, results.1 + seen.min(1));
                if seen > 1 {
                    verdict.doubled.push(format!("its result is shown {seen} times"));
                }
            }
            count += ran.len();
            all.add(verdict, &job.mark);
        }
        all.doubled.extend(runs.keys().map(|id| format!("job {id} was never made")));
        Ok(JobsReport {
            kills: options.kills,
            seed: options.seed,
            took: began.elapsed(),
            jobs: self.jobs.len(),
            runs: count,
            asked: asked.values().sum(),
            results,
            all,
        })
    }

    /// How often the model was asked about each mark.
    fn asked(&self) -> BTreeMap<String, usize> {
        let mut times = BTreeMap::new();
        for request in self.llm.requests() {
            let messages = request.body.get("messages").and_then(Value::as_array);
            let last = messages.into_iter().flatten().rfind(|message| message["role"] == "user");
            let text = last.map(Value::to_string).unwrap_or_default();
            // The last one is what this turn is about; before it stand events that were told along.
            if let Some(mark) = planned::marks(&text).pop() {
                *times.entry(mark).or_default() += 1;
            }
        }
        times
    }
}

/// All runs by the id of their job, in the order in which they began.
fn runs(database: &Path) -> Result<BTreeMap<String, Vec<Run>>> {
    let conn = Connection::open_with_flags(database, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    let mut statement = conn
        .prepare("SELECT job_id, started_at, ended_at, status FROM cron_runs ORDER BY started_at, run_id")?;
    let rows = statement.query_map([], |row| {
        let status: Option<String> = row.get(3)?;
        let run = Run { started: row.get(1)?, ended: row.get(2)?, is_ok: status.as_deref() == Some("ok") };
        Ok((row.get::<_, String>(0)?, run))
    })?;
    let mut by_job: BTreeMap<String, Vec<Run>> = BTreeMap::new();
    for row in rows {
        let (job, run) = row?;
        by_job.entry(job).or_default().push(run);
    }
    Ok(by_job)
}

fn now_ms() -> i64 {
    jiff::Timestamp::now().as_millisecond()
}

impl JobsReport {
    /// Whether every run that was due was done or said to be cut off, and none twice.
    #[must_use]
    pub fn holds(&self) -> bool {
        self.all.lost.is_empty() && self.all.doubled.is_empty()
    }

    /// The count as a table row, with what is wrong below it.
    #[must_use]
    pub fn markdown(&self) -> String {
        let Verdict { lost, doubled, cut_off, made_up, left_out, late, late_after_start } = &self.all;
        let mut text = String::from(
            "| kills | seed | jobs | runs | model asked | lost | doubled | cut off, and said so | made up for | left out by \
             rule or collapsed | late while up, ms (half / 99 % / most) | late after a start, ms (half / 99 % / most) \
             | results shown | minutes |\n|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n",
        );
        // Writing to a String cannot fail.
        let _infallible = write!(
            text,
            "| {} | {} | {} | {} | {} | {} | {} | {cut_off} | {made_up} | {left_out} | {} | {} | {} of {} | {:.1} |",
            self.kills,
            self.seed,
            self.jobs,
            self.runs,
            self.asked,
            lost.len(),
            doubled.len(),
            spread(late),
            spread(late_after_start),
            self.results.1,
            self.results.0,
            self.took.as_secs_f64() / 60.0
        );
        for (what, named) in
            [("lost", lost), ("doubled", doubled)].iter().filter(|(_, named)| !named.is_empty())
        {
            let named = named.iter().take(MOST_NAMED).cloned().collect::<Vec<_>>().join("; ");
            let _infallible = write!(text, "\n\n{what}: {named}");
        }
        text
    }
}

/// The middle, the 99th of a hundred and the largest.
fn spread(times: &[i64]) -> String {
    let mut times = times.to_vec();
    times.sort_unstable();
    let at =
        |share: usize| times.get(times.len().saturating_sub(1) * share / 100).copied().unwrap_or_default();
    format!("{} / {} / {} of {}", at(50), at(99), at(100), times.len())
}
