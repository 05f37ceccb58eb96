//! How keys are read as people write them.

use super::SessionRef;
use crate::id::AgentId;

fn read(text: &str) -> SessionRef {
    serde_json::from_value(serde_json::json!(text)).unwrap()
}

#[test]
fn bare_keys_belong_to_the_agent_and_whole_ones_to_their_own() {
    let work = AgentId::parse("work").unwrap();
    let of = |text: &str| read(text).of(&work).unwrap().to_string();
    assert_eq!(of("main"), "agent:work:main");
    assert_eq!(of(" Shopping "), "agent:work:shopping");
    assert_eq!(of("agent:main:telegram:group:42"), "agent:main:telegram:group:42");
    assert_eq!(of("global"), "global");
    assert_eq!(SessionRef::default().of(&work).unwrap().to_string(), "agent:work:main");
}

#[test]
fn what_is_no_key_is_taken_as_written_and_refused_when_it_is_read() {
    for text in ["", "  ", "agent:Main", "a::b", "bell\u{7}"] {
        let said = read(text);
        assert_eq!(serde_json::to_value(&said).unwrap(), serde_json::json!(text));
        assert!(said.of(&AgentId::main()).is_err(), "{text:?}");
    }
}
