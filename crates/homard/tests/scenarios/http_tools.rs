//! Tools and conversations over HTTP, and `tools.invoke`.

use homard_testkit::TEST_TOKEN;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::scenarios::asking::{json_of, post};
use crate::scenarios::world::{KEY, OPENAI, Page, World, fetch, talk, text_of};

const BEARER: (&str, &str) = ("authorization", "Bearer test-token");

async fn invoke(world: &World, body: Value) -> Page {
    post(world.gateway.port(), "/tools/invoke", &[BEARER], &body.to_string()).await
}

/// A conversation in which others speak.
const GROUP: &str = "agent:main:telegram:group:-1";

#[tokio::test]
async fn a_tool_is_called_under_the_policy_of_a_conversation() {
    let world =
        World::start_with(OPENAI, |config| config["tools"] = json!({"deny": ["sessions_list"]})).await;
    let workspace = world.gateway.home().state_dir().join("workspace");
    std::fs::create_dir_all(&workspace).unwrap();
    std::fs::write(workspace.join("note.txt"), "written before").unwrap();
    let page = invoke(&world, json!({"tool": "read", "args": {"path": "note.txt"}})).await;
    let answer = json_of(&page);
    assert_eq!((page.status, &answer["ok"]), (200, &json!(true)), "{answer}");
    assert!(text_of(&answer["result"]).contains("written before"), "{answer}");
    let unavailable = |name: &str| format!("Tool not available: {name}");
    let rows = [
        (json!({"tool": "exec", "args": {"command": "true"}}), 404, "not_found", unavailable("exec")),
        (json!({"tool": "bash", "args": {"command": "true"}}), 404, "not_found", unavailable("bash")),
        (json!({"tool": "gateway", "action": "config.get"}), 404, "not_found", unavailable("gateway")),
        (json!({"tool": "frobnicate"}), 404, "not_found", unavailable("frobnicate")),
        (json!({"tool": "sessions_list"}), 404, "not_found", unavailable("sessions_list")),
        (json!({"tool": "read", "args": {"wrong": 1}}), 400, "tool_error", String::new()),
        (json!({"tool": "read", "args": {"path": "gone.txt"}}), 400, "tool_error", "gone.txt".to_owned()),
        (json!({}), 400, "invalid_request", "name a `tool`".to_owned()),
        (json!({"tool": "read", "agentId": "nobody"}), 400, "invalid_request", "unknown agent".to_owned()),
        (json!({"tool": "read", "sessionKey": "a::b"}), 400, "invalid_request", "session key".to_owned()),
    ];
    for (body, status, kind, words) in rows {
        let page = invoke(&world, body.clone()).await;
        let answer = json_of(&page);
        assert_eq!(
            (page.status, &answer["ok"], &answer["error"]["type"]),
            (status, &json!(false), &json!(kind)),
            "{body}: {answer}"
        );
        assert!(answer["error"]["message"].as_str().unwrap().contains(&words), "{body}: {answer}");
    }
}

#[tokio::test]
async fn the_owner_may_open_a_tool_to_the_route_that_is_shut_there() {
    let world =
        World::start_with(OPENAI, |config| config["gateway"]["tools"] = json!({"allow": ["gateway"]})).await;
    let page = invoke(&world, json!({"tool": "gateway", "action": "config.get"})).await;
    assert_eq!((page.status, &json_of(&page)["ok"]), (200, &json!(true)), "{page:?}");
}

#[tokio::test]
async fn the_tool_route_is_for_who_knows_the_secret_and_takes_posts_of_a_size() {
    let world = World::start().await;
    let port = world.gateway.port();
    for headers in [&[][..], &[("authorization", "Bearer wrong")], &[("authorization", "test-token")]] {
        let page = post(port, "/tools/invoke", headers, "{\"tool\": \"read\"}").await;
        assert_eq!(page.status, 401, "{headers:?}");
        assert_eq!(json_of(&page), json!({"error": {"message": "Unauthorized", "type": "unauthorized"}}));
    }
    let page = fetch(port, "GET /tools/invoke", &[BEARER]).await;
    assert_eq!((page.status, page.header("allow")), (405, Some("POST")));
    let large = json!({"tool": "read", "args": {"path": "x".repeat(2 * 1024 * 1024)}});
    assert_eq!(invoke(&world, large).await.status, 413);
}

#[tokio::test]
async fn what_needs_a_yes_says_so_and_is_done_when_somebody_says_it() {
    let world = World::start().await;
    let file = world.gateway.home().path().join("outside-the-workspace.txt");
    let body = json!({"tool": "write", "args": {"path": file, "content": "x"}, "sessionKey": GROUP});
    let page = invoke(&world, body.clone()).await;
    let answer = json_of(&page);
    assert_eq!((page.status, &answer["error"]["requiresApproval"]), (403, &json!(true)), "{answer}");
    assert!(!file.exists(), "nobody was there to say yes");

    let mut owner = world.owner().await;
    for (decision, status) in [("deny", 403), ("allow-once", 200)] {
        let deciding = async {
            let asked = owner.next_event("plugin.approval.requested").await.unwrap()["payload"].take();
            let params = json!({"id": asked["id"], "decision": decision});
            owner.call("plugin.approval.resolve", params).await.unwrap();
        };
        let (page, ()) = tokio::join!(invoke(&world, body.clone()), deciding);
        assert_eq!((page.status, file.exists()), (status, status == 200), "{decision}: {page:?}");
    }
}

