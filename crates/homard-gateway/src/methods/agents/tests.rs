//! The roster in the file.

use homard_protocol::AgentId;
use serde_json::{Map, json};

use super::{added, changed, id_from, removed, trash};

fn agent(id: &str) -> AgentId {
    AgentId::parse(id).unwrap()
}

#[test]
fn ids_are_made_from_names() {
    for (name, id) in [
        ("Work", Some("work")),
        ("  My  Shop! ", Some("my-shop")),
        ("a_b-c", Some("a_b-c")),
        ("Größe 2", Some("gr-e-2")),
        ("東京", None),
        ("---", None),
    ] {
        assert_eq!(id_from(name).ok().map(|id| id.to_string()).as_deref(), id, "{name}");
    }
    assert_eq!(id_from(&"x".repeat(100)).unwrap().as_str().len(), 64);
}

#[test]
fn a_new_agent_goes_where_the_others_are_and_pushes_nobody_out() {
    let entry = || Map::from_iter([("name".to_owned(), json!("W"))]);
    for (before, patch) in [
        (json!({}), json!({"agents": {"entries": {"main": {"default": true}, "work": {"name": "W"}}}})),
        (
            json!({"agents": {"entries": {"zoe": {}}}}),
            json!({"agents": {"entries": {"zoe": {"default": true}, "work": {"name": "W"}}}}),
        ),
        (
            json!({"agents": {"entries": {"zoe": {"default": true}}}}),
            json!({"agents": {"entries": {"work": {"name": "W"}}}}),
        ),
        (
            json!({"agents": {"list": [{"id": "main"}]}}),
            json!({"agents": {"list": [{"name": "W", "id": "work"}]}}),
        ),
    ] {
        assert_eq!(added(&before, &agent("work"), entry()).unwrap().patch, patch, "{before}");
    }
    let listed = json!({"agents": {"list": [{"id": "work"}]}});
    let patch = json!({"agents": {"list": [{"name": "W", "id": "work"}]}});
    assert_eq!(changed(&listed, &agent("work"), entry()).patch, patch);
}

#[test]
fn an_agent_goes_with_the_routes_that_lead_to_it() {
    let before = json!({
        "agents": {"list": [{"id": "main"}, {"id": "work"}]},
        "bindings": [{"agentId": "work"}, {"agentId": "main"}],
    });
    let change = removed(&before, &agent("work")).unwrap();
    let patch = json!({"agents": {"list": [{"id": "main"}]}, "bindings": [{"agentId": "main"}]});
    assert_eq!((change.patch, change.answer), (patch, 1));
    let before = json!({"agents": {"entries": {"work": {}}}});
    let change = removed(&before, &agent("work")).unwrap();
    assert_eq!((change.patch, change.answer), (json!({"agents": {"entries": {"work": null}}}), 0));
    assert!(removed(&json!({}), &agent("work")).is_err());
}

#[test]
fn only_folders_of_our_own_go_to_the_trash() {
    let state = tempfile::tempdir().unwrap();
    let elsewhere = tempfile::tempdir().unwrap();
    let own = state.path().join("workspace-work");
    std::fs::create_dir(&own).unwrap();
    std::fs::write(own.join("AGENTS.md"), "x").unwrap();
    let missing = state.path().join("agents/work/agent");
    let folders = vec![own.clone(), elsewhere.path().to_owned(), state.path().to_owned(), missing];
    let (removed, failed) = trash(state.path(), "work", 7, folders);
    let methods: Vec<&str> = removed.iter().map(|one| one.method.as_str()).collect();
    assert_eq!((methods, failed.len()), (vec!["trash", "missing"], 2));
    assert!(!own.exists() && elsewhere.path().exists());
    assert!(state.path().join("trash/work-7/workspace-work/AGENTS.md").exists());
}
