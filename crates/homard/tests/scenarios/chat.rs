//! A conversation over the wire: what is told, to whom, in which order, and what is kept.

use homard_testkit::TestClient;
use serde_json::{Value, json};

use crate::scenarios::world::{
    ANTHROPIC, KEY, OPENAI, World, first_delta, history, said, say, talk, text_of,
};

/// A picture of one pixel.
const PIXEL: &str =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==";

/// What goes wrong, how to make it so, and what kind of error clients are told; nothing when that is open.
type Fault = (&'static str, fn(&World), &'static str);

/// The events of one kind that belong to a run, oldest first.
fn of_run<'a>(client: &'a TestClient, name: &str, run: &str) -> Vec<&'a Value> {
    let events = client.events().iter().filter(|event| event["event"] == name);
    events.map(|event| &event["payload"]).filter(|payload| payload["runId"] == run).collect()
}

/// `stream` and phase of agent events in order, repetitions of streamed text once.
fn agent_story(client: &TestClient, run: &str) -> Vec<String> {
    let mut story: Vec<String> = of_run(client, "agent", run)
        .into_iter()
        .map(|event| match event["data"]["phase"].as_str() {
            Some(phase) => format!("{} {phase}", event["stream"].as_str().unwrap()),
            None => event["stream"].as_str().unwrap().to_owned(),
        })
        .collect();
    story.dedup();
    story
}

fn chat_story(client: &TestClient, run: &str) -> Vec<String> {
    let mut story: Vec<String> = of_run(client, "chat", run)
        .into_iter()
        .map(|event| match event["phase"].as_str() {
            Some(phase) => format!("{} {phase}", event["state"].as_str().unwrap()),
            None => event["state"].as_str().unwrap().to_owned(),
        })
        .collect();
    story.dedup();
    story
}

/// Frame numbers begin with 1 and leave nothing out.
fn assert_no_gaps(client: &TestClient) {
    let numbers: Vec<u64> = client.events().iter().filter_map(|event| event["seq"].as_u64()).collect();
    assert_eq!(numbers, (1..).take(numbers.len()).collect::<Vec<u64>>());
}

/// Where a run's event stands among all.
fn place(client: &TestClient, fits: impl Fn(&Value) -> bool) -> usize {
    client.events().iter().position(fits).unwrap()
}

#[tokio::test]
async fn a_turn_is_told_in_the_recorded_order_over_both_wire_apis() {
    for api in [OPENAI, ANTHROPIC] {
        let world = World::start_with(api, |_| {}).await;
        world.fake.says("one two three four five");
        let mut client = world.owner().await;
        let run = say(&mut client, KEY, "count").await;
        let last = client.wait_chat_final(&run).await.unwrap();

        assert_eq!((&last["state"], &last["stopReason"]), (&json!("final"), &json!("stop")), "{api}");
        assert_eq!(text_of(&last["message"]), "one two three four five");
        assert_eq!(
            agent_story(&client, &run),
            [
                "run_status preparing_workspace",
                "run_status preparing_context",
                "lifecycle start",
                "run_status starting_model",
                "lifecycle model",
                "assistant",
                "usage",
                "lifecycle finishing",
                "lifecycle end",
            ],
            "{api}"
        );
        let phases = ["status preparing_workspace", "status preparing_context", "status starting_model"];
        assert_eq!(chat_story(&client, &run), [&phases[..], &["delta", "final"]].concat(), "{api}");
        let chat = of_run(&client, "chat", &run);
        let deltas: String = chat.iter().filter_map(|event| event["deltaText"].as_str()).collect();
        assert_eq!(deltas, "one two three four five", "{api}");
        for event in chat.iter().chain(&of_run(&client, "agent", &run)) {
            assert_eq!((&event["sessionKey"], &event["agentId"]), (&json!(KEY), &json!("main")), "{event}");
        }
        let end = place(&client, |e| e["payload"]["runId"] == run && e["payload"]["data"]["phase"] == "end");
        let fin = place(&client, |e| e["payload"]["runId"] == run && e["payload"]["state"] == "final");
        assert!(end < fin, "programs hear of the end before people do");
        assert_no_gaps(&client);
    }
}

