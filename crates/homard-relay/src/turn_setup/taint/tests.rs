//! Whose words a message is.

use homard_channel::{Inbound, Sender};
use homard_protocol::{PeerId, SessionKey, UserBlock, UserContent, UserMessage};
use homard_runtime::{HIDDEN, Redactor};
use homard_tools::Source;

use super::{labels, without_secrets};

#[test]
fn only_words_and_files_of_others_are_labelled() {
    let key = SessionKey::parse("agent:main:main").unwrap();
    let mut message = Inbound::from_operator(key, "m1".to_owned(), "hello".to_owned(), 1);
    message.images = vec![UserBlock::Image { data: String::new(), mime_type: "image/png".to_owned() }];
    assert_eq!(labels(&message, true), []);
    message.sender = Sender::Peer { id: PeerId::parse("4711").unwrap(), name: Some("Ann".to_owned()) };
    assert_eq!(labels(&message, true), [], "the owner is the owner on every platform");
    let found = labels(&message, false);
    assert_eq!(found.iter().map(|label| label.source).collect::<Vec<_>>(), [Source::Message, Source::File]);
    assert!(found[0].to_string().contains("Ann (4711)"), "{}", found[0]);
}

#[test]
fn a_secret_somebody_pastes_does_not_reach_the_model() {
    let secrets = Redactor::default();
    secrets.keep(["hunter2hunter2"]);
    let text = "my password is hunter2hunter2";
    for content in [UserContent::Text(text.to_owned()), UserContent::Blocks(vec![UserBlock::text(text)])] {
        let message = UserMessage { content, timestamp: 1, idempotency_key: None };
        assert_eq!(without_secrets(message, &secrets).content.text(), format!("my password is {HIDDEN}"));
    }
}
