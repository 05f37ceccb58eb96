//! What of a message IRC can carry.

use homard_channel::{ChannelError, Content, File, MediaKind, RichText};

use super::{ENTRY, text_of};

fn media(path: &str, caption: &str) -> Content {
    let file =
        File { kind: MediaKind::Image, path: path.into(), mime: "image/png".into(), name: "a.png".into() };
    Content::Media { file, caption: RichText::plain(caption) }
}

#[test]
fn files_are_named_by_an_address_or_not_at_all() {
    assert_eq!(
        text_of(media("https://x.test/a.png", "look")).unwrap(),
        "look\nAttachment: https://x.test/a.png"
    );
    let refused = text_of(media("/tmp/a.png", "look")).unwrap_err();
    assert!(matches!(refused, ChannelError::Permanent(why) if why.contains("a.png")));
}

#[test]
fn only_text_can_be_said() {
    let words = || RichText::plain("x");
    let contents = [
        Content::Delete { message_id: "1".into() },
        Content::React { message_id: "1".into(), emoji: None },
        Content::Edit { message_id: "1".into(), words: words(), buttons: Vec::new() },
        Content::Typing { voice: false },
        Content::Text { words: RichText::plain(" \n "), buttons: Vec::new() },
    ];
    for content in contents {
        assert!(matches!(text_of(content.clone()), Err(ChannelError::Permanent(_))), "{content:?}");
    }
    assert_eq!(text_of(Content::Text { words: words(), buttons: Vec::new() }).unwrap(), "x");
}

#[test]
fn the_schema_says_what_every_key_is_for() {
    let schema = ENTRY.keys.schema();
    let properties = schema["properties"].as_object().unwrap();
    assert!(properties.contains_key("tlsFingerprint") && properties.contains_key("nickserv"));
    for (key, property) in properties {
        assert!(property["description"].is_string(), "{key}: {property}");
    }
}
