//! A home of OpenClaw with a little of everything in it, of either era.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use anyhow::Result;
use rusqlite::{Connection, params};
use serde_json::{Map, Value, json};

/// The conversations in it: their keys and numbers.
const MAIN: (&str, &str) = ("agent:main:main", "11111111-1111-4111-8111-111111111111");
const TOPIC: (&str, &str) = ("agent:main:telegram:group:-7:topic:3", "22222222-2222-4222-8222-222222222222");
const DEVICE: &str = "d0d0d0d0d0d0d0d0d0d0d0d0d0d0d0d0d0d0d0d0d0d0d0d0d0d0d0d0d0d0d0d0";

/// A home in a folder of the test's.
#[derive(Debug)]
pub struct OpenClawHome {
    dir: PathBuf,
}

impl OpenClawHome {
    /// The era of JSON and JSONL files. `config` is added to its configuration.
    ///
    /// # Errors
    /// When the disk does not take it.
    pub fn of_files(dir: &Path, config: &Value) -> Result<Self> {
        let home = Self { dir: dir.to_path_buf() };
        home.common(config)?;
        home.json("agents/main/agent/auth-profiles.json", &profiles())?;
        home.json("agents/main/agent/models.json", &json!({"providers": {}}))?;
        let topic = dir.join(format!("agents/main/sessions/{}-topic-3.jsonl", TOPIC.1));
        home.json(
            "agents/main/sessions/sessions.json",
            &json!({
                MAIN.0: {"sessionId": MAIN.1, "updatedAt": 1_760_000_000_000_u64, "label": "Kitchen"},
                TOPIC.0: {"sessionId": TOPIC.1, "updatedAt": 1_750_000_000_000_u64, "chatType": "group",
                          "sessionFile": topic},
            }),
        )?;
        home.text(&format!("agents/main/sessions/{}.jsonl", MAIN.1), &lines(MAIN.1, 3, "buy tea"))?;
        home.text(
            &format!("agents/main/sessions/{}-topic-3.jsonl", TOPIC.1),
            &lines(TOPIC.1, 3, "hello group"),
        )?;
        home.text("agents/main/sessions/sessions.json.lock", "1")?;
        home.json("cron/jobs.json", &json!({"version": 1, "jobs": [job()]}))?;
        home.text("cron/runs/tea.jsonl", "{}\n")?;
        home.json("credentials/telegram-allowFrom.json", &json!({"version": 1, "allowFrom": ["42"]}))?;
        home.text("credentials/whatsapp/default/creds.json", "{}")?;
        home.json("devices/paired.json", &json!({DEVICE: device()}))?;
        home.json("devices/pending.json", &json!({}))?;
        home.json("exec-approvals.json", &rules())?;
        home.text("memory/main.sqlite", "an index")?;
        home.text("telegram/update-offset-default.json", "{}")?;
        Ok(home)
    }

    /// The era of SQLite databases.
    ///
    /// # Errors
    /// When the disk does not take it.
    pub fn of_databases(dir: &Path, config: &Value) -> Result<Self> {
        let home = Self { dir: dir.to_path_buf() };
        home.common(config)?;
        home.agent_database()?;
        home.shared_database()?;
        Ok(home)
    }

