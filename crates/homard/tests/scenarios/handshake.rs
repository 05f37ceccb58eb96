//! `connect`: every recorded good and bad case, and the ones an attacker would try.

use homard_testkit::{ProofVersion, TEST_TOKEN, TestClient, TestDevice, operator_params};
use serde_json::{Value, json};

use crate::scenarios::world::{Answer, World, fetch, knock};

/// The methods issue 2 asks for that a hello must advertise; hidden ones are callable but not listed.
const ADVERTISED: [&str; 22] = [
    "agent",
    "agent.wait",
    "agents.list",
    "chat.abort",
    "chat.history",
    "chat.send",
    "config.apply",
    "config.get",
    "config.patch",
    "config.schema",
    "config.set",
    "health",
    "last-heartbeat",
    "logs.tail",
    "models.list",
    "sessions.delete",
    "sessions.list",
    "sessions.patch",
    "sessions.preview",
    "sessions.reset",
    "status",
    "system-presence",
];

/// The params of the recordings: a command line that asks to read.
fn recorded() -> Value {
    let mut params = operator_params(TEST_TOKEN);
    params["scopes"] = json!(["operator.read"]);
    params["caps"] = json!([]);
    params
}

/// The recorded params with `changes` on top; `null` removes.
fn with(changes: &Value) -> Value {
    fn merge(into: &mut Value, changes: &Value) {
        for (key, change) in changes.as_object().unwrap() {
            match change {
                Value::Null => drop(into.as_object_mut().unwrap().remove(key)),
                Value::Object(_) if into[key].is_object() => merge(&mut into[key], change),
                _ => into[key] = change.clone(),
            }
        }
    }
    let mut params = recorded();
    merge(&mut params, changes);
    params
}

fn sorted_scopes(hello: &Value) -> Vec<&str> {
    let mut scopes: Vec<&str> =
        hello["auth"]["scopes"].as_array().unwrap().iter().map(|scope| scope.as_str().unwrap()).collect();
    scopes.sort_unstable();
    scopes
}

/// The error's code, its finer code and the close code.
fn refused(answer: Answer) -> (String, Option<String>, u16, Value) {
    let refusal = answer.map(|(_, hello)| hello).unwrap_err();
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let (code, details) = (text(&refusal.error["code"]), text(&refusal.error["details"]["code"]));
    (code.unwrap_or_default(), details, refusal.code, refusal.error)
}

#[tokio::test]
async fn the_gateway_speaks_first_with_a_challenge_of_its_own_for_every_socket() {
    let world = World::start().await;
    let mut nonces = Vec::new();
    for _ in 0..2 {
        let client = TestClient::connect(&world.gateway.url()).await.unwrap();
        let first = client.events().first().unwrap();
        assert_eq!((&first["type"], &first["event"]), (&json!("event"), &json!("connect.challenge")));
        assert_eq!(first.get("seq"), None);
        assert!(client.challenge()["ts"].is_i64());
        nonces.push(client.challenge()["nonce"].as_str().unwrap().to_owned());
    }
    assert_ne!(nonces.first(), nonces.last());
}

#[tokio::test]
async fn the_recorded_good_cases_are_let_in_with_the_recorded_scopes() {
    let world = World::start().await;
    let cases: [(&str, Value, &[&str]); 7] = [
        ("cli/cli keeps its scopes", json!({}), &["operator.read"]),
        ("cli/probe has none", json!({"client": {"mode": "probe"}}), &[]),
        ("test/test has none", json!({"client": {"id": "test", "mode": "test"}}), &[]),
        (
            "our own service keeps admin",
            json!({"client": {"id": "gateway-client", "mode": "backend"}, "scopes": ["operator.admin"]}),
            &["operator.admin"],
        ),
        ("protocol 3 to 4", json!({"minProtocol": 3}), &["operator.read"]),
        ("protocol 3 alone", json!({"minProtocol": 3, "maxProtocol": 3}), &["operator.read"]),
        (
            "a secret in the password field",
            json!({"auth": {"token": null, "password": TEST_TOKEN}}),
            &["operator.read"],
        ),
    ];
    for (name, changes, scopes) in cases {
        let (_client, hello) = knock(&world.gateway.url(), with(&changes), None).await.unwrap();
        assert_eq!(sorted_scopes(&hello), scopes, "{name}");
        assert_eq!((&hello["type"], &hello["protocol"]), (&json!("hello-ok"), &json!(4)), "{name}");
        assert_eq!((&hello["auth"]["role"], &hello["auth"]["method"]), (&json!("operator"), &json!("token")));
    }
}

