//! From options to a job, or to a change of one.

use clap::Args;
use clap::builder::PossibleValuesParser;
use homard_automation::schedule::read_duration;
use homard_protocol::methods::cron::{CronAddParams, CronJob, CronMissedRuns, CronPayload};
use serde_json::{Map, Value, json};

use super::super::connection::ConnectArgs;
use super::super::terminal;
use crate::report::{Advice, Console};

const WAKE: [&str; 2] = ["now", "next-heartbeat"];
/// The fields of a time by the calendar.
const CRON_FIELDS: usize = 5;
const EXAMPLE: &str = "homard cron add --name tea --at 20m --message \"Remind me that the tea is ready\"";

#[derive(Args)]
pub(super) struct AddArgs {
    /// What to call it
    #[arg(long)]
    pub(super) name: Option<String>,
    /// Make it, but do not run it
    #[arg(long)]
    pub(super) disabled: bool,
    #[command(flatten)]
    pub(super) wish: CronArgs,
    #[command(flatten)]
    pub(super) reach: ConnectArgs,
}

#[derive(Args)]
pub(super) struct EditArgs {
    /// Which job: its id, the beginning of it, or its name
    #[arg(value_name = "JOB")]
    pub(super) id: String,
    /// What to call it
    #[arg(long)]
    pub(super) name: Option<String>,
    #[command(flatten)]
    pub(super) wish: CronArgs,
    #[command(flatten)]
    pub(super) reach: ConnectArgs,
}

/// What a job is to be.
#[derive(Args, Default)]
pub(super) struct CronArgs {
    /// Once: a time (2027-01-31T09:00:00Z), or how long from now (20m, 2h)
    #[arg(long, value_name = "TIME", conflicts_with_all = ["every", "cron"], help_heading = "When")]
    at: Option<String>,
    /// Again and again at this distance (30m, 1h, 2d)
    #[arg(long, value_name = "TIME", conflicts_with = "cron", help_heading = "When")]
    every: Option<String>,
    /// By the calendar: minute hour day month weekday, in quotes
    #[arg(long, value_name = "EXPR", help_heading = "When")]
    cron: Option<String>,
    /// Time zone of --cron; yours otherwise
    #[arg(long, value_name = "ZONE", help_heading = "When")]
    tz: Option<String>,
    /// How far --cron may be moved so that jobs do not begin all at once
    #[arg(long, value_name = "TIME", conflicts_with = "exact", help_heading = "When")]
    stagger: Option<String>,
    /// Do not move --cron at all
    #[arg(long, help_heading = "When")]
    exact: bool,
    /// Ask an agent this
    #[arg(long, value_name = "TEXT", conflicts_with = "system_event", help_heading = "What")]
    message: Option<String>,
    /// Tell the main session this
    #[arg(long, value_name = "TEXT", help_heading = "What")]
    system_event: Option<String>,
    /// Model of --message
    #[arg(long, value_name = "MODEL", help_heading = "What")]
    model: Option<String>,
    /// How hard to think
    #[arg(long, value_name = "LEVEL", help_heading = "What")]
    thinking: Option<String>,
    /// How long it may take
    #[arg(long, value_name = "SECONDS", help_heading = "What")]
    timeout_seconds: Option<f64>,
    /// Which agent
    #[arg(long, value_name = "ID", help_heading = "What")]
    agent: Option<String>,
    /// main, isolated, or session:KEY; chosen by what it does otherwise
    #[arg(long, value_name = "SESSION", help_heading = "What")]
    session: Option<String>,
    /// Whether --system-event starts a turn at once
    #[arg(long, value_parser = WAKE, help_heading = "What")]
    wake: Option<String>,
    /// What becomes of times that pass while the gateway is down: none of them, one run for all, or one for each
    #[arg(long, value_parser = PossibleValuesParser::new(CronMissedRuns::WORDS), help_heading = "When")]
    missed: Option<String>,
    #[command(flatten)]
    place: ResultArgs,
    /// Tell the main session when it failed this often in a row
    #[arg(long, value_name = "TIMES", help_heading = "Then")]
    failure_alert: Option<u32>,
    /// Forget a job that is due once after it went well (the default)
    #[arg(long, conflicts_with = "keep_after_run", help_heading = "Then")]
    delete_after_run: bool,
    /// Keep it
    #[arg(long, help_heading = "Then")]
    keep_after_run: bool,
    /// Words about it
    #[arg(long, value_name = "TEXT")]
    description: Option<String>,
    /// Adding a job with the same key again changes it
    #[arg(long, value_name = "KEY")]
    declaration_key: Option<String>,
}

