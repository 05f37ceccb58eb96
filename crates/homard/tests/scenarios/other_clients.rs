//! What pages and command lines of other makers ask for on load: answered in their shape, and truthfully.

use homard_testkit::{TEST_TOKEN, TestDevice, operator_params};
use serde_json::{Value, json};

use crate::scenarios::world::{World, knock, say};

#[tokio::test]
async fn rooms_that_are_not_furnished_say_that_they_are_empty() {
    let world = World::start().await;
    let mut owner = world.owner().await;
    let session = json!({"sessionKey": "agent:main:main"});
    for (method, params, pointer, expected) in [
        ("channels.status", json!({"probe": false, "timeoutMs": 5}), "/channelOrder", json!([])),
        ("channels.status", json!({}), "/channelAccounts", json!({})),
        ("cron.list", json!({"includeDisabled": true}), "/jobs", json!([])),
        ("cron.list", json!({"limit": 7, "offset": 3}), "/limit", json!(7)),
        ("cron.list", json!({}), "/nextOffset", Value::Null),
        ("cron.runs", json!({"limit": 5}), "/entries", json!([])),
        ("cron.status", json!({}), "/enabled", json!(true)),
        ("node.list", json!({}), "/nodes", json!([])),
        ("node.pair.list", json!({}), "", json!({"pending": [], "paired": []})),
        ("progressCard.get", session.clone(), "", json!({"card": null})),
        ("question.list", json!({}), "", json!({"questions": []})),
        ("sessions.companion.state", session, "", json!({"exchanges": []})),
        ("sessions.describe", json!({"key": "main"}), "", json!({"session": null})),
        ("sessions.groups.list", json!({}), "", json!({"groups": []})),
        ("taskSuggestions.list", json!({}), "", json!({"suggestions": []})),
        ("tasks.list", json!({"status": ["queued", "running"]}), "", json!({"tasks": []})),
    ] {
        let answer = owner.request(method, params).await.unwrap();
        assert_eq!(answer["payload"].pointer(pointer), Some(&expected), "{method} answered {answer}");
    }
}

#[tokio::test]
async fn bad_parameters_are_refused_with_words() {
    let world = World::start().await;
    let mut owner = world.owner().await;
    for (method, params, said) in [
        ("agent.identity.get", json!({"agentId": "nobody"}), "unknown agent id \"nobody\""),
        ("channels.status", json!({"channel": "carrier-pigeon"}), "unknown channel: carrier-pigeon"),
        (
            "channels.status",
            json!({"x": 1}),
            "invalid channels.status params: at root: unexpected property 'x'",
        ),
        ("chat.metadata", json!({"x": 1}), "invalid chat.metadata params: at root: unexpected property 'x'"),
        ("chat.startup", json!({}), "session mutation target is unavailable"),
        (
            "cron.list",
            json!({"limit": 201}),
            "invalid cron.list params: at /limit: must be between 1 and 200",
        ),
        ("cron.runs", json!({"limit": 0}), "invalid cron.runs params: at /limit: must be between 1 and 200"),
        ("cron.status", json!({"x": 1}), "invalid cron.status params: at root: unexpected property 'x'"),
        ("node.describe", json!({"nodeId": "nobody"}), "unknown nodeId"),
        (
            "node.describe",
            json!({}),
            "invalid node.describe params: at root: must have required property 'nodeId'",
        ),
        ("sessions.describe", json!({}), "session mutation target is unavailable"),
        (
            "tasks.list",
            json!({"limit": 501}),
            "invalid tasks.list params: at /limit: must be between 1 and 500",
        ),
    ] {
        let answer = owner.request(method, params).await.unwrap();
        assert_eq!(answer["error"]["message"], said, "{method} answered {answer}");
        assert_eq!(answer["error"]["code"], "INVALID_REQUEST", "{method}");
    }
}

