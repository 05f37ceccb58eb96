//! `config.*`.

pub(crate) mod lookup;
pub(crate) mod wizard;

use homard_config::{ReloadAction, Snapshot, WriteError, WriteOutcome};
use homard_protocol::method::NoParams;
use homard_protocol::methods::config::lookup::{ConfigOpenFile, ConfigSchemaLookup};
use homard_protocol::methods::config::wizard::{WizardCancel, WizardNext, WizardStart, WizardStatus};
use homard_protocol::methods::config::{
    ConfigApply, ConfigApplyParams, ConfigGet, ConfigIssue, ConfigPatch, ConfigSchema, ConfigSchemaResult,
    ConfigSet, ConfigSetParams, ConfigSnapshot, ConfigWriteResult,
};
use homard_runtime::off_thread;
use serde_json::{Value, json};

use super::session_key;
use crate::error::RequestError;
use crate::gateway::Gateway;
use crate::lifecycle::restart_note::{self, Note};
use crate::table::{Cx, MethodTable};

/// The methods of this family.
pub(super) fn register(table: MethodTable) -> MethodTable {
    table
        .on::<ConfigApply, _, _>(apply)
        .on::<ConfigGet, _, _>(get)
        .on::<ConfigOpenFile, _, _>(lookup::open_file)
        .on::<ConfigPatch, _, _>(patch)
        .on::<ConfigSchema, _, _>(schema)
        .on::<ConfigSchemaLookup, _, _>(lookup::lookup)
        .on::<ConfigSet, _, _>(set)
        .on::<WizardCancel, _, _>(wizard::cancel)
        .on::<WizardNext, _, _>(wizard::next)
        .on::<WizardStart, _, _>(wizard::start)
        .on::<WizardStatus, _, _>(wizard::status)
}

/// `config.get`.
pub(super) async fn get(cx: Cx, _params: NoParams) -> Result<ConfigSnapshot, RequestError> {
    snapshot(&cx.gateway).await
}

/// The configuration with its secrets hidden.
pub(crate) async fn snapshot(gateway: &Gateway) -> Result<ConfigSnapshot, RequestError> {
    let handle = gateway.config();
    let applied = handle.snapshot();
    // What is on disk may be newer, or broken; what runs is the last good one.
    let source = handle.source().clone();
    let disk = blocking(move || Snapshot::load(&source, &homard_config::Overrides::default())).await?;
    let issues = |list: &[homard_config::Issue]| {
        list.iter()
            .map(|issue| ConfigIssue { path: issue.path.clone(), message: issue.message.clone() })
            .collect::<Vec<_>>()
    };
    let resolved = hidden(&disk.resolved);
    Ok(ConfigSnapshot {
        path: disk.path.display().to_string(),
        exists: disk.exists,
        valid: disk.config.is_some(),
        // The text may hold secrets between comments; the redacted values below are what clients edit.
        raw: redacted_text(&disk),
        parsed: hidden(&disk.parsed),
        source_config: resolved.clone(),
        config: hidden(&disk.effective),
        runtime_config: hidden(&applied.effective),
        resolved,
        hash: disk.hash.clone(),
        config_revision_hash: disk.hash.clone(),
        applied_config_hash: Some(applied.hash.clone()),
        issues: issues(&disk.issues),
        warnings: issues(&disk.notices()),
        legacy_issues: Vec::new(),
        included_paths: disk.included.iter().map(|path| path.display().to_string()).collect(),
        include_provenance: Vec::new(),
        agent_roster_include_owned: is_included(&disk, "agents", &["list", "entries"]),
        bindings_include_owned: is_included(&disk, "bindings", &[]),
    })
}

/// Whether a section (or some of its keys) is there, and not in the file itself.
fn is_included(disk: &Snapshot, section: &str, keys: &[&str]) -> bool {
    let here = |config: &Value| match config.get(section) {
        Some(found) if !keys.is_empty() => keys.iter().any(|key| found.get(key).is_some()),
        found => found.is_some(),
    };
    here(&disk.resolved) && !here(&disk.parsed)
}

/// The file's text when it holds nothing secret, else its redacted values as JSON.
fn redacted_text(disk: &Snapshot) -> Option<String> {
    let raw = disk.raw.as_ref()?;
    let shown = hidden(&disk.parsed);
    if shown == disk.parsed { Some(raw.clone()) } else { serde_json::to_string_pretty(&shown).ok() }
}

