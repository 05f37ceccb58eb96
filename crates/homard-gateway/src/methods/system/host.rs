//! What pages ask about the gateway's machine: where work can be done, folders, lanes, what is kept.

use std::path::{Path, PathBuf};

use homard_protocol::ErrorCode;
use homard_protocol::method::NoParams;
use homard_protocol::methods::system::host::{
    AgentStorage, EnvironmentsParams, EnvironmentsResult, FsListDirParams, FsListDirResult, HostFolder,
    LaneLoad, LaneTotals, LanesResult, StorageMaintenance, StorageStatus, WorkPlace,
};
use homard_protocol::{SessionKey, SessionScope};
use homard_runtime::Arrange as _;

use crate::error::RequestError;
use crate::gateway::Gateway;
use crate::methods::config::blocking;
use crate::table::Cx;

/// `environments.list`.
pub(crate) async fn environments(
    cx: Cx,
    params: EnvironmentsParams,
) -> Result<EnvironmentsResult, RequestError> {
    // What runs elsewhere than in this process does not exist, and neither do machines that could be rented.
    if params.runtime_id.is_some() || params.projection.is_some() {
        return Ok(EnvironmentsResult::default());
    }
    let own = WorkPlace {
        id: "gateway".to_owned(),
        kind: "local".to_owned(),
        label: cx.gateway.diagnostics().host.name.clone(),
        status: "available".to_owned(),
        platform: Some(std::env::consts::OS.to_owned()),
        session_host: true,
        capabilities: ["agent.run", "sessions", "tools", "workspace"].map(str::to_owned).to_vec(),
    };
    let (nodes, _) = cx.gateway.nodes().all().await?;
    let lent = nodes.into_iter().map(|node| WorkPlace {
        id: format!("node:{}", node.node_id),
        kind: "node".to_owned(),
        label: node.display_name.unwrap_or_else(|| node.node_id.to_string()),
        status: if node.connected { "available" } else { "unavailable" }.to_owned(),
        platform: node.platform,
        session_host: false,
        capabilities: node.commands,
    });
    Ok(EnvironmentsResult { environments: std::iter::once(own).chain(lent).collect() })
}

/// `fs.listDir`.
pub(crate) async fn folders(cx: Cx, params: FsListDirParams) -> Result<FsListDirResult, RequestError> {
    if params.node_id.is_some() {
        return Err(RequestError::invalid(
            "folders of a node are asked for with node.invoke and its command fs.listDir",
        ));
    }
    let config = cx.gateway.config().current();
    let home = cx.gateway.config().source().paths.home.clone();
    let roots: Vec<PathBuf> = config.agents.list.iter().map(|agent| agent.workspace.clone()).collect();
    let (asked, admin) = (params.path.map(PathBuf::from), cx.caller.is_admin());
    let start = if admin { Some(&home) } else { roots.first() };
    let Some(path) = asked.or_else(|| start.cloned()) else {
        return Err(RequestError::invalid("no agent has a workspace"));
    };
    if !path.is_absolute() {
        return Err(RequestError::invalid("fs.listDir path must be absolute"));
    }
    blocking(move || list(&path, &home, (!admin).then_some(&roots))).await?
}

/// The folders in one; `within` are those its asker may see.
fn list(path: &Path, home: &Path, within: Option<&Vec<PathBuf>>) -> Result<FsListDirResult, RequestError> {
    let shown = |path: &Path| path.to_string_lossy().into_owned();
    let unreadable =
        |error: std::io::Error| RequestError::invalid(format!("`{}` cannot be listed: {error}", shown(path)));
    // Links are followed before it is decided where a path leads.
    let path_is = path.canonicalize().map_err(unreadable)?;
    let roots: Option<Vec<PathBuf>> =
        within.map(|roots| roots.iter().filter_map(|root| root.canonicalize().ok()).collect());
    if roots.as_ref().is_some_and(|roots| !roots.iter().any(|root| path_is.starts_with(root))) {
        return Err(RequestError::new(ErrorCode::Forbidden, "missing scope: operator.admin"));
    }
    let mut entries: Vec<HostFolder> = std::fs::read_dir(&path_is)
        .map_err(unreadable)?
        .filter_map(Result::ok)
        .filter(|entry| entry.path().is_dir())
        .filter_map(|entry| {
            let name = entry.file_name().into_string().ok()?;
            Some(HostFolder { hidden: name.starts_with('.'), path: shown(&entry.path()), name })
        })
        .collect();
    entries.arrange_by(|one, other| (one.hidden, &one.name).cmp(&(other.hidden, &other.name)));
    let is_root = roots.is_some_and(|roots| roots.contains(&path_is));
    let parent = path_is.parent().filter(|_| !is_root).map(shown);
    Ok(FsListDirResult { path: shown(&path_is), parent, home: shown(home), entries })
}

/// `diagnostics.lanes`.
pub(crate) async fn lanes(cx: Cx, _params: NoParams) -> Result<LanesResult, RequestError> {
    let (config, turns) = (cx.gateway.config().current(), cx.gateway.relay().turns());
    let defaults = &config.agents.defaults;
    let lane = |lane: &str, max_concurrent| LaneLoad {
        lane: lane.to_owned(),
        queued_count: 0,
        active_count: 0,
        max_concurrent,
        draining: false,
    };
    let mut main = lane("main", defaults.max_concurrent);
    let mut subagent = lane("subagent", defaults.subagents.max_concurrent);
    let mut totals = LaneTotals { lane_count: turns.lanes_awake(), ..LaneTotals::default() };
    for key in turns.active_sessions() {
        let views = turns.views(&key);
        let active = views.iter().filter(|view| view.text.is_some()).count();
        let queued = views.len() - active;
        let is_subagent = matches!(key, SessionKey::Agent { scope: SessionScope::Subagent(_), .. });
        let shared = if is_subagent { &mut subagent } else { &mut main };
        shared.active_count += active;
        shared.queued_count += queued;
        totals.active_count += active;
        totals.queued_count += queued;
        totals.queued_lane_count += usize::from(queued > 0);
    }
    Ok(LanesResult {
        ts: cx.gateway.clock().now_ms(),
        lanes: vec![main, subagent],
        dynamic: (totals.lane_count > 0).then_some(totals),
    })
}

/// `sessions.storage.status`.
pub(crate) async fn storage(cx: Cx, _params: NoParams) -> Result<StorageStatus, RequestError> {
    let gateway: &Gateway = &cx.gateway;
    let database = gateway.config().source().paths.database();
    let bytes = |path: &Path| std::fs::metadata(path).map_or(0, |meta| meta.len());
    let mut journal = database.clone().into_os_string();
    journal.push("-wal");
    let (database_bytes, wal_bytes) = (bytes(&database), bytes(Path::new(&journal)));
    let mut agents = Vec::new();
    for agent in &gateway.config().current().agents.list {
        agents.push(AgentStorage {
            agent_id: agent.id.clone(),
            store_path: database.display().to_string(),
            hot_transcripts: gateway.store().sessions().count(Some(&agent.id)).await?,
            cold_transcripts: 0,
            database_bytes,
            wal_bytes,
            archive_bytes: 0,
            embedded_archive_bytes: 0,
        });
    }
    Ok(StorageStatus { agents, maintenance: StorageMaintenance::default() })
}