#[tokio::test]
async fn a_device_proves_itself_in_both_spellings_and_gets_more_scopes_on_its_own_machine() {
    let world = World::start().await;
    let device = TestDevice::new().unwrap();
    let tui = json!({"client": {"id": "openclaw-tui", "mode": "ui"},
        "scopes": ["operator.read", "operator.write"]});
    let cases: [(ProofVersion, Value, &[&str]); 4] = [
        (ProofVersion::V3, json!({}), &["operator.read"]),
        (ProofVersion::V2, json!({}), &["operator.read"]),
        (
            ProofVersion::V3,
            json!({"scopes": ["operator.admin", "operator.write"]}),
            &["operator.admin", "operator.write"],
        ),
        (ProofVersion::V3, tui, &["operator.read", "operator.write"]),
    ];
    for (version, changes, scopes) in cases {
        let mut client = TestClient::connect(&world.gateway.url()).await.unwrap();
        let mut params = with(&changes);
        params["device"] = device.proof(version, &params, client.challenge());
        let hello = client.handshake(params).await.unwrap();
        assert_eq!(sorted_scopes(&hello), scopes, "{changes}");
        assert!(hello["auth"]["deviceToken"].as_str().is_some_and(|token| token.len() >= 32), "{changes}");
    }
}

#[tokio::test]
async fn the_recorded_bad_cases_are_refused_as_recorded() {
    let world = World::start().await;
    let cases = [
        ("wrong token", json!({"auth": {"token": "bad"}}), "INVALID_REQUEST", "AUTH_TOKEN_MISMATCH", 1008),
        ("no auth", json!({"auth": null}), "NOT_PAIRED", "DEVICE_IDENTITY_REQUIRED", 1008),
        (
            "control ui without an origin",
            json!({"client": {"id": "openclaw-control-ui", "mode": "webchat"}}),
            "INVALID_REQUEST",
            "CONTROL_UI_ORIGIN_NOT_ALLOWED",
            1008,
        ),
        (
            "protocol 99",
            json!({"minProtocol": 99, "maxProtocol": 99}),
            "INVALID_REQUEST",
            "PROTOCOL_MISMATCH",
            1002,
        ),
        ("unknown client id", json!({"client": {"id": "foo"}}), "INVALID_REQUEST", "", 1008),
        ("unknown client mode", json!({"client": {"mode": "foo"}}), "INVALID_REQUEST", "", 1008),
        ("extra param", json!({"bogus": 1}), "INVALID_REQUEST", "", 1008),
        ("unknown role", json!({"role": "boss"}), "INVALID_REQUEST", "", 1008),
        ("a node without a device", json!({"role": "node"}), "NOT_PAIRED", "DEVICE_IDENTITY_REQUIRED", 1008),
        ("no client at all", json!({"client": null}), "INVALID_REQUEST", "", 1008),
    ];
    for (name, changes, code, details, close) in cases {
        let (got, finer, closed, error) = refused(knock(&world.gateway.url(), with(&changes), None).await);
        let got = (got.as_str(), finer.as_deref().unwrap_or(""), closed);
        assert_eq!(got, (code, details, close), "{name}: {error}");
    }
}

#[tokio::test]
async fn refusals_carry_the_words_and_details_clients_match_on() {
    let world = World::start().await;
    let url = world.gateway.url();
    let (_, _, _, error) = refused(knock(&url, with(&json!({"bogus": 1})), None).await);
    assert_eq!(error["message"], "invalid connect params: at root: unexpected property 'bogus'");

    let (_, _, _, error) =
        refused(knock(&url, with(&json!({"minProtocol": 99, "maxProtocol": 99})), None).await);
    assert_eq!(error["message"], "protocol mismatch");
    let details = json!({"code": "PROTOCOL_MISMATCH", "clientMinProtocol": 99, "clientMaxProtocol": 99,
        "expectedProtocol": 4, "minimumProbeProtocol": 3});
    assert_eq!(error["details"], details);

    let (_, _, _, error) = refused(knock(&url, with(&json!({"auth": {"token": "bad"}})), None).await);
    let details = json!({"code": "AUTH_TOKEN_MISMATCH", "authReason": "token_mismatch",
        "canRetryWithDeviceToken": false, "recommendedNextStep": "update_auth_credentials"});
    assert_eq!(error["details"], details);

    let (_, _, _, error) = refused(knock(&url, with(&json!({"auth": null})), None).await);
    assert_eq!(error["message"], "device identity required");
}

