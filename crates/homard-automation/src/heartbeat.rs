//! Heartbeats: an agent looks around by itself now and then. Each is an ordinary turn that nobody asked for; the relay
//! knows it by its source, tells people only what is news and takes the rest out of the conversation again.

mod due;
mod file;

use homard_channel::{Address, ChatKind, Inbound};
use homard_config::config::agents::Agent;
use homard_config::config::agents::heartbeat::{ActiveHours, Heartbeat, HeartbeatTarget, HoursZone};
use homard_policy::access::HeartbeatShown;
use homard_policy::reply::ALL_WELL;
use homard_protocol::events::{HeartbeatEvent, HeartbeatIndicator, HeartbeatStatus};
use homard_protocol::prompt_report::PromptMode;
use homard_protocol::{AgentId, SessionKey, TurnSource};
use homard_relay::{
    InlineSettings, LOOK_PREFIX, Listener, LookVerdict, Place, RunEnd, TurnOptions, tell_heartbeat,
};
use homard_runtime::{Clip, OrLog, Timestamp, millis};
use homard_store::ResetReason;
use jiff::tz::TimeZone;

pub(crate) use due::Beats;

use crate::automation::Automation;
use crate::run::time_line;

/// When an agent whose conversation was busy is asked again, in milliseconds.
const BUSY_RETRY_MS: i64 = 1_000;
/// How much of an answer is shown to those who ask what came of the last one, in characters.
const PREVIEW_CHARS: usize = 200;
/// Under which name what came of the last one is kept over a restart.
const LAST: &str = "heartbeat:last";

/// What heartbeats' own conversation is called, where they have one.
const OWN_CONVERSATION: &str = "heartbeat";

/// Why an agent does not look around now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Skip {
    /// Somebody switched heartbeats off until the gateway ends.
    Disabled,
    QuietHours,
    /// Its conversation is busy; it is asked again soon.
    Busy,
    /// There is nothing in the file.
    EmptyFile,
}

/// Where what is found goes.
struct HeartbeatRoute {
    address: Option<Address>,
    /// Why alerts go nowhere, in the words of the wire.
    reason: &'static str,
    /// What the owner wants shown there.
    shown: HeartbeatShown,
}

impl HeartbeatRoute {
    fn nowhere(reason: &'static str) -> Self {
        Self { address: None, reason, shown: HeartbeatShown::default() }
    }

    /// Where alerts are sent, if they are.
    fn alerts(&self) -> Option<&Address> {
        self.address.as_ref().filter(|_| self.shown.alerts)
    }

    /// Where it is said that all is well, if it is.
    fn all_well(&self) -> Option<&Address> {
        self.address.as_ref().filter(|_| self.shown.ok)
    }
}

/// Agents that look around by themselves.
#[derive(Debug, Clone)]
pub struct Heartbeats {
    room: Automation,
}

impl Heartbeats {
    pub(crate) fn of(room: &Automation) -> Self {
        Self { room: room.clone() }
    }

    /// Lets every agent look that is due.
    pub(crate) fn beat_due(&self) {
        let now = self.room.inner.clock.now_ms();
        let due = {
            let mut beats = self.room.inner.beats.lock();
            beats.take_over(&self.room.config(), now);
            beats.take_due(now)
        };
        for agent in due {
            let beats = self.clone();
            self.room.inner.tasks.spawn(async move { beats.beat(&agent).await });
        }
    }

    /// What came of the last one, or of the last event that started a turn; `None` when there was none.
    pub async fn last(&self) -> Option<HeartbeatEvent> {
        if let Some(last) = self.room.inner.relay.turns().last_heartbeat() {
            return Some(last);
        }
        let kept = self.room.inner.store.kv().get(LAST).await.or_log("the last heartbeat could not be read");
        kept.flatten().and_then(|text| serde_json::from_str(&text).ok())
    }

    async fn beat(&self, agent: &AgentId) {
        let config = self.room.config();
        let Some((agent, beat)) =
            config.agents.agent(agent).and_then(|agent| Some((agent, agent.heartbeat.as_ref()?)))
        else {
            return;
        };
        match self.why_not_now(agent, beat).await {
            None => self.look(agent, beat).await,
            Some(Skip::Busy) => {
                let at = self.room.inner.clock.now_ms().saturating_add(BUSY_RETRY_MS);
                self.room.inner.beats.lock().put_off(&agent.id, at);
                self.room.inner.changed.notify_one();
            }
            Some(Skip::EmptyFile) => {
                self.tell_skipped("empty-heartbeat-file").await;
            }
            Some(skip @ (Skip::Disabled | Skip::QuietHours)) => {
                tracing::debug!(agent = %agent.id, ?skip, "a heartbeat is left out");
            }
        }
    }

