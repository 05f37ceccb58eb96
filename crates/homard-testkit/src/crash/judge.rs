//! What people see, held against what the gateway says it did: every message they see has its record.
//!
//! A message is explained by the receipt of a row of the outbox, or, where nobody knows its number, by a row of the same
//! place and words that the gateway marked as one that may have arrived, once for each time it was marked; where a
//! platform has no numbers, once more for a row that was sent. Anything else is a message the gateway does not know of.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use anyhow::{Context as _, Result};
use rusqlite::{Connection, OpenFlags};
use serde_json::Value;

use super::workload::MARK;

/// How the key of a message ends that shows an answer while it is made.
const PREVIEW: &str = ":preview";
/// How the key of a message ends that tells somebody to ask once more, before its number.
const GIVEN_UP: &str = ":given-up:";
/// How the key of a message begins that asks the owner whether something may be done: what it shows is no answer.
const QUESTION: &str = "question";
/// What stands between the name of a message's first turn and the number of another.
const AGAIN: char = '~';

/// A message from the gateway, as people see it.
#[derive(Debug, Clone)]
pub(super) struct SeenMessage {
    /// The platform and the chat.
    pub(super) place: String,
    /// Its number, on platforms that number them.
    pub(super) number: Option<i64>,
    pub(super) text: String,
}

/// One delivery, as the gateway keeps it.
#[derive(Debug)]
struct Row {
    key: String,
    place: String,
    text: String,
    /// The number the platform gave it.
    message: Option<i64>,
    /// How many further messages of it people may see.
    spare: u64,
}

/// What was found.
#[derive(Debug, Default)]
pub(super) struct Verdict {
    /// Of each mark: the deliveries people see it in, previews left out.
    pub(super) seen: BTreeMap<String, BTreeSet<String>>,
    /// Messages beyond the first of one delivery.
    pub(super) copies: u64,
    /// Beginnings of answers that stand beside the answer, because nobody knew their number.
    pub(super) previews: u64,
    /// Messages without a record.
    pub(super) unexplained: Vec<SeenMessage>,
    /// The first turns of messages whose senders were told to ask once more.
    pub(super) given_up: Vec<String>,
}

impl Verdict {
    /// Of what was asked: what nobody sees an answer to, and how much of that people were told to ask once more. Having been
    /// told so once excuses nothing else at the same place.
    pub(super) fn unanswered(
        &self,
        asked: Vec<(String, String)>,
        told: &BTreeSet<String>,
    ) -> (Vec<(String, String)>, usize) {
        let unseen = asked.into_iter().filter(|(mark, _)| !self.seen.contains_key(mark));
        let (told, owed): (Vec<_>, Vec<_>) = unseen.partition(|(mark, _)| told.contains(mark));
        (owed, told.len())
    }
}

/// Judges what is seen now.
///
/// # Errors
/// When the gateway's records cannot be read.
pub(super) fn judge(all: &[SeenMessage], database: &Path) -> Result<Verdict> {
    let mut rows = ledger(database)?;
    let mut verdict = Verdict::default();
    let given_up = rows.iter().filter_map(|row| row.key.split_once(GIVEN_UP));
    verdict.given_up = given_up.map(|(run, _)| run.split(AGAIN).next().unwrap_or(run).to_owned()).collect();
    let mut shown_of: BTreeMap<usize, u64> = BTreeMap::new();
    for shown in all {
        let Some(at) = explain(&mut rows, shown) else {
            verdict.unexplained.push(shown.clone());
            continue;
        };
        let Some(row) = rows.get(at) else { continue };
        *shown_of.entry(at).or_default() += 1;
        if row.key.ends_with(PREVIEW) {
            verdict.previews += 1;
            continue;
        }
        if row.key.starts_with(QUESTION) {
            continue;
        }
        for mark in marks(&shown.text) {
            verdict.seen.entry(mark).or_default().insert(row.key.clone());
        }
    }
    verdict.copies = shown_of.values().map(|n| n.saturating_sub(1)).sum();
    Ok(verdict)
}

/// The row a message is of: the last that has its number, or one that may have left it behind.
fn explain(rows: &mut [Row], shown: &SeenMessage) -> Option<usize> {
    let has_its_number = |row: &Row| row.place == shown.place && row.message == shown.number;
    let by_receipt = shown.number.and_then(|_| rows.iter().rposition(has_its_number));
    if by_receipt.is_some() {
        return by_receipt;
    }
    let left = |row: &Row| row.place == shown.place && row.spare > 0 && row.text == shown.text;
    let at = rows.iter().position(left)?;
    rows.get_mut(at)?.spare -= 1;
    Some(at)
}

/// The marked words of a text.
pub(super) fn marks(text: &str) -> Vec<String> {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '-');
    words.filter(|word| word.starts_with(MARK)).map(str::to_owned).collect()
}

/// Everything the gateway sent or wanted to.
fn ledger(database: &Path) -> Result<Vec<Row>> {
    let db = Connection::open_with_flags(database, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    let mut asked = db.prepare(
        "SELECT message_key, payload, receipt, ambiguous, failed_at IS NOT NULL, sent_at IS NOT NULL FROM outbox \
         ORDER BY id",
    )?;
    let mut found = asked.query([])?;
    let mut rows = Vec::new();
    while let Some(row) = found.next()? {
        let payload: Value =
            serde_json::from_str(&row.get::<_, String>(1)?).context("a row cannot be read")?;
        let receipt: Option<String> = row.get(2)?;
        let receipt: Value = receipt.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default();
        let part = |at: &str| payload.pointer(at).and_then(Value::as_str);
        let words = part("/content/words/plain").or_else(|| part("/content/caption/plain"));
        let is_said = matches!(part("/content/kind"), Some("text" | "media" | "edit"));
        let (Some(words), true) = (words, is_said) else { continue };
        let message = receipt.get("messageId").and_then(Value::as_str).and_then(|text| text.parse().ok());
        let is_sent_without_number = row.get::<_, bool>(5)? && message.is_none();
        let place = [part("/address/channel"), part("/address/to")].map(Option::unwrap_or_default);
        rows.push(Row {
            key: row.get(0)?,
            place: place.join(":"),
            text: words.trim().to_owned(),
            message,
            // The try after which one was given up is not counted among those before.
            spare: row.get::<_, i64>(3)?.unsigned_abs()
                + u64::from(row.get::<_, bool>(4)?)
                + u64::from(is_sent_without_number),
        });
    }
    Ok(rows)
}

#[cfg(test)]
mod tests;
