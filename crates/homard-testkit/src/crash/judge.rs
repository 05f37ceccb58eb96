//! What people see, held against what the gateway says it did: every message they see has its record.
//!
//! A message is explained by the receipt of a row of the outbox, or, where nobody knows its number, by a row of the same
//! place and words that the gateway marked as one that may have arrived, once for each time it was marked. Anything else
//! is a message the gateway does not know of.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use anyhow::{Context as _, Result};
use rusqlite::{Connection, OpenFlags};
use serde_json::Value;

use super::workload::{MARK, chats};
use crate::fake_telegram::FakeTelegram;

/// How the key of a message ends that shows an answer while it is made.
const PREVIEW: &str = ":preview";
/// How the key of a message ends that tells somebody to ask once more, before its number.
const GIVEN_UP: &str = ":given-up:";

/// One delivery, as the gateway keeps it.
#[derive(Debug)]
struct Row {
    key: String,
    chat: i64,
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
    /// Messages without a record: chat, number and words.
    pub(super) unexplained: Vec<(i64, i64, String)>,
    /// Chats in which somebody was told to ask once more.
    pub(super) given_up: BTreeSet<i64>,
}

/// Judges what is seen now.
///
/// # Errors
/// When the gateway's records cannot be read.
pub(super) fn judge(telegram: &FakeTelegram, database: &Path) -> Result<Verdict> {
    let mut rows = ledger(database)?;
    let mut verdict = Verdict::default();
    let given_up = rows.iter().filter(|row| row.key.contains(GIVEN_UP)).map(|row| row.chat);
    verdict.given_up = given_up.collect();
    let mut shown_of: BTreeMap<usize, u64> = BTreeMap::new();
    for chat in chats() {
        for shown in telegram.shown(chat).into_iter().filter(|shown| shown.is_ours) {
            let Some(at) = explain(&mut rows, chat, shown.message_id, &shown.text) else {
                verdict.unexplained.push((chat, shown.message_id, shown.text));
                continue;
            };
            let Some(row) = rows.get(at) else { continue };
            *shown_of.entry(at).or_default() += 1;
            if row.key.ends_with(PREVIEW) {
                verdict.previews += 1;
                continue;
            }
            for mark in marks(&shown.text) {
                verdict.seen.entry(mark).or_default().insert(row.key.clone());
            }
        }
    }
    verdict.copies = shown_of.values().map(|n| n.saturating_sub(1)).sum();
    Ok(verdict)
}

/// The row a message is of: the last that has its number, or one that may have left it behind.
fn explain(rows: &mut [Row], chat: i64, number: i64, text: &str) -> Option<usize> {
    let by_receipt = rows.iter().rposition(|row| row.chat == chat && row.message == Some(number));
    if by_receipt.is_some() {
        return by_receipt;
    }
    let left = |row: &Row| row.chat == chat && row.spare > 0 && row.text == text;
    let at = rows.iter().position(left)?;
    rows.get_mut(at)?.spare -= 1;
    Some(at)
}

/// The marked words of a text.
pub(super) fn marks(text: &str) -> impl Iterator<Item = String> {
    text.split_whitespace().filter(|word| word.starts_with(MARK)).map(str::to_owned)
}

/// Everything the gateway sent or wanted to.
fn ledger(database: &Path) -> Result<Vec<Row>> {
    let db = Connection::open_with_flags(database, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    let mut asked = db.prepare(
        "SELECT message_key, payload, receipt, ambiguous, failed_at IS NOT NULL FROM outbox ORDER BY id",
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
        let number = |value: Option<&str>| value.and_then(|text| text.parse::<i64>().ok());
        rows.push(Row {
            key: row.get(0)?,
            chat: number(part("/address/to")).unwrap_or_default(),
            text: words.trim().to_owned(),
            message: number(receipt.get("messageId").and_then(Value::as_str)),
            // The try after which one was given up is not counted among those before.
            spare: row.get::<_, i64>(3)?.unsigned_abs() + u64::from(row.get::<_, bool>(4)?),
        });
    }
    Ok(rows)
}
