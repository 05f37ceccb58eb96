//! Text and names nobody wishes for: they come out as they went in, or are refused, and never lead astray.

use homard_testkit::{TestClient, operator_params};
use serde_json::json;

use crate::scenarios::world::{ANTHROPIC, KEY, OPENAI, World, history, talk, text_of};

#[tokio::test]
async fn any_text_survives_the_walk_there_and_back() {
    let texts = [
        "emoji 🦞🇫🇷👩‍👩‍👧‍👦 and ça va",
        "right to left \u{202e}dlrow olleh",
        "line\nbreaks\r\nand\ttabs",
        "separators \u{2028} and \u{2029} and \u{85}",
        "quotes \" and \\ and `${HOME}` and {{braces}}",
        "zero \u{0} and bell \u{7} and escape \u{1b}[31mred",
        "data: {\"not\":\"an event\"}\n\ndata: [DONE]",
        "<script>alert(1)</script>",
        "\u{feff}byte order mark",
        "NO_REPLY is mentioned here",
    ];
    for api in [OPENAI, ANTHROPIC] {
        let world = World::start_with(api, |_| {}).await;
        let mut client = world.owner().await;
        for text in texts {
            world.fake.says(text);
            let last = talk(&mut client, KEY, text).await;
            assert_eq!(last["state"], "final", "{api} {text:?}: {last}");
            let messages = history(&mut client, KEY).await;
            let [.., asked, answered] = messages.as_slice() else { panic!("{messages:?}") };
            assert_eq!(text_of(asked), text, "{api}");
            assert_eq!(text_of(answered), text, "{api}");
            let heard = world.fake.requests().pop().unwrap().body;
            let heard = text_of(heard["messages"].as_array().unwrap().last().unwrap());
            assert!(heard.contains(text), "{api} {text:?}: {heard:?}");
        }
    }
}

#[tokio::test]
async fn a_megabyte_is_a_message_too() {
    let world = World::start().await;
    let mut client = world.owner().await;
    let long = "é".repeat(500_000);
    assert_eq!(talk(&mut client, KEY, &long).await["state"], "final");
    let heard = world.fake.requests().pop().unwrap().body;
    assert!(text_of(heard["messages"].as_array().unwrap().last().unwrap()).ends_with(&long));
}

#[tokio::test]
async fn a_session_key_is_never_a_path() {
    let world = World::start().await;
    let mut client = world.owner().await;
    let (long, too_long) =
        (format!("agent:main:{}", "x".repeat(400)), format!("agent:main:{}", "x".repeat(5_000)));
    let keys = [
        "agent:main:../../../../tmp/evil",
        "agent:../../evil:main",
        "agent:main:a/b/c",
        "agent:main:..",
        "agent:main:nul\u{0}byte",
        "agent:main:white space",
        "agent:main:ünïcödé",
        &long,
        &too_long,
    ];
    for (n, key) in keys.iter().enumerate() {
        let run = format!("key-{n}");
        let params = json!({"sessionKey": key, "message": "hello", "idempotencyKey": run});
        let answer = client.request("chat.send", params).await.unwrap();
        if answer["ok"] == true {
            assert_eq!(client.wait_chat_final(&run).await.unwrap()["state"], "final", "{key:?}");
        } else {
            assert_eq!(answer["error"]["code"], "INVALID_REQUEST", "{key:?}: {answer}");
        }
    }
    let folder = world.gateway.home().state_dir().join("agents");
    let agents: Vec<_> =
        std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(agents, ["main"]);
    for entry in std::fs::read_dir(folder.join("main/sessions")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        assert!(name.ends_with(".jsonl") && !name.contains("evil"), "{name}");
    }
}

#[tokio::test]
async fn keys_of_one_session_are_one_session() {
    let world = World::start().await;
    let mut client = world.owner().await;
    for key in ["main", "agent:main:main", "AGENT:main:MAIN", " main "] {
        let last = talk(&mut client, key, "hello").await;
        assert_eq!(last["sessionKey"], "agent:main:main", "{key:?}");
    }
    let list = client.call("sessions.list", json!({})).await.unwrap();
    assert_eq!(list["totalCount"], 1, "{list}");
}

#[tokio::test]
async fn guessing_the_token_from_a_page_is_stopped_after_ten_tries() {
    let world = World::start().await;
    let (url, own) = (world.gateway.url(), world.gateway.http_url());
    let guess = |n: usize| {
        let (url, own) = (url.clone(), own.clone());
        async move {
            let mut client = TestClient::connect_with(&url, &[("origin", &own)]).await.unwrap();
            let mut params = operator_params(&format!("guess-{n}"));
            params["client"] =
                json!({"id": "webchat-ui", "mode": "webchat", "version": "1", "platform": "web"});
            client.handshake(params).await.unwrap_err()
        }
    };
    for n in 0..10 {
        let refusal = guess(n).await;
        assert_eq!(refusal.error["details"]["code"], "AUTH_TOKEN_MISMATCH", "guess {n}: {refusal}");
    }
    let refusal = guess(10).await;
    assert_eq!(refusal.error["details"]["code"], "AUTH_RATE_LIMITED", "{refusal}");
    assert_eq!(refusal.error["retryable"], true, "{refusal}");
    assert!(refusal.error["retryAfterMs"].as_u64().is_some_and(|ms| ms > 0), "{refusal}");
    // The owner's own programs on this machine are not shut out by it.
    world.owner().await;
}
