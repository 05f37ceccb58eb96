//! Skills: the model sees the list, reads a file, and its commands find the variables the owner set, in this run
//! and nowhere else.

use std::path::PathBuf;

use serde_json::{Value, json};
use tokio::process::Command;

use crate::scenarios::world::{KEY, OPENAI, World, as_owner, outcome, talk, text_of};

const SECRET: &str = "hunter2-hunter2-hunter2";

/// Writes a skill into the main agent's workspace.
fn teach(world: &World, name: &str, text: &str) -> PathBuf {
    let file = world.gateway.home().state_dir().join("workspace/skills").join(name).join("SKILL.md");
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    std::fs::write(&file, text).unwrap();
    file
}

/// A skill that wants a key.
const MAIL: &str = "---\nname: mail\ndescription: Send letters\nmetadata: {\"openclaw\": {\"primaryEnv\": \"MAIL_KEY\", \"requires\": {\"env\": [\"MAIL_KEY\"]}}}\n---\nRun `echo $MAIL_KEY`.\n";

async fn world(change: impl FnOnce(&mut Value)) -> World {
    World::start_with(OPENAI, |config| {
        config["skills"] = json!({"allowBundled": []});
        change(config);
    })
    .await
}

/// What the model was told first in its newest request.
fn told(world: &World) -> String {
    let asked = world.fake.requests().pop().unwrap().body;
    text_of(&asked["messages"][0])
}

/// The result of the newest tool call.
fn result(world: &World) -> String {
    let asked = world.fake.requests().pop().unwrap().body;
    let messages = asked["messages"].as_array().unwrap();
    text_of(messages.iter().rfind(|message| message["role"] == "tool").unwrap())
}

#[tokio::test]
async fn the_model_sees_the_list_reads_the_file_and_its_command_has_the_key() {
    let world = world(|config| config["skills"]["entries"] = json!({"mail": {"apiKey": SECRET}})).await;
    teach(&world, "mail", MAIL);
    let mut client = world.owner().await;
    let place = "~/.homard/workspace/skills/mail/SKILL.md";
    world.fake.calls("read", json!({"path": place})).says("read it");
    talk(&mut client, KEY, "write a letter").await;
    let list = told(&world);
    assert!(list.contains("<available_skills>") && list.contains("<name>mail</name>"), "{list}");
    let place = list.split("<location>").nth(1).unwrap().split("</location>").next().unwrap();
    world.fake.calls("read", json!({"path": place})).says("read it");
    talk(&mut client, KEY, "again").await;
    assert!(result(&world).contains("echo $MAIL_KEY"), "{}", result(&world));
    world.fake.calls("exec", json!({"command": "echo key=$MAIL_KEY"})).says("sent");
    talk(&mut client, KEY, "send it").await;
    // The command has it; the model does not.
    assert_eq!(result(&world).trim(), "key=[secret hidden]");
    assert!(!told(&world).contains(SECRET), "the key is not in the prompt");
    assert!(!world.gateway.log().contains(SECRET), "nor in the log");
}

#[tokio::test]
async fn variables_go_to_the_agent_that_has_the_skill_and_to_no_other() {
    let world = world(|config| {
        config["agents"]["list"] = json!([{"id": "main", "default": true}, {"id": "other", "skills": []}]);
        config["skills"]["entries"] =
            json!({"mail": {"apiKey": SECRET, "env": {"MAIL_HOST": "post", "LD_PRELOAD": "/x.so"}}});
    })
    .await;
    teach(&world, "mail", MAIL);
    let mut client = world.owner().await;
    let look = json!({"command": "echo [$MAIL_KEY][$MAIL_HOST][$LD_PRELOAD]"});
    for (key, seen) in
        [(KEY, "[[secret hidden]][post][]".to_owned()), ("agent:other:story", "[][][]".to_owned())]
    {
        world.fake.calls("exec", look.clone()).says("done");
        talk(&mut client, key, "look").await;
        assert_eq!(result(&world).trim(), seen, "{key}");
    }
    assert!(!told(&world).contains("available_skills"), "an agent without skills is told nothing of them");
    client.call("skills.update", json!({"skillKey": "mail", "enabled": false})).await.unwrap();
    world.fake.calls("exec", look).says("done");
    talk(&mut client, "agent:main:later", "look").await;
    assert_eq!(result(&world).trim(), "[][][]", "the next run of another session has nothing of it");
}

