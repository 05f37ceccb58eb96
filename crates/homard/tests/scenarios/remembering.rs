//! What was written down in one conversation is found in another, with where it stands and whose words it is.

use std::path::PathBuf;

use homard_testkit::TestClient;
use serde_json::{Value, json};
use tokio::process::Command;

use crate::scenarios::world::{OPENAI, World, as_owner, outcome, talk, text_of};

/// What the tools of the newest request answered.
fn results(world: &World) -> Vec<String> {
    let asked = world.fake.requests().pop().unwrap().body;
    let messages = asked["messages"].as_array().unwrap().iter();
    messages.filter(|message| message["role"] == "tool").map(text_of).collect()
}

#[tokio::test]
async fn what_was_decided_is_found_days_later_in_a_fresh_conversation() {
    let world = World::start().await;
    let mut owner = world.owner().await;
    let note = "# Database\n\nWe decided to keep PostgreSQL: backups are easy to test.\n";
    world.fake.calls("write", json!({"path": "memory/2026-11-12.md", "content": note})).says("noted");
    talk(&mut owner, "agent:main:main", "note that we keep PostgreSQL").await;

    world.fake.calls("memory_search", json!({"query": "What did we decide about the databases?"}));
    world.fake.calls("memory_get", json!({"path": "memory/2026-11-12.md", "from": 3, "lines": 1}));
    world.fake.says("PostgreSQL");
    let last = talk(&mut owner, "agent:main:fresh", "what did we decide about the database?").await;
    assert_eq!(text_of(&last["message"]), "PostgreSQL");
    let told: Vec<Value> = results(&world).iter().map(|text| serde_json::from_str(text).unwrap()).collect();
    let best = &told[0]["results"][0];
    assert_eq!(best["citation"], "memory/2026-11-12.md#L1-L3", "{told:?}");
    assert_eq!((&best["date"], &best["source"]), (&json!("2026-11-12"), &json!("memory")));
    assert_eq!(told[1]["text"], "We decided to keep PostgreSQL: backups are easy to test.");
}

#[tokio::test]
async fn meaning_is_searched_by_the_owners_provider_and_words_alone_when_it_fails() {
    let world = World::start_with(OPENAI, |config| {
        config["agents"]["defaults"]["memorySearch"] =
            json!({"provider": "fake", "model": "vectors-1", "query": {"minScore": 0.0}});
    })
    .await;
    let mut owner = world.owner().await;
    let workspace = world.gateway.home().state_dir().join("workspace");
    std::fs::create_dir_all(workspace.join("memory")).unwrap();
    std::fs::write(workspace.join("memory/a.md"), "The gate is blue.\n").unwrap();
    let found = owner.call("memory.search", json!({"query": "gate"})).await.unwrap();
    assert_eq!(found["model"], "fake/vectors-1", "{found}");
    assert!(world.fake.requests().iter().any(|asked| asked.path.ends_with("/embeddings")));

    let world = World::start_with(OPENAI, |config| {
        config["agents"]["defaults"]["memorySearch"] =
            json!({"provider": "local", "local": {"modelPath": "/nowhere/model"}});
    })
    .await;
    let mut owner = world.owner().await;
    let workspace = world.gateway.home().state_dir().join("workspace");
    std::fs::create_dir_all(workspace.join("memory")).unwrap();
    std::fs::write(workspace.join("memory/a.md"), "The gate is blue.\n").unwrap();
    let found = owner.call("memory.search", json!({"query": "gate"})).await.unwrap();
    assert_eq!(found["results"][0]["path"], "memory/a.md", "{found}");
    assert!(found["note"].as_str().unwrap().contains("by words alone"), "{found}");
    let status = owner.call("memory.status", json!({})).await.unwrap();
    assert!(status["trouble"].as_str().unwrap().contains("/nowhere/model"), "{status}");
}

