//! Who may call what: every method against every kind of caller, as the method table of the protocol says.

use homard_testkit::{TEST_TOKEN, TestClient, TestDevice, operator_params};
use serde_json::{Value, json};

use crate::scenarios::world::{KEY, World, knock, talk};

/// In place of a scope: only nodes may.
const NODE: &str = "node";

/// The scope each method asks for, and parameters good enough to get past their check.
fn methods() -> Vec<(&'static str, &'static str, Value)> {
    let mut all = most_methods();
    all.extend(more_methods());
    all.extend(page_methods());
    all
}

#[expect(clippy::too_many_lines, reason = "a table: one line per method")]
fn most_methods() -> Vec<(&'static str, &'static str, Value)> {
    let key = json!({"key": "agent:main:nobody-home"});
    let session = json!({"sessionKey": "agent:main:nobody-home"});
    // Without a base hash a write is refused, but only after the scope was looked at.
    let raw = json!({"raw": "{}"});
    let send = json!({"sessionKey": "agent:main:m", "message": "hi", "idempotencyKey": "m"});
    vec![
        (
            "agent",
            "operator.write",
            json!({"message": "hi", "sessionKey": "agent:main:m", "idempotencyKey": "a"}),
        ),
        ("agent.identity.get", "operator.read", json!({})),
        ("agent.wait", "operator.write", json!({"runId": "never-was", "timeoutMs": 1})),
        ("agents.create", "operator.admin", json!({"name": "---"})),
        ("agents.delete", "operator.admin", json!({"agentId": "nobody"})),
        ("agents.files.get", "operator.read", json!({"agentId": "main", "name": "none.md"})),
        ("agents.files.list", "operator.read", json!({"agentId": "main"})),
        ("agents.files.set", "operator.admin", json!({"agentId": "main", "name": "none.md", "content": ""})),
        ("agents.list", "operator.read", json!({})),
        ("agents.update", "operator.admin", json!({"agentId": "nobody"})),
        ("channels.status", "operator.read", json!({})),
        ("chat.abort", "operator.write", session.clone()),
        ("chat.history", "operator.read", session),
        ("chat.inject", "operator.admin", json!({"sessionKey": "agent:main:nobody-home", "message": "x"})),
        (
            "chat.message.get",
            "operator.read",
            json!({"sessionKey": "agent:main:m", "messageId": "never-was"}),
        ),
        ("chat.metadata", "operator.read", json!({})),
        ("chat.send", "operator.write", send),
        ("chat.startup", "operator.read", json!({"sessionKey": "agent:main:m"})),
        ("commands.list", "operator.read", json!({})),
        ("config.apply", "operator.admin", raw.clone()),
        ("config.get", "operator.read", json!({})),
        ("config.openFile", "operator.admin", json!({})),
        ("config.patch", "operator.admin", raw.clone()),
        ("config.schema", "operator.read", json!({})),
        ("config.schema.lookup", "operator.read", json!({"path": "gateway"})),
        ("config.set", "operator.admin", raw),
        (
            "cron.add",
            "operator.admin",
            json!({"name": "x", "schedule": {"kind": "every", "everyMs": 3_600_000}, "sessionTarget": "main",
                "wakeMode": "next-heartbeat", "payload": {"kind": "systemEvent", "text": "x"}}),
        ),
        ("cron.get", "operator.read", json!({"id": "never-was"})),
        ("cron.list", "operator.read", json!({})),
        ("cron.preview", "operator.read", json!({"schedule": {"kind": "every", "everyMs": 60000}})),
        ("cron.remove", "operator.admin", json!({"id": "never-was"})),
        ("cron.run", "operator.admin", json!({"id": "never-was"})),
        ("cron.runs", "operator.read", json!({})),
        ("cron.status", "operator.read", json!({})),
        ("cron.update", "operator.admin", json!({"id": "never-was", "patch": {}})),
        ("device.pair.approve", "operator.pairing", json!({"requestId": "never-was"})),
        ("device.pair.list", "operator.pairing", json!({})),
        ("device.pair.reject", "operator.pairing", json!({"requestId": "never-was"})),
        ("device.pair.remove", "operator.pairing", json!({"deviceId": "never-was"})),
        ("device.pair.rename", "operator.pairing", json!({"deviceId": "never-was", "label": "x"})),
        ("device.token.revoke", "operator.pairing", json!({"deviceId": "never-was", "role": "operator"})),
        ("device.token.rotate", "operator.pairing", json!({"deviceId": "never-was", "role": "operator"})),
        ("exec.approval.get", "operator.approvals", json!({"id": "never-was"})),
        ("exec.approval.list", "operator.approvals", json!({})),
        ("exec.approval.request", "operator.approvals", json!({"command": "ls", "timeoutMs": 1})),
        ("exec.approval.resolve", "operator.approvals", json!({"id": "never-was", "decision": "deny"})),
        ("exec.approval.waitDecision", "operator.approvals", json!({"id": "never-was"})),
        ("exec.approvals.get", "operator.admin", json!({})),
        ("exec.approvals.node.get", "operator.admin", json!({"nodeId": "nobody"})),
        ("exec.approvals.node.set", "operator.admin", json!({"nodeId": "nobody", "file": {}})),
        ("exec.approvals.set", "operator.admin", json!({"file": {}})),
        ("health", "", json!({})),
        ("last-heartbeat", "operator.read", json!({})),
        ("logs.tail", "operator.read", json!({})),
        ("models.authImport", "operator.admin", json!({})),
        ("models.authLogout", "operator.admin", json!({"provider": "nobody"})),
        ("models.authSetApiKey", "operator.admin", json!({"provider": "nobody", "apiKey": "x"})),
        ("models.authStatus", "operator.read", json!({})),
        (
            "memory.forget",
            "operator.admin",
            json!({"path": "MEMORY.md", "startLine": 1, "endLine": 1, "hash": "x"}),
        ),
        ("memory.get", "operator.read", json!({"path": "MEMORY.md"})),
        ("memory.index", "operator.write", json!({})),
        ("memory.list", "operator.read", json!({})),
        ("memory.search", "operator.read", json!({"query": "x"})),
        ("memory.status", "operator.read", json!({})),
        ("models.list", "operator.read", json!({})),
        ("models.probe", "operator.admin", json!({"provider": "nobody"})),
        ("node.describe", "operator.read", json!({"nodeId": "nobody"})),
        ("node.event", NODE, json!({"event": "x"})),
        (
            "node.invoke",
            "operator.write",
            json!({"nodeId": "nobody", "command": "device.info", "idempotencyKey": "k"}),
        ),
        ("node.invoke.progress", NODE, json!({"invokeId": "x", "nodeId": "x", "seq": 0, "chunk": ""})),
        ("node.invoke.result", NODE, json!({"id": "x", "nodeId": "x", "ok": true})),
        ("node.list", "operator.read", json!({})),
        ("node.pair.approve", "operator.pairing", json!({"requestId": "never-was"})),
        ("node.pair.list", "operator.pairing", json!({})),
        ("node.pair.reject", "operator.pairing", json!({"requestId": "never-was"})),
        ("node.pair.remove", "operator.pairing", json!({"nodeId": "nobody"})),
        ("node.pending.ack", NODE, json!({"ids": ["x"]})),
        ("node.pending.drain", NODE, json!({})),
        ("node.pending.enqueue", "operator.write", json!({"nodeId": "nobody", "type": "status.request"})),
        ("node.pending.pull", NODE, json!({})),
        ("node.pluginSurface.refresh", NODE, json!({"surface": "canvas"})),
        ("node.rename", "operator.pairing", json!({"nodeId": "nobody", "displayName": "x"})),
        ("plugin.approval.list", "operator.approvals", json!({})),
        ("plugin.approval.resolve", "operator.approvals", json!({"id": "never-was", "decision": "deny"})),
        ("progressCard.get", "operator.read", json!({"sessionKey": "agent:main:m"})),
        ("question.list", "operator.questions", json!({})),
        ("sessions.abort", "operator.write", json!({"key": "agent:main:m"})),
        ("sessions.cleanup", "operator.admin", json!({})),
        ("sessions.compact", "operator.admin", key.clone()),
        ("sessions.companion.state", "operator.read", json!({"sessionKey": "agent:main:m"})),
        ("sessions.create", "operator.write", json!({"key": "agent:main:m"})),
        ("sessions.delete", "operator.admin", key.clone()),
        ("sessions.describe", "operator.read", json!({"key": "agent:main:m"})),
        ("sessions.ended", "operator.read", json!({})),
        ("sessions.get", "operator.read", json!({"key": "agent:main:m"})),
        ("sessions.groups.defaults", "operator.write", json!({})),
        ("sessions.groups.delete", "operator.write", json!({"name": "none"})),
        ("sessions.groups.list", "operator.read", json!({})),
        ("sessions.groups.put", "operator.write", json!({"names": []})),
        ("sessions.groups.rename", "operator.write", json!({"name": "none", "to": "x"})),
        ("sessions.groups.update", "operator.write", json!({"name": "none", "cwd": null, "worktree": false})),
        ("sessions.list", "operator.read", json!({})),
        ("sessions.messages.subscribe", "operator.read", json!({"key": "agent:main:m"})),
        ("sessions.messages.unsubscribe", "operator.read", json!({"key": "agent:main:m"})),
        ("sessions.patch", "operator.write", json!({"key": "agent:main:m", "pinned": true})),
        ("sessions.preview", "operator.read", json!({"keys": ["agent:main:m"]})),
        ("sessions.reset", "operator.admin", key.clone()),
        ("sessions.resolve", "operator.read", json!({"key": "agent:main:m", "allowMissing": true})),
        ("sessions.restore", "operator.admin", json!({"key": "agent:main:never-was"})),
        ("sessions.search", "operator.read", json!({"query": "x"})),
        ("sessions.send", "operator.write", json!({"key": "agent:main:m", "message": " "})),
        ("sessions.steer", "operator.write", json!({"key": "agent:main:m", "message": " "})),
        ("sessions.subscribe", "operator.read", json!({})),
        ("sessions.usage", "operator.read", json!({})),
        ("sessions.usage.logs", "operator.read", key.clone()),
        ("sessions.usage.timeseries", "operator.read", key.clone()),
        ("set-heartbeats", "operator.admin", json!({"enabled": true})),
        ("skills.install", "operator.admin", json!({"name": "nobody", "installId": "x"})),
        ("hooks.status", "operator.read", json!({})),
        ("skills.status", "operator.read", json!({})),
        ("skills.update", "operator.admin", json!({"skillKey": ""})),
        ("status", "operator.read", json!({})),
        ("system-event", "operator.admin", json!({"text": "x"})),
        ("system-presence", "operator.read", json!({})),
        ("taskSuggestions.list", "operator.read", json!({})),
        ("tasks.list", "operator.read", json!({})),
        ("tools.catalog", "operator.read", json!({})),
        ("tools.effective", "operator.read", json!({"sessionKey": "agent:main:m"})),
        ("tools.explain", "operator.read", json!({"name": "exec"})),
        ("tools.invoke", "operator.write", json!({"name": "never-was"})),
        ("undo.apply", "operator.write", json!({"sessionKey": "agent:main:m", "dryRun": true})),
        ("undo.list", "operator.read", json!({})),
        ("usage.cost", "operator.read", json!({})),
        ("usage.hours", "operator.read", json!({})),
        ("usage.runs", "operator.read", json!({})),
        ("usage.status", "operator.read", json!({})),
        ("voicewake.get", "operator.read", json!({})),
        ("voicewake.set", "operator.write", json!({"triggers": []})),
        ("wake", "operator.write", json!({"mode": "next-heartbeat", "text": "x"})),
    ]
}

