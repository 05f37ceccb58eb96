//! Hooks on the gateway's own events: programs of the owner's and those that come with Homard.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use homard_testkit::TestHome;
use serde_json::{Value, json};

use crate::scenarios::world::{OPENAI, World, history, talk, text_of, until};

const MAIN: &str = "agent:main:main";

/// A hook in the state directory.
fn hook(state: &Path, name: &str, events: &str, script: &str) {
    let dir = state.join("hooks").join(name);
    std::fs::create_dir_all(&dir).unwrap();
    let head = format!(
        "---\nname: {name}\ndescription: A test.\nmetadata: {{\"openclaw\": {{\"events\": {events}}}}}\n---\n"
    );
    std::fs::write(dir.join("HOOK.md"), head).unwrap();
    std::fs::write(dir.join("handler"), format!("#!/bin/sh\n{script}\n")).unwrap();
    std::fs::set_permissions(dir.join("handler"), std::fs::Permissions::from_mode(0o755)).unwrap();
}

/// A gateway that found these hooks when it started.
async fn start(entries: Value, fill: impl FnOnce(&Path)) -> World {
    let mut world = World::start_with(OPENAI, |config| {
        config["hooks"] = json!({"internal": {"enabled": true, "entries": entries}});
    })
    .await;
    fill(&world.gateway.home().state_dir());
    world.gateway.kill9().await.unwrap();
    world.gateway.restart().await.unwrap();
    world
}

fn memory(home: &TestHome) -> Vec<PathBuf> {
    let dir = std::fs::read_dir(home.state_dir().join("workspace/memory"));
    dir.map(|entries| entries.map(|entry| entry.unwrap().path()).collect()).unwrap_or_default()
}

#[tokio::test]
async fn a_conversation_that_is_begun_anew_leaves_a_note_named_by_the_model_or_by_the_time() {
    let world = start(json!({"boot-md": {"enabled": false}}), |_| {}).await;
    let mut client = world.owner().await;
    world.fake.says("Let us use tabs.");
    talk(&mut client, MAIN, "tabs or spaces?").await;
    world.fake.says("Tabs or Spaces");
    client.call("sessions.reset", json!({"key": MAIN, "reason": "new"})).await.unwrap();
    let notes =
        until("a note", || async { Some(memory(world.gateway.home())).filter(|notes| !notes.is_empty()) })
            .await;
    let name = notes[0].file_name().unwrap().to_string_lossy().into_owned();
    assert!(name.ends_with("-tabs-or-spaces.md"), "{name}");
    let text = std::fs::read_to_string(&notes[0]).unwrap();
    assert!(text.contains("user: tabs or spaces?") && text.contains("assistant: Let us use tabs."), "{text}");

    world.fake.says("Good night.");
    talk(&mut client, MAIN, "good night").await;
    world.fake.fails(400, "no");
    client.call("sessions.reset", json!({"key": MAIN, "reason": "reset"})).await.unwrap();
    let notes = until("a second note", || async {
        Some(memory(world.gateway.home())).filter(|notes| notes.len() > 1)
    })
    .await;
    assert!(
        notes.iter().any(|path| path
            .to_string_lossy()
            .trim_end_matches(".md")
            .ends_with(|c: char| c.is_ascii_digit())),
        "{notes:?}"
    );
    let log = std::fs::read_to_string(world.gateway.home().state_dir().join("logs/commands.log")).unwrap();
    let actions: Vec<Value> =
        log.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()["action"].clone()).collect();
    assert_eq!(actions, ["new", "reset"]);
}

#[tokio::test]
async fn programs_of_the_owner_hear_of_events_decide_about_tools_and_add_to_the_prompt() {
    let off = json!({"boot-md": {"enabled": false}, "session-memory": {"enabled": false}});
    let world = start(off, |state| {
        let heard = state.join("heard.jsonl");
        let watch = format!("cat >> {0}; echo >> {0}", heard.display());
        hook(state, "watch", r#"["agent:start", "agent:end", "session:start", "tool:after"]"#, &watch);
        hook(state, "careful", r#"["tool:before"]"#, r#"cat > /dev/null; echo '{"refuse": "not today"}'"#);
        hook(
            state,
            "weather",
            r#"["agent:bootstrap"]"#,
            r#"cat > /dev/null; echo '{"append": "It rains."}'"#,
        );
        hook(state, "stuck", r#"["agent:start", "tool:after"]"#, r#"while echo; do sleep 0.1; done"#);
        hook(state, "broken", r#"["agent:bootstrap", "tool:before"]"#, "echo '{garbage'; exit 1");
    })
    .await;
    let mut client = world.owner().await;
    world.fake.calls("read", json!({"path": "AGENTS.md"})).says("I may not.");
    talk(&mut client, MAIN, "what do your files say?").await;
    let first = world.fake.requests().remove(0).body.to_string();
    assert!(first.contains("From the hook weather") && first.contains("It rains."), "{first}");
    let second = world.fake.requests().remove(1).body.to_string();
    assert!(second.contains("not today (hook careful)"), "{second}");
    assert_eq!(
        text_of(history(&mut client, MAIN).await.last().unwrap()),
        "I may not.",
        "broken hooks hold nobody up"
    );
    let heard = world.gateway.home().state_dir().join("heard.jsonl");
    let events = until("what was heard", || async {
        let text = std::fs::read_to_string(&heard).unwrap_or_default();
        let mut events: Vec<Value> =
            text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
        events.sort_by_key(|event| event["action"].to_string());
        (events.len() >= 3).then_some(events)
    })
    .await;
    let names: Vec<String> = events
        .iter()
        .map(|event| format!("{}:{}", event["type"].as_str().unwrap(), event["action"].as_str().unwrap()))
        .collect();
    assert!(
        names.contains(&"agent:end".to_owned()) && names.contains(&"session:start".to_owned()),
        "{names:?}"
    );
    let end = events.iter().find(|event| event["action"] == "end").unwrap();
    assert_eq!(
        (&end["sessionKey"], &end["context"]["content"]),
        (&json!(MAIN), &json!("I may not.")),
        "{end}"
    );
}

#[tokio::test]
async fn what_boot_md_says_is_done_after_a_start_and_extra_files_are_told() {
    let entries = json!({"bootstrap-extra-files": {"paths": ["notes/house.md", "../../secret.md"]}});
    let world = start(entries, |state| {
        std::fs::create_dir_all(state.join("workspace/notes")).unwrap();
        std::fs::write(state.join("workspace/BOOT.md"), "Say that you are up.").unwrap();
        std::fs::write(state.join("workspace/notes/house.md"), "The house is blue.").unwrap();
    })
    .await;
    let asked = world.fake.wait_for_request(1).await.unwrap().body.to_string();
    assert!(asked.contains("Say that you are up."), "{asked}");
    assert!(asked.contains("The house is blue."), "{asked}");
}