    /// Where it is.
    #[must_use]
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// The number of the main conversation.
    #[must_use]
    pub fn main_session(&self) -> &'static str {
        MAIN.1
    }

    /// Every file with its content and the time it was last written, to compare with later.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn fingerprint(&self) -> Result<Vec<(PathBuf, Vec<u8>, std::time::SystemTime)>> {
        let mut found = Vec::new();
        collect(&self.dir, &mut found)?;
        found.sort();
        Ok(found)
    }

    /// Writes a file of it.
    ///
    /// # Errors
    /// When the disk does not take it.
    pub fn text(&self, name: &str, text: &str) -> Result<()> {
        let path = self.dir.join(name);
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        Ok(fs::write(path, text)?)
    }

    fn json(&self, name: &str, value: &Value) -> Result<()> {
        self.text(name, &value.to_string())
    }

    fn common(&self, more: &Value) -> Result<()> {
        let mut config = object(json!({
            "gateway": {"port": 18_789, "auth": {"mode": "token", "token": "oc-gateway-token-1234567890"}},
            "agents": {"defaults": {"workspace": self.dir.join("workspace")}},
            "session": {"reset": {"idleMinutes": 90}},
            "somethingOfTheirs": {"on": true},
        }));
        for (key, value) in more.as_object().into_iter().flatten() {
            let known = config.get_mut(key).and_then(Value::as_object_mut);
            match (known, value) {
                (Some(known), Value::Object(more)) => known.extend(more.clone()),
                _ => drop(config.insert(key.clone(), value.clone())),
            }
        }
        let config = Value::Object(config);
        self.text("openclaw.json", &format!("// the kitchen machine\n{config:#}\n"))?;
        self.text("openclaw.json.bak", "{}")?;
        self.text(".env", "TEA_KEY=from-the-home\n")?;
        self.text("workspace/SOUL.md", "I like tea.\n")?;
        self.text("workspace/MEMORY.md", "The kettle is red.\n")?;
        self.text("workspace/memory/2026-01-01.md", "A quiet day.\n")?;
        self.text("workspace/run.sh", "#!/bin/sh\necho tea\n")?;
        fs::set_permissions(self.dir.join("workspace/run.sh"), fs::Permissions::from_mode(0o755))?;
        self.text("skills/tea/SKILL.md", "---\nname: tea\ndescription: Makes tea.\n---\nBoil water.\n")?;
        self.text("extensions/theirs/index.js", "")?;
        self.text("logs/gateway.log", "")
    }

    fn agent_database(&self) -> Result<()> {
        let path = self.dir.join("agents/main/agent/openclaw-agent.sqlite");
        fs::create_dir_all(self.dir.join("agents/main/agent"))?;
        let db = Connection::open(path)?;
        db.execute_batch(
            "CREATE TABLE session_nodes (session_key TEXT PRIMARY KEY, current_session_id TEXT NOT NULL,
               entry_json TEXT NOT NULL, updated_at INTEGER NOT NULL);
             CREATE TABLE transcript_events (session_id TEXT NOT NULL, seq INTEGER NOT NULL, event_json TEXT,
               created_at INTEGER NOT NULL, event_zstd BLOB, event_utf8_bytes INTEGER, PRIMARY KEY (session_id, seq));
             CREATE TABLE auth_profile_store (store_key TEXT PRIMARY KEY, store_json TEXT NOT NULL,
               updated_at INTEGER NOT NULL);",
        )?;
        let entry = json!({"sessionId": MAIN.1, "updatedAt": 1_760_000_000_000_u64, "label": "Kitchen"});
        db.execute(
            "INSERT INTO session_nodes VALUES (?1, ?2, ?3, 0)",
            params![MAIN.0, MAIN.1, entry.to_string()],
        )?;
        for (seq, line) in lines(MAIN.1, 4, "buy tea").lines().enumerate() {
            // Some rows are packed, as long ones are.
            let (text, packed) = if seq == 1 { (None, Some(packed(line))) } else { (Some(line), None) };
            db.execute(
                "INSERT INTO transcript_events VALUES (?1, ?2, ?3, 0, ?4, ?5)",
                params![MAIN.1, i64::try_from(seq)?, text, packed, i64::try_from(line.len())?],
            )?;
        }
        db.execute("INSERT INTO auth_profile_store VALUES ('primary', ?1, 1)", [profiles().to_string()])?;
        Ok(())
    }

    fn shared_database(&self) -> Result<()> {
        fs::create_dir_all(self.dir.join("state"))?;
        let db = Connection::open(self.dir.join("state/openclaw.sqlite"))?;
        db.execute_batch(
            "CREATE TABLE cron_jobs (store_key TEXT, job_id TEXT, name TEXT, enabled INTEGER, created_at_ms INTEGER,
               job_json TEXT NOT NULL, state_json TEXT NOT NULL DEFAULT '{}', sort_order INTEGER NOT NULL DEFAULT 0);
             CREATE TABLE channel_pairing_allow_entries (channel_key TEXT, account_id TEXT, entry TEXT,
               sort_order INTEGER, updated_at INTEGER);
             CREATE TABLE channel_pairing_requests (channel_key TEXT, account_id TEXT, request_id TEXT, code TEXT,
               created_at TEXT, last_seen_at TEXT, meta_json TEXT);
             CREATE TABLE device_pairing_paired (device_id TEXT, public_key TEXT, display_name TEXT, platform TEXT,
               client_id TEXT, client_mode TEXT, role TEXT, roles_json TEXT, scopes_json TEXT, tokens_json TEXT,
               created_at_ms INTEGER, approved_at_ms INTEGER);
             CREATE TABLE exec_approvals_config (config_key TEXT, raw_json TEXT, updated_at_ms INTEGER);
             CREATE TABLE diagnostic_events (scope TEXT, event_key TEXT);
             INSERT INTO channel_pairing_allow_entries VALUES ('telegram', 'default', '42', 0, 0);
             INSERT INTO diagnostic_events VALUES ('a', 'b');",
        )?;
        db.execute(
            "INSERT INTO cron_jobs VALUES ('main', 'tea', 'tea', 1, 1700000000000, ?1, '{}', 0)",
            [job().to_string()],
        )?;
        db.execute("INSERT INTO exec_approvals_config VALUES ('main', ?1, 1)", [rules().to_string()])?;
        let device = object(device());
        let text = |key: &str| device.get(key).unwrap_or(&Value::Null).to_string();
        db.execute(
            "INSERT INTO device_pairing_paired VALUES (?1, 'key', 'phone', 'ios', NULL, NULL, 'operator', ?2, ?3, ?4, 1, 2)",
            params![DEVICE, text("roles"), text("scopes"), text("tokens")],
        )?;
        Ok(())
    }
}

