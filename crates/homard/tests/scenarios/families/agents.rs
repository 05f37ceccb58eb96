//! `homard agents` and `homard agent`.

use std::os::unix::fs::PermissionsExt as _;

use homard_testkit::TestHome;
use serde_json::json;

use super::{at_home, typed};
use crate::scenarios::acts::connected;
use crate::scenarios::world::{World, until};

#[tokio::test]
async fn agents_are_bound_shown_and_unbound_without_a_gateway() {
    let home = TestHome::new().unwrap();
    home.write_config_text("{\n  // mine\n  agents: { list: [{ id: \"main\" }, { id: \"work\" }] },\n}\n")
        .unwrap();
    let bind = ["agents", "bind", "--agent", "work", "--bind", "telegram:work", "--bind", "irc", "--json"];
    let bound = at_home(&home, &bind).await.json();
    let expected = json!([{"channel": "telegram", "accountId": "work"}, {"channel": "irc"}]);
    assert_eq!((&bound["added"], &bound["existing"]), (&expected, &json!([])));
    assert!(at_home(&home, &bind).await.json()["added"].as_array().unwrap().is_empty(), "once is enough");
    let shown = at_home(&home, &["agents", "bindings"]).await.well();
    assert!(shown.contains("work") && shown.contains("telegram:work"), "{shown}");
    at_home(&home, &["agents", "bind", "--bind", "irc"]).await.badly(1, &["goes to work already", "unbind"]);
    at_home(&home, &["agents", "bind", "--bind", "pigeon"])
        .await
        .badly(1, &["no platform `pigeon`", "telegram"]);
    at_home(&home, &["agents", "bind", "--agent", "nobody", "--bind", "irc"])
        .await
        .badly(1, &["there are: main, work"]);
    at_home(&home, &["agents", "bind"]).await.badly(2, &["--bind"]);
    at_home(&home, &["agents", "unbind", "--agent", "work", "--bind", "irc"]).await.well();
    at_home(&home, &["agents", "unbind", "--agent", "work", "--bind", "irc"])
        .await
        .badly(1, &["does not go to work"]);
    at_home(&home, &["agents", "unbind", "--agent", "work", "--all"]).await.well();
    assert_eq!(at_home(&home, &["agents", "bindings", "--json"]).await.json(), json!({"bindings": []}));
    assert!(std::fs::read_to_string(home.config_path()).unwrap().contains("// mine"));
}

#[tokio::test]
async fn an_agent_is_told_who_it_is_by_words_or_by_its_note() {
    let home = TestHome::new().unwrap();
    let workspace = home.path().join("shop");
    std::fs::create_dir(&workspace).unwrap();
    std::fs::write(workspace.join("IDENTITY.md"), "# Me\n- Name: Clara\n- **Emoji:** 🦊\n- Manner:\n")
        .unwrap();
    let folder = workspace.display().to_string();
    home.write_config(&json!({"agents": {"entries": {"main": {"workspace": folder}}}})).unwrap();
    at_home(&home, &["agents", "set-identity"]).await.badly(2, &["nothing was said"]);
    let told =
        ["agents", "set-identity", "--workspace", &folder, "--from-identity", "--theme", "calm", "--json"];
    let identity = &at_home(&home, &told).await.json()["identity"];
    assert_eq!(*identity, json!({"name": "Clara", "theme": "calm", "emoji": "🦊"}));
    let kept = at_home(&home, &["config", "get", "agents.entries.main", "--json"]).await.json();
    assert_eq!((&kept["identity"]["name"], &kept["workspace"]), (&json!("Clara"), &json!(folder)));
    let nowhere = ["agents", "set-identity", "--identity-file", "/nowhere/IDENTITY.md"];
    at_home(&home, &nowhere).await.badly(1, &["could not read"]);
}

#[tokio::test]
async fn an_agent_is_added_with_what_it_answers_and_taken_away_with_it() {
    let world = World::start().await;
    let added = typed(&world, &["agents", "add", "Shop", "--bind", "irc:shop", "--json"]).await.json();
    assert_eq!(added["bindings"]["added"], json!([{"channel": "irc", "accountId": "shop"}]), "{added}");
    let listed = until("what the new agent answers", || async {
        let listed = typed(&world, &["agents", "list", "--bindings"]).await.well();
        listed.contains("irc:shop").then_some(listed)
    })
    .await;
    assert!(listed.contains("ANSWERS"), "{listed}");
    typed(&world, &["agents", "delete", "shop", "--force"]).await.well();
    let trash = std::fs::metadata(world.gateway.home().state_dir().join("trash")).unwrap();
    assert_eq!(trash.permissions().mode() & 0o777, 0o700, "as everything else in the state folder");
    assert_eq!(typed(&world, &["agents", "bindings", "--json"]).await.json()["bindings"], json!([]));
    typed(&world, &["agents", "delete", "shop", "--force"]).await.badly(1, &["shop"]);
}

#[tokio::test]
async fn an_answer_is_printed_and_delivered_where_it_is_wanted() {
    let (world, there) = connected(|_| {}).await;
    let question = world.gateway.home().path().join("question.txt");
    std::fs::write(&question, "what is new?\n").unwrap();
    let question = question.display().to_string();
    world.fake.says("nothing much");
    let words = [
        "agent",
        "--message-file",
        &question,
        "--deliver",
        "--channel",
        "telegram",
        "--to",
        "7",
        "--verbose",
        "off",
        "--timeout",
        "60",
    ];
    assert_eq!(typed(&world, &words).await.well(), "nothing much\n");
    let sent = there.next_sent().await.unwrap();
    assert_eq!((sent.chat(), sent.text()), (7, "nothing much"));
    let nowhere = ["agent", "hi", "--deliver", "--reply-channel", "telegram", "--reply-to", "@ada"];
    typed(&world, &nowhere).await.badly(1, &["cannot be delivered"]);
    let not_set_up = ["agent", "hi", "--deliver", "--channel", "irc", "--to", "#room"];
    typed(&world, &not_set_up).await.badly(1, &["of irc is set up", "homard channels add --channel irc"]);
    typed(&world, &["agent", "hi", "--thinking", "extreme"]).await.badly(2, &["no thinking level", "xhigh"]);
    typed(&world, &["agent", "hi", "--to", "7"]).await.badly(2, &["--deliver"]);
    typed(&world, &["agent", "--message-file", "/nowhere.txt"])
        .await
        .badly(1, &["could not read the message"]);
}