#[tokio::test]
async fn streamed_text_grows_and_every_telling_carries_all_of_it() {
    let world = World::start().await;
    let gate = world.fake.gate("first and then the rest");
    let mut client = world.owner().await;
    let run = say(&mut client, KEY, "slowly").await;
    let delta = first_delta(&mut client, &run).await;
    assert_eq!((&delta["deltaText"], text_of(&delta["message"])), (&json!("first "), "first ".to_owned()));
    let page = client.call("chat.history", json!({"sessionKey": KEY})).await.unwrap();
    assert_eq!(page["inFlightRun"], json!({"runId": run, "text": "first "}), "latecomers see it too");
    gate.release();
    let last = client.wait_chat_final(&run).await.unwrap();
    assert_eq!(text_of(&last["message"]), "first and then the rest");
    let mut so_far = String::new();
    for event in of_run(&client, "chat", &run).iter().filter(|event| event["state"] == "delta") {
        so_far.push_str(event["deltaText"].as_str().unwrap());
        assert_eq!(text_of(&event["message"]), so_far);
    }
    let terminal = |event: &&&Value| matches!(event["state"].as_str(), Some("final" | "aborted" | "error"));
    assert_eq!(of_run(&client, "chat", &run).iter().filter(terminal).count(), 1);
}

#[tokio::test]
async fn the_history_holds_what_was_said_and_the_model_hears_it_again() {
    let world = World::start().await;
    world.fake.says("hello you").says("you said hi");
    let mut client = world.owner().await;
    let run = say(&mut client, KEY, "hi").await;
    client.wait_chat_final(&run).await.unwrap();
    let messages = history(&mut client, KEY).await;
    assert_eq!(said(&messages), [("user".into(), "hi".into()), ("assistant".into(), "hello you".into())]);
    let (user, answer) = (&messages[0], &messages[1]);
    assert_eq!(user["idempotencyKey"], format!("{run}:user"));
    assert_eq!((&answer["provider"], &answer["model"]), (&json!("fake"), &json!("fake-1")));
    assert_eq!(answer["stopReason"], "stop");
    assert!(answer["usage"]["output"].as_u64().is_some_and(|tokens| tokens > 0), "{answer}");
    for (message, seq) in messages.iter().zip(1..) {
        assert_eq!(message["__openclaw"]["seq"], seq);
        assert!(message["__openclaw"]["id"].is_string());
    }
    talk(&mut client, KEY, "what did I say?").await;
    let asked = world.fake.requests().pop().unwrap().body;
    let heard = said(asked["messages"].as_array().unwrap());
    let conversation: Vec<&str> = heard.iter().skip(1).map(|(_, text)| text.as_str()).collect();
    assert_eq!(heard[0].0, "system");
    assert!(conversation[0].ends_with("hi") && conversation[1] == "hello you", "{conversation:?}");
    assert!(conversation[2].ends_with("what did I say?"), "{conversation:?}");
}

#[tokio::test]
async fn everyone_who_may_read_hears_the_same_chat_and_nobody_else_does() {
    let world = World::start().await;
    world.fake.says("to all of you");
    let mut speaker = world.owner().await;
    let mut reader = world.with_scopes(&["operator.read"]).await;
    let mut stranger = world.with_scopes(&[]).await;
    let run = say(&mut speaker, KEY, "hello").await;
    speaker.wait_chat_final(&run).await.unwrap();
    reader.wait_chat_final(&run).await.unwrap();
    assert_eq!(of_run(&speaker, "chat", &run), of_run(&reader, "chat", &run));
    assert_eq!(of_run(&speaker, "agent", &run), of_run(&reader, "agent", &run));
    assert_no_gaps(&reader);
    // The answer to a later request comes after everything that was published before it.
    stranger.call("health", json!({})).await.unwrap();
    assert_eq!(of_run(&stranger, "chat", &run), Vec::<&Value>::new());
    assert_no_gaps(&stranger);
}