/// Where a job's result goes.
#[derive(Args, Default)]
struct ResultArgs {
    /// Chat platform its result is sent on; where the main session was last spoken to, if left out
    #[arg(long, value_name = "CHANNEL", conflicts_with_all = ["no_deliver", "webhook"], help_heading = "Then")]
    channel: Option<String>,
    /// Conversation on that platform
    #[arg(long, value_name = "WHERE", conflicts_with_all = ["no_deliver", "webhook"], help_heading = "Then")]
    to: Option<String>,
    /// Account of that platform which speaks
    #[arg(long, value_name = "ID", requires = "channel", help_heading = "Then")]
    account: Option<String>,
    /// Tell people what came of it
    #[arg(long, conflicts_with_all = ["no_deliver", "webhook"], help_heading = "Then")]
    announce: bool,
    /// Tell nobody
    #[arg(long, conflicts_with = "webhook", help_heading = "Then")]
    no_deliver: bool,
    /// Post what came of it to this address
    #[arg(long, value_name = "URL", help_heading = "Then")]
    webhook: Option<String>,
}

impl ResultArgs {
    fn delivery(&self) -> Option<Value> {
        let place = [("channel", &self.channel), ("to", &self.to), ("accountId", &self.account)];
        let place =
            place.into_iter().filter_map(|(name, value)| Some((name.to_owned(), json!(value.as_ref()?))));
        let mut place: Map<String, Value> = place.collect();
        match (&self.webhook, self.no_deliver, self.announce || !place.is_empty()) {
            (Some(to), _, _) => Some(json!({"mode": "webhook", "to": to})),
            (None, true, _) => Some(json!({"mode": "none"})),
            (None, false, true) => {
                place.insert("mode".to_owned(), json!("announce"));
                Some(Value::Object(place))
            }
            (None, false, false) => None,
        }
    }
}

impl AddArgs {
    /// The job that is wished for, and the gateway that gets it; who sits at a terminal is asked for what is missing.
    pub(super) fn into_job(
        mut self,
        console: Console,
        now: i64,
    ) -> anyhow::Result<(CronAddParams, ConnectArgs)> {
        if terminal::is_manned() {
            self.ask_for_the_rest(console)?;
        }
        let (is_due, does) = (self.wish.schedule(now)?.is_some(), self.wish.payload().is_some());
        match self.name {
            Some(name) if is_due && does => Ok((self.wish.into_job(&name, self.disabled, now)?, self.reach)),
            name => {
                let parts = [
                    (name.is_some(), "a name (--name)"),
                    (is_due, "a time (--at, --every or --cron)"),
                    (does, "something to do (--message or --system-event)"),
                ];
                let missing: Vec<&str> =
                    parts.into_iter().filter(|(given, _)| !given).map(|(_, what)| what).collect();
                Err(Advice::usage(format!("the job still needs {}", missing.join(", ")), EXAMPLE))
            }
        }
    }

    fn ask_for_the_rest(&mut self, console: Console) -> anyhow::Result<()> {
        if self.wish.payload().is_none() {
            self.wish.message = Some(terminal::ask(console, "What is the agent to do?")?);
        }
        let CronArgs { at, every, cron, .. } = &self.wish;
        if at.is_none() && every.is_none() && cron.is_none() {
            let when = terminal::ask(console, "When? (20m, 2027-01-31T09:00:00Z, every 1h, or 0 9 * * 1-5)")?;
            self.wish.be_due(when);
        }
        if self.name.is_none() {
            self.name = Some(terminal::ask(console, "What is the job called?")?);
        }
        Ok(())
    }
}

impl CronArgs {
    /// Takes over when it is due, as somebody wrote it.
    fn be_due(&mut self, when: String) {
        if let Some(every) = when.strip_prefix("every ") {
            self.every = Some(every.trim().to_owned());
        } else if when.starts_with('@') || when.split_whitespace().count() >= CRON_FIELDS {
            self.cron = Some(when);
        } else {
            self.at = Some(when);
        }
    }

    /// The job that is wished for.
    fn into_job(self, name: &str, disabled: bool, now: i64) -> anyhow::Result<CronAddParams> {
        let schedule = self.schedule(now)?;
        let schedule = schedule
            .ok_or_else(|| Advice::error("when it is due was not given", "use --at, --every or --cron"))?;
        let payload = self.payload();
        let payload = payload
            .ok_or_else(|| Advice::error("what it does was not given", "use --message or --system-event"))?;
        let is_event = payload.get("kind") == Some(&json!("systemEvent"));
        let target =
            self.session.clone().unwrap_or_else(|| if is_event { "main" } else { "isolated" }.to_owned());
        let wake = self.wake.clone().unwrap_or_else(|| "now".to_owned());
        let mut job = self.common();
        job.extend([
            ("name".to_owned(), json!(name)),
            ("schedule".to_owned(), schedule),
            ("payload".to_owned(), Value::Object(payload)),
            ("sessionTarget".to_owned(), json!(target)),
            ("wakeMode".to_owned(), json!(wake)),
        ]);
        if disabled {
            job.insert("enabled".to_owned(), json!(false));
        }
        Ok(homard_runtime::json::from_value(Value::Object(job))?)
    }

