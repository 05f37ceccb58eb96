//! What a job is: from what somebody asks for to a row and back, and whether it makes sense.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use homard_config::Config;
use homard_policy::accounts::ChannelAccounts;
use homard_protocol::methods::cron::{
    CronAddParams, CronDelivery, CronDeliveryMode, CronDeliveryPreview, CronFailureAlert, CronJob,
    CronJobState, CronPayload, CronSchedule,
};
use homard_protocol::{AgentId, SessionKey, ThinkingLevel, Word};
use homard_runtime::Timestamp;
use homard_store::CronJobRow;
use homard_tools::Label;
use jiff::tz::TimeZone;
use serde_json::Value;
use sha2::{Digest, Sha256};
use url::Url;

use crate::automation::CronError;
use crate::schedule::{self, Plan, ScheduleError};

/// Longest name, in characters.
pub(crate) const MAX_NAME: usize = 200;
/// Longest text or message, in characters.
pub(crate) const MAX_TEXT: usize = 65_536;
/// Longest time a run may ask for.
const MAX_TIMEOUT_SECONDS: f64 = 7_200.0;

/// A job, read from its row.
#[derive(Debug, Clone)]
pub(crate) struct Job {
    pub(crate) row: CronJobRow,
    pub(crate) spec: CronAddParams,
    pub(crate) state: CronJobState,
    pub(crate) labels: Vec<Label>,
}

/// Where a job works.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Target {
    /// The agent's main conversation.
    Main,
    /// A conversation of its own for every run.
    Isolated,
    Session(SessionKey),
}

impl Job {
    /// Reads a row.
    pub(crate) fn read(row: CronJobRow) -> Result<Self, CronError> {
        let unreadable = |error: serde_json::Error| CronError::Unreadable(error.to_string());
        Ok(Self {
            spec: serde_json::from_str(&row.spec).map_err(unreadable)?,
            state: serde_json::from_str(&row.state).map_err(unreadable)?,
            labels: serde_json::from_str(&row.origin).map_err(unreadable)?,
            row,
        })
    }

    /// A job that was just asked for.
    pub(crate) fn new(spec: CronAddParams, labels: Vec<Label>, now: Timestamp) -> Self {
        let row = CronJobRow {
            id: uuid::Uuid::new_v4().into(),
            declaration_key: spec.declaration_key.clone(),
            enabled: spec.enabled.unwrap_or(true),
            next_run_at: None,
            running: None,
            spec: String::new(),
            state: String::new(),
            origin: String::new(),
            created_at: now,
            updated_at: now,
        };
        Self { row, spec, state: CronJobState::default(), labels }
    }

    /// The row as it is to be kept.
    pub(crate) fn to_row(&self) -> CronJobRow {
        CronJobRow {
            enabled: self.enabled(),
            next_run_at: self.state.next_run_at_ms,
            declaration_key: self.spec.declaration_key.clone(),
            spec: homard_runtime::json::to_text(&self.spec),
            state: homard_runtime::json::to_text(&self.state),
            origin: homard_runtime::json::to_text(&self.labels),
            ..self.row.clone()
        }
    }

    pub(crate) fn enabled(&self) -> bool {
        self.spec.enabled.unwrap_or(true)
    }

    /// Its schedule, ready to be asked.
    pub(crate) fn plan(&self, zone: &TimeZone) -> Result<Plan, ScheduleError> {
        Plan::read(&self.spec.schedule, self.row.id.as_str(), self.row.created_at, zone)
    }

    /// Finds out when it is due next, as a job that takes effect at `now`.
    pub(crate) fn arm(&mut self, now: Timestamp, zone: &TimeZone) -> Result<(), ScheduleError> {
        self.state.next_run_at_ms = None;
        if self.enabled() {
            self.state.next_run_at_ms = Some(self.plan(zone)?.next_after(now)?);
        }
        Ok(())
    }

    /// The model it asks for, where it asks for one.
    pub(crate) fn model(&self) -> Option<&str> {
        match &self.spec.payload {
            CronPayload::AgentTurn { model, .. } => model.as_deref(),
            CronPayload::SystemEvent { .. } | CronPayload::Command { .. } | CronPayload::Script { .. } => {
                None
            }
        }
    }

    /// Who works.
    pub(crate) fn agent(&self, config: &Config) -> AgentId {
        let named = self.spec.agent_id.as_deref().and_then(|id| AgentId::parse(&id.to_lowercase()).ok());
        let of_session = || {
            self.target(config).ok().and_then(|target| match target {
                Target::Session(key) => key.agent_id().cloned(),
                Target::Main | Target::Isolated => None,
            })
        };
        named.or_else(of_session).unwrap_or_else(|| config.agents.default_agent().id.clone())
    }

