//! `agents.create`, `agents.update` and `agents.delete`: the roster in the configuration, and its folders.

pub(crate) mod files;
pub(crate) mod workspace;

use std::path::{Path, PathBuf};

use homard_config::{Overrides, Snapshot};
use homard_protocol::events::SessionChange;
use homard_protocol::methods::agents::workspace::{AgentsWorkspaceGet, AgentsWorkspaceList};
use homard_protocol::methods::agents::{
    AgentsCreate, AgentsCreateParams, AgentsCreateResult, AgentsDelete, AgentsDeleteParams,
    AgentsDeleteResult, AgentsFilesGet, AgentsFilesList, AgentsFilesSet, AgentsUpdate, AgentsUpdateParams,
    AgentsUpdateResult, FailedPath, MAX_AGENT_NAME_CHARS, RemovalMethod, RemovedPath, Said,
};
use homard_protocol::{AgentId, StopCause};
use homard_store::{ArchiveTranscript, ArchivedFilter, SessionQuery};
use serde_json::{Map, Value, json};

use super::check_range;
use super::config::blocking;
use super::sessions::patch::usable_model;
use crate::error::RequestError;
use crate::gateway::Gateway;
use crate::table::{Cx, MethodTable};

/// Sessions put away in one step.
const STEP: usize = 500;
/// Where folders of agents that are gone are kept, in the state folder.
const TRASH: &str = "trash";

/// The methods of this family.
pub(super) fn register(table: MethodTable) -> MethodTable {
    table
        .on::<AgentsCreate, _, _>(create)
        .on::<AgentsDelete, _, _>(delete)
        .on::<AgentsFilesGet, _, _>(files::get)
        .on::<AgentsFilesList, _, _>(files::list)
        .on::<AgentsFilesSet, _, _>(files::set)
        .on::<AgentsUpdate, _, _>(update)
        .on::<AgentsWorkspaceGet, _, _>(workspace::get)
        .on::<AgentsWorkspaceList, _, _>(workspace::list)
}

/// `agents.create`.
pub(super) async fn create(cx: Cx, params: AgentsCreateParams) -> Result<AgentsCreateResult, RequestError> {
    let gateway = &cx.gateway;
    let name = params.name.trim().to_owned();
    check_range("agents.create", "name", Some(name.chars().count()), 1..=MAX_AGENT_NAME_CHARS)?;
    let id = id_from(&name)?;
    if gateway.config().current().agents.agent(&id).is_some() {
        return Err(RequestError::invalid(format!("agent \"{id}\" already exists")));
    }
    let model = params.model.as_deref().map(|model| usable_model(gateway, model)).transpose()?;
    let paths = &gateway.config().source().paths;
    let workspace = match params.workspace.as_deref().map(str::trim).filter(|text| !text.is_empty()) {
        Some(text) => paths.expand(text),
        None => paths.workspace(&id),
    };
    let mut entry = Map::from_iter([
        ("name".to_owned(), json!(name)),
        ("workspace".to_owned(), json!(workspace.display().to_string())),
    ]);
    if let Some(model) = &model {
        entry.insert("model".to_owned(), json!(model.to_string()));
    }
    let looks = looks(params.emoji, params.avatar);
    if !looks.is_empty() {
        entry.insert("identity".to_owned(), Value::Object(looks));
    }
    write(gateway, move |before| added(before, &id, entry)).await.map(drop)?;
    let made = workspace.clone();
    let made = blocking(move || std::fs::create_dir_all(made)).await?;
    made.map_err(|e| RequestError::unavailable(format!("the workspace could not be made: {e}")))?;
    Ok(AgentsCreateResult {
        ok: true,
        agent_id: id_from(&name)?,
        workspace: workspace.display().to_string(),
        name,
        model: model.map(|model| model.to_string()),
    })
}

/// `agents.update`.
pub(super) async fn update(cx: Cx, params: AgentsUpdateParams) -> Result<AgentsUpdateResult, RequestError> {
    let gateway = &cx.gateway;
    let id = known(gateway, params.agent_id)?;
    let mut entry = Map::new();
    if let Some(name) = params.name {
        let name = name.trim().to_owned();
        check_range("agents.update", "name", Some(name.chars().count()), 1..=MAX_AGENT_NAME_CHARS)?;
        entry.insert("name".to_owned(), json!(name));
    }
    if let Some(workspace) = params.workspace {
        let workspace = gateway.config().source().paths.expand(workspace.trim());
        entry.insert("workspace".to_owned(), json!(workspace.display().to_string()));
    }
    match params.model {
        Said::Unsaid => {}
        Said::Nothing => drop(entry.insert("model".to_owned(), Value::Null)),
        Said::Text(text) => {
            let model = usable_model(gateway, &text)?.to_string();
            entry.insert("model".to_owned(), json!(model));
        }
    }
    let looks = looks(params.emoji, params.avatar);
    if !looks.is_empty() {
        entry.insert("identity".to_owned(), Value::Object(looks));
    }
    let agent_id = id.clone();
    if !entry.is_empty() {
        write(gateway, move |before| Ok(changed(before, &id, entry))).await?;
    }
    Ok(AgentsUpdateResult { ok: true, agent_id })
}

