//! What the pages of the published client ask for beside the chat: files, pictures, the machine, who searches.

use serde_json::{Value, json};

use crate::scenarios::world::{KEY, World, talk};

const PIXEL: &str =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

#[tokio::test]
async fn the_files_of_a_conversation_are_those_it_changed_and_those_of_its_workspace() {
    let world = World::start().await;
    let mut owner = world.owner().await;
    let key = json!({"sessionKey": KEY});
    let before = owner.call("sessions.files.list", key.clone()).await.unwrap();
    assert_eq!(before["files"], json!([]), "{before}");
    world.fake.calls("write", json!({"path": "notes/tide.txt", "content": "high at nine\n"}));
    world.fake.says("written");
    talk(&mut owner, KEY, "note the tide").await;
    let listed = owner.call("sessions.files.list", key).await.unwrap();
    let file = &listed["files"][0];
    assert_eq!(
        (&file["workspacePath"], &file["kind"], &file["missing"], &file["size"]),
        (&json!("notes/tide.txt"), &json!("modified"), &json!(false), &json!(13)),
        "{listed}"
    );
    assert!(listed["browser"]["entries"].as_array().unwrap().iter().any(|entry| entry["name"] == "notes"));
    let inside = json!({"sessionKey": KEY, "path": "notes", "search": "TIDE"});
    let inside = owner.call("sessions.files.list", inside).await.unwrap();
    assert_eq!(
        (&inside["browser"]["parentPath"], &inside["browser"]["entries"][0]["path"]),
        (&json!(""), &json!("notes/tide.txt")),
        "{inside}"
    );
    for path in [&file["path"], &file["workspacePath"]] {
        let read = json!({"sessionKey": KEY, "path": path});
        let read = owner.call("sessions.files.get", read).await.unwrap();
        assert_eq!(
            (&read["file"]["content"], &read["file"]["previewKind"], &read["file"]["kind"]),
            (&json!("high at nine\n"), &json!("text"), &json!("modified")),
            "{read}"
        );
    }
    for (path, kind) in
        [("nothing.txt", "session_file_not_found"), ("../homard.json", "session_file_not_found")]
    {
        let refused = json!({"sessionKey": KEY, "path": path});
        let refused = owner.request("sessions.files.get", refused).await.unwrap();
        assert_eq!(refused["error"]["details"]["type"], kind, "{refused}");
    }
}

#[tokio::test]
async fn pictures_of_a_conversation_are_listed_newest_first_and_fetched_by_their_id() {
    let world = World::start().await;
    let mut owner = world.owner().await;
    let asked = |cursor: Option<&Value>| {
        let mut asked = json!({"sessionKey": KEY, "agentId": "main", "type": "image", "limit": 2});
        if let Some(cursor) = cursor {
            asked["cursor"] = cursor.clone();
        }
        asked
    };
    assert_eq!(owner.call("artifacts.list", asked(None)).await.unwrap(), json!({"artifacts": []}));
    let picture = json!({"type": "image", "mimeType": "image/png", "fileName": "p.png", "content": PIXEL});
    for (run, pictures) in [("one", 1), ("two", 2)] {
        let sent = json!({"sessionKey": KEY, "message": "look", "idempotencyKey": run,
            "attachments": vec![picture.clone(); pictures]});
        owner.call("chat.send", sent).await.unwrap();
        owner.wait_chat_final(run).await.unwrap();
    }
    let first = owner.call("artifacts.list", asked(None)).await.unwrap();
    let rest = owner.call("artifacts.list", asked(first.get("nextCursor"))).await.unwrap();
    let of = |page: &Value| page["artifacts"].as_array().unwrap().clone();
    let (newest, oldest) = (of(&first), of(&rest));
    assert_eq!((newest.len(), oldest.len(), rest.get("nextCursor")), (2, 1, None), "{first} {rest}");
    assert_eq!(newest[0]["messageSeq"], newest[1]["messageSeq"]);
    assert!(oldest[0]["messageSeq"].as_i64() < newest[0]["messageSeq"].as_i64());
    let wanted = json!({"sessionKey": KEY, "artifactId": oldest[0]["id"]});
    let fetched = owner.call("artifacts.download", wanted).await.unwrap();
    assert_eq!((&fetched["encoding"], &fetched["artifact"]), (&json!("base64"), &oldest[0]));
    assert!(fetched["data"].as_str().is_some_and(|data| !data.is_empty()), "{fetched}");
    for (method, params, kind) in [
        ("artifacts.list", json!({}), "artifact_query_unsupported"),
        ("artifacts.list", json!({"runId": "never-was"}), "artifact_scope_not_found"),
        ("artifacts.list", json!({"sessionKey": KEY, "cursor": "x"}), "artifact_cursor_invalid"),
        ("artifacts.download", json!({"sessionKey": KEY, "artifactId": "ffffffff.0"}), "artifact_not_found"),
    ] {
        let refused = owner.request(method, params).await.unwrap();
        assert_eq!(refused["error"]["details"]["type"], kind, "{refused}");
    }
}

