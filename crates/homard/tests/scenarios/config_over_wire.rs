//! The configuration over the wire and on disk: read without secrets, written with care, taken over while
//! the gateway runs.

use homard_testkit::{FakeLlm, Launch, TEST_TOKEN, TestClient, TestGateway, TestHome};
use serde_json::{Value, json};

use crate::scenarios::world::{KEY, World, config, launch, talk, text_of, until};

async fn hash(client: &mut TestClient) -> Value {
    client.call("config.get", json!({})).await.unwrap()["hash"].take()
}

fn on_disk(world: &World) -> String {
    std::fs::read_to_string(world.gateway.home().config_path()).unwrap()
}

async fn models(client: &mut TestClient) -> Vec<String> {
    let list = client.call("models.list", json!({})).await.unwrap();
    list["models"].as_array().unwrap().iter().map(|m| m["id"].as_str().unwrap().to_owned()).collect()
}

/// The change every write below makes: one more model.
fn with_a_second_model(config: &mut Value) {
    let more = json!({"id": "fake-2", "name": "Fake 2"});
    config["models"]["providers"]["fake"]["models"].as_array_mut().unwrap().push(more);
}

#[tokio::test]
async fn reading_shows_everything_but_secrets() {
    let world = World::start().await;
    let mut client = world.owner().await;
    let answer = client.request("config.get", json!({})).await.unwrap();
    let text = answer.to_string();
    assert!(!text.contains(TEST_TOKEN) && !text.contains("test-key"), "{text}");
    let snapshot = &answer["payload"];
    assert_eq!((&snapshot["exists"], &snapshot["valid"]), (&json!(true), &json!(true)));
    assert_eq!(snapshot["path"], json!(world.gateway.home().config_path()));
    assert_eq!(snapshot["parsed"]["gateway"]["auth"]["token"], "__OPENCLAW_REDACTED__");
    assert_eq!(snapshot["parsed"]["models"]["providers"]["fake"]["apiKey"], "__OPENCLAW_REDACTED__");
    assert_eq!(snapshot["parsed"]["models"]["providers"]["fake"]["api"], "openai-completions");
    assert_eq!(snapshot["issues"], json!([]));
    assert!(snapshot["hash"].as_str().is_some_and(|hash| hash.len() >= 32));

    let schema = client.call("config.schema", json!({})).await.unwrap();
    let properties = schema["schema"]["properties"].as_object().unwrap();
    for section in ["gateway", "agents", "models", "tools", "session", "logging"] {
        assert!(properties.contains_key(section), "{section}");
    }
    assert!(schema["version"].is_string() && schema["generatedAt"].is_string());
}

#[tokio::test]
async fn what_is_read_can_be_written_back_without_losing_the_secrets() {
    let world = World::start().await;
    let mut client = world.owner().await;
    for method in ["config.set", "config.apply"] {
        let mut snapshot = client.call("config.get", json!({})).await.unwrap();
        let mut changed = snapshot["parsed"].take();
        changed["agents"]["defaults"]["timeoutSeconds"] =
            json!(if method == "config.set" { 100 } else { 200 });
        let params = json!({"raw": changed.to_string(), "baseHash": snapshot["hash"]});
        let written = client.call(method, params).await.unwrap();
        assert_eq!(written["ok"], true, "{method}");
        assert!(!written.to_string().contains("test-key"), "{method}");
        assert_ne!(written["hash"], snapshot["hash"], "{method}");
        let disk: Value = serde_json::from_str(&on_disk(&world)).unwrap();
        assert_eq!(disk["gateway"]["auth"]["token"], TEST_TOKEN, "{method}");
        assert_eq!(disk["models"]["providers"]["fake"]["apiKey"], "test-key", "{method}");
    }
    assert_eq!(talk(&mut client, KEY, "still works?").await["state"], "final");
}

