//! An agent's own words are laid over what holds for all.

use std::path::{Path, PathBuf};
use std::time::Duration;

use homard_protocol::AgentId;
use serde_json::{Value, json};

use super::MemorySearch;
use crate::config::{Config, Resolve};
use crate::env::Environment;
use crate::paths::Paths;

/// What is written laid over what holds.
fn laid(over: MemorySearch, written: Value, paths: &Paths) -> MemorySearch {
    let env = Environment::default();
    over.with(
        serde_json::from_value(written).unwrap(),
        "agents.defaults.memorySearch",
        &mut Resolve::new(paths, &env),
    )
}

/// What holds, with what was said about it.
fn read(written: Value) -> (Config, Vec<String>) {
    let (paths, env) = (Paths::under(Path::new("/home/x")), Environment::default());
    let mut cx = Resolve::new(&paths, &env);
    let config = Config::resolve(serde_json::from_value(written).unwrap(), &mut cx);
    let told = cx.issues.iter().chain(&cx.warnings).map(|issue| format!("{}: {}", issue.path, issue.message));
    (config, told.collect())
}

#[test]
fn what_an_agent_leaves_out_is_as_for_all() {
    let paths = Paths::under(Path::new("/home/x"));
    let all = laid(
        MemorySearch::usual(),
        json!({
            "extraPaths": ["docs", "/shared/team.md"], "provider": "voyage", "model": "v",
            "chunking": { "tokens": 200 }, "store": { "path": "indexes/{agentId}.db" },
            "local": { "modelPath": "/models/small" }, "fallback": "ollama",
            "sync": { "watch": false, "watchDebounceMs": 10, "intervalMinutes": 2,
                "sessions": { "deltaBytes": 10, "deltaMessages": 2 } },
            "sources": ["memory", "sessions"], "experimental": { "sessionMemory": true },
            "query": { "maxResults": 9, "hybrid": { "mmr": { "enabled": true } } },
        }),
        &paths,
    );
    assert_eq!(all.extra_paths, [PathBuf::from("docs"), PathBuf::from("/shared/team.md")]);
    assert_eq!((all.enabled, all.passage_chars), (true, 800));
    assert_eq!((all.query.max_results, all.query.min_score, all.query.diversity), (9, 0.35, Some(0.7)));
    assert!(all.index_of(&AgentId::main(), &paths).ends_with("indexes/main.db"));
    let own = laid(
        all.clone(),
        json!({
            "enabled": false, "provider": "auto", "fallback": "none", "sources": ["memory"],
            "sync": { "onSearch": false, "onSessionStart": false, "intervalMinutes": 0 }, "query": { "minScore": 0.1, "hybrid": {
                "enabled": false, "vectorWeight": 0.5, "textWeight": 0.5, "candidateMultiplier": 2,
                "mmr": { "enabled": false }, "temporalDecay": { "enabled": true } } },
        }),
        &paths,
    );
    assert_eq!((all.has_sessions(), own.has_sessions()), (true, false));
    assert_eq!((own.enabled, own.embeddings), (false, all.embeddings));
    assert_eq!((own.query.max_results, own.query.min_score, own.query.is_hybrid), (9, 0.1, false));
    assert_eq!((own.query.diversity, own.query.half_life_days, own.query.candidates), (None, Some(30), 2));
    assert_eq!((all.sync.delta_bytes, own.sync.delta_messages), (10, 2));
    assert_eq!((all.fallback.as_deref(), own.fallback), (Some("ollama"), None));
    let (usual, all, own) = (MemorySearch::usual().sync, all.sync, own.sync);
    assert_eq!((usual.on_search, usual.watch, usual.debounce), (true, true, Duration::from_millis(1_500)));
    assert_eq!((all.on_search, all.watch, all.interval), (true, false, Some(Duration::from_mins(2))));
    assert_eq!((own.on_search, own.on_session_start, own.interval), (false, false, None));
    assert_eq!((own.watch, own.debounce), (false, Duration::from_millis(10)));
    let index = MemorySearch::usual().index_of(&AgentId::main(), &paths);
    assert_eq!(index, paths.state_dir.join("memory/main.sqlite"));
}

#[test]
fn newer_words_for_the_same_win() {
    let (config, told) = read(json!({
        "agents": { "defaults": { "memorySearch": { "provider": "voyage", "query": { "maxResults": 9 } } },
            "entries": { "b": { "memory": { "search": { "query": { "minScore": 0.5 } } } } } },
        "memory": { "citations": "off", "search": { "provider": "ollama", "model": "m" } },
    }));
    assert_eq!(told, [""; 0]);
    let own = &config.agents.list[0].memory_search;
    let named = own.embeddings.as_ref().map(|named| (named.provider.as_str(), named.model.as_deref()));
    assert_eq!((named, own.query.max_results, own.query.min_score), (Some(("ollama", Some("m"))), 9, 0.5));
    assert!(!own.query.cites && read(json!({})).0.agents.default_agent().memory_search.query.cites);
}

#[test]
fn a_server_for_vectors_is_an_agents_own_where_it_says_otherwise_and_keys_stay_where_they_belong() {
    let (config, told) = read(json!({"agents": {
        "defaults": { "memorySearch": { "remote": { "baseUrl": "http://127.0.0.1:1/v1/", "apiKey": "k", "headers": { "x": "1" } } } },
        "list": [{ "id": "main" }, { "id": "b", "memorySearch": { "remote": { "baseUrl": "http://127.0.0.1:2", "headers": { "y": "2" } } } },
            { "id": "c", "memorySearch": { "provider": "google" } }, { "id": "d", "memorySearch": { "provider": "local" } }],
    }}));
    assert_eq!(told, [""; 0]);
    let servers = config.agents.list.iter().map(|agent| {
        let server = config.agents.memory_server(agent)?;
        let key = server.remote.api_key.as_ref().map(|key| key.expose().to_owned());
        let url = server.remote.base_url.clone().unwrap_or_default();
        Some((server.name.to_string(), server.like.to_owned(), url, key, server.remote.headers.len()))
    });
    let row = |name: &str, like: &str, port: &str, key: Option<&str>, headers| {
        Some((
            name.to_owned(),
            like.to_owned(),
            format!("http://127.0.0.1:{port}"),
            key.map(str::to_owned),
            headers,
        ))
    };
    let expected = [
        row("memory-search", "openai", "1/v1", Some("k"), 1),
        row("memory-search-b", "openai", "2", None, 2),
        row("memory-search-c", "google", "1/v1", Some("k"), 1),
        None,
    ];
    assert_eq!(servers.collect::<Vec<_>>(), expected);
    let (_, told) = read(json!({"memory": { "search": { "remote": { "baseUrl": "localhost" } } }}));
    assert!(told.len() == 1 && told[0].starts_with("memory.search.remote.baseUrl: "), "{told:?}");
}

#[test]
fn agents_do_not_share_an_index() {
    let (config, told) = read(json!({"agents": {
        "defaults": { "memorySearch": { "store": { "path": "/notes.sqlite" } } },
        "list": [{ "id": "a" }, { "id": "b" }, { "id": "c", "memorySearch": { "store": { "path": "/{agentId}.sqlite" } } }],
    }}));
    let paths = Paths::under(Path::new("/home/x"));
    let indexes = config.agents.list.iter().map(|agent| agent.memory_search.index_of(&agent.id, &paths));
    assert_eq!(
        indexes.collect::<Vec<_>>(),
        ["/notes.sqlite", "/notes.sqlite.b", "/c.sqlite"].map(PathBuf::from)
    );
    assert!(told.len() == 1 && told[0].contains("`b` have their own"), "{told:?}");
}
