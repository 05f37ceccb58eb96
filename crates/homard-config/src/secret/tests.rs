//! A secret cannot be printed by accident.

use super::{REDACTED, Secret};

#[test]
fn neither_debug_nor_serialize_shows_the_text() {
    let secret = Secret::new("hunter2");
    assert_eq!(format!("{secret:?}"), "••••");
    assert_eq!(serde_json::to_value(&secret).unwrap(), REDACTED);
    assert_eq!(secret.expose(), "hunter2");
}

#[test]
fn a_secret_is_read_from_a_plain_text() {
    assert_eq!(serde_json::from_str::<Secret>("\"x\"").unwrap(), Secret::new("x"));
}
