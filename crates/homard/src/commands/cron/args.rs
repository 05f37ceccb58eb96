//! From options to a job, or to a change of one.

use clap::Args;
use clap::builder::PossibleValuesParser;
use homard_automation::schedule::read_duration;
use homard_protocol::methods::cron::{CronAddParams, CronJob, CronMissedRuns, CronPayload};
use serde_json::{Map, Value, json};

use super::super::connection::ConnectArgs;
use super::super::{channels, terminal};
use crate::report::{Advice, Console};

const WAKE: [&str; 2] = ["now", "next-heartbeat"];
/// The fields of a time by the calendar.
const CRON_FIELDS: usize = 5;
/// Where the agent was last spoken to, as a platform.
const LAST: &str = "last";
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
    /// Let it run again
    #[arg(long, conflicts_with = "disable")]
    pub(super) enable: bool,
    /// Keep it, but do not run it
    #[arg(long)]
    pub(super) disable: bool,
    #[command(flatten)]
    pub(super) wish: CronArgs,
    #[command(flatten)]
    pub(super) clear: ClearArgs,
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
    /// Time zone of --cron (yours otherwise) or --at (UTC otherwise)
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
    #[command(flatten)]
    turn: TurnArgs,
    /// Which agent
    #[arg(long, value_name = "ID", help_heading = "What")]
    agent: Option<String>,
    /// main, isolated, current or session:KEY; chosen by what it does otherwise
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
    #[command(flatten)]
    alert: AlertArgs,
    /// Forget a job that is due once after it went well (the default)
    #[arg(long, conflicts_with = "keep_after_run", help_heading = "Then")]
    delete_after_run: bool,
    /// Keep it
    #[arg(long, help_heading = "Then")]
    keep_after_run: bool,
    /// Words about it
    #[arg(long, value_name = "TEXT")]
    description: Option<String>,
    /// What lists show instead of its name
    #[arg(long, value_name = "TEXT")]
    display_name: Option<String>,
    /// The conversation it is made in: where --session current works
    #[arg(long, value_name = "KEY")]
    session_key: Option<String>,
    /// Adding a job with the same key again changes it
    #[arg(long, value_name = "KEY")]
    declaration_key: Option<String>,
}

/// How an agent works.
#[derive(Args, Default)]
struct TurnArgs {
    /// Model of --message
    #[arg(long, value_name = "MODEL", help_heading = "What")]
    model: Option<String>,
    /// How hard to think
    #[arg(long, value_name = "LEVEL", help_heading = "What")]
    thinking: Option<String>,
    /// How long it may take
    #[arg(long, value_name = "SECONDS", help_heading = "What")]
    timeout_seconds: Option<f64>,
    /// Tell it less of the workspace, as jobs with a session of their own are told anyway
    #[arg(long, help_heading = "What")]
    light_context: bool,
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
    /// Thread or topic there
    #[arg(long, value_name = "ID", conflicts_with_all = ["no_deliver", "webhook"], help_heading = "Then")]
    thread_id: Option<String>,
    /// Account of that platform which speaks
    #[arg(long, value_name = "ID", requires = "channel", help_heading = "Then")]
    account: Option<String>,
    /// A run whose result does not arrive went well all the same; here that is always so
    #[arg(long, conflicts_with = "no_deliver", help_heading = "Then")]
    best_effort_deliver: bool,
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

/// Who is told that it keeps failing.
#[derive(Args, Default)]
struct AlertArgs {
    /// Tell the main session when it failed this often in a row
    #[arg(long, visible_alias = "failure-alert-after", value_name = "TIMES", help_heading = "Then")]
    failure_alert: Option<u32>,
    /// And then say nothing more about it for so long
    #[arg(long, value_name = "TIME", help_heading = "Then")]
    failure_alert_cooldown: Option<String>,
    /// Never tell, whatever cron.failureAlert says
    #[arg(long, conflicts_with_all = ["failure_alert", "failure_alert_cooldown"], help_heading = "Then")]
    no_failure_alert: bool,
}

impl AlertArgs {
    fn rule(&self) -> anyhow::Result<Option<Value>> {
        if self.no_failure_alert {
            return Ok(Some(json!(false)));
        }
        let cooldown = self.failure_alert_cooldown.as_deref();
        let cooldown = cooldown
            .map(|text| read_duration(text).ok_or_else(|| bad_time("--failure-alert-cooldown", text)));
        let fields = [("after", self.failure_alert.map(u64::from)), ("cooldownMs", cooldown.transpose()?)];
        let rule: Map<String, Value> =
            fields.into_iter().filter_map(|(name, number)| Some((name.to_owned(), json!(number?)))).collect();
        Ok((!rule.is_empty()).then_some(Value::Object(rule)))
    }
}

/// What `--clear-…` takes back.
#[derive(Args, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub(super) struct ClearArgs {
    /// Work with the agent's own model again
    #[arg(long, conflicts_with = "model", help_heading = "Take back")]
    clear_model: bool,
    /// Think as hard as usual again
    #[arg(long, conflicts_with = "thinking", help_heading = "Take back")]
    clear_thinking: bool,
    /// Take as long as usual again
    #[arg(long, conflicts_with = "timeout_seconds", help_heading = "Take back")]
    clear_timeout: bool,
    /// Belong to the default agent again
    #[arg(long, conflicts_with = "agent", help_heading = "Take back")]
    clear_agent: bool,
    /// Say nothing about it any more
    #[arg(long, conflicts_with = "description", help_heading = "Take back")]
    clear_description: bool,
    /// Tell of failures as cron.failureAlert says again
    #[arg(long, conflicts_with_all = ["failure_alert", "failure_alert_cooldown", "no_failure_alert"], help_heading = "Take back")]
    clear_failure_alert: bool,
    /// Treat missed times as cron.skipMissedJobs says again
    #[arg(long, conflicts_with = "missed", help_heading = "Take back")]
    clear_missed: bool,
}

