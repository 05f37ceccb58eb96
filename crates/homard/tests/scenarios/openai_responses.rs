//! `/v1/responses`, `/v1/models` and `/v1/embeddings`.

use serde_json::{Value, json};

use crate::scenarios::openai_world::{EMBEDDINGS, RESPONSES, open, open_with, told, with};
use crate::scenarios::world::fetch;

fn asks(input: &Value) -> Value {
    json!({"model": "openclaw", "input": input})
}

fn weather() -> Value {
    json!([{"type": "function", "name": "weather", "parameters": {"type": "object", "properties": {}}}])
}

#[tokio::test]
async fn a_response_has_the_shape_clients_read() {
    let world = open().await;
    world.fake.says("Hello there");
    let body = with(asks(&json!("hello")), json!({"instructions": "Be kind.", "metadata": {"a": "b"}}));
    let answer = world.answer(RESPONSES, &body).await;
    assert!(answer["id"].as_str().unwrap().starts_with("resp_"));
    assert_eq!((&answer["object"], &answer["status"]), (&json!("response"), &json!("completed")));
    assert_eq!(answer["metadata"], json!({"a": "b"}));
    let item = &answer["output"][0];
    assert_eq!(
        (&item["type"], &item["role"], &item["status"]),
        (&json!("message"), &json!("assistant"), &json!("completed"))
    );
    assert_eq!(item["content"][0], json!({"type": "output_text", "text": "Hello there", "annotations": []}));
    let usage = &answer["usage"];
    assert_eq!(usage["output_tokens"], 2);
    assert_eq!(
        usage["total_tokens"].as_u64().unwrap(),
        usage["input_tokens"].as_u64().unwrap() + usage["output_tokens"].as_u64().unwrap()
    );
    let asked = world.fake.wait_for_request(1).await.unwrap().body;
    assert!(asked["messages"][0]["content"].as_str().unwrap().contains("Be kind."));
}

#[tokio::test]
async fn a_stream_of_events_tells_the_whole_story_in_order() {
    let world = open().await;
    world.fake.says("one two");
    let events = world.post(RESPONSES, &with(asks(&json!("count")), json!({"stream": true}))).await.events();
    let mut names: Vec<&str> = events.iter().map(|(name, _)| name.as_str()).collect();
    names.dedup();
    assert_eq!(
        names,
        [
            "response.created",
            "response.in_progress",
            "response.output_item.added",
            "response.content_part.added",
            "response.output_text.delta",
            "response.output_text.done",
            "response.content_part.done",
            "response.output_item.done",
            "response.completed",
        ]
    );
    for (at, (name, event)) in events.iter().enumerate() {
        assert_eq!((&event["type"], &event["sequence_number"]), (&json!(name), &json!(at)));
    }
    let text: String = events.iter().filter_map(|(_, event)| event["delta"].as_str()).collect();
    assert_eq!(text, "one two");
    let last = &events.last().unwrap().1["response"];
    assert_eq!(last["output"][0]["content"][0]["text"], "one two");
    assert_eq!(last["usage"]["output_tokens"], 2);
}

#[tokio::test]
async fn a_function_call_is_answered_by_its_output_in_the_session_of_the_response() {
    let world = open().await;
    world.fake.calls("weather", json!({"city": "Oslo"})).says("Snow.");
    let body = with(asks(&json!("weather?")), json!({"tools": weather(), "stream": true}));
    let events = world.post(RESPONSES, &body).await.events();
    let first = &events.last().unwrap().1["response"];
    let call = &first["output"][0];
    assert_eq!((&call["type"], &call["name"]), (&json!("function_call"), &json!("weather")));
    assert_eq!(call["arguments"], "{\"city\":\"Oslo\"}");
    let done = events.iter().find(|(name, _)| name == "response.function_call_arguments.done").unwrap();
    assert_eq!(done.1["arguments"], call["arguments"]);

    let output = json!([{"type": "function_call_output", "call_id": call["call_id"], "output": "snow"}]);
    let second =
        world.answer(RESPONSES, &with(asks(&output), json!({"previous_response_id": first["id"]}))).await;
    assert_eq!(second["output"][0]["content"][0]["text"], "Snow.");
    assert_eq!(second["previous_response_id"], first["id"]);
    let told = told(&world.fake.wait_for_request(2).await.unwrap().body);
    let roles: Vec<&str> = told.iter().map(|(role, _)| role.as_str()).collect();
    assert_eq!(roles, ["user", "assistant", "tool"]);
}

#[tokio::test]
async fn a_previous_response_is_remembered_after_a_restart_and_an_unknown_one_refused() {
    let mut world = open().await;
    world.fake.says("Noted.").says("Blue.");
    let first = world.answer(RESPONSES, &asks(&json!("my colour is blue"))).await;
    world.gateway.kill9().await.unwrap();
    world.gateway.restart().await.unwrap();
    let body = with(asks(&json!("which colour?")), json!({"previous_response_id": first["id"]}));
    world.answer(RESPONSES, &body).await;
    let told = told(&world.fake.wait_for_request(2).await.unwrap().body);
    assert_eq!(told.len(), 3, "{told:?}");
    let body = with(asks(&json!("x")), json!({"previous_response_id": "resp_nobody"}));
    let page = world.post(RESPONSES, &body).await;
    assert_eq!(page.status, 400);
    assert_eq!(page.json()["error"]["code"], "previous_response_not_found");
}

