//! Thinking levels and their many spellings.

use super::ThinkingLevel;

#[test]
fn every_level_reads_back_from_its_own_word() {
    use ThinkingLevel::{High, Low, Medium, Minimal, Off, XHigh};
    for level in [Off, Minimal, Low, Medium, High, XHigh] {
        assert_eq!(ThinkingLevel::parse(level.as_str()), Some(level));
    }
}

#[test]
fn people_may_write_levels_their_way() {
    let rows = [
        ("x-high", Some(ThinkingLevel::XHigh)),
        ("Extra High", Some(ThinkingLevel::XHigh)),
        ("ultrathink", Some(ThinkingLevel::High)),
        ("enabled", Some(ThinkingLevel::Low)),
        ("med", Some(ThinkingLevel::Medium)),
        ("a lot", None),
        ("", None),
    ];
    for (text, expected) in rows {
        assert_eq!(ThinkingLevel::parse(text), expected, "{text}");
    }
}