fn profiles() -> Value {
    json!({"version": 1, "profiles": {"groq:default": {"type": "api_key", "provider": "groq", "key": "gsk-theirs"}}})
}

fn rules() -> Value {
    json!({"version": 1, "defaults": {"security": "allowlist", "ask": "on-miss"}})
}

fn job() -> Value {
    json!({
        "id": "tea", "name": "tea", "enabled": true, "createdAtMs": 1_700_000_000_000_u64,
        "schedule": {"kind": "cron", "expr": "0 16 * * *", "tz": "Europe/Paris"}, "sessionTarget": "main",
        "wakeMode": "now", "payload": {"kind": "systemEvent", "text": "Tea time."}, "state": {},
    })
}

fn device() -> Value {
    json!({
        "deviceId": DEVICE, "publicKey": "key", "displayName": "phone", "platform": "ios", "role": "operator",
        "roles": ["operator"], "scopes": ["operator.read"], "createdAtMs": 1, "approvedAtMs": 2,
        "tokens": {"operator": {"token": "device-token", "role": "operator", "scopes": ["operator.read"], "createdAtMs": 1}},
    })
}

/// A transcript of one question and its answer.
fn lines(session: &str, version: u64, question: &str) -> String {
    let time = "2026-01-02T03:04:05.000Z";
    let usage = json!({"input": 1, "output": 1, "cacheRead": 0, "cacheWrite": 0, "totalTokens": 2});
    let all = [
        json!({"type": "session", "version": version, "id": session, "timestamp": time, "cwd": "/"}),
        json!({"type": "message", "id": "aaaaaaa1", "parentId": null, "timestamp": time,
               "message": {"role": "user", "content": question, "timestamp": 1_760_000_000_000_u64}}),
        json!({"type": "message", "id": "aaaaaaa2", "parentId": "aaaaaaa1", "timestamp": time,
               "message": {"role": "assistant", "content": [{"type": "text", "text": format!("noted: {question}")}],
                           "api": "openai-completions", "provider": "fake", "model": "fake-1", "usage": usage,
                           "stopReason": "stop", "timestamp": 1_760_000_000_001_u64}}),
    ];
    all.iter().map(|line| format!("{line}\n")).collect()
}

/// A text as a frame of Zstandard with one block that is not pressed together.
fn packed(text: &str) -> Vec<u8> {
    let length = u32::try_from(text.len()).unwrap_or(u32::MAX);
    let mut frame = vec![0x28, 0xB5, 0x2F, 0xFD, 0xA0];
    frame.extend(length.to_le_bytes());
    let block = (length << 3) | 1;
    frame.extend(block.to_le_bytes().iter().take(3));
    frame.extend(text.as_bytes());
    frame
}

fn collect(dir: &Path, found: &mut Vec<(PathBuf, Vec<u8>, std::time::SystemTime)>) -> Result<()> {
    for entry in fs::read_dir(dir)? {
        let path = entry?.path();
        let written = fs::symlink_metadata(&path)?.modified()?;
        if path.is_dir() {
            found.push((path.clone(), Vec::new(), written));
            collect(&path, found)?;
        } else {
            found.push((path.clone(), fs::read(&path)?, written));
        }
    }
    Ok(())
}

fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(map) => map,
        _ => Map::new(),
    }
}