#[tokio::test]
async fn changes_on_disk_count_from_the_next_turn_and_broken_files_harm_nobody() {
    let world = world(|_| {}).await;
    let mut client = world.owner().await;
    world.fake.says("one").says("two").says("three");
    talk(&mut client, KEY, "before").await;
    assert!(!told(&world).contains("available_skills"));
    for (name, text) in
        [("torn", "---\nname: torn"), ("odd", "\u{0}\u{1}"), ("laughs", "---\na: &a [x]\nb: [*a, *c]\n---\n")]
    {
        teach(&world, name, text);
    }
    let file = teach(&world, "notes", "---\ndescription: Keep notes\n---\n");
    let last = talk(&mut client, KEY, "after").await;
    assert_eq!(last["state"], "final");
    assert_eq!(told(&world).matches("<skill>").count(), 1);
    assert!(told(&world).contains("<description>Keep notes</description>"));
    std::fs::write(file, "---\ndescription: Keep better notes\n---\n").unwrap();
    talk(&mut client, KEY, "later").await;
    assert!(told(&world).contains("Keep better notes"));
    let status = client.call("skills.status", json!({})).await.unwrap();
    let broken: Vec<&str> = status["skills"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|skill| skill["problem"].is_string())
        .map(|skill| skill["name"].as_str().unwrap())
        .collect();
    assert_eq!(broken, ["laughs", "odd", "torn"]);
}

#[tokio::test]
async fn a_model_that_cannot_read_is_not_told_of_skills() {
    let world = world(|config| config["tools"]["deny"] = json!(["read"])).await;
    teach(&world, "notes", "---\ndescription: Keep notes\n---\n");
    let mut client = world.owner().await;
    world.fake.says("one");
    talk(&mut client, KEY, "hello").await;
    assert!(!told(&world).contains("available_skills"));
}

#[tokio::test]
async fn what_the_owner_says_about_a_skill_is_written_and_comes_back_redacted() {
    let world = world(|_| {}).await;
    teach(&world, "mail", MAIL);
    let mut client = world.owner().await;
    let mail = |status: &Value| {
        status["skills"].as_array().unwrap().iter().find(|s| s["name"] == "mail").cloned().unwrap()
    };
    let before = mail(&client.call("skills.status", json!({})).await.unwrap());
    assert_eq!((&before["eligible"], &before["missing"]["env"]), (&json!(false), &json!(["MAIL_KEY"])));
    assert_eq!(
        (&before["source"], &before["primaryEnv"]),
        (&json!("openclaw-workspace"), &json!("MAIL_KEY"))
    );
    let params =
        json!({"skillKey": "mail", "apiKey": format!(" {SECRET}\n"), "env": {"HOST": "x"}, "enabled": true});
    let done = client.call("skills.update", params).await.unwrap();
    let hidden = "__OPENCLAW_REDACTED__";
    assert_eq!(
        done,
        json!({"ok": true, "skillKey": "mail",
        "config": {"enabled": true, "apiKey": hidden, "env": {"HOST": hidden}}})
    );
    let status = client.call("skills.status", json!({})).await.unwrap();
    assert_eq!(mail(&status)["eligible"], true);
    assert!(!status.to_string().contains(SECRET));
    // The sentinel means "unchanged", a blank value means "gone".
    let params = json!({"skillKey": "mail", "apiKey": hidden, "env": {"HOST": ""}});
    client.call("skills.update", params).await.unwrap();
    let text = std::fs::read_to_string(world.gateway.home().config_path()).unwrap();
    assert!(text.contains(SECRET) && !text.contains("HOST"), "{text}");
    client.call("skills.update", json!({"skillKey": "mail", "apiKey": ""})).await.unwrap();
    assert_eq!(mail(&client.call("skills.status", json!({})).await.unwrap())["eligible"], false);
}

