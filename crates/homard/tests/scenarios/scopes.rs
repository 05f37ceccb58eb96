//! Who may call what: every method against every kind of caller, as the method table of the protocol says.

use homard_testkit::{TEST_TOKEN, TestClient, TestDevice, operator_params};
use serde_json::{Value, json};

use crate::world::{World, knock};

/// The scope each method asks for, and parameters good enough to get past their check.
#[expect(clippy::too_many_lines, reason = "a table: one line per method")]
fn methods() -> Vec<(&'static str, &'static str, Value)> {
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
        ("cron.list", "operator.read", json!({})),
        ("cron.runs", "operator.read", json!({})),
        ("cron.status", "operator.read", json!({})),
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
        ("exec.approvals.set", "operator.admin", json!({"file": {}})),
        ("health", "", json!({})),
        ("last-heartbeat", "operator.read", json!({})),
        ("logs.tail", "operator.read", json!({})),
        ("models.authStatus", "operator.read", json!({})),
        ("models.list", "operator.read", json!({})),
        ("node.describe", "operator.read", json!({"nodeId": "nobody"})),
        ("node.list", "operator.read", json!({})),
        ("node.pair.list", "operator.pairing", json!({})),
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
        ("skills.install", "operator.admin", json!({"name": "nobody", "installId": "x"})),
        ("skills.status", "operator.read", json!({})),
        ("skills.update", "operator.admin", json!({"skillKey": ""})),
        ("status", "operator.read", json!({})),
        ("system-presence", "operator.read", json!({})),
        ("taskSuggestions.list", "operator.read", json!({})),
        ("tasks.list", "operator.read", json!({})),
        ("tools.catalog", "operator.read", json!({})),
        ("tools.effective", "operator.read", json!({"sessionKey": "agent:main:m"})),
        ("tools.explain", "operator.read", json!({"name": "exec"})),
        ("undo.apply", "operator.write", json!({"sessionKey": "agent:main:m", "dryRun": true})),
        ("undo.list", "operator.read", json!({})),
        ("usage.cost", "operator.read", json!({})),
        ("usage.runs", "operator.read", json!({})),
        ("usage.status", "operator.read", json!({})),
    ]
}

/// Whether holding `scope` is enough for `needed`.
fn grants(scope: &str, needed: &str) -> bool {
    needed.is_empty()
        || scope == needed
        || scope == "operator.admin"
        || (scope == "operator.write" && needed == "operator.read")
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
            let expected = json!({"code": "FORBIDDEN", "message": format!("missing scope: {needed}"),
                "details": {"code": "MISSING_SCOPE", "missingScope": needed, "requiredScopes": [needed]}});
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
        if needed.is_empty() {
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
    for (method, needed, _) in methods().into_iter().filter(|(_, needed, _)| !needed.is_empty()) {
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
