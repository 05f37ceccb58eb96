//! Facts about reading and changing the file's content.

use homard_llm::CredentialKind;
use proptest::prelude::{any, prop, proptest};
use serde_json::{Value, json};

use super::{Document, Proof, Stats, Unreadable};

fn document(value: &Value) -> Document {
    Document::parse(value.to_string().as_bytes()).unwrap()
}

fn value(document: &Document) -> Value {
    serde_json::from_slice(&document.to_bytes()).unwrap()
}

#[test]
fn fields_of_other_programs_survive_every_change() {
    let before = json!({
        "version": 1,
        "future": {"a": [1, 2]},
        "profiles": {"x:default": {"type": "oauth", "provider": "x", "access": "a", "refresh": "r", "expires": 5, "projectId": "p"}},
        "usageStats": {"x:default": {"errorCount": 2, "novel": true}},
    });
    let mut document = document(&before);
    document.set_stats("x:default", &Stats { last_used: Some(7), ..Stats::default() });
    document.set_last_good("x", "x:default");
    document.set_order("x", Some(&["x:default".to_owned()]));
    document.amend("x:default", json!({"access": "b"}).as_object().unwrap().clone());
    let after = value(&document);
    assert_eq!(after["future"], before["future"]);
    assert_eq!(after["profiles"]["x:default"]["projectId"], "p");
    assert_eq!(after["profiles"]["x:default"]["access"], "b");
    assert_eq!(after["profiles"]["x:default"]["refresh"], "r");
    assert_eq!(after["usageStats"]["x:default"], json!({"errorCount": 0, "novel": true, "lastUsed": 7}));
    let keys: Vec<_> = after.as_object().unwrap().keys().cloned().collect();
    assert_eq!(keys, ["version", "future", "profiles", "usageStats", "lastGood", "order"]);
}

#[test]
fn what_cannot_be_read_is_said_without_quoting_it() {
    let cases: [(&[u8], Unreadable); 5] = [
        (b"{\"profiles\": {\"sk-secret", Unreadable::Syntax { line: 1, column: 24 }),
        (b"[]", Unreadable::Shape { section: "the whole file" }),
        (b"{\"profiles\": \"sk-secret\"}", Unreadable::Shape { section: "profiles" }),
        (b"{\"usageStats\": 1}", Unreadable::Shape { section: "usageStats" }),
        (b"{\"version\": 2}", Unreadable::Newer { version: 2 }),
    ];
    for (bytes, expected) in cases {
        let error = Document::parse(bytes).unwrap_err();
        assert_eq!(error, expected);
        assert!(!error.to_string().contains("secret"));
    }
    assert!(Document::parse(b" \n").unwrap().is_empty());
}

#[test]
fn each_kind_of_credential_is_read() {
    let document = document(&json!({"profiles": {
        "a:1": {"type": "api_key", "provider": "a", "key": " k "},
        "a:2": {"type": "api_key", "provider": "a"},
        "a:3": {"type": "token", "provider": "A", "token": "t", "expires": 1.7e12},
        "a:4": {"type": "oauth", "access": "x", "refresh": "y", "expires": 9, "clientId": "c"},
        "a:5": {"type": "retina", "provider": "a"},
        "a:6": "nonsense",
        "a:7": {"type": "api_key", "provider": "a", "keyRef": {"source": "file"}},
    }}));
    let proof = |id: &str| document.profile(id).map(|profile| profile.proof);
    assert!(matches!(proof("a:1"), Some(Proof::Key(key)) if key.expose() == "k"));
    assert!(matches!(proof("a:2"), Some(Proof::Unusable(_))));
    assert!(matches!(proof("a:3"), Some(Proof::Token { expires: Some(1_700_000_000_000), .. })));
    assert_eq!(document.profile("a:3").unwrap().provider.as_str(), "a");
    let Some(Proof::OAuth(oauth)) = proof("a:4") else { panic!("not a login") };
    assert_eq!((oauth.expires, oauth.client_id.as_deref()), (9, Some("c")));
    assert!(matches!(proof("a:5"), Some(Proof::Unusable(_))));
    assert!(proof("a:6").is_none());
    assert!(matches!(proof("a:7"), Some(Proof::Unusable(why)) if why.contains("keyRef")));
    assert_eq!(proof("a:4").unwrap().kind(), CredentialKind::OAuth);
}

#[test]
fn the_older_file_becomes_one_profile_per_provider() {
    let older = br#"{"anthropic": {"type": "oauth", "access": "a", "refresh": "r", "expires": 1},
        "openai": {"type": "api_key", "key": "k"}, "note": "hello", "odd": {}}"#;
    let document = Document::parse_older(older).unwrap();
    assert_eq!(document.ids(), ["anthropic:default", "openai:default"]);
    assert_eq!(document.profile("openai:default").unwrap().provider.as_str(), "openai");
}

#[test]
fn a_removed_profile_leaves_no_trace() {
    let mut document = document(&json!({
        "profiles": {"a:1": {"type": "api_key"}, "a:2": {"type": "api_key"}},
        "order": {"a": ["a:1", "a:2"]}, "lastGood": {"a": "a:1"}, "usageStats": {"a:1": {}},
    }));
    assert!(document.remove("a:1"));
    assert!(!document.remove("a:1"));
    assert!(!String::from_utf8(document.to_bytes()).unwrap().contains("a:1"));
    assert_eq!(document.order("A").unwrap(), ["a:2"]);
}

proptest! {
    #[test]
    fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        if let Ok(document) = Document::parse(&bytes) {
            assert_eq!(Document::parse(&document.to_bytes()).unwrap(), document);
        }
    }

    #[test]
    fn any_statistics_survive_a_rewrite(used in 1_i64..i64::MAX, until in 1_i64..i64::MAX, errors in any::<u32>()) {
        let stats = Stats {
            last_used: Some(used),
            cooldown_until: Some(until),
            error_count: errors,
            failure_counts: [("auth".to_owned(), errors)].into(),
            ..Stats::default()
        };
        let mut document = Document::default();
        document.set_stats("a:1", &stats);
        assert_eq!(Document::parse(&document.to_bytes()).unwrap().stats("a:1"), stats);
    }
}
