//! The wizard over the wire: good and bad answers, and what it leaves in the configuration.

use homard_testkit::{FakeLlm, TestClient, TestGateway, TestHome};
use serde_json::{Value, json};

use crate::scenarios::world::{OPENAI, World, config, launch, until};

/// Answers the question that waits.
async fn answer(owner: &mut TestClient, session: &Value, turn: &Value, value: &Value) -> Value {
    let params = json!({"sessionId": session, "answer": {"stepId": turn["step"]["id"], "value": value}});
    owner.call("wizard.next", params).await.unwrap()
}

fn option_values(turn: &Value) -> Vec<&str> {
    turn["step"]["options"]
        .as_array()
        .unwrap()
        .iter()
        .map(|option| option["value"].as_str().unwrap())
        .collect()
}

#[tokio::test]
async fn good_answers_are_written_and_the_key_is_kept_elsewhere() {
    let fake = FakeLlm::start().await.unwrap();
    let groq = json!({"baseUrl": fake.openai_url()});
    let home = TestHome::with_config(&config(&fake, OPENAI, |config| {
        config["models"]["providers"]["groq"] = groq;
    }))
    .unwrap();
    fake.says("OK");
    let gateway = TestGateway::start(launch().env("GROQ_API_KEY", "gsk-found"), home).await.unwrap();
    let world = World { fake, gateway };
    let mut owner = world.owner().await;
    let started = owner.call("wizard.start", json!({})).await.unwrap();
    let session = started["sessionId"].clone();
    assert_eq!(
        json!([started["done"], started["status"], started["step"]["type"]]),
        json!([false, "running", "select"])
    );
    let providers = option_values(&started);
    assert_eq!(
        providers.get(..2),
        Some(&["keep", "groq"][..]),
        "a key that was found comes first: {providers:?}"
    );
    let found = answer(&mut owner, &session, &started, &json!("groq")).await;
    assert!(found["step"]["message"].as_str().unwrap().contains("GROQ_API_KEY"), "{found}");
    let key = answer(&mut owner, &session, &found, &json!(false)).await;
    assert_eq!(key["step"]["sensitive"], true);
    let empty = answer(&mut owner, &session, &key, &json!(" ")).await;
    assert_eq!((&empty["error"], &empty["step"]["id"]), (&json!("paste the key"), &key["step"]["id"]));
    let model = answer(&mut owner, &session, &key, &json!("gsk-typed-by-a-person")).await;
    let chosen = match model["step"]["type"].as_str() {
        Some("select") => option_values(&model).first().map(|id| (*id).to_owned()).unwrap(),
        _ => "some-model".to_owned(),
    };
    let port = answer(&mut owner, &session, &model, &json!(chosen)).await;
    let same_port = port["step"]["initialValue"].clone();
    let auth = answer(&mut owner, &session, &port, &same_port).await;
    let confirm = answer(&mut owner, &session, &auth, &json!("token")).await;
    let summary = confirm["step"]["message"].as_str().unwrap();
    assert!(summary.contains(&format!("groq/{chosen} (it answered in ")), "the model was asked: {confirm}");
    let done = answer(&mut owner, &session, &confirm, &json!(true)).await;
    assert_eq!(done, json!({"done": true, "status": "done"}));

    let text = std::fs::read_to_string(world.gateway.home().config_path()).unwrap();
    assert!(text.contains(&format!("groq/{chosen}")), "{text}");
    let stamps = [
        "lastRunAt",
        "lastRunVersion",
        "lastRunCommand",
        "lastRunMode",
        "lastTouchedAt",
        "lastTouchedVersion",
    ];
    for stamp in stamps {
        assert!(text.contains(stamp), "{stamp}: {text}");
    }
    assert!(!text.contains("gsk-typed-by-a-person"), "keys are not configuration");
    let told = until("the credential", || async {
        let found = walk(world.gateway.home().state_dir())
            .into_iter()
            .any(|text| text.contains("gsk-typed-by-a-person"));
        found.then_some(())
    });
    told.await;
}

/// The texts beneath a folder.
fn walk(dir: impl AsRef<std::path::Path>) -> Vec<String> {
    let mut texts = Vec::new();
    for entry in std::fs::read_dir(dir).unwrap().flatten() {
        if entry.path().is_dir() {
            texts.extend(walk(entry.path()));
        } else {
            texts.extend(std::fs::read_to_string(entry.path()));
        }
    }
    texts
}

#[tokio::test]
async fn one_wizard_at_a_time_and_bad_calls_are_refused_with_words() {
    let world = World::start().await;
    let mut owner = world.owner().await;
    let unknown = json!({"code": "WIZARD_NOT_FOUND"});
    for method in ["wizard.next", "wizard.cancel", "wizard.status"] {
        let answer = owner.request(method, json!({"sessionId": "never-was"})).await.unwrap();
        assert_eq!(
            (&answer["error"]["details"], &answer["error"]["message"]),
            (&unknown, &json!("wizard not found")),
            "{method}"
        );
    }
    let before = std::fs::read_to_string(world.gateway.home().config_path()).unwrap();
    let started = owner.call("wizard.start", json!({"flow": "setup", "mode": "local"})).await.unwrap();
    let session = started["sessionId"].clone();
    let busy = owner.request("wizard.start", json!({})).await.unwrap();
    assert_eq!(busy["error"]["details"]["code"], "SETUP_ADMISSION_BUSY");
    assert_eq!(
        owner.call("wizard.status", json!({"sessionId": session})).await.unwrap(),
        json!({"status": "running"})
    );
    let again = owner.call("wizard.next", json!({"sessionId": session})).await.unwrap();
    assert_eq!(again["step"], started["step"], "without an answer the question is asked again");
    let params = json!({"sessionId": session, "answer": {"stepId": "another", "value": 1}});
    assert_eq!(owner.request("wizard.next", params).await.unwrap()["error"]["code"], "INVALID_REQUEST");
    let bad = answer(&mut owner, &session, &started, &json!("nobody")).await;
    assert_eq!((&bad["error"], &bad["done"]), (&json!("choose one of the options"), &json!(false)));
    let over = json!({"status": "cancelled", "error": "cancelled"});
    for method in ["wizard.cancel", "wizard.status"] {
        assert_eq!(owner.call(method, json!({"sessionId": session})).await.unwrap(), over, "{method}");
    }
    let late = owner.call("wizard.next", json!({"sessionId": session})).await.unwrap();
    assert_eq!((&late["done"], &late["status"]), (&json!(true), &json!("cancelled")));
    let remote = owner.request("wizard.start", json!({"mode": "remote"})).await.unwrap();
    assert!(remote["error"]["message"].as_str().unwrap().contains("only a local gateway"));
    let nowhere = json!({"flow": "channels", "channel": "smoke-signals"});
    let nowhere = owner.request("wizard.start", nowhere).await.unwrap();
    assert!(nowhere["error"]["message"].as_str().unwrap().contains("unknown channel"), "{nowhere}");
    let after = std::fs::read_to_string(world.gateway.home().config_path()).unwrap();
    assert_eq!(before, after, "nothing was agreed, nothing was written");
}