/// The same for what pages ask for beside the chat.
fn page_methods() -> Vec<(&'static str, &'static str, Value)> {
    vec![
        ("artifacts.download", "operator.read", json!({"sessionKey": "agent:main:m", "artifactId": "x"})),
        ("artifacts.list", "operator.read", json!({"sessionKey": "agent:main:m"})),
        ("diagnostics.lanes", "operator.read", json!({})),
        ("environments.list", "operator.read", json!({})),
        ("fs.listDir", "operator.write", json!({"path": "relative"})),
        ("sessions.files.get", "operator.read", json!({"sessionKey": "agent:main:m", "path": "x"})),
        ("sessions.files.list", "operator.read", json!({"sessionKey": "agent:main:m"})),
        ("sessions.storage.status", "operator.admin", json!({})),
        ("tasks.cancel", "operator.write", json!({"taskId": "never-was"})),
        ("tasks.get", "operator.read", json!({"taskId": "never-was"})),
        ("tasks.history", "operator.read", json!({"taskId": "never-was"})),
        ("transcripts.status", "operator.read", json!({})),
        ("webSearch.status", "operator.read", json!({})),
    ]
}

/// The same for rooms that are not furnished, for setting up and for voice.
fn more_methods() -> Vec<(&'static str, &'static str, Value)> {
    vec![
        ("agents.workspace.get", "operator.read", json!({"agentId": "nobody", "path": "x"})),
        ("agents.workspace.list", "operator.read", json!({"agentId": "nobody"})),
        ("approval.get", "operator.approvals", json!({"id": "never-was"})),
        ("approval.history", "operator.approvals", json!({})),
        (
            "approval.resolve",
            "operator.approvals",
            json!({"id": "never-was", "kind": "exec", "decision": "deny"}),
        ),
        ("exec.approval.grants.list", "operator.approvals", json!({})),
        ("models.authOrderSet", "operator.admin", json!({"provider": "nobody"})),
        ("plugins.list", "operator.read", json!({})),
        ("plugins.uiDescriptors", "operator.read", json!({})),
        ("portal.list", "operator.read", json!({})),
        ("secrets.store.list", "operator.admin", json!({})),
        ("session.suggestions.list", "operator.read", json!({"sessionKey": "agent:main:m"})),
        (
            "sessions.patchMany",
            "operator.write",
            json!({"targets": [{"key": "agent:main:m"}], "patch": {"pinned": true}}),
        ),
        ("terminal.list", "operator.admin", json!({})),
        ("transcripts.list", "operator.read", json!({})),
        ("users.list", "operator.read", json!({})),
        ("worktrees.list", "operator.read", json!({})),
        ("board.get", "operator.read", json!({"sessionKey": "agent:main:m"})),
        ("browser.request", "operator.admin", json!({"method": "GET", "path": "/"})),
        ("channels.logout", "operator.admin", json!({"channel": "nobody"})),
        (
            "channels.pairing.approve",
            "operator.pairing",
            json!({"channel": "nobody", "accountId": "a", "requestId": "r"}),
        ),
        (
            "channels.pairing.dismiss",
            "operator.pairing",
            json!({"channel": "nobody", "accountId": "a", "requestId": "r"}),
        ),
        ("channels.pairing.list", "operator.pairing", json!({})),
        ("channels.start", "operator.admin", json!({"channel": "nobody"})),
        ("channels.stop", "operator.admin", json!({"channel": "nobody"})),
        ("controlUi.sessionPullRequests.subscribe", "operator.read", json!({"sessionKeys": []})),
        ("device.pair.setupCode", "operator.admin", json!({"publicUrl": "nonsense"})),
        ("device.pair.setupStatus", "operator.admin", json!({"setupId": "never-was"})),
        ("device.scopes.requestUpgrade", "", json!({"scopes": ["operator.admin"]})),
        ("device.scopes.waitUpgrade", "", json!({"requestId": "never-was"})),
        ("gateway.identity.get", "operator.read", json!({})),
        ("mentions.list", "operator.read", json!({})),
        (
            "message.action",
            "operator.write",
            json!({"channel": "nobody", "action": "react", "params": {}, "idempotencyKey": "x"}),
        ),
        ("openclaw.approval.list", "operator.approvals", json!({})),
        ("plugin.surface.refresh", "operator.read", json!({"surface": "canvas"})),
        ("plugins.controlUi.list", "operator.read", json!({})),
        (
            "poll",
            "operator.write",
            json!({"to": "x", "question": "?", "options": ["a", "b"], "idempotencyKey": "x"}),
        ),
        ("projects.list", "operator.read", json!({})),
        ("secrets.reload", "operator.admin", json!({})),
        ("send", "operator.write", json!({"to": "x", "message": "hi", "idempotencyKey": "x"})),
        ("session.discussion.info", "operator.read", json!({"sessionKey": "agent:main:m"})),
        ("session.members.listEvidence", "operator.read", json!({"sessionKey": "agent:main:m"})),
        ("sessions.branches.list", "operator.read", json!({"sessionKey": "agent:main:m"})),
        (
            "sessions.branches.switch",
            "operator.admin",
            json!({"sessionKey": "agent:main:m", "leafEntryId": "ffffffff"}),
        ),
        ("sessions.fork", "operator.write", json!({"sessionKey": "agent:main:m", "entryId": "ffffffff"})),
        ("sessions.rewind", "operator.admin", json!({"sessionKey": "agent:main:m", "entryId": "ffffffff"})),
        ("sessions.catalog.list", "operator.read", json!({})),
        ("sessions.groups.defaults", "operator.write", json!({})),
        ("sessions.observer.visibility", "operator.read", json!({"visible": true})),
        ("sessions.viewers.set", "operator.read", json!({"sessionKeys": ["agent:main:m"]})),
        ("system.info", "operator.read", json!({})),
        ("talk.catalog", "operator.read", json!({})),
        ("talk.config", "operator.read", json!({})),
        ("talk.mode", "operator.talk", json!({"enabled": false})),
        ("talk.speak", "operator.talk", json!({"text": ""})),
        ("tts.convert", "operator.write", json!({"text": ""})),
        ("tts.disable", "operator.write", json!({})),
        ("tts.enable", "operator.write", json!({})),
        ("tts.providers", "operator.read", json!({})),
        ("tts.setProvider", "operator.write", json!({"provider": "nobody"})),
        ("tts.status", "operator.read", json!({})),
        ("update.run", "operator.admin", json!({})),
        ("update.status", "operator.admin", json!({})),
        ("users.prefs.get", "operator.read", json!({})),
        ("web.login.start", "operator.admin", json!({})),
        ("web.login.wait", "operator.admin", json!({})),
        ("wizard.cancel", "operator.admin", json!({"sessionId": "never-was"})),
        ("wizard.next", "operator.admin", json!({"sessionId": "never-was"})),
        ("wizard.start", "operator.admin", json!({"mode": "remote"})),
        ("wizard.status", "operator.admin", json!({"sessionId": "never-was"})),
    ]
}

