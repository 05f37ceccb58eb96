//! Each message people see is covered by a record of its own.

use std::collections::BTreeSet;
use std::path::PathBuf;

use rusqlite::Connection;
use serde_json::json;
use tempfile::TempDir;

use super::{SeenMessage, Verdict, judge};

const PLACE: &str = "telegram:7";

/// A delivery of `hello` to somebody: its key, the number the platform gave it, how often it may have arrived before, and
/// whether it was given up.
type Delivery = (&'static str, Option<i64>, i64, bool);

fn ledger(deliveries: &[Delivery]) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ledger.sqlite");
    let db = Connection::open(&path).unwrap();
    db.execute_batch(
        "CREATE TABLE outbox (id INTEGER PRIMARY KEY, message_key TEXT, payload TEXT, receipt TEXT,
         ambiguous INTEGER, failed_at INTEGER, sent_at INTEGER)",
    )
    .unwrap();
    let payload = json!({
        "address": {"channel": "telegram", "to": "7"}, "content": {"kind": "text", "words": {"plain": "hello tok-1"}},
    });
    for (key, number, ambiguous, is_given_up) in deliveries {
        let receipt = number.map(|number| json!({"messageId": number.to_string()}).to_string());
        db.execute(
            "INSERT INTO outbox (message_key, payload, receipt, ambiguous, failed_at, sent_at)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
            (key, payload.to_string(), receipt, ambiguous, is_given_up.then_some(1), number.map(|_| 1)),
        )
        .unwrap();
    }
    (folder, path)
}

fn judged(deliveries: &[Delivery], numbers: &[i64]) -> Verdict {
    let (_folder, path) = ledger(deliveries);
    let seen = |number: &i64| SeenMessage {
        place: PLACE.to_owned(),
        number: Some(*number),
        text: "hello tok-1".to_owned(),
    };
    judge(&numbers.iter().map(seen).collect::<Vec<_>>(), &path).unwrap()
}

#[test]
fn each_copy_needs_a_mark_of_its_own() {
    let marked_once = judged(&[("run:0", Some(3), 1, false)], &[2, 3]);
    assert_eq!((marked_once.copies, marked_once.unexplained.len()), (1, 0));
    let one_too_many = judged(&[("run:0", Some(3), 1, false)], &[1, 2, 3]);
    assert_eq!((one_too_many.copies, one_too_many.unexplained.len()), (1, 1));
    let unmarked = judged(&[("run:0", Some(3), 0, false)], &[2, 3]);
    assert_eq!((unmarked.copies, unmarked.unexplained.len()), (0, 1));
}

#[test]
fn what_is_being_sent_has_no_record_yet() {
    let verdict = judged(&[("run:preview", None, 0, false)], &[1]);
    assert_eq!((verdict.previews, verdict.unexplained.len()), (0, 1), "so nobody judges at that moment");
}

#[test]
fn two_deliveries_are_two_answers_and_a_question_is_none() {
    let twice = judged(&[("one:0", Some(1), 0, false), ("other:0", Some(2), 0, false)], &[1, 2]);
    assert_eq!(twice.seen["tok-1"].len(), 2);
    assert!(judged(&[("question:5:0:0", Some(1), 0, false)], &[1]).seen.is_empty());
}

#[test]
fn who_was_told_to_ask_once_more_is_owed_an_answer_to_everything_else() {
    let asked = ["tok-1", "tok-2", "tok-3"].map(|mark| (mark.to_owned(), PLACE.to_owned()));
    let verdict = judged(&[("run:0", Some(1), 0, false), ("other~4:given-up:0", None, 0, true)], &[1]);
    assert_eq!(verdict.given_up, ["other"]);
    let told = BTreeSet::from(["tok-2".to_owned()]);
    let (owed, told) = verdict.unanswered(asked.to_vec(), &told);
    assert_eq!((owed, told), (vec![("tok-3".to_owned(), PLACE.to_owned())], 1));
}