#[tokio::test]
async fn a_call_with_a_name_is_made_once() {
    let world = World::start().await;
    let file = world.gateway.home().state_dir().join("workspace/n.txt");
    let body = |text: &str| json!({"tool": "write", "args": {"path": "n.txt", "content": text}, "idempotencyKey": "k"});
    let first = json_of(&invoke(&world, body("one")).await);
    assert_eq!(first["ok"], true, "{first}");
    assert_eq!(json_of(&invoke(&world, body("two")).await), first);
    assert_eq!(std::fs::read_to_string(file).unwrap(), "one");
}

#[tokio::test]
async fn programs_call_tools_over_the_socket_too() {
    let world = World::start().await;
    let mut client = world.with_scopes(&["operator.write"]).await;
    let write = json!({"name": "write", "args": {"path": "a.txt", "content": "x"}, "sessionKey": KEY, "idempotencyKey": "w"});
    let done = client.call("tools.invoke", write.clone()).await.unwrap();
    assert_eq!(
        (&done["ok"], &done["toolName"], &done["source"]),
        (&json!(true), &json!("write"), &json!("core")),
        "{done}"
    );
    assert!(done["output"]["content"].is_array(), "{done}");
    assert_eq!(client.call("tools.invoke", write).await.unwrap(), done);
    let echo = json!({"name": "exec", "args": {"command": "echo hi"}});
    let ran = world.owner().await.call("tools.invoke", echo.clone()).await.unwrap();
    assert!(text_of(&ran["output"]).contains("hi"), "{ran}");
    // Whoever may not change settings is asked about, and has no tool that changes them.
    let asked = client.call("tools.invoke", echo).await.unwrap();
    assert_eq!((&asked["ok"], &asked["requiresApproval"]), (&json!(false), &json!(true)), "{asked}");
    let patch = json!({"action": "config.patch", "raw": "{\"tools\": {\"taint\": {\"mode\": \"off\"}}}"});
    for (name, args) in
        [("gateway", patch), ("cron", json!({"action": "list"})), ("nodes", json!({"action": "list"}))]
    {
        let refused = client.call("tools.invoke", json!({"name": name, "args": args})).await.unwrap();
        assert_eq!(refused["error"]["code"], "not_found", "{name}: {refused}");
    }
    let away = json!({"name": "write", "args": {"path": "~/.bashrc", "content": "x"}});
    let refused = client.call("tools.invoke", away).await.unwrap();
    assert_eq!(refused["ok"], false, "{refused}");
    assert!(!world.gateway.home().path().join(".bashrc").exists());
    let house = world.gateway.home().state_dir().join("x.txt");
    let outside = world.gateway.home().path().join("x.txt");
    let rows = [
        (json!({"name": "frobnicate"}), "not_found", None),
        (json!({"name": "read", "args": {"path": "gone.txt"}}), "tool_error", None),
        (json!({"name": "write", "args": {"path": house, "content": "x"}}), "requires_approval", Some(true)),
        (
            json!({"name": "write", "args": {"path": outside, "content": "x"}, "sessionKey": GROUP}),
            "requires_approval",
            Some(true),
        ),
    ];
    for (params, code, asks) in rows {
        let failed = client.call("tools.invoke", params.clone()).await.unwrap();
        assert_eq!(
            (&failed["ok"], &failed["error"]["code"]),
            (&json!(false), &json!(code)),
            "{params}: {failed}"
        );
        assert_eq!(failed["requiresApproval"].as_bool(), asks, "{params}: {failed}");
    }
    let wrong = [
        (json!({}), "must have required property 'name'"),
        (json!({"name": ""}), "at /name"),
        (json!({"name": 7}), "invalid tools.invoke params"),
        (json!({"name": "read", "args": []}), "invalid tools.invoke params"),
        (json!({"name": "read", "extra": 1}), "unexpected property 'extra'"),
        (json!({"name": "read", "idempotencyKey": ""}), "at /idempotencyKey"),
        (json!({"name": "read", "conversationReadOrigin": "elsewhere"}), "invalid tools.invoke params"),
        (json!({"name": "read", "agentId": "nobody"}), "unknown agent id"),
        (json!({"name": "read", "sessionKey": "a::b"}), "invalid session key"),
    ];
    for (params, words) in wrong {
        let answer = client.request("tools.invoke", params.clone()).await.unwrap();
        assert_eq!(
            (&answer["ok"], &answer["error"]["code"]),
            (&json!(false), &json!("INVALID_REQUEST")),
            "{params}"
        );
        assert!(answer["error"]["message"].as_str().unwrap().contains(words), "{params}: {answer}");
    }
}

