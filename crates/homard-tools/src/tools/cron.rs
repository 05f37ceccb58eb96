//! `cron`: reminders and tasks by the clock. Only for the owner.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::cx::ToolCx;
use crate::gate::Subject;
use crate::outcome::ToolOutcome;
use crate::ports::{CronAsk, PortError, Ports, told};
use crate::registry::ToolEntry;
use crate::tool::Tool;

const DEFAULT_RUNS: u32 = 10;
const MAX_RUNS: u32 = 50;
/// Longest event.
const MAX_TEXT: usize = 4_000;

pub(crate) const ENTRY: ToolEntry = ToolEntry { build: |_options| Some(Arc::new(CronTool)) };

pub(crate) struct CronTool;

/// Schedule reminders and recurring tasks by the clock, list, change, run or remove them, or wake the main session.
/// A reminder: {"action":"add","job":{"name":"tea","schedule":{"kind":"at","in":"20m"},"payload":{"kind":"systemEvent",
/// "text":"Reminder: the tea is ready."}}}. A task of its own: payload {"kind":"agentTurn","message":"…"}. Schedules:
/// {"kind":"at","at":"2027-01-31T09:00:00+01:00"} or "in":"2h"; {"kind":"every","everyMs":3600000};
/// {"kind":"cron","expr":"0 9 * * 1-5","tz":"Europe/Paris"}. sessionTarget: main for systemEvent, else isolated,
/// current or session:KEY. delivery: {"mode":"none"} to tell nobody. Write reminders so that they make sense to
/// whoever reads them later. Do not make jobs nobody asked for.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CronInput {
    action: Action,
    /// For update, remove, run, runs.
    #[serde(default, alias = "jobId", alias = "job_id")]
    id: Option<String>,
    /// For add.
    #[serde(default)]
    job: Option<Map<String, Value>>,
    /// For update: fields of the job; null clears.
    #[serde(default)]
    patch: Option<Map<String, Value>>,
    /// For wake.
    #[serde(default)]
    text: Option<String>,
    /// For wake: now or next-heartbeat. For run: force or due.
    #[serde(default)]
    mode: Option<String>,
    /// For list: those that are switched off, too.
    #[serde(default, alias = "include_disabled")]
    include_disabled: Option<bool>,
    /// For list.
    #[serde(default)]
    query: Option<String>,
    /// For runs.
    #[serde(default)]
    limit: Option<u32>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Action {
    Status,
    List,
    Add,
    Update,
    Remove,
    Run,
    Runs,
    Wake,
}

impl Tool for CronTool {
    type Input = CronInput;
    const NAME: &'static str = "cron";
    const BRIEF: bool = true;

    fn subject(input: &CronInput) -> Subject {
        match input.action {
            Action::Status | Action::List | Action::Runs => Subject::looking(),
            // What is planned now is done when nobody watches.
            Action::Add | Action::Update | Action::Remove | Action::Run | Action::Wake => Subject::default(),
        }
    }

    fn is_open(&self, ports: &Ports) -> bool {
        ports.cron.is_some()
    }

    async fn run(&self, input: CronInput, cx: &ToolCx) -> ToolOutcome {
        let asked = match asked(input) {
            Ok(asked) => asked,
            Err(error) => return ToolOutcome::from_error(&error),
        };
        match cx.scope.ports.cron() {
            Ok(room) => told(room.ask(cx, asked).await),
            Err(error) => ToolOutcome::from_error(&error),
        }
    }
}

fn asked(input: CronInput) -> Result<CronAsk, PortError> {
    let CronInput { action, id, job, patch, text, mode, include_disabled, query, limit } = input;
    let missing = |what: &str| PortError::Invalid(format!("{what} is needed for this action"));
    let named = || id.clone().filter(|id| !id.trim().is_empty()).ok_or_else(|| missing("id"));
    Ok(match action {
        Action::Status => CronAsk::Status,
        Action::List => CronAsk::List { include_disabled: include_disabled.unwrap_or(false), query },
        Action::Add => CronAsk::Add { job: job.ok_or_else(|| missing("job"))? },
        Action::Update => {
            CronAsk::Update { id: named()?, patch: patch.or(job).ok_or_else(|| missing("patch"))? }
        }
        Action::Remove => CronAsk::Remove { id: named()? },
        Action::Run => CronAsk::Run { id: named()?, only_if_due: mode.as_deref() == Some("due") },
        Action::Runs => CronAsk::Runs { id, limit: limit.unwrap_or(DEFAULT_RUNS).clamp(1, MAX_RUNS) },
        Action::Wake => {
            let text = text.filter(|text| !text.trim().is_empty()).ok_or_else(|| missing("text"))?;
            if text.chars().count() > MAX_TEXT {
                return Err(PortError::Invalid(format!("text must have at most {MAX_TEXT} characters")));
            }
            CronAsk::Wake { text, now: mode.as_deref() != Some("next-heartbeat") }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::{CronAsk, CronInput, asked};
    use serde_json::json;

    #[test]
    fn every_action_says_what_it_needs() {
        let rows = [
            (json!({"action": "status"}), Ok(CronAsk::Status)),
            (json!({"action": "remove", "jobId": "a"}), Ok(CronAsk::Remove { id: "a".to_owned() })),
            (json!({"action": "remove"}), Err("id is needed")),
            (json!({"action": "add"}), Err("job is needed")),
            (json!({"action": "update", "id": "a"}), Err("patch is needed")),
            (json!({"action": "wake", "text": " "}), Err("text is needed")),
            (json!({"action": "runs", "limit": 9_999}), Ok(CronAsk::Runs { id: None, limit: 50 })),
            (
                json!({"action": "run", "id": "a", "mode": "due"}),
                Ok(CronAsk::Run { id: "a".to_owned(), only_if_due: true }),
            ),
            (
                json!({"action": "wake", "text": "hi", "mode": "next-heartbeat"}),
                Ok(CronAsk::Wake { text: "hi".to_owned(), now: false }),
            ),
        ];
        for (arguments, expected) in rows {
            let input: CronInput = serde_json::from_value(arguments.clone()).unwrap();
            match (asked(input), expected) {
                (Ok(asked), Ok(expected)) => assert_eq!(asked, expected, "{arguments}"),
                (Err(error), Err(words)) => {
                    assert!(error.to_string().contains(words), "{arguments}: {error}");
                }
                (got, expected) => panic!("{arguments}: {got:?}, not {expected:?}"),
            }
        }
    }
}
