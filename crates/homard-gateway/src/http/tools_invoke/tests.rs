//! What may be asked of the tool route.

use homard_config::config::gateway::HttpTools;
use homard_protocol::AgentId;
use serde_json::json;

use super::{Asked, is_denied};

#[test]
fn a_request_names_a_tool_and_nothing_that_is_not_text() {
    let rows = [
        ("", Err("the body must be a JSON object")),
        ("[]", Err("the body must be a JSON object")),
        ("{\"tool\": \"read\"", Err("the body must be a JSON object")),
        ("{}", Err("the body must name a `tool`")),
        ("{\"tool\": \" \"}", Err("the body must name a `tool`")),
        ("{\"tool\": 7}", Err("`tool` must be a string")),
        ("{\"tool\": \"read\", \"args\": []}", Err("`args` must be an object")),
        ("{\"tool\": \"read\", \"sessionKey\": {}}", Err("`sessionKey` must be a string")),
        ("{\"tool\": \"read\", \"dryRun\": true}", Ok("read")),
        ("{\"tool\": \"read\", \"name\": \"write\"}", Ok("write")),
    ];
    for (body, expected) in rows {
        let read = Asked::read(body.as_bytes()).map(|asked| asked.tool);
        assert_eq!(read.as_deref().map_err(String::as_str), expected, "{body}");
    }
    let long = json!({"tool": "read", "idempotencyKey": "k".repeat(257)}).to_string();
    assert!(Asked::read(long.as_bytes()).is_err());
    let asked = Asked::read(br#"{"tool": "read", "sessionKey": "shopping"}"#).unwrap();
    assert_eq!(asked.session(&AgentId::main()).unwrap().to_string(), "agent:main:shopping");
}

#[test]
fn tools_that_are_the_whole_machine_are_not_for_http_unless_the_owner_says_so() {
    let rules = |allow: &[&str], deny: &[&str]| HttpTools {
        allow: allow.iter().map(|&name| name.to_owned()).collect(),
        deny: deny.iter().map(|&name| name.to_owned()).collect(),
    };
    let rows = [
        (rules(&[], &[]), "exec", true),
        (rules(&[], &[]), "bash", true),
        (rules(&[], &[]), "Exec", true),
        (rules(&[], &[]), "gateway", true),
        (rules(&[], &[]), "read", false),
        (rules(&["exec"], &[]), "exec", false),
        (rules(&["exec"], &["exec"]), "exec", true),
        (rules(&[], &["read"]), "read", true),
        (rules(&[], &["*"]), "read", true),
    ];
    for (rules, tool, expected) in rows {
        assert_eq!(is_denied(&rules, tool), expected, "{rules:?} {tool}");
    }
}
