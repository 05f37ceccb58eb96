//! `/v1/chat/completions`: programs written for OpenAI talk to an agent.

use homard_testkit::{TEST_TOKEN, Turn};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::scenarios::openai_world::{CHAT, open, open_with, post_bytes, says, told, with};
use crate::scenarios::world::history;

/// The smallest picture there is.
const GIF: &str = "R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7";

fn weather() -> Value {
    json!([{"type": "function", "function": {
        "name": "weather",
        "description": "Tells the weather.",
        "parameters": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
    }}])
}

#[tokio::test]
async fn an_answer_has_the_shape_clients_read_and_true_numbers() {
    let world = open().await;
    world.fake.says("Hello to you");
    let answer = world.answer(CHAT, &says("hello")).await;
    let id = answer["id"].as_str().unwrap();
    assert!(id.starts_with("chatcmpl_") && id.len() == 45, "{id}");
    assert_eq!(answer["object"], "chat.completion");
    assert_eq!(answer["model"], "openclaw");
    assert!(answer["created"].as_i64().unwrap() > 1_700_000_000);
    let choice = &answer["choices"][0];
    assert_eq!(choice["message"], json!({"role": "assistant", "content": "Hello to you"}));
    assert_eq!((&choice["index"], &choice["finish_reason"]), (&json!(0), &json!("stop")));
    let usage = &answer["usage"];
    let (prompt, words) =
        (usage["prompt_tokens"].as_u64().unwrap(), usage["completion_tokens"].as_u64().unwrap());
    assert!(prompt > 100, "the agent's own prompt is counted: {usage}");
    assert_eq!((words, usage["total_tokens"].as_u64().unwrap()), (3, prompt + 3));
    let asked = world.fake.wait_for_request(1).await.unwrap();
    assert!(told(&asked.body)[0].1.ends_with("hello"));
}

#[tokio::test]
async fn a_stream_begins_with_the_role_and_ends_with_reason_usage_and_mark() {
    let world = open().await;
    world.fake.says("one two three");
    let body = with(says("count"), json!({"stream": true, "stream_options": {"include_usage": true}}));
    let page = world.post(CHAT, &body).await;
    let chunks: Vec<Value> = page.events().into_iter().map(|(_, chunk)| chunk).collect();
    assert!(
        chunks
            .iter()
            .all(|chunk| chunk["object"] == "chat.completion.chunk" && chunk["id"] == chunks[0]["id"])
    );
    assert_eq!(chunks[0]["choices"][0]["delta"]["role"], "assistant");
    let text: String =
        chunks.iter().filter_map(|chunk| chunk["choices"][0]["delta"]["content"].as_str()).collect();
    assert_eq!(text, "one two three");
    let [.., finish, usage] = chunks.as_slice() else { panic!("{chunks:?}") };
    assert_eq!(finish["choices"][0]["finish_reason"], "stop");
    assert_eq!((&usage["choices"], &usage["usage"]["completion_tokens"]), (&json!([]), &json!(3)));

    world.fake.says("four");
    let page = world.post(CHAT, &with(says("go on"), json!({"stream": true}))).await;
    assert!(page.events().iter().all(|(_, chunk)| chunk.get("usage").is_none()));
}

#[tokio::test]
async fn words_arrive_while_the_model_still_speaks() {
    let world = open().await;
    let gate = world.fake.gate("first rest");
    let body = with(says("slowly"), json!({"stream": true})).to_string();
    let bearer = format!("Bearer {TEST_TOKEN}");
    let request = post_bytes(CHAT, &body, &[("Authorization", bearer.as_str())]);
    let mut stream = TcpStream::connect(("127.0.0.1", world.gateway.port())).await.unwrap();
    stream.write_all(&request).await.unwrap();
    let mut heard = String::new();
    let mut buffer = [0; 4096];
    while !heard.contains("first") {
        let count = stream.read(&mut buffer).await.unwrap();
        heard.push_str(&String::from_utf8_lossy(&buffer[..count]));
    }
    assert!(!heard.contains("rest") && !heard.contains("[DONE]"), "{heard}");
    gate.release();
    stream.read_to_string(&mut heard).await.unwrap();
    assert!(heard.contains("rest") && heard.contains("[DONE]"), "{heard}");
}