#[tokio::test]
async fn bad_requests_are_refused_with_the_reason() {
    let world = world(|_| {}).await;
    teach(
        &world,
        "gh",
        "---\ndescription: d\nmetadata: {\"openclaw\": {\"install\": [{\"id\": \"get\", \"kind\": \"download\", \"url\": \"http://x\"}, {\"id\": \"go\", \"kind\": \"go\", \"module\": \"-x\"}, {\"id\": \"uv\", \"kind\": \"uv\", \"package\": \"x\"}]}}\n---\n",
    );
    let mut client = world.owner().await;
    let rows = [
        ("skills.status", json!({"agentId": "nobody"}), "unknown agent id"),
        ("skills.status", json!({"agentId": 7}), "invalid skills.status params"),
        ("skills.status", json!({"what": 1}), "unexpected property 'what'"),
        ("skills.update", json!({}), "required property 'skillKey'"),
        ("skills.update", json!({"skillKey": " "}), "must not be empty"),
        ("skills.update", json!({"skillKey": "x".repeat(200)}), "cannot be a skill's key"),
        ("skills.update", json!({"skillKey": "a", "enabled": "yes"}), "invalid skills.update params"),
        ("skills.update", json!({"skillKey": "a", "env": {"LD_PRELOAD": "/x.so"}}), "`LD_PRELOAD`"),
        ("skills.update", json!({"skillKey": "a", "env": {"not a name": "x"}}), "not the name of a variable"),
        ("skills.update", json!({"source": "clawhub", "slug": "x"}), "cannot be fetched"),
        ("skills.install", json!({}), "required property 'name'"),
        ("skills.install", json!({"name": "gh"}), "required property 'installId'"),
        ("skills.install", json!({"name": "gh", "installId": "get", "timeoutMs": 5}), "1000 or more"),
        ("skills.install", json!({"name": "nobody", "installId": "x"}), "there is no skill `nobody`"),
        ("skills.install", json!({"name": "gh", "installId": "x"}), "it has: get, go, uv"),
        ("skills.install", json!({"name": "gh", "installId": "get"}), "`download` are not supported"),
        ("skills.install", json!({"name": "gh", "installId": "go"}), "does not name something"),
        ("skills.install", json!({"source": "clawhub", "slug": "x"}), "cannot be fetched"),
        ("skills.install", json!({"source": "upload", "uploadId": "x", "slug": "y"}), "cannot be fetched"),
        ("skills.install", json!({"source": "moon"}), "must be 'clawhub' or 'upload'"),
        ("skills.bins", json!({}), "unauthorized role: operator"),
    ];
    for (method, params, words) in rows {
        let answer = client.request(method, params.clone()).await.unwrap();
        let message = answer["error"]["message"].as_str().unwrap_or_default();
        assert!(message.contains(words), "{method} {params}: {answer}");
    }
}

#[tokio::test]
async fn an_installer_is_run_with_its_arguments_and_its_failure_is_an_answer() {
    let world = world(|config| {
        config["skills"]["install"] = json!({"nodeManager": "bun"});
        config["tools"]["exec"] = json!({"pathPrepend": ["~/bin"]});
    })
    .await;
    teach(
        &world,
        "gh",
        "---\ndescription: d\nmetadata: {\"openclaw\": {\"requires\": {\"bins\": [\"gh-tool\"]}, \"install\": [{\"id\": \"js\", \"kind\": \"node\", \"package\": \"gh-tool\"}]}}\n---\n",
    );
    let mut client = world.owner().await;
    let params = json!({"name": "gh", "installId": "js"});
    let absent = client.request("skills.install", params.clone()).await.unwrap();
    assert!(absent["error"]["message"].as_str().unwrap().contains("`bun` is not installed here"), "{absent}");
    let bin = world.gateway.home().path().join("bin");
    std::fs::create_dir_all(&bin).unwrap();
    program(
        &bin.join("bun"),
        "#!/bin/sh\necho \"$@\"\n[ -e \"$HOME/ready\" ] || exit 7\n: > \"$HOME/bin/gh-tool\"; chmod +x \"$HOME/bin/gh-tool\"\n",
    );
    let failed = client.call("skills.install", params.clone()).await.unwrap();
    assert_eq!((&failed["ok"], &failed["code"]), (&json!(false), &json!(7)), "{failed}");
    assert_eq!(failed["stdout"], "add -g --ignore-scripts gh-tool\n");
    std::fs::write(world.gateway.home().path().join("ready"), "").unwrap();
    let done = client.call("skills.install", params).await.unwrap();
    assert_eq!((&done["ok"], &done["message"]), (&json!(true), &json!("Installed")), "{done}");
    let status = client.call("skills.status", json!({})).await.unwrap();
    let gh = status["skills"].as_array().unwrap().iter().find(|skill| skill["name"] == "gh").unwrap();
    assert_eq!(gh["eligible"], true, "{gh}");
}