impl ClearArgs {
    /// Fields of the job that are cleared.
    fn of_job(&self) -> impl Iterator<Item = (String, Value)> {
        let fields = [
            (self.clear_agent, "agentId"),
            (self.clear_description, "description"),
            (self.clear_failure_alert, "failureAlert"),
            (self.clear_missed, "missedRuns"),
        ];
        fields.into_iter().filter(|(is, _)| *is).map(|(_, name)| (name.to_owned(), Value::Null))
    }

    /// Of what it does.
    fn of_work(&self) -> impl Iterator<Item = (String, Value)> {
        let fields = [
            (self.clear_model, "model"),
            (self.clear_thinking, "thinking"),
            (self.clear_timeout, "timeoutSeconds"),
        ];
        fields.into_iter().filter(|(is, _)| *is).map(|(_, name)| (name.to_owned(), Value::Null))
    }
}

fn bad_time(option: &str, text: &str) -> anyhow::Error {
    Advice::error(format!("{option} `{text}` is not a time"), "write it like 90s, 20m, 1h30m or 2d")
}

/// A time of the clock in a zone as a moment; what names its own, or is no time, is left as it is.
fn in_zone(text: &str, zone: Option<&str>) -> anyhow::Result<String> {
    let is_moment = text.trim().parse::<jiff::Timestamp>().is_ok();
    let (Some(zone), Ok(wall), false) = (zone, text.trim().parse::<jiff::civil::DateTime>(), is_moment)
    else {
        return Ok(text.to_owned());
    };
    let found = jiff::tz::TimeZone::get(zone).map_err(|_unknown| {
        Advice::usage(format!("`{zone}` is not a time zone"), "write a name such as Europe/Paris")
    })?;
    Ok(wall.to_zoned(found)?.timestamp().to_string())
}

impl ResultArgs {
    /// Refuses a platform nobody knows: nothing would come of what is sent there.
    fn check(&self) -> anyhow::Result<()> {
        match self.channel.as_deref().filter(|name| *name != LAST) {
            Some(name) => channels::platform(name).map(drop),
            None => Ok(()),
        }
    }

