//! What messages look like that are told together.

use homard_policy::queue::Overflow;
use homard_protocol::{UserBlock, UserContent, UserMessage};

use super::told_together;

fn message(content: UserContent) -> UserMessage {
    UserMessage { content, timestamp: 1, idempotency_key: None }
}

#[test]
fn messages_are_numbered_below_a_title_and_pictures_come_last() {
    let one = message(UserContent::Text("first".to_owned()));
    let picture = UserBlock::Image { data: "x".to_owned(), mime_type: "image/png".to_owned() };
    let two = message(UserContent::Blocks(vec![UserBlock::text("second"), picture.clone()]));
    let text = "[Queued messages while agent was busy]\n\n---\nQueued #1\nfirst\n\n---\nQueued #2\nsecond";
    let none = Overflow::default();
    assert_eq!(told_together(&[&one], &none), UserContent::Text("first".to_owned()));
    assert_eq!(
        told_together(&[&one, &two], &none),
        UserContent::Blocks(vec![UserBlock::text(text), picture])
    );
    let mut some = Overflow::default();
    some.note("older\nwords", 1, 20);
    let told = told_together(&[&one], &some).text();
    assert!(told.contains("[Queue overflow] Dropped 1 message") && told.contains("- older words"), "{told}");
}
