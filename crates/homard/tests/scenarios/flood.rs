//! Too much, too large, too slow, too wrong: the gateway answers, limits or hangs up, and others do not notice.

use homard_testkit::{TEST_TOKEN, TestClient, TestDevice, operator_params};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::scenarios::world::{KEY, OPENAI, World, knock, talk, text_of, until};

/// Sockets of one address that may be without a handshake at a time.
const PREAUTH_LIMIT: usize = 32;
/// Sockets of this machine that may have asked for nothing at a time.
const SILENT_LIMIT: usize = 512;
/// How often strangers do what is noted in the log.
const NOISE: usize = 40;
/// Where strangers are: a proxy that is believed says so.
const STRANGER: &str = "X-Forwarded-For: 192.0.2.7\r\n";
/// The largest frame of a greeted client.
const MAX_PAYLOAD: usize = 26_214_400;
/// Sockets of a flood.
const FLOOD: usize = 2_000;

/// A gateway behind a proxy that is believed when it says where a client is.
async fn behind_a_proxy() -> World {
    World::start_with(OPENAI, |config| config["gateway"]["trustedProxies"] = json!(["127.0.0.1"])).await
}

/// Asks for a WebSocket as a stranger does, and returns the status with the open socket.
async fn upgrade(port: u16) -> (u16, TcpStream) {
    upgrade_with(port, STRANGER).await
}

/// The same with headers of the test's choosing.
async fn upgrade_with(port: u16, headers: &str) -> (u16, TcpStream) {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).await.unwrap();
    let request = format!(
        "GET / HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
         Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n{headers}\r\n"
    );
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut head = [0_u8; 12];
    stream.read_exact(&mut head).await.unwrap();
    let status = std::str::from_utf8(&head).unwrap().split(' ').nth(1).unwrap().parse().unwrap();
    (status, stream)
}

/// Waits until a stranger is let as far as the challenge.
async fn a_free_place(port: u16) -> TcpStream {
    until("a free place", || async {
        let (status, stream) = upgrade(port).await;
        (status == 101).then_some(stream)
    })
    .await
}

#[tokio::test]
async fn strangers_have_32_places_and_give_them_back() {
    let world = behind_a_proxy().await;
    let port = world.gateway.port();
    let mut inside = world.owner().await;
    let mut waiting = Vec::new();
    for n in 0..PREAUTH_LIMIT {
        let (status, stream) = upgrade(port).await;
        assert_eq!(status, 101, "socket {n}");
        waiting.push(stream);
    }
    assert_eq!(upgrade(port).await.0, 429, "one too many");
    assert_eq!(world.gateway.get("/healthz").await.unwrap().0, 200, "pages are not limited");
    assert_eq!(talk(&mut inside, KEY, "do you notice?").await["state"], "final");
    drop(waiting.pop());
    let place = a_free_place(port).await;
    assert_eq!(upgrade(port).await.0, 429, "one place was free, not two");
    drop(waiting);
    drop(place);
    a_free_place(port).await;
    until("the owner to get in", || async { world.gateway.operator().await.ok() }).await;
}

#[tokio::test]
async fn a_flood_of_sockets_that_say_nothing_does_no_harm() {
    let world = behind_a_proxy().await;
    let port = world.gateway.port();
    let mut inside = world.owner().await;
    let (mut let_in, mut refused, mut held) = (0, 0, Vec::new());
    for _ in 0..FLOOD {
        let (status, stream) = upgrade(port).await;
        match status {
            101 => {
                let_in += 1;
                held.push(stream);
            }
            429 => refused += 1,
            other => panic!("{other}"),
        }
    }
    assert_eq!((let_in, refused), (PREAUTH_LIMIT, FLOOD - PREAUTH_LIMIT));
    assert_eq!(talk(&mut inside, KEY, "do you notice?").await["state"], "final");
    drop(held);
    let mut late = until("the owner to get in", || async { world.gateway.operator().await.ok() }).await;
    assert_eq!(talk(&mut late, KEY, "all well?").await["state"], "final");
}

#[tokio::test]
async fn neither_strangers_nor_pages_take_the_places_of_this_machines_programs() {
    let world = behind_a_proxy().await;
    let port = world.gateway.port();
    let page = format!("Origin: http://127.0.0.1:{port}\r\n");
    let mut waiting = Vec::new();
    for headers in [STRANGER, &page] {
        for n in 0..PREAUTH_LIMIT {
            let (status, stream) = upgrade_with(port, headers).await;
            assert_eq!(status, 101, "{headers} {n}");
            waiting.push(stream);
        }
        assert_eq!(upgrade_with(port, headers).await.0, 429, "{headers}");
    }
    assert_eq!(upgrade_with(port, "X-Forwarded-For: 192.0.2.8\r\n").await.0, 101, "another stranger");
    assert_eq!(upgrade_with(port, "X-Forwarded-For: 2001:db8::1\r\n").await.0, 101);
    for _ in 0..=PREAUTH_LIMIT {
        let (status, stream) = upgrade_with(port, "").await;
        assert_eq!(status, 101, "programs of this machine have places of their own, and more");
        waiting.push(stream);
    }
    world.gateway.operator().await.unwrap();
}

