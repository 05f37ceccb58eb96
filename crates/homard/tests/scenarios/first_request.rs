//! What the first request of a fresh conversation carries: small enough for a small model, and accounted for.

use homard_testkit::FakeLlm;
use serde_json::{Value, json};

use crate::scenarios::world::{ANTHROPIC, OPENAI, World, as_owner, outcome, talk, text_of, until};

/// The main conversation.
const MAIN: &str = "agent:main:main";
/// Most bytes of the first request, since every turn pays for it again.
const MOST_BYTES: usize = 20_000;

/// A picture of nothing.
const PNG: &[u8] = b"\x89PNG\r\n\x1a\nrest";

fn first_request(fake: &FakeLlm) -> Value {
    fake.requests().swap_remove(0).body
}

fn system_text(body: &Value) -> String {
    match &body["system"] {
        Value::Null => text_of(&body["messages"][0]),
        Value::String(text) => text.clone(),
        blocks => text_of(&json!({ "content": blocks })),
    }
}

#[tokio::test]
async fn the_first_request_of_a_new_assistant_is_small() {
    for api in [OPENAI, ANTHROPIC] {
        let world = World::start_with(api, |config| {
            config["tools"]["web"]["search"] =
                json!({"enabled": true, "provider": "brave", "apiKey": "none"});
        })
        .await;
        let mut client = world.owner().await;
        talk(&mut client, MAIN, "hello").await;
        let body = first_request(&world.fake);
        let measured = client.call("sessions.context", json!({"key": MAIN})).await.unwrap();
        let (bytes, system) = (body.to_string().len(), system_text(&body));
        assert!(bytes <= MOST_BYTES, "{api}: {bytes} bytes; where they go: {measured:#}");
        assert!(system.contains("follow BOOTSTRAP.md now"), "{api}: {system}");
        let report = &measured["report"];
        assert_eq!(report["mode"], "full");
        assert_eq!(report["systemPrompt"]["chars"], system.chars().count(), "{api}: {system}");
        let offered = body["tools"].as_array().unwrap().len();
        assert_eq!(report["tools"]["entries"].as_array().unwrap().len(), offered, "{report:#}");
        assert!(offered >= 6, "{body}");
    }
}

#[tokio::test]
async fn the_first_conversation_is_had_once() {
    let world = World::start().await;
    let mut client = world.owner().await;
    let workspace = world.gateway.home().state_dir().join("workspace");
    world.fake.calls("write", json!({"path": "USER.md", "content": "# Your owner\n- Name: Ada\n"}));
    world.fake.calls("write", json!({"path": "BOOTSTRAP.md", "content": ""})).says("done").says("hello Ada");
    talk(&mut client, MAIN, "hello").await;
    assert!(workspace.join("AGENTS.md").is_file());
    talk(&mut client, MAIN, "hello again").await;
    let system = system_text(&world.fake.requests().pop().unwrap().body);
    assert!(system.contains("- Name: Ada") && !system.contains("BOOTSTRAP.md"), "{system}");
    assert!(!workspace.join("BOOTSTRAP.md").exists());
    let state = std::fs::read_to_string(workspace.join(".homard/workspace-state.json")).unwrap();
    assert!(state.contains("onboardingCompletedAt"), "{state}");
}

#[tokio::test]
async fn an_owner_who_wants_no_files_gets_none() {
    let world =
        World::start_with(OPENAI, |config| config["agents"]["defaults"]["skipBootstrap"] = json!(true)).await;
    let mut client = world.owner().await;
    talk(&mut client, MAIN, "hello").await;
    let workspace = world.gateway.home().state_dir().join("workspace");
    assert_eq!(workspace.read_dir().unwrap().count(), 0);
}

#[tokio::test]
async fn a_helper_is_told_less_than_the_owner() {
    let world = World::start().await;
    let mut client = world.owner().await;
    talk(&mut client, "agent:main:subagent:one", "hello").await;
    let system = system_text(&first_request(&world.fake));
    assert!(system.contains("## AGENTS.md") && !system.contains("## SOUL.md"), "{system}");
}

#[tokio::test]
async fn a_session_keeps_the_report_of_its_prompt_and_the_command_line_shows_it() {
    let world = World::start().await;
    let mut client = world.owner().await;
    talk(&mut client, MAIN, "hello").await;
    let has_weight = async || {
        let usage = world.owner().await.call("sessions.usage", json!({"key": MAIN})).await.unwrap();
        (usage["sessions"][0]["hasContextWeight"] == true).then_some(())
    };
    until("the report in the session", has_weight).await;
    let mut command = tokio::process::Command::new(crate::homard());
    command.args(["sessions", "context", "main", "--url", &world.gateway.url()]);
    let mut command = as_owner(command, world.gateway.home());
    let printed = command.output().await.unwrap();
    let shown = String::from_utf8(printed.stdout).unwrap();
    assert!(printed.status.success(), "{}", String::from_utf8_lossy(&printed.stderr));
    for part in ["system prompt", "  safety", "    AGENTS.md", "tools (", "  exec", "messages (2)"] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    let mut command = tokio::process::Command::new(crate::homard());
    command.args(["sessions", "context", "no:such:key:", "--url", &world.gateway.url()]);
    let (code, said) = outcome(as_owner(command, world.gateway.home())).await;
    assert_ne!(code, Some(0), "{said}");
}

#[tokio::test]
async fn a_picture_the_owner_speaks_of_is_shown() {
    let world = World::start().await;
    let mut client = world.owner().await;
    let workspace = world.gateway.home().state_dir().join("workspace");
    std::fs::create_dir_all(&workspace).unwrap();
    std::fs::write(workspace.join("shot.png"), PNG).unwrap();
    talk(&mut client, MAIN, "what is on shot.png? and on gone.png?").await;
    let body = first_request(&world.fake).to_string();
    assert_eq!(body.matches("data:image/png;base64,").count(), 1, "{body}");
    let kept = client.call("chat.history", json!({"sessionKey": MAIN})).await.unwrap();
    assert!(!kept.to_string().contains("image/png"), "the transcript keeps the words: {kept}");
}

#[tokio::test]
async fn a_tool_told_in_one_line_explains_itself_to_the_model() {
    let world = World::start().await;
    let mut client = world.owner().await;
    world.fake.calls("process", json!({"help": true})).says("now I know");
    talk(&mut client, MAIN, "how do background commands work?").await;
    let requests = world.fake.requests();
    let offered = requests[0].body["tools"].to_string();
    assert!(!offered.contains("sessionId\":"), "{offered}");
    let answered = requests[1].body["messages"].to_string();
    assert!(answered.contains("sessionId"), "{answered}");
}
