//! Conversations as a source beside the notes, where the owner wants them searched: what was said since the last time is
//! handed to the index. Which of them a conversation may see is decided as for everything else that looks at them.

use std::collections::{BTreeMap, BTreeSet};

use homard_config::config::agents::Agent;
use homard_memory::SpokenMessage;
use homard_protocol::{AgentId, EntryKind, Message, SessionId, SessionKey};
use homard_runtime::{Arrange as _, CollectOrdered as _, Mutex};
use homard_store::{ArchivedFilter, PageEntry, PageQuery, SessionQuery, SessionRecord, StoreError};
use homard_tools::{PortError, SessionFilter, ToolCx};
use jiff::Timestamp;
use jiff::tz::TimeZone;

use super::{NotRecalled, apart, blocking};
use crate::parts::Recall;
use crate::turn_setup::settings::time_zone;

/// Conversations of an agent that are searched, at most: the newest.
const MAX_SESSIONS: usize = 10_000;
/// Messages that are read at once.
const PAGE: usize = 500;
/// Messages of one conversation that are taken in at once, at most: the newest.
const MAX_MESSAGES: usize = 20_000;
/// What was written a moment before the last look may not have been seen by it.
const OVERLAP_MS: i64 = 5_000;

/// How far conversations are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Depth {
    /// Those that grew by as much as the owner says.
    Grown,
    All,
}

/// The last look at the conversations of each agent.
#[derive(Debug, Default)]
pub(crate) struct SessionLooks {
    by_agent: Mutex<BTreeMap<AgentId, Look>>,
}

/// What a look found.
#[derive(Debug, Clone, Default)]
struct Look {
    /// When it was, in milliseconds: those that were active since are of interest. `None` where none are wanted.
    at: Option<i64>,
    /// Those that have not grown enough, by their ids.
    behind: BTreeMap<String, SessionId>,
}

impl SessionLooks {
    /// All of an agent's are looked at next time.
    pub(super) fn forget(&self, agent: &AgentId) {
        self.by_agent.lock().remove(agent);
    }
}

/// The conversations in an index by their ids.
pub(super) type Keys = BTreeMap<String, SessionKey>;

impl Recall {
    /// Brings what was said into an agent's index; takes it out where it is not wanted any more. A failure is told in the
    /// log: notes are searched all the same.
    pub(super) async fn take_in_sessions(&self, agent: &Agent, depth: Depth) {
        if let Err(error) = self.try_sessions(agent, depth).await {
            tracing::warn!(%error, agent = %agent.id, "conversations could not be taken into the index");
        }
    }

    async fn try_sessions(&self, agent: &Agent, depth: Depth) -> Result<(), NotRecalled> {
        let (place, memories) = (self.place(agent), self.memories().clone());
        let looked = self.session_looks().by_agent.lock().get(&agent.id).cloned();
        if !agent.memory_search.has_sessions() {
            // Once after a start, and when they were wanted until now.
            if looked.is_none_or(|look| look.at.is_some()) {
                blocking(move || memories.keep_transcripts(&place, &BTreeSet::new())).await??;
                self.session_looks().by_agent.lock().insert(agent.id.clone(), Look::default());
            }
            return Ok(());
        }
        let now = self.inner().clock().now_ms();
        let asked = place.clone();
        let kept = blocking(move || memories.transcripts(&asked)).await??;
        let kept: BTreeMap<String, i64> =
            kept.into_iter().map(|kept| (kept.session_id, kept.to)).collect_map();
        // An index that has none may have been made anew.
        let looked = looked.filter(|_| !kept.is_empty()).unwrap_or_default();
        let since = looked.at.map(|at| at - OVERLAP_MS);
        let is_whole = depth == Depth::All || since.is_none();
        let mut rows = self.sessions_of(&agent.id, since.filter(|_| !is_whole)).await?;
        if is_whole {
            let (ids, place, memories) = (ids(&rows), place.clone(), self.memories().clone());
            blocking(move || memories.keep_transcripts(&place, &ids)).await??;
            // Reading thousands of conversations again because another begins would be for nothing.
            rows.retain(|row| since.is_none_or(|since| row.entry.updated_at >= since));
        }
        let mut due = looked.behind;
        due.extend(rows.into_iter().map(|row| (row.session_id.to_string(), row.session_id)));
        let mut behind = BTreeMap::new();
        for (name, id) in due {
            if !self.take_in(agent, &id, kept.get(&name).copied(), depth).await? {
                behind.insert(name, id);
            }
        }
        self.session_looks().by_agent.lock().insert(agent.id.clone(), Look { at: Some(now), behind });
        Ok(())
    }

