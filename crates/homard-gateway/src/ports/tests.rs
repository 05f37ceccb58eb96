//! The schema as the assistant reads it.

use super::described;

#[test]
fn a_key_of_the_schema_is_described_without_what_lies_deeper() {
    let root = homard_config::schema();
    let rows: [(Option<&str>, &str); 5] = [
        (None, "agents"),
        (Some("agents.defaults"), "timeoutSeconds"),
        (Some("agents.defaults.subagents"), "maxSpawnDepth"),
        (Some("agents.list[0]"), "workspace"),
        (Some("models.providers.mine"), "baseUrl"),
    ];
    for (path, key) in rows {
        let told = described(root, path).unwrap();
        assert!(told["properties"][key].is_object(), "{path:?}: {told}");
        assert!(told.to_string().len() < 20_000, "{path:?}: {}", told.to_string().len());
    }
    assert_eq!(described(root, Some("agents.nonsense")), None);
}