    async fn why_not_now(&self, agent: &Agent, beat: &Heartbeat) -> Option<Skip> {
        let turns = self.room.inner.relay.turns();
        if !turns.heartbeats_enabled() {
            return Some(Skip::Disabled);
        }
        let now = self.room.inner.clock.now_ms();
        if beat.active_hours.as_ref().is_some_and(|hours| !is_active(hours, now, &self.room.zone())) {
            return Some(Skip::QuietHours);
        }
        let key = conversation(agent, beat);
        if !turns.active_ids(&key).is_empty() {
            return Some(Skip::Busy);
        }
        // What waits to be told is told with the next turn, and this is one.
        let events = self.room.inner.store.notes().any_for(&key).await;
        let has_news = events.or_log("what waits for a conversation could not be looked up").unwrap_or(false);
        (!has_news && file::says_nothing(&agent.workspace).await).then_some(Skip::EmptyFile)
    }

    /// Asks the agent, and tells what came of it.
    async fn look(&self, agent: &Agent, beat: &Heartbeat) {
        let (now, relay) = (self.room.inner.clock.now_ms(), &self.room.inner.relay);
        let (aim, key) = (self.aim(beat).await, conversation(agent, beat));
        if aim.shown.is_nothing() {
            // Whatever came of it, nobody would see it.
            return self.tell_skipped(aim.reason).await;
        }
        if beat.ways.is_isolated {
            self.begin_anew(&key).await;
        }
        let prompt_mode = beat.ways.is_light.then(|| PromptMode::Minimal.into());
        let options = TurnOptions {
            settings: InlineSettings { prompt_mode, ..InlineSettings::asking(beat.model.clone(), None) },
            timeout_ms: beat.timeout.map(millis),
            ..TurnOptions::of(TurnSource::Heartbeat)
        };
        let mut options = options.speaking_up(&beat.session, aim.alerts().cloned());
        if let Some(reply) = &mut options.reply {
            reply.is_owner &= reply.address.chat == ChatKind::Direct;
        }
        let text = format!("{}\n{}", beat.prompt, time_line(now, &self.room.zone()));
        let name = format!("{LOOK_PREFIX}{}", uuid::Uuid::new_v4());
        let message = Inbound::from_operator(key, name, text, now);
        let run = match Listener::to_new(&relay.turns(), message, options).await {
            Ok(run) => run,
            Err(error) => {
                tracing::warn!(%error, agent = %agent.id, "a heartbeat could not begin");
                let failed = HeartbeatEvent::of(self.room.inner.clock.now_ms(), HeartbeatStatus::Failed);
                let (message, indicator_type) = (Some(error.to_string()), Some(HeartbeatIndicator::Error));
                return self.tell_beat(HeartbeatEvent { message, indicator_type, ..failed }).await;
            }
        };
        if let Some(end) = run.ended().await {
            if let Some(error) = end.outcome.error() {
                tracing::warn!(error, agent = %agent.id, "a heartbeat failed");
            }
            let said = self.say_all_well(&end, beat, &aim).await;
            self.tell_beat(seen(&end, &aim, said)).await;
        }
    }

    /// Says that all is well, where the owner wants to hear it; whether it was said.
    async fn say_all_well(&self, end: &RunEnd, beat: &Heartbeat, aim: &HeartbeatRoute) -> bool {
        let is_well = matches!(end.look, Some(LookVerdict::AllWell | LookVerdict::Silent));
        let Some(address) = aim.all_well().filter(|_| is_well).cloned() else { return false };
        let once = format!("heartbeat-ok:{}", uuid::Uuid::new_v4());
        let messages = self.room.inner.relay.messages();
        let said = messages.say_unasked(address, ALL_WELL.to_owned(), &beat.session, once).await;
        said.or_log("that all is well could not be said").is_some()
    }

    /// Forgets the last heartbeat's conversation, but not which alert was told last.
    async fn begin_anew(&self, key: &SessionKey) {
        let known = self.room.inner.store.sessions().get(key).await;
        if known.or_log("a heartbeat's conversation could not be looked up").flatten().is_some() {
            let reset = self.room.inner.store.sessions().reset(key, ResetReason::Idle).await;
            reset.or_log("a heartbeat's conversation could not be begun anew");
        }
    }

