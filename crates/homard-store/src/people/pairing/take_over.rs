//! Taking over who was let in, and who waits, from an OpenClaw installation: `credentials/<channel>-pairing.json` and
//! `credentials/<channel>[-<account>]-allowFrom.json`, each once. The files stay where they are.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use homard_protocol::{AccountId, ChannelId, PeerId};
use homard_runtime::{Clock, CollectOrdered as _, OrLog};
use rusqlite::{Connection, OptionalExtension, params};
use serde::Deserialize;
use serde_json::Value;

use super::{ALPHABET, CODE_LEN, PAIRING_TTL_MS, add, short};
use crate::store::{StoreError, to_json};

/// Largest file that is read.
const MAX_BYTES: u64 = 16 * 1024 * 1024;
const LET_IN: &str = "-allowFrom.json";
const WAITING: &str = "-pairing.json";

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct LetInFile {
    #[serde(default)]
    allow_from: Vec<Value>,
}

#[derive(Deserialize)]
struct WaitingFile {
    #[serde(default)]
    requests: Vec<Value>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Waiting {
    id: String,
    code: String,
    created_at: jiff::Timestamp,
    last_seen_at: Option<jiff::Timestamp>,
    #[serde(default)]
    meta: BTreeMap<String, Value>,
}

/// Takes over what has not been taken over yet.
pub(crate) fn take_over(conn: &mut Connection, credentials: &Path, clock: &Clock) -> Result<(), StoreError> {
    let Ok(entries) = std::fs::read_dir(credentials) else { return Ok(()) };
    let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let names: BTreeSet<String> =
        names.filter(|name| name.ends_with(LET_IN) || name.ends_with(WAITING)).collect_set();
    for name in &names {
        let marker = format!("imported.pairing.{name}");
        let sql = "SELECT 1 FROM meta WHERE key = ?1";
        if conn.query_row(sql, [&marker], |_| Ok(())).optional()?.is_some() {
            continue;
        }
        // One that cannot be read now is tried again at the next start.
        let Some(bytes) = bytes_of(&credentials.join(name)) else { continue };
        let tx = conn.transaction()?;
        let taken = match name.strip_suffix(WAITING) {
            Some(channel) => waiting(&tx, channel, &bytes, clock)?,
            None => let_in(&tx, name.trim_end_matches(LET_IN), &names, &bytes, clock)?,
        };
        tx.execute("INSERT INTO meta VALUES (?1, ?2)", [&marker, &clock.now_rfc3339()])?;
        tx.commit()?;
        tracing::info!(file = name, people = taken, "took over who may write");
    }
    Ok(())
}

fn bytes_of(path: &Path) -> Option<Vec<u8>> {
    let len = std::fs::metadata(path).or_log("a list of people could not be looked at")?.len();
    if len > MAX_BYTES {
        tracing::warn!(path = %path.display(), len, "a list of people is too large to take over");
        return None;
    }
    std::fs::read(path).or_log("a list of people could not be read")
}

fn let_in(
    conn: &Connection,
    name: &str,
    names: &BTreeSet<String>,
    bytes: &[u8],
    clock: &Clock,
) -> Result<usize, StoreError> {
    let Some((channel, account)) = whose(name, names) else { return Ok(0) };
    let file: LetInFile = match serde_json::from_slice(bytes) {
        Ok(file) => file,
        Err(error) => {
            tracing::warn!(name, %error, "a list of people is not readable JSON");
            return Ok(0);
        }
    };
    let mut taken = 0;
    for entry in file.allow_from {
        let sender = match entry {
            Value::String(text) => text.trim().to_owned(),
            Value::Number(number) => number.to_string(),
            _ => continue,
        };
        if PeerId::parse(&sender).is_ok() && add(conn, &channel, &account, &sender, clock.now_ms())? {
            taken += 1;
        }
    }
    Ok(taken)
}

/// The platform and the account a file belongs to. A platform's name may have a dash itself; then the list of who
/// waits there, which has no account in its name, tells.
fn whose(name: &str, names: &BTreeSet<String>) -> Option<(ChannelId, AccountId)> {
    let dashes = name.match_indices('-').map(|(at, _)| at).chain([name.len()]);
    let known =
        dashes.filter(|at| name.get(..*at).is_some_and(|c| names.contains(&format!("{c}{WAITING}")))).max();
    let at = known.or_else(|| name.find('-')).unwrap_or(name.len());
    let (channel, account) = name.split_at_checked(at)?;
    let account = account.strip_prefix('-').map_or(Ok(AccountId::default_account()), AccountId::parse);
    Some((ChannelId::parse(channel).ok()?, account.ok()?))
}

fn waiting(conn: &Connection, channel: &str, bytes: &[u8], clock: &Clock) -> Result<usize, StoreError> {
    let (Ok(channel), Ok(file)) = (ChannelId::parse(channel), serde_json::from_slice::<WaitingFile>(bytes))
    else {
        return Ok(0);
    };
    let sql = "INSERT INTO dm_pairing (channel, account_id, sender_id, code, meta, created_at, last_seen_at)
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7) ON CONFLICT DO NOTHING";
    let mut taken = 0;
    for request in file
        .requests
        .into_iter()
        .filter_map(|request| homard_runtime::json::from_value::<Waiting>(request).ok())
    {
        let created = request.created_at.as_millisecond();
        let is_code = request.code.len() == CODE_LEN && request.code.bytes().all(|b| ALPHABET.contains(&b));
        let is_late = created <= clock.now_ms().saturating_sub(PAIRING_TTL_MS);
        if is_late || !is_code || PeerId::parse(&request.id).is_err() {
            continue;
        }
        let mut facts: BTreeMap<String, String> = request
            .meta
            .into_iter()
            .filter_map(|(name, fact)| Some((name, fact.as_str()?.to_owned())))
            .collect_map();
        let account = facts.remove("accountId").and_then(|account| AccountId::parse(&account).ok());
        let account = account.unwrap_or_else(AccountId::default_account);
        let seen = request.last_seen_at.map_or(created, jiff::Timestamp::as_millisecond);
        let meta = to_json("meta", &short(facts))?;
        let row = params![channel.as_str(), account.as_str(), request.id, request.code, meta, created, seen];
        taken += conn.execute(sql, row)?;
    }
    Ok(taken)
}