/// Whether holding `scope` is enough for `needed`.
fn grants(scope: &str, needed: &str) -> bool {
    needed.is_empty()
        || scope == needed
        || (scope == "operator.admin" && needed != NODE)
        || (scope == "operator.write" && matches!(needed, "operator.read" | "operator.talk"))
}

/// A node, which needs a device.
async fn node(world: &World) -> TestClient {
    let mut params = operator_params(TEST_TOKEN);
    params["client"] = json!({"id": "node-host", "mode": "node", "version": "1", "platform": "linux"});
    params["role"] = json!("node");
    params["scopes"] = json!([]);
    let device = TestDevice::new().unwrap();
    knock(&world.gateway.url(), params, Some(&device)).await.unwrap().0
}

#[tokio::test]
async fn every_method_asks_for_exactly_its_scope() {
    let world = World::start().await;
    let advertised = world.owner().await.hello()["features"]["methods"].clone();
    for method in advertised.as_array().unwrap() {
        assert!(methods().iter().any(|(name, ..)| method == name), "{method} is not in the matrix");
    }
    let mut wrong = Vec::new();
    for scope in
        ["", "operator.read", "operator.write", "operator.admin", "operator.pairing", "operator.approvals"]
    {
        let scopes: &[&str] = if scope.is_empty() { &[] } else { &[scope] };
        let mut client = world.with_scopes(scopes).await;
        for (method, needed, params) in methods() {
            let answer = client.request(method, params).await.unwrap();
            let (code, message) = (&answer["error"]["code"], &answer["error"]["message"]);
            let refused =
                code == "FORBIDDEN" || message.as_str().is_some_and(|m| m.starts_with("unauthorized"));
            if grants(scope, needed) {
                if refused {
                    wrong.push(format!("{method} with [{scope}] was refused: {message}"));
                }
                continue;
            }
            let expected = if needed == NODE {
                json!({"code": "INVALID_REQUEST", "message": "unauthorized role: operator"})
            } else {
                json!({"code": "FORBIDDEN", "message": format!("missing scope: {needed}"),
                    "details": {"code": "MISSING_SCOPE", "missingScope": needed, "requiredScopes": [needed]}})
            };
            if answer["error"] != expected {
                wrong.push(format!("{method} with [{scope}] answered {answer}"));
            }
        }
    }
    assert_eq!(wrong, Vec::<String>::new(), "\n{}", wrong.join("\n"));
}

