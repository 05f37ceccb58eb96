//! What keeps HTTP shut: pages from elsewhere, names that are not ours, requests within requests, paths that lead out.

use homard_testkit::{TEST_TOKEN, TestClient, TestDevice, operator_params};
use serde_json::{Value, json};
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;

use crate::scenarios::asking::{json_of, page, post, raw};
use crate::scenarios::world::{OPENAI, World, fetch, knock, until};

const BEARER: (&str, &str) = ("authorization", "Bearer test-token");
const TOOL: &str = "{\"tool\": \"frobnicate\"}";

#[tokio::test]
async fn a_page_from_elsewhere_makes_nobody_act() {
    let world = World::start_with(OPENAI, |config| {
        config["gateway"]["controlUi"] = json!({"allowedOrigins": ["https://mine.example"]});
    })
    .await;
    let port = world.gateway.port();
    let rows: [(&[(&str, &str)], u16); 7] = [
        (&[], 404),
        (&[("origin", "http://127.0.0.1:1234")], 404),
        (&[("origin", "https://mine.example")], 404),
        (&[("origin", "https://evil.example")], 403),
        (&[("origin", "null")], 403),
        (&[("origin", "https://evil.example"), ("host", "evil.example")], 403),
        (&[("sec-fetch-site", "cross-site")], 403),
    ];
    for (headers, status) in rows {
        let headers: Vec<(&str, &str)> = headers.iter().copied().chain([BEARER]).collect();
        let page = post(port, "/tools/invoke", &headers, TOOL).await;
        assert_eq!(page.status, status, "{headers:?}: {page:?}");
        assert_eq!(page.header("access-control-allow-origin"), None, "{headers:?}");
    }
    // The link on the terminal has the token; the log, which is written behind the answers, has not.
    let log = until("the log to name the page from elsewhere", || async {
        let log = Value::from(world.gateway.log_lines().unwrap()).to_string();
        log.contains("a page from elsewhere").then_some(log)
    })
    .await;
    assert!(!log.contains(TEST_TOKEN), "{log}");
}

#[tokio::test]
async fn a_domain_that_was_made_to_point_here_finds_nobody_where_no_secret_is_asked_for() {
    let world = World::start_with(OPENAI, |config| {
        config["gateway"]["auth"] = json!({"mode": "none"});
        config["gateway"]["controlUi"] = json!({"allowedOrigins": ["https://mine.example"]});
    })
    .await;
    let port = world.gateway.port();
    let rows = [
        ("127.0.0.1", 404),
        ("localhost:18789", 404),
        ("mine.example", 404),
        ("evil.example", 403),
        ("", 403),
    ];
    for (host, status) in rows {
        let headers = [("host", host)];
        assert_eq!(post(port, "/tools/invoke", &headers, TOOL).await.status, status, "{host}");
        let status = if status == 404 { 200 } else { 403 };
        assert_eq!(fetch(port, "GET /", &headers).await.status, status, "{host}");
        assert_eq!(fetch(port, "GET /control-ui-config.json", &headers).await.status, status, "{host}");
    }
}

#[tokio::test]
async fn a_request_that_hides_another_is_refused_or_read_in_one_way_only() {
    let world = World::start().await;
    let port = world.gateway.port();
    let inner = format!(
        "GET /metrics HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {TEST_TOKEN}\r\nConnection: close\r\n\r\n"
    );
    let head = "POST /tools/invoke HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer test-token\r\n";
    let rows = [
        (
            "both lengths",
            format!("{head}Content-Length: 6\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n{inner}"),
        ),
        ("two lengths", format!("{head}Content-Length: 0\r\nContent-Length: 44\r\n\r\n{inner}")),
        ("a list of lengths", format!("{head}Content-Length: 0, 44\r\n\r\n{inner}")),
        ("a signed length", format!("{head}Content-Length: +0\r\n\r\n{inner}")),
        ("an unknown coding", format!("{head}Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n{inner}")),
        ("a space before the colon", format!("{head}Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n{inner}")),
        ("a folded line", format!("{head}X: a\r\n b\r\n\r\n{inner}")),
        (
            "a bare line feed in a value",
            format!("{head}X: a\nTransfer-Encoding: chunked\r\n\r\nzz\r\n{inner}"),
        ),
        ("a broken chunk", format!("{head}Transfer-Encoding: chunked\r\n\r\nzz\r\n\r\n{inner}")),
        (
            "an old version with chunks",
            format!("POST /tools/invoke HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n{inner}"),
        ),
        ("a zero in a name", format!("{head}X\0: a\r\n\r\n{inner}")),
    ];
    for (what, bytes) in rows {
        let answer = raw(port, bytes.as_bytes()).await;
        let status = page(&answer).status;
        assert!(matches!(status, 0 | 400), "{what}: {answer}");
        assert!(!answer.contains("homard_"), "{what}: the inner request was answered: {answer}");
    }
    assert_eq!(fetch(port, "GET /healthz", &[]).await.status, 200);
}

