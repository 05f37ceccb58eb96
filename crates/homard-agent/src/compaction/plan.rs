//! Where a conversation is cut: what stays word for word and what becomes part of the summary. Pure.

use std::collections::HashMap;

use homard_protocol::{Entry, EntryKind, Message, ToolCallId};

use super::size;

/// A cut that saves less than one part in this many is not worth a summary.
const LEAST_GAIN: u64 = 8;

/// Where to cut.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Plan {
    /// The first entry that stays; everything before it is summarised.
    pub(crate) first_kept: usize,
    /// The newest thing the person said, when it lies before the cut because their turn alone is too long. It
    /// goes into the summary word for word.
    pub(crate) request: Option<usize>,
    /// Tokens of what is summarised.
    pub(crate) dropped: u64,
    /// Tokens of what stays.
    pub(crate) kept: u64,
}

/// How much may stay, in tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Keep {
    pub(crate) wanted: u64,
    /// Allowed, if that keeps the newest turn in one piece.
    pub(crate) most: u64,
}

/// Decides where to cut; `None` when summarising would save next to nothing. A call and its result always stay on the same
/// side. Earlier turns go first, then the beginning of the newest turn; its newest step always stays.
pub(crate) fn plan(entries: &[Entry], keep: Keep) -> Option<Plan> {
    let sizes: Vec<u64> = entries.iter().map(tokens).collect();
    let total: u64 = sizes.iter().sum();
    let cuts = cuts(entries, &sizes);
    let newest = entries.iter().rposition(is_from_a_person);
    // Cuts are in order, so what they keep shrinks: the first that fits keeps most.
    let fits = |cut: &&Cut, room: u64| cut.kept <= room;
    let of_turn = newest.and_then(|newest| cuts.iter().rfind(|cut| cut.at <= newest));
    let from = of_turn.map_or(0, |cut| cut.at);
    let chosen = cuts
        .iter()
        .take_while(|cut| newest.is_some() && cut.at <= from)
        .find(|cut| fits(cut, keep.wanted))
        .or_else(|| of_turn.filter(|cut| fits(cut, keep.most)))
        .or_else(|| {
            let mut within = cuts.iter().filter(|cut| newest.is_none() || cut.at > from);
            within.clone().find(|cut| fits(cut, keep.wanted)).or_else(|| within.next_back())
        })
        .or(of_turn)?;
    let dropped = total - chosen.kept;
    if chosen.at == 0 || dropped.saturating_mul(LEAST_GAIN) < total {
        return None;
    }
    let request = newest.filter(|&newest| newest < chosen.at);
    Some(Plan { first_kept: chosen.at, request, dropped, kept: chosen.kept })
}

/// Decides where to cut so that at most `most` of the newest entries stay; `None` when that is all there are.
pub(crate) fn newest(entries: &[Entry], most: usize) -> Option<Plan> {
    let sizes: Vec<u64> = entries.iter().map(tokens).collect();
    let total: u64 = sizes.iter().sum();
    let from = entries.len().checked_sub(most).filter(|from| *from > 0)?;
    let cut = cuts(entries, &sizes).into_iter().find(|cut| cut.at >= from)?;
    let request = entries.iter().rposition(is_from_a_person).filter(|&newest| newest < cut.at);
    Some(Plan { first_kept: cut.at, request, dropped: total - cut.kept, kept: cut.kept })
}

/// A place where the conversation may be cut.
struct Cut {
    at: usize,
    /// Tokens from here on.
    kept: u64,
}

/// All places where no call is parted from its result and something that was said begins, oldest first.
fn cuts(entries: &[Entry], sizes: &[u64]) -> Vec<Cut> {
    let mut called: HashMap<&ToolCallId, usize> = HashMap::new();
    // For each place, how many pairs it would part: +1 after the call, −1 after the result.
    let mut parted = vec![0_i64; entries.len() + 1];
    for (at, entry) in entries.iter().enumerate() {
        match message_of(entry) {
            Some(Message::Assistant(answer)) => called.extend(answer.tool_calls().map(|call| (&call.id, at))),
            Some(Message::ToolResult(result)) => {
                if let Some(&call) = called.get(&result.tool_call_id) {
                    for (place, change) in [(call + 1, 1), (at + 1, -1)] {
                        if let Some(parted) = parted.get_mut(place) {
                            *parted += change;
                        }
                    }
                }
            }
            Some(Message::User(_) | Message::Other(_)) | None => {}
        }
    }
    let mut kept: u64 = sizes.iter().sum();
    let mut pairs = 0;
    let mut cuts = Vec::new();
    for (at, ((entry, size), parted)) in entries.iter().zip(sizes).zip(parted).enumerate() {
        pairs += parted;
        let begins = !matches!(message_of(entry), Some(Message::ToolResult(_) | Message::Other(_)));
        if pairs == 0 && (at == 0 || (begins && is_told(entry))) {
            cuts.push(Cut { at, kept });
        }
        kept -= size;
    }
    cuts
}

fn message_of(entry: &Entry) -> Option<&Message> {
    match &entry.kind {
        EntryKind::Message { message } => Some(message),
        _ => None,
    }
}

/// Whether the model is told this kind of entry.
fn is_told(entry: &Entry) -> bool {
    matches!(
        entry.kind,
        EntryKind::Message { .. } | EntryKind::CustomMessage { .. } | EntryKind::BranchSummary { .. }
    )
}

fn is_from_a_person(entry: &Entry) -> bool {
    matches!(message_of(entry), Some(Message::User(_)))
}

fn tokens(entry: &Entry) -> u64 {
    match &entry.kind {
        EntryKind::Message { message } => size::of_message(message),
        EntryKind::CustomMessage { content, .. } => size::of_content(content),
        EntryKind::BranchSummary { summary, .. } => size::of_bytes(summary.len()),
        _ => 0,
    }
}

#[cfg(test)]
mod tests;
