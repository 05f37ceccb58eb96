//! Conversations as another conversation may see them: lists, words, how they stand.

use std::collections::HashSet;
use std::fmt::Write as _;

use homard_config::config::agents::delegation::Visibility;
use homard_protocol::events::SessionChange;
use homard_protocol::{Message, SessionKey};
use homard_runtime::{Clip, millis_i64};
use homard_store::{
    ArchivedFilter, PageEntry, SearchHit, SearchQuery, SessionKind, SessionQuery, SessionRecord,
};
use homard_tools::{
    AgentLine, FoundMessage, FoundMessages, HistoryLine, HistoryPage, HistoryWanted, PortError,
    SessionFilter, SessionLine, SessionsPage, SessionsQuestion, ToolCx,
};
use jiff::Timestamp;

use crate::parts::Sessions;
use crate::ports::not_kept;
use crate::sessions::access::{agent_of, has_strangers, judge, may_reach, visibility};
use crate::turn_setup::settings::{chosen_model, time_zone};

/// Longest text of one message.
const MAX_TEXT: usize = 4_000;
/// Most bytes of one answer.
const MAX_BYTES: usize = 80 * 1024;
/// Sessions looked through for one list.
const MAX_LOOKED_AT: usize = 1_000;
/// The word that takes a choice of model back.
const DEFAULT_MODEL: &str = "default";

impl Sessions {
    /// The conversations `cx` may see, newest first.
    pub(crate) async fn sessions_seen(
        &self,
        cx: &ToolCx,
        filter: &SessionFilter,
    ) -> Result<SessionsPage, PortError> {
        let mut seen = SessionsPage::default();
        let mut room = MAX_BYTES;
        let wanted = |row: &&SessionRecord| {
            filter.kinds.is_empty() || filter.kinds.iter().any(|kind| kind == kind_word(&row.key))
        };
        let rows = self.rows_seen(cx, filter).await?;
        for row in rows.iter().filter(wanted).take(filter.limit) {
            let mut line = self.line(row);
            if filter.messages > 0 {
                let store = self.inner().store();
                let page = store
                    .transcripts()
                    .last_messages(&row.session_id, filter.messages)
                    .await
                    .map_err(not_kept)?;
                line.messages = told(&page, false, &mut room).0;
                if row.key != cx.session_key {
                    seen.labels.extend(self.setup().labels_of(&row.key).await.map_err(not_kept)?);
                }
            }
            seen.sessions.push(line);
        }
        Ok(seen)
    }

    /// The same as they are kept.
    pub(crate) async fn rows_seen(
        &self,
        cx: &ToolCx,
        filter: &SessionFilter,
    ) -> Result<Vec<SessionRecord>, PortError> {
        let (config, store) = (self.inner().config(), self.inner().store());
        let own = agent_of(&config, &cx.session_key);
        let since = filter.active_within.map(|time| cx.clock.now_ms().saturating_sub(millis_i64(time)));
        let query = SessionQuery { limit: MAX_LOOKED_AT, active_since: since, ..SessionQuery::default() };
        let tools = &config.tools;
        let visibility = visibility(&config, cx);
        let query = match visibility {
            Visibility::OnlySelf | Visibility::Tree => {
                let mut rows: Vec<SessionRecord> =
                    store.sessions().get(&cx.session_key).await.map_err(not_kept)?.into_iter().collect();
                if visibility == Visibility::Tree {
                    rows.extend(self.descendants(cx, &query).await?);
                }
                rows.retain(|row| since.is_none_or(|since| row.entry.updated_at >= since));
                rows.sort_by_key(|row| std::cmp::Reverse(row.entry.updated_at));
                return Ok(rows);
            }
            Visibility::Agent => SessionQuery { agent: Some(own.clone()), ..query },
            Visibility::All => SessionQuery { include_global: true, ..query },
        };
        let mut rows = store.sessions().list(query).await.map_err(not_kept)?.rows;
        rows.retain(|row| {
            let (other, is_own) = (agent_of(&config, &row.key), row.key == cx.session_key);
            judge(visibility, &tools.agent_to_agent, own, other, is_own).is_ok()
        });
        Ok(rows)
    }

    /// What the conversation started, and what that started.
    async fn descendants(&self, cx: &ToolCx, query: &SessionQuery) -> Result<Vec<SessionRecord>, PortError> {
        let mut found = Vec::new();
        let mut seen = HashSet::from([cx.session_key.clone()]);
        let mut parents = vec![cx.session_key.clone()];
        while let Some(parent) = parents.pop() {
            let query =
                SessionQuery { spawned_by: Some(parent.to_string()), active_since: None, ..query.clone() };
            for row in self.inner().store().sessions().list(query).await.map_err(not_kept)?.rows {
                if found.len() < MAX_LOOKED_AT && seen.insert(row.key.clone()) {
                    parents.push(row.key.clone());
                    found.push(row);
                }
            }
        }
        Ok(found)
    }