    /// Where it works.
    pub(crate) fn target(&self, config: &Config) -> Result<Target, CronError> {
        target(&self.spec, config)
    }

    /// As clients see it.
    pub(crate) fn to_wire(&self, config: &Config) -> CronJob {
        let state = self.state.clone();
        CronJob {
            id: self.row.id.clone(),
            spec: self.spec.clone(),
            created_at_ms: self.row.created_at,
            updated_at_ms: self.row.updated_at,
            config_revision: Some(revision(&self.spec)),
            next_run_at_ms: state.next_run_at_ms,
            last_run_at_ms: state.last_run_at_ms,
            last_run_status: state.last_run_status,
            last_run_error: state.last_error.clone(),
            last_delivery_status: state.last_delivery_status,
            effective_agent_id: Some(self.agent(config)),
            delivery_preview: None,
            state,
        }
    }

    /// Where its result would go, in words.
    pub(crate) fn preview(&self, config: &Config) -> CronDeliveryPreview {
        let (label, detail) = match &self.spec.delivery {
            None => ("not requested".to_owned(), "not requested".to_owned()),
            Some(CronDelivery { mode: CronDeliveryMode::None, .. }) => {
                ("not requested".to_owned(), "not requested".to_owned())
            }
            Some(CronDelivery { mode: CronDeliveryMode::Webhook, to, .. }) => {
                let to = to.clone().unwrap_or_default();
                ("webhook".to_owned(), format!("the end of every run is posted to {to}"))
            }
            Some(CronDelivery { mode: CronDeliveryMode::Announce, channel, to: Some(to), .. }) => {
                let channel = channel.as_deref().map(|channel| format!("{channel} ")).unwrap_or_default();
                (format!("announce -> {channel}{to}"), format!("results are sent to {channel}{to}"))
            }
            Some(CronDelivery { mode: CronDeliveryMode::Announce, .. })
                if config.view::<ChannelAccounts>().platforms_on().next().is_some() =>
            {
                let main = SessionKey::main(self.agent(config));
                (
                    "announce -> last".to_owned(),
                    format!("results go where {main} was last spoken to, else they are shown there"),
                )
            }
            Some(CronDelivery { mode: CronDeliveryMode::Announce, .. }) => {
                let main = SessionKey::main(self.agent(config));
                (
                    "announce -> main session".to_owned(),
                    format!("no chat platform is connected; results are shown in {main}"),
                )
            }
        };
        CronDeliveryPreview { label, detail }
    }
}

/// Names what was asked for; the same words have the same name.
pub(crate) fn revision(spec: &CronAddParams) -> String {
    let text = serde_json::to_vec(spec).unwrap_or_default();
    format!("sha256:{}", URL_SAFE_NO_PAD.encode(Sha256::digest(text)))
}

fn target(spec: &CronAddParams, config: &Config) -> Result<Target, CronError> {
    let agent = match &spec.agent_id {
        Some(id) => {
            AgentId::parse(&id.to_lowercase()).map_err(|error| CronError::Invalid(error.to_string()))?
        }
        None => config.agents.default_agent().id.clone(),
    };
    let read = |key: &str| {
        let key =
            SessionKey::parse_for(key, &agent).map_err(|error| CronError::Invalid(error.to_string()))?;
        Ok(Target::Session(key))
    };
    match spec.session_target.trim() {
        "main" => Ok(Target::Main),
        "isolated" => Ok(Target::Isolated),
        "current" => match &spec.session_key {
            Some(key) => read(key),
            None => Err(CronError::invalid(
                "sessionTarget `current` needs the session it was made in as sessionKey; or use isolated",
            )),
        },
        other => match other.strip_prefix("session:").map(str::trim).filter(|key| !key.is_empty()) {
            Some(key) => read(key),
            None => Err(CronError::Invalid(format!(
                "sessionTarget `{other}` is none of main, isolated, current, session:<key>"
            ))),
        },
    }
}