    /// Whether all of a conversation is in the index now.
    async fn take_in(
        &self,
        agent: &Agent,
        id: &SessionId,
        known: Option<i64>,
        depth: Depth,
    ) -> Result<bool, NotRecalled> {
        let place = self.place(agent);
        let (mut entries, last) = self.said_since(id, known.unwrap_or(0)).await?;
        let mut known = known;
        if known.is_some_and(|known| last < known) {
            // It was cut back: what is in the index is not what was said.
            let (asked, memories, own) = (place.clone(), self.memories().clone(), id.to_string());
            blocking(move || memories.forget_transcript(&asked, &own)).await??;
            (entries, _) = self.said_since(id, 0).await?;
            known = None;
        }
        let zone = time_zone(self.inner().config().agents.defaults.user_timezone.as_deref());
        let said: Vec<SpokenMessage> = entries.iter().filter_map(|entry| said(entry, &zone)).collect();
        let sync = agent.memory_search.sync;
        let (messages, bytes) =
            (said.len() as u64, said.iter().map(|said| said.text.len() as u64).sum::<u64>());
        let has_grown = messages >= sync.delta_messages || bytes >= sync.delta_bytes;
        if said.is_empty() {
            return Ok(true);
        }
        if depth == Depth::Grown && !has_grown {
            return Ok(false);
        }
        tracing::debug!(session = %id, messages, from = known, "a conversation is taken into the index");
        let (asked, memories, own) = (place.clone(), self.memories().clone(), id.to_string());
        apart(move || memories.add_transcript(&asked, &own, &said, last)).await??;
        Ok(true)
    }

    /// What was said after a place, oldest first, and the last place.
    async fn said_since(&self, id: &SessionId, after: i64) -> Result<(Vec<PageEntry>, i64), NotRecalled> {
        let mut found: Vec<PageEntry> = Vec::new();
        let (mut before, mut last) = (None, 0);
        loop {
            let query = PageQuery { limit: PAGE, before_seq: before, offset: 0 };
            let page = self.inner().store().transcripts().page(id, query).await?;
            last = last.max(page.entries.last().map_or(0, |entry| entry.seq));
            let first = page.entries.first().map(|entry| entry.seq);
            found.extend(page.entries.into_iter().filter(|entry| entry.seq > after));
            match first.filter(|first| page.has_more && *first > after && found.len() < MAX_MESSAGES) {
                Some(first) => before = Some(first),
                None => break,
            }
        }
        found.arrange_by_key(|entry| entry.seq);
        Ok((found, last))
    }

    async fn sessions_of(
        &self,
        agent: &AgentId,
        since: Option<i64>,
    ) -> Result<Vec<SessionRecord>, StoreError> {
        let query = SessionQuery {
            agent: Some(agent.clone()),
            limit: MAX_SESSIONS,
            active_since: since,
            archived: ArchivedFilter::All,
            ..SessionQuery::default()
        };
        Ok(self.inner().store().sessions().list(query).await?.rows)
    }

    /// All conversations of an agent that are searched, for the owner.
    pub(super) async fn all_sessions(&self, agent: &Agent) -> Result<Keys, NotRecalled> {
        if !agent.memory_search.has_sessions() {
            return Ok(Keys::new());
        }
        Ok(keys(self.sessions_of(&agent.id, None).await?, agent))
    }

    /// Those of them a call may see.
    pub(super) async fn sessions_seen(&self, cx: &ToolCx, agent: &Agent) -> Result<Keys, PortError> {
        if !agent.memory_search.has_sessions() {
            return Ok(Keys::new());
        }
        let seen = self.sessions().rows_seen(cx, &SessionFilter::default()).await?;
        Ok(keys(seen, agent))
    }
}

fn keys(rows: Vec<SessionRecord>, agent: &Agent) -> Keys {
    let own = rows.into_iter().filter(|row| row.agent_id == agent.id);
    own.map(|row| (row.session_id.to_string(), row.key)).collect_map()
}

fn ids(rows: &[SessionRecord]) -> BTreeSet<String> {
    rows.iter().map(|row| row.session_id.to_string()).collect_set()
}

/// What people and the agent say; nothing of what tools did.
fn said(entry: &PageEntry, zone: &TimeZone) -> Option<SpokenMessage> {
    let EntryKind::Message { message } = &entry.entry.kind else { return None };
    let (is_of_agent, at) = match message {
        Message::User(said) => (false, said.timestamp),
        Message::Assistant(said) => (true, said.timestamp),
        Message::ToolResult(_) | Message::Other(_) => return None,
    };
    let text = message.text();
    let day = Timestamp::from_millisecond(at).ok().map(|at| at.to_zoned(zone.clone()).date());
    (!text.trim().is_empty()).then_some(SpokenMessage { place: entry.seq, day, is_of_agent, text })
}