    /// Where what is found goes. Groups get nothing that nobody there asked for unless the owner names them.
    async fn aim(&self, beat: &Heartbeat) -> HeartbeatRoute {
        let nowhere = HeartbeatRoute::nowhere;
        let channel = match &beat.target {
            HeartbeatTarget::Nowhere => return nowhere("target-none"),
            HeartbeatTarget::Last => None,
            HeartbeatTarget::Channel(channel) => Some(channel.clone()),
        };
        let place = Place { channel, target: beat.to.clone(), account: beat.account.clone(), thread: None };
        let found = self.room.inner.relay.messages().destination_of(&place, &beat.session).await;
        match found.or_log("where a heartbeat's alert goes could not be found").flatten() {
            Some(address) if beat.to.is_none() && address.chat != ChatKind::Direct => nowhere("no-target"),
            Some(address) if beat.ways.blocks_direct && address.chat == ChatKind::Direct => {
                nowhere("dm-blocked")
            }
            Some(address) => {
                let platforms = self.room.inner.relay.platforms();
                let shown = platforms.heartbeat_shown(&address.channel, &address.account);
                HeartbeatRoute { address: Some(address), reason: "alerts-disabled", shown }
            }
            None => nowhere("no-target"),
        }
    }

    async fn tell_skipped(&self, reason: &str) {
        let skipped = HeartbeatEvent::of(self.room.inner.clock.now_ms(), HeartbeatStatus::Skipped);
        self.tell_beat(HeartbeatEvent { reason: Some(reason.to_owned()), ..skipped }).await;
    }

    async fn tell_beat(&self, seen: HeartbeatEvent) {
        tell_heartbeat(&self.room.inner.relay.turns(), seen.clone());
        let kept = self.room.inner.store.kv().set(LAST, &homard_runtime::json::to_text(&seen)).await;
        kept.or_log("what came of a heartbeat is forgotten at the next start");
    }
}

/// The conversation a heartbeat happens in.
fn conversation(agent: &Agent, beat: &Heartbeat) -> SessionKey {
    let own = SessionKey::parse_for(OWN_CONVERSATION, &agent.id).ok().filter(|_| beat.ways.is_isolated);
    own.unwrap_or_else(|| beat.session.clone())
}

/// Whether it is time by the clock of whoever the hours are for.
fn is_active(hours: &ActiveHours, now: Timestamp, owner: &TimeZone) -> bool {
    let zone = match &hours.zone {
        HoursZone::Owner => owner.clone(),
        HoursZone::Machine => TimeZone::system(),
        HoursZone::Named(name) => TimeZone::get(name).unwrap_or_else(|_unknown| owner.clone()),
    };
    let Ok(moment) = jiff::Timestamp::from_millisecond(now) else { return true };
    let there = moment.to_zoned(zone);
    let minute = u16::try_from(i32::from(there.hour()) * 60 + i32::from(there.minute()));
    minute.is_ok_and(|minute| hours.contains(minute))
}

/// What came of a look, as it is told; `said_well` says that people were told that all is well.
fn seen(end: &RunEnd, aim: &HeartbeatRoute, said_well: bool) -> HeartbeatEvent {
    use HeartbeatIndicator as Indicator;
    use HeartbeatStatus as Status;
    let verdict = end.look.unwrap_or(LookVerdict::Failed);
    let (status, indicator, reason) = match verdict {
        LookVerdict::News if aim.alerts().is_some() => (Status::Sent, Indicator::Alert, None),
        LookVerdict::News => (Status::Skipped, Indicator::Alert, Some(aim.reason)),
        LookVerdict::Silent => (Status::OkEmpty, Indicator::Ok, None),
        LookVerdict::AllWell => (Status::OkToken, Indicator::Ok, None),
        LookVerdict::Repeated => (Status::Skipped, Indicator::Ok, Some("duplicate")),
        LookVerdict::Failed => (Status::Failed, Indicator::Error, None),
    };
    let told_at = match verdict {
        LookVerdict::News => aim.alerts(),
        _ => aim.all_well().filter(|_| said_well),
    };
    HeartbeatEvent {
        reason: reason.map(str::to_owned),
        has_media: Some(false),
        indicator_type: aim.shown.indicator.then_some(indicator),
        silent: (indicator == Indicator::Ok && !said_well).then_some(true),
        channel: told_at.map(|address| address.channel.clone()),
        to: told_at.map(|address| address.to.clone()),
        account_id: told_at.map(|address| address.account.clone()),
        preview: end.reply.as_ref().map(|reply| reply.clip_chars(PREVIEW_CHARS).to_owned()),
        duration_ms: end.outcome.started_at().map(|began| end.ended_at.saturating_sub(began)),
        message: end.outcome.error().map(str::to_owned),
        ..HeartbeatEvent::of(end.ended_at, status)
    }
}

#[cfg(test)]
mod tests;