/// `agents.delete`. Conversations are put away as if each had been deleted; they can be restored.
pub(super) async fn delete(cx: Cx, params: AgentsDeleteParams) -> Result<AgentsDeleteResult, RequestError> {
    let gateway = &cx.gateway;
    let id = known(gateway, params.agent_id)?;
    let config = gateway.config().current();
    if config.agents.default_agent().id == id {
        return Err(RequestError::invalid(format!("\"{id}\" is the default agent and cannot be deleted")));
    }
    let agent = config.agents.agent(&id).cloned();
    let shared =
        |path: &Path| config.agents.list.iter().any(|other| other.id != id && other.workspace == path);
    let folders: Vec<PathBuf> = agent
        .filter(|_| params.delete_files != Some(false))
        .map(|agent| {
            let workspace = (!shared(&agent.workspace)).then_some(agent.workspace);
            workspace.into_iter().chain([agent.agent_dir]).collect()
        })
        .unwrap_or_default();
    let gone = id.clone();
    let removed_bindings = write(gateway, move |before| removed(before, &gone)).await?;
    put_away_sessions(gateway, &id).await?;
    let state_dir = gateway.config().source().paths.state_dir.clone();
    let stamp = gateway.clock().now_ms();
    let name = id.to_string();
    let (removed, failed) = blocking(move || trash(&state_dir, &name, stamp, folders)).await?;
    Ok(AgentsDeleteResult {
        ok: true,
        agent_id: id,
        removed_bindings,
        removed: (!removed.is_empty()).then_some(removed),
        failed: (!failed.is_empty()).then_some(failed),
    })
}

/// An id from a name: small letters and digits, the rest joined by `-`.
fn id_from(name: &str) -> Result<AgentId, RequestError> {
    let mut id = String::new();
    for c in name.chars() {
        match c.to_ascii_lowercase() {
            c if c.is_ascii_alphanumeric() || c == '_' => id.push(c),
            _ if id.is_empty() || id.ends_with('-') => {}
            _ => id.push('-'),
        }
    }
    id.truncate(64);
    let id = id.trim_matches(['-', '_']);
    AgentId::parse(id)
        .map_err(|_bad| RequestError::invalid("the name needs at least one letter from a to z or a digit"))
}

fn known(gateway: &Gateway, id: AgentId) -> Result<AgentId, RequestError> {
    match gateway.config().current().agents.agent(&id) {
        Some(_) => Ok(id),
        None => Err(RequestError::invalid(format!("unknown agent id \"{id}\""))),
    }
}

fn looks(emoji: Option<String>, avatar: Option<String>) -> Map<String, Value> {
    let looks = [("emoji", emoji), ("avatar", avatar)];
    looks.into_iter().filter_map(|(name, text)| Some((name.to_owned(), json!(text?)))).collect()
}

/// A change of the file: a merge patch, lists that are replaced, and a number to answer with.
struct Change {
    patch: Value,
    replace: Vec<String>,
    answer: u64,
}

impl Change {
    fn merge(patch: Value) -> Self {
        Self { patch, replace: Vec::new(), answer: 0 }
    }
}

/// Reads the file, makes a change of it and writes that, unless somebody else was faster.
async fn write(
    gateway: &Gateway,
    change: impl FnOnce(&Value) -> Result<Change, RequestError> + Send + 'static,
) -> Result<u64, RequestError> {
    let handle = gateway.config().clone();
    let source = handle.source().clone();
    let outcome = blocking(move || {
        let disk = Snapshot::load(&source, &Overrides::default());
        let change = change(&disk.parsed)?;
        let base = disk.exists.then_some(disk.hash.as_str());
        let written = handle.merge_patch(&change.patch.to_string(), base, &change.replace);
        written.map(|_| change.answer).map_err(RequestError::from)
    });
    outcome.await?
}

/// Where an agent stands in the file.
fn place(before: &Value, id: &AgentId) -> Option<usize> {
    let list = before.pointer("/agents/list")?.as_array()?;
    list.iter().position(|entry| entry.get("id").and_then(Value::as_str) == Some(id.as_str()))
}

fn has_list(before: &Value) -> bool {
    before.pointer("/agents/list").and_then(Value::as_array).is_some_and(|list| !list.is_empty())
}

