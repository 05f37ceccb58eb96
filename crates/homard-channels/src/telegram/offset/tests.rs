//! The mark survives a restart, and says nothing about another bot or another month.

use super::{Offset, TRUST_MS};

#[tokio::test]
async fn the_mark_is_read_back() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("telegram").join("update-offset-default.json");
    assert_eq!(Offset::load(&file, Some(7), 100).await, Offset::default());
    let mut offset = Offset::default();
    offset.reached(41, 100);
    offset.reached(40, 101);
    offset.save(&file, Some(7)).await.unwrap();
    let text: serde_json::Value = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
    assert_eq!(text["lastUpdateId"], 41);
    assert_eq!(Offset::load(&file, Some(7), 200).await.next(200), Some(42));
    assert_eq!(Offset::load(&file, Some(8), 200).await.next(200), None);
    assert_eq!(Offset::load(&file, Some(7), 200).await.next(TRUST_MS + 200), None);
}

#[tokio::test]
async fn unreadable_marks_are_none() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("mark.json");
    let rows = [
        "",
        "{",
        "[]",
        r#"{"version":1}"#,
        r#"{"version":1,"lastUpdateId":null}"#,
        r#"{"version":1,"lastUpdateId":-3}"#,
    ];
    for text in rows {
        std::fs::write(&file, text).unwrap();
        assert_eq!(Offset::load(&file, Some(7), 0).await.next(0), None, "{text}");
    }
    std::fs::write(&file, r#"{"version":1,"lastUpdateId":9}"#).unwrap();
    assert_eq!(Offset::load(&file, Some(7), 0).await.next(0), Some(10));
}

#[test]
fn a_server_that_counts_anew_is_followed() {
    let mut offset = Offset::default();
    offset.reached(1_000, 0);
    offset.reached(5, TRUST_MS + 1);
    assert_eq!(offset.next(TRUST_MS + 1), Some(6));
}
