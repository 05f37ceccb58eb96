//! Listing and counting sessions.
//!
//! A list walks one index from the newest on and stops when the page is full; totals come from counters
//! kept by triggers wherever the filters allow it.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use homard_protocol::{AgentId, SessionKey};
use homard_runtime::Timestamp;
use rusqlite::types::Value;
use rusqlite::{Connection, OptionalExtension, params_from_iter};

use super::rows::{COLUMNS, activity, changed, read};
use super::{SessionEntry, SessionKind, SessionRecord, SessionStore};
use crate::store::StoreError;

/// Most sessions one page may hold.
const MAX_PAGE: usize = 1000;

/// Whether put-away sessions are listed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ArchivedFilter {
    /// Only those in use.
    #[default]
    Active,
    /// Only those put away.
    Archived,
    All,
}

/// What a list is sorted by, newest first.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum SessionSort {
    /// The last change of any kind.
    #[default]
    Updated,
    /// The last time somebody wrote.
    Interaction,
    /// The last time anything happened.
    Activity,
}

impl SessionSort {
    fn column(self) -> &'static str {
        match self {
            Self::Updated => "updated_at",
            Self::Interaction => "interacted_at",
            Self::Activity => "activity_at",
        }
    }

    fn of(self, entry: &SessionEntry) -> Option<Timestamp> {
        match self {
            Self::Updated => Some(changed(entry)),
            Self::Interaction => entry.last_interaction_at,
            Self::Activity => activity(entry),
        }
    }
}

/// Which sessions to list, newest first.
#[derive(Debug, Clone, Default)]
pub struct SessionQuery {
    pub agent: Option<AgentId>,
    pub agents: Option<Vec<AgentId>>,
    /// What the newest is.
    pub sort: SessionSort,
    /// Only those somebody has written to.
    pub require_interaction: bool,
    /// Only those in this drawer.
    pub category: Option<String>,
    /// Most rows wanted; 0 means 100.
    pub limit: usize,
    /// Rows to pass over first.
    pub offset: usize,
    /// Only those whose key, label, name, title or preview contains this.
    pub search: Option<String>,
    /// Only those changed since.
    pub active_since: Option<Timestamp>,
    /// Only the one with this label.
    pub label: Option<String>,
    /// Only those spawned by this session key.
    pub spawned_by: Option<String>,
    /// Only those with these keys.
    pub keys: Option<Vec<SessionKey>>,
    /// Only those kept on top, or only those not.
    pub pinned: Option<bool>,
    /// Whether put-away sessions are listed.
    pub archived: ArchivedFilter,
    /// Whether the global conversation is listed.
    pub include_global: bool,
    /// Whether traffic of unknown origin is listed.
    pub include_unknown: bool,
    pub exclude_kinds: Vec<SessionKind>,
}

/// A page of sessions.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SessionPage {
    /// The rows, newest first.
    pub rows: Vec<SessionRecord>,
    /// How many there are beyond limit and offset.
    pub total: u64,
}

impl SessionStore<'_> {
    /// Lists sessions, newest first.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn list(self, query: SessionQuery) -> Result<SessionPage, StoreError> {
        self.store.read(move |cx| list(cx.conn, &query)).await
    }

    /// The `n` sessions in use that changed last, of every agent and kind.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn recent(self, n: usize) -> Result<Vec<SessionRecord>, StoreError> {
        let query =
            SessionQuery { limit: n, include_global: true, include_unknown: true, ..SessionQuery::default() };
        self.store.read(move |cx| fetch(cx.conn, &query, 0, limit(&query), 0)).await
    }

    /// How many sessions there are, put away or not; never scans.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn count(self, agent: Option<&AgentId>) -> Result<u64, StoreError> {
        let query = SessionQuery {
            agent: agent.cloned(),
            archived: ArchivedFilter::All,
            include_global: true,
            include_unknown: true,
            ..SessionQuery::default()
        };
        self.store.read(move |cx| counted(cx.conn, &query)).await
    }
}

fn limit(query: &SessionQuery) -> usize {
    if query.limit == 0 { 100 } else { query.limit.min(MAX_PAGE) }
}