#[tokio::test]
async fn who_sends_slowly_or_too_much_keeps_nobody_else_waiting() {
    let world = World::start().await;
    let port = world.gateway.port();
    let mut slow = Vec::new();
    for _ in 0..40 {
        let mut stream = TcpStream::connect(("127.0.0.1", port)).await.unwrap();
        let head = "POST /tools/invoke HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer test-token\r\nContent-Length: 1000\r\n\r\n{";
        stream.write_all(head.as_bytes()).await.unwrap();
        slow.push(stream);
    }
    assert_eq!(post(port, "/tools/invoke", &[BEARER], TOOL).await.status, 404);
    assert!(world.owner().await.call("health", json!({})).await.is_ok());
    let long = format!("GET /{} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", "a".repeat(200_000));
    assert!(matches!(page(&raw(port, long.as_bytes()).await).status, 0 | 414 | 431));
}

#[tokio::test]
async fn a_flood_without_the_secret_shuts_out_its_sender_only() {
    let world =
        World::start_with(OPENAI, |config| config["gateway"]["trustedProxies"] = json!(["127.0.0.1"])).await;
    let port = world.gateway.port();
    let wrong = [("authorization", "Bearer wrong"), ("x-forwarded-for", "192.0.2.7")];
    let statuses: Vec<u16> = {
        let mut statuses = Vec::new();
        for _ in 0..12 {
            statuses.push(post(port, "/tools/invoke", &wrong, TOOL).await.status);
        }
        statuses
    };
    assert_eq!((statuses[0], statuses[11]), (401, 429), "{statuses:?}");
    for path in ["GET /control-ui-config.json", "GET /sessions/main/history"] {
        assert_eq!(fetch(port, path, &wrong).await.status, 429, "{path}");
    }
    assert_eq!(
        post(port, "/tools/invoke", &[BEARER, ("x-forwarded-for", "192.0.2.8")], TOOL).await.status,
        404
    );
    for _ in 0..12 {
        assert_eq!(post(port, "/tools/invoke", &[("authorization", "Bearer wrong")], TOOL).await.status, 401);
    }
    assert_eq!(
        post(port, "/tools/invoke", &[BEARER], TOOL).await.status,
        404,
        "this machine is not locked out"
    );
}

#[tokio::test]
async fn the_owner_may_insist_on_tls() {
    let world = World::start_with(OPENAI, |config| {
        config["gateway"]["http"] =
            json!({"securityHeaders": {"strictTransportSecurity": "max-age=31536000"}});
    })
    .await;
    let page = fetch(world.gateway.port(), "GET /healthz", &[]).await;
    assert_eq!(page.header("strict-transport-security"), Some("max-age=31536000"));
}

/// A page of another make: an inline script, assets with hashes, a service worker.
fn other_page(folder: &std::path::Path) {
    std::fs::create_dir_all(folder.join("assets")).unwrap();
    let index = "<!doctype html><html lang=\"en\"><script>first()</script><script src=\"./assets/app-1.js\"></script>";
    for (name, text) in
        [("index.html", index), ("assets/app-1.js", "app()"), ("sw.js", "worker()"), ("fonts.woff2", "f")]
    {
        std::fs::write(folder.join(name), text).unwrap();
    }
}