#[tokio::test]
async fn a_page_starts_a_conversation_with_one_question() {
    let world = World::start().await;
    let mut owner = world.owner().await;
    let answer = owner.request("chat.startup", json!({"sessionKey": "main", "limit": 10})).await.unwrap();
    let payload = &answer["payload"];
    assert_eq!(payload["sessionKey"], "agent:main:main");
    assert_eq!(payload["messages"], json!([]));
    assert_eq!(payload["metadata"]["swarmEnabled"], false);
    assert!(payload["metadata"]["models"].as_array().is_some_and(|models| !models.is_empty()), "{answer}");
    let commands = owner.request("commands.list", json!({"includeArgs": true})).await.unwrap();
    let listed = commands["payload"]["commands"].as_array().unwrap();
    let stop = listed.iter().find(|command| command["name"] == "stop").unwrap();
    assert_eq!(
        *stop,
        json!({"name": "stop", "nativeName": "stop", "textAliases": ["/stop", "/abort"],
            "description": "stop what is going on", "source": "native", "scope": "both", "acceptsArgs": false})
    );
    let new = listed.iter().find(|command| command["name"] == "new").unwrap();
    let argument = |name: &str| json!({"name": name, "description": format!("[{name}]"), "type": "string"});
    assert_eq!(new["args"], json!([argument("model"), argument("message")]));
}

#[tokio::test]
async fn the_greeting_says_that_the_catalogue_of_models_is_published() {
    let world = World::start().await;
    let owner = world.owner().await;
    assert_eq!(owner.hello()["features"]["capabilities"], json!(["published-model-catalog"]));
}

#[tokio::test]
async fn a_node_is_listed_while_it_is_here_and_remembered_when_it_is_gone() {
    let world = World::start().await;
    let mut owner = world.owner().await;
    let mut params = operator_params(TEST_TOKEN);
    params["client"] = json!({"id": "node-host", "mode": "node", "version": "7", "platform": "linux",
        "displayName": "shed"});
    params["role"] = json!("node");
    params["scopes"] = json!([]);
    params["commands"] = json!(["system.run"]);
    let device = TestDevice::new().unwrap();
    let node = knock(&world.gateway.url(), params, Some(&device)).await.unwrap().0;
    owner.next_event_where("presence", |event| event.to_string().contains("shed")).await.unwrap();
    let answer = owner.request("node.list", json!({})).await.unwrap();
    let listed = &answer["payload"]["nodes"][0];
    for (field, expected) in [
        ("displayName", json!("shed")),
        ("version", json!("7")),
        ("paired", json!(true)),
        ("connected", json!(true)),
        // What it offers cannot be used yet.
        ("commands", json!([])),
    ] {
        assert_eq!(listed[field], expected, "{field} in {answer}");
    }
    let id = listed["nodeId"].clone();
    let described = owner.request("node.describe", json!({"nodeId": id})).await.unwrap();
    assert_eq!(described["payload"]["displayName"], "shed");
    drop(node);
    // An older list without the node may still be unheard; the one that tells of its leaving is the last.
    loop {
        owner.next_event_where("presence", |event| !event.to_string().contains("shed")).await.unwrap();
        let answer = owner.request("node.list", json!({})).await.unwrap();
        if answer["payload"]["nodes"][0]["connected"] == false {
            break;
        }
    }
}

#[tokio::test]
async fn a_client_nobody_knows_is_refused_with_the_place_of_its_name() {
    let world = World::start().await;
    let mut params = operator_params(TEST_TOKEN);
    params["client"]["id"] = json!("toaster");
    let refused = knock(&world.gateway.url(), params, None).await.unwrap_err();
    assert!(refused.to_string().contains("/client/id"), "{refused}");
}

#[tokio::test]
async fn the_usage_page_of_the_published_client_is_answered() {
    let world = World::start().await;
    let mut owner = world.owner().await;
    let asked = json!({"startDate": "2026-01-01", "endDate": "2026-01-02", "agentScope": "all", "mode": "specific",
        "timeZone": "Europe/Paris", "groupBy": "family", "limit": 1000, "includeContextWeight": false});
    let told = owner.call("sessions.usage", asked).await.unwrap();
    assert_eq!((&told["startDate"], &told["endDate"]), (&json!("2026-01-01"), &json!("2026-01-02")));
    let wrong = owner.request("sessions.usage", json!({"groupBy": "colour"})).await.unwrap();
    assert!(wrong["error"]["message"].as_str().unwrap().contains("groupBy"), "{wrong}");
}