#[tokio::test]
async fn a_callers_tool_ends_the_turn_and_its_result_goes_on_from_the_messages() {
    let world = open().await;
    world.fake.calls("weather", json!({"city": "Paris"})).says("It is sunny.");
    let question = with(says("weather in Paris?"), json!({"tools": weather()}));
    let first = world.answer(CHAT, &question).await;
    let choice = &first["choices"][0];
    assert_eq!(choice["finish_reason"], "tool_calls");
    assert_eq!(choice["message"]["content"], Value::Null);
    let call = &choice["message"]["tool_calls"][0];
    assert_eq!((&call["type"], &call["function"]["name"]), (&json!("function"), &json!("weather")));
    assert_eq!(call["function"]["arguments"], "{\"city\":\"Paris\"}");
    let offered = world.fake.wait_for_request(1).await.unwrap().body["tools"].clone();
    let names: Vec<&str> =
        offered.as_array().unwrap().iter().map(|tool| tool["function"]["name"].as_str().unwrap()).collect();
    assert!(names.contains(&"read") && names.contains(&"weather"), "beside the agent's own: {names:?}");

    let messages = json!([
        {"role": "user", "content": "weather in Paris?"},
        choice["message"],
        {"role": "tool", "tool_call_id": call["id"], "content": "sunny"},
    ]);
    let second =
        world.answer(CHAT, &json!({"model": "openclaw", "messages": messages, "tools": weather()})).await;
    assert_eq!(second["choices"][0]["message"]["content"], "It is sunny.");
    let asked = world.fake.wait_for_request(2).await.unwrap();
    let told = told(&asked.body);
    let roles: Vec<&str> = told.iter().map(|(role, _)| role.as_str()).collect();
    assert_eq!(roles, ["user", "assistant", "tool"]);
    assert_eq!((told[0].1.as_str(), told[2].1.as_str()), ("weather in Paris?", "sunny"));
}

#[tokio::test]
async fn in_a_users_session_the_result_alone_goes_on_and_nothing_is_told_twice() {
    let world = open().await;
    world.fake.calls("weather", json!({"city": "Paris"})).says("Sunny.").says("You are welcome.");
    let user = json!({"tools": weather(), "user": "ann"});
    let first = world.answer(CHAT, &with(says("weather?"), user.clone())).await;
    let call = &first["choices"][0]["message"]["tool_calls"][0];
    let result = json!({"role": "tool", "tool_call_id": call["id"], "content": "sun"});
    let body = with(json!({"model": "openclaw", "messages": [result]}), user.clone());
    assert_eq!(world.answer(CHAT, &body).await["choices"][0]["message"]["content"], "Sunny.");
    // The whole history again, as most programs send it: only the last message is new.
    let messages = json!([
        {"role": "user", "content": "weather?"}, first["choices"][0]["message"], result,
        {"role": "assistant", "content": "Sunny."}, {"role": "user", "content": "thanks"},
    ]);
    world.answer(CHAT, &with(json!({"model": "openclaw", "messages": messages}), user)).await;
    let asked = world.fake.wait_for_request(3).await.unwrap();
    let roles: Vec<String> = told(&asked.body).into_iter().map(|(role, _)| role).collect();
    assert_eq!(roles, ["user", "assistant", "tool", "assistant", "user"]);
    let mut owner = world.owner().await;
    let messages = history(&mut owner, "agent:main:openai-user:ann").await;
    assert_eq!(messages.len(), 6, "{messages:?}");
}

#[tokio::test]
async fn own_tools_run_here_and_the_callers_are_handed_over_in_one_answer() {
    let world = open().await;
    let workspace = world.gateway.home().state_dir().join("workspace");
    std::fs::create_dir_all(&workspace).unwrap();
    std::fs::write(workspace.join("note.txt"), "remember the milk").unwrap();
    world.fake.calls_many([
        ("read".to_owned(), json!({"path": "note.txt"})),
        ("weather".to_owned(), json!({"city": "Rome"})),
    ]);
    let body = with(says("both"), json!({"tools": weather(), "stream": true, "user": "both"}));
    let events = world.post(CHAT, &body).await.events();
    let calls: Vec<&Value> =
        events.iter().filter_map(|(_, chunk)| chunk["choices"][0]["delta"].get("tool_calls")).collect();
    assert_eq!(calls.len(), 1, "{calls:?}");
    let call = &calls[0][0];
    assert_eq!((&call["index"], &call["function"]["name"]), (&json!(0), &json!("weather")));
    assert_eq!(events.last().unwrap().1["choices"][0]["finish_reason"], "tool_calls");
    world.fake.says("done");
    let result = json!({"role": "tool", "tool_call_id": call["id"], "content": "rain"});
    world.answer(CHAT, &json!({"model": "openclaw", "user": "both", "messages": [result]})).await;
    let told = told(&world.fake.wait_for_request(2).await.unwrap().body);
    let results: Vec<&str> =
        told.iter().filter(|(role, _)| role == "tool").map(|(_, text)| text.as_str()).collect();
    assert!(results.len() == 2 && results[0].contains("milk") && results[1] == "rain", "{results:?}");
}

