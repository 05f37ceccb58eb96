//! What is answered where a room is not furnished: the truth, in the words clients know; and bad parameters are bad
//! parameters everywhere.

use serde_json::{Value, json};

use crate::scenarios::world::{KEY, World, talk};

#[tokio::test]
async fn rooms_that_are_not_furnished_are_truly_empty() {
    let world = World::start().await;
    let mut owner = world.owner().await;
    world.fake.says("hello");
    talk(&mut owner, KEY, "hi").await;
    let session = json!({"sessionKey": KEY});
    let cases = [
        ("plugins.controlUi.list", json!({}), json!({"revision": "0", "plugins": [], "diagnostics": []})),
        ("openclaw.approval.list", json!({}), json!([])),
        ("sessions.observer.visibility", json!({"visible": true}), json!({"ok": true})),
        (
            "controlUi.sessionPullRequests.subscribe",
            json!({"sessionKeys": [KEY]}),
            json!({"subscribed": false}),
        ),
        ("users.prefs.get", json!({"keys": ["a"]}), json!({"status": "no_durable_identity"})),
        ("board.get", session.clone(), json!({"sessionKey": KEY, "revision": 0, "tabs": [], "widgets": []})),
        ("projects.list", json!({}), json!({"projects": []})),
        ("sessions.viewers.set", json!({"sessionKeys": [KEY]}), json!({"sessionKeys": [KEY]})),
        ("sessions.groups.defaults", json!({}), json!({"defaults": []})),
        ("sessions.catalog.list", json!({}), json!({"catalogs": []})),
        ("session.discussion.info", session.clone(), json!({"state": "none"})),
        ("session.members.listEvidence", session.clone(), json!({"sessionKey": KEY, "members": []})),
        ("session.suggestions.list", session, json!({"suggestions": []})),
        ("exec.approval.grants.list", json!({}), json!({"grants": []})),
        ("plugins.list", json!({}), json!({"plugins": [], "diagnostics": [], "mutationAllowed": false})),
        ("plugins.uiDescriptors", json!({}), json!({"ok": true, "descriptors": []})),
        ("portal.list", json!({}), json!({"portals": []})),
        ("secrets.store.list", json!({}), json!({"entries": []})),
        ("terminal.list", json!({}), json!({"sessions": []})),
        ("transcripts.list", json!({"limit": 20}), json!({"sessions": []})),
        ("users.list", json!({}), json!({"profiles": []})),
        ("worktrees.list", json!({}), json!({"worktrees": []})),
        (
            "channels.pairing.list",
            json!({}),
            json!({"accounts": [], "requests": [], "commandOwnerConfigured": false,
                "limits": {"pendingPerAccount": 3, "ttlMs": 3_600_000}}),
        ),
    ];
    for (method, params, expected) in cases {
        assert_eq!(owner.call(method, params).await.unwrap(), expected, "{method}");
    }
    let mentions = owner.call("mentions.list", json!({})).await.unwrap();
    assert_eq!(json!([mentions["revision"], mentions["items"]]), json!([0, []]));
}