#[tokio::test]
async fn the_same_key_never_starts_a_second_run() {
    let world = World::start().await;
    let gate = world.fake.gate("only once");
    let mut client = world.owner().await;
    let params = json!({"sessionKey": KEY, "message": "dup", "idempotencyKey": "dup-1"});
    let mut statuses = Vec::new();
    for _ in 0..2 {
        statuses.push(client.call("chat.send", params.clone()).await.unwrap()["status"].take());
    }
    gate.release();
    client.wait_chat_final("dup-1").await.unwrap();
    statuses.push(client.call("chat.send", params.clone()).await.unwrap()["status"].take());
    assert_eq!(statuses, ["started", "in_flight", "ok"]);
    assert_eq!(world.fake.requests().len(), 1);
    assert_eq!(history(&mut client, KEY).await.len(), 2);
}

#[tokio::test]
async fn messages_sent_during_a_run_are_answered_in_order() {
    let world = World::start().await;
    let gate = world.fake.gate("answer one");
    world.fake.says("answer two").says("answer three");
    let mut client = world.owner().await;
    let mut runs = Vec::new();
    for text in ["one", "two", "three"] {
        runs.push(say(&mut client, KEY, text).await);
    }
    first_delta(&mut client, &runs[0]).await;
    let waiting = client.call("chat.history", json!({"sessionKey": KEY})).await.unwrap();
    assert_eq!(waiting["pendingInputs"]["total"], 2, "{waiting}");
    gate.release();
    for run in &runs {
        assert_eq!(client.wait_chat_final(run).await.unwrap()["state"], "final");
    }
    let order: Vec<String> =
        said(&history(&mut client, KEY).await).into_iter().map(|(_, text)| text).collect();
    assert_eq!(order, ["one", "answer one", "two", "answer two", "three", "answer three"]);
}

#[tokio::test]
async fn sessions_do_not_wait_for_each_other() {
    let world = World::start().await;
    let gate = world.fake.gate("slow answer");
    let mut client = world.owner().await;
    let slow = say(&mut client, KEY, "take your time").await;
    first_delta(&mut client, &slow).await;
    world.fake.says("quick answer");
    let quick = talk(&mut client, "agent:main:other", "now please").await;
    assert_eq!(text_of(&quick["message"]), "quick answer");
    gate.release();
    client.wait_chat_final(&slow).await.unwrap();
}

