//! Updates: how they come to be, and how they are asked for.

use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::{Instant, timeout_at};

use super::body::Asked;
use super::desk::{Shared, State};
use super::refusal::Refusal;

/// Kinds that come only when they are asked for.
const ON_REQUEST: [&str; 3] = ["chat_member", "message_reaction", "message_reaction_count"];
/// Most updates in one answer.
const MOST: i64 = 100;

/// Puts an update into the queue, numbered unless it is already; returns its number.
pub(super) fn push(shared: &Shared, mut update: Value) -> i64 {
    let mut state = shared.state();
    let number = match update.get("update_id").and_then(Value::as_i64) {
        Some(number) => number,
        None => {
            let number = state.next_update;
            if let Some(map) = update.as_object_mut() {
                map.insert("update_id".to_owned(), number.into());
            }
            number
        }
    };
    state.next_update = state.next_update.max(number + 1);
    if is_wanted(&state, &update) {
        state.updates.push_back((number, update));
    }
    let waiting = state.updates.len();
    drop(state);
    shared.count(|tally| {
        tally.updates += 1;
        tally.waiting = waiting;
        tally.news += 1;
    });
    number
}

/// Before anybody said what they want to hear, everything is kept, so that a test may speak first.
fn is_wanted(state: &State, update: &Value) -> bool {
    let Some(allowed) = &state.allowed else { return true };
    let kinds =
        update.as_object().map(|map| map.keys().filter(|key| *key != "update_id").collect::<Vec<_>>());
    let Some(kinds) = kinds.filter(|kinds| !kinds.is_empty()) else { return true };
    kinds.iter().any(|kind| {
        if allowed.is_empty() { !ON_REQUEST.contains(&kind.as_str()) } else { allowed.contains(*kind) }
    })
}

/// `getUpdates`.
pub(super) async fn poll(shared: &Shared, asked: &Asked) -> Result<Value, Refusal> {
    let number = |name: &str| asked.params.get(name).and_then(Value::as_i64);
    let limit = number("limit").unwrap_or(MOST);
    if !(1..=MOST).contains(&limit) {
        return Err(Refusal::bad("limit must be between 1 and 100"));
    }
    let limit = usize::try_from(limit).unwrap_or(1);
    let wait = Duration::from_secs(u64::try_from(number("timeout").unwrap_or(0)).unwrap_or(0));
    let mut tally = shared.tally();
    let mine = {
        let mut state = shared.state();
        refuse_beside_webhook(&state)?;
        if let Some(allowed) = asked.params.get("allowed_updates").and_then(Value::as_array) {
            state.allowed = Some(allowed.iter().filter_map(Value::as_str).map(str::to_owned).collect());
        }
        confirm(&mut state, number("offset").unwrap_or(0));
        state.poll += 1;
        state.poll
    };
    let waiting = shared.state().updates.len();
    shared.count(|tally| {
        tally.polls += 1;
        tally.waiting = waiting;
        // An older poll wakes up and finds that it was taken over.
        tally.news += 1;
    });
    let until = Instant::now() + wait;
    loop {
        tally.mark_unchanged();
        {
            let state = shared.state();
            refuse_beside_webhook(&state)?;
            if state.poll != mine {
                return Err(Refusal::new(
                    409,
                    "Conflict: terminated by other getUpdates request; make sure that only one bot instance is running",
                ));
            }
            let some: Vec<Value> =
                state.updates.iter().take(limit).map(|(_, update)| update.clone()).collect();
            if !some.is_empty() || wait.is_zero() {
                return Ok(Value::Array(some));
            }
        }
        match timeout_at(until, tally.changed()).await {
            Ok(Ok(())) => {}
            _late_or_gone => return Ok(json!([])),
        }
    }
}

fn refuse_beside_webhook(state: &State) -> Result<(), Refusal> {
    match state.webhook {
        Some(_) => Err(Refusal::new(
            409,
            "Conflict: can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first",
        )),
        None => Ok(()),
    }
}

/// Everything below the offset is forgotten; a negative one keeps that many from the end.
fn confirm(state: &mut State, offset: i64) {
    if offset < 0 {
        let keep = usize::try_from(offset.unsigned_abs()).unwrap_or(usize::MAX);
        let surplus = state.updates.len().saturating_sub(keep);
        state.updates.drain(..surplus);
    } else if offset > 0 {
        state.updates.retain(|(number, _)| *number >= offset);
    }
}