    fn line(&self, row: &SessionRecord) -> SessionLine {
        let entry = &row.entry;
        // Titles made of what strangers said are their words.
        let made =
            if has_strangers(&row.key) { [&None, &None] } else { [&entry.auto_label, &row.derived_title] };
        let label = [&entry.label, &entry.display_name].into_iter().chain(made);
        let model = entry.model.as_ref().map(|model| match &entry.model_provider {
            Some(provider) => format!("{provider}/{model}"),
            None => model.clone(),
        });
        SessionLine {
            key: row.key.clone(),
            kind: kind_word(&row.key),
            label: label.flatten().next().cloned(),
            updated_at: rfc3339(entry.updated_at),
            model,
            context_tokens: entry.total_tokens.filter(|_| entry.total_tokens_fresh == Some(true)),
            running: !self.runs().of_session(&row.key).is_empty(),
            spawned_by: entry.spawned_by.clone(),
            messages: Vec::new(),
        }
    }

    /// What was said in a conversation, words only.
    pub(crate) async fn history_seen(
        &self,
        cx: &ToolCx,
        wanted: &HistoryWanted,
    ) -> Result<HistoryPage, PortError> {
        let row = self.session_seen(cx, &wanted.key).await?;
        let store = self.inner().store();
        let page =
            store.transcripts().last_messages(&row.session_id, wanted.limit).await.map_err(not_kept)?;
        let mut room = MAX_BYTES;
        let (messages, truncated) = told(&page, wanted.tools, &mut room);
        let labels = self.setup().labels_of(&row.key).await.map_err(not_kept)?;
        Ok(HistoryPage { session_key: row.key, messages, truncated, labels })
    }

    /// What was said in the conversations `cx` may see, by its words.
    pub(crate) async fn search_seen(
        &self,
        cx: &ToolCx,
        question: SessionsQuestion,
    ) -> Result<FoundMessages, PortError> {
        let rows = self.rows_seen(cx, &SessionFilter::default()).await?;
        let within = SessionQuery {
            keys: Some(rows.into_iter().map(|row| row.key).collect()),
            archived: ArchivedFilter::All,
            include_global: true,
            include_unknown: true,
            ..SessionQuery::default()
        };
        let query = SearchQuery { text: question.text, limit: question.limit, within };
        let page = self.inner().store().search().find(query).await.map_err(not_kept)?;
        let mut found = FoundMessages { incomplete: page.indexing, ..FoundMessages::default() };
        let others = page.hits.iter().map(|hit| &hit.session_key).filter(|key| **key != cx.session_key);
        for key in others.collect::<HashSet<_>>() {
            found.labels.extend(self.setup().labels_of(key).await.map_err(not_kept)?);
        }
        found.results = page.hits.into_iter().map(found_message).collect();
        Ok(found)
    }

    /// A conversation by its key, if it may be seen.
    async fn session_seen(&self, cx: &ToolCx, key: &str) -> Result<SessionRecord, PortError> {
        let (config, store) = (self.inner().config(), self.inner().store());
        let unknown = || PortError::NoSession(key.clip_chars(200).to_owned());
        let parsed = SessionKey::parse_for(key.trim(), agent_of(&config, &cx.session_key));
        let parsed = parsed.map_err(|_unreadable| unknown())?;
        may_reach(&config, store, cx, &parsed).await?;
        store.sessions().get(&parsed).await.map_err(not_kept)?.ok_or_else(unknown)
    }

    /// The time and how a conversation stands, in words; changes its model first if one is named.
    pub(crate) async fn status_card(
        &self,
        cx: &ToolCx,
        key: Option<&str>,
        model: Option<&str>,
    ) -> Result<String, PortError> {
        let own = cx.session_key.to_string();
        let mut row = self.session_seen(cx, key.unwrap_or(&own)).await?;
        if let Some(model) = model {
            row = self.choose_model(&row.key, model).await?;
        }
        let config = self.inner().config();
        let agent = config.agents.agent(&row.agent_id).unwrap_or(config.agents.default_agent());
        let chosen = chosen_model(&self.inner().router(), agent, Some(&row.entry));
        let zone = time_zone(config.agents.defaults.user_timezone.as_deref());
        let now = Timestamp::from_millisecond(cx.clock.now_ms()).unwrap_or_default().to_zoned(zone);
        let mut card = format!("Time: {}\n", now.strftime("%A %Y-%m-%d %H:%M %Z"));
        let label = row.entry.label.as_deref().map(|label| format!(" ({label})")).unwrap_or_default();
        let _written = writeln!(card, "Session: {}{label}", row.key);
        let _written = writeln!(card, "Model: {chosen}");
        if let Some(level) = &row.entry.thinking_level {
            let _written = writeln!(card, "Thinking: {level}");
        }
        if let (Some(used), Some(window)) = (row.entry.total_tokens, row.entry.context_tokens) {
            let percent = used.saturating_mul(100) / window.max(1);
            let _written = writeln!(card, "Context: {used} of {window} tokens ({percent} %)");
        }
        let spent = self.inner().store().usage().spent_by_session(&row.key).await.map_err(not_kept)?;
        let tokens = spent.iter().fold(0_u64, |sum, row| sum.saturating_add(row.tokens));
        let usd: f64 = spent.iter().map(|row| row.usd).sum();
        let _written = writeln!(card, "Used so far: {tokens} tokens, ${usd:.4}");
        if let Some(compactions) = row.entry.compaction_count.filter(|&count| count > 0) {
            let _written = writeln!(card, "Compactions: {compactions}");
        }
        let runs = self.runs().of_session(&row.key).len();
        let _written = write!(card, "Runs under way or waiting: {runs}");
        Ok(card)
    }

