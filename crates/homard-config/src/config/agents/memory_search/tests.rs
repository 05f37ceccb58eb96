//! An agent's own words are laid over what holds for all.

use std::path::{Path, PathBuf};
use std::time::Duration;

use homard_protocol::AgentId;
use serde_json::{Value, json};

use super::MemorySearch;
use crate::paths::Paths;

fn raw(written: Value) -> crate::raw::agents::MemorySearch {
    serde_json::from_value(written).unwrap()
}

#[test]
fn what_an_agent_leaves_out_is_as_for_all() {
    let paths = Paths::under(Path::new("/home/x"));
    let all = MemorySearch::usual().with(
        raw(json!({
            "extraPaths": ["docs", "/shared/team.md"], "provider": "voyage", "model": "v",
            "chunking": { "tokens": 200 }, "store": { "path": "indexes/{agentId}.db" },
            "local": { "modelPath": "/models/small" }, "fallback": "ollama",
            "sync": { "watch": false, "watchDebounceMs": 10, "intervalMinutes": 2,
                "sessions": { "deltaBytes": 10, "deltaMessages": 2 } },
            "sources": ["memory", "sessions"], "experimental": { "sessionMemory": true },
            "query": { "maxResults": 9, "hybrid": { "mmr": { "enabled": true } } },
        })),
        &paths,
    );
    assert_eq!(all.extra_paths, [PathBuf::from("docs"), PathBuf::from("/shared/team.md")]);
    assert_eq!((all.enabled, all.passage_chars), (true, 800));
    assert_eq!((all.query.max_results, all.query.min_score, all.query.diversity), (9, 0.35, Some(0.7)));
    assert!(all.index_of(&AgentId::main(), &paths).ends_with("indexes/main.db"));
    let own = all.clone().with(
        raw(json!({
            "enabled": false, "provider": "auto", "fallback": "none", "sources": ["memory"],
            "sync": { "onSearch": false, "onSessionStart": false, "intervalMinutes": 0 }, "query": { "minScore": 0.1, "hybrid": {
                "enabled": false, "vectorWeight": 0.5, "textWeight": 0.5, "candidateMultiplier": 2,
                "mmr": { "enabled": false }, "temporalDecay": { "enabled": true } } },
        })),
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
