//! `sessions.cleanup`, `sessions.ended` and `sessions.restore`.

use std::path::{Path, PathBuf};

use homard_config::config::session::maintenance::Maintenance;
use homard_protocol::events::SessionChange;
use homard_protocol::methods::sessions::archive::{
    CleanupMode, EndedSessionRow, SessionsCleanupParams, SessionsCleanupResult, SessionsEndedParams,
    SessionsEndedResult, SessionsRestoreParams, SessionsRestoreResult,
};
use homard_protocol::{AgentId, SessionKey};
use homard_runtime::Arrange as _;
use homard_runtime::millis_i64;
use homard_store::{
    ArchiveTranscript, ArchivedFilter, EndedSession, RestoreWhich, SessionQuery, SessionRecord,
};

use crate::error::RequestError;
use crate::gateway::Gateway;
use crate::methods::config::blocking;
use crate::methods::session_key;
use crate::methods::sessions::entry_value;
use crate::table::Cx;

/// Ended conversations listed unless the caller says otherwise.
const DEFAULT_ENDED: u32 = 100;
/// Sessions looked at in one step of a cleanup.
const STEP: usize = 1000;

/// `sessions.ended`.
pub(crate) async fn ended(cx: Cx, params: SessionsEndedParams) -> Result<SessionsEndedResult, RequestError> {
    let limit = usize::try_from(params.limit.unwrap_or(DEFAULT_ENDED)).unwrap_or(1);
    let ended = cx.gateway.store().sessions().ended(params.agent_id.as_ref(), limit).await?;
    Ok(SessionsEndedResult { sessions: ended.into_iter().map(row).collect() })
}

fn row(ended: EndedSession) -> EndedSessionRow {
    let EndedSession { record, reason, ended_at, .. } = ended;
    EndedSessionRow {
        key: record.key,
        session_id: record.session_id,
        agent_id: record.agent_id,
        reason,
        ended_at,
        label: record.entry.label,
        derived_title: record.derived_title,
        last_message_preview: record.last_message_preview,
    }
}

/// `sessions.restore`.
pub(crate) async fn restore(
    cx: Cx,
    params: SessionsRestoreParams,
) -> Result<SessionsRestoreResult, RequestError> {
    let gateway = &cx.gateway;
    let which = match (&params.session_id, &params.key) {
        (Some(id), _) => RestoreWhich::Transcript(id.clone()),
        (None, Some(key)) => RestoreWhich::Key(session_key(gateway, key, params.agent_id.as_ref())?),
        (None, None) => return Err(RequestError::invalid("key or sessionId is required")),
    };
    if let Some(key) = place_of(gateway, &which).await?
        && !gateway.relay().turns().active_ids(&key).is_empty()
    {
        return Err(RequestError::invalid(format!("a run is under way in {key}; stop it first")));
    }
    let restored = gateway.store().sessions().restore(which).await?;
    let Some(record) = restored else {
        return Err(RequestError::invalid("nothing to restore: no such conversation was deleted or reset"));
    };
    gateway.relay().sessions().announce_change(&record, SessionChange::Create);
    let entry = entry_value(&record);
    Ok(SessionsRestoreResult { ok: true, key: record.key, session_id: record.session_id, entry })
}

/// The key a conversation would come back under.
async fn place_of(gateway: &Gateway, which: &RestoreWhich) -> Result<Option<SessionKey>, RequestError> {
    match which {
        RestoreWhich::Key(key) => Ok(Some(key.clone())),
        RestoreWhich::Transcript(id) => {
            let all = gateway.store().sessions().ended(None, STEP).await?;
            Ok(all.into_iter().find(|ended| ended.record.session_id == *id).map(|ended| ended.record.key))
        }
    }
}

