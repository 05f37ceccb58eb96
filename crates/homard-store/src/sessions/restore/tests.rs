//! Deleting and resetting can be undone.

use std::time::Duration;

use homard_protocol::SessionId;

use super::{RestoreWhich, live_name};
use crate::engine::fixture::{Home, key};
use crate::sessions::{ArchiveTranscript, ResetReason, SessionEntry};

async fn messages(home: &Home, id: &SessionId) -> usize {
    home.store.transcripts().last_messages(id, 10).await.unwrap().len()
}

#[tokio::test]
async fn a_deleted_session_comes_back_with_what_was_said() {
    let home = Home::new();
    let lost = key("agent:main:lost");
    let id = home.says("agent:main:lost", "r1", "hello").await.session.session_id;
    home.store.sessions().patch(&lost, |entry| entry.label = Some("mine".into())).await.unwrap();
    home.store.sessions().delete(&lost, ArchiveTranscript::Keep).await.unwrap();
    assert!(home.store.sessions().get(&lost).await.unwrap().is_none());
    let ended = home.store.sessions().ended(None, 10).await.unwrap();
    assert_eq!((ended.len(), ended[0].reason.as_str()), (1, "deleted"));

    let back = home.store.sessions().restore(RestoreWhich::Key(lost.clone())).await.unwrap().unwrap();
    assert_eq!((&back.session_id, back.entry.label.as_deref()), (&id, Some("mine")));
    assert_eq!(messages(&home, &id).await, 1);
    assert_eq!(home.files_with("deleted"), Vec::<String>::new());
    assert_eq!(home.store.sessions().ended(None, 10).await.unwrap(), []);
    assert!(home.store.sessions().restore(RestoreWhich::Key(lost)).await.unwrap().is_none());
    // And it can be written to.
    home.says("agent:main:lost", "r2", "again").await;
    assert_eq!(messages(&home, &id).await, 2);
}

#[tokio::test]
async fn what_took_the_place_is_put_away_in_turn() {
    let home = Home::new();
    let busy = key("agent:main:busy");
    let first = home.says("agent:main:busy", "r1", "first").await.session.session_id;
    home.store.sessions().reset(&busy, ResetReason::New).await.unwrap();
    home.clock.advance(Duration::from_millis(5));
    let second = home.says("agent:main:busy", "r2", "second").await.session.session_id;
    assert_ne!(first, second);
    let back = home.store.sessions().restore(RestoreWhich::Transcript(first.clone())).await.unwrap().unwrap();
    assert_eq!(back.session_id, first);
    assert_eq!(messages(&home, &first).await, 1);
    let back = home.store.sessions().restore(RestoreWhich::Key(busy)).await.unwrap().unwrap();
    assert_eq!(back.session_id, second);
    assert_eq!(messages(&home, &second).await, 1);
}

#[tokio::test]
async fn a_label_that_is_taken_by_now_is_left_out() {
    let home = Home::new();
    let label = |entry: &mut SessionEntry| entry.label = Some("shop".into());
    home.store.sessions().patch(&key("agent:main:a"), label).await.unwrap();
    home.store.sessions().delete(&key("agent:main:a"), ArchiveTranscript::Keep).await.unwrap();
    home.store.sessions().patch(&key("agent:main:b"), label).await.unwrap();
    let back = home.store.sessions().restore(RestoreWhich::Key(key("agent:main:a"))).await.unwrap().unwrap();
    assert_eq!(back.entry.label, None);
}

#[tokio::test]
async fn what_was_removed_for_good_does_not_come_back() {
    let home = Home::new();
    home.says("agent:main:gone", "r1", "secret").await;
    home.store.sessions().delete(&key("agent:main:gone"), ArchiveTranscript::Remove).await.unwrap();
    assert!(
        home.store.sessions().restore(RestoreWhich::Key(key("agent:main:gone"))).await.unwrap().is_none()
    );
}

#[test]
fn an_archive_name_tells_the_name_before() {
    for (file, name) in [
        ("abc.jsonl.deleted.2026-01-01T00-00-00Z", Some("abc.jsonl")),
        ("abc.jsonl.reset.2026-01-01T00-00-00Z", Some("abc.jsonl")),
        ("../abc.jsonl.reset.x", None),
        (".deleted.x", None),
        ("abc.jsonl", None),
    ] {
        assert_eq!(live_name(file), name, "{file}");
    }
}