fn program(file: &std::path::Path, text: &str) {
    use std::os::unix::fs::PermissionsExt;
    std::fs::write(file, text).unwrap();
    std::fs::set_permissions(file, std::fs::Permissions::from_mode(0o755)).unwrap();
}

/// What `homard skills …` prints.
async fn skills(world: &World, args: &[&str]) -> String {
    let mut command = Command::new(crate::homard());
    command.arg("skills").args(args);
    let mut command = as_owner(command, world.gateway.home());
    let output = command.output().await.unwrap();
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

#[tokio::test]
async fn the_command_line_says_the_same_with_and_without_the_gateway() {
    let mut world = world(|config| config["skills"] = json!({"allowBundled": ["skill-writer"]})).await;
    teach(&world, "mail", MAIL);
    teach(&world, "torn", "---\nname: torn");
    let url = world.gateway.url();
    let asked = skills(&world, &["list", "--json", "--url", &url]).await;
    let alone = skills(&world, &["list", "--json"]).await;
    assert_eq!(asked, alone);
    world.gateway.terminate().await.unwrap();
    assert_eq!(skills(&world, &["list", "--json"]).await, alone, "no gateway is needed");
    let eligible: Value =
        serde_json::from_str(&skills(&world, &["list", "--eligible", "--json"]).await).unwrap();
    let names: Vec<&str> =
        eligible["skills"].as_array().unwrap().iter().map(|skill| skill["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["skill-writer"]);
    let list = skills(&world, &[]).await;
    assert!(list.contains("needs    mail") && list.contains("broken   torn"), "{list}");
    let info = skills(&world, &["info", "mail"]).await;
    assert!(info.contains("variable MAIL_KEY") && info.contains("/mail"), "{info}");
    let check = skills(&world, &["check"]).await;
    assert!(check.contains("torn: the file has front matter without an end"), "{check}");
    let check: Value = serde_json::from_str(&skills(&world, &["check", "--json"]).await).unwrap();
    assert_eq!(check["summary"]["broken"], 1, "{check}");
    assert_eq!(check["missingRequirements"][0]["missing"]["env"], json!(["MAIL_KEY"]));

    let mut unknown = Command::new(crate::homard());
    unknown.args(["skills", "info", "nobody"]);
    let (code, words) = outcome(as_owner(unknown, world.gateway.home())).await;
    assert!(
        code == Some(1) && words.contains("there is no skill `nobody`") && words.contains("mail"),
        "{words}"
    );
}

#[tokio::test]
async fn a_person_calls_a_skill_by_name_and_finds_it_among_the_commands() {
    let world = world(|config| config["skills"]["entries"] = json!({"mail": {"apiKey": SECRET}})).await;
    teach(&world, "mail", MAIL);
    let mut client = world.owner().await;
    talk(&mut client, KEY, "/mail greet my mother").await;
    let asked = world.fake.requests().pop().unwrap().body.to_string();
    assert!(asked.contains("Use the skill") && asked.contains("greet my mother"), "{asked}");
    assert!(!asked.contains("/mail greet"), "{asked}");
    teach(&world, "day-planner", "---\nname: day-planner\ndescription: Plan days\n---\nAsk, then plan.\n");
    talk(&mut client, KEY, "/skill Day-Planner for tomorrow").await;
    let asked = world.fake.requests().pop().unwrap().body.to_string();
    assert!(asked.contains("day-planner/SKILL.md and follow it.\\n\\nfor tomorrow"), "{asked}");
    talk(&mut client, KEY, "/nobody knows this").await;
    assert!(world.fake.requests().pop().unwrap().body.to_string().contains("/nobody knows this"));
    let calls = world.fake.requests().len();
    let command = json!({"sessionKey": KEY, "message": "/help", "idempotencyKey": "list"});
    client.call("chat.send", command).await.unwrap();
    let list = text_of(&client.wait_chat_final("list").await.unwrap()["message"]);
    assert!(list.contains("/mail [what to do] — Send letters") && list.contains("/stop"), "{list}");
    assert_eq!(world.fake.requests().len(), calls);
}
