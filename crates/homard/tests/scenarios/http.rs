//! Plain HTTP on the gateway's port: probes, metrics and the page.

use serde_json::{Value, json};

use crate::scenarios::world::{OPENAI, World, fetch};

#[tokio::test]
async fn probes_answer_without_a_token_and_tell_strangers_little() {
    let world = World::start().await;
    let port = world.gateway.port();
    let remote = [("x-forwarded-for", "192.0.2.7")];
    let cases = [
        ("/health", json!({"ok": true, "status": "live"})),
        ("/healthz", json!({"ok": true, "status": "live"})),
        ("/ready", json!({"ready": true})),
        ("/readyz", json!({"ready": true})),
        ("/startup", json!({"ok": true, "status": "started"})),
        ("/startupz", json!({"ok": true, "status": "started"})),
    ];
    for (path, expected) in cases {
        let page = fetch(port, &format!("GET {path}"), &remote).await;
        assert_eq!(page.status, 200, "{path}");
        assert!(page.header("content-type").unwrap().starts_with("application/json"), "{path}");
        assert_eq!(serde_json::from_str::<Value>(&page.body).unwrap(), expected, "{path}");

        let local: Value =
            serde_json::from_str(&fetch(port, &format!("GET {path}"), &[]).await.body).unwrap();
        for (key, value) in expected.as_object().unwrap() {
            assert_eq!(&local[key], value, "{path}");
        }
        let head = fetch(port, &format!("HEAD {path}"), &remote).await;
        assert_eq!((head.status, head.body.as_str()), (200, ""), "{path}");
        assert_eq!(head.header("content-length"), page.header("content-length"), "{path}");
    }
    let ready: Value = serde_json::from_str(&fetch(port, "GET /readyz", &[]).await.body).unwrap();
    assert!(ready["failing"].is_array() && ready["uptimeMs"].is_u64(), "{ready}");
}

#[tokio::test]
async fn metrics_are_for_this_machine_and_who_knows_the_token() {
    let world = World::start().await;
    let port = world.gateway.port();
    let mut client = world.owner().await;
    client.call("health", json!({})).await.unwrap();
    let remote = ("x-forwarded-for", "192.0.2.7");
    let cases: [(&[(&str, &str)], u16); 4] = [
        (&[], 200),
        (&[remote], 401),
        (&[remote, ("authorization", "Bearer wrong")], 401),
        (&[remote, ("authorization", "Bearer test-token")], 200),
    ];
    for (headers, status) in cases {
        let page = fetch(port, "GET /metrics", headers).await;
        assert_eq!(page.status, status, "{headers:?}");
        if status == 401 {
            let body: Value = serde_json::from_str(&page.body).unwrap();
            assert_eq!(body, json!({"error": {"message": "Unauthorized", "type": "unauthorized"}}));
            continue;
        }
        assert!(page.body.contains("# TYPE ") && page.body.ends_with("# EOF\n"), "{}", page.body);
        assert!(page.body.contains("homard_"), "{}", page.body);
        assert!(!page.body.contains("test-token"));
    }
}