#[tokio::test]
async fn a_node_may_call_no_operator_method_but_may_ask_for_health() {
    let world = World::start().await;
    let mut client = node(&world).await;
    for (method, needed, params) in methods() {
        // In between, so that the flood rule does not end the story.
        assert_eq!(client.request("health", json!({})).await.unwrap()["ok"], true);
        if needed.is_empty() || needed == NODE {
            continue;
        }
        let answer = client.request(method, params).await.unwrap();
        let expected = json!({"code": "INVALID_REQUEST", "message": "unauthorized role: node"});
        assert_eq!(answer["error"], expected, "{method}");
    }
}

#[tokio::test]
async fn who_may_not_call_a_method_learns_nothing_about_its_parameters() {
    let world = World::start().await;
    let mut client = world.with_scopes(&[]).await;
    let mut wrong = Vec::new();
    for (method, needed, _) in
        methods().into_iter().filter(|(_, needed, _)| !needed.is_empty() && *needed != NODE)
    {
        let answer = client.request(method, json!({"nonsense": true})).await.unwrap();
        if answer["error"]["code"] != "FORBIDDEN" {
            wrong.push(format!("{method} ({needed}) answered {}", answer["error"]));
        }
    }
    assert_eq!(wrong, Vec::<String>::new(), "\n{}", wrong.join("\n"));
}

