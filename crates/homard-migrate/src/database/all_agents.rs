//! The database all agents share: its rows become the files of the era before.

use std::collections::BTreeMap;

use rusqlite::Connection;
use serde_json::{Map, Value, json};

use super::{DatabaseError, has_table, is_file_name, json_in, rows};
use crate::home::STATE_DATABASE;
use crate::report::{Fate, Kind};
use crate::{Content, Migration, Parcel};

/// Tables whose rows are taken; every other one is told and left.
const TAKEN: [&str; 7] = [
    "auth_profile_stores",
    "channel_pairing_allow_entries",
    "channel_pairing_requests",
    "cron_jobs",
    "device_identities",
    "device_pairing_paired",
    "exec_approvals_config",
];
const NEEDS_SECRETS: &str = "it holds keys or tokens; --include-secrets takes it";

/// A table as it is told.
fn of(table: &str) -> String {
    format!("{STATE_DATABASE}: {table}")
}

impl Migration {
    pub(super) fn plan_shared_database(&mut self, connection: &Connection) {
        type Step = fn(&mut Migration, &Connection) -> Result<(), DatabaseError>;
        let steps: [(&str, Step); 6] = [
            ("cron_jobs", Self::plan_jobs),
            ("channel_pairing_allow_entries", Self::plan_let_in),
            ("channel_pairing_requests", Self::plan_waiting),
            ("device_pairing_paired", Self::plan_paired),
            ("device_identities", Self::plan_own_key),
            ("exec_approvals_config", Self::plan_rules),
        ];
        for (table, step) in steps {
            let planned = has_table(connection, table)
                .and_then(|is_there| if is_there { step(self, connection) } else { Ok(()) });
            if let Err(error) = planned {
                self.failed(&format!("{STATE_DATABASE}: {table}"), &error);
            }
        }
        let keys = self.plan_keys(
            "agents/main/agent/auth-profiles.json",
            STATE_DATABASE,
            connection,
            "auth_profile_stores",
        );
        if let Err(error) = keys {
            self.failed(&format!("{STATE_DATABASE}: auth_profile_stores"), &error);
        }
        self.tell_other_tables(connection);
    }

    fn become_file(&mut self, table: &str, to: &str, value: &Value, why: &str) {
        self.replace_file_plan(to);
        let content = Content::Text(value.to_string().into_bytes());
        self.put(&format!("{STATE_DATABASE}: {table}"), Parcel::new(to, content), Fate::Changed, why);
    }

    fn plan_jobs(&mut self, connection: &Connection) -> Result<(), DatabaseError> {
        let sql = "SELECT job_id, name, enabled, created_at_ms, job_json, state_json FROM cron_jobs ORDER BY sort_order";
        let found = self.rows(connection, &of("cron_jobs"), sql, |row| {
            // A job that does not say when and what is none.
            let mut job: Map<String, Value> = json_in(row, 4)?;
            let state: String = row.get(5)?;
            job.entry("id").or_insert(json!(row.get::<_, String>(0)?));
            job.entry("name").or_insert(json!(row.get::<_, String>(1)?));
            job.entry("enabled").or_insert(json!(row.get::<_, i64>(2)? != 0));
            job.entry("createdAtMs").or_insert(json!(row.get::<_, i64>(3)?));
            let state: Value = serde_json::from_str(&state).unwrap_or_default();
            job.insert("state".to_owned(), if state.is_object() { state } else { json!({}) });
            Ok(Value::Object(job))
        })?;
        let why = format!("{} jobs", found.len());
        if !found.is_empty() {
            self.become_file("cron_jobs", "cron/jobs.json", &json!({"version": 1, "jobs": found}), &why);
        }
        Ok(())
    }

