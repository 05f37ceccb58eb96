//! Facts about where a credential is accepted.

use super::resource_url;

#[test]
fn a_resource_becomes_an_address() {
    let cases = [
        ("portal.qwen.ai", Some("https://portal.qwen.ai/v1")),
        ("https://portal.qwen.ai/", Some("https://portal.qwen.ai/v1")),
        ("https://api.acme.test/anthropic", Some("https://api.acme.test/anthropic")),
        ("file:///etc/passwd", None),
        ("", None),
    ];
    for (text, expected) in cases {
        assert_eq!(resource_url(text).as_deref(), expected, "{text}");
    }
}