#[tokio::test]
async fn a_fresh_start_by_command_needs_an_admin() {
    let world = World::start().await;
    let mut writer = world.with_scopes(&["operator.write"]).await;
    for message in ["/new", "/reset", "/new with some text"] {
        let params = json!({"message": message, "sessionKey": "agent:main:m", "idempotencyKey": message});
        let answer = writer.request("agent", params).await.unwrap();
        assert_eq!(answer["error"]["message"], "missing scope: operator.admin", "{message}");
    }
}

#[tokio::test]
async fn narrow_session_scopes_read_sessions_and_nothing_else() {
    let world = World::start().await;
    let mut client = world.with_scopes(&["operator.sessions.read"]).await;
    assert_eq!(client.request("sessions.list", json!({})).await.unwrap()["ok"], true);
    for (method, params) in [("config.get", json!({})), ("logs.tail", json!({})), ("status", json!({}))] {
        let answer = client.request(method, params).await.unwrap();
        assert_eq!(answer["error"]["code"], "FORBIDDEN", "{method}");
    }
}

#[tokio::test]
async fn the_31st_configuration_write_of_a_minute_is_put_off() {
    let world = World::start().await;
    let mut client = world.owner().await;
    for n in 0..30 {
        let answer = client.request("config.patch", json!({"raw": "{}"})).await.unwrap();
        assert_ne!(answer["error"]["code"], "UNAVAILABLE", "write {n}");
    }
    let late = client.request("config.patch", json!({"raw": "{}"})).await.unwrap();
    let error = &late["error"];
    assert_eq!((&error["code"], &error["retryable"]), (&json!("UNAVAILABLE"), &json!(true)), "{late}");
    assert_eq!(error["details"], json!({"method": "config.patch", "limit": "30 per 60s"}));
    assert!(error["retryAfterMs"].as_u64().is_some_and(|ms| (1..=60_000).contains(&ms)), "{late}");

    let other_method = client.request("config.apply", json!({"raw": "{}"})).await.unwrap();
    assert_ne!(other_method["error"]["code"], "UNAVAILABLE");
    let mut other_device = world.owner().await;
    let theirs = other_device.request("config.patch", json!({"raw": "{}"})).await.unwrap();
    assert_ne!(theirs["error"]["code"], "UNAVAILABLE");
}