#[tokio::test]
async fn a_patch_changes_only_what_it_names_and_keeps_comments() {
    let world = World::start().await;
    let home = world.gateway.home();
    let commented = on_disk(&world).replacen('{', "{\n  // written by hand, do not lose me", 1);
    home.write_config_text(&commented).unwrap();
    let mut client = world.owner().await;
    let base = hash(&mut client).await;
    let raw = r#"{agents: {defaults: {timeoutSeconds: 321}}, ui: null}"#;
    let done = client.call("config.patch", json!({"raw": raw, "baseHash": base})).await.unwrap();
    assert_eq!(done["changedPaths"], json!(["agents.defaults.timeoutSeconds"]));
    assert_eq!(done.get("restart"), None, "{done}");
    let text = on_disk(&world);
    assert!(text.contains("// written by hand, do not lose me") && text.contains("321"), "{text}");
    assert!(text.contains("test-key"), "{text}");

    let base = hash(&mut client).await;
    let again = client.call("config.patch", json!({"raw": raw, "baseHash": base})).await.unwrap();
    assert_eq!((&again["noop"], &again["changedPaths"]), (&json!(true), &json!([])));
    assert_eq!(on_disk(&world), text, "a patch without a change does not touch the file");
}

#[tokio::test]
async fn a_write_that_is_late_wrong_or_blind_changes_nothing() {
    let world = World::start().await;
    let mut client = world.owner().await;
    let before = on_disk(&world);
    let base = hash(&mut client).await;
    let cases = [
        (json!({"raw": "{agents: {}}"}), "base hash required"),
        (json!({"raw": "{agents: {}}", "baseHash": "0000"}), "config changed since last load"),
        (json!({"raw": "{agents: ", "baseHash": base}), "cannot be read"),
        (json!({"raw": "[]", "baseHash": base}), ""),
        (json!({"raw": "{gateway: {port: 'many'}}", "baseHash": base}), "gateway.port"),
        (json!({"raw": "{gatway: {port: 1}}", "baseHash": base}), "gateway"),
        (json!({"baseHash": base}), "raw"),
        (json!({"raw": "{}", "baseHash": base, "bogus": 1}), "bogus"),
    ];
    for (params, words) in cases {
        for method in ["config.set", "config.patch", "config.apply"] {
            let answer = client.request(method, params.clone()).await.unwrap();
            assert_eq!(answer["error"]["code"], "INVALID_REQUEST", "{method} {params}: {answer}");
            assert!(
                answer["error"]["message"].as_str().unwrap().contains(words),
                "{method} {params}: {answer}"
            );
            assert_eq!(on_disk(&world), before, "{method} {params}");
        }
    }
    let unknown = json!({"raw": "{gatway: {port: 1}}", "baseHash": base});
    let answer = client.request("config.set", unknown).await.unwrap();
    assert_eq!(answer["error"]["details"]["issues"][0]["path"], "gatway", "{answer}");
    assert_eq!(talk(&mut client, KEY, "still works?").await["state"], "final");
}

#[tokio::test]
async fn a_changed_model_list_is_taken_over_without_a_restart() {
    let world = World::start().await;
    let mut client = world.owner().await;
    assert!(!models(&mut client).await.contains(&"fake-2".to_owned()));
    world
        .gateway
        .home()
        .write_config(&config(&world.fake, "openai-completions", with_a_second_model))
        .unwrap();
    let client = tokio::sync::Mutex::new(client);
    until("the second model", || async {
        models(&mut *client.lock().await).await.contains(&"fake-2".to_owned()).then_some(())
    })
    .await;
    let mut client = client.into_inner();
    client.call("sessions.patch", json!({"key": KEY, "model": "fake/fake-2"})).await.unwrap();
    talk(&mut client, KEY, "hello").await;
    assert_eq!(world.fake.requests().pop().unwrap().body["model"], "fake-2");
}