#[tokio::test]
async fn meaning_is_searched_at_a_server_of_its_own_in_newer_words_and_without_citations() {
    let mut world = World::start_with(OPENAI, |config| {
        let url = config["models"]["providers"]["fake"]["baseUrl"].as_str().unwrap().replace("/v1", "");
        let remote = |path: &str, more: Value| {
            let mut remote = json!({"baseUrl": format!("{url}/{path}")});
            remote.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            remote
        };
        let own = remote("own/v1", json!({"apiKey": "its-own-key", "headers": {"x-notes": "yes"}}));
        let query = json!({"minScore": 0.0});
        config["memory"] = json!({"citations": "off",
            "search": {"provider": "fake", "model": "vectors-1", "remote": own, "query": query}});
        let local = json!({"search": {"remote": remote("local/v1", json!({}))}});
        config["agents"]["list"] = json!([{"id": "main", "default": true}, {"id": "near", "memory": local}]);
    })
    .await;
    let mut owner = world.owner().await;
    for (agent, model, path, key) in [
        ("main", "memory-search/vectors-1", "/own/v1/embeddings", Some("Bearer its-own-key")),
        ("near", "memory-search-near/vectors-1", "/local/v1/embeddings", None),
    ] {
        note(&mut owner, agent, "memory/a.md", "The gate is blue.\n").await;
        let found = owner.call("memory.search", json!({"query": "gate", "agentId": agent})).await.unwrap();
        assert_eq!(found["model"], model, "{found}");
        let requests = world.fake.requests();
        let asked =
            requests.iter().find(|asked| asked.path == path).unwrap_or_else(|| panic!("{requests:?}"));
        // The provider's own key goes to the provider alone.
        assert_eq!(asked.header("authorization"), key, "{agent}");
        assert_eq!(asked.header("x-notes"), Some("yes"));
    }
    world.fake.calls("memory_search", json!({"query": "gate"})).says("blue");
    talk(&mut owner, "agent:main:main", "which colour has the gate?").await;
    let told: Value = serde_json::from_str(&results(&world)[0]).unwrap();
    let best = &told["results"][0];
    assert_eq!((&best["path"], &best["citation"]), (&json!("memory/a.md"), &Value::Null), "{told}");
    // Another start finds it as it is written, whatever was noted about providers meanwhile.
    world.gateway.terminate().await.unwrap();
    world.gateway.restart().await.unwrap();
    let found = world.owner().await.call("memory.search", json!({"query": "gate"})).await.unwrap();
    assert_eq!(
        (&found["model"], &found["note"]),
        (&json!("memory-search/vectors-1"), &Value::Null),
        "{found}"
    );
}

#[tokio::test]
async fn settings_of_a_memory_hold_for_each_agent() {
    let world = World::start_with(OPENAI, |config| {
        config["agents"]["defaults"]["memorySearch"] = json!({
            "provider": "fake", "model": "vectors-1", "store": {"path": "indexes/{agentId}.db"},
            "query": {"minScore": 0.0, "maxResults": 1,
                "hybrid": {"textWeight": 0.0, "vectorWeight": 1.0, "candidateMultiplier": 1}},
        });
        config["agents"]["list"] = json!([
            {"id": "main", "default": true},
            {"id": "plain", "memorySearch": {"chunking": {"tokens": 30}, "query": {"hybrid": {"enabled": false}}}},
            {"id": "off", "memorySearch": {"enabled": false}},
        ]);
    })
    .await;
    let mut owner = world.owner().await;
    let note = "The gate is blue.\n\n".repeat(40);
    for agent in ["main", "plain"] {
        let list = owner.call("memory.list", json!({"agentId": agent})).await.unwrap();
        let folder = std::path::PathBuf::from(list["workspace"].as_str().unwrap());
        std::fs::create_dir_all(folder.join("memory")).unwrap();
        std::fs::write(folder.join("memory/a.md"), &note).unwrap();
        std::fs::write(folder.join("MEMORY.md"), "The gate was red once.\n").unwrap();
    }
    // The first search has vectors made of what it finds; the next one has them.
    let search = json!({"query": "gate", "agentId": "main"});
    let mut best = Value::Null;
    while best["vectorScore"].is_null() {
        let found = owner.call("memory.search", search.clone()).await.unwrap();
        assert_eq!(found["model"], "fake/vectors-1", "{found}");
        best = found["results"][0].clone();
    }
    assert_eq!(best["score"], best["vectorScore"], "the words weigh nothing: {best}");
    let plain = owner.call("memory.search", json!({"query": "gate", "agentId": "plain"})).await.unwrap();
    assert_eq!(plain["model"], Value::Null, "{plain}");
    let status = owner.call("memory.status", json!({"agentId": "plain"})).await.unwrap();
    assert!(status["passages"].as_u64().unwrap() > 4, "notes are cut shorter: {status}");
    assert!(status["index"].as_str().unwrap().ends_with("indexes/plain.db"), "{status}");
    let off = owner.call("memory.search", json!({"query": "gate", "agentId": "off"})).await.unwrap_err();
    assert!(format!("{off:?}").contains("turned off"), "{off:?}");

    world.fake.calls("memory_search", json!({"query": "gate"})).says("blue");
    talk(&mut owner, "agent:plain:main", "which colour has the gate?").await;
    let told: Value = serde_json::from_str(&results(&world)[0]).unwrap();
    assert_eq!(told["results"].as_array().unwrap().len(), 1, "{told}");
}