    fn delivery(&self) -> Option<Value> {
        let place = [
            ("channel", &self.channel),
            ("to", &self.to),
            ("threadId", &self.thread_id),
            ("accountId", &self.account),
        ];
        let place =
            place.into_iter().filter_map(|(name, value)| Some((name.to_owned(), json!(value.as_ref()?))));
        let mut place: Map<String, Value> = place.collect();
        place.extend(self.best_effort_deliver.then(|| ("bestEffort".to_owned(), json!(true))));
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

impl EditArgs {
    /// What changes of a job.
    pub(super) fn into_patch(self, job: &CronJob, now: i64) -> anyhow::Result<Map<String, Value>> {
        let Self { name, enable, disable, wish, clear, .. } = self;
        let mut patch = wish.common()?;
        let kind = match &job.spec.payload {
            CronPayload::SystemEvent { .. } => "systemEvent",
            CronPayload::AgentTurn { .. } | CronPayload::Command { .. } | CronPayload::Script { .. } => {
                "agentTurn"
            }
        };
        let mut payload = wish.payload().unwrap_or_else(|| wish.details());
        payload.extend(clear.of_work());
        if !payload.is_empty() {
            payload.entry("kind").or_insert_with(|| json!(kind));
            if wish.session.is_none() && payload.get("kind") != Some(&json!(kind)) {
                let target = if wish.system_event.is_some() { "main" } else { "isolated" };
                patch.insert("sessionTarget".to_owned(), json!(target));
            }
            patch.insert("payload".to_owned(), Value::Object(payload));
        }
        patch.extend(wish.schedule(now)?.map(|schedule| ("schedule".to_owned(), schedule)));
        patch.extend(name.map(|name| ("name".to_owned(), json!(name))));
        patch.extend(wish.session.map(|target| ("sessionTarget".to_owned(), json!(target))));
        patch.extend(wish.wake.map(|wake| ("wakeMode".to_owned(), json!(wake))));
        let enabled = enable.then_some(true).or(disable.then_some(false));
        patch.extend(enabled.map(|enabled| ("enabled".to_owned(), json!(enabled))));
        patch.extend(clear.of_job());
        patch.remove("declarationKey");
        Ok(patch)
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
        let mut job = self.common()?;
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

    fn schedule(&self, now: i64) -> anyhow::Result<Option<Value>> {
        let is_moved = self.exact || self.stagger.is_some();
        for (option, is_given, goes_with, is_there) in [
            ("--tz", self.tz.is_some(), "--cron or --at", self.cron.is_some() || self.at.is_some()),
            ("--stagger or --exact", is_moved, "--cron", self.cron.is_some()),
        ] {
            if is_given && !is_there {
                let told = format!("{option} says nothing without {goes_with}");
                return Err(Advice::usage(told, format!("give {goes_with}, or leave it out")));
            }
        }
        if let Some(text) = &self.at {
            let ahead = read_duration(text).filter(|_| text.parse::<u64>().is_err());
            let at =
                ahead.and_then(|ahead| i64::try_from(ahead).ok()).and_then(|ahead| now.checked_add(ahead));
            let at = match at.and_then(|at| jiff::Timestamp::from_millisecond(at).ok()) {
                Some(at) => at.to_string(),
                None => in_zone(text, self.tz.as_deref())?,
            };
            return Ok(Some(json!({"kind": "at", "at": at})));
        }
        if let Some(text) = &self.every {
            let every = read_duration(text).ok_or_else(|| bad_time("--every", text))?;
            return Ok(Some(json!({"kind": "every", "everyMs": every})));
        }
        let Some(expr) = &self.cron else { return Ok(None) };
        let mut schedule =
            Map::from_iter([("kind".to_owned(), json!("cron")), ("expr".to_owned(), json!(expr))]);
        schedule.extend(self.tz.as_ref().map(|tz| ("tz".to_owned(), json!(tz))));
        let stagger = match &self.stagger {
            Some(text) => Some(read_duration(text).ok_or_else(|| bad_time("--stagger", text))?),
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
        details.extend(self.turn.model.as_ref().map(|model| ("model".to_owned(), json!(model))));
        details.extend(self.turn.thinking.as_ref().map(|level| ("thinking".to_owned(), json!(level))));
        details
            .extend(self.turn.timeout_seconds.map(|seconds| ("timeoutSeconds".to_owned(), json!(seconds))));
        details.extend(self.turn.light_context.then(|| ("lightContext".to_owned(), json!(true))));
        details
    }

    fn common(&self) -> anyhow::Result<Map<String, Value>> {
        let mut fields = Map::new();
        self.place.check()?;
        fields.extend(self.place.delivery().map(|delivery| ("delivery".to_owned(), delivery)));
        fields.extend(self.missed.as_ref().map(|missed| ("missedRuns".to_owned(), json!(missed))));
        fields.extend(self.agent.as_ref().map(|agent| ("agentId".to_owned(), json!(agent))));
        fields.extend(self.description.as_ref().map(|text| ("description".to_owned(), json!(text))));
        fields.extend(self.declaration_key.as_ref().map(|key| ("declarationKey".to_owned(), json!(key))));
        fields.extend(self.display_name.as_ref().map(|name| ("displayName".to_owned(), json!(name))));
        fields.extend(self.session_key.as_ref().map(|key| ("sessionKey".to_owned(), json!(key))));
        fields.extend(self.alert.rule()?.map(|rule| ("failureAlert".to_owned(), rule)));
        let forget = self.delete_after_run.then_some(true).or(self.keep_after_run.then_some(false));
        fields.extend(forget.map(|forget| ("deleteAfterRun".to_owned(), json!(forget))));
        Ok(fields)
    }
}