    fn plan_let_in(&mut self, connection: &Connection) -> Result<(), DatabaseError> {
        let sql =
            "SELECT channel_key, account_id, entry FROM channel_pairing_allow_entries ORDER BY sort_order";
        let table = of("channel_pairing_allow_entries");
        let found = self.rows(connection, &table, sql, |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
        let mut lists: BTreeMap<(String, String), Vec<String>> = BTreeMap::new();
        for (channel, account, entry) in found {
            lists.entry((channel, account)).or_default().push(entry);
        }
        for ((channel, account), people) in lists {
            if !is_file_name(&channel) || !(account.is_empty() || is_file_name(&account)) {
                continue;
            }
            let is_usual = account.is_empty() || account == "default";
            let name = if is_usual { channel.clone() } else { format!("{channel}-{account}") };
            let to = format!("credentials/{name}-allowFrom.json");
            let why = format!("{} people of {name}", people.len());
            let list = json!({"version": 1, "allowFrom": people});
            self.become_file("channel_pairing_allow_entries", &to, &list, &why);
        }
        Ok(())
    }

    fn plan_waiting(&mut self, connection: &Connection) -> Result<(), DatabaseError> {
        let sql = "SELECT channel_key, account_id, request_id, code, created_at, last_seen_at, meta_json
                   FROM channel_pairing_requests";
        let found = self.rows(connection, &of("channel_pairing_requests"), sql, |row| {
            let meta: Option<String> = row.get(6)?;
            let mut meta: Map<String, Value> =
                meta.and_then(|meta| serde_json::from_str(&meta).ok()).unwrap_or_default();
            meta.insert("accountId".to_owned(), json!(row.get::<_, String>(1)?));
            let request = json!({
                "id": row.get::<_, String>(2)?, "code": row.get::<_, String>(3)?,
                "createdAt": row.get::<_, String>(4)?, "lastSeenAt": row.get::<_, String>(5)?, "meta": meta,
            });
            Ok((row.get::<_, String>(0)?, request))
        })?;
        let mut lists: BTreeMap<String, Vec<Value>> = BTreeMap::new();
        for (channel, request) in found {
            lists.entry(channel).or_default().push(request);
        }
        for (channel, requests) in lists.into_iter().filter(|(channel, _)| is_file_name(channel)) {
            let why = format!("{} who wait", requests.len());
            let list = json!({"version": 1, "requests": requests});
            self.become_file(
                "channel_pairing_requests",
                &format!("credentials/{channel}-pairing.json"),
                &list,
                &why,
            );
        }
        Ok(())
    }

    fn plan_paired(&mut self, connection: &Connection) -> Result<(), DatabaseError> {
        if !self.options.secrets {
            self.report.add(
                Kind::Table,
                &format!("{STATE_DATABASE}: device_pairing_paired"),
                Fate::Left,
                NEEDS_SECRETS,
            );
            return Ok(());
        }
        let sql =
            "SELECT device_id, public_key, display_name, platform, client_id, client_mode, role, roles_json,
                   scopes_json, tokens_json, created_at_ms, approved_at_ms FROM device_pairing_paired";
        let found = self.rows(connection, &of("device_pairing_paired"), sql, |row| {
            let text = |at: usize| row.get::<_, Option<String>>(at);
            let read = |at: usize, empty: Value| {
                let value = text(at)?.and_then(|text| serde_json::from_str(&text).ok());
                Ok::<Value, rusqlite::Error>(value.filter(|value: &Value| !value.is_null()).unwrap_or(empty))
            };
            let device = json!({
                "deviceId": text(0)?, "publicKey": text(1)?, "displayName": text(2)?, "platform": text(3)?,
                "clientId": text(4)?, "clientMode": text(5)?, "role": text(6)?, "roles": read(7, json!([]))?,
                "scopes": read(8, json!([]))?, "tokens": read(9, json!({}))?,
                "createdAtMs": row.get::<_, i64>(10)?, "approvedAtMs": row.get::<_, i64>(11)?,
            });
            Ok((text(0)?.unwrap_or_default(), device))
        })?;
        let why = format!("{} devices", found.len());
        if !found.is_empty() {
            let list = Value::Object(found.into_iter().collect());
            self.become_file("device_pairing_paired", "devices/paired.json", &list, &why);
        }
        Ok(())
    }

    fn plan_own_key(&mut self, connection: &Connection) -> Result<(), DatabaseError> {
        if !self.options.secrets {
            self.report.add(
                Kind::Table,
                &format!("{STATE_DATABASE}: device_identities"),
                Fate::Left,
                NEEDS_SECRETS,
            );
            return Ok(());
        }
        let sql = "SELECT device_id, public_key_pem, private_key_pem, created_at_ms FROM device_identities
                   ORDER BY updated_at_ms DESC LIMIT 1";
        let found = self.rows(connection, &of("device_identities"), sql, |row| {
            Ok(json!({
                "version": 1, "deviceId": row.get::<_, String>(0)?, "publicKeyPem": row.get::<_, String>(1)?,
                "privateKeyPem": row.get::<_, String>(2)?, "createdAtMs": row.get::<_, i64>(3)?,
            }))
        })?;
        if let Some(key) = found.first() {
            self.become_file("device_identities", "identity/device.json", key, "this machine's own key");
        }
        Ok(())
    }

    fn plan_rules(&mut self, connection: &Connection) -> Result<(), DatabaseError> {
        let sql = "SELECT raw_json FROM exec_approvals_config ORDER BY updated_at_ms DESC LIMIT 1";
        let found =
            self.rows(connection, &of("exec_approvals_config"), sql, |row| row.get::<_, String>(0))?;
        match found.first().map(|text| serde_json::from_str::<Value>(text)) {
            Some(Ok(rules)) => {
                self.become_file(
                    "exec_approvals_config",
                    "exec-approvals.json",
                    &rules,
                    "rules for commands",
                );
            }
            Some(Err(_)) => {
                let what = format!("{STATE_DATABASE}: exec_approvals_config");
                self.report.add(Kind::Table, &what, Fate::Failed, "it is not readable JSON");
            }
            None => {}
        }
        Ok(())
    }

    /// Tells what else is in it.
    fn tell_other_tables(&mut self, connection: &Connection) {
        let sql =
            "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name";
        let names = rows(connection, sql, |row| row.get::<_, String>(0)).unwrap_or_default().0;
        for name in names.iter().filter(|name| !TAKEN.contains(&name.as_str()) && is_file_name(name)) {
            let count =
                rows(connection, &format!("SELECT count(*) FROM \"{name}\""), |row| row.get::<_, i64>(0));
            let count = count.ok().and_then(|(count, _)| count.first().copied()).unwrap_or_default();
            if count > 0 {
                let why = format!("{count} rows Homard has no use for");
                self.report.add(Kind::Table, &format!("{STATE_DATABASE}: {name}"), Fate::Left, &why);
            }
        }
    }
}