/// Writes a note into an agent's memory.
async fn note(owner: &mut TestClient, agent: &str, path: &str, text: &str) {
    let list = owner.call("memory.list", json!({"agentId": agent})).await.unwrap();
    let path = PathBuf::from(list["workspace"].as_str().unwrap()).join(path);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

async fn found(owner: &mut TestClient, agent: &str) -> usize {
    let found = owner.call("memory.search", json!({"query": "gate", "agentId": agent})).await.unwrap();
    found["results"].as_array().unwrap().len()
}

/// Asks until so many passages are in the index, without bringing it up to date.
async fn indexed(owner: &mut TestClient, agent: &str, passages: u64) {
    loop {
        let status = owner.call("memory.status", json!({"agentId": agent})).await.unwrap();
        if status["passages"].as_u64() == Some(passages) {
            return;
        }
    }
}

#[tokio::test]
async fn an_index_follows_its_notes_as_the_owner_wants() {
    let world = World::start_with(OPENAI, |config| {
        let sync = |more: Value| {
            let mut sync = json!({"onSearch": false, "onSessionStart": false, "watch": false});
            sync.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            json!({"sync": sync, "query": {"minScore": 0.0}})
        };
        config["agents"]["list"] = json!([
            {"id": "main", "default": true},
            {"id": "heard", "memorySearch": sync(json!({"watch": true, "watchDebounceMs": 5}))},
            {"id": "begun", "memorySearch": sync(json!({"onSessionStart": true}))},
            {"id": "timed", "memorySearch": sync(json!({"onSearch": true, "intervalMinutes": 60}))},
            {"id": "still", "memorySearch": sync(json!({}))},
        ]);
    })
    .await;
    let mut owner = world.owner().await;
    for agent in ["heard", "begun", "timed", "still"] {
        note(&mut owner, agent, "memory/a.md", "The gate is blue.\n").await;
    }
    // The first use begins to listen; from then on changes come in without being asked for.
    found(&mut owner, "heard").await;
    indexed(&mut owner, "heard", 1).await;
    note(&mut owner, "heard", "memory/b.md", "The gate was red.\n").await;
    indexed(&mut owner, "heard", 2).await;
    assert_eq!(found(&mut owner, "heard").await, 2);

    assert_eq!(found(&mut owner, "timed").await, 1);
    for agent in ["begun", "still"] {
        assert_eq!(found(&mut owner, agent).await, 0, "{agent}");
        world.fake.says("hello");
        talk(&mut owner, &format!("agent:{agent}:main"), "hello").await;
    }
    indexed(&mut owner, "begun", 1).await;
    assert_eq!((found(&mut owner, "begun").await, found(&mut owner, "still").await), (1, 0));
}

#[tokio::test]
async fn vectors_are_asked_for_as_each_vendor_spells_it_and_another_is_asked_when_one_fails() {
    let vendors = [
        ("google", "google-generative-ai", "/v1beta", "/v1beta/models/vectors-1:batchEmbedContents"),
        ("voyage", "openai-completions", "/voyage/v1", "/voyage/v1/embeddings"),
        ("ollama", "ollama", "", "/api/embed"),
    ];
    let world = World::start_with(OPENAI, |config| {
        let url = config["models"]["providers"]["fake"]["baseUrl"].as_str().unwrap().replace("/v1", "");
        config["agents"]["list"] = json!([{"id": "main", "default": true}]);
        for (provider, api, path, _) in vendors {
            config["models"]["providers"][provider] = json!({
                "baseUrl": format!("{url}{path}"), "apiKey": "test-key", "api": api,
                "models": [{"id": "vectors-1", "name": "Vectors", "contextWindow": 2_000}],
            });
            let agent = json!({"id": provider, "memorySearch": {"provider": provider, "model": "vectors-1"}});
            config["agents"]["list"].as_array_mut().unwrap().push(agent);
        }
        config["models"]["providers"]["gone"] = json!({"baseUrl": "http://127.0.0.1:9/v1", "apiKey": "k",
            "api": "openai-completions", "models": [{"id": "v", "name": "V", "contextWindow": 2_000}]});
        let second = json!({"provider": "gone", "model": "v", "fallback": "voyage"});
        let agents = config["agents"]["list"].as_array_mut().unwrap();
        agents.push(json!({"id": "second", "memorySearch": second}));
    })
    .await;
    let mut owner = world.owner().await;
    for (agent, _, _, path) in vendors {
        note(&mut owner, agent, "memory/a.md", "The gate is blue.\n").await;
        let search = json!({"query": "gate", "agentId": agent});
        let mut best = Value::Null;
        while best["vectorScore"].is_null() {
            let found = owner.call("memory.search", search.clone()).await.unwrap();
            assert_eq!(found["model"], format!("{agent}/vectors-1"), "{found}");
            best = found["results"][0].clone();
        }
        assert!(world.fake.requests().iter().any(|asked| asked.path == path), "{path}");
    }
    note(&mut owner, "second", "memory/a.md", "The gate is blue.\n").await;
    let found = owner.call("memory.search", json!({"query": "gate", "agentId": "second"})).await.unwrap();
    assert_eq!(found["model"], "voyage/voyage-4-large", "{found}");
    assert!(found["note"].as_str().unwrap().starts_with("searched with `voyage/"), "{found}");
    let status = owner.call("memory.status", json!({"agentId": "second"})).await.unwrap();
    assert_eq!((status["model"].as_str(), status["trouble"].is_string()), (Some("gone/v"), true), "{status}");
}

#[tokio::test]
async fn a_search_for_nothing_is_answered_with_an_example() {
    let world = World::start().await;
    let mut command = Command::new(crate::homard());
    command.args(["memory", "search"]);
    let (code, said) = outcome(as_owner(command, world.gateway.home())).await;
    assert_ne!(code, Some(0));
    assert!(said.contains("homard memory search what did we decide"), "{said}");
}

#[tokio::test]
async fn a_question_without_end_and_a_line_that_is_not_there_are_refused_in_words() {
    let world = World::start().await;
    let mut owner = world.owner().await;
    note(&mut owner, "main", "memory/a.md", "The gate is blue.\n").await;
    let asked = json!({"query": "gate ".repeat(10_000)});
    let refused = owner.call("memory.search", asked).await.unwrap_err().to_string();
    assert!(refused.contains("at /query: ask for something, in 512 characters at most"), "{refused}");
    let mut command = Command::new(crate::homard());
    command.args(["memory", "get", "memory/a.md", "--from", "900"]);
    let (code, said) = outcome(as_owner(command, world.gateway.home())).await;
    assert_ne!(code, Some(0));
    assert!(said.contains("`memory/a.md` has 1 lines, and line 900 is asked for"), "{said}");
}

/// The best of what was found, by its words.
async fn best(owner: &mut TestClient, query: &str) -> Value {
    owner.call("memory.search", json!({"query": query})).await.unwrap()["results"][0].clone()
}

#[tokio::test]
async fn whose_words_a_passage_is_is_told() {
    let world = World::start().await;
    let mut owner = world.owner().await;
    note(&mut owner, "main", "memory/mine.md", "The gate is blue.\n").await;
    world
        .fake
        .calls("write", json!({"path": "memory/its.md", "content": "The fence is green.\n"}))
        .says("noted");
    talk(&mut owner, "agent:main:main", "note the fence").await;
    assert_eq!(best(&mut owner, "gate").await["by"], "owner");
    let fence = best(&mut owner, "fence").await;
    assert_eq!((&fence["by"], &fence["source"]), (&json!("agent"), &json!("memory")), "{fence}");
    // What the owner writes into it is the owner's, and what was there stays the agent's.
    note(&mut owner, "main", "memory/its.md", "The fence is green.\n\n# Roof\n\nThe roof is red.\n").await;
    assert_eq!(best(&mut owner, "roof").await["by"], "owner");
    assert_eq!(best(&mut owner, "fence").await["by"], "agent");

    world.fake.calls("memory_search", json!({"query": "fence"})).says("green");
    talk(&mut owner, "agent:main:fresh", "which colour has the fence?").await;
    let told: Value = serde_json::from_str(&results(&world)[0]).unwrap();
    assert_eq!(told["results"][0]["by"], "agent", "{told}");
    let mut command = Command::new(crate::homard());
    command.args(["memory", "search", "roof"]);
    let said = as_owner(command, world.gateway.home()).output().await.unwrap();
    let said = String::from_utf8_lossy(&said.stdout).into_owned();
    assert!(said.contains("written by you"), "{said}");
}

#[tokio::test]
async fn conversations_are_searched_where_the_owner_wants_it_by_those_who_may_see_them() {
    let world = World::start_with(OPENAI, |config| {
        config["agents"]["defaults"]["memorySearch"] = json!({
            "sources": ["memory", "sessions"], "experimental": {"sessionMemory": true},
            "sync": {"onSessionStart": false, "sessions": {"deltaMessages": 4, "deltaBytes": 100_000}},
        });
        config["agents"]["list"] = json!([{"id": "main", "default": true},
            {"id": "plain", "memorySearch": {"sources": ["memory"]}},
            {"id": "wordy", "memorySearch": {"sync": {"sessions": {"deltaMessages": 900, "deltaBytes": 20}}}}]);
        config["tools"]["sessions"] = json!({"visibility": "tree"});
    })
    .await;
    let mut owner = world.owner().await;
    world.fake.says("Under the flower pot.");
    talk(&mut owner, "agent:main:main", "Where do I keep the spare key?").await;
    let key = "where is the spare key?";
    assert_eq!(best(&mut owner, key).await, Value::Null, "it has not grown enough");
    world.fake.says("You are welcome.");
    talk(&mut owner, "agent:main:main", "Thank you.").await;
    let found = best(&mut owner, key).await;
    assert_eq!(
        (&found["source"], &found["sessionKey"]),
        (&json!("sessions"), &json!("agent:main:main")),
        "{found}"
    );
    assert_eq!(best(&mut owner, "is it under the flower pot?").await["by"], "agent");
    let status = owner.call("memory.status", json!({})).await.unwrap();
    assert_eq!((&status["sessions"], &status["files"]), (&json!(1), &json!(0)), "{status}");

    // Bringing it up to date by hand takes in whatever was said since.
    world.fake.says("Noted.");
    talk(&mut owner, "agent:main:main", "The bicycle is lent to Anna.").await;
    assert_eq!(best(&mut owner, "bicycle").await, Value::Null);
    owner.call("memory.index", json!({})).await.unwrap();
    assert_eq!(best(&mut owner, "bicycle").await["by"], "owner");

    // Another conversation sees what it started, and no other, as everywhere.
    for (session, expected) in [("agent:main:main", 1), ("agent:main:fresh", 0)] {
        world.fake.calls("memory_search", json!({"query": "bicycle"})).says("lent");
        talk(&mut owner, session, "who has it?").await;
        let told: Value = serde_json::from_str(results(&world).last().unwrap()).unwrap();
        assert_eq!(told["results"].as_array().unwrap().len(), expected, "{session}: {told}");
    }
    for (agent, expected) in [("plain", 0), ("wordy", 1)] {
        world.fake.says("hello");
        talk(&mut owner, &format!("agent:{agent}:main"), "The bicycle is blue.").await;
        let found = owner.call("memory.search", json!({"query": "bicycle", "agentId": agent})).await.unwrap();
        assert_eq!(found["results"].as_array().unwrap().len(), expected, "{found}");
    }
}

#[tokio::test]
async fn a_provider_that_hangs_is_not_waited_for_twice() {
    // Somebody who listens and never answers.
    let silent = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/v1", silent.local_addr().unwrap());
    let world = World::start_with(OPENAI, |config| {
        config["models"]["providers"]["silent"] = json!({"baseUrl": url, "apiKey": "k",
            "api": "openai-completions", "models": [{"id": "v", "name": "V", "contextWindow": 2_000}]});
        config["agents"]["defaults"]["memorySearch"] = json!({"provider": "silent", "model": "v"});
    })
    .await;
    let mut owner = world.owner().await;
    note(&mut owner, "main", "memory/a.md", "The gate is blue.\n").await;
    let late = "did not answer within 5 seconds";
    for _ in 0..20 {
        let found = owner.call("memory.search", json!({"query": "gate"})).await.unwrap();
        assert_eq!(found["results"][0]["path"], "memory/a.md", "{found}");
        let told = found["note"].as_str().unwrap();
        assert!(told.contains("by words alone") && told.contains(late), "{found}");
    }
    let status = owner.call("memory.status", json!({})).await.unwrap();
    assert!(status["trouble"].as_str().unwrap().contains(late), "{status}");
    drop(silent);
}
