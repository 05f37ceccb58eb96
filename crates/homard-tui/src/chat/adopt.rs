//! Joining what was read with what was heard: the history wins, and what it does not hold yet stays below it.

use std::collections::HashSet;

use homard_protocol::methods::chat::ChatHistoryResult;
use homard_protocol::{Message, Word};
use serde_json::Value;

use super::history::lines;
use super::item::{ChatItem, ItemBody, SendState, ids};
use super::{Chat, ChatFacts, Older, WaitingMessage};
use crate::text::clean::clean_line;
use crate::wire::read;

/// More lines than this are let go of when the newest are read again, so that a chat left open does not grow.
const LINES_MAX: usize = 3_000;

pub(super) fn newest(chat: &mut Chat, page: &ChatHistoryResult, now: i64) {
    let mut active: HashSet<String> =
        page.session_info.active_run_ids.iter().map(ToString::to_string).collect();
    active.extend(page.in_flight_run.iter().map(|flight| flight.run_id.to_string()));
    let unsure = page.session_info.has_active_run && active.is_empty();
    // A run that was not acknowledged yet may not be known there; one that was and is not active has ended.
    chat.runs.retain(|run| !run.acknowledged || unsure || active.contains(&run.id));
    for run in &active {
        chat.run(run, now).acknowledged = true;
    }
    let stored = lines(&page.messages, &active);
    if let Some(flight) = &page.in_flight_run {
        let run = flight.run_id.as_str();
        let said: Vec<&str> = stored.iter().filter_map(|item| text_of(item, run)).collect();
        let thoughts = stored.iter().filter(|item| is_thought(item, run)).count();
        let live = chat.run(run, now);
        live.resume(&flight.text, &said);
        live.thought = live.thought.max(thoughts);
    }
    join(chat, stored, page);
    let runs: Vec<String> = chat.runs.iter().map(|run| run.id.clone()).collect();
    for run in runs {
        chat.draw(&run, None);
    }
    chat.waiting = waiting(page, &chat.waiting, &chat.items);
    chat.facts = facts(page);
    chat.loaded = true;
}

pub(super) fn older(chat: &mut Chat, page: &ChatHistoryResult) {
    let known: HashSet<&str> = chat.items.iter().map(|item| item.id.as_str()).collect();
    let mut above: Vec<ChatItem> = lines(&page.messages, &HashSet::new());
    above.retain(|item| !known.contains(item.id.as_str()));
    chat.older.loading = false;
    // An answer without anything new would be asked for again and again.
    chat.older.has_more = page.has_more && !above.is_empty();
    chat.older.offset =
        page.next_offset.unwrap_or(chat.older.offset.saturating_add(page.messages.len() as u64));
    chat.revision += 1;
    for item in &mut above {
        item.revision = chat.revision;
    }
    above.append(&mut chat.items);
    chat.items = above;
}

fn text_of<'a>(item: &'a ChatItem, run: &str) -> Option<&'a str> {
    match &item.body {
        ItemBody::Text { text, .. } if item.run.as_deref() == Some(run) => Some(text),
        _ => None,
    }
}

fn is_thought(item: &ChatItem, run: &str) -> bool {
    item.run.as_deref() == Some(run) && matches!(item.body, ItemBody::Thinking { .. })
}

/// Puts the page in the place of what is held of it.
fn join(chat: &mut Chat, mut stored: Vec<ChatItem>, page: &ChatHistoryResult) {
    let held = std::mem::take(&mut chat.items);
    let joint = stored.first().and_then(|first| held.iter().position(|item| item.id == first.id));
    let joint = joint.filter(|_| held.len() < LINES_MAX);
    let grown = page.total_messages.saturating_sub(chat.older.total);
    chat.older = match joint {
        // Older pages stay above; what came since moves where the next one begins.
        Some(at) if at > 0 => Older {
            offset: chat.older.offset.saturating_add(grown),
            total: page.total_messages,
            ..chat.older
        },
        _ => Older {
            has_more: page.has_more,
            offset: page.next_offset.unwrap_or(page.messages.len() as u64),
            loading: false,
            total: page.total_messages,
        },
    };
    chat.revision += 1;
    for item in &mut stored {
        // What did not change need not be laid out again.
        let same = held.iter().rfind(|known| known.id == item.id && known.body == item.body);
        item.revision = same.map_or(chat.revision, |known| known.revision);
    }
    let (mut above, below) = split(held, joint);
    let known: HashSet<String> = stored.iter().chain(&above).map(|item| item.id.clone()).collect();
    above.extend(stored);
    chat.items = above;
    for item in below {
        if !known.contains(&item.id) && stays(chat, &item) {
            place(&mut chat.items, item);
        }
    }
}