#[tokio::test]
async fn a_failing_model_is_explained_and_the_session_goes_on() {
    let faults: [Fault; 4] = [
        (
            "401",
            |w| {
                w.fake.fails(401, r#"{"error":{"message":"bad key"}}"#);
            },
            "unknown",
        ),
        (
            "cut",
            |w| {
                w.fake.cuts_after(2);
            },
            "",
        ),
        (
            "malformed",
            |w| {
                w.fake.malformed();
            },
            "",
        ),
        (
            "a web page",
            |w| {
                w.fake.html();
            },
            "",
        ),
    ];
    for api in [OPENAI, ANTHROPIC] {
        let world = World::start_with(api, |_| {}).await;
        let mut client = world.owner().await;
        for (name, fault, kind) in &faults {
            fault(&world);
            let failed = talk(&mut client, KEY, name).await;
            assert_eq!(failed["state"], "error", "{api} {name}: {failed}");
            let words = failed["errorMessage"].as_str().unwrap();
            assert!(words.len() > 15 && !words.contains("test-key"), "{api} {name}: {words}");
            assert!(kind.is_empty() || failed["errorKind"] == *kind, "{api} {name}: {failed}");
            world.fake.says("all is well");
            let next = talk(&mut client, KEY, "and now?").await;
            assert_eq!(text_of(&next["message"]), "all is well", "{api} {name}: {next}");
        }
        let errors = history(&mut client, KEY).await;
        let failed = errors.iter().filter(|message| message["stopReason"] == "error").count();
        assert_eq!(failed, faults.len(), "{api}: the history says what went wrong");
    }
}

#[tokio::test]
async fn a_provider_that_wants_an_hour_of_rest_gets_it_and_the_person_is_told() {
    let world = World::start().await;
    let mut client = world.owner().await;
    world.fake.rate_limits(std::time::Duration::from_secs(3_600));
    for _message in 0..2 {
        let end = talk(&mut client, KEY, "hello").await;
        assert_eq!((&end["state"], &end["errorKind"]), (&json!("error"), &json!("rate_limit")), "{end}");
    }
    assert_eq!(world.fake.requests().len(), 1, "it is left alone");
}

#[tokio::test]
async fn a_server_with_a_bad_moment_is_asked_again_and_the_record_says_so() {
    let world = World::start().await;
    let mut client = world.owner().await;
    world.fake.fails(500, r#"{"error":{"message":"boom"}}"#).says("better now");
    let params = json!({"sessionKey": KEY, "message": "hello", "idempotencyKey": "again"});
    let id = client.send("agent", params).await.unwrap();
    let accepted = client.response(&id).await.unwrap();
    assert_eq!(accepted["ok"], true, "{accepted}");
    let finished = client.response(&id).await.unwrap();
    let result = &finished["payload"]["result"];
    assert_eq!(result["payloads"][0]["text"], "better now");
    let trace = &result["meta"]["executionTrace"];
    assert_eq!(
        (&trace["attempts"][0]["result"], &trace["attempts"][0]["reason"]),
        (&json!("error"), &json!("overloaded"))
    );
    assert_eq!((&trace["attempts"][1]["result"], &trace["fallbackUsed"]), (&json!("success"), &json!(false)));
    assert_eq!(world.fake.requests().len(), 2);
}

#[tokio::test]
async fn a_note_is_injected_without_a_run() {
    let world = World::start().await;
    let mut client = world.owner().await;
    let missing = json!({"sessionKey": KEY, "message": "a note"});
    let refused = client.request("chat.inject", missing.clone()).await.unwrap();
    assert_eq!(refused["error"]["code"], "INVALID_REQUEST", "there is no such session yet");

    talk(&mut client, KEY, "hello").await;
    let noted = client.call("chat.inject", missing).await.unwrap();
    let run = format!("inject-{}", noted["messageId"].as_str().unwrap());
    let told = client.wait_chat_final(&run).await.unwrap();
    assert_eq!((&told["seq"], &told["state"]), (&json!(0), &json!("final")));
    assert_eq!(told["message"]["model"], "gateway-injected");
    let last = history(&mut client, KEY).await.pop().unwrap();
    assert_eq!((text_of(&last), &last["role"]), ("a note".to_owned(), &json!("assistant")));
    assert_eq!(last["__openclaw"]["id"], noted["messageId"]);
    assert_eq!(world.fake.requests().len(), 1);
}

#[tokio::test]
async fn what_cannot_be_sent_is_refused_with_words() {
    let world = World::start().await;
    let mut client = world.owner().await;
    let cases = [
        (
            json!({"sessionKey": KEY, "message": "  ", "idempotencyKey": "1"}),
            "message or attachment required",
        ),
        (json!({"sessionKey": KEY, "message": "x"}), "idempotencyKey"),
        (json!({"message": "x", "idempotencyKey": "1"}), "session mutation target is unavailable"),
        (json!({"sessionKey": "", "message": "x", "idempotencyKey": "1"}), "session"),
        (json!({"sessionKey": "agent:nobody:main", "message": "x", "idempotencyKey": "1"}), "nobody"),
        (json!({"sessionKey": KEY, "message": "x", "idempotencyKey": ""}), ""),
        (json!({"sessionKey": KEY, "message": 7, "idempotencyKey": "1"}), "invalid chat.send params"),
        (
            json!({"sessionKey": KEY, "message": "x", "idempotencyKey": "1", "nonsense": 1}),
            "invalid chat.send params: at root: unexpected property 'nonsense'",
        ),
        (
            json!({"sessionKey": KEY, "message": "x", "idempotencyKey": "1",
                "attachments": [{"mimeType": "image/png", "content": "%%%"}]}),
            "base64",
        ),
    ];
    for (params, words) in cases {
        let answer = client.request("chat.send", params.clone()).await.unwrap();
        assert_eq!(answer["ok"], false, "{params}");
        assert_eq!(answer["error"]["code"], "INVALID_REQUEST", "{params}");
        let message = answer["error"]["message"].as_str().unwrap();
        assert!(message.contains(words) && !message.is_empty(), "{params}: {message}");
    }
    assert_eq!(world.fake.requests().len(), 0);
    assert_eq!(history(&mut client, KEY).await, Vec::<Value>::new());
}

#[tokio::test]
async fn a_picture_reaches_the_model() {
    for (api, place) in [(OPENAI, "/image_url/url"), (ANTHROPIC, "/source/data")] {
        let world = World::start_with(api, |_| {}).await;
        let mut client = world.owner().await;
        let params = json!({"sessionKey": KEY, "message": "what is this?", "idempotencyKey": "p",
            "attachments": [{"type": "image", "mimeType": "image/png", "fileName": "p.png", "content": PIXEL}]});
        client.call("chat.send", params).await.unwrap();
        assert_eq!(client.wait_chat_final("p").await.unwrap()["state"], "final");
        let asked = world.fake.wait_for_request(1).await.unwrap().body;
        let parts = asked["messages"].as_array().unwrap().last().unwrap()["content"].as_array().unwrap();
        let image = parts.iter().find_map(|part| part.pointer(place).and_then(Value::as_str));
        assert!(image.is_some_and(|data| data.ends_with(PIXEL)), "{api}: {parts:?}");
    }
}

#[tokio::test]
async fn agent_answers_twice_and_agent_wait_once() {
    let world = World::start().await;
    let gate = world.fake.gate("done and dusted");
    let mut client = world.owner().await;
    let mut watcher = world.owner().await;
    let params = json!({"message": "do it", "sessionKey": KEY, "idempotencyKey": "a-1"});
    let id = client.send("agent", params.clone()).await.unwrap();
    let accepted = client.response(&id).await.unwrap()["payload"].take();
    assert_eq!((&accepted["status"], &accepted["runId"]), (&json!("accepted"), &json!("a-1")));
    assert_eq!((&accepted["sessionKey"], &accepted["agentId"]), (&json!(KEY), &json!("main")));
    assert!(accepted["acceptedAt"].is_i64());

    let early = watcher.call("agent.wait", json!({"runId": "a-1", "timeoutMs": 1})).await.unwrap();
    assert_eq!(early["status"], "timeout");
    let wait = watcher.send("agent.wait", json!({"runId": "a-1", "timeoutMs": 30_000})).await.unwrap();
    gate.release();
    let finished = client.response(&id).await.unwrap()["payload"].take();
    assert_eq!((&finished["status"], &finished["summary"]), (&json!("ok"), &json!("completed")));
    assert_eq!(finished["result"]["payloads"][0]["text"], "done and dusted");
    let meta = &finished["result"]["meta"]["agentMeta"];
    assert_eq!((&meta["provider"], &meta["model"]), (&json!("fake"), &json!("fake-1")));
    let waited = watcher.response(&wait).await.unwrap()["payload"].take();
    assert_eq!(waited["status"], "ok");
    assert_eq!(waited["terminalReply"], json!({"disposition": "visible", "text": "done and dusted"}));

    let again = client.call("agent", params).await.unwrap();
    assert_eq!((&again["status"], &again["runId"]), (&json!("ok"), &json!("a-1")), "a repeat is not a run");
    assert_eq!(world.fake.requests().len(), 1);
}
