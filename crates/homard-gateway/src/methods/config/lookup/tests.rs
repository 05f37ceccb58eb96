//! One key of the configuration.

use super::{ReloadKind, found, spoken};

#[test]
fn a_path_leads_to_what_it_means_and_what_lies_beneath() {
    let root = homard_config::schema();
    for (path, has, reload) in [
        ("gateway", Some("port"), Some("restart")),
        ("gateway.port", None, Some("restart")),
        ("agents.defaults", Some("timeoutSeconds"), Some("none")),
        ("agents.list[0]", Some("workspace"), Some("none")),
        ("agents.entries.*", Some("workspace"), Some("none")),
        ("models.providers.anything", Some("apiKey"), Some("none")),
        (".", Some("gateway"), None),
    ] {
        let found = found(root, path).unwrap_or_else(|| panic!("{path}"));
        assert_eq!(found.reload_kind.map(ReloadKind::as_str), reload, "{path}");
        let keys: Vec<&str> = found.children.iter().map(|child| child.key.as_str()).collect();
        match has {
            Some(key) => assert!(keys.contains(&key), "{path}: {keys:?}"),
            None => assert!(keys.is_empty(), "{path}: {keys:?}"),
        }
        assert!(found.schema.get("properties").is_none(), "{path}");
    }
    for path in ["nothing", "gateway.nothing", "gateway.port.deeper"] {
        assert!(found(root, path).is_none(), "{path}");
    }
    let key = found(root, "models.providers.x.apiKey").unwrap();
    assert_eq!(key.hint.unwrap().sensitive, Some(true));
}

#[test]
fn keys_are_spoken_as_words() {
    for (key, words) in [("port", "Port"), ("maxConcurrent", "Max Concurrent"), ("baseURL", "Base URL")] {
        assert_eq!(spoken(key), words);
    }
}
