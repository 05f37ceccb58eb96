//! `sessions.search`.

use homard_protocol::Word;
use homard_protocol::methods::sessions::search::{
    DEFAULT_SEARCH_LIMIT, MAX_QUERY_CHARS, MAX_SEARCH_KEYS, MAX_SEARCH_LIMIT, SessionsSearchHit,
    SessionsSearchParams, SessionsSearchResult,
};
use homard_store::{ArchivedFilter, SearchHit, SearchQuery, SessionQuery};

use crate::error::RequestError;
use crate::gateway::Gateway;
use crate::methods::check_range;
use crate::methods::session_key;
use crate::methods::sessions;
use crate::session_rows;
use crate::table::Cx;

const NAME: &str = "sessions.search";

/// `sessions.search`.
pub(crate) async fn search(
    cx: Cx,
    params: SessionsSearchParams,
) -> Result<SessionsSearchResult, RequestError> {
    let gateway = &cx.gateway;
    check_range(NAME, "query", Some(params.query.chars().count()), 1..=MAX_QUERY_CHARS)?;
    check_range(NAME, "limit", params.limit, 1..=MAX_SEARCH_LIMIT)?;
    check_range(NAME, "sessionKeys", params.session_keys.as_ref().map(Vec::len), 1..=MAX_SEARCH_KEYS)?;
    let within = within(gateway, &params)?;
    let limit = usize::try_from(params.limit.unwrap_or(DEFAULT_SEARCH_LIMIT)).unwrap_or(1);
    let query = SearchQuery { text: params.query, limit, within };
    let page = gateway.store().search().find(query).await?;
    let mut rows: Vec<homard_protocol::session_row::SessionRow> = Vec::new();
    for hit in &page.hits {
        if rows.iter().any(|row| row.key == hit.session_key) {
            continue;
        }
        if let Some(record) = gateway.store().sessions().get(&hit.session_key).await? {
            rows.push(session_rows::row(gateway, &record));
        }
    }
    Ok(SessionsSearchResult {
        results: page.hits.into_iter().map(hit).collect(),
        sessions: rows,
        indexing: page.indexing.then_some(true),
        truncated: page.truncated.then_some(true),
    })
}

/// In which sessions to look. Without a scope everything is looked through, put away or not.
fn within(gateway: &Gateway, params: &SessionsSearchParams) -> Result<SessionQuery, RequestError> {
    let mut within = match &params.scope {
        Some(scope) => {
            let mut within = sessions::query(gateway, NAME, scope, gateway.clock().now_ms())?;
            within.keys =
                (scope.active_only == Some(true)).then(|| gateway.relay().turns().active_sessions());
            within
        }
        None => SessionQuery {
            archived: ArchivedFilter::All,
            include_global: true,
            include_unknown: true,
            ..SessionQuery::default()
        },
    };
    if let Some(agent) = &params.agent_id {
        within.agent = Some(agent.clone());
    }
    if let Some(keys) = &params.session_keys {
        let agent = params.agent_id.as_ref();
        let keys: Result<Vec<_>, _> = keys.iter().map(|key| session_key(gateway, key, agent)).collect();
        let mut keys = keys?;
        if let Some(active) = &within.keys {
            keys.retain(|key| active.contains(key));
        }
        within.keys = Some(keys);
    }
    Ok(within)
}

fn hit(found: SearchHit) -> SessionsSearchHit {
    SessionsSearchHit {
        session_key: found.session_key,
        session_id: found.session_id,
        message_id: found.entry_id,
        role: Word::of(found.role),
        timestamp: found.timestamp,
        snippet: found.snippet,
        score: found.score,
    }
}
