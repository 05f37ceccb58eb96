//! Any text is a session key or a typed refusal, and a key formats back to itself.
//!
//! The first line of the input is read as a client would write it (`parse_for`), the whole of it as stored.

use homard_protocol::{AgentId, SessionKey};

/// The promise.
pub(super) fn run(text: &str) {
    if let Ok(key) = SessionKey::parse(text) {
        round_trip(&key);
        assert_eq!(key.to_string(), text.trim().to_lowercase(), "formatting is lower-casing");
    }
    if let Some(line) = text.lines().next()
        && let Ok(key) = SessionKey::parse_for(line, &AgentId::main())
    {
        round_trip(&key);
    }
}

fn round_trip(key: &SessionKey) {
    let text = key.to_string();
    assert_eq!(SessionKey::parse(&text).as_ref(), Ok(key), "`{text}` reads back as what it was written from");
    if let Some(parent) = key.parent() {
        assert!(parent.parent().is_none(), "`{text}` hangs off a conversation, not off another thread");
        assert_eq!(parent.agent_id(), key.agent_id());
    }
}
