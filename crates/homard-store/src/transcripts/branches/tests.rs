//! Going back, branches and copies.

use homard_protocol::{EntryId, SessionId, ThinkingLevel};

use super::{Branch, Turning};
use crate::PageQuery;
use crate::StoreError;
use crate::engine::fixture::{Home, assistant, key, texts, user};

async fn said(home: &Home, id: &SessionId) -> Vec<String> {
    let page = home.store.transcripts().page(id, PageQuery::default()).await.unwrap();
    texts(page.entries.iter().map(|found| &found.entry))
}

async fn entry_of(home: &Home, id: &SessionId, text: &str) -> EntryId {
    let page = home.store.transcripts().page(id, PageQuery::default()).await.unwrap();
    let found = page.entries.iter().find(|found| texts([&found.entry]) == [text]);
    found.unwrap().entry.id.clone()
}

/// `one`, `two`, `three`, `four`.
async fn talked(home: &Home) -> SessionId {
    let id = home.says("agent:main:main", "r1", "one").await.session.session_id;
    home.store
        .transcripts()
        .append(&id, vec![assistant("two"), user("three"), assistant("four")])
        .await
        .unwrap();
    id
}

fn ways(branches: &[Branch]) -> Vec<(&str, u64, bool)> {
    branches.iter().map(|way| (way.headline.as_str(), way.messages, way.active)).collect()
}

#[tokio::test]
async fn going_back_leaves_what_came_after_as_a_branch() {
    let home = Home::new();
    let id = talked(&home).await;
    assert_eq!(ways(&home.store.transcripts().branches(&id).await.unwrap()), [("four", 4, true)]);

    let three = entry_of(&home, &id, "three").await;
    let record =
        home.store.transcripts().turn_back(&id, &Turning::Before(three.clone())).await.unwrap().unwrap();
    assert_eq!(record.last_message_preview.as_deref(), Some("two"));
    assert_eq!(record.entry.total_tokens_fresh, Some(false));
    assert_eq!(said(&home, &id).await, ["one", "two"]);
    let branches = home.store.transcripts().branches(&id).await.unwrap();
    assert_eq!(ways(&branches), [("two", 2, true), ("three", 4, false)]);
    assert_eq!((&branches[1].first_own, &branches[1].instead), (&Some(three.clone()), &None));

    home.store.transcripts().append(&id, vec![user("instead"), assistant("so be it")]).await.unwrap();
    assert_eq!(said(&home, &id).await, ["one", "two", "instead", "so be it"]);
    let told = texts(&home.store.transcripts().context(&id).await.unwrap().entries);
    assert_eq!(told, ["one", "two", "<custom>", "instead", "so be it"]);
    let branches = home.store.transcripts().branches(&id).await.unwrap();
    assert_eq!(ways(&branches), [("three", 4, false), ("so be it", 4, true)]);
    assert_eq!(branches[0].instead, Some(entry_of(&home, &id, "instead").await));

    // And to and fro, also after the index was made anew from the file alone.
    home.store.transcripts().turn_back(&id, &Turning::After(branches[0].leaf.clone())).await.unwrap();
    assert_eq!(said(&home, &id).await, ["one", "two", "three", "four"]);
    let text = std::fs::read_to_string(home.transcript(&id)).unwrap();
    let other = home.write_transcript("other", &text);
    assert_eq!(said(&home, &other).await, ["one", "two", "three", "four"]);
    assert_eq!(
        ways(&home.store.transcripts().branches(&other).await.unwrap()),
        [("four", 4, true), ("instead", 4, false)]
    );
}

#[tokio::test]
async fn a_conversation_can_begin_again_from_nothing() {
    let home = Home::new();
    let id = talked(&home).await;
    let one = entry_of(&home, &id, "one").await;
    home.store.transcripts().turn_back(&id, &Turning::Before(one)).await.unwrap();
    assert_eq!(said(&home, &id).await, Vec::<String>::new());
    assert_eq!(home.store.transcripts().page(&id, PageQuery::default()).await.unwrap().total_messages, 0);
    assert_eq!(ways(&home.store.transcripts().branches(&id).await.unwrap()), [("one", 4, false)]);
    home.store.transcripts().append(&id, vec![user("anew")]).await.unwrap();
    assert_eq!(said(&home, &id).await, ["anew"]);
    let home = home.reopen().await;
    assert_eq!(said(&home, &id).await, ["anew"]);
}

#[tokio::test]
async fn a_copy_has_what_came_before_and_goes_its_own_way() {
    let home = Home::new();
    let id = talked(&home).await;
    let three = entry_of(&home, &id, "three").await;
    home.store.transcripts().turn_back(&id, &Turning::Before(three.clone())).await.unwrap();
    let copy = home
        .store
        .transcripts()
        .copy(&id, &Turning::Before(three), &key("agent:main:copy"), |entry| {
            entry.thinking_level = Some(ThinkingLevel::High.into());
        })
        .await
        .unwrap();
    assert_eq!(copy.entry.thinking_level, Some(ThinkingLevel::High.into()));
    assert_eq!(copy.derived_title.as_deref(), Some("one"));
    assert_eq!(said(&home, &copy.session_id).await, ["one", "two"]);
    home.store.transcripts().append(&copy.session_id, vec![user("other")]).await.unwrap();
    assert_eq!(said(&home, &copy.session_id).await, ["one", "two", "other"]);
    assert_eq!(said(&home, &id).await, ["one", "two"]);
    let file = std::fs::read_to_string(home.transcript(&copy.session_id)).unwrap();
    assert!(file.lines().next().unwrap().contains(&format!("\"parentSession\":\"{id}\"")), "{file}");
    let home = home.reopen().await;
    assert_eq!(said(&home, &copy.session_id).await, ["one", "two", "other"]);
}

#[tokio::test]
async fn places_that_are_not_there_are_refused() {
    let home = Home::new();
    let id = talked(&home).await;
    let nowhere = EntryId::parse("ffffffff").unwrap();
    for to in [Turning::Before(nowhere.clone()), Turning::After(nowhere)] {
        let back = home.store.transcripts().turn_back(&id, &to).await;
        assert!(matches!(back, Err(StoreError::UnknownEntry(_))), "{back:?}");
        let copy = home.store.transcripts().copy(&id, &to, &key("agent:main:copy"), |_entry| {}).await;
        assert!(matches!(copy, Err(StoreError::UnknownEntry(_))), "{copy:?}");
    }
    assert_eq!(said(&home, &id).await.len(), 4);
    let unknown = SessionId::parse("nobody").unwrap();
    assert_eq!(home.store.transcripts().branches(&unknown).await.unwrap(), []);
}
