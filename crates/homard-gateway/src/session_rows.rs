//! Session records as lists show them.

use homard_llm::{ModelSpec, ThinkingLevel};
use homard_models::select::{default_level, supported_levels};
use homard_protocol::session_row::{
    SessionDefaults, SessionRow, SessionRowKind, SessionStatus, ThinkingLevelOption,
};
use homard_protocol::session_words::ResponseUsage;
use homard_protocol::{ChatKind, SessionKey};
use homard_store::{SessionEntry, SessionKind, SessionRecord};

use crate::gateway::Gateway;

/// One row.
pub(crate) fn row(gateway: &Gateway, record: &SessionRecord) -> SessionRow {
    let entry = &record.entry;
    let kind = SessionKind::of(&record.key);
    let active = gateway.relay().turns().active_ids(&record.key);
    let model = gateway.relay().sessions().model_for(&record.key, Some(record));
    let status = if !active.is_empty() {
        Some(SessionStatus::Running)
    } else if entry.aborted_last_run == Some(true) {
        Some(SessionStatus::Killed)
    } else {
        entry.system_sent.filter(|&sent| sent).map(|_| SessionStatus::Done)
    };
    SessionRow {
        key: record.key.clone(),
        kind: wire_kind(&record.key),
        classification: Some(kind),
        session_id: Some(record.session_id.clone()),
        agent_id: Some(record.agent_id.clone()),
        is_main: record.key.is_main(),
        is_background: matches!(kind, SessionKind::Cron | SessionKind::Hook | SessionKind::Subagent),
        label: entry.label.clone(),
        auto_label: entry.auto_label.clone(),
        category: entry.category.clone(),
        icon: entry.icon.clone(),
        color: entry.color.clone(),
        status_note: entry.status_note.clone(),
        parent_session_key: entry.parent_session_key.clone(),
        created_via: entry.created_via.clone(),
        model_override_source: entry.model_override_source.as_ref().map(ToString::to_string),
        unread: unread(entry),
        marked_unread_at: entry.marked_unread_at,
        display_name: entry.display_name.clone(),
        derived_title: record.derived_title.clone(),
        last_message_preview: record.last_message_preview.clone(),
        channel: entry.channel.clone().or_else(|| record.key.channel().map(ToString::to_string)),
        chat_type: entry
            .chat_type
            .clone()
            .or_else(|| Some(if record.key.is_group() { ChatKind::Group } else { ChatKind::Direct }.into())),
        updated_at: Some(entry.updated_at),
        created_at: entry.created_at,
        last_interaction_at: entry.last_interaction_at,
        last_activity_at: entry.last_activity_at.max(entry.last_interaction_at),
        archived: entry.archived_at.is_some(),
        pinned: entry.pinned_at.is_some(),
        status,
        has_active_run: !active.is_empty(),
        active_run_ids: active,
        aborted_last_run: entry.aborted_last_run.unwrap_or(false),
        system_sent: entry.system_sent.unwrap_or(false),
        input_tokens: entry.input_tokens,
        output_tokens: entry.output_tokens,
        total_tokens: entry.total_tokens,
        total_tokens_fresh: entry.total_tokens_fresh,
        context_tokens: entry.context_tokens,
        model_provider: Some(model.provider.to_string()),
        model: Some(model.model.to_string()),
        thinking_level: entry.thinking_level.clone(),
        verbose_level: entry.verbose_level.clone(),
        reasoning_level: entry.reasoning_level.clone(),
        elevated_level: entry.elevated_level.clone(),
        response_usage: entry.response_usage.clone(),
        effective_response_usage: Some(entry.response_usage.clone().unwrap_or(ResponseUsage::Off.into())),
        effective_queue_mode: Some(gateway.relay().turns().queue_mode(&record.key, Some(entry))),
        exec_node: entry.exec_node.clone(),
        send_policy: entry.send_policy.clone(),
        group_activation: entry.group_activation.clone(),
        spawned_by: entry.spawned_by.clone(),
    }
}

/// Whether something is new since somebody last looked, or somebody wants it to look so.
fn unread(entry: &SessionEntry) -> bool {
    let last = entry.last_activity_at.max(entry.last_interaction_at);
    entry.marked_unread_at.is_some() || last > entry.last_read_at.or(Some(0))
}

/// A row for a session nobody has written to yet.
pub(crate) fn empty_row(gateway: &Gateway, key: &SessionKey) -> SessionRow {
    let model = gateway.relay().sessions().model_for(key, None);
    SessionRow {
        key: key.clone(),
        kind: wire_kind(key),
        agent_id: key.agent_id().cloned(),
        is_main: key.is_main(),
        model_provider: Some(model.provider.to_string()),
        model: Some(model.model.to_string()),
        effective_response_usage: Some(ResponseUsage::Off.into()),
        effective_queue_mode: Some(gateway.relay().turns().queue_mode(key, None)),
        ..SessionRow::default()
    }
}

fn wire_kind(key: &SessionKey) -> SessionRowKind {
    match key {
        SessionKey::Global => SessionRowKind::Global,
        SessionKey::Unknown => SessionRowKind::Unknown,
        SessionKey::Agent { .. } if key.is_group() => SessionRowKind::Group,
        SessionKey::Agent { .. } => SessionRowKind::Direct,
    }
}

/// What a session of `key` would use without overrides.
pub(crate) fn defaults(gateway: &Gateway, key: Option<&SessionKey>) -> SessionDefaults {
    let config = gateway.config().current();
    let main = SessionKey::main(config.agents.default_agent().id.clone());
    let model = gateway.relay().sessions().model_for(key.unwrap_or(&main), None);
    let known = gateway.relay().models().resolve(&model).ok().map(|resolved| resolved.model);
    SessionDefaults {
        model_provider: model.provider.to_string(),
        model: model.model.to_string(),
        context_tokens: known.as_ref().and_then(|model| model.context_window).map_or(0, u64::from),
        thinking_levels: known.as_deref().map(thinking_levels).unwrap_or_default(),
        thinking_default: known.as_deref().map_or(ThinkingLevel::Off, default_level),
    }
}

/// The choices of a thinking picker.
pub(crate) fn thinking_levels(model: &ModelSpec) -> Vec<ThinkingLevelOption> {
    let option = |level: &ThinkingLevel| ThinkingLevelOption { id: *level, label: level.to_string() };
    supported_levels(model).iter().map(option).collect()
}
