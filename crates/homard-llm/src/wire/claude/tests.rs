//! Names and the versions in them.

use super::version;

#[test]
fn versions_are_read_from_names() {
    let rows = [
        ("claude-opus-4-6", Some((4, 6))),
        ("claude-opus-4.7", Some((4, 7))),
        ("claude-sonnet-5", Some((5, 0))),
        ("claude-opus-4-20250514", Some((4, 0))),
        ("claude-sonnet-4@20250514", Some((4, 0))),
        ("claude-3-7-sonnet-20250219", Some((3, 7))),
        ("us.anthropic.claude-haiku-4-5-20251001-v1:0", Some((4, 5))),
        ("anthropic/claude-sonnet-4.5:beta", Some((4, 5))),
        ("claude", None),
        ("fake-4-9", None),
    ];
    for (id, expected) in rows {
        assert_eq!(version(id), expected, "{id}");
    }
}
