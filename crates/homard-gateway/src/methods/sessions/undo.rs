//! `undo.*`: putting back what file tools replaced.

use crate::error::RequestError;
use homard_protocol::methods::sessions::undo::{
    DEFAULT_UNDO_RUNS, MAX_UNDO_RUNS, UndoApplyParams, UndoApplyResult, UndoFile, UndoListParams,
    UndoListResult, UndoRun,
};
use homard_relay::{UndoRefused, UndoRequest};
use homard_tools::{FileChange, RunChanges, UndoError, UndoReport};
use serde_json::json;

use crate::methods::check_range;
use crate::methods::session_key;
use crate::table::Cx;

/// `undo.list`.
pub(crate) async fn list(cx: Cx, params: UndoListParams) -> Result<UndoListResult, RequestError> {
    let gateway = &cx.gateway;
    check_range("undo.list", "limit", params.limit, 1..=MAX_UNDO_RUNS)?;
    let key = params.session_key.as_ref().map(|key| session_key(gateway, key, None)).transpose()?;
    let limit = usize::try_from(params.limit.unwrap_or(DEFAULT_UNDO_RUNS)).unwrap_or(1);
    let runs = gateway.relay().sessions().undo_list(key, limit).await?;
    Ok(UndoListResult { ts: gateway.clock().now_ms(), runs: runs.iter().map(run).collect() })
}

/// `undo.apply`.
pub(crate) async fn apply(cx: Cx, params: UndoApplyParams) -> Result<UndoApplyResult, RequestError> {
    let gateway = &cx.gateway;
    let session = params.session_key.as_ref().map(|key| session_key(gateway, key, None)).transpose()?;
    let request = UndoRequest { session, run: params.run_id, force: params.force };
    if params.dry_run {
        let changes = gateway.relay().sessions().undo_preview(request).await?;
        return Ok(previewed(&changes));
    }
    let report = gateway.relay().sessions().undo_as(request).await?;
    Ok(done(&report))
}

fn previewed(changes: &RunChanges) -> UndoApplyResult {
    let mut words = format!("Undoing run {} would:", changes.run);
    for file in &changes.files {
        words.push_str(&format!("\n- {} ({}): {}", file.path.display(), file.what.as_str(), file.state));
    }
    if changes.files.is_empty() {
        words.push_str("\n- do nothing: it changed no file with a file tool");
    }
    if changes.commands {
        words.push_str("\nCommands ran in this run; what they changed is not kept.");
    }
    UndoApplyResult { run: run(changes), words, ..UndoApplyResult::default() }
}

fn done(report: &UndoReport) -> UndoApplyResult {
    let failed = report.failed.iter().map(|failed| format!("{}: {}", failed.path.display(), failed.why));
    UndoApplyResult {
        undone: report.failed.is_empty(),
        run: run(&report.changes),
        restored: report.restored.iter().map(|file| file.path.display().to_string()).collect(),
        failed: failed.collect(),
        undo_run_id: Some(report.by.clone()),
        words: report.to_string(),
    }
}

fn run(changes: &RunChanges) -> UndoRun {
    let file = |file: &FileChange| UndoFile {
        path: file.path.display().to_string(),
        change: file.what,
        state: file.state.word(),
        words: file.state.to_string(),
    };
    UndoRun {
        run_id: changes.run.clone(),
        session_key: changes.session.clone(),
        at: changes.at,
        files: changes.files.iter().map(file).collect(),
        commands: changes.commands,
        undone_by: changes.undone_by.clone(),
        undoes: changes.undoes.clone(),
    }
}

impl From<UndoRefused> for RequestError {
    fn from(why: UndoRefused) -> Self {
        match &why {
            UndoRefused::Undo(UndoError::Blocked { changes }) => Self::invalid(why.to_string())
                .with_details(json!({"code": "UNDO_BLOCKED", "run": run(changes)})),
            UndoRefused::Undo(UndoError::Read(source) | UndoError::Keep(source)) => {
                Self::unavailable(format!("{why}: {source}"))
            }
            UndoRefused::Stopping => Self::unavailable(why.to_string()),
            UndoRefused::Undo(_) | UndoRefused::Running { .. } => Self::invalid(why.to_string()),
        }
    }
}