#[tokio::test]
async fn files_reach_the_model_as_somebodys_words_and_addresses_of_this_machine_are_not_asked() {
    let world = open().await;
    world.fake.says("read");
    let file = json!({"type": "input_file", "filename": "a.txt", "file_data": "data:text/plain;base64,c2VjcmV0IHBsYW4="});
    let input = json!([{"role": "user", "content": [{"type": "input_text", "text": "sum up"}, file]}]);
    world.answer(RESPONSES, &asks(&input)).await;
    let told = told(&world.fake.wait_for_request(1).await.unwrap().body);
    assert!(
        told[0].1.contains("secret plan") && told[0].1.contains("EXTERNAL_UNTRUSTED_CONTENT"),
        "{told:?}"
    );
    let url = format!("http://127.0.0.1:{}/healthz", world.gateway.port());
    for part in [
        json!({"type": "input_image", "image_url": url}),
        json!({"type": "input_file", "file_url": "http://169.254.169.254/latest"}),
        json!({"type": "input_file", "source": {"type": "url", "url": "http://localhost/x"}}),
    ] {
        let page = world.post(RESPONSES, &asks(&json!([{"role": "user", "content": [part]}]))).await;
        assert_eq!(page.status, 400, "{page:?}");
        assert!(page.json()["error"]["message"].as_str().unwrap().contains("private network"), "{page:?}");
    }
}

#[tokio::test]
async fn a_cut_response_is_incomplete_and_a_failed_stream_says_so() {
    let world = open().await;
    world.fake.runs_out("and then");
    let answer = world.answer(RESPONSES, &with(asks(&json!("go")), json!({"max_output_tokens": 20}))).await;
    assert_eq!(answer["status"], "incomplete");
    assert_eq!(answer["incomplete_details"], json!({"reason": "max_output_tokens"}));
    world.fake.fails(400, "{\"error\": {\"message\": \"no\", \"type\": \"invalid_request_error\"}}");
    let events = world.post(RESPONSES, &with(asks(&json!("go")), json!({"stream": true}))).await.events();
    let (name, last) = events.last().unwrap();
    assert_eq!((name.as_str(), &last["response"]["status"]), ("response.failed", &json!("failed")));
}

#[tokio::test]
async fn agents_are_listed_as_models() {
    let world = open_with(|config| {
        config["agents"]["list"] = json!([{"id": "main"}, {"id": "ops"}]);
    })
    .await;
    let port = world.gateway.port();
    let bearer = [("authorization", "Bearer test-token")];
    let list: Value = fetch(port, "GET /v1/models", &bearer).await.json();
    let ids: Vec<&str> =
        list["data"].as_array().unwrap().iter().map(|model| model["id"].as_str().unwrap()).collect();
    assert_eq!(ids, ["openclaw", "openclaw/default", "openclaw/main", "openclaw/ops"]);
    assert_eq!(
        list["data"][0],
        json!({"id": "openclaw", "object": "model", "created": 0, "owned_by": "openclaw", "permission": []})
    );
    for path in ["/v1/models/openclaw", "/v1/models/openclaw/ops", "/v1/models/openclaw%2Fops"] {
        assert_eq!(fetch(port, &format!("GET {path}"), &bearer).await.status, 200, "{path}");
    }
    for (path, status) in [("/v1/models/gpt-4", 404), ("/v1/models/", 400), ("/v1/models/%zz", 400)] {
        let page = fetch(port, &format!("GET {path}"), &bearer).await;
        assert_eq!(page.status, status, "{path}");
        assert_eq!(page.json()["error"]["type"], "invalid_request_error", "{path}");
    }
    // Several agents and none marked: nobody is meant by the bare name.
    let page = world.post(RESPONSES, &asks(&json!("hello"))).await;
    assert_eq!(page.status, 400);
    assert!(page.json()["error"]["message"].as_str().unwrap().starts_with("Invalid `model`"), "{page:?}");
}

#[tokio::test]
async fn embeddings_come_from_the_owners_provider() {
    let world = open_with(|config| {
        config["agents"]["defaults"]["memorySearch"] = json!({"provider": "fake", "model": "vectors-1"});
    })
    .await;
    let body = json!({"model": "openclaw", "input": ["a", "b", "a"], "dimensions": 3});
    let answer = world.answer(EMBEDDINGS, &body).await;
    let vector = |at: usize| &answer["data"][at]["embedding"];
    assert_eq!((&answer["object"], &answer["model"]), (&json!("list"), &json!("openclaw")));
    assert_eq!(vector(0).as_array().unwrap().len(), 3);
    assert!(vector(0) == vector(2) && vector(0) != vector(1), "{answer}");
    assert_eq!(answer["usage"], json!({"prompt_tokens": 3, "total_tokens": 3}));
    let asked = world.fake.requests().remove(0);
    assert_eq!((asked.path.as_str(), &asked.body["model"]), ("/v1/embeddings", &json!("vectors-1")));
    assert_eq!(asked.header("authorization"), Some("Bearer test-key"));

    let packed = world
        .answer(EMBEDDINGS, &json!({"model": "openclaw", "input": "a", "encoding_format": "base64"}))
        .await;
    assert!(packed["data"][0]["embedding"].is_string(), "{packed}");
    let header = [("x-openclaw-model", "fake/vectors-2")];
    let page = world.post_with(EMBEDDINGS, &json!({"model": "openclaw", "input": "a"}), &header).await;
    assert_eq!((page.status, &world.fake.requests()[2].body["model"]), (200, &json!("vectors-2")));
}

#[tokio::test]
async fn without_an_embedding_provider_the_answer_says_what_to_do() {
    let world = open().await;
    let page = world.post(EMBEDDINGS, &json!({"model": "openclaw", "input": "a"})).await;
    assert_eq!(page.status, 400);
    assert!(page.json()["error"]["message"].as_str().unwrap().contains("memorySearch.provider"), "{page:?}");
}