    /// What changes of a job.
    pub(super) fn into_patch(
        self,
        name: Option<String>,
        job: &CronJob,
        now: i64,
    ) -> anyhow::Result<Map<String, Value>> {
        let mut patch = self.common();
        let kind = match &job.spec.payload {
            CronPayload::SystemEvent { .. } => "systemEvent",
            CronPayload::AgentTurn { .. } | CronPayload::Command { .. } | CronPayload::Script { .. } => {
                "agentTurn"
            }
        };
        let details = self.details();
        let payload = match self.payload() {
            Some(payload) => Some(payload),
            None if details.is_empty() => None,
            None => {
                let mut payload = details;
                payload.insert("kind".to_owned(), json!(kind));
                Some(payload)
            }
        };
        if let Some(payload) = payload {
            if self.session.is_none() && payload.get("kind") != Some(&json!(kind)) {
                let target = if self.system_event.is_some() { "main" } else { "isolated" };
                patch.insert("sessionTarget".to_owned(), json!(target));
            }
            patch.insert("payload".to_owned(), Value::Object(payload));
        }
        patch.extend(self.schedule(now)?.map(|schedule| ("schedule".to_owned(), schedule)));
        patch.extend(name.map(|name| ("name".to_owned(), json!(name))));
        patch.extend(self.session.map(|target| ("sessionTarget".to_owned(), json!(target))));
        patch.extend(self.wake.map(|wake| ("wakeMode".to_owned(), json!(wake))));
        patch.remove("declarationKey");
        Ok(patch)
    }

    fn schedule(&self, now: i64) -> anyhow::Result<Option<Value>> {
        let bad = |option: &str, text: &str| {
            Advice::error(format!("{option} `{text}` is not a time"), "write it like 90s, 20m, 1h30m or 2d")
        };
        if let Some(text) = &self.at {
            let ahead = read_duration(text).filter(|_| text.parse::<u64>().is_err());
            let at =
                ahead.and_then(|ahead| i64::try_from(ahead).ok()).and_then(|ahead| now.checked_add(ahead));
            let at = at.and_then(|at| jiff::Timestamp::from_millisecond(at).ok());
            return Ok(Some(
                json!({"kind": "at", "at": at.map_or_else(|| text.clone(), |at| at.to_string())}),
            ));
        }
        if let Some(text) = &self.every {
            let every = read_duration(text).ok_or_else(|| bad("--every", text))?;
            return Ok(Some(json!({"kind": "every", "everyMs": every})));
        }
        let Some(expr) = &self.cron else { return Ok(None) };
        let mut schedule =
            Map::from_iter([("kind".to_owned(), json!("cron")), ("expr".to_owned(), json!(expr))]);
        schedule.extend(self.tz.as_ref().map(|tz| ("tz".to_owned(), json!(tz))));
        let stagger = match &self.stagger {
            Some(text) => Some(read_duration(text).ok_or_else(|| bad("--stagger", text))?),
            None => self.exact.then_some(0),
        };
        schedule.extend(stagger.map(|stagger| ("staggerMs".to_owned(), json!(stagger))));
        Ok(Some(Value::Object(schedule)))
    }

    fn payload(&self) -> Option<Map<String, Value>> {
        let mut payload = match (&self.message, &self.system_event) {
            (Some(message), _) => Map::from_iter([
                ("kind".to_owned(), json!("agentTurn")),
                ("message".to_owned(), json!(message)),
            ]),
            (None, Some(text)) => {
                Map::from_iter([("kind".to_owned(), json!("systemEvent")), ("text".to_owned(), json!(text))])
            }
            (None, None) => return None,
        };
        payload.extend(self.details());
        Some(payload)
    }

    /// What is said about how an agent works.
    fn details(&self) -> Map<String, Value> {
        let mut details = Map::new();
        details.extend(self.model.as_ref().map(|model| ("model".to_owned(), json!(model))));
        details.extend(self.thinking.as_ref().map(|level| ("thinking".to_owned(), json!(level))));
        details.extend(self.timeout_seconds.map(|seconds| ("timeoutSeconds".to_owned(), json!(seconds))));
        details
    }

    fn common(&self) -> Map<String, Value> {
        let mut fields = Map::new();
        fields.extend(self.place.delivery().map(|delivery| ("delivery".to_owned(), delivery)));
        fields.extend(self.missed.as_ref().map(|missed| ("missedRuns".to_owned(), json!(missed))));
        fields.extend(self.agent.as_ref().map(|agent| ("agentId".to_owned(), json!(agent))));
        fields.extend(self.description.as_ref().map(|text| ("description".to_owned(), json!(text))));
        fields.extend(self.declaration_key.as_ref().map(|key| ("declarationKey".to_owned(), json!(key))));
        fields.extend(self.failure_alert.map(|after| ("failureAlert".to_owned(), json!({"after": after}))));
        let forget = self.delete_after_run.then_some(true).or(self.keep_after_run.then_some(false));
        fields.extend(forget.map(|forget| ("deleteAfterRun".to_owned(), json!(forget))));
        fields
    }
}