/// Fills in what was left out.
pub(crate) fn complete(spec: &mut CronAddParams, now: Timestamp) {
    spec.name = spec.name.trim().to_owned();
    spec.session_target = spec.session_target.trim().to_owned();
    spec.enabled.get_or_insert(true);
    match &mut spec.schedule {
        CronSchedule::Every { anchor_ms, .. } => {
            anchor_ms.get_or_insert(now);
        }
        CronSchedule::At { .. } => {
            spec.delete_after_run.get_or_insert(true);
        }
        CronSchedule::Cron { .. } | CronSchedule::OnExit { .. } | CronSchedule::Stream { .. } => {}
    }
    if spec.session_target == "isolated" && spec.delivery.is_none() {
        spec.delivery = Some(announce());
    }
}

fn announce() -> CronDelivery {
    CronDelivery {
        mode: CronDeliveryMode::Announce,
        channel: None,
        to: None,
        thread_id: None,
        account_id: None,
        best_effort: None,
        failure_destination: None,
        completion_destination: None,
    }
}

/// Whether what is asked for can be done. `schedule_is_new` also wants its time to be to come.
pub(crate) fn check(
    spec: &CronAddParams,
    config: &Config,
    now: Timestamp,
    schedule_is_new: bool,
) -> Result<(), CronError> {
    check_length("name", &spec.name, MAX_NAME)?;
    if spec.pacing.is_some() || spec.trigger.is_some() {
        let which = if spec.pacing.is_some() { "pacing" } else { "trigger" };
        return Err(CronError::Invalid(format!("{which} is known, not yet in effect; leave it out")));
    }
    let target = target(spec, config)?;
    check_agent(spec, &target, config)?;
    check_payload(&spec.payload, &target)?;
    check_delivery(spec.delivery.as_ref())?;
    check_alert(spec.failure_alert.as_ref())?;
    let zone = homard_relay::time_zone(config.agents.defaults.user_timezone.as_deref());
    if schedule_is_new {
        schedule::check(&spec.schedule, now, &zone)?;
    } else {
        Plan::read(&spec.schedule, "", now, &zone)?;
    }
    Ok(())
}

fn check_agent(spec: &CronAddParams, target: &Target, config: &Config) -> Result<(), CronError> {
    let of_session = match target {
        Target::Session(key) => key.agent_id().cloned(),
        Target::Main | Target::Isolated => None,
    };
    let named = spec.agent_id.as_deref().and_then(|id| AgentId::parse(&id.to_lowercase()).ok());
    for agent in named.iter().chain(&of_session) {
        if config.agents.agent(agent).is_none() {
            return Err(CronError::Invalid(format!("unknown agent id `{agent}`")));
        }
    }
    Ok(())
}

fn check_payload(payload: &CronPayload, target: &Target) -> Result<(), CronError> {
    let is_main = *target == Target::Main;
    match payload {
        CronPayload::SystemEvent { .. } if !is_main => {
            Err(CronError::invalid("a systemEvent goes to the main session: set sessionTarget to main"))
        }
        CronPayload::AgentTurn { .. } if is_main => Err(CronError::invalid(
            "an agentTurn needs a session of its own: set sessionTarget to isolated, current or session:<key>",
        )),
        CronPayload::SystemEvent { text, tools_allow, .. } => {
            check_tools(tools_allow.as_deref())?;
            check_length("payload.text", text, MAX_TEXT)
        }
        CronPayload::AgentTurn { message, tools_allow, timeout_seconds, thinking, .. } => {
            check_tools(tools_allow.as_deref())?;
            if timeout_seconds.is_some_and(|seconds| !(0.0..=MAX_TIMEOUT_SECONDS).contains(&seconds)) {
                return Err(CronError::Invalid(format!(
                    "payload.timeoutSeconds must be between 0 and {MAX_TIMEOUT_SECONDS}"
                )));
            }
            check_thinking(thinking.as_ref())?;
            check_length("payload.message", message, MAX_TEXT)
        }
        CronPayload::Command { .. } | CronPayload::Script { .. } => Err(CronError::invalid(
            "jobs that run a command or a script are known, not yet in effect; use an agentTurn that does it",
        )),
    }
}

fn check_thinking(level: Option<&Word<ThinkingLevel>>) -> Result<(), CronError> {
    match level {
        Some(Word::Other(word)) => {
            let known = ThinkingLevel::WORDS.join(", ");
            Err(CronError::Invalid(format!("`{word}` is no thinking level; use {known}")))
        }
        Some(Word::Known(_)) | None => Ok(()),
    }
}

/// A list that is not kept to would be worse than none.
fn check_tools(allow: Option<&[String]>) -> Result<(), CronError> {
    match allow {
        None => Ok(()),
        Some([only]) if only == "*" => Ok(()),
        Some(_) => Err(CronError::invalid(
            "payload.toolsAllow is known, not yet in effect; leave it out and limit the agent's tools instead",
        )),
    }
}

