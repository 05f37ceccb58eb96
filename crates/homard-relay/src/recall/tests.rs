//! What a clock brings in.

use std::time::Duration;

use serde_json::json;

use crate::fixture::World;

#[tokio::test(start_paused = true)]
async fn an_index_is_brought_up_to_date_every_so_many_minutes() {
    let sync = json!({"onSearch": false, "onSessionStart": false, "watch": false, "intervalMinutes": 5});
    let world = World::new(json!({"agents": {"defaults": {"memorySearch": {"sync": sync}}}}));
    let recall = world.relay.recall();
    // The first use begins it.
    let found = recall.search(None, "gate".to_owned(), None, None).await.unwrap();
    assert_eq!(found.passages, []);
    std::fs::write(world.dir.path().join("workspace/MEMORY.md"), "The gate is blue.").unwrap();
    let mut minutes = 0;
    while recall.standing(None).await.unwrap().standing.size.files == 0 {
        tokio::time::advance(Duration::from_mins(1)).await;
        minutes += 1;
    }
    assert!(minutes >= 5, "{minutes}");
    let found = recall.search(None, "gate".to_owned(), None, None).await.unwrap();
    assert_eq!(found.passages.len(), 1);
}