/// The roster with one more. The first one that is written down must not push out the one that was there
/// without being written down.
fn added(before: &Value, id: &AgentId, entry: Map<String, Value>) -> Result<Change, RequestError> {
    if has_list(before) {
        let mut entry = entry;
        entry.insert("id".to_owned(), json!(id.as_str()));
        return Ok(Change::merge(json!({"agents": {"list": [entry]}})));
    }
    let entries = before.pointer("/agents/entries").and_then(Value::as_object);
    let mut new = Map::new();
    if entries.is_none_or(Map::is_empty) {
        new.insert(AgentId::main().to_string(), json!({"default": true}));
    } else if let Some(entries) = entries
        && !entries.values().any(|entry| entry.get("default") == Some(&Value::Bool(true)))
        && let Some(first) = entries.keys().min()
    {
        // Without a mark the first in the alphabet answers; a new one must not become it.
        new.insert(first.clone(), json!({"default": true}));
    }
    new.insert(id.to_string(), Value::Object(entry));
    Ok(Change::merge(json!({"agents": {"entries": new}})))
}

fn changed(before: &Value, id: &AgentId, entry: Map<String, Value>) -> Change {
    if place(before, id).is_some() {
        let mut entry = entry;
        entry.insert("id".to_owned(), json!(id.as_str()));
        return Change::merge(json!({"agents": {"list": [entry]}}));
    }
    Change::merge(json!({"agents": {"entries": {id.as_str(): entry}}}))
}

/// The file without an agent and the routes that lead to it.
fn removed(before: &Value, id: &AgentId) -> Result<Change, RequestError> {
    let agents = match place(before, id) {
        Some(at) => {
            let list = before.pointer("/agents/list").and_then(Value::as_array).cloned().unwrap_or_default();
            let rest: Vec<Value> =
                list.into_iter().enumerate().filter(|(n, _)| *n != at).map(|(_, entry)| entry).collect();
            json!({"list": rest})
        }
        None if before.pointer("/agents/entries").and_then(|all| all.get(id.as_str())).is_some() => {
            json!({"entries": {id.as_str(): null}})
        }
        None => {
            return Err(RequestError::invalid(format!(
                "agent \"{id}\" is set in an included file; change it there"
            )));
        }
    };
    let bindings = before.get("bindings").and_then(Value::as_array).cloned().unwrap_or_default();
    let leads_there = |binding: &Value| binding.get("agentId").and_then(Value::as_str) == Some(id.as_str());
    let (gone, rest): (Vec<Value>, Vec<Value>) = bindings.into_iter().partition(leads_there);
    let mut patch = json!({"agents": agents});
    if let (false, Some(patch)) = (gone.is_empty(), patch.as_object_mut()) {
        patch.insert("bindings".to_owned(), Value::Array(rest));
    }
    let replace = vec!["agents.list".to_owned(), "bindings".to_owned()];
    Ok(Change { patch, replace, answer: u64::try_from(gone.len()).unwrap_or(u64::MAX) })
}

async fn put_away_sessions(gateway: &Gateway, id: &AgentId) -> Result<(), RequestError> {
    loop {
        let query = SessionQuery {
            agent: Some(id.clone()),
            archived: ArchivedFilter::All,
            limit: STEP,
            ..SessionQuery::default()
        };
        let page = gateway.store().sessions().list(query).await?;
        if page.rows.is_empty() {
            return Ok(());
        }
        for record in page.rows {
            gateway.relay().abort(&record.key, None, StopCause::Delete).await;
            gateway.relay().sessions().end_commands(&record.key);
            let deleted = gateway.store().sessions().delete(&record.key, ArchiveTranscript::Keep).await;
            deleted?;
            gateway.relay().sessions().announce_change(&record, SessionChange::Delete);
            gateway.relay().sessions().ended(&record.key).await;
        }
    }
}

/// Moves folders into the trash. Only what lies in the state folder is touched: a workspace elsewhere is
/// somebody's own.
#[expect(clippy::disallowed_methods, reason = "moves folders; nothing is written")]
fn trash(
    state_dir: &Path,
    name: &str,
    stamp: i64,
    folders: Vec<PathBuf>,
) -> (Vec<RemovedPath>, Vec<FailedPath>) {
    let (mut removed, mut failed) = (Vec::new(), Vec::new());
    let bin = state_dir.join(TRASH).join(format!("{name}-{stamp}"));
    for folder in folders {
        let path = folder.display().to_string();
        let inside = folder.strip_prefix(state_dir).is_ok_and(|rest| rest.components().next().is_some());
        if !folder.exists() {
            removed.push(RemovedPath { path, method: RemovalMethod::Missing });
        } else if !inside {
            failed.push(FailedPath {
                path,
                reason: "it lies outside the state folder and was left alone".to_owned(),
            });
        } else {
            let to = bin.join(folder.file_name().unwrap_or_default());
            match homard_runtime::create_private_dir(&bin).and_then(|()| std::fs::rename(&folder, to)) {
                Ok(()) => removed.push(RemovedPath { path, method: RemovalMethod::Trash }),
                Err(error) => failed.push(FailedPath { path, reason: error.to_string() }),
            }
        }
    }
    (removed, failed)
}

#[cfg(test)]
mod tests;
