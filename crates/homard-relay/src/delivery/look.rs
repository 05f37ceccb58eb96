//! A turn in which an agent only looks around by itself: what of its answer is news. What is none is told to nobody
//! and leaves the conversation again.

use std::sync::OnceLock;

use homard_config::Config;
use homard_policy::reply::audible;
use homard_protocol::SessionKey;
use homard_runtime::OrLog;

use crate::relay::Inner;
use crate::sessions::access::agent_of;
use crate::turns::outcome::TurnOutcome;
use crate::turns::runs::Run;

/// How the runs are named in which an agent only looks around.
pub const LOOK_PREFIX: &str = "heartbeat-";
/// Within which time the same text is said once, in milliseconds.
const SAID_ONCE_WITHIN_MS: i64 = 24 * 60 * 60 * 1_000;
/// Where nobody says how long an acknowledgement may be, in characters.
const USUAL_ACKNOWLEDGEMENT: usize = 300;

/// What an agent's look around came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LookVerdict {
    /// Something that people should hear.
    News,
    /// Nothing was said, not even that all is well.
    Silent,
    /// It was said that all is well.
    AllWell,
    /// The same was said less than a day ago.
    Repeated,
    /// The model could not answer.
    Failed,
}

/// What is known about a look while it lasts.
#[derive(Debug)]
pub(crate) struct HeartbeatLook {
    /// How many characters beside the word that all is well are still no news.
    no_news_up_to: usize,
    /// Whether the reasoning is sent along with news.
    pub(crate) with_reasoning: bool,
    /// The place of its message in the transcript, once it has one.
    from: OnceLock<i64>,
}

impl HeartbeatLook {
    /// A look in a conversation.
    pub(crate) fn in_session(config: &Config, key: &SessionKey) -> Self {
        let agent = config.agents.agent(agent_of(config, key));
        let beat = agent.and_then(|agent| agent.heartbeat.as_ref());
        let no_news_up_to = beat.map_or(USUAL_ACKNOWLEDGEMENT, |beat| beat.ack_max_chars);
        let with_reasoning = beat.is_some_and(|beat| beat.ways.with_reasoning);
        Self { no_news_up_to, with_reasoning, from: OnceLock::new() }
    }

    /// Its message stands there.
    pub(crate) fn begins_at(&self, seq: i64) {
        self.from.get_or_init(|| seq);
    }

    /// Where its message stands.
    pub(crate) fn from(&self) -> Option<i64> {
        self.from.get().copied()
    }

    /// What it came to.
    pub(crate) async fn judge(
        &self,
        inner: &Inner,
        run: &Run,
        outcome: &TurnOutcome,
        said: &str,
    ) -> LookVerdict {
        if !matches!(outcome, TurnOutcome::Answered { .. }) {
            return LookVerdict::Failed;
        }
        let Some(news) = audible(said, Some(self.no_news_up_to)) else {
            return if said.trim().is_empty() { LookVerdict::Silent } else { LookVerdict::AllWell };
        };
        let session = inner.store().sessions().get(&run.session_key).await;
        let session = session.or_log("whether the same was said before could not be looked up").flatten();
        let before = session.and_then(|session| {
            Some((session.entry.last_heartbeat_text?, session.entry.last_heartbeat_sent_at?))
        });
        let now = inner.clock().now_ms();
        match before {
            Some((text, at)) if text == news && now < at.saturating_add(SAID_ONCE_WITHIN_MS) => {
                LookVerdict::Repeated
            }
            _ => LookVerdict::News,
        }
    }
}

#[cfg(test)]
mod tests;