#[tokio::test]
async fn sockets_that_ask_for_nothing_are_limited_and_the_next_one_is_told_why() {
    let world = World::start().await;
    let port = world.gateway.port();
    let mut inside = world.owner().await;
    let mut silent = Vec::new();
    for _ in 0..SILENT_LIMIT {
        silent.push(TcpStream::connect(("127.0.0.1", port)).await.unwrap());
    }
    let mut told = String::new();
    let mut late = TcpStream::connect(("127.0.0.1", port)).await.unwrap();
    late.read_to_string(&mut told).await.unwrap();
    assert!(told.starts_with("HTTP/1.1 503 ") && told.contains("Too many connections"), "{told}");
    assert_eq!(talk(&mut inside, KEY, "do you notice?").await["state"], "final");
    drop(silent);
    until("the owner to get in", || async { world.gateway.operator().await.ok() }).await;
}

#[tokio::test]
async fn strangers_leave_a_few_lines_in_the_log_and_a_count_of_the_rest() {
    let mut world = World::start().await;
    let port = world.gateway.port();
    let mut wrong = operator_params("wrong");
    wrong["scopes"] = json!([]);
    for _ in 0..NOISE {
        assert_eq!(upgrade_with(port, "Origin: http://evil.example\r\n").await.0, 403);
        assert!(knock(&world.gateway.url(), wrong.clone(), None).await.is_err());
    }
    world.gateway.terminate().await.unwrap();
    let lines = world.gateway.log_lines().unwrap();
    for (kind, message) in [
        ("socket of a page refused", "a page from elsewhere asked for a WebSocket and was refused"),
        ("connect refused", "connect refused"),
    ] {
        let said = lines.iter().filter(|line| line["message"] == message).count();
        let left_out =
            lines.iter().filter(|line| line["kind"] == kind).filter_map(|line| line["left_out"].as_u64());
        let left_out = usize::try_from(left_out.sum::<u64>()).unwrap();
        assert!((1..NOISE).contains(&said), "{kind}: {said} lines");
        assert_eq!(said + left_out, NOISE, "{kind}");
    }
}

#[tokio::test]
async fn a_frame_over_the_limit_ends_only_its_own_socket() {
    let world = World::start().await;
    let mut bystander = world.owner().await;
    let mut client = world.owner().await;
    // The gateway may hang up before all of it is sent; how it hung up is what counts.
    let _cut_short = client.send_raw("x".repeat(MAX_PAYLOAD + 1)).await;
    assert_eq!(client.close_code().await.unwrap().0, 1009);
    assert_eq!(bystander.call("health", json!({})).await.unwrap()["ok"], true);
}

#[tokio::test]
async fn a_large_frame_under_the_limit_is_read() {
    let world = World::start().await;
    let mut client = world.owner().await;
    let padding = "x".repeat(20_000_000);
    let frame = json!({"type": "req", "id": "big", "method": "health", "params": {"padding": padding}});
    client.send_raw(frame.to_string()).await.unwrap();
    let answer = client.response("big").await.unwrap();
    assert_eq!(answer["error"]["code"], "INVALID_REQUEST", "read, and refused for what it says");
}

