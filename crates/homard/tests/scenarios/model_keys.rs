//! Keys over the wire: tried, kept, forgotten and taken over from other programs; never told.

use homard_testkit::{FakeLlm, TestClient, TestGateway, TestHome};
use serde_json::{Value, json};

use crate::scenarios::world::{OPENAI, World, config, launch};

const KEY: &str = "sk-of-a-person-0123456789";

async fn call(client: &mut TestClient, method: &str, params: Value) -> Value {
    client.call(method, params.clone()).await.unwrap_or_else(|error| panic!("{method} {params}: {error:?}"))
}

async fn refused(client: &mut TestClient, method: &str, params: Value, words: &str) {
    let answer = client.request(method, params.clone()).await.unwrap();
    assert_eq!(answer["error"]["code"], "INVALID_REQUEST", "{method} {params}: {answer}");
    assert!(answer["error"]["message"].as_str().unwrap().contains(words), "{method} {params}: {answer}");
}

#[tokio::test]
async fn a_provider_is_asked_for_one_word_and_its_refusal_is_told() {
    let world = World::start().await;
    let mut client = world.owner().await;
    world.fake.says("OK");
    let probed = call(&mut client, "models.probe", json!({"provider": "fake"})).await;
    assert_eq!((&probed["provider"], &probed["status"]), (&json!("fake"), &json!("ok")), "{probed}");
    assert!(probed["latencyMs"].is_u64() && probed["error"].is_null());
    assert_eq!(probed["results"][0]["model"], "fake/fake-1");
    world.fake.fails(401, r#"{"error":{"message":"Incorrect API key provided: test-key"}}"#);
    let probed = call(&mut client, "models.probe", json!({"provider": "fake", "timeoutMs": 10_000})).await;
    assert_eq!(probed["status"], "auth", "{probed}");
    assert!(probed["results"][0]["hint"].is_string());
    assert!(!probed.to_string().contains("test-key"), "a key was told: {probed}");
    world.fake.hangs();
    let late = call(&mut client, "models.probe", json!({"provider": "fake", "timeoutMs": 200})).await;
    assert_eq!(late["status"], "timeout");
}

#[tokio::test]
async fn a_key_is_kept_used_and_forgotten() {
    let world = World::start().await;
    let mut client = world.owner().await;
    let kept =
        call(&mut client, "models.authSetApiKey", json!({"provider": "groq", "apiKey": format!(" {KEY} ")}))
            .await;
    assert_eq!(kept["provider"], "groq");
    assert!(kept["warning"].is_null(), "the provider can be called when the answer comes: {kept}");
    let status = call(&mut client, "models.authStatus", json!({})).await;
    let groq = status["providers"].as_array().unwrap().iter().find(|one| one["provider"] == "groq").unwrap();
    assert_eq!((&groq["status"], &groq["profiles"][0]["profileId"]), (&json!("ok"), &kept["profileId"]));
    let known = status["providerCapabilities"].as_array().unwrap();
    assert!(known.iter().any(|one| one["provider"] == "ollama" && one["keyless"] == true), "{known:?}");
    let listed =
        call(&mut client, "models.list", json!({"view": "all", "provider": "groq", "includeDetails": true}))
            .await;
    assert!(listed["models"][0]["cost"]["input"].is_number(), "{listed}");
    let own = call(&mut client, "models.authSetApiKey", json!({"provider": "fake", "apiKey": KEY})).await;
    world.fake.says("OK").says("OK");
    call(&mut client, "models.probe", json!({"provider": "fake", "profileId": own["profileId"]})).await;
    let used = world.fake.requests().iter().any(|request| {
        request.headers.iter().any(|(name, value)| name == "authorization" && value.contains(KEY))
    });
    assert!(used, "the stored key was not tried");

    let gone = call(&mut client, "models.authLogout", json!({"provider": "groq"})).await;
    assert_eq!(gone["removedProfiles"], json!([kept["profileId"]]));
    let log = world.gateway.log();
    assert!(!log.contains(KEY) && !status.to_string().contains(KEY), "a key was told");
}

#[tokio::test]
async fn the_login_of_another_program_is_found_and_taken_over_only_when_asked() {
    let fake = FakeLlm::start().await.unwrap();
    let home = TestHome::with_config(&config(&fake, OPENAI, |_| {})).unwrap();
    let world = World { gateway: TestGateway::start(launch(), home).await.unwrap(), fake };
    let mut client = world.owner().await;
    assert_eq!(call(&mut client, "models.authImport", json!({})).await, json!({"found": []}));
    refused(&mut client, "models.authImport", json!({"program": "Codex"}), "no login").await;
}

#[tokio::test]
async fn bad_parameters_are_refused_with_words() {
    let world = World::start().await;
    let mut client = world.owner().await;
    for (method, params, words) in [
        ("models.probe", json!({}), "provider"),
        ("models.probe", json!({"provider": "nobody"}), "not set up"),
        ("models.probe", json!({"provider": "no body"}), "provider"),
        ("models.probe", json!({"provider": "fake", "timeoutMs": 0}), "timeoutMs"),
        ("models.probe", json!({"provider": "fake", "profileId": "none"}), "no credential"),
        ("models.probe", json!({"provider": "fake", "agentId": "nobody"}), "unknown agent"),
        ("models.probe", json!({"provider": "fake", "bogus": 1}), "bogus"),
        ("models.authSetApiKey", json!({"provider": "fake"}), "apiKey"),
        ("models.authSetApiKey", json!({"provider": "fake", "apiKey": "  "}), "apiKey"),
        ("models.authSetApiKey", json!({"provider": "fake", "apiKey": "two words"}), "one word"),
        ("models.authSetApiKey", json!({"provider": "fake", "apiKey": "x".repeat(20_000)}), "apiKey"),
        ("models.authSetApiKey", json!({"provider": "nobody", "apiKey": "x"}), "not known"),
        ("models.authLogout", json!({"provider": "fake", "profileIds": []}), "profileIds"),
        ("models.authLogout", json!({"provider": "fake", "profileIds": ["none"]}), "no stored credential"),
        ("models.authLogout", json!({"provider": "fake", "credentialType": "oauth"}), "credentialType"),
        ("models.authImport", json!({"program": 3}), "expected a string"),
    ] {
        refused(&mut client, method, params, words).await;
    }
}
