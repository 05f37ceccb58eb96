//! How a list of messages becomes a prompt and its context.

use super::{Talk, TalkPiece, call};
use crate::parts::Part;

fn user(text: &str) -> TalkPiece {
    TalkPiece::User(vec![Part::Text(text.to_owned())])
}

fn answer(text: &str) -> TalkPiece {
    TalkPiece::Assistant { text: text.to_owned(), calls: Vec::new() }
}

fn result(id: &str) -> TalkPiece {
    TalkPiece::Result { id: id.to_owned(), text: "42".to_owned() }
}

#[test]
fn a_fresh_conversation_is_told_everything_and_a_remembered_one_what_is_new() {
    let conversation = || vec![user("1"), answer("2"), user("3"), user("4"), answer("not asked for")];
    let mut fresh = Talk { said: conversation(), ..Talk::default() };
    fresh.keep_news(false).unwrap();
    assert_eq!(fresh.said, [user("1"), answer("2"), user("3"), user("4")]);
    let mut remembered = Talk { said: conversation(), ..Talk::default() };
    remembered.keep_news(true).unwrap();
    assert_eq!(remembered.said, [user("3"), user("4")]);
    for nothing in [vec![], vec![answer("x")]] {
        assert!(Talk { said: nothing, ..Talk::default() }.keep_news(false).is_err());
    }
}

#[test]
fn results_belong_to_calls_of_the_request_or_of_the_conversation() {
    let mut talk = Talk::default();
    talk.said.push(user("weather?"));
    talk.called(call("c1", "weather", "{\"city\":\"Paris\"}").unwrap());
    talk.called(call("c2", "time", "").unwrap());
    talk.said.push(result("c1"));
    let names = talk.names();
    assert_eq!(names.values().collect::<Vec<_>>(), ["weather", "time"]);
    assert_eq!(talk.orphan(&names), None);
    talk.said.push(result("c3"));
    assert_eq!(talk.orphan(&names), Some("c3"));
    assert!(call("c1", "weather", "[1]").is_err());
    assert!(call("c1", "weather", "{").is_err());
    assert!(call("", "weather", "{}").is_err());
}