#[tokio::test]
async fn wishes_reach_the_provider_and_a_cut_answer_says_so() {
    let world = open().await;
    world.fake.runs_out("and then");
    let wishes = json!({
        "max_completion_tokens": 7, "max_tokens": 9, "temperature": 0.5, "top_p": 0.25, "seed": 11, "stop": ["END"],
        "frequency_penalty": 1, "presence_penalty": -1, "tools": weather(),
        "tool_choice": {"type": "function", "function": {"name": "weather"}},
    });
    let answer = world.answer(CHAT, &with(says("write"), wishes)).await;
    assert_eq!(answer["choices"][0]["finish_reason"], "length");
    let asked = world.fake.wait_for_request(1).await.unwrap().body;
    let expected = json!({
        "temperature": 0.5, "top_p": 0.25, "seed": 11, "stop": ["END"], "frequency_penalty": 1.0,
        "presence_penalty": -1.0, "tool_choice": {"type": "function", "function": {"name": "weather"}},
    });
    for (name, value) in expected.as_object().unwrap() {
        assert_eq!(&asked[name], value, "{name}");
    }
    assert!(asked["max_tokens"] == 7 || asked["max_completion_tokens"] == 7, "{asked}");
}

#[tokio::test]
async fn instructions_pictures_and_earlier_words_reach_the_model() {
    let world = open().await;
    world.fake.says("a dot");
    let body = json!({"model": "openclaw/main", "messages": [
        {"role": "system", "content": "Answer like a pirate."},
        {"role": "user", "content": "hello"},
        {"role": "assistant", "content": "ahoy"},
        {"role": "user", "content": [
            {"type": "text", "text": "what is this?"},
            {"type": "image_url", "image_url": {"url": format!("data:image/gif;base64,{GIF}")}},
        ]},
    ]});
    world.answer(CHAT, &body).await;
    let asked = world.fake.wait_for_request(1).await.unwrap().body;
    let messages = asked["messages"].as_array().unwrap();
    assert!(messages[0]["content"].as_str().unwrap().contains("Answer like a pirate."));
    assert_eq!((&messages[1]["content"], &messages[2]["content"]), (&json!("hello"), &json!("ahoy")));
    let picture = &messages[3]["content"][1]["image_url"]["url"];
    assert_eq!(picture, &json!(format!("data:image/gif;base64,{GIF}")));
}

#[tokio::test]
async fn headers_choose_agent_session_and_model() {
    let world = open_with(|config| {
        config["agents"]["list"] = json!([{"id": "main", "default": true}, {"id": "ops"}]);
        config["models"]["providers"]["fake"]["models"]
            .as_array_mut()
            .unwrap()
            .push(json!({"id": "fake-2", "name": "Fake 2"}));
    })
    .await;
    world.fake.says("one").says("two");
    let headers = [
        ("x-openclaw-agent-id", "ops"),
        ("x-openclaw-session-key", "shopping"),
        ("x-openclaw-model", "fake/fake-2"),
    ];
    let page = world.post_with(CHAT, &says("hello"), &headers).await;
    assert_eq!(page.status, 200, "{page:?}");
    assert_eq!(world.fake.wait_for_request(1).await.unwrap().body["model"], "fake-2");
    let mut owner = world.owner().await;
    assert_eq!(history(&mut owner, "agent:ops:shopping").await.len(), 2);
    world.answer(CHAT, &with(says("hi"), json!({"model": "openclaw:ops", "user": "Ann B."}))).await;
}

#[tokio::test]
async fn a_client_that_hangs_up_stops_its_run() {
    for stream in [false, true] {
        let world = open().await;
        world.fake.turn(Turn::StallsAfter(1));
        let body = with(says("for ever"), json!({"stream": stream})).to_string();
        let bearer = format!("Bearer {TEST_TOKEN}");
        let mut socket = TcpStream::connect(("127.0.0.1", world.gateway.port())).await.unwrap();
        let request = post_bytes(CHAT, &body, &[("Authorization", bearer.as_str())]);
        socket.write_all(&request).await.unwrap();
        world.fake.wait_for_request(1).await.unwrap();
        drop(socket);
        world.fake.wait_for_hangups(1).await.unwrap();
    }
}

#[tokio::test]
async fn a_failing_model_is_an_error_before_the_stream_and_in_it() {
    let world = open().await;
    world
        .fake
        .fails(400, "{\"error\": {\"message\": \"no such thing\", \"type\": \"invalid_request_error\"}}");
    let page = world.post(CHAT, &says("hello")).await;
    assert_eq!(page.status, 502, "{page:?}");
    assert_eq!(page.json()["error"]["type"], "api_error");
    assert_eq!(page.header("x-should-retry"), Some("false"));
    world
        .fake
        .fails(400, "{\"error\": {\"message\": \"no such thing\", \"type\": \"invalid_request_error\"}}");
    let events = world.post(CHAT, &with(says("hello"), json!({"stream": true}))).await.events();
    assert_eq!(events.last().unwrap().1["error"]["type"], "api_error", "{events:?}");
}
