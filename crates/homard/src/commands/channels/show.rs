//! Platforms and accounts in words.

use homard_protocol::methods::channels::ChannelsStatusResult;
use homard_protocol::methods::dead_letters::DeadLettersResult;
use homard_runtime::brief;
use serde_json::Value;

use crate::commands::table::table;
use crate::commands::words;

fn text<'v>(row: &'v Value, key: &str) -> &'v str {
    row.get(key).and_then(Value::as_str).unwrap_or_default()
}

fn flag(row: &Value, key: &str) -> bool {
    row.get(key).and_then(Value::as_bool).unwrap_or(false)
}

pub(super) fn platforms(rows: &[Value]) -> Vec<String> {
    let rows: Vec<Vec<String>> = rows
        .iter()
        .map(|row| {
            let accounts = row.get("accounts").and_then(Value::as_array).map_or(0, Vec::len);
            let state = match (flag(row, "configured"), accounts) {
                (false, _) => "not set up".to_owned(),
                (true, 0) => "set up".to_owned(),
                (true, n) => words::count(u64::try_from(n).unwrap_or(0), "account"),
            };
            vec![
                text(row, "id").to_owned(),
                text(row, "label").to_owned(),
                state,
                text(row, "summary").to_owned(),
            ]
        })
        .collect();
    table(&["CHANNEL", "NAME", "STATE", "WHAT IT IS"], &rows)
}

pub(super) fn accounts(status: &ChannelsStatusResult) -> Vec<String> {
    let now = status.ts;
    let mut rows = Vec::new();
    for id in &status.channel_order {
        let label = status.channel_labels.get(id).map_or(id.as_str(), String::as_str);
        for account in status.channel_accounts.get(id).into_iter().flatten() {
            let when = |key: &str| {
                let at = account.get(key).and_then(Value::as_i64);
                at.map_or_else(|| "never".to_owned(), |at| words::ago(at, now))
            };
            rows.push(vec![
                label.to_owned(),
                text(account, "accountId").to_owned(),
                state(account),
                who(account),
                when("lastInboundAt"),
                when("lastOutboundAt"),
                when("lastTransportActivityAt"),
            ]);
        }
    }
    if rows.is_empty() {
        return vec!["no platform is set up; `homard channels add` sets one up".to_owned()];
    }
    table(&["CHANNEL", "ACCOUNT", "STATE", "WE ARE", "HEARD", "SENT", "SIGN OF LIFE"], &rows)
}

/// How an account is, in a word or two. Quiet is well: only a platform that is silent altogether is dead.
fn state(account: &Value) -> String {
    let word = match text(account, "healthState") {
        _ if !flag(account, "enabled") => "off",
        _ if !flag(account, "configured") => "no credentials",
        "healthy" => "well",
        "stale-socket" => "dead",
        "disconnected" => "connecting",
        _ => "stopped",
    };
    match account.get("probe").map(|probe| flag(probe, "ok")) {
        Some(false) => format!("{word}, does not answer"),
        Some(true) => format!("{word}, answers"),
        None => word.to_owned(),
    }
}

fn who(account: &Value) -> String {
    let bot = account.get("bot").or_else(|| account.get("probe").and_then(|probe| probe.get("bot")));
    let name = bot.map(|bot| text(bot, "username")).unwrap_or_default();
    if name.is_empty() { "-".to_owned() } else { name.to_owned() }
}

pub(super) fn issue(issue: &Value) -> String {
    let fix = text(issue, "fix");
    let fix = if fix.is_empty() { String::new() } else { format!(" ({fix})") };
    format!(
        "{} account {}: {}{fix}",
        text(issue, "channel"),
        text(issue, "accountId"),
        text(issue, "message")
    )
}

pub(super) fn capabilities(status: &ChannelsStatusResult) -> Vec<String> {
    let mut lines = Vec::new();
    for (id, accounts) in &status.channel_accounts {
        for account in accounts {
            lines.push(format!("{id} account {}: {}", text(account, "accountId"), state(account)));
            let facts = account.get("probe").and_then(|probe| probe.get("facts")).and_then(Value::as_object);
            lines.extend(facts.into_iter().flatten().map(|(name, value)| format!("  {name}: {value}")));
            let can = account.get("capabilities").and_then(Value::as_object);
            lines.extend(can.into_iter().flatten().map(|(name, value)| format!("  {name}: {value}")));
        }
    }
    if lines.is_empty() {
        lines.push("no platform is set up; `homard channels add` sets one up".to_owned());
    }
    lines
}

/// What could not be delivered, and how much waits.
pub(super) fn dead_letters(found: &DeadLettersResult, now: i64) -> Vec<String> {
    let mut lines: Vec<String> = found
        .accounts
        .iter()
        .map(|account| {
            format!(
                "{} account {}: {} waiting, {} sent, {} given up, {} nobody knows about",
                account.channel,
                account.account_id,
                account.waiting,
                account.sent,
                account.failed,
                account.ambiguous
            )
        })
        .collect();
    if found.letters.is_empty() {
        lines.push("everything was delivered, or still will be".to_owned());
        return lines;
    }
    let rows: Vec<Vec<String>> = found
        .letters
        .iter()
        .map(|letter| {
            vec![
                letter.channel.clone(),
                letter.conversation.clone(),
                words::ago(letter.failed_at.unwrap_or(letter.created_at), now),
                words::count(u64::from(letter.tries), "attempt"),
                brief(letter.error.as_deref().unwrap_or_default(), 80),
            ]
        })
        .collect();
    lines.extend(table(&["CHANNEL", "TO", "GIVEN UP", "AFTER", "BECAUSE"], &rows));
    lines
}

/// Whether a line of the log is about a platform: it names it as a field, or comes from its adapter.
pub(super) fn is_about(line: &str, id: &str) -> bool {
    line.contains(&format!("\"channel\":\"{id}\"")) || line.contains(&format!("homard_channels::{id}"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{is_about, issue, state};

    #[test]
    fn quiet_is_well_and_silent_is_dead() {
        let account = |health: &str| json!({"enabled": true, "configured": true, "healthState": health});
        for (account, words) in [
            (account("healthy"), "well"),
            (account("stale-socket"), "dead"),
            (account("disconnected"), "connecting"),
            (account("not-running"), "stopped"),
            (json!({"enabled": false}), "off"),
            (json!({"enabled": true, "configured": false}), "no credentials"),
            (
                json!({"enabled": true, "configured": true, "healthState": "healthy", "probe": {"ok": false}}),
                "well, does not answer",
            ),
        ] {
            assert_eq!(state(&account), words);
        }
    }

    #[test]
    fn lines_are_about_a_platform_when_they_name_it() {
        assert!(is_about(r#"{"channel":"irc"}"#, "irc"));
        assert!(is_about(r#"{"target":"homard_channels::irc::session"}"#, "irc"));
        assert!(!is_about(r#"{"message":"irc"}"#, "irc"));
        assert_eq!(
            issue(&json!({"channel": "irc", "accountId": "a", "message": "m", "fix": "f"})),
            "irc account a: m (f)"
        );
    }
}
