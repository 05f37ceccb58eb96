//! `homard config set`, `patch` and `unset`, and `homard secrets`.

use homard_testkit::TestHome;
use serde_json::json;

use super::at_home;

const FILE: &str = "{\n  // my port\n  gateway: { port: 4000, auth: { token: \"hunter2hunter2\" } },\n  agents: { list: [{ id: \"main\" }, { id: \"work\" }] },\n}\n";

fn text(home: &TestHome) -> String {
    std::fs::read_to_string(home.config_path()).unwrap()
}

#[tokio::test]
async fn changes_are_tried_first_and_made_all_or_none() {
    let home = TestHome::new().unwrap();
    home.write_config_text(FILE).unwrap();
    let patch = home.path().join("changes.json5");
    std::fs::write(
        &patch,
        "{ gateway: { port: 4001, bind: 'loopback' }, agents: { list: [{ id: 'work', name: 'Work' }] } }",
    )
    .unwrap();
    let patch = patch.display().to_string();
    let tried = at_home(&home, &["config", "patch", "--file", &patch, "--dry-run", "--json"]).await.json();
    let changed = json!(["gateway.port", "gateway.bind", "agents.list[1].name"]);
    assert_eq!((&tried["dryRun"], &tried["restart"]), (&json!(true), &json!(true)), "{tried}");
    assert_eq!(tried["changed"].as_array().unwrap().len(), changed.as_array().unwrap().len(), "{tried}");
    assert_eq!(text(&home), FILE, "nothing was written");
    at_home(&home, &["config", "patch", "--file", &patch]).await.well();
    assert!(text(&home).contains("// my port") && text(&home).contains("4001"), "{}", text(&home));
    let replace = ["config", "patch", "--file", &patch, "--replace-path", "agents.list"];
    at_home(&home, &replace).await.well();
    assert_eq!(
        at_home(&home, &["config", "get", "agents.list"]).await.json(),
        json!([{"id": "work", "name": "Work"}])
    );

    let before = text(&home);
    let batch = r#"[{"path": "gateway.port", "value": 5000}, {"path": "gateway.nowhere", "value": 1}]"#;
    at_home(&home, &["config", "set", "--batch-json", batch]).await.badly(1, &["gateway.nowhere"]);
    assert_eq!(text(&home), before, "all or none");
    let batch = home.path().join("batch.json");
    std::fs::write(
        &batch,
        r#"[{"path": "gateway.port", "value": 5000}, {"path": "logging.level", "value": "debug"}]"#,
    )
    .unwrap();
    at_home(&home, &["config", "set", "--batch-file", &batch.display().to_string()]).await.well();
    assert_eq!(at_home(&home, &["config", "get", "gateway.port"]).await.well(), "5000\n");
}

#[tokio::test]
async fn a_setting_is_merged_expected_and_kept_elsewhere() {
    let home = TestHome::new().unwrap();
    home.write_config_text(FILE).unwrap();
    at_home(&home, &["config", "set", "gateway.auth", "{\"mode\":\"token\"}", "--merge"]).await.well();
    assert!(text(&home).contains("hunter2hunter2") && text(&home).contains("mode"), "{}", text(&home));
    at_home(&home, &["config", "set", "gateway.port", "1", "--merge"]).await.badly(1, &["no object"]);
    let expecting =
        |value: &'static str| ["config", "set", "gateway.port", "4002", "--expect-current-json", value];
    at_home(&home, &expecting("9")).await.badly(1, &["not what was expected"]);
    at_home(&home, &expecting("4000")).await.well();
    at_home(&home, &["config", "set", "gateway.port", "1", "--expect-current-absent"])
        .await
        .badly(1, &["not what was expected"]);
    at_home(&home, &["config", "set", "gateway.port", "--dry-run"]).await.badly(2, &["VALUE"]);
    at_home(&home, &["config", "set", "--batch-json", "{}"]).await.badly(1, &["list of changes"]);
    at_home(&home, &["config", "patch"]).await.badly(2, &["--file"]);
    at_home(&home, &["config", "unset", "gateway.bind", "--dry-run"]).await.badly(1, &["not set"]);
    let gone = at_home(&home, &["config", "unset", "gateway.port", "--dry-run"]).await.well();
    assert_eq!(gone, "would change gateway.port\n");

    at_home(&home, &["secrets", "audit", "--check"])
        .await
        .badly(1, &["gateway.auth.token", "readable in the file"]);
    let elsewhere =
        ["config", "set", "gateway.auth.token", "--ref-source", "env", "--ref-id", "HOMARD_GATEWAY_TOKEN"];
    at_home(&home, &elsewhere).await.well();
    let audit = at_home(&home, &["secrets", "audit", "--check", "--json"]).await.json();
    assert_eq!(audit["secrets"][0]["kept"], "env", "{audit}");
    assert!(!text(&home).contains("hunter2"), "{}", text(&home));
}
