//! Tables for the two id families.

use super::{AgentId, IdError, ModelRef, PeerId, slugify};

#[test]
fn slugs_accept_only_lower_case_words() {
    for good in ["main", "a", "0", "work-2", "a_b", &"x".repeat(64)] {
        assert!(AgentId::parse(good).is_ok(), "{good}");
    }
    for bad in ["", "Main", "-a", "_a", "a b", "a:b", "é", &"x".repeat(65)] {
        assert!(AgentId::parse(bad).is_err(), "{bad}");
    }
}

#[test]
fn opaque_ids_accept_anything_printable() {
    assert!(PeerId::parse("@ada:example.org").is_ok());
    assert_eq!(PeerId::parse(""), Err(IdError::Empty { what: "peer id" }));
    assert!(PeerId::parse("a\nb").is_err());
    assert!(PeerId::parse(&"x".repeat(513)).is_err());
}

#[test]
fn free_text_is_bent_into_a_slug() {
    let cases = [
        ("Work Laptop", Some("work-laptop")),
        ("  a!!b  ", Some("a-b")),
        ("--x--", Some("x")),
        ("!!!", None),
        ("", None),
        ("Émile", Some("mile")),
    ];
    for (text, expected) in cases {
        assert_eq!(slugify(text).as_deref(), expected, "{text}");
    }
}

#[test]
fn model_references_split_at_the_first_slash() {
    let model = ModelRef::parse("OpenRouter/meta/llama-3").expect("valid");
    assert_eq!(model.provider.as_str(), "openrouter");
    assert_eq!(model.model.as_str(), "meta/llama-3");
    assert_eq!(model.to_string(), "openrouter/meta/llama-3");
    for bad in ["", "gpt-5", "/x", "x/"] {
        assert!(ModelRef::parse(bad).is_err(), "{bad}");
    }
}
