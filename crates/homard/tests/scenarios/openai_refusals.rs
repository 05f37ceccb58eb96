//! What the OpenAI-compatible API refuses, and how.

use serde_json::{Value, json};

use crate::scenarios::openai_world::{
    CHAT, EMBEDDINGS, RESPONSES, open, open_with, page, post_bytes, raw, says, with,
};
use crate::scenarios::world::{World, fetch};

const BEARER: (&str, &str) = ("authorization", "Bearer test-token");

#[tokio::test]
async fn routes_the_owner_has_not_opened_do_not_exist() {
    let closed = World::start().await;
    for path in [CHAT, RESPONSES, EMBEDDINGS] {
        let page = closed.post(path, &says("hello")).await;
        assert_eq!((page.status, page.body.as_str()), (404, "Not Found"), "{path}");
    }
    assert_eq!(fetch(closed.gateway.port(), "GET /v1/models", &[BEARER]).await.status, 404);
    let half = open_with(|config| {
        config["gateway"]["http"]["endpoints"] = json!({"chatCompletions": {"enabled": true}});
    })
    .await;
    assert_eq!(half.post(RESPONSES, &json!({"model": "openclaw", "input": "x"})).await.status, 404);
    assert_eq!(fetch(half.gateway.port(), "GET /v1/models", &[BEARER]).await.status, 200);
}

#[tokio::test]
async fn nobody_gets_in_without_the_secret_and_guessing_ends() {
    let world = open_with(|config| {
        config["gateway"]["auth"]["rateLimit"] = json!({"maxAttempts": 3, "lockoutMs": 60_000});
    })
    .await;
    let port = world.gateway.port();
    let body = says("hello").to_string();
    for headers in [&[][..], &[("Authorization", "Basic dGVzdC10b2tlbg==")]] {
        let page = page(&raw(port, &post_bytes(CHAT, &body, headers)).await);
        assert_eq!(page.status, 401);
        assert_eq!(page.json(), json!({"error": {"message": "Unauthorized", "type": "unauthorized"}}));
    }
    let wrong = post_bytes(CHAT, &body, &[("Authorization", "Bearer wrong")]);
    for _ in 0..3 {
        assert_eq!(page(&raw(port, &wrong).await).status, 401);
    }
    let shut = page(&raw(port, &wrong).await);
    assert_eq!(shut.status, 429);
    assert!(shut.header("retry-after").unwrap().parse::<u64>().unwrap() > 0);
    assert!(world.fake.requests().is_empty());
}

#[tokio::test]
async fn other_methods_say_which_one_is_right() {
    let world = open().await;
    let port = world.gateway.port();
    for (request, allow) in [
        (format!("GET {CHAT}"), "POST"),
        (format!("DELETE {RESPONSES}"), "POST"),
        (format!("PUT {EMBEDDINGS}"), "POST"),
        ("POST /v1/models".to_owned(), "GET"),
    ] {
        let page = fetch(port, &request, &[BEARER]).await;
        assert_eq!((page.status, page.header("allow")), (405, Some(allow)), "{request}");
    }
}

#[tokio::test]
async fn bodies_that_are_too_large_are_refused_to_their_end() {
    let world = open_with(|config| {
        config["gateway"]["http"]["endpoints"]["chatCompletions"]["maxBodyBytes"] = json!(10_000);
    })
    .await;
    let page = world.post(CHAT, &says(&"x".repeat(4_000_000))).await;
    assert_eq!(page.status, 413, "{}", page.head);
    assert_eq!(page.json()["error"]["type"], "invalid_request_error");
}

