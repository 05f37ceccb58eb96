//! Hooks as clients and the command line see them.

use std::path::Path;

use homard_config::{Config, Paths};
use homard_protocol::methods::tools::hooks::HooksStatusResult;
use serde_json::{Value, json};

use super::found::{FoundHook, find, hook_dirs};
use crate::automation::Automation;

/// What there is, and what runs. Blocks while it reads folders.
#[must_use]
pub fn hooks_report(config: &Config, written: &Value, workspace: &Path, paths: &Paths) -> HooksStatusResult {
    let (_, managed) = hook_dirs(workspace, paths);
    HooksStatusResult {
        workspace_dir: workspace.display().to_string(),
        managed_hooks_dir: managed.display().to_string(),
        enabled: config.hooks.internal.enabled,
        hooks: find(config, written, workspace, paths).iter().map(FoundHook::row).collect(),
    }
}

/// Adds what came of each hook when it ran last.
#[must_use]
pub fn with_last_runs(room: &Automation, mut report: HooksStatusResult) -> HooksStatusResult {
    for row in report.hooks.iter_mut().filter_map(Value::as_object_mut) {
        let name = row.get("name").and_then(Value::as_str).unwrap_or_default();
        let last = room.inner.outside.last_runs.told(name);
        row.extend(last.map(|last| ("lastRun".to_owned(), last)));
    }
    report
}

impl FoundHook {
    /// The hook, as a row of the report.
    #[must_use]
    pub fn row(&self) -> Value {
        json!({
            "name": self.name,
            "hookKey": self.name,
            "description": self.description,
            "source": self.origin.as_str(),
            "baseDir": self.dir,
            "filePath": self.dir.join("HOOK.md"),
            "handlerPath": self.program(),
            "emoji": self.emoji,
            "events": self.events,
            "disabled": !self.enabled,
            "eligible": self.is_eligible(),
            "runs": self.is_ready(),
            "missing": self.missing,
            "problem": self.problem,
        })
    }
}
