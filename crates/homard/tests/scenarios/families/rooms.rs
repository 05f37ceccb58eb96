//! `homard webhooks`, `homard secrets reload`, `homard system presence`, `homard tasks` and `homard skills install`.

use homard_testkit::TestHome;
use serde_json::json;

use super::{at_home, typed};
use crate::scenarios::world::{OPENAI, World};

#[tokio::test]
async fn hooks_are_listed_and_called_as_another_program_would() {
    let world = World::start_with(OPENAI, |config| {
        config["hooks"] = json!({
            "enabled": true, "token": "hooks-token-0123456789",
            "mappings": [{"match": {"path": "ci"}, "name": "CI", "messageTemplate": "{{text}}"}],
        });
    })
    .await;
    let listed = typed(&world, &["webhooks", "--json"]).await.json();
    let paths: Vec<&str> =
        listed["hooks"].as_array().unwrap().iter().filter_map(|hook| hook["path"].as_str()).collect();
    assert_eq!(paths, ["/hooks/wake", "/hooks/agent", "/hooks/ci"]);
    assert!(!listed.to_string().contains("hooks-token"), "{listed}");
    let wake =
        ["webhooks", "test", "wake", "--data", r#"{"text": "rain", "mode": "next-heartbeat"}"#, "--json"];
    let answer = typed(&world, &wake).await.json();
    assert_eq!((&answer["status"], &answer["answer"]["ok"]), (&json!(200), &json!(true)), "{answer}");
    typed(&world, &["webhooks", "test", "nothing"]).await.badly(1, &["refused the call"]);
    typed(&world, &["webhooks", "test", "wake", "--data", "{"]).await.badly(1, &["--data is not JSON"]);
    typed(&world, &["webhooks", "test"]).await.badly(2, &["PATH"]);
}

#[tokio::test]
async fn closed_hooks_say_how_they_are_opened() {
    let home = TestHome::with_config(&json!({})).unwrap();
    assert!(at_home(&home, &["webhooks"]).await.well().contains("/hooks/agent"));
    at_home(&home, &["webhooks", "test", "wake"]).await.badly(1, &["hooks are closed", "hooks.token"]);
}

#[tokio::test]
async fn a_gateway_reads_its_secrets_again_and_says_who_is_there() {
    let world = World::start().await;
    assert!(typed(&world, &["secrets", "reload"]).await.well().contains("read them again"));
    let here = typed(&world, &["system", "presence", "--json"]).await.json();
    assert!(here.as_array().unwrap().iter().any(|one| one["mode"] == "gateway"), "{here}");
    assert!(typed(&world, &["system", "presence"]).await.well().starts_with("MACHINE"));
    assert_eq!(typed(&world, &["tasks", "list", "--json"]).await.json()["tasks"], json!([]));
    typed(&world, &["tasks", "show", "3f9a"]).await.badly(1, &["no task `3f9a`"]);
    typed(&world, &["tasks", "list", "--status", "asleep"]).await.badly(2, &["asleep"]);
}

#[tokio::test]
async fn a_skill_is_installed_from_a_folder_and_from_a_repository() {
    let home = TestHome::with_config(&json!({})).unwrap();
    let folder = home.path().join("weather");
    std::fs::create_dir(&folder).unwrap();
    let from = folder.display().to_string();
    at_home(&home, &["skills", "install", &from]).await.badly(1, &["no SKILL.md", "no registry"]);
    std::fs::write(folder.join("SKILL.md"), "---\nname: weather\ndescription: look outside\n---\nLook.\n")
        .unwrap();
    let done = at_home(&home, &["skills", "install", &from, "--json"]).await.json();
    assert_eq!(done["name"], "weather", "{done}");
    assert!(at_home(&home, &["skills", "info", "weather"]).await.well().contains("look outside"));
    at_home(&home, &["skills", "install", &from]).await.badly(1, &["is there already", "--force"]);
    at_home(&home, &["skills", "install", &from, "--force"]).await.well();
    at_home(&home, &["skills", "install", &from, "--agent", "nobody"])
        .await
        .badly(1, &["there is no agent `nobody`"]);
    at_home(&home, &["skills", "install"]).await.badly(2, &["PATH|GIT", "homard skills install ./weather"]);
    let nowhere = ["skills", "install", "git://127.0.0.1:9/weather.git"];
    at_home(&home, &nowhere).await.badly(1, &["git"]);
}