/// `sessions.cleanup`.
pub(crate) async fn cleanup(
    cx: Cx,
    params: SessionsCleanupParams,
) -> Result<SessionsCleanupResult, RequestError> {
    let gateway = &cx.gateway;
    let config = gateway.config().current();
    let rules = config.session.maintenance;
    let agents = match (params.agent.clone(), params.all_agents) {
        (Some(agent), _) => vec![agent],
        (None, Some(true)) => known_agents(gateway).await?,
        (None, _) => vec![config.agents.default_agent().id.clone()],
    };
    let active = params.active_key.as_ref().map(|key| session_key(gateway, key, params.agent.as_ref()));
    let spared = active.transpose()?;
    let mut result = SessionsCleanupResult {
        ok: true,
        mode: if rules.enforce { CleanupMode::Enforce } else { CleanupMode::Warn },
        dry_run: !params.enforce.unwrap_or(rules.enforce),
        ..SessionsCleanupResult::default()
    };
    for agent in agents {
        let sessions = all_of(gateway, &agent).await?;
        result.before_count += count(sessions.len());
        let sessions_dir = gateway.config().source().paths.sessions_dir(&agent);
        let look = CleanupRules {
            rules,
            spared: spared.clone(),
            missing: params.fix_missing == Some(true),
            sessions_dir,
        };
        let chosen = choose(gateway, look, sessions).await?;
        result.pruned += chosen.pruned;
        result.capped += chosen.capped;
        result.missing += chosen.missing;
        for record in chosen.records {
            if !result.dry_run {
                let key = &record.key;
                let gone = gateway.store().sessions().delete(key, ArchiveTranscript::Keep).await;
                gone?;
                gateway.relay().sessions().announce_change(&record, SessionChange::Cleanup);
                gateway.relay().sessions().ended(key).await;
            }
            result.removed.push(record.key.to_string());
        }
    }
    result.would_mutate = !result.removed.is_empty();
    result.after_count = result.before_count.saturating_sub(count(result.removed.len()));
    Ok(result)
}

fn count(n: usize) -> u64 {
    u64::try_from(n).unwrap_or(u64::MAX)
}

/// Every agent that has or had sessions.
async fn known_agents(gateway: &Gateway) -> Result<Vec<AgentId>, RequestError> {
    let dir = gateway.config().source().paths.agents_dir();
    let mut agents: Vec<AgentId> =
        gateway.config().current().agents.list.iter().map(|agent| agent.id.clone()).collect();
    let found = blocking(move || {
        let entries = std::fs::read_dir(dir).into_iter().flatten().flatten();
        entries.filter_map(|entry| AgentId::parse(entry.file_name().to_str()?).ok()).collect::<Vec<_>>()
    });
    agents.extend(found.await?);
    agents.arrange();
    agents.dedup();
    Ok(agents)
}

/// All sessions of an agent, the newest first.
async fn all_of(gateway: &Gateway, agent: &AgentId) -> Result<Vec<SessionRecord>, RequestError> {
    let mut all = Vec::new();
    loop {
        let query = SessionQuery {
            agent: Some(agent.clone()),
            archived: ArchivedFilter::All,
            limit: STEP,
            offset: all.len(),
            ..SessionQuery::default()
        };
        let page = gateway.store().sessions().list(query).await?;
        let is_last = page.rows.len() < STEP;
        all.extend(page.rows);
        if is_last {
            return Ok(all);
        }
    }
}

/// What a cleanup goes by.
struct CleanupRules {
    rules: Maintenance,
    spared: Option<SessionKey>,
    missing: bool,
    sessions_dir: PathBuf,
}

/// What may go, and why.
#[derive(Default)]
struct CleanupPlan {
    records: Vec<SessionRecord>,
    pruned: u64,
    capped: u64,
    missing: u64,
}

/// Chooses what may go. Main conversations, pinned ones, those with a run and the one that is spared stay.
async fn choose(
    gateway: &Gateway,
    look: CleanupRules,
    sessions: Vec<SessionRecord>,
) -> Result<CleanupPlan, RequestError> {
    let now = gateway.clock().now_ms();
    let oldest = now.saturating_sub(millis_i64(look.rules.prune_after));
    let busy = gateway.relay().turns().active_sessions();
    blocking(move || {
        let (mut chosen, mut kept) = (CleanupPlan::default(), 0);
        for record in sessions {
            let stays = record.key.is_main()
                || record.entry.pinned_at.is_some()
                || busy.contains(&record.key)
                || look.spared.as_ref() == Some(&record.key);
            let reason = if stays {
                None
            } else if record.entry.updated_at < oldest {
                Some(&mut chosen.pruned)
            } else if look.missing && is_missing(&look.sessions_dir, &record) {
                Some(&mut chosen.missing)
            } else if kept >= look.rules.max_entries {
                Some(&mut chosen.capped)
            } else {
                None
            };
            match reason {
                Some(reason) => {
                    *reason += 1;
                    chosen.records.push(record);
                }
                None => kept += 1,
            }
        }
        chosen
    })
    .await
}

/// Whether somebody wrote in a session and the transcript is gone.
fn is_missing(sessions_dir: &Path, record: &SessionRecord) -> bool {
    let named = record.entry.session_file.as_deref().and_then(|path| Path::new(path).file_name());
    let usual = PathBuf::from(format!("{}.jsonl", record.session_id));
    let exists = |name: &Path| sessions_dir.join(name).is_file();
    record.derived_title.is_some() && !named.is_some_and(|name| exists(Path::new(name))) && !exists(&usual)
}