#[tokio::test]
async fn what_needs_a_chat_platform_or_a_browser_is_refused_in_the_words_clients_know() {
    let world = World::start().await;
    let mut owner = world.owner().await;
    let account = json!({"channel": "nobody"});
    let request = json!({"channel": "nobody", "accountId": "default", "requestId": "x"});
    let message = |more: Value| {
        let mut params = json!({"to": "x", "idempotencyKey": "k"});
        params.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        params
    };
    let (invalid, unavailable) = ("INVALID_REQUEST", "UNAVAILABLE");
    let cases = [
        ("channels.start", account.clone(), invalid, "invalid channels.start channel"),
        ("channels.stop", account.clone(), invalid, "invalid channels.stop channel"),
        ("channels.logout", account, invalid, "invalid channels.logout channel"),
        ("channels.pairing.list", json!({"channel": "nobody"}), invalid, "unknown pairing channel: nobody"),
        ("channels.pairing.approve", request.clone(), invalid, "unknown pairing channel: nobody"),
        ("channels.pairing.dismiss", request, invalid, "unknown pairing channel: nobody"),
        ("web.login.start", json!({}), invalid, "web login provider is not available"),
        ("web.login.wait", json!({"channel": "nobody"}), invalid, "web login provider is not available"),
        ("send", message(json!({})), invalid, "invalid send params: text or media is required"),
        (
            "send",
            message(json!({"message": "hi"})),
            invalid,
            "Channel is required (no configured channels detected)",
        ),
        (
            "send",
            message(json!({"message": "hi", "channel": "nobody"})),
            invalid,
            "unsupported channel: nobody",
        ),
        (
            "poll",
            message(json!({"question": "?", "options": ["a"]})),
            invalid,
            "invalid poll params: at /options",
        ),
        ("poll", message(json!({"question": "?", "options": ["a", "b"]})), invalid, "Channel is required"),
        (
            "poll",
            message(json!({"question": "?", "options": ["a", "b"], "channel": "nobody"})),
            invalid,
            "unsupported poll channel: nobody",
        ),
        (
            "message.action",
            json!({"channel": "nobody", "action": "react", "params": {}, "idempotencyKey": "k"}),
            invalid,
            "Channel nobody does not support action react.",
        ),
        ("browser.request", json!({"method": "GET", "path": "/"}), unavailable, "there is no browser"),
    ];
    for (method, params, code, words) in cases {
        let error = owner.request(method, params).await.unwrap()["error"].take();
        assert_eq!(error["code"], code, "{method}");
        assert!(error["message"].as_str().unwrap().starts_with(words), "{method}: {error}");
    }
}

#[tokio::test]
async fn the_gateway_tells_what_it_is() {
    let world = World::start().await;
    let mut owner = world.owner().await;
    let first = owner.call("gateway.identity.get", json!({})).await.unwrap();
    assert_eq!(first["deviceId"].as_str().map(str::len), Some(64));
    assert_eq!(owner.call("gateway.identity.get", json!({})).await.unwrap(), first);
    let update = owner.call("update.status", json!({})).await.unwrap();
    assert_eq!(
        json!([update["sentinel"], update["updateAvailable"], update["effectiveChannel"]]),
        json!([null, null, "stable"])
    );
    assert_eq!(update["schedule"]["install"]["kind"], "git", "this test runs what was built here");
    let run = owner.call("update.run", json!({})).await.unwrap();
    assert_eq!(json!([run["ok"], run["result"]["status"]]), json!([false, "skipped"]));
    assert!(run["message"].as_str().unwrap().contains("does not update itself"));
    assert_eq!(owner.call("secrets.reload", json!({})).await.unwrap()["ok"], true);
    std::fs::write(world.gateway.home().config_path(), "{ not json").unwrap();
    let broken = owner.request("secrets.reload", json!({})).await.unwrap();
    assert_eq!(broken["error"]["code"], "UNAVAILABLE", "{broken}");

    let info = owner.call("system.info", json!({})).await.unwrap();
    assert_eq!(info["port"], world.gateway.port());
    assert!(info["cpuCount"].as_u64().is_some_and(|count| count > 0) && info["pid"].is_u64(), "{info}");
    let mut reader = world.with_scopes(&["operator.read"]).await;
    let seen = reader.call("system.info", json!({})).await.unwrap();
    assert_eq!((seen.get("pid"), seen.get("diskPath")), (None, None), "particulars are for admins");
}

#[tokio::test]
async fn every_method_refuses_a_parameter_it_does_not_know() {
    let world = World::start().await;
    let mut owner = world.owner().await;
    let listed = owner.hello()["features"]["methods"].clone();
    let mut names: Vec<String> = serde_json::from_value(listed).unwrap();
    for hidden in
        ["chat.inject", "device.pair.setupCode", "device.pair.setupStatus", "poll", "web.login.start"]
    {
        names.push(hidden.to_owned());
    }
    let mut wrong = Vec::new();
    for name in names {
        for params in [json!({"no such field": 1}), json!([]), json!("text"), json!(7)] {
            let answer = owner.request(&name, params.clone()).await.unwrap();
            if answer["error"]["code"] != "INVALID_REQUEST" {
                wrong.push(format!("{name} {params}: {answer}"));
            }
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}