#[tokio::test]
async fn the_machine_its_lanes_and_what_it_keeps_are_told_as_they_are() {
    let world = World::start().await;
    let mut owner = world.owner().await;
    let places = owner.call("environments.list", json!({})).await.unwrap();
    let own = &places["environments"][0];
    assert_eq!(
        (&own["id"], &own["type"], &own["status"], places["environments"].as_array().unwrap().len()),
        (&json!("gateway"), &json!("local"), &json!("available"), 1)
    );
    let rented = owner.call("environments.list", json!({"projection": "profiles"})).await.unwrap();
    assert_eq!(rented, json!({"environments": []}));
    let gate = world.fake.gate("done");
    let run = crate::scenarios::world::say(&mut owner, KEY, "count").await;
    world.fake.wait_for_request(1).await.unwrap();
    let lanes = owner.call("diagnostics.lanes", json!({})).await.unwrap();
    let main = &lanes["lanes"][0];
    assert_eq!(
        (&main["lane"], &main["activeCount"], &main["queuedCount"], &lanes["dynamic"]["laneCount"]),
        (&json!("main"), &json!(1), &json!(0), &json!(1)),
        "{lanes}"
    );
    gate.release();
    owner.wait_chat_final(&run).await.unwrap();
    let kept = owner.call("sessions.storage.status", json!({})).await.unwrap();
    assert_eq!(
        (&kept["agents"][0]["agentId"], &kept["agents"][0]["hotTranscripts"]),
        (&json!("main"), &json!(1))
    );
    assert!(kept["agents"][0]["databaseBytes"].as_u64() > Some(0), "{kept}");
    let search = owner.call("webSearch.status", json!({"agentId": "main"})).await.unwrap();
    assert_eq!((&search["enabled"], &search["route"]["kind"]), (&json!(false), &json!("unavailable")));
    assert_eq!(search["model"], json!({"provider": "fake", "id": "fake-1", "runtime": "homard"}));
}

#[tokio::test]
async fn folders_of_the_machine_are_for_admins_and_workspaces_for_those_who_may_write() {
    let world = World::start().await;
    let state = world.gateway.home().state_dir().to_owned();
    std::fs::create_dir_all(state.join("workspace/boats/.hidden")).unwrap();
    std::fs::create_dir_all(state.join("workspace/boats/red")).unwrap();
    std::fs::write(state.join("workspace/boats/list.txt"), "x").unwrap();
    let mut owner = world.owner().await;
    let boats = json!({"path": state.join("workspace/boats")});
    let listed = owner.call("fs.listDir", boats.clone()).await.unwrap();
    let names: Vec<&Value> = listed["entries"].as_array().unwrap().iter().map(|one| &one["name"]).collect();
    assert_eq!(names, [&json!("red"), &json!(".hidden")], "{listed}");
    owner.call("fs.listDir", json!({"path": state})).await.unwrap();
    let mut writer = world.with_scopes(&["operator.write"]).await;
    let seen = writer.call("fs.listDir", boats).await.unwrap();
    assert!(seen["parent"].as_str().unwrap().ends_with("workspace"), "{seen}");
    let top = writer.call("fs.listDir", json!({})).await.unwrap();
    assert!(top["path"].as_str().unwrap().ends_with("workspace") && top.get("parent").is_none(), "{top}");
    for (params, said) in [
        (json!({"path": state}), "missing scope: operator.admin"),
        (json!({"path": state.join("workspace/..")}), "missing scope: operator.admin"),
        (json!({"path": "boats"}), "fs.listDir path must be absolute"),
        (json!({"nodeId": "shed"}), "missing scope: operator.admin"),
    ] {
        let refused = writer.request("fs.listDir", params).await.unwrap();
        assert_eq!(refused["error"]["message"], said, "{refused}");
    }
}

#[tokio::test]
async fn a_conversation_is_read_only_by_who_knows_that_it_was_marked_unread() {
    let world = World::start().await;
    let mut owner = world.owner().await;
    talk(&mut owner, KEY, "hello").await;
    let patch = |settings: Value| {
        let mut patch = json!({"key": KEY});
        patch.as_object_mut().unwrap().extend(settings.as_object().unwrap().clone());
        patch
    };
    owner.call("sessions.patch", patch(json!({"unread": true}))).await.unwrap();
    let row = |listed: &Value| listed["sessions"][0].clone();
    let marked = row(&owner.call("sessions.list", json!({})).await.unwrap());
    assert!(marked["markedUnreadAt"].is_i64() && marked["unread"] == json!(true), "{marked}");
    for (known, unread) in [(json!(null), true), (marked["markedUnreadAt"].clone(), false)] {
        let read = patch(json!({"unread": false, "expectedMarkedUnreadAt": known}));
        owner.call("sessions.patch", read).await.unwrap();
        let now = row(&owner.call("sessions.list", json!({})).await.unwrap());
        assert_eq!(now["unread"], json!(unread), "{now}");
    }
}
