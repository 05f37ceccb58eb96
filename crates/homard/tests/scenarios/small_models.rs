//! Small models on servers of one's own: they fit, they are asked for what they have, and their loops end.

use homard_testkit::{FakeLlm, FakeModels, Page, TestGateway, TestHome};
use serde_json::{Value, json};

use crate::scenarios::world::{KEY, OPENAI, World, as_owner, config, launch, talk, text_of};

fn text(final_event: &Value) -> String {
    text_of(&final_event["message"])
}

/// Tokens of a request, roughly.
fn tokens(body: &Value) -> usize {
    body.to_string().len() / 4
}

#[tokio::test]
async fn models_of_four_and_eight_thousand_tokens_answer_and_call_tools() {
    for window in [4_096, 8_192] {
        let world = World::start_with(OPENAI, |config| {
            let model = &mut config["models"]["providers"]["fake"]["models"][0];
            model["contextWindow"] = json!(window);
            model["maxTokens"] = json!(700);
        })
        .await;
        let mut client = world.owner().await;
        world
            .fake
            .says("<tool_call>{\"name\": \"read\", \"arguments\": {\"path\": \"AGENTS.md\"}}</tool_call>")
            .says("done");
        assert_eq!(text(&talk(&mut client, KEY, "what do your notes say?").await), "done", "{window}");
        let asked = world.fake.requests();
        assert_eq!(asked.len(), 2, "the written call was run");
        let first = &asked[0].body;
        assert!(tokens(first) + 700 <= window, "{window}: {} tokens", tokens(first));
        assert_eq!(first["max_tokens"], json!(700));
        let names: Vec<&str> = first["tools"]
            .as_array()
            .unwrap()
            .iter()
            .map(|tool| tool["function"]["name"].as_str().unwrap())
            .collect();
        let weight = tokens(&first["tools"]);
        assert!(names.contains(&"read") && weight <= window / 3, "{window}: {weight} {names:?}");
        let system = first["messages"][0]["content"].as_str().unwrap();
        assert!(!system.contains("NO_REPLY"), "nobody is told of silence outside groups");
        let last = asked[1].body["messages"].as_array().unwrap().last().unwrap();
        assert_eq!(last["role"], "tool", "{last}");
    }
}

#[tokio::test]
async fn a_model_that_takes_no_tools_is_told_of_them_in_words_and_its_written_calls_are_run() {
    for api in ["ollama", OPENAI] {
        let fake = FakeLlm::start().await.unwrap();
        fake.takes_no_tools();
        let config = TestHome::chat_config(homard_testkit::TEST_TOKEN, api, &fake.base_url(api));
        let gateway = TestGateway::start(launch(), TestHome::with_config(&config).unwrap()).await.unwrap();
        let mut client = gateway.operator().await.unwrap();
        fake.says("<tool_call>{\"name\": \"read\", \"arguments\": {\"path\": \"AGENTS.md\"}}</tool_call>")
            .says("done");
        assert_eq!(text(&talk(&mut client, KEY, "what do your notes say?").await), "done", "{api}");
        let asked = fake.requests();
        let offers = |body: &Value| body["tools"].as_array().is_some_and(|tools| !tools.is_empty());
        let offers: Vec<bool> = asked.iter().map(|asked| offers(&asked.body)).collect();
        assert_eq!(offers, [true, false, false], "{api}: refused once, and never asked like that again");
        let system = text_of(&asked[1].body["messages"][0]);
        assert!(system.contains("<tool_call>") && system.contains("\"name\":\"read\""), "{api}: {system}");
        let told = asked[2].body["messages"].as_array().unwrap().clone();
        let [.., call, result] = told.as_slice() else { panic!("{told:?}") };
        assert!(text_of(call).contains("AGENTS.md"), "{api}: {call}");
        let result = text_of(result);
        assert!(result.starts_with("<tool_response>") && result.contains("How you work"), "{api}: {result}");
    }
}

#[tokio::test]
async fn a_model_too_small_for_its_prompt_is_refused_with_the_numbers() {
    let world = World::start_with(OPENAI, |config| {
        config["models"]["providers"]["fake"]["models"][0]["contextWindow"] = json!(1_000);
    })
    .await;
    let mut client = world.owner().await;
    let told = talk(&mut client, KEY, "hello").await.to_string();
    assert!(told.contains("has room for 1000 tokens"), "{told}");
    assert_eq!(world.fake.requests().len(), 0);
}

