//! Children: asked for once, told about once, put away in time.

use std::time::Duration;

use homard_protocol::RunId;

use super::{NewSubagent, SubagentAdded};
use crate::engine::fixture::{Home, NOW, key};

fn child(name: &str) -> NewSubagent {
    NewSubagent {
        run_id: RunId::parse(&format!("run-{name}")).unwrap(),
        child_key: key(&format!("agent:main:subagent:{name}")),
        requester_key: key("agent:main:main"),
        requester_run: RunId::parse("parent").unwrap(),
        depth: 1,
        label: None,
        task: "count".to_owned(),
        delete_after: false,
        asks_at: Some("{}".to_owned()),
    }
}

#[tokio::test]
async fn a_child_is_kept_with_its_session_and_survives_a_restart() {
    let home = Home::new();
    let added = home.store.subagents().add(child("a"), 1, |entry| entry.label = Some("counter".into())).await;
    assert_eq!(added.unwrap(), SubagentAdded::New);
    let home = home.reopen().await;
    let session = home.store.sessions().get(&key("agent:main:subagent:a")).await.unwrap().unwrap();
    assert_eq!(session.entry.spawned_by.as_deref(), Some("agent:main:main"));
    assert_eq!((session.entry.spawn_depth, session.entry.label.as_deref()), (Some(1), Some("counter")));
    let open = home.store.subagents().open(None).await.unwrap();
    assert_eq!(open.iter().map(|record| record.asked.clone()).collect::<Vec<_>>(), [child("a")]);
}

#[tokio::test]
async fn the_same_request_is_known_and_one_too_many_is_refused() {
    let home = Home::new();
    home.store.subagents().add(child("a"), 1, |_| {}).await.unwrap();
    let again = home.store.subagents().add(child("a"), 1, |_| {}).await.unwrap();
    assert!(matches!(again, SubagentAdded::Known(_)), "{again:?}");
    let more = home.store.subagents().add(child("b"), 1, |_| {}).await.unwrap();
    assert_eq!(more, SubagentAdded::TooMany(1));
    assert!(home.store.sessions().get(&child("b").child_key).await.unwrap().is_none());
    home.store.subagents().settle(&child("a").run_id, None).await.unwrap();
    assert_eq!(home.store.subagents().add(child("b"), 1, |_| {}).await.unwrap(), SubagentAdded::New);
}

#[tokio::test]
async fn a_child_is_settled_once_and_put_away_in_time() {
    let home = Home::new();
    home.store.subagents().add(child("a"), 5, |_| {}).await.unwrap();
    let run = child("a").run_id;
    assert!(home.store.subagents().settle(&run, Some(NOW + 10)).await.unwrap());
    assert!(!home.store.subagents().settle(&run, Some(NOW + 10)).await.unwrap());
    assert!(home.store.subagents().open(None).await.unwrap().is_empty());
    assert_eq!(home.store.subagents().of(&key("agent:main:main"), NOW).await.unwrap().len(), 1);
    assert!(home.store.subagents().archive().await.unwrap().is_empty());
    home.clock.advance(Duration::from_millis(10));
    assert_eq!(home.store.subagents().archive().await.unwrap(), [child("a").child_key]);
    let session = home.store.sessions().get(&child("a").child_key).await.unwrap().unwrap();
    assert_eq!(session.entry.archived_at, Some(NOW + 10));
    assert!(home.store.subagents().get(&child("a").child_key).await.unwrap().is_none());
}

#[tokio::test]
async fn a_child_is_settled_with_its_own_children_in_one_step() {
    let home = Home::new();
    let under =
        |parent: &str, name: &str| NewSubagent { requester_key: child(parent).child_key, ..child(name) };
    for one in [child("a"), under("a", "b"), under("b", "c"), child("other")] {
        home.store.subagents().add(one, 5, |_| {}).await.unwrap();
    }
    home.store.subagents().settle(&child("b").run_id, None).await.unwrap();
    let settled = home.store.subagents().settle_families(vec![child("a").run_id], Some(NOW)).await.unwrap();
    let names: Vec<&str> = settled.iter().map(|one| one.run_id.as_str()).collect();
    assert_eq!(names, ["run-a", "run-c"], "who was settled before is passed through");
    let open = home.store.subagents().open(None).await.unwrap();
    assert_eq!(open.iter().map(|row| row.asked.run_id.as_str()).collect::<Vec<_>>(), ["run-other"]);
}