fn list(conn: &Connection, query: &SessionQuery) -> Result<SessionPage, StoreError> {
    let (limit, offset) = (limit(query), query.offset);
    let rows = match query.archived {
        ArchivedFilter::Active => fetch(conn, query, 0, limit, offset)?,
        ArchivedFilter::Archived => fetch(conn, query, 1, limit, offset)?,
        // Two ordered lists merged: each keeps its own index.
        ArchivedFilter::All => {
            let mut both = fetch(conn, query, 0, limit.saturating_add(offset), 0)?;
            both.extend(fetch(conn, query, 1, limit.saturating_add(offset), 0)?);
            both.sort_by_key(|row| Reverse(query.sort.of(&row.entry)));
            both.into_iter().skip(offset).take(limit).collect()
        }
    };
    let counters_suffice = query.search.is_none()
        && query.active_since.is_none()
        && query.label.is_none()
        && query.keys.is_none()
        && query.pinned.is_none()
        && query.category.is_none()
        && !query.require_interaction
        && query.spawned_by.is_none();
    let total = if counters_suffice { counted(conn, query)? } else { scanned(conn, query)? };
    Ok(SessionPage { rows, total })
}

/// Conditions and their values.
pub(crate) struct Filter {
    pub(crate) sql: String,
    pub(crate) values: Vec<Value>,
}

impl Filter {
    pub(crate) fn and(&mut self, condition: &str, value: impl Into<Value>) {
        self.values.push(value.into());
        self.sql.push_str(" AND ");
        self.sql.push_str(&condition.replace('?', &format!("?{}", self.values.len())));
    }

    /// The conditions on columns that the counters have too.
    fn countable(query: &SessionQuery) -> Self {
        let mut filter = Self { sql: String::new(), values: Vec::new() };
        if let Some(agent) = &query.agent {
            filter.and("agent_id = ?", agent.as_str().to_owned());
        }
        if let Some(agents) = &query.agents {
            let list: Vec<&str> = agents.iter().map(AgentId::as_str).collect();
            let list = serde_json::to_string(&list).unwrap_or_else(|_never| "[]".to_owned());
            // The plus keeps the list on its way by age: a few agents are no reason to sort everything.
            filter.and("+agent_id IN (SELECT value FROM json_each(?))", list);
        }
        let hidden =
            [(query.include_global, SessionKind::Global), (query.include_unknown, SessionKind::Unknown)];
        let hidden = hidden.into_iter().filter(|(included, _)| !included).map(|(_, kind)| kind);
        for kind in hidden.chain(query.exclude_kinds.iter().copied()) {
            filter.and("kind <> ?", kind.as_str().to_owned());
        }
        filter
    }

    /// Every condition of a query but `archived`.
    pub(crate) fn all(query: &SessionQuery) -> Self {
        let mut filter = Self::countable(query);
        if query.require_interaction {
            filter.sql.push_str(" AND interacted_at IS NOT NULL");
        }
        if let Some(category) = &query.category {
            filter.and("category = ?", category.clone());
        }
        if let Some(since) = query.active_since {
            filter.and("updated_at >= ?", since);
        }
        if let Some(label) = &query.label {
            filter.and("label = ?", label.clone());
        }
        if let Some(parent) = &query.spawned_by {
            filter.and("spawned_by = ?", parent.clone());
        }
        if let Some(keys) = &query.keys {
            let list: Vec<String> = keys.iter().map(ToString::to_string).collect();
            let list = serde_json::to_string(&list).unwrap_or_else(|_never| "[]".to_owned());
            filter.and("key IN (SELECT value FROM json_each(?))", list);
        }
        if let Some(pinned) = query.pinned {
            filter.sql.push_str(if pinned { " AND pinned = 1" } else { " AND pinned = 0" });
        }
        if let Some(search) = query.search.as_deref().map(str::trim).filter(|text| !text.is_empty()) {
            filter.and(
                "(key LIKE ? ESCAPE '\\' OR label LIKE ? ESCAPE '\\' OR derived_title LIKE ? ESCAPE '\\' \
                 OR last_message_preview LIKE ? ESCAPE '\\' \
                 OR json_extract(entry, '$.displayName') LIKE ? ESCAPE '\\')",
                contains_pattern(search),
            );
        }
        filter
    }
}

/// A LIKE pattern for texts that contain `search`.
fn contains_pattern(search: &str) -> String {
    let mut pattern = String::with_capacity(search.len() + 2);
    pattern.push('%');
    for c in search.chars() {
        if matches!(c, '%' | '_' | '\\') {
            pattern.push('\\');
        }
        pattern.push(c);
    }
    pattern.push('%');
    pattern
}