/// A configuration with its secrets replaced.
fn hidden(value: &Value) -> Value {
    homard_config::redact(value, homard_config::schema())
}

/// `config.schema`.
pub(super) async fn schema(cx: Cx, _params: NoParams) -> Result<ConfigSchemaResult, RequestError> {
    Ok(ConfigSchemaResult {
        schema: homard_config::schema().clone(),
        ui_hints: json!({}),
        version: cx.gateway.diagnostics().host.version.to_owned(),
        generated_at: cx.gateway.clock().now_rfc3339(),
    })
}

/// `config.set`.
pub(super) async fn set(cx: Cx, params: ConfigSetParams) -> Result<ConfigWriteResult, RequestError> {
    replace(&cx.gateway, params.raw, params.base_hash).await
}

/// `config.apply`.
pub(super) async fn apply(cx: Cx, params: ConfigApplyParams) -> Result<ConfigWriteResult, RequestError> {
    let note = note_of(&cx.gateway, &params)?;
    let write = replace(&cx.gateway, params.raw, params.base_hash);
    noted(&cx.gateway, "config-apply", note, write).await
}

/// Who wants to hear of the restart, if one comes of it.
fn note_of(gateway: &Gateway, params: &ConfigApplyParams) -> Result<Option<Note>, RequestError> {
    let Some(key) = params.session_key.as_ref() else { return Ok(None) };
    let key = session_key(gateway, key, None)?;
    Ok(Some(Note::new(key, params.note.clone(), gateway.clock().now_ms())))
}

async fn noted(
    gateway: &Gateway,
    kind: &str,
    note: Option<Note>,
    write: impl Future<Output = Result<ConfigWriteResult, RequestError>>,
) -> Result<ConfigWriteResult, RequestError> {
    let mut written = match &note {
        Some(note) => gateway.with_note(note.clone(), write).await?,
        None => write.await?,
    };
    if written.restart.is_some() {
        written.sentinel = Some(restart_note::sentinel(kind, note.as_ref(), gateway.clock().now_ms()));
    }
    Ok(written)
}

/// Writes a whole new file.
pub(crate) async fn replace(
    gateway: &Gateway,
    raw: String,
    base_hash: Option<String>,
) -> Result<ConfigWriteResult, RequestError> {
    let handle = gateway.config().clone();
    let outcome = blocking(move || handle.replace_raw(&raw, base_hash.as_deref())).await?;
    let mut result = written(gateway, outcome)?;
    result.changed_paths = None;
    Ok(result)
}

/// `config.patch`.
pub(super) async fn patch(cx: Cx, params: ConfigApplyParams) -> Result<ConfigWriteResult, RequestError> {
    let note = note_of(&cx.gateway, &params)?;
    let write = merge(&cx.gateway, params.raw, params.base_hash, params.replace_paths.unwrap_or_default());
    noted(&cx.gateway, "config-patch", note, write).await
}

/// Merges a change into the file.
pub(crate) async fn merge(
    gateway: &Gateway,
    raw: String,
    base_hash: Option<String>,
    replace_paths: Vec<String>,
) -> Result<ConfigWriteResult, RequestError> {
    let handle = gateway.config().clone();
    let outcome = blocking(move || handle.merge_patch(&raw, base_hash.as_deref(), &replace_paths)).await?;
    written(gateway, outcome)
}

pub(super) fn written(
    gateway: &Gateway,
    outcome: Result<WriteOutcome, WriteError>,
) -> Result<ConfigWriteResult, RequestError> {
    let outcome = outcome?;
    let snapshot = gateway.config().snapshot();
    let nothing = outcome.changed_paths.is_empty();
    let restart: Option<Value> =
        (outcome.action == ReloadAction::Restart).then(|| json!({"ok": true, "reason": "config changed"}));
    Ok(ConfigWriteResult {
        ok: true,
        path: gateway.config().source().paths.config_path.display().to_string(),
        noop: nothing.then_some(true),
        hash: Some(outcome.hash),
        config: hidden(&snapshot.parsed),
        changed_paths: Some(outcome.changed_paths),
        restart,
        sentinel: None,
    })
}

/// Runs file work off the reactor.
pub(super) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, RequestError> {
    off_thread(work).await.map_err(|error| {
        tracing::error!(%error, "a configuration task ended unexpectedly");
        RequestError::unavailable("the configuration could not be read or written; see the log")
    })
}