    async fn choose_model(&self, key: &SessionKey, text: &str) -> Result<SessionRecord, PortError> {
        let chosen =
            if text.eq_ignore_ascii_case(DEFAULT_MODEL) { None } else { Some(self.usable_model(text)?) };
        let patched = self.inner().store().sessions().patch(key, move |entry| {
            entry.choose_model(chosen.as_ref());
        });
        let row = patched.await.map_err(not_kept)?;
        self.announce_change(&row, SessionChange::Patch);
        Ok(row)
    }

    /// The model a text names, if it may be used.
    pub(crate) fn usable_model(&self, text: &str) -> Result<homard_protocol::ModelRef, PortError> {
        let router = self.inner().router();
        let invalid = |error: String| PortError::Invalid(error);
        let model = router.selector().parse(text).map_err(|error| invalid(error.to_string()))?.model;
        router.models().resolve(&model).map_err(|error| invalid(error.to_string()))?;
        if router.selector().allows(&model) {
            Ok(model)
        } else {
            Err(PortError::NotAllowed(format!("the model {model} is not in agents.defaults.models")))
        }
    }

    /// The agents a conversation may start.
    pub(crate) fn agents_startable(&self, cx: &ToolCx) -> Vec<AgentLine> {
        let config = self.inner().config();
        let own = agent_of(&config, &cx.session_key);
        let agents = config.agents.list.iter().filter(|agent| self.subagents().may_start(own, &agent.id));
        let line = |agent: &homard_config::config::agents::Agent| AgentLine {
            id: agent.id.clone(),
            name: agent.identity.name.clone().or_else(|| agent.name.clone()),
            model: agent.model.primary.as_ref().map(ToString::to_string),
            you: agent.id == *own,
        };
        agents.map(line).collect()
    }
}

/// The word lists use for a kind of conversation.
fn kind_word(key: &SessionKey) -> &'static str {
    match SessionKind::of(key) {
        SessionKind::Main => "main",
        SessionKind::Group => "group",
        SessionKind::Cron => "cron",
        SessionKind::Hook => "hook",
        SessionKind::Direct
        | SessionKind::Subagent
        | SessionKind::Program
        | SessionKind::Named
        | SessionKind::Global
        | SessionKind::Unknown => "other",
    }
}

fn found_message(hit: SearchHit) -> FoundMessage {
    FoundMessage {
        session_key: hit.session_key,
        role: hit.role,
        at: rfc3339(hit.timestamp),
        text: hit.snippet,
    }
}

fn rfc3339(at: i64) -> String {
    Timestamp::from_millisecond(at).map(|time| time.to_string()).unwrap_or_default()
}

/// The words of messages, the newest that fit into `room` bytes, and whether something was left out.
fn told(page: &[PageEntry], tools: bool, room: &mut usize) -> (Vec<HistoryLine>, bool) {
    let mut lines = Vec::new();
    let mut is_cut = false;
    for entry in page.iter().rev() {
        let homard_protocol::EntryKind::Message { message } = &entry.entry.kind else { continue };
        let (role, tool) = match message {
            Message::User(_) => ("user", None),
            Message::Assistant(_) => ("assistant", None),
            Message::ToolResult(result) if tools => ("tool", Some(result.tool_name.clone())),
            Message::ToolResult(_) | Message::Other(_) => continue,
        };
        let whole = message.text();
        if whole.is_empty() {
            continue;
        }
        let text = whole.ellipsis_after(MAX_TEXT);
        is_cut |= text != whole;
        match room.checked_sub(text.len()) {
            Some(rest) => *room = rest,
            None => return (reversed(lines), true),
        }
        lines.push(HistoryLine { role, tool, text });
    }
    (reversed(lines), is_cut)
}

fn reversed(mut lines: Vec<HistoryLine>) -> Vec<HistoryLine> {
    lines.reverse();
    lines
}
