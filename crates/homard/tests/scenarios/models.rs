//! Which model answers, with whose key, at what price: stories over the real process.

use std::path::PathBuf;

use homard_testkit::{FakeLlm, Recorded, TestGateway, TestHome};
use serde_json::{Value, json};
use tokio::process::Command;

use crate::scenarios::world::{
    KEY, OPENAI, World, as_owner, config, history, launch, said, say, talk, text_of, until,
};

fn text(final_event: &Value) -> String {
    text_of(&final_event["message"])
}

fn key_of(request: &Recorded) -> String {
    let bearer = request.headers.iter().find(|(name, _)| name == "authorization");
    bearer.map(|(_, value)| value.trim_start_matches("Bearer ").to_owned()).unwrap_or_default()
}

fn profiles_file(home: &TestHome) -> PathBuf {
    home.state_dir().join("agents/main/agent/auth-profiles.json")
}

fn store_profiles(home: &TestHome, profiles: &Value) {
    let file = profiles_file(home);
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    std::fs::write(file, json!({"version": 1, "profiles": profiles}).to_string()).unwrap();
}

async fn homard(home: &TestHome, args: &[&str]) -> (bool, String) {
    let mut command = Command::new(crate::homard());
    command.args(args);
    let output = as_owner(command, home).output().await.unwrap();
    let all = [output.stdout, output.stderr].concat();
    (output.status.success(), String::from_utf8(all).unwrap())
}

#[tokio::test]
async fn after_a_429_the_next_credential_answers_and_the_session_keeps_to_it() {
    let fake = FakeLlm::start().await.unwrap();
    let home = TestHome::with_config(&config(&fake, OPENAI, |config| {
        config["models"]["providers"]["fake"]["apiKey"] = Value::Null;
    }))
    .unwrap();
    let profile = |key: &str| json!({"type": "api_key", "provider": "fake", "key": key});
    store_profiles(
        &home,
        &json!({"fake:a": profile("key-a-0123456789"), "fake:b": profile("key-b-0123456789")}),
    );
    let world = World { gateway: TestGateway::start(launch(), home).await.unwrap(), fake };
    let mut client = world.owner().await;

    world.fake.rate_limits(std::time::Duration::from_secs(3_600)).says("from the other").says("and again");
    assert_eq!(text(&talk(&mut client, KEY, "hello").await), "from the other");
    assert_eq!(text(&talk(&mut client, KEY, "still there?").await), "and again");
    let keys: Vec<String> = world.fake.requests().iter().map(key_of).collect();
    assert_ne!(keys[0], keys[1]);
    assert_eq!(keys[1], keys[2], "the conversation keeps to who answered");

    let resting = until("the cooldown on disk", async || {
        let text = std::fs::read_to_string(profiles_file(world.gateway.home())).ok()?;
        let file: Value = serde_json::from_str(&text).ok()?;
        let stats = file["usageStats"].as_object()?.clone();
        stats.values().any(|one| one["cooldownUntil"].is_i64()).then_some(stats)
    })
    .await;
    assert!(resting.values().any(|one| one["failureCounts"]["rate_limit"] == 1), "{resting:?}");
    let status = client.call("usage.status", json!({})).await.unwrap();
    let [told] = status["providers"].as_array().unwrap().as_slice() else { panic!("{status}") };
    assert_eq!((&told["provider"], &told["windows"]), (&json!("fake"), &json!([])));
    let words = told["error"].as_str().unwrap();
    assert!(words.contains("was refused and rests until 2") && !words.contains(';'), "one of two: {words}");
    let log = world.gateway.log();
    assert!(!log.contains("key-a-0123456789") && !log.contains("key-b-0123456789"), "a key is in the log");
}

