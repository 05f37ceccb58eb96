//! Tables for the two id families.

use serde_json::json;

use super::{AgentId, ApprovalId, DeviceId, IdError, ModelRef, PeerId, slugify};
use crate::methods::cron::CronJobParams;
use crate::methods::nodes::NodeParams;

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

#[test]
fn ids_in_parameters_may_be_padded_and_blanks_name_nothing() {
    let read = |value| serde_json::from_value::<CronJobParams>(value);
    assert_eq!(read(json!({"id": "  job-1 "})).unwrap().id.as_deref(), Some("job-1"));
    for nothing in [json!({}), json!({"id": ""}), json!({"id": "  "}), json!({"id": null})] {
        assert_eq!(read(nothing).unwrap().id, None);
    }
    assert!(read(json!({"id": "a\nb"})).is_err());
    let node = |id: &str| serde_json::from_value::<NodeParams>(json!({"nodeId": id}));
    assert_eq!(node(" n ").unwrap().node_id.as_str(), "n");
    assert!(node(" ").unwrap_err().to_string().contains("nodeId required"));
}

#[test]
fn ids_stand_on_the_wire_as_their_text() {
    let job = CronJobParams { id: Some("a".parse().unwrap()), job_id: None };
    assert_eq!(serde_json::to_value(job).unwrap(), json!({"id": "a"}));
    let uuid = "67e55044-10b1-426f-9247-bb680e5fe0c8";
    assert_eq!(ApprovalId::from(uuid.parse::<uuid::Uuid>().unwrap()).as_str(), uuid);
    assert_eq!(DeviceId::of_key([0xab; 32]).as_str(), "ab".repeat(32));
}
