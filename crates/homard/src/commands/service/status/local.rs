//! What the files of this machine say, for when no gateway does.

use homard_client::ClientError;
use homard_config::Snapshot;
use homard_doctor::{DOCTOR, Depth, Examination, Finding, Rooms, Scene, Selection, Severity, examine};
use homard_runtime::Arrange as _;
use serde_json::{Value, json};

use super::super::daemon;
use super::super::examination::{AskScope, rooms, width};
use super::print;
use crate::commands::{Cx, words};
use crate::report::Mark;

/// What was found without a gateway.
pub(super) struct Local {
    snapshot: Snapshot,
    rooms: Rooms,
    examined: Examination,
}

impl Local {
    pub(super) async fn look(cx: &Cx) -> Self {
        let snapshot = cx.snapshot();
        let rooms = rooms(cx, &snapshot, AskScope::Nobody).await;
        let scene = Scene { source: &cx.source, snapshot: &snapshot, rooms: &rooms, depth: Depth::Quick };
        let selection = Selection { severity_min: Some(Severity::Warn), ..Selection::default() };
        let examined = examine(DOCTOR, &scene, &selection);
        Self { snapshot, rooms, examined }
    }

    pub(super) fn in_json(&self) -> Value {
        let model = self.rooms.model.as_ref();
        let accounts: Vec<Value> = self
            .rooms
            .channels
            .iter()
            .map(|one| json!({"channel": one.channel, "account": one.account, "enabled": one.is_enabled, "configured": one.is_configured}))
            .collect();
        let problems: Vec<&Finding> = self.examined.findings().collect();
        json!({
            "config": {"path": self.snapshot.path, "exists": self.snapshot.exists, "valid": self.snapshot.valid(), "issues": self.snapshot.issues},
            "running": {"process": self.rooms.lock.process, "port": self.rooms.lock.port, "crashed": self.rooms.lock.is_left},
            "model": model.map(|model| json!({"model": model.chosen, "usable": model.unknown.is_none() && model.is_ready})),
            "channels": accounts,
            "problems": problems,
        })
    }

    /// Everything, where no gateway tells it; `error` is why.
    pub(super) fn tell(&self, cx: &Cx, url: Option<&str>, error: &anyhow::Error) -> anyhow::Result<()> {
        cx.console.line(&cx.console.mark(Mark::Strong, &format!("Homard {}", env!("CARGO_PKG_VERSION"))))?;
        let lock = self.rooms.lock;
        let refusal = refusal(error);
        let gateway = match (lock.is_held, lock.is_left) {
            _ if refusal.is_some() => refusal.map(ToString::to_string).unwrap_or_default(),
            (true, _) => format!("process {} runs and does not answer", lock.process.unwrap_or_default()),
            (false, true) => "not running; the last one was killed or lost its power".to_owned(),
            (false, false) => {
                format!("not running{}", url.map_or_else(String::new, |url| format!(" at {url}")))
            }
        };
        let config = match (self.snapshot.exists, self.snapshot.valid()) {
            (false, _) => "not written yet; the defaults count".to_owned(),
            (true, true) => format!("{} (valid)", self.snapshot.path.display()),
            (true, false) => format!("{} (cannot be used)", self.snapshot.path.display()),
        };
        let model = match &self.rooms.model {
            None => "not known while the settings cannot be used".to_owned(),
            Some(model) if model.unknown.is_some() => format!("{} (not known)", model.chosen),
            Some(model) if !model.has_key => format!("{} (has no key)", model.chosen),
            Some(model) => model.chosen.clone(),
        };
        let channels: Vec<String> = self
            .rooms
            .channels
            .iter()
            .map(|one| {
                let state = match (one.is_enabled, one.is_configured) {
                    (false, _) => "switched off",
                    (true, false) => "not set up",
                    (true, true) => "set up",
                };
                format!("{} ({}): {state}", one.channel, one.account)
            })
            .collect();
        let is_known = self.snapshot.valid();
        let no_channel = if is_known { "none" } else { "not known while the settings cannot be used" };
        let rows = vec![
            ("gateway", vec![gateway]),
            ("config", vec![config]),
            ("state", vec![cx.source.paths.state_dir.display().to_string()]),
            ("model", vec![model]),
            ("channels", if channels.is_empty() { vec![no_channel.to_owned()] } else { channels }),
        ];
        print(cx, &rows)?;
        self.tell_problems(cx)?;
        cx.console.line("")?;
        let hint = refusal.and_then(ClientError::hint);
        print(cx, &[("next", vec![hint.unwrap_or_else(|| self.next(cx))])])
    }

    /// What is wrong, worst first.
    pub(super) fn tell_problems(&self, cx: &Cx) -> anyhow::Result<()> {
        let mut problems: Vec<&Finding> = self.examined.findings().collect();
        problems.arrange_by_key(|finding| std::cmp::Reverse(finding.severity));
        if !problems.is_empty() {
            cx.console.line("")?;
        }
        for finding in problems {
            let (word, mark) = match finding.severity {
                Severity::Error => ("wrong:  ", Mark::Bad),
                Severity::Warn | Severity::Info => ("notice: ", Mark::Warning),
            };
            let lines =
                homard_doctor::wrapped(&finding.message, width().saturating_sub(word.len()), word.len());
            for (at, line) in lines.iter().enumerate() {
                let word = if at == 0 { cx.console.mark(mark, word) } else { String::new() };
                cx.console.line(&format!("{word}{line}"))?;
            }
        }
        Ok(())
    }

    /// What to do next, one step.
    fn next(&self, cx: &Cx) -> String {
        let errors = u64::try_from(self.examined.count(Severity::Error)).unwrap_or(0);
        let start =
            if daemon::is_installed(cx).unwrap_or(false) { "homard gateway start" } else { "homard gateway" };
        if !self.snapshot.valid() {
            "homard doctor --fix mends the settings, or shows what to change".to_owned()
        } else if errors > 0 {
            format!("homard doctor says how to mend {}; then {start}", words::count(errors, "thing"))
        } else if !self.snapshot.exists {
            format!("homard onboard sets it up, step by step; {start} starts it as it is")
        } else {
            format!("{start} starts it")
        }
    }
}

/// What a gateway said that answers and does not let us in: one of another version, or one that wants another token.
fn refusal(error: &anyhow::Error) -> Option<&ClientError> {
    error.downcast_ref().filter(|error| matches!(error, ClientError::Refused { .. }))
}