#[tokio::test]
async fn several_conversations_are_changed_at_once_and_each_is_told() {
    let world = World::start().await;
    let mut owner = world.owner().await;
    for key in ["agent:main:a", "agent:main:b"] {
        owner.call("sessions.create", json!({"key": key})).await.unwrap();
    }
    let targets = json!([{"key": "agent:main:a"}, {"key": "agent:main:b", "expectedSessionId": "another"}]);
    let asked = json!({"targets": targets, "patch": {"category": "work"}});
    let outcomes = owner.call("sessions.patchMany", asked).await.unwrap()["outcomes"].take();
    assert_eq!((&outcomes[0]["ok"], &outcomes[0]["key"]), (&json!(true), &json!("agent:main:a")));
    assert_eq!(
        (&outcomes[1]["ok"], &outcomes[1]["error"]["code"]),
        (&json!(false), &json!("INVALID_REQUEST"))
    );
    let listed = owner.call("sessions.list", json!({})).await.unwrap()["sessions"].take();
    let category = |key: &str| {
        let row = listed.as_array().unwrap().iter().find(|row| row["key"] == key).unwrap();
        row["category"].clone()
    };
    assert_eq!((category("agent:main:a"), category("agent:main:b")), (json!("work"), Value::Null));
    for (asked, words) in [
        (json!({"targets": [], "patch": {}}), "between 1 and 100"),
        (json!({"targets": [{"key": "agent:main:a"}]}), "required property 'patch'"),
    ] {
        let refused = owner.request("sessions.patchMany", asked).await.unwrap();
        assert!(refused["error"]["message"].as_str().unwrap().contains(words), "{refused}");
    }
}

#[tokio::test]
async fn an_agents_folder_can_be_looked_at_and_nothing_outside_of_it() {
    let world = World::start().await;
    let mut owner = world.owner().await;
    let told = owner.call("agents.files.list", json!({"agentId": "main"})).await.unwrap();
    let workspace = std::path::PathBuf::from(told["workspace"].as_str().unwrap());
    std::fs::create_dir_all(workspace.join("notes")).unwrap();
    std::fs::write(workspace.join("notes/today.md"), "# today").unwrap();
    std::fs::write(workspace.join("notes/raw.bin"), [0xff, 0xfe]).unwrap();
    let listed =
        owner.call("agents.workspace.list", json!({"agentId": "main", "path": "notes"})).await.unwrap();
    assert_eq!((&listed["parentPath"], &listed["totalEntries"]), (&json!(""), &json!(2)));
    assert_eq!(listed["entries"][1]["path"], "notes/today.md");
    let get = |path: &str| json!({"agentId": "main", "path": path});
    let file = owner.call("agents.workspace.get", get("notes/today.md")).await.unwrap()["file"].take();
    assert_eq!(
        (&file["encoding"], &file["content"], &file["mimeType"]),
        (&json!("utf8"), &json!("# today"), &json!("text/markdown"))
    );
    let raw = owner.call("agents.workspace.get", get("notes/raw.bin")).await.unwrap()["file"].take();
    assert_eq!(
        (&raw["encoding"], &raw["content"], &raw["size"]),
        (&json!("base64"), &json!("//4="), &json!(2))
    );
    for (asked, words) in [
        (get("../homard.json"), "outside of the workspace"),
        (get("nothing.md"), "there is no `nothing.md`"),
        (json!({"agentId": "nobody", "path": "x"}), "unknown agent id"),
    ] {
        let refused = owner.request("agents.workspace.get", asked).await.unwrap();
        assert_eq!(refused["error"]["code"], "INVALID_REQUEST");
        assert!(refused["error"]["message"].as_str().unwrap().contains(words), "{refused}");
    }
}

#[tokio::test]
async fn the_order_of_credentials_is_kept_and_taken_back() {
    let world = World::start().await;
    let mut owner = world.owner().await;
    let mut ids = Vec::new();
    for key in ["sk-one", "sk-two"] {
        let kept = json!({"provider": "openai", "apiKey": key});
        let kept = owner.call("models.authSetApiKey", kept).await.unwrap();
        ids.push(kept["profileId"].clone());
    }
    ids.reverse();
    let asked = json!({"provider": "openai", "profileIds": ids, "agentId": "main"});
    let set = owner.call("models.authOrderSet", asked).await.unwrap();
    assert_eq!((&set["ok"], &set["profileIds"]), (&json!(true), &json!(ids)));
    let cleared = owner.call("models.authOrderSet", json!({"provider": "openai"})).await.unwrap();
    assert_eq!(cleared.get("profileIds"), None, "{cleared}");
    let stranger = json!({"provider": "openai", "profileIds": ["openai:nobody"]});
    let refused = owner.request("models.authOrderSet", stranger).await.unwrap();
    assert_eq!(refused["error"]["code"], "INVALID_REQUEST", "{refused}");
}