#[tokio::test]
async fn malformed_frames_after_the_greeting_are_answered_or_ignored_but_never_fatal() {
    let world = World::start().await;
    let mut client = world.owner().await;
    for ignored in ["", "{", "nonsense", "{\"type\":\"req\",", "\u{0}"] {
        client.send_raw(ignored).await.unwrap();
    }
    client.send_binary(vec![0, 159, 146, 150]).await.unwrap();
    client.send_binary(br#"{"type":"req","id":"b","method":"health"}"#.to_vec()).await.unwrap();
    let long = "t".repeat(129);
    let cases = [
        (json!({"type": "req", "id": "a1"}), "a1"),
        (json!({"type": "req", "method": "health"}), "invalid"),
        (json!({"type": "req", "id": "", "method": "health"}), "invalid"),
        (json!({"type": "req", "id": 7, "method": "health"}), "invalid"),
        (json!({"type": "req", "id": "a2", "method": ""}), "a2"),
        (json!({"type": "req", "id": "a3", "method": 5}), "a3"),
        (json!({"type": "res", "id": "a4", "ok": true}), "a4"),
        (json!({"type": "req", "id": "a5", "method": "health", "bogus": 1}), "a5"),
        (json!({"type": "req", "id": "a6", "method": "health", "traceparent": long}), "a6"),
        (json!([]), "invalid"),
        (json!("health"), "invalid"),
    ];
    for (frame, id) in cases {
        client.send_raw(frame.to_string()).await.unwrap();
        let answer = client.response(id).await.unwrap();
        assert_eq!(
            (&answer["ok"], &answer["error"]["code"]),
            (&json!(false), &json!("INVALID_REQUEST")),
            "{frame}"
        );
        let message = answer["error"]["message"].as_str().unwrap();
        assert!(message.starts_with("invalid request frame:"), "{frame}: {message}");
    }
    let harmless = json!({"type": "req", "id": "t", "method": "health", "traceparent": "not a trace"});
    client.send_raw(harmless.to_string()).await.unwrap();
    assert_eq!(client.response("t").await.unwrap()["ok"], true);
}

#[tokio::test]
async fn unknown_methods_and_params_are_refused_by_name() {
    let world = World::start().await;
    let mut client = world.owner().await;
    let answer = client.request("frobnicate.all", json!({})).await.unwrap();
    let error = json!({"code": "INVALID_REQUEST", "message": "unknown method: frobnicate.all"});
    assert_eq!(answer["error"], error);
    for (params, words) in [
        (json!({"bogus": 1}), "at root: unexpected property 'bogus'"),
        (json!("x"), "at root: must be object"),
        (json!({"limit": "many"}), ""),
    ] {
        let answer = client.request("sessions.list", params.clone()).await.unwrap();
        let message = answer["error"]["message"].as_str().unwrap();
        assert!(
            message.starts_with("invalid sessions.list params: ") && message.contains(words),
            "{params}: {message}"
        );
    }
    client.send_raw(r#"{"type":"req","id":"no-params","method":"sessions.list"}"#).await.unwrap();
    assert_eq!(client.response("no-params").await.unwrap()["ok"], true, "params default to nothing");
}

#[tokio::test]
async fn params_are_an_object_and_never_a_list_of_values() {
    let world = World::start().await;
    let mut client = world.owner().await;
    let cases = [
        ("sessions.list", json!([])),
        ("sessions.preview", json!([["agent:main:main"]])),
        ("chat.history", json!([KEY])),
        ("chat.send", json!([KEY, "said by place, not by name", "positional"])),
        ("config.set", json!(["{}"])),
    ];
    let mut wrong = Vec::new();
    for (method, params) in cases {
        let answer = client.request(method, params).await.unwrap();
        if answer["error"]["message"] != format!("invalid {method} params: at root: must be object") {
            wrong.push(answer.to_string());
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
}

#[tokio::test]
async fn a_caller_who_keeps_calling_in_the_wrong_role_is_shown_out() {
    let world = World::start().await;
    let mut params = operator_params(TEST_TOKEN);
    params["client"] = json!({"id": "node-host", "mode": "node", "version": "1", "platform": "linux"});
    params["role"] = json!("node");
    params["scopes"] = json!([]);
    let device = TestDevice::new().unwrap();
    let (mut node, _) = knock(&world.gateway.url(), params, Some(&device)).await.unwrap();
    for n in 0..10 {
        let answer = node.request("status", json!({})).await.unwrap();
        assert_eq!(answer["error"]["message"], "unauthorized role: node", "call {n}");
    }
    node.send("status", json!({})).await.unwrap();
    assert_eq!(node.close_code().await.unwrap(), (1008, "repeated unauthorized calls".to_owned()));
}

#[tokio::test]
async fn three_hundred_requests_at_once_are_all_answered() {
    let world = World::start().await;
    let mut client = world.owner().await;
    talk(&mut client, KEY, "hello").await;
    let methods = ["health", "sessions.list", "chat.history"];
    let mut ids = Vec::new();
    for n in 0..300 {
        let method = methods[n % methods.len()];
        let params = if method == "chat.history" { json!({"sessionKey": KEY}) } else { json!({}) };
        ids.push(client.send(method, params).await.unwrap());
    }
    let mut put_off = 0;
    for id in ids {
        let answer = client.response(&id).await.unwrap();
        if answer["ok"] == false {
            // More than 256 under way at once may be put off, and says so.
            let error = &answer["error"];
            assert_eq!(
                (&error["code"], &error["retryable"]),
                (&json!("UNAVAILABLE"), &json!(true)),
                "{answer}"
            );
            put_off += 1;
        }
    }
    assert!(put_off <= 300 - 256, "{put_off} were put off");
}

#[tokio::test]
async fn a_client_that_stops_reading_does_not_hold_up_others() {
    let world = World::start().await;
    let mut reader = world.owner().await;
    // Reads nothing from here on, and asks for far more than its socket can hold.
    let mut sleeper = world.owner().await;
    let long: String = (0..2_000).map(|n| format!("a long answer that fills buffers ({n}) ")).collect();
    for n in 0..20 {
        world.fake.says(long.clone());
        let key = format!("agent:main:long{n}");
        let last = talk(&mut reader, &key, "talk").await;
        assert_eq!(text_of(&last["message"]).trim(), long.trim());
        sleeper.send("chat.history", json!({"sessionKey": key})).await.unwrap();
    }
    assert_eq!(talk(&mut reader, KEY, "quick?").await["state"], "final");
    let numbers: Vec<u64> = reader.events().iter().filter_map(|event| event["seq"].as_u64()).collect();
    assert!(numbers.is_sorted_by(|a, b| b - a == 1), "the reader missed nothing");
    drop(sleeper);
    let mut late: TestClient = world.owner().await;
    let presence: Value = late.call("system-presence", json!({})).await.unwrap();
    assert!(presence.is_array());
}