#[tokio::test]
async fn when_a_provider_is_broke_the_next_model_of_the_chain_answers() {
    let rich = FakeLlm::start().await.unwrap();
    let url = rich.anthropic_url();
    let world = World::start_with(OPENAI, |config| {
        config["models"]["providers"]["rich"] = json!({"baseUrl": url, "api": "anthropic-messages",
            "apiKey": "rich-key", "models": [{"id": "rich-1", "name": "Rich"}]});
        config["agents"]["defaults"]["model"] =
            json!({"primary": "fake/fake-1", "fallbacks": ["rich/rich-1"]});
    })
    .await;
    let mut client = world.owner().await;
    world.fake.fails(402, r#"{"error":{"message":"Insufficient credits"}}"#);
    rich.says("I can pay");
    let run = say(&mut client, KEY, "hello").await;
    let end = client.wait_chat_final(&run).await.unwrap();
    assert_eq!(text(&end), "I can pay");
    let attempt = client
        .events()
        .iter()
        .find(|event| event["payload"]["data"]["phase"] == "fallback")
        .expect("the attempt is told");
    let data = &attempt["payload"]["data"];
    assert_eq!((&data["reason"], &data["next"]), (&json!("billing"), &json!("next_model")));
    let said = history(&mut client, KEY).await;
    assert_eq!(said.last().unwrap()["model"], "rich-1");

    rich.says("still me");
    assert_eq!(text(&talk(&mut client, KEY, "and now?").await), "still me");
    assert_eq!(world.fake.requests().len(), 1, "a provider that is broke is left alone");
}

#[tokio::test]
async fn an_answer_that_has_begun_is_never_begun_again() {
    let other = FakeLlm::start().await.unwrap();
    let url = other.openai_url();
    let world = World::start_with(OPENAI, |config| {
        config["models"]["providers"]["other"] = json!({"baseUrl": url, "apiKey": "k",
            "models": [{"id": "other-1", "name": "Other"}]});
        config["agents"]["defaults"]["model"] =
            json!({"primary": "fake/fake-1", "fallbacks": ["other/other-1"]});
    })
    .await;
    let mut client = world.owner().await;
    world.fake.cuts_after(3);
    let end = talk(&mut client, KEY, "hello").await;
    assert_eq!(end["state"], "error", "{end}");
    assert_eq!((world.fake.requests().len(), other.requests().len()), (1, 0));
    let kept = history(&mut client, KEY).await;
    assert!(said(&kept)[1].1.starts_with("w0 w1 w2"), "what had arrived is kept: {kept:?}");
    world.fake.says("whole");
    assert_eq!(text(&talk(&mut client, KEY, "go on").await), "whole");
}

#[tokio::test]
async fn a_spent_budget_stops_the_next_call_and_names_itself() {
    let world = World::start_with(OPENAI, |config| {
        config["budgets"] = json!({"session": {"day": {"tokens": 100}}});
    })
    .await;
    let mut client = world.owner().await;
    world.fake.says("the first is free to overshoot").says("after the budget was raised");
    assert_eq!(talk(&mut client, KEY, "hello").await["state"], "final");
    let refused = talk(&mut client, KEY, "more").await;
    assert_eq!(refused["state"], "error");
    let words = refused["errorMessage"].as_str().unwrap();
    assert!(words.contains("budgets.session.day.tokens"), "{words}");
    assert_eq!(world.fake.requests().len(), 1, "nothing was asked");
    assert_eq!(talk(&mut client, "agent:main:else", "hello").await["state"], "final", "another session may");

    let file = world.gateway.home().config_path();
    let mut raised: Value = serde_json::from_str(&std::fs::read_to_string(&file).unwrap()).unwrap();
    raised["budgets"]["session"]["day"]["tokens"] = json!(1_000_000);
    std::fs::write(&file, raised.to_string()).unwrap();
    let answer = until("the raised budget", async || {
        let mut client = world.owner().await;
        let end = talk(&mut client, KEY, "now?").await;
        (end["state"] == "final").then_some(end)
    })
    .await;
    assert!(!text(&answer).is_empty());
}

#[tokio::test]
async fn budgets_survive_a_restart_and_a_killed_call_counts_with_its_worst_case() {
    let mut world = World::start_with(OPENAI, |config| {
        config["budgets"] = json!({"gateway": {"day": {"tokens": 9_000}}});
    })
    .await;
    let mut client = world.owner().await;
    world.fake.hangs();
    say(&mut client, KEY, "hello").await;
    world.fake.wait_for_request(1).await.unwrap();
    world.gateway.kill9().await.unwrap();
    world.gateway.restart().await.unwrap();
    let mut client = world.owner().await;
    let end = talk(&mut client, "agent:main:else", "and now?").await;
    assert_eq!(end["state"], "error", "{end}");
    assert!(end["errorMessage"].as_str().unwrap().contains("budgets.gateway.day.tokens"), "{end}");
}

#[tokio::test]
async fn a_key_in_the_environment_is_enough() {
    let fake = FakeLlm::start().await.unwrap();
    let home = TestHome::with_config(&config(&fake, OPENAI, |config| {
        config["models"]["providers"] = json!({"groq": {"baseUrl": fake.openai_url(), "models": []}});
        config["agents"]["defaults"]["model"] = json!({"primary": "groq/some-new-model"});
    }))
    .unwrap();
    let gateway =
        TestGateway::start(launch().env("GROQ_API_KEY", "gsk-0123456789abcdef"), home).await.unwrap();
    let world = World { fake, gateway };
    let mut client = world.owner().await;
    world.fake.says("fast");
    assert_eq!(text(&talk(&mut client, KEY, "hello").await), "fast");
    assert_eq!(key_of(&world.fake.requests()[0]), "gsk-0123456789abcdef");
    assert!(!world.gateway.log().contains("gsk-0123456789abcdef"));
    let written =
        std::fs::read_to_string(world.gateway.home().state_dir().join("agents/main/agent/models.json"));
    assert!(
        !written.unwrap_or_default().contains("gsk-0123456789abcdef"),
        "models.json names the variable only"
    );
}

#[tokio::test]
async fn a_key_stored_by_the_command_line_is_used_without_a_restart() {
    let fake = FakeLlm::start().await.unwrap();
    let home = TestHome::with_config(&config(&fake, OPENAI, |config| {
        config["models"]["providers"]["fake"]["apiKey"] = Value::Null;
        config["models"]["providers"]["fake"]["auth"] = json!("api-key");
    }))
    .unwrap();
    let world = World { gateway: TestGateway::start(launch(), home).await.unwrap(), fake };
    let mut command = Command::new("/bin/sh");
    command.args(["-c", "printf %s key-from-a-pipe | \"$HOMARD\" models auth add --provider fake"]);
    let output = as_owner(command, world.gateway.home()).output().await.unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    world.fake.says("let in");
    let mut client = world.owner().await;
    assert_eq!(text(&talk(&mut client, KEY, "hello").await), "let in");
    assert_eq!(key_of(&world.fake.requests()[0]), "key-from-a-pipe");
    let (ok, list) = homard(world.gateway.home(), &["models", "auth", "list", "--json"]).await;
    assert!(ok && list.contains("fake:default") && !list.contains("key-from-a-pipe"), "{list}");
}

#[tokio::test]
async fn only_allowed_models_can_be_chosen_and_aliases_are_understood() {
    let world = World::start_with(OPENAI, |config| {
        config["agents"]["defaults"]["models"] =
            json!({"fake/fake-1": {"alias": "usual"}, "fake/fake-2": {}});
    })
    .await;
    let mut client = world.owner().await;
    talk(&mut client, KEY, "hello").await;
    let patched = client.call("sessions.patch", json!({"key": KEY, "model": "fake/fake-2"})).await.unwrap();
    assert_eq!(patched["resolved"]["model"], "fake-2");
    let refused = client.request("sessions.patch", json!({"key": KEY, "model": "fake/other"})).await.unwrap();
    assert!(refused["error"]["message"].as_str().unwrap().contains("not allowed"), "{refused}");
    let back = client.call("sessions.patch", json!({"key": KEY, "model": "USUAL"})).await.unwrap();
    assert_eq!(back["resolved"]["model"], "fake-1");
}

#[tokio::test]
async fn models_are_chosen_listed_and_probed_from_the_command_line() {
    let fake = FakeLlm::start().await.unwrap();
    let home = TestHome::with_config(&config(&fake, OPENAI, |_| {})).unwrap();
    fake.says("OK");
    let steps: [(&[&str], bool, &str); 11] = [
        (&["models", "set", "nobody/nothing"], false, "nobody"),
        (&["models", "set", "fake/fake-2"], true, "fake/fake-2"),
        (&["models", "fallbacks", "add", "fake/fake-1"], true, "fake/fake-1"),
        (&["models", "fallbacks", "list", "--json"], true, "fake/fake-1"),
        (&["models", "aliases", "add", "quick", "fake/fake-1"], true, "quick means fake/fake-1"),
        (&["models", "status", "--json"], true, "\"defaultModel\": \"fake/fake-2\""),
        (&["models", "list", "--json"], true, "fallback#1"),
        (&["models", "list", "--plain"], true, "fake/fake-2"),
        (&["models", "probe", "--json"], true, "\"status\": \"ok\""),
        (&["models", "fallbacks", "remove", "fake/none"], false, "is not a fallback"),
        (&["models", "auth", "login", "--provider", "fake"], false, "log in"),
    ];
    for (args, success, words) in steps {
        let (ok, told) = homard(&home, args).await;
        assert_eq!(ok, success, "{args:?}: {told}");
        assert!(told.contains(words), "{args:?}: {told}");
    }
}

#[tokio::test]
async fn the_status_of_models_is_one_document_and_a_model_nobody_has_is_not_well() {
    let fake = FakeLlm::start().await.unwrap();
    let home = TestHome::with_config(&config(&fake, OPENAI, |_| {})).unwrap();
    fake.says("OK");
    let (ok, told) = homard(&home, &["models", "status", "--json", "--probe", "--check"]).await;
    let status: Value = serde_json::from_str(&told).unwrap();
    assert_eq!((ok, &status["usable"], &status["probe"][0]["status"]), (true, &json!(true), &json!("ok")));
    homard(&home, &["config", "set", "agents.defaults.model.primary", "nobody/large"]).await;
    let (ok, told) = homard(&home, &["models", "status", "--check"]).await;
    assert!(!ok && told.contains("nobody"), "{told}");
}

#[tokio::test]
async fn a_google_login_answers_in_a_chat_and_its_project_pays() {
    let fake = FakeLlm::start().await.unwrap();
    let url = fake.url();
    let home = TestHome::with_config(&config(&fake, OPENAI, |config| {
        config["models"]["providers"]["google-gemini-cli"] = json!({"baseUrl": url});
        config["agents"]["defaults"]["model"] = json!({"primary": "google-gemini-cli/gemini-2.5-pro"});
    }))
    .unwrap();
    let login = json!({"type": "oauth", "provider": "google-gemini-cli", "access": "ya29.of-mia-0123456789",
        "refresh": "1//of-mia-0123456789", "expires": 4_000_000_000_000_i64, "projectId": "mia-1"});
    store_profiles(&home, &json!({"google-gemini-cli:mia@example.test": login}));
    let world = World { gateway: TestGateway::start(launch(), home).await.unwrap(), fake };
    let mut client = world.owner().await;
    world.fake.calls("session_status", json!({})).says("hello from Gemini");
    assert_eq!(text(&talk(&mut client, KEY, "hello").await), "hello from Gemini");
    for request in world.fake.requests() {
        assert_eq!(request.path, "/v1internal:streamGenerateContent");
        assert_eq!(key_of(&request), "ya29.of-mia-0123456789");
        assert_eq!(
            json!([request.body["model"], request.body["project"]]),
            json!(["gemini-2.5-pro", "mia-1"])
        );
    }
    assert_eq!(world.fake.requests().len(), 2, "a tool was called in between");
}

#[tokio::test]
async fn a_google_login_without_the_vendors_program_says_what_is_missing() {
    let home = TestHome::new().unwrap();
    let (is_good, said) = homard(&home, &["models", "auth", "login", "--provider", "gemini-cli"]).await;
    assert!(!is_good, "{said}");
    for words in
        ["npm install -g @google/gemini-cli", "GEMINI_CLI_OAUTH_CLIENT_ID", "GEMINI_CLI_OAUTH_CLIENT_SECRET"]
    {
        assert!(said.contains(words), "{said}");
    }
    assert!(!profiles_file(&home).exists());
}
