//! Accounts on Telegram: a fake platform for each, people who write there, and what they hear.

use std::collections::HashMap;
use std::time::Duration;

use anyhow::{Context, Result};
use serde_json::{Map, Value, json};

use super::machine::now_ns;
use super::stage::Stage;
use crate::fake_telegram::{FakeTelegram, Sent};

/// `agents.defaults.maxConcurrent`; the model answers at once, so it is never reached for long.
const AT_ONCE: u64 = 64;
/// The first person's number; real ones are as long.
const FIRST_PERSON: i64 = 100_000_001;
/// How often is looked whether everything is answered.
const LOOK: Duration = Duration::from_millis(20);

/// Accounts of one gateway, each with a server of its own: a platform limits how fast an account speaks.
pub(super) struct Bots {
    fakes: Vec<FakeTelegram>,
}

impl Bots {
    /// Starts the platforms.
    pub(super) async fn start(count: usize) -> Result<Self> {
        let mut fakes = Vec::with_capacity(count);
        for _ in 0..count {
            fakes.push(FakeTelegram::start().await?);
        }
        Ok(Self { fakes })
    }

    /// The first of them.
    pub(super) fn first(&self) -> Result<&FakeTelegram> {
        self.fakes.first().context("there is no account")
    }

    /// The stage's configuration with these accounts. Everybody may write and has a conversation of their own, and
    /// every message gets a turn of its own, at once.
    pub(super) fn config(&self, stage: &Stage) -> Value {
        let mut config = stage.config();
        let accounts: Map<String, Value> = self.fakes.iter().enumerate().map(account).collect();
        let settings = [
            ("session", json!({"dmScope": "per-channel-peer"})),
            (
                "messages",
                json!({
                    "inbound": {"debounceMs": 0},
                    "queue": {"mode": "followup", "debounceMs": 0, "cap": 1_000},
                }),
            ),
            (
                "channels",
                json!({"telegram": {
                    "dmPolicy": "open", "allowFrom": ["*"], "streamMode": "off", "accounts": accounts,
                }}),
            ),
        ];
        if let Some(config) = config.as_object_mut() {
            config.extend(settings.map(|(name, value)| (name.to_owned(), value)));
        }
        if let Some(defaults) = config.pointer_mut("/agents/defaults").and_then(Value::as_object_mut) {
            defaults.insert("maxConcurrent".into(), json!(AT_ONCE));
            // A sign that the bot types is a call of its own, and not what is measured.
            defaults.insert("typingMode".into(), json!("never"));
        }
        config
    }

    /// Waits until every account asks for news.
    pub(super) async fn connected(&self) -> Result<()> {
        for fake in &self.fakes {
            fake.wait_for_polls(1).await?;
        }
        Ok(())
    }

    /// A person writes to their bot.
    pub(super) fn hears(&self, person: usize, text: &str) -> Result<()> {
        let at = person.checked_rem(self.fakes.len()).context("there is no account")?;
        let fake = self.fakes.get(at).context("there is no such account")?;
        let chat = chat(person)?;
        fake.user_says(chat, chat, text);
        Ok(())
    }

    /// How many messages the bots have written.
    pub(super) fn answers(&self) -> usize {
        self.fakes.iter().map(FakeTelegram::sent_count).sum()
    }

    /// Waits until so many were written, but no longer than this; whether they were.
    pub(super) async fn until_answered(&self, count: usize, patience: Duration) -> bool {
        let all = async {
            while self.answers() < count {
                tokio::time::sleep(LOOK).await;
            }
        };
        tokio::time::timeout(patience, all).await.is_ok()
    }

    /// Everything that was written.
    pub(super) fn written(&self) -> Vec<Sent> {
        self.fakes.iter().flat_map(FakeTelegram::sent).collect()
    }

    /// Compares how often each of the people was written to with how often it should be: answers too few and too
    /// many.
    pub(super) fn wrong(&self, people: usize, expected: impl Fn(usize) -> usize) -> Result<Wrong> {
        let mut heard: HashMap<i64, usize> = HashMap::new();
        for sent in self.written() {
            *heard.entry(sent.chat()).or_default() += 1;
        }
        let mut wrong = Wrong { missing: 0, surplus: 0 };
        for person in 0..people {
            let (has, should) = (heard.remove(&chat(person)?).unwrap_or(0), expected(person));
            wrong.missing += should.saturating_sub(has);
            wrong.surplus += has.saturating_sub(should);
        }
        wrong.surplus += heard.values().sum::<usize>();
        Ok(wrong)
    }
}

/// What should not be.
pub(super) struct Wrong {
    /// Answers that never came.
    pub(super) missing: usize,
    /// Answers nobody asked for.
    pub(super) surplus: usize,
}

impl Wrong {
    /// Both.
    pub(super) fn count(&self) -> f64 {
        (self.missing + self.surplus) as f64
    }
}

/// When something was written, on the clock all processes share.
pub(super) fn written_at(sent: &Sent) -> u64 {
    let ago = u64::try_from(sent.at.elapsed().as_nanos()).unwrap_or(u64::MAX);
    now_ns().saturating_sub(ago)
}

fn account((number, fake): (usize, &FakeTelegram)) -> (String, Value) {
    (format!("bot-{number}"), json!({"botToken": fake.token(), "apiRoot": fake.url()}))
}

/// A person's number, which is also that of their chat.
fn chat(person: usize) -> Result<i64> {
    Ok(FIRST_PERSON + i64::try_from(person)?)
}