#[tokio::test]
async fn questions_that_have_ended_can_be_looked_back_at_and_the_first_answer_counts() {
    let world = World::start().await;
    let mut person = world.with_scopes(&["operator.approvals"]).await;
    let mut asker = world.with_scopes(&["operator.approvals"]).await;
    assert_eq!(person.call("approval.history", json!({"limit": 50})).await.unwrap(), json!({"items": []}));
    let mut ids = Vec::new();
    for command in ["ls", "rm -r x"] {
        let params = json!({"command": command, "twoPhase": true});
        let request = asker.send("exec.approval.request", params).await.unwrap();
        let accepted = asker.response(&request).await.unwrap()["payload"].take();
        ids.push(accepted["id"].as_str().unwrap().to_owned());
    }
    let waits = person.call("approval.get", json!({"id": ids[0]})).await.unwrap()["approval"].take();
    assert_eq!((&waits["status"], &waits["presentation"]["commandText"]), (&json!("pending"), &json!("ls")));
    assert_eq!(waits["urlPath"], format!("/approve/{}", ids[0]));
    let say = |id: &str, decision: &str| json!({"id": id, "kind": "exec", "decision": decision});
    let first = person.call("approval.resolve", say(&ids[0], "allow-once")).await.unwrap();
    assert_eq!((&first["applied"], &first["approval"]["status"]), (&json!(true), &json!("allowed")));
    let second = person.call("approval.resolve", say(&ids[0], "deny")).await.unwrap();
    assert_eq!((&second["applied"], &second["approval"]["decision"]), (&json!(false), &json!("allow-once")));
    person.call("approval.resolve", say(&ids[1], "deny")).await.unwrap();
    let page = person.call("approval.history", json!({"limit": 1, "kind": "exec"})).await.unwrap();
    assert_eq!((&page["items"][0]["id"], &page["items"][0]["reason"]), (&json!(ids[1]), &json!("user")));
    let cursor = page["nextCursor"].clone();
    let rest = person.call("approval.history", json!({"cursor": cursor})).await.unwrap();
    assert_eq!((&rest["items"][0]["id"], rest.get("nextCursor")), (&json!(ids[0]), None));
    let others = person.call("approval.history", json!({"kind": "plugin"})).await.unwrap();
    assert_eq!(others["items"], json!([]));
    let wrong = json!({"id": ids[0], "kind": "plugin", "decision": "deny"});
    assert_eq!(
        person.request("approval.resolve", wrong).await.unwrap()["error"]["code"],
        "APPROVAL_NOT_FOUND"
    );
}

#[tokio::test]
async fn the_running_conversation_is_in_the_list_a_picker_asks_for() {
    let world = World::start().await;
    let mut owner = world.owner().await;
    let gate = world.fake.gate("done");
    let run = say(&mut owner, "agent:main:main", "count the boats").await;
    world.fake.wait_for_request(1).await.unwrap();
    let asked = json!({"limit": 50, "activeMinutes": 10_080, "includeGlobal": false, "includeUnknown": false,
        "includeDerivedTitles": true, "includeLastMessage": true, "agentId": "main"});
    let row = owner.call("sessions.list", asked).await.unwrap()["sessions"][0].take();
    assert_eq!(
        (&row["key"], &row["status"], &row["hasActiveRun"], &row["derivedTitle"]),
        (&json!("agent:main:main"), &json!("running"), &json!(true), &json!("count the boats")),
        "{row}"
    );
    assert_eq!(row["activeRunIds"], json!([run]));
    assert!(row["sessionId"].is_string() && row["updatedAt"].is_i64(), "{row}");
    gate.release();
    owner.wait_chat_final(&run).await.unwrap();
}