/// The statement of a list; `archived` is spelled out so that a partial index can be used.
fn select(columns: &str, filter: &Filter, archived: i64) -> String {
    format!("SELECT {columns} FROM sessions WHERE archived = {archived}{}", filter.sql)
}

/// Rows of the same moment stay in one order, so that a page never repeats what the last one showed.
fn newest_first(columns: &str, filter: &Filter, archived: i64) -> String {
    format!("{} ORDER BY updated_at DESC, id", select(columns, filter, archived))
}

fn page_sql(filter: &Filter, archived: i64, limit: usize, offset: usize) -> String {
    format!("{} LIMIT {limit} OFFSET {offset}", newest_first(COLUMNS, filter, archived))
}

fn walk_sql(filter: &Filter, sort: SessionSort, archived: i64) -> String {
    newest_first(&format!("id, updated_at, {}", sort.column()), filter, archived)
}

fn fetch(
    conn: &Connection,
    query: &SessionQuery,
    archived: i64,
    limit: usize,
    offset: usize,
) -> Result<Vec<SessionRecord>, StoreError> {
    if query.sort != SessionSort::Updated {
        return fetch_sorted(conn, query, archived, limit, offset);
    }
    let filter = Filter::all(query);
    // Not cached: limit and offset vary, and lists are not on the message path.
    let mut statement = conn.prepare(&page_sql(&filter, archived, limit, offset))?;
    let mut rows = statement.query(params_from_iter(filter.values))?;
    let mut records = Vec::new();
    while let Some(row) = rows.next()? {
        records.push(read(row)?);
    }
    Ok(records)
}

/// The same by another column, which has no index: no value of it is above when the session changed, so that the walk
/// from the newest change ends where nothing older can come before what was found.
fn fetch_sorted(
    conn: &Connection,
    query: &SessionQuery,
    archived: i64,
    limit: usize,
    offset: usize,
) -> Result<Vec<SessionRecord>, StoreError> {
    let (filter, wanted) = (Filter::all(query), limit.saturating_add(offset));
    let mut first: BTreeSet<(Reverse<Option<Timestamp>>, i64)> = BTreeSet::new();
    let mut statement = conn.prepare(&walk_sql(&filter, query.sort, archived))?;
    let mut rows = statement.query(params_from_iter(filter.values))?;
    while let Some(row) = rows.next()? {
        let changed: Timestamp = row.get(1)?;
        if first.len() >= wanted && first.last().is_some_and(|(Reverse(last), _)| *last > Some(changed)) {
            break;
        }
        first.insert((Reverse(row.get(2)?), row.get(0)?));
        if first.len() > wanted {
            first.pop_last();
        }
    }
    let sql = format!("SELECT {COLUMNS} FROM sessions WHERE id = ?1");
    let mut found = conn.prepare_cached(&sql)?;
    let page = first.into_iter().skip(offset);
    page.map(|(_, id)| found.query_row([id], |row| Ok(read(row)))?).collect()
}

fn archived_values(query: &SessionQuery) -> &'static [i64] {
    match query.archived {
        ArchivedFilter::Active => &[0],
        ArchivedFilter::Archived => &[1],
        ArchivedFilter::All => &[0, 1],
    }
}

fn counted(conn: &Connection, query: &SessionQuery) -> Result<u64, StoreError> {
    let filter = Filter::countable(query);
    let mut total = 0i64;
    for archived in archived_values(query) {
        let sql = format!("SELECT sum(n) FROM session_counts WHERE archived = {archived}{}", filter.sql);
        let sum = conn
            .prepare_cached(&sql)?
            .query_row(params_from_iter(&filter.values), |row| row.get(0))
            .optional()?;
        total += sum.unwrap_or(None).unwrap_or(0i64);
    }
    Ok(total.unsigned_abs())
}

fn scanned(conn: &Connection, query: &SessionQuery) -> Result<u64, StoreError> {
    let filter = Filter::all(query);
    let mut total = 0i64;
    for archived in archived_values(query) {
        let sql = select("count(*)", &filter, *archived);
        total +=
            conn.prepare(&sql)?.query_row(params_from_iter(&filter.values), |row| row.get::<_, i64>(0))?;
    }
    Ok(total.unsigned_abs())
}

#[cfg(test)]
mod tests;
