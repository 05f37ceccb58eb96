//! Agents made, changed and taken away over the wire, their files, and what the configuration says of a key.

use homard_testkit::TestClient;
use serde_json::{Value, json};

use crate::scenarios::world::{World, talk};

async fn call(client: &mut TestClient, method: &str, params: Value) -> Value {
    client.call(method, params.clone()).await.unwrap_or_else(|error| panic!("{method} {params}: {error:?}"))
}

async fn refused(client: &mut TestClient, method: &str, params: Value, words: &str) -> Value {
    let mut answer = client.request(method, params.clone()).await.unwrap();
    assert_eq!(answer["error"]["code"], "INVALID_REQUEST", "{method} {params}: {answer}");
    assert!(answer["error"]["message"].as_str().unwrap().contains(words), "{method} {params}: {answer}");
    answer["error"].take()
}

async fn ids(client: &mut TestClient) -> Vec<String> {
    let list = call(client, "agents.list", json!({})).await;
    list["agents"].as_array().unwrap().iter().map(|agent| agent["id"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn an_agent_is_made_answers_is_changed_and_goes() {
    let world = World::start().await;
    world.fake.says("hello from work");
    let mut client = world.owner().await;
    let made = call(&mut client, "agents.create", json!({"name": "At Work", "emoji": "🛠"})).await;
    assert_eq!((&made["agentId"], &made["name"]), (&json!("at-work"), &json!("At Work")));
    assert!(std::path::Path::new(made["workspace"].as_str().unwrap()).is_dir());
    let list = call(&mut client, "agents.list", json!({})).await;
    assert_eq!(list["defaultId"], "main", "the one that was there stays the default");
    assert_eq!(ids(&mut client).await, ["at-work", "main"]);
    assert_eq!(talk(&mut client, "agent:at-work:main", "who is there?").await["state"], "final");

    let changed = json!({"agentId": "at-work", "name": "Office", "model": "fake/fake-1"});
    assert_eq!(call(&mut client, "agents.update", changed).await, json!({"ok": true, "agentId": "at-work"}));
    call(&mut client, "agents.update", json!({"agentId": "at-work", "model": null})).await;
    let list = call(&mut client, "agents.list", json!({})).await;
    assert_eq!(list["agents"][0]["name"], "Office");

    for (method, params, words) in [
        ("agents.create", json!({}), "name"),
        ("agents.create", json!({"name": "At work!"}), "already exists"),
        ("agents.create", json!({"name": "東京"}), "name"),
        ("agents.create", json!({"name": "x".repeat(129)}), "name"),
        ("agents.create", json!({"name": "x", "model": "nobody/nope"}), "nobody"),
        ("agents.update", json!({"agentId": "nobody"}), "unknown agent"),
        ("agents.update", json!({"agentId": "main", "bogus": 1}), "bogus"),
        ("agents.delete", json!({"agentId": "main"}), "default agent"),
        ("agents.delete", json!({"agentId": "nobody"}), "unknown agent"),
        ("agents.delete", json!({}), "agentId"),
    ] {
        refused(&mut client, method, params, words).await;
    }
    let gone = call(&mut client, "agents.delete", json!({"agentId": "at-work"})).await;
    assert_eq!((&gone["ok"], &gone["removedBindings"]), (&json!(true), &json!(0)));
    assert_eq!(gone["removed"][0]["method"], "trash", "{gone}");
    assert_eq!(ids(&mut client).await, ["main"]);
    let ended = call(&mut client, "sessions.ended", json!({"agentId": "at-work"})).await;
    assert_eq!(ended["sessions"][0]["key"], "agent:at-work:main");
}

#[tokio::test]
async fn the_files_of_a_workspace_are_read_and_written_and_nothing_else_is() {
    let world = World::start().await;
    let mut client = world.owner().await;
    let list = call(&mut client, "agents.files.list", json!({"agentId": "main"})).await;
    assert_eq!(list["files"].as_array().unwrap().len(), 8);
    let set = json!({"agentId": "main", "name": "SOUL.md", "content": "Be brief."});
    let set = call(&mut client, "agents.files.set", set).await;
    let hash = set["file"]["hash"].clone();
    let got = call(&mut client, "agents.files.get", json!({"agentId": "main", "name": "SOUL.md"})).await;
    assert_eq!((&got["file"]["content"], &got["file"]["hash"]), (&json!("Be brief."), &hash));
    let again = json!({"agentId": "main", "name": "SOUL.md", "content": "Be kind.", "expectedHash": hash});
    call(&mut client, "agents.files.set", again.clone()).await;
    let late = refused(&mut client, "agents.files.set", again, "changed since").await;
    assert_eq!(late["details"]["type"], "agent_file_conflict");

    let workspace = std::path::PathBuf::from(set["workspace"].as_str().unwrap());
    std::fs::write(world.gateway.home().config_path().with_file_name("secret"), "s").unwrap();
    let link = workspace.join("USER.md");
    drop(std::fs::remove_file(&link));
    std::os::unix::fs::symlink(world.gateway.home().config_path().with_file_name("secret"), &link).unwrap();
    for (method, params, words) in [
        ("agents.files.get", json!({"agentId": "main", "name": "USER.md"}), "plain file"),
        ("agents.files.set", json!({"agentId": "main", "name": "USER.md", "content": "x"}), "plain file"),
        ("agents.files.get", json!({"agentId": "main", "name": "../secret"}), "unsupported file"),
        ("agents.files.get", json!({"agentId": "main", "name": "soul.md"}), "unsupported file"),
        ("agents.files.get", json!({"agentId": "nobody", "name": "SOUL.md"}), "unknown agent"),
        ("agents.files.set", json!({"agentId": "main", "name": "SOUL.md"}), "content"),
        (
            "agents.files.set",
            json!({"agentId": "main", "name": "SOUL.md", "content": "x".repeat(2 * 1024 * 1024 + 1)}),
            "larger",
        ),
        ("agents.files.list", json!({}), "agentId"),
    ] {
        refused(&mut client, method, params, words).await;
    }
}

#[tokio::test]
async fn one_key_of_the_configuration_and_the_credentials_are_told() {
    let world = World::start().await;
    let mut client = world.owner().await;
    let gateway = call(&mut client, "config.schema.lookup", json!({"path": "gateway"})).await;
    assert_eq!((&gateway["path"], &gateway["reloadKind"]), (&json!("gateway"), &json!("restart")));
    let port = gateway["children"].as_array().unwrap().iter().find(|child| child["key"] == "port").unwrap();
    assert_eq!((&port["path"], &port["hasChildren"]), (&json!("gateway.port"), &json!(false)));
    for (params, words) in [
        (json!({}), "path"),
        (json!({"path": ""}), "path"),
        (json!({"path": "a b"}), "path"),
        (json!({"path": "gateway.nothing"}), "not found"),
        (json!({"path": "x".repeat(1025)}), "path"),
        (json!({"path": "gateway", "bogus": 1}), "bogus"),
    ] {
        refused(&mut client, "config.schema.lookup", params, words).await;
    }
    let opened = call(&mut client, "config.openFile", json!({})).await;
    assert_eq!(opened["path"], json!(world.gateway.home().config_path()));
    let status = call(&mut client, "models.authStatus", json!({})).await;
    let fake = status["providers"].as_array().unwrap().iter().find(|one| one["provider"] == "fake").unwrap();
    assert_eq!((&fake["status"], &fake["apiKey"]["source"]), (&json!("static"), &json!("config")), "{fake}");
    assert!(!status.to_string().contains("test-key"));
    assert!(!status["providerCapabilities"].as_array().unwrap().is_empty());
    refused(&mut client, "models.authStatus", json!({"agentId": "nobody"}), "unknown agent").await;
    let snapshot = call(&mut client, "config.get", json!({})).await;
    assert_eq!(snapshot["agentRosterIncludeOwned"], false);
}

#[tokio::test]
async fn a_memory_is_listed_read_and_searched_and_nothing_beside_it_is() {
    let world = World::start().await;
    let mut client = world.owner().await;
    let list = call(&mut client, "memory.list", json!({})).await;
    let folder = std::path::PathBuf::from(list["workspace"].as_str().unwrap());
    std::fs::create_dir_all(folder.join("memory")).unwrap();
    std::fs::write(folder.join("MEMORY.md"), "# House\n\nThe gate is blue.\n").unwrap();
    std::fs::write(folder.join("memory/2026-11-16.md"), "Anna painted the GATE.\n").unwrap();
    std::os::unix::fs::symlink(world.gateway.home().config_path(), folder.join("memory/config.md")).unwrap();

    let list = call(&mut client, "memory.list", json!({"agentId": "main"})).await;
    let paths: Vec<&str> =
        list["files"].as_array().unwrap().iter().map(|file| file["path"].as_str().unwrap()).collect();
    assert_eq!(paths, ["MEMORY.md", "memory/2026-11-16.md"]);
    let note = call(&mut client, "memory.get", json!({"path": "memory/2026-11-16.md"})).await;
    assert_eq!((&note["text"], &note["size"]), (&json!("Anna painted the GATE.\n"), &json!(23)));
    assert_eq!(note["hash"].as_str().unwrap().len(), 64);
    let found = call(&mut client, "memory.search", json!({"query": "what did ANNA do to the gates?"})).await;
    let best = &found["results"][0];
    assert_eq!((&best["path"], &best["startLine"]), (&json!("memory/2026-11-16.md"), &json!(1)), "{found}");
    assert_eq!(
        (&best["date"], &best["matched"]),
        (&json!("2026-11-16"), &json!(["ANNA", "gates"])),
        "{found}"
    );
    let status = call(&mut client, "memory.status", json!({})).await;
    assert_eq!((&status["files"], &status["passages"]), (&json!(2), &json!(2)), "{status}");
    assert_eq!(status["skipped"][0]["path"], "memory/config.md");
    let again = call(&mut client, "memory.index", json!({"force": true})).await;
    assert_eq!((&again["indexed"], &again["unchanged"]), (&json!(2), &json!(0)), "{again}");

    // What is forgotten is gone from the note and can be put back.
    let lines = json!({"path": best["path"], "startLine": 1, "endLine": 1, "hash": note["hash"]});
    let gone = call(&mut client, "memory.forget", lines).await;
    assert_eq!(gone["removed"], "Anna painted the GATE.\n");
    let found = call(&mut client, "memory.search", json!({"query": "anna"})).await;
    assert_eq!(found["results"], json!([]));
    let back = json!({"path": best["path"], "startLine": 1, "endLine": 0, "hash": gone["hash"],
        "replacement": gone["removed"]});
    assert_eq!(call(&mut client, "memory.forget", back).await["hash"], note["hash"]);
    let found = call(&mut client, "memory.search", json!({"query": "anna"})).await;
    assert_eq!(found["results"].as_array().unwrap().len(), 1);

    for (method, params, words) in [
        ("memory.search", json!({}), "query"),
        ("memory.search", json!({"query": " "}), "query"),
        ("memory.search", json!({"query": "x".repeat(513)}), "query"),
        ("memory.search", json!({"query": "x", "limit": 0}), "limit"),
        ("memory.search", json!({"query": "x", "limit": 101}), "limit"),
        ("memory.search", json!({"query": "x", "agentId": "nobody"}), "unknown agent"),
        ("memory.list", json!({"agentId": "no/body"}), "agent"),
        (
            "memory.forget",
            json!({"path": "memory/2026-11-16.md", "startLine": 1, "endLine": 1, "hash": "x"}),
            "changed",
        ),
        ("memory.get", json!({}), "path"),
        ("memory.get", json!({"path": "SOUL.md"}), "not a file of a memory"),
        ("memory.get", json!({"path": "memory/../SOUL.md"}), "not a file of a memory"),
        ("memory.get", json!({"path": "memory/config.md"}), "plain file"),
        ("memory.get", json!({"path": "memory/none.md"}), "there is no file"),
    ] {
        refused(&mut client, method, params, words).await;
    }
}