#[tokio::test]
async fn another_page_is_served_from_its_folder_and_from_nowhere_else() {
    let home = tempfile::tempdir().unwrap();
    let root = home.path().join("page");
    other_page(&root);
    std::fs::write(home.path().join("secret.js"), "secret").unwrap();
    std::os::unix::fs::symlink(home.path().join("secret.js"), root.join("assets/out.js")).unwrap();
    let world =
        World::start_with(OPENAI, |config| config["gateway"]["controlUi"] = json!({"root": root})).await;
    let port = world.gateway.port();
    let index = fetch(port, "GET /", &[]).await;
    assert!(index.body.contains("src=\"/assets/app-1.js\""), "{index:?}");
    let policy = index.header("content-security-policy").unwrap();
    assert!(
        policy.contains("script-src 'self' 'sha256-") && policy.contains("frame-ancestors 'none'"),
        "{policy}"
    );
    assert_eq!(index.header("x-frame-options"), Some("DENY"));
    let etag = index.header("etag").unwrap();
    assert_eq!(fetch(port, "GET /", &[("if-none-match", etag)]).await.status, 304);
    let rows = [
        ("/assets/app-1.js", "text/javascript; charset=utf-8", "public, max-age=31536000, immutable"),
        (
            "/chat/main/assets/app-1.js",
            "text/javascript; charset=utf-8",
            "public, max-age=31536000, immutable",
        ),
        ("/sw.js", "text/javascript; charset=utf-8", "no-cache"),
        ("/fonts.woff2", "font/woff2", "no-cache"),
    ];
    for (path, kind, cache) in rows {
        let page = fetch(port, &format!("GET {path}"), &[]).await;
        assert_eq!(
            (page.status, page.header("content-type"), page.header("cache-control")),
            (200, Some(kind), Some(cache)),
            "{path}"
        );
        let etag = page.header("etag").unwrap();
        assert_eq!(
            fetch(port, &format!("GET {path}"), &[("if-none-match", etag)]).await.status,
            304,
            "{path}"
        );
        assert_eq!(page.header("x-content-type-options"), Some("nosniff"), "{path}");
    }
    let html = [("accept", "text/html")];
    for path in ["/chat/main", "/settings/models", "/approve/some-id"] {
        assert_eq!(fetch(port, &format!("GET {path}"), &html).await.body, index.body, "{path}");
        assert_eq!(fetch(port, &format!("GET {path}"), &[]).await.status, 404, "{path}");
    }
    for path in [
        "/../secret.js",
        "/assets/../../secret.js",
        "/%2e%2e/secret.js",
        "/..%2fsecret.js",
        "/assets/out.js",
        "/assets/..%5c..%5csecret.js",
        "/%252e%252e/secret.js",
        "/assets/%00",
        "/ui",
        "/api/x",
        "/assets/gone.js",
        "/__openclaw__/x",
    ] {
        let page = fetch(port, &format!("GET {path}"), &html).await;
        assert!(matches!(page.status, 400 | 404), "{path}: {page:?}");
        assert!(!page.body.contains("secret"), "{path}");
    }
}

#[tokio::test]
async fn the_page_reads_how_it_is_set_up_with_the_secret_or_a_devices_token() {
    let world = World::start_with(OPENAI, |config| {
        config["agents"]["list"] =
            json!([{"id": "main", "identity": {"name": "Hummer", "avatar": "face.png"}}]);
    })
    .await;
    let workspace = world.gateway.home().state_dir().join("workspace");
    std::fs::create_dir_all(&workspace).unwrap();
    std::fs::write(workspace.join("face.png"), "png").unwrap();
    let port = world.gateway.port();
    for path in [
        "/control-ui-config.json",
        "/__openclaw/control-ui-config.json",
        "/__openclaw__/control-ui-config.json",
    ] {
        let setup = json_of(&fetch(port, &format!("GET {path}"), &[BEARER]).await);
        assert_eq!(
            (&setup["assistantName"], &setup["assistantAgentId"]),
            (&json!("Hummer"), &json!("main")),
            "{setup}"
        );
        assert_eq!(setup["basePath"], "");
        assert_eq!(fetch(port, &format!("GET {path}"), &[]).await.status, 401, "{path}");
    }
    let about = json_of(&fetch(port, "GET /avatar/main?meta=1", &[BEARER]).await);
    let expected = json!({"avatarUrl": "/avatar/main", "avatarSource": "face.png", "avatarStatus": "local", "avatarReason": null});
    assert_eq!(about, expected);
    let face = fetch(port, "GET /avatar/main", &[BEARER]).await;
    assert_eq!((face.header("content-type"), face.body.as_str()), (Some("image/png"), "png"));
    let rows = [
        "/avatar/nobody",
        "/avatar/..%2f..",
        "/api/users/u/avatar",
        "/api/chat/media/outgoing/s/i/full",
        "/__openclaw__/workspace-icon?x=1",
        "/api/artifacts/download/t",
    ];
    for path in rows {
        assert_eq!(fetch(port, &format!("GET {path}"), &[BEARER]).await.status, 404, "{path}");
        assert_eq!(fetch(port, &format!("GET {path}"), &[]).await.status, 401, "{path}");
    }
    let device = TestDevice::new().unwrap();
    let (_client, hello) =
        knock(&world.gateway.url(), operator_params(TEST_TOKEN), Some(&device)).await.unwrap();
    let bearer = format!("Bearer {}", hello["auth"]["deviceToken"].as_str().unwrap());
    let device = [("authorization", bearer.as_str())];
    assert_eq!(fetch(port, "GET /control-ui-config.json", &device).await.status, 200);
    assert_eq!(
        post(port, "/tools/invoke", &device, TOOL).await.status,
        401,
        "a device reads, it does not act here"
    );
    assert_eq!(fetch(port, "GET /sessions/main/history", &device).await.status, 401);
}