#[tokio::test]
async fn what_was_said_is_read_in_pages() {
    let world = World::start().await;
    let mut client = world.owner().await;
    for n in 0..3 {
        world.fake.says(format!("answer {n}"));
        talk(&mut client, KEY, &format!("question {n}")).await;
    }
    let path = "/sessions/agent%3Amain%3Astory/history";
    let port = world.gateway.port();
    let newest = json_of(&fetch(port, &format!("GET {path}?limit=2"), &[BEARER]).await);
    assert_eq!((&newest["sessionKey"], &newest["hasMore"]), (&json!(KEY), &json!(true)), "{newest}");
    assert_eq!(newest["items"], newest["messages"]);
    let texts: Vec<String> = newest["items"].as_array().unwrap().iter().map(text_of).collect();
    assert_eq!(texts, ["question 2", "answer 2"]);
    let cursor = newest["nextCursor"].as_str().unwrap();
    let older = json_of(&fetch(port, &format!("GET {path}?limit=10&cursor={cursor}"), &[BEARER]).await);
    let texts: Vec<String> = older["items"].as_array().unwrap().iter().map(text_of).collect();
    assert_eq!(texts, ["question 0", "answer 0", "question 1", "answer 1"]);
    assert_eq!((&older["hasMore"], older.get("nextCursor")), (&json!(false), None));
    let rows = [
        ("GET /sessions/nobody/history", true, 404),
        ("GET /sessions/a%3A%3Ab/history", true, 400),
        ("GET /sessions/main%252e/history", true, 400),
        ("GET /sessions/agent%3Amain%3Astory/history?limit=0", true, 400),
        ("GET /sessions/agent%3Amain%3Astory/history?cursor=x", true, 400),
        ("GET /sessions/agent%3Amain%3Astory/history", false, 401),
        ("POST /sessions/agent%3Amain%3Astory/history", true, 405),
        ("GET /sessions/agent%3Amain%3Astory/kill", true, 405),
    ];
    for (request, proves, status) in rows {
        let headers: &[(&str, &str)] = if proves { &[BEARER] } else { &[] };
        assert_eq!(fetch(port, request, headers).await.status, status, "{request}");
    }
}

/// Reads until `words` have come.
async fn read_until(stream: &mut TcpStream, so_far: &mut String, words: &str) {
    let mut piece = [0; 4096];
    while !so_far.contains(words) {
        let read =
            tokio::time::timeout(homard_testkit::WAIT_CAP, stream.read(&mut piece)).await.unwrap().unwrap();
        assert!(read > 0, "the stream ended before {words:?}: {so_far}");
        so_far.push_str(&String::from_utf8_lossy(&piece[..read]));
    }
}

#[tokio::test]
async fn what_is_said_is_heard_as_it_is_said() {
    let world = World::start().await;
    let mut client = world.owner().await;
    world.fake.says("the first answer");
    talk(&mut client, KEY, "first").await;
    let mut stream = TcpStream::connect(("127.0.0.1", world.gateway.port())).await.unwrap();
    let request = format!(
        "GET /sessions/{KEY}/history HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: text/event-stream\r\nAuthorization: Bearer {TEST_TOKEN}\r\n\r\n"
    );
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut heard = String::new();
    read_until(&mut stream, &mut heard, "the first answer").await;
    assert!(heard.contains("text/event-stream") && heard.contains("event: history\n"), "{heard}");
    world.fake.says("the second answer");
    talk(&mut client, KEY, "second").await;
    read_until(&mut stream, &mut heard, "the second answer").await;
    assert!(heard.contains("event: message\n"), "{heard}");
    client.call("sessions.reset", json!({"key": KEY})).await.unwrap();
    let before = heard.matches("event: history").count();
    let mut later = String::new();
    read_until(&mut stream, &mut later, "event: history").await;
    assert_eq!(before, 1);
}

#[tokio::test]
async fn a_shared_secret_alone_ends_nobody_elses_runs() {
    let world = World::start().await;
    let headers = [BEARER, ("x-openclaw-scopes", "operator.admin")];
    let page = post(world.gateway.port(), "/sessions/main/kill", &headers, "").await;
    let answer = json_of(&page);
    assert_eq!((page.status, &answer["error"]["type"]), (403, &json!("forbidden")), "{answer}");
    assert_eq!(answer["error"]["details"]["missingScope"], "operator.admin");

    let open = World::start_with(OPENAI, |config| config["gateway"]["auth"] = json!({"mode": "none"})).await;
    let port = open.gateway.port();
    let admin = [("x-openclaw-scopes", "operator.read, operator.admin")];
    assert_eq!(post(port, "/sessions/main/kill", &[], "").await.status, 403);
    assert_eq!(post(port, "/sessions/main/kill", &admin, "").await.status, 404);
}