fn check_delivery(delivery: Option<&CronDelivery>) -> Result<(), CronError> {
    let Some(delivery) = delivery else { return Ok(()) };
    if delivery.mode == CronDeliveryMode::Webhook {
        check_url("delivery.to", delivery.to.as_deref().unwrap_or_default())?;
    }
    if let Some(also) = &delivery.completion_destination {
        if also.mode != CronDeliveryMode::Webhook {
            return Err(CronError::invalid("delivery.completionDestination.mode must be webhook"));
        }
        check_url("delivery.completionDestination.to", &also.to)?;
    }
    if delivery.failure_destination.as_ref().is_some_and(|value| !value.is_null()) {
        return Err(CronError::invalid(
            "delivery.failureDestination is known, not yet in effect; use failureAlert",
        ));
    }
    Ok(())
}

fn check_url(field: &str, text: &str) -> Result<(), CronError> {
    let read = Url::parse(text).ok().filter(|url| matches!(url.scheme(), "http" | "https") && url.has_host());
    match read {
        Some(_) => Ok(()),
        None => Err(CronError::Invalid(format!("{field} must be an http or https address"))),
    }
}

fn check_alert(alert: Option<&CronFailureAlert>) -> Result<(), CronError> {
    match alert {
        Some(CronFailureAlert::Never(true)) => {
            Err(CronError::invalid("failureAlert must be false or an object such as {\"after\": 3}"))
        }
        Some(CronFailureAlert::When(rule)) if rule.mode == Some(CronDeliveryMode::Webhook) => {
            Err(CronError::invalid("failureAlert.mode webhook is known, not yet in effect; use announce"))
        }
        Some(CronFailureAlert::When(rule)) if rule.after == Some(0) => {
            Err(CronError::invalid("failureAlert.after must be at least 1"))
        }
        Some(CronFailureAlert::Never(false) | CronFailureAlert::When(_)) | None => Ok(()),
    }
}

fn check_length(field: &str, text: &str, most: usize) -> Result<(), CronError> {
    if text.trim().is_empty() || text.chars().count() > most {
        return Err(CronError::Invalid(format!("{field} must have 1 to {most} characters")));
    }
    Ok(())
}

/// Fields of a patch; `state` is the gateway's own.
const PATCHABLE: [&str; 16] = [
    "agentId",
    "deleteAfterRun",
    "delivery",
    "description",
    "displayName",
    "enabled",
    "failureAlert",
    "missedRuns",
    "name",
    "pacing",
    "payload",
    "schedule",
    "sessionKey",
    "sessionTarget",
    "trigger",
    "wakeMode",
];

/// What was asked for, changed.
pub(crate) fn patched(
    spec: &CronAddParams,
    patch: &serde_json::Map<String, Value>,
) -> Result<CronAddParams, CronError> {
    let Ok(Value::Object(mut fields)) = serde_json::to_value(spec) else {
        return Err(CronError::Unreadable("the job could not be written as JSON".to_owned()));
    };
    for (name, value) in patch {
        if name == "state" {
            return Err(CronError::invalid("at /patch/state: how a job fared is kept by the gateway"));
        }
        if !PATCHABLE.contains(&name.as_str()) {
            return Err(CronError::Invalid(format!("at /patch: unexpected property '{name}'")));
        }
        let merges = matches!(name.as_str(), "payload" | "delivery" | "failureAlert");
        let old = fields.get(name).filter(|old| merges && old.is_object() && value.is_object());
        let next = match old {
            Some(old) if is_same_kind(old, value) => merged(old, value),
            _ => value.clone(),
        };
        if next.is_null() {
            fields.remove(name);
        } else {
            fields.insert(name.clone(), next);
        }
    }
    homard_runtime::json::from_value(Value::Object(fields))
        .map_err(|error| CronError::Invalid(format!("at /patch: {error}")))
}

fn is_same_kind(old: &Value, new: &Value) -> bool {
    new.get("kind").is_none_or(|kind| old.get("kind") == Some(kind))
}

/// One level deep: `null` clears a field.
fn merged(old: &Value, new: &Value) -> Value {
    let mut fields = old.as_object().cloned().unwrap_or_default();
    for (name, value) in new.as_object().into_iter().flatten() {
        if value.is_null() {
            fields.remove(name);
        } else {
            fields.insert(name.clone(), value.clone());
        }
    }
    Value::Object(fields)
}

#[cfg(test)]
mod tests;
