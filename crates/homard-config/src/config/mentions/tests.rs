//! Where patterns come from.

use homard_protocol::AgentId;

use super::Mentions;
use crate::raw::Raw;

fn read(text: &str) -> Mentions {
    let raw: Raw = serde_json::from_str(text).expect("raw");
    Mentions::resolve(&raw)
}

#[test]
fn an_agents_patterns_are_found_in_both_spellings_and_an_empty_list_is_not_none() {
    let mentions = read(
        r#"{
            "messages": { "groupChat": { "mentionPatterns": ["homard"] } },
            "agents": {
                "list": [{ "id": "Main", "groupChat": { "mentionPatterns": ["boss"] } }, { "id": "quiet" }],
                "entries": { "newer": { "groupChat": { "mentionPatterns": [] } } }
            }
        }"#,
    );
    let agent = |id: &str| AgentId::parse(id).expect("id");
    assert_eq!(mentions.of_everybody(), Some(&["homard".to_owned()][..]));
    assert_eq!(mentions.of_agent(&agent("main")), Some(&["boss".to_owned()][..]));
    assert_eq!(mentions.of_agent(&agent("quiet")), None);
    assert_eq!(mentions.of_agent(&agent("newer")), Some(&[][..]));
}

#[test]
fn nothing_written_is_nothing() {
    assert_eq!(read("{}"), Mentions::default());
}
