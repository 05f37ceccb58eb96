//! Facts about what is shown of a key.

use homard_llm::ApiKey;

use super::hint;

#[test]
fn only_long_keys_show_their_end() {
    let cases = [
        ("", None),
        ("123456789012345", None),
        ("sk-123456789wxyz", Some("wxyz")),
        ("ключключключключ", Some("ключ")),
    ];
    for (key, expected) in cases {
        assert_eq!(hint(&ApiKey::new(key)).as_deref(), expected);
    }
}