#[tokio::test]
async fn files_of_a_conversation_are_shown_with_a_ticket_that_is_theirs() {
    let world = World::start().await;
    let workspace = world.gateway.home().state_dir().join("workspace");
    std::fs::create_dir_all(&workspace).unwrap();
    for name in ["a.png", "b.png"] {
        std::fs::write(workspace.join(name), name).unwrap();
    }
    let port = world.gateway.port();
    let at = |source: &str, more: &str| format!("GET /__openclaw__/assistant-media?source={source}{more}");
    let about = json_of(&fetch(port, &at("a.png", "&meta=1"), &[BEARER]).await);
    assert_eq!(about["available"], true, "{about}");
    let ticket = format!("&mediaTicket={}", about["mediaTicket"].as_str().unwrap());
    let shown = fetch(port, &at("a.png", &ticket), &[]).await;
    assert_eq!((shown.status, shown.body.as_str()), (200, "a.png"));
    assert!(shown.header("content-security-policy").unwrap().contains("sandbox"));
    assert_eq!(
        fetch(port, &at("b.png", &ticket), &[]).await.status,
        401,
        "a ticket for one is none for another"
    );
    assert_eq!(fetch(port, &at("a.png", ""), &[]).await.status, 401);
    assert_eq!(fetch(port, &at("a.png", "&meta=1"), &[]).await.status, 401);
    for source in ["..%2Fhomard.json", "%2Fetc%2Fpasswd", "gone.png", ""] {
        let about = json_of(&fetch(port, &at(source, "&meta=1"), &[BEARER]).await);
        assert_eq!(about["available"], false, "{source}");
        assert_eq!(fetch(port, &at(source, ""), &[BEARER]).await.status, 404, "{source}");
    }
}

fn path_of(hello: &Value) -> String {
    let url = hello["pluginSurfaceUrls"]["canvas"].as_str().unwrap();
    format!("/{}", url.split_once("://").unwrap().1.split_once('/').unwrap().1)
}

#[tokio::test]
async fn documents_are_found_by_open_sockets_only_and_run_without_an_origin() {
    let world = World::start().await;
    let folder = world.gateway.home().state_dir().join("canvas/documents/d-1");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("index.html"), "<h1>drawn</h1>").unwrap();
    let port = world.gateway.port();
    let mut client: TestClient = world.owner().await;
    let base = path_of(client.hello());
    let ask = |surface: &str| json!({"surface": surface, "observedUrl": "http://127.0.0.1:1/x"});
    let again = client.call("plugin.surface.refresh", ask("canvas")).await.unwrap();
    assert_eq!(again["pluginSurfaceUrls"], client.hello()["pluginSurfaceUrls"]);
    let unknown = client.call("plugin.surface.refresh", ask("weather")).await.unwrap();
    assert_eq!(unknown, json!({"surface": "weather", "pluginSurfaceUrls": {}}));
    let inner = "/__openclaw__/canvas/documents/d-1/index.html";
    let shown = fetch(port, &format!("GET {base}{inner}"), &[]).await;
    assert_eq!((shown.status, shown.body.as_str()), (200, "<h1>drawn</h1>"), "{shown:?}");
    let policy = shown.header("content-security-policy").unwrap();
    assert!(policy.starts_with("sandbox allow-scripts") && !policy.contains("allow-same-origin"), "{policy}");
    assert_eq!(fetch(port, &format!("GET {inner}"), &[BEARER]).await.status, 200);
    let rows = [
        (inner.to_owned(), 401),
        (format!("{base}x{inner}"), 401),
        (format!("/__openclaw__/cap/x.y{inner}"), 401),
        (format!("{base}/__openclaw__/canvas/documents/d-1/../../../homard.json"), 404),
        (format!("{base}/__openclaw__/canvas/documents/%2e%2e/%2e%2e/homard.json"), 404),
        (format!("{base}/__openclaw__/canvas/"), 404),
        (format!("{base}/control-ui-config.json"), 404),
        (format!("{base}/metrics"), 404),
    ];
    for (path, status) in rows {
        assert_eq!(fetch(port, &format!("GET {path}"), &[]).await.status, status, "{path}");
    }
    client.call("health", json!({})).await.unwrap();
    client.close().await.unwrap();
    crate::scenarios::world::until("the address to be shut", async || {
        (fetch(port, &format!("GET {base}{inner}"), &[]).await.status == 401).then_some(())
    })
    .await;
}