#[tokio::test]
async fn a_model_that_repeats_itself_is_stopped_in_words() {
    let world = World::start_with(OPENAI, |_| {}).await;
    let mut client = world.owner().await;
    world.fake.says("I'm sorry, ".repeat(3_000));
    let told = talk(&mut client, KEY, "hello").await.to_string();
    assert!(told.contains("over and over"), "{}", told.chars().take(400).collect::<String>());
}

#[tokio::test]
async fn a_window_nobody_knows_is_not_invented_and_a_price_neither() {
    let world = World::start_with(OPENAI, |config| {
        config["models"]["providers"]["fake"]["models"][0]["contextWindow"] = Value::Null;
    })
    .await;
    let mut client = world.owner().await;
    let listed = client.call("models.list", json!({"view": "all"})).await.unwrap();
    let all = listed["models"].as_array().unwrap();
    let fake = all.iter().find(|model| model["id"] == "fake-1").unwrap();
    assert!(fake.get("contextWindow").is_none() && fake.get("cost").is_none(), "{fake}");
}

#[tokio::test]
async fn a_probe_says_what_a_model_can_do() {
    let fake = FakeLlm::start().await.unwrap();
    let home = TestHome::with_config(&config(&fake, OPENAI, |_| {})).unwrap();
    for (tools, expected) in [(true, "native"), (false, "text")] {
        fake.says("OK");
        match tools {
            true => fake.calls("note", json!({"word": "lobster"})),
            false => fake.says("```json\n{\"name\": \"note\", \"arguments\": {\"word\": \"lobster\"}}\n```"),
        };
        let mut command = tokio::process::Command::new(crate::homard());
        command.args(["models", "probe", "--json", "--provider", "fake"]);
        let output = as_owner(command, &home).output().await.unwrap();
        let told: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(told["results"][0]["tools"], expected, "{told}");
    }
}

#[tokio::test]
async fn a_key_for_nobody_is_refused_and_a_second_key_does_not_replace_the_first() {
    let home = TestHome::with_config(&json!({"gateway": {"auth": {"token": "t"}}})).unwrap();
    let add = async |args: &str| {
        let mut command = tokio::process::Command::new("/bin/sh");
        command.args(["-c", &format!("printf %s key-from-a-pipe | \"$HOMARD\" models auth add {args}")]);
        let output = as_owner(command, &home).output().await.unwrap();
        String::from_utf8([output.stdout, output.stderr].concat()).unwrap()
    };
    let refused = add("--provider opneai").await;
    assert!(refused.contains("did you mean `openai`"), "{refused}");
    assert!(add("--provider openai").await.contains("stored as openai:default"));
    assert!(add("--provider openai").await.contains("stored as openai:default-2"));
    assert!(add("--provider openai --profile-id openai:work").await.contains("stored as openai:work"));
    assert!(add("--provider openai --profile-id work").await.contains("in place of"));
}

#[tokio::test]
async fn a_server_of_ones_own_is_asked_what_it_keeps() {
    let models = FakeModels::start().await.unwrap();
    models.page(
        "/v1/models",
        Page::Json(
            json!({"data": [{"id": "smol.gguf", "owned_by": "llamacpp", "meta": {"n_ctx_train": 131_072}}]}),
        ),
    );
    models.page("/props", Page::Json(json!({"default_generation_settings": {"n_ctx": 4096}})));
    let mut config =
        TestHome::chat_config(homard_testkit::TEST_TOKEN, OPENAI, &format!("{}/v1", models.url()));
    config["models"]["providers"]["fake"]["models"][0]["contextWindow"] = Value::Null;
    let gateway = TestGateway::start(launch(), TestHome::with_config(&config).unwrap()).await.unwrap();
    let mut client = gateway.operator().await.unwrap();
    let mut looks = tokio::time::interval(std::time::Duration::from_millis(20));
    let known = async {
        loop {
            looks.tick().await;
            let listed = client.call("models.list", json!({"view": "all"})).await.unwrap();
            let all = listed["models"].as_array().unwrap().clone();
            if let Some(window) =
                all.iter().find(|m| m["id"] == "fake-1").and_then(|m| m.get("contextWindow").cloned())
            {
                return window;
            }
        }
    };
    assert_eq!(tokio::time::timeout(homard_testkit::WAIT_CAP, known).await.unwrap(), json!(4096));
}