#[tokio::test]
async fn bad_requests_are_refused_in_the_apis_shape() {
    let world = open().await;
    let tool = |name: &str| json!([{"type": "function", "function": {"name": name}}]);
    let cases: Vec<(&str, Value)> = vec![
        (CHAT, json!({"model": "openclaw"})),
        (CHAT, json!({"model": "openclaw", "messages": []})),
        (CHAT, json!({"model": "openclaw", "messages": [{"role": "assistant", "content": "hi"}]})),
        (CHAT, json!({"model": "openclaw", "messages": [{"role": "user", "content": "  "}]})),
        (
            CHAT,
            json!({"model": "openclaw", "messages": [{"role": "tool", "tool_call_id": "x", "content": "y"}]}),
        ),
        (CHAT, with(says("x"), json!({"model": "gpt-4o"}))),
        (CHAT, with(says("x"), json!({"model": "openclaw/nobody"}))),
        (CHAT, with(says("x"), json!({"temperature": 3}))),
        (CHAT, with(says("x"), json!({"max_tokens": 0}))),
        (CHAT, with(says("x"), json!({"stop": ["1", "2", "3", "4", "5"]}))),
        (CHAT, with(says("x"), json!({"tools": tool("exec")}))),
        (CHAT, with(says("x"), json!({"tools": tool("a b")}))),
        (CHAT, with(says("x"), json!({"tool_choice": "required"}))),
        (CHAT, with(says("x"), json!({"user": "u".repeat(600)}))),
        (
            CHAT,
            json!({"model": "openclaw", "messages": [{"role": "user", "content": [
            {"type": "image_url", "image_url": {"url": "https://example.com/a.png"}}]}]}),
        ),
        (RESPONSES, json!({"input": "x"})),
        (RESPONSES, json!({"model": "openclaw"})),
        (RESPONSES, json!({"model": "openclaw", "input": []})),
        (RESPONSES, json!({"model": "openclaw", "input": "x", "tools": [{"type": "web_search"}]})),
        (EMBEDDINGS, json!({"model": "openclaw"})),
        (EMBEDDINGS, json!({"model": "text-embedding-3-small", "input": "x"})),
        (EMBEDDINGS, json!({"model": "openclaw", "input": ["x", ""]})),
    ];
    for (path, body) in cases {
        let page = world.post(path, &body).await;
        assert_eq!(page.status, 400, "{path} {body}: {page:?}");
        let error = &page.json()["error"];
        assert_eq!(error["type"], "invalid_request_error", "{path} {body}");
        assert!(!error["message"].as_str().unwrap().is_empty(), "{path} {body}");
    }
    for key in
        ["subagent:x", "cron:x", "acp:x", "agent:main:subagent:x", "agent:main:CRON:x", "agent:nobody:x"]
    {
        let page = world.post_with(CHAT, &says("x"), &[("x-openclaw-session-key", key)]).await;
        assert_eq!(page.status, 400, "{key}: {page:?}");
    }
    for (header, value) in [("x-openclaw-model", "nobody/x"), ("x-openclaw-agent-id", "nobody")] {
        let page = world.post_with(CHAT, &says("x"), &[(header, value)]).await;
        assert_eq!(page.status, 400, "{header}: {page:?}");
    }
    assert!(world.fake.requests().is_empty());
}

#[tokio::test]
async fn a_request_of_two_lengths_is_refused_and_nothing_behind_it_is_read() {
    let world = open().await;
    let port = world.gateway.port();
    let hidden = "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n";
    let heads = [
        "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n",
        "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n",
        "Content-Length: 5\r\nContent-Length: 6\r\n",
        "Content-Length: 5, 6\r\n",
        "Content-Length: +5\r\n",
        "Content-Length: -1\r\n",
        "Transfer-Encoding: xchunked\r\n",
        "Transfer-Encoding: chunked, identity\r\n",
        "Transfer-Encoding : chunked\r\n",
    ];
    for head in heads {
        let request = format!(
            "POST {CHAT} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer test-token\r\n{head}\r\n0\r\n\r\n{hidden}"
        );
        let answer = String::from_utf8_lossy(&raw(port, request.as_bytes()).await).into_owned();
        assert!(answer.starts_with("HTTP/1.1 400"), "{head}: {answer}");
        assert_eq!(answer.matches("HTTP/1.1 ").count(), 1, "{head}: {answer}");
    }
    assert!(world.fake.requests().is_empty());
}