#[tokio::test]
async fn a_proof_that_is_not_of_this_device_this_moment_and_this_socket_is_refused() {
    let world = World::start().await;
    let device = TestDevice::new().unwrap();
    let other = TestClient::connect(&world.gateway.url()).await.unwrap();
    let cases = [
        ("DEVICE_AUTH_SIGNATURE_INVALID", "device-signature", "device signature invalid"),
        ("DEVICE_AUTH_SIGNATURE_EXPIRED", "device-signature-stale", "device signature expired"),
        ("DEVICE_AUTH_NONCE_MISMATCH", "device-nonce-mismatch", "device nonce mismatch"),
        ("DEVICE_AUTH_DEVICE_ID_MISMATCH", "device-id-mismatch", "device identity mismatch"),
    ];
    for (code, reason, message) in cases {
        let mut client = TestClient::connect(&world.gateway.url()).await.unwrap();
        let mut params = recorded();
        let challenge = client.challenge();
        let nonce = challenge["nonce"].as_str().unwrap();
        let now = challenge["ts"].as_i64().unwrap();
        params["device"] = match reason {
            "device-signature" => {
                let signed = with(&json!({"scopes": ["operator.admin"]}));
                device.proof(ProofVersion::V3, &signed, challenge)
            }
            "device-signature-stale" => device.proof_at(ProofVersion::V3, &params, nonce, now - 600_000),
            "device-nonce-mismatch" => device.proof(ProofVersion::V3, &params, other.challenge()),
            _ => {
                let mut proof = device.proof(ProofVersion::V3, &params, challenge);
                proof["id"] = json!("00");
                proof
            }
        };
        let refusal = client.handshake(params).await.unwrap_err();
        let expected = json!({"code": "INVALID_REQUEST", "message": message,
            "details": {"code": code, "reason": reason}});
        assert_eq!(refusal.error, expected);
        assert_eq!((refusal.code, refusal.reason.as_str()), (1008, message));
    }
}