#[tokio::test]
async fn a_bad_edit_on_disk_keeps_serving_and_says_so() {
    let world = World::start().await;
    let mut client = world.owner().await;
    let good = on_disk(&world);
    for bad in ["{ this is not json5", r#"{"gateway": {"port": "many"}}"#, "{gatway: {}}"] {
        let logged = world.gateway.log_lines().unwrap().len();
        world.gateway.home().write_config_text(bad).unwrap();
        until("the log to say that the edit was refused", || async {
            let lines = world.gateway.log_lines().unwrap();
            lines.iter().skip(logged).any(|line| line.to_string().contains("stay in effect")).then_some(())
        })
        .await;
        world.fake.says("business as usual");
        let last = talk(&mut client, KEY, "still there?").await;
        assert_eq!(text_of(&last["message"]), "business as usual", "{bad}");
        let snapshot = client.call("config.get", json!({})).await.unwrap();
        assert_eq!(snapshot["valid"], false, "{bad}");
        assert!(!snapshot["issues"].as_array().unwrap().is_empty(), "{bad}");
        assert!(!snapshot.to_string().contains("test-key"), "{bad}");
        world.owner().await;
    }
    world.gateway.home().write_config_text(&good).unwrap();
    let client = tokio::sync::Mutex::new(client);
    until("the mended file to count", || async {
        let snapshot = client.lock().await.call("config.get", json!({})).await.unwrap();
        (snapshot["valid"] == true && snapshot["hash"] == snapshot["appliedConfigHash"]).then_some(())
    })
    .await;
}

#[tokio::test]
async fn a_change_of_the_gateway_itself_restarts_in_place_and_clients_come_back() {
    let world = World::start().await;
    let pid = world.gateway.pid().unwrap();
    let mut client = world.owner().await;
    talk(&mut client, KEY, "remember me").await;
    let boot = client.hello()["server"]["bootId"].clone();
    let base = hash(&mut client).await;
    let raw = "{gateway: {controlUi: {enabled: false}}}";
    let done = client.call("config.patch", json!({"raw": raw, "baseHash": base})).await.unwrap();
    assert!(done["restart"].is_object(), "{done}");
    let shutdown = client.next_event("shutdown").await.unwrap();
    assert!(shutdown["payload"]["restartExpectedMs"].is_u64(), "{shutdown}");
    assert_eq!(client.close_code().await.unwrap(), (1012, "service restart".to_owned()));

    let mut client = until("the gateway to be back", || async { world.gateway.operator().await.ok() }).await;
    assert_ne!(client.hello()["server"]["bootId"], boot, "it is a new life");
    assert_eq!(world.gateway.pid().unwrap(), pid, "of the same process");
    let page = client.call("chat.history", json!({"sessionKey": KEY})).await.unwrap();
    assert_eq!(page["totalMessages"], 2);
    assert_eq!(talk(&mut client, KEY, "still works?").await["state"], "final");
    let (status, _) = world.gateway.get("/").await.unwrap();
    assert_eq!(status, 404, "the new setting is in effect");
}

#[tokio::test]
async fn a_changed_token_shuts_out_who_only_knows_the_old_one() {
    let fake = FakeLlm::start().await.unwrap();
    let home = TestHome::with_config(&config(&fake, "openai-completions", |_| {})).unwrap();
    // The file decides here, not the environment.
    let launch = Launch { token: String::new(), ..launch() };
    let gateway = TestGateway::start(launch, home).await.unwrap();
    let mut client = TestClient::operator(&gateway.url(), TEST_TOKEN).await.unwrap();
    let base = hash(&mut client).await;
    let raw = "{gateway: {auth: {token: 'a-new-token'}}}";
    client.call("config.patch", json!({"raw": raw, "baseHash": base})).await.unwrap();
    let (code, _) = client.close_code().await.unwrap();
    assert!(matches!(code, 1012 | 4001), "{code}");
    until("the new token to count", || async {
        TestClient::operator(&gateway.url(), "a-new-token").await.ok()
    })
    .await;
    assert!(TestClient::operator(&gateway.url(), TEST_TOKEN).await.is_err());
}

#[tokio::test]
async fn an_edit_no_gateway_could_start_with_leaves_this_one_running() {
    let world = World::start().await;
    let mut client = world.owner().await;
    for raw in [
        "{gateway: {bind: 'custom', customBindHost: 'my-host'}}",
        "{gateway: {bind: 'lan', auth: {mode: 'none'}}}",
    ] {
        let base = hash(&mut client).await;
        client.call("config.patch", json!({"raw": raw, "baseHash": base})).await.unwrap();
        until("the gateway to say so", || async {
            world.gateway.log().contains("going on as before").then_some(())
        })
        .await;
        assert_eq!(talk(&mut client, KEY, "still there?").await["state"], "final", "{raw}");
    }
}
