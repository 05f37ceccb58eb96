//! The jobs that run while the gateway is killed, and when each of them is due.

use anyhow::Result;
use serde_json::{Value, json};

use super::judge::{Grid, Life, Missed, Run, Verdict, judge_once, judge_recurring};
use crate::client::TestClient;
use crate::crash::dice::Dice;

/// How far apart runs of recurring jobs are.
const EVERY_MS: i64 = 4_000;
/// How far ahead a job is due that is due once, in milliseconds.
const AHEAD_MS: u64 = 2_000;
/// How a job can be found in what the model was asked.
const MARK: &str = "mark-";
/// What is said of a job whose time passed while nobody was there.
const LEFT_OUT: &str = "its time passed while the gateway was down";

/// When a job is due.
#[derive(Debug, Clone, Copy)]
enum When {
    Every(Grid),
    Calendar(Grid),
    Once(i64),
}

/// What a job is like.
#[derive(Debug, Clone, Copy)]
pub(super) struct Kind {
    when: When,
    missed: Missed,
    is_main: bool,
}

impl Kind {
    /// One of each.
    pub(super) fn recurring() -> Vec<Self> {
        let rules = [Missed::Skip, Missed::Once, Missed::All];
        let mut kinds = Vec::new();
        for (at, missed) in (0_i64..).zip(rules) {
            let every = When::Every(Grid { phase: 500 + at * 700, every: EVERY_MS });
            let calendar = When::Calendar(Grid { phase: 0, every: EVERY_MS });
            kinds.extend([every, calendar].map(|when| Self { when, missed, is_main: false }));
            let when = if missed == Missed::Once { calendar } else { every };
            kinds.push(Self { when, missed, is_main: true });
        }
        kinds
    }

    /// One that is due soon, once.
    pub(super) fn once(dice: &mut Dice, now: i64) -> Self {
        let ahead = i64::try_from(100 + dice.below(AHEAD_MS)).unwrap_or_default();
        let missed = if dice.below(4) == 0 { Missed::Skip } else { Missed::Once };
        Self { when: When::Once(now + ahead), missed, is_main: dice.below(2) == 0 }
    }
}

/// A job the gateway has acknowledged.
#[derive(Debug, Clone)]
pub(super) struct Planned {
    kind: Kind,
    made: i64,
    pub(super) id: String,
    pub(super) mark: String,
}

impl Planned {
    /// Asks for it.
    ///
    /// # Errors
    /// When the gateway does not take it.
    pub(super) async fn make(client: &mut TestClient, nth: usize, kind: Kind) -> Result<Self> {
        let mark = format!("{MARK}{nth}-");
        let schedule = match kind.when {
            When::Every(grid) => json!({"kind": "every", "everyMs": grid.every, "anchorMs": grid.phase}),
            When::Calendar(_) => {
                json!({"kind": "cron", "expr": format!("*/{} * * * * *", EVERY_MS / 1_000), "tz": "UTC", "staggerMs": 0})
            }
            When::Once(at) => json!({"kind": "at", "at": jiff::Timestamp::from_millisecond(at)?.to_string()}),
        };
        let missed = match kind.missed {
            Missed::Skip => "skip",
            Missed::Once => "once",
            Missed::All => "all",
        };
        let mut job = json!({
            "name": mark, "schedule": schedule, "wakeMode": "now", "missedRuns": missed, "sessionTarget": "main",
            "payload": {"kind": "systemEvent", "text": format!("something about {mark}")},
        });
        if let Some(fields) = job.as_object_mut().filter(|_| !kind.is_main) {
            let mode = if matches!(kind.when, When::Once(_)) { "announce" } else { "none" };
            fields.insert("sessionTarget".to_owned(), json!("isolated"));
            fields.insert("delivery".to_owned(), json!({"mode": mode}));
            let payload = json!({"kind": "agentTurn", "message": format!("say something about {mark}")});
            fields.insert("payload".to_owned(), payload);
        }
        let made = client.call("cron.add", job).await?;
        let id = made.get("id").and_then(Value::as_str).unwrap_or_default().to_owned();
        Ok(Self { kind, made: super::now_ms(), id, mark })
    }

    /// Its runs, held against when they were due.
    pub(super) fn judge(&self, runs: &[Run], lives: &[Life], end: i64) -> Verdict {
        match self.kind.when {
            When::Every(grid) | When::Calendar(grid) => {
                judge_recurring(grid, self.kind.missed, (self.made, end), runs, lives)
            }
            When::Once(at) => judge_once(at, runs, lives),
        }
    }

    /// Whether the list of jobs says that its time passed while the gateway was down, as its rule wants.
    pub(super) fn says_that_it_is_left_out(&self, listed: &Value) -> bool {
        let jobs = listed.get("jobs").and_then(Value::as_array);
        let mut own = jobs.into_iter().flatten().filter(|job| job["id"] == self.id.as_str());
        self.kind.missed == Missed::Skip
            && own.any(|job| job.pointer("/state/lastError").and_then(Value::as_str) == Some(LEFT_OUT))
    }

    /// Whether its result is shown in the main conversation.
    pub(super) fn is_announced(&self) -> bool {
        matches!(self.kind.when, When::Once(_)) && !self.kind.is_main
    }

    /// What stands above its result there.
    pub(super) fn heading(&self) -> String {
        format!("**{}**", self.mark)
    }
}

/// The marks in a text.
pub(super) fn marks(text: &str) -> Vec<String> {
    let rests = text.split(MARK).skip(1);
    let number = |rest: &str| rest.split_once('-').map(|(number, _)| number.to_owned());
    let is_number = |number: &String| !number.is_empty() && number.bytes().all(|c| c.is_ascii_digit());
    rests.filter_map(number).filter(is_number).map(|number| format!("{MARK}{number}-")).collect()
}