#[tokio::test]
async fn anything_but_connect_as_the_first_frame_ends_the_socket() {
    let world = World::start().await;
    let mut client = TestClient::connect(&world.gateway.url()).await.unwrap();
    let answer = client.request("health", json!({})).await.unwrap();
    let words = "invalid handshake: first request must be connect";
    assert_eq!(answer["error"], json!({"code": "INVALID_REQUEST", "message": words}));
    assert_eq!(client.close_code().await.unwrap(), (1008, words.to_owned()));

    for garbage in ["{", "[]", "null", "\"connect\"", r#"{"type":"req"}"#, r#"{"type":"event","event":"x"}"#]
    {
        let mut client = TestClient::connect(&world.gateway.url()).await.unwrap();
        client.send_raw(garbage).await.unwrap();
        assert_eq!(client.close_code().await.unwrap().0, 1008, "{garbage}");
    }
}

#[tokio::test]
async fn a_frame_too_large_for_strangers_ends_the_socket_with_1009() {
    let world = World::start().await;
    let mut client = TestClient::connect(&world.gateway.url()).await.unwrap();
    client.send_raw("x".repeat(70_000)).await.unwrap();
    assert_eq!(client.close_code().await.unwrap(), (1009, "preauth payload too large".to_owned()));
    world.owner().await;
}

#[tokio::test]
async fn connecting_twice_is_refused_and_the_socket_stays() {
    let world = World::start().await;
    let mut client = world.owner().await;
    let again = client.request("connect", recorded()).await.unwrap();
    let error = json!({"code": "INVALID_REQUEST", "message": "connect is only valid as the first request"});
    assert_eq!(again["error"], error);
    assert_eq!(client.call("health", json!({})).await.unwrap()["ok"], true);
}

#[tokio::test]
async fn requests_sent_right_behind_connect_are_answered_after_it() {
    let world = World::start().await;
    let mut client = TestClient::connect(&world.gateway.url()).await.unwrap();
    let connect = client.send("connect", recorded()).await.unwrap();
    let mut ids = Vec::new();
    for _ in 0..10 {
        ids.push(client.send("status", json!({})).await.unwrap());
    }
    assert_eq!(client.response(&connect).await.unwrap()["payload"]["type"], "hello-ok");
    for id in ids {
        assert_eq!(client.response(&id).await.unwrap()["ok"], true);
    }
}

#[tokio::test]
async fn a_device_token_opens_the_door_without_the_shared_secret_but_only_to_its_device() {
    let world = World::start().await;
    let url = world.gateway.url();
    let (device, thief) = (TestDevice::new().unwrap(), TestDevice::new().unwrap());
    let (_first, hello) = knock(&url, recorded(), Some(&device)).await.unwrap();
    let token = hello["auth"]["deviceToken"].as_str().unwrap();

    for auth in [json!({"token": null, "deviceToken": token}), json!({"token": token})] {
        let (_again, hello) = knock(&url, with(&json!({"auth": auth})), Some(&device)).await.unwrap();
        assert_eq!(hello["auth"]["method"], "device-token");
        assert_eq!(sorted_scopes(&hello), ["operator.read"]);
        assert_eq!(hello["auth"]["deviceToken"], token, "the same token stays good");
    }
    let params = with(&json!({"auth": {"token": null, "deviceToken": token}}));
    let (_, finer, close, error) = refused(knock(&url, params.clone(), Some(&thief)).await);
    assert_eq!((finer.as_deref(), close), (Some("AUTH_DEVICE_TOKEN_MISMATCH"), 1008), "{error}");
    let (code, ..) = refused(knock(&url, params, None).await);
    assert_eq!(code, "NOT_PAIRED", "a token without its device proves nothing");

    let more = with(&json!({"auth": {"token": null, "deviceToken": token}, "scopes": ["operator.admin"]}));
    let (_, finer, ..) = refused(knock(&url, more, Some(&device)).await);
    assert_eq!(finer.as_deref(), Some("AUTH_SCOPE_MISMATCH"));
}

#[tokio::test]
async fn password_mode_asks_for_the_password() {
    let world = World::start_with("openai-completions", |config| {
        config["gateway"]["auth"] = json!({"mode": "password", "password": "open sesame"});
    })
    .await;
    let url = world.gateway.url();
    for field in ["password", "token"] {
        let auth = json!({"auth": {"token": null, field: "open sesame"}});
        let (_client, hello) = knock(&url, with(&auth), None).await.unwrap();
        assert_eq!(hello["auth"]["method"], "password", "{field}");
    }
    let wrong = with(&json!({"auth": {"token": null, "password": "open says me"}}));
    let (_, finer, close, _) = refused(knock(&url, wrong, None).await);
    assert_eq!((finer.as_deref(), close), (Some("AUTH_PASSWORD_MISMATCH"), 1008));
    let (_, finer, ..) = refused(knock(&url, with(&json!({"auth": {"token": TEST_TOKEN}})), None).await);
    assert_eq!(finer.as_deref(), Some("AUTH_PASSWORD_MISMATCH"), "the token is not the password");
}

#[tokio::test]
async fn none_mode_asks_for_nothing() {
    let world = World::start_with("openai-completions", |config| {
        config["gateway"]["auth"] = json!({"mode": "none"});
    })
    .await;
    let url = world.gateway.url();
    let service = with(&json!({"auth": null, "client": {"id": "gateway-client", "mode": "backend"}}));
    let device = TestDevice::new().unwrap();
    for (params, device) in [(service, None), (with(&json!({"auth": null})), Some(&device))] {
        let (_client, hello) = knock(&url, params, device).await.unwrap();
        assert_eq!(hello["auth"]["method"], "none");
        assert_eq!(sorted_scopes(&hello), ["operator.read"]);
    }
}

/// Headers with which a browser asks for a WebSocket on behalf of a page.
fn upgrade_of<'a>(host: &'a str, origin: &'a str) -> [(&'static str, &'a str); 6] {
    [
        ("host", host),
        ("origin", origin),
        ("upgrade", "websocket"),
        ("connection", "upgrade"),
        ("sec-websocket-version", "13"),
        ("sec-websocket-key", "dGhlIHNhbXBsZSBub25jZQ=="),
    ]
}