#[tokio::test]
async fn the_page_is_served_with_headers_that_keep_others_out() {
    let without =
        World::start_with(OPENAI, |config| config["gateway"]["controlUi"] = json!({"enabled": false})).await;
    assert_eq!(fetch(without.gateway.port(), "GET /", &[("accept", "text/html")]).await.status, 404);
    let world = World::start().await;
    let port = world.gateway.port();
    let page = fetch(port, "GET /", &[("accept", "text/html")]).await;
    assert_eq!(page.status, 200);
    assert!(page.header("content-type").unwrap().starts_with("text/html"));
    assert!(page.body.to_lowercase().contains("<!doctype html"), "{}", page.body);
    let policy = page.header("content-security-policy").unwrap();
    for rule in ["default-src 'self'", "frame-ancestors 'none'", "object-src 'none'", "base-uri 'none'"] {
        assert!(policy.contains(rule), "{policy}");
    }
    assert!(
        !policy.contains("unsafe-eval") && !policy.contains("script-src 'self' 'unsafe-inline'"),
        "{policy}"
    );
    assert_eq!(page.header("x-frame-options"), Some("DENY"));
    assert_eq!(page.header("cache-control"), Some("no-cache"));
    let etag = page.header("etag").unwrap();
    let again = fetch(port, "GET /", &[("if-none-match", etag)]).await;
    assert_eq!((again.status, again.body.as_str()), (304, ""));
    let head = fetch(port, "HEAD /", &[]).await;
    assert_eq!((head.status, head.body.as_str()), (200, ""));

    for path in ["/", "/healthz", "/no-such-page"] {
        let page = fetch(port, &format!("GET {path}"), &[]).await;
        assert_eq!(page.header("x-content-type-options"), Some("nosniff"), "{path}");
        assert_eq!(page.header("referrer-policy"), Some("no-referrer"), "{path}");
        assert!(page.header("permissions-policy").is_some(), "{path}");
    }
}

#[tokio::test]
async fn paths_of_the_app_are_the_app_but_only_for_a_browser() {
    let world = World::start().await;
    let port = world.gateway.port();
    let app = fetch(port, "GET /chat/main", &[("accept", "text/html,*/*;q=0.8")]).await;
    assert_eq!(app.status, 200);
    assert_eq!(app.body, fetch(port, "GET /", &[]).await.body);
    for accept in ["*/*", "application/json", "image/png"] {
        let page = fetch(port, "GET /chat/main", &[("accept", accept)]).await;
        assert_eq!((page.status, page.body.as_str()), (404, "Not Found"), "{accept}");
        assert!(page.header("content-type").unwrap().starts_with("text/plain"), "{accept}");
    }
}

#[tokio::test]
async fn no_path_leads_out_of_the_page() {
    let world = World::start().await;
    let port = world.gateway.port();
    for path in [
        "/../homard.json",
        "/../../../../etc/passwd",
        "/assets/../../homard.json",
        "/%2e%2e/%2e%2e/etc/passwd",
        "/..%2f..%2fetc%2fpasswd",
        "/assets/..%5c..%5chomard.json",
        "//etc/passwd",
        "/.homard/homard.json",
        "/index.html/../../homard.json",
        "/%00",
    ] {
        let page = fetch(port, &format!("GET {path}"), &[]).await;
        assert!(matches!(page.status, 400 | 404), "{path}: {page:?}");
        assert!(!page.body.contains("root:") && !page.body.contains("test-token"), "{path}: {page:?}");
    }
}

#[tokio::test]
async fn other_methods_are_refused_and_say_what_is_allowed() {
    let world = World::start().await;
    for method in ["POST", "PUT", "DELETE", "PATCH", "OPTIONS"] {
        for path in ["/", "/healthz", "/metrics", "/no-such-page"] {
            let page = fetch(world.gateway.port(), &format!("{method} {path}"), &[]).await;
            assert_eq!((page.status, page.body.as_str()), (405, "Method Not Allowed"), "{method} {path}");
            assert_eq!(page.header("allow"), Some("GET, HEAD"), "{method} {path}");
        }
    }
}

#[tokio::test]
async fn a_half_hearted_upgrade_is_told_what_is_missing() {
    let world = World::start().await;
    let port = world.gateway.port();
    let cases: [&[(&str, &str)]; 2] = [
        &[("upgrade", "websocket"), ("sec-websocket-version", "12"), ("sec-websocket-key", "x")],
        &[("upgrade", "websocket")],
    ];
    for headers in cases {
        // `fetch` adds `Connection: close`, so the request says it wants both; the upgrade needs its own.
        let with_connection: Vec<(&str, &str)> =
            headers.iter().copied().chain([("connection", "upgrade")]).collect();
        let page = fetch(port, "GET /", &with_connection).await;
        assert!(matches!(page.status, 400 | 426), "{headers:?}: {page:?}");
    }
}