fn split(mut held: Vec<ChatItem>, joint: Option<usize>) -> (Vec<ChatItem>, Vec<ChatItem>) {
    match joint {
        Some(at) => {
            let below = held.split_off(at);
            (held, below)
        }
        None => (Vec::new(), held),
    }
}

/// Whether a line that the history does not hold is still true.
fn stays(chat: &Chat, item: &ChatItem) -> bool {
    let is_live = item.run.as_ref().is_some_and(|run| chat.runs.iter().any(|live| live.id == *run));
    match &item.body {
        ItemBody::User { state, .. } => is_live || *state != SendState::Sent,
        // Commands on this machine are in no history, and why a run failed may be in none.
        ItemBody::Shell { .. } | ItemBody::Error(_) => true,
        _ => is_live,
    }
}

/// Puts a line after the one it came after, or at the end.
fn place(items: &mut Vec<ChatItem>, item: ChatItem) {
    let is_local = matches!(item.body, ItemBody::Shell { .. } | ItemBody::Error(_));
    let found = item.after.as_ref().filter(|_| is_local);
    match found.and_then(|after| items.iter().position(|known| known.id == *after)) {
        Some(at) => items.insert(at + 1, item),
        None => items.push(item),
    }
}

/// What waits according to the history; what this program knows better of its own stays.
fn waiting(page: &ChatHistoryResult, known: &[WaitingMessage], items: &[ChatItem]) -> Vec<WaitingMessage> {
    let begun = |run: &str| items.iter().any(|item| item.id == ids::user(run));
    let listed = page.pending_inputs.items.iter().filter(|input| !begun(input.run_id.as_str()));
    listed
        .map(|input| {
            let run = input.run_id.to_string();
            let steer = known.iter().any(|mine| mine.run == run && mine.steer);
            WaitingMessage { run, text: input.text.clone(), steer }
        })
        .collect()
}

fn facts(page: &ChatHistoryResult) -> ChatFacts {
    let (row, defaults) = (&page.session_info, &page.defaults);
    let or = |one: &Option<String>, other: &str| clean_line(one.as_deref().unwrap_or(other));
    let title =
        [&row.label, &row.display_name, &row.derived_title, &row.auto_label].into_iter().flatten().next();
    ChatFacts {
        provider: or(&row.model_provider, &defaults.model_provider),
        model: or(&row.model, &defaults.model),
        used: row.total_tokens,
        limit: row.context_tokens.or(Some(defaults.context_tokens)).filter(|limit| *limit > 0),
        thinking: clean_line(
            page.thinking_level.as_ref().map_or(defaults.thinking_default.as_str(), Word::as_str),
        ),
        levels: defaults.thinking_levels.clone(),
        cost: cost(&page.messages),
        title: title.map(|title| clean_line(title)).unwrap_or_default(),
    }
}

/// What the calls since the last question cost.
fn cost(messages: &[Value]) -> Option<f64> {
    let mut sum = None;
    for message in messages.iter().rev() {
        match read::<Message>(message) {
            Some(Message::User(_)) => break,
            Some(Message::Assistant(said)) if said.usage.cost.total > 0.0 => {
                *sum.get_or_insert(0.0) += said.usage.cost.total;
            }
            _ => {}
        }
    }
    sum
}

/// Whether between what is held and this page something is missing: more was said than fits it.
pub(super) fn leaves_hole(chat: &Chat, page: &ChatHistoryResult) -> bool {
    let first = lines(page.messages.get(..1).unwrap_or_default(), &HashSet::new());
    let joins = first.iter().any(|first| chat.items.iter().any(|item| item.id == first.id));
    chat.loaded && page.has_more && !chat.items.is_empty() && !joins
}