#[tokio::test]
async fn a_page_from_elsewhere_gets_no_socket_and_is_told_which_setting_decides() {
    let world = World::start().await;
    let (port, host) = (world.gateway.port(), format!("127.0.0.1:{}", world.gateway.port()));
    for (host, origin, said) in [
        (host.as_str(), "http://evil.example", "gateway.controlUi.allowedOrigins"),
        (host.as_str(), "null", "opened from the gateway itself"),
        ("evil.example", "http://localhost:18789", "gateway.controlUi.allowedOrigins"),
    ] {
        let page = fetch(port, "GET /", &upgrade_of(host, origin)).await;
        assert_eq!(page.status, 403, "{origin}: {page:?}");
        assert!(page.body.contains(said), "{origin}: {page:?}");
    }
}

#[tokio::test]
async fn a_page_is_refused_in_connect_where_the_request_alone_does_not_tell() {
    let world = World::start().await;
    let url = world.gateway.url();
    let own = world.gateway.http_url();
    let page = json!({"client": {"id": "openclaw-control-ui", "mode": "webchat"}});
    let device = TestDevice::new().unwrap();
    let unlisted = [("origin", "http://home.example"), ("host", "home.example")];
    type Headers<'a> = &'a [(&'static str, &'a str)];
    let cases: [(Headers<'_>, &Value, bool, Option<&str>); 5] = [
        (&unlisted, &page, true, Some("CONTROL_UI_ORIGIN_NOT_ALLOWED")),
        (&unlisted, &json!({}), true, Some("CONTROL_UI_ORIGIN_NOT_ALLOWED")),
        (&[], &page, true, Some("CONTROL_UI_ORIGIN_NOT_ALLOWED")),
        (&[("origin", own.as_str())], &page, false, Some("CONTROL_UI_DEVICE_IDENTITY_REQUIRED")),
        (&[("origin", own.as_str())], &page, true, None),
    ];
    for (headers, changes, with_device, expected) in cases {
        let mut client = TestClient::connect_with(&url, headers).await.unwrap();
        let mut params = with(changes);
        if with_device {
            params["device"] = device.proof(ProofVersion::V3, &params, client.challenge());
        }
        let answer = client.handshake(params).await;
        let code = answer.as_ref().err().map(|refusal| refusal.error["details"]["code"].clone());
        assert_eq!(code, expected.map(Value::from), "{headers:?} {changes}");
    }
}

#[tokio::test]
async fn a_hostile_page_shuts_nobody_out() {
    // Even where wrong guesses of this machine's programs count.
    let world = World::start_with("openai-completions", |config| {
        config["gateway"]["auth"]["rateLimit"] = json!({"maxAttempts": 2, "exemptLoopback": false});
    })
    .await;
    let (port, url) = (world.gateway.port(), world.gateway.url());
    let (wrong, right) = (("authorization", "Bearer wrong"), ("authorization", "Bearer test-token"));
    let host = format!("127.0.0.1:{port}");
    for _ in 0..5 {
        assert_eq!(fetch(port, "GET /", &upgrade_of(&host, "http://evil.example")).await.status, 403);
        let unlisted = [("origin", "http://evil.example"), ("host", "evil.example")];
        let mut client = TestClient::connect_with(&url, &unlisted).await.unwrap();
        let refusal = client.handshake(with(&json!({"auth": {"token": "wrong"}}))).await.unwrap_err();
        assert_eq!(refusal.error["details"]["code"], "CONTROL_UI_ORIGIN_NOT_ALLOWED", "{refusal}");
        for pretended in
            [("host", "evil.example"), ("origin", "http://localhost:1"), ("sec-fetch-site", "cross-site")]
        {
            let page = fetch(port, "GET /sessions/agent:main:main/history", &[pretended, wrong]).await;
            assert!(matches!(page.status, 401 | 429), "{pretended:?}: {page:?}");
        }
    }
    assert_eq!(
        fetch(port, "GET /sessions/agent:main:main/history", &[("host", "evil.example"), wrong]).await.status,
        429
    );
    let let_in = fetch(port, "GET /sessions/agent:main:main/history", &[right]).await;
    assert!(matches!(let_in.status, 200 | 404), "{let_in:?}");
    world.gateway.operator().await.unwrap();
    // And the count that is theirs works.
    let mut codes = Vec::new();
    for _ in 0..3 {
        codes.push(fetch(port, "GET /sessions/agent:main:main/history", &[wrong]).await.status);
    }
    assert_eq!(codes, [401, 401, 429]);
}

#[tokio::test]
async fn a_new_device_that_is_not_on_this_machine_waits_for_the_owner() {
    let world = World::start().await;
    let device = TestDevice::new().unwrap();
    let mut requests = Vec::new();
    for _ in 0..2 {
        let forwarded = [("x-forwarded-for", "192.0.2.7")];
        let mut client = TestClient::connect_with(&world.gateway.url(), &forwarded).await.unwrap();
        let mut params = recorded();
        params["device"] = device.proof(ProofVersion::V3, &params, client.challenge());
        let refusal = client.handshake(params).await.unwrap_err();
        assert_eq!((&refusal.error["code"], refusal.code), (&json!("NOT_PAIRED"), 1008), "{refusal}");
        let details = &refusal.error["details"];
        assert_eq!(
            (&details["code"], &details["reason"]),
            (&json!("PAIRING_REQUIRED"), &json!("not-paired"))
        );
        assert_eq!(details["deviceId"], device.id());
        let request = details["requestId"].as_str().unwrap();
        assert!(refusal.reason.contains(request), "{refusal}");
        requests.push(request.to_owned());
    }
    assert_eq!(requests.first(), requests.last(), "knocking again is the same request");
}

#[tokio::test]
async fn the_hello_says_what_the_gateway_can_do_and_where_it_stands() {
    let world = World::start().await;
    let client = world.owner().await;
    let hello = client.hello();
    let methods: Vec<&str> =
        hello["features"]["methods"].as_array().unwrap().iter().map(|m| m.as_str().unwrap()).collect();
    assert!(methods.is_sorted(), "{methods:?}");
    for method in ADVERTISED {
        assert!(methods.contains(&method), "{method} is missing from {methods:?}");
    }
    for hidden in ["chat.inject", "connect", "sessions.resolve"] {
        assert!(!methods.contains(&hidden), "{hidden} is not advertised");
    }
    let events = hello["features"]["events"].as_array().unwrap();
    for event in ["connect.challenge", "agent", "chat", "presence", "tick", "health", "shutdown"] {
        assert!(events.contains(&json!(event)), "{event}");
    }
    let policy = &hello["policy"];
    assert_eq!(policy["maxPayload"], 26_214_400);
    assert_eq!(policy["maxBufferedBytes"], 52_428_800);
    assert_eq!(policy["tickIntervalMs"], 30_000);
    assert_eq!(policy["attachments"], json!({"maxBytes": 19_464_192, "maxImageBytes": 6_291_456}));
    let snapshot = &hello["snapshot"];
    let defaults = &snapshot["sessionDefaults"];
    assert_eq!(defaults["defaultAgentId"], "main");
    assert_eq!(defaults["mainKey"], "main");
    assert_eq!(defaults["mainSessionKey"], "agent:main:main");
    assert_eq!(snapshot["presence"][0]["mode"], "gateway");
    assert!(snapshot["stateVersion"]["presence"].is_u64() && snapshot["uptimeMs"].is_u64());
    assert_eq!(snapshot["configPath"], json!(world.gateway.home().config_path()));
    assert_eq!(snapshot["authMode"], "token");
    assert!(hello["server"]["version"].is_string() && hello["server"]["connId"].is_string());

    let reader = world.with_scopes(&["operator.read"]).await;
    for private in ["configPath", "stateDir", "authMode"] {
        assert_eq!(reader.hello()["snapshot"].get(private), None, "{private} is for admins");
    }
    let nobody = world.with_scopes(&[]).await;
    assert_eq!(nobody.hello()["snapshot"]["presence"], json!([]));
}