#[tokio::test]
async fn who_may_write_and_not_change_settings_is_refused_the_tools_and_commands_that_do() {
    let world = World::start().await;
    let mut helper = world.with_scopes(&["operator.read", "operator.write"]).await;
    world
        .fake
        .calls("gateway", json!({"action": "config.get"}))
        .calls("cron", json!({"action": "list"}))
        .says("no");
    talk(&mut helper, KEY, "hi").await;
    let told = world.fake.requests().pop().unwrap().body["messages"].to_string();
    for tool in ["gateway", "cron"] {
        assert!(told.contains(&format!("whoever asks now may not have `{tool}` used")), "{told}");
    }
    let params =
        json!({"sessionKey": KEY, "message": "/config set tools.taint.mode off", "idempotencyKey": "c"});
    helper.call("chat.send", params).await.unwrap();
    helper.wait_chat_final("c").await.unwrap();
    let mut owner = world.owner().await;
    let config = owner.call("config.get", json!({})).await.unwrap();
    assert_eq!(config["config"]["tools"]["taint"], json!(null), "{config}");
    world.fake.calls("cron", json!({"action": "list"})).says("hello");
    talk(&mut owner, KEY, "hi").await;
    let told = world.fake.requests().pop().unwrap().body["messages"].to_string();
    assert_eq!(told.matches("whoever asks now may not").count(), 2, "the owner may: {told}");
}
