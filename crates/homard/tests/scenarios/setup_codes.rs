//! Setup codes: who shows one is let in, once; and devices that ask to do more while they are connected.

use homard_testkit::{ProofVersion, Refusal, TEST_TOKEN, TestClient, TestDevice, operator_params};
use serde_json::{Value, json};
use tokio::process::Command;

use crate::scenarios::world::{World, as_owner, fetch};

/// Where these devices are: nobody on this machine has such an address.
const ELSEWHERE: [(&str, &str); 1] = [("x-forwarded-for", "192.0.2.7")];
const LIMITED: [&str; 5] =
    ["operator.read", "operator.write", "operator.approvals", "operator.questions", "operator.talk.secrets"];

/// Connects from elsewhere with a setup code's token.
async fn come(
    world: &World,
    device: &TestDevice,
    role: &str,
    scopes: &[&str],
    auth: Value,
) -> Result<(TestClient, Value), Refusal> {
    let mut params = operator_params(TEST_TOKEN);
    let mode = if role == "node" { "node" } else { "ui" };
    params["client"] = json!({"id": "openclaw-ios", "mode": mode, "version": "1", "platform": "ios", "displayName": "Ann's phone"});
    params["role"] = json!(role);
    params["auth"] = auth;
    params["scopes"] = json!(scopes);
    params["caps"] = json!([]);
    let mut client = TestClient::connect_with(&world.gateway.url(), &ELSEWHERE).await.unwrap();
    params["device"] = device.proof(ProofVersion::V3, &params, client.challenge());
    let hello = client.handshake(params).await?;
    Ok((client, hello))
}

/// A code for a profile, and what is in it.
async fn code(owner: &mut TestClient, world: &World, profile: Option<&str>) -> (Value, String) {
    let mut params = json!({"publicUrl": world.gateway.url()});
    if let Some(profile) = profile {
        params["bootstrapProfile"] = json!(profile);
    }
    let made = owner.call("device.pair.setupCode", params).await.unwrap();
    let inside = homard_protocol::methods::devices::setup_codes::SetupPayload::decode(
        made["setupCode"].as_str().unwrap(),
    );
    let inside = inside.unwrap();
    assert_eq!(json!([inside.url, inside.expires_at_ms]), json!([made["gatewayUrl"], made["expiresAtMs"]]));
    (made, inside.bootstrap_token)
}

fn with(token: &str) -> Value {
    json!({"bootstrapToken": token})
}

fn refused(answer: Result<(TestClient, Value), Refusal>) -> String {
    let refusal = answer.map(|(_, hello)| hello).unwrap_err();
    assert_eq!(refusal.code, 1008);
    refusal.error["details"]["code"].as_str().unwrap_or_default().to_owned()
}

#[tokio::test]
async fn a_phone_with_a_code_is_let_in_with_a_token_for_each_of_its_roles() {
    let world = World::start().await;
    let mut owner = world.owner().await;
    let full = [&["operator.admin"][..], &LIMITED[..]].concat();
    for (profile, access, scopes) in [(None, "full", &full[..]), (Some("limited"), "limited", &LIMITED[..])] {
        let (made, token) = code(&mut owner, &world, profile).await;
        assert_eq!((&made["access"], &made["auth"]), (&json!(access), &json!("token")));
        assert!(made["qrDataUrl"].as_str().unwrap().starts_with("data:image/png;base64,"));
        let status = json!({"setupId": made["setupId"]});
        assert_eq!(owner.call("device.pair.setupStatus", status.clone()).await.unwrap(), json!({}));

        let device = TestDevice::new().unwrap();
        let (_node, hello) = come(&world, &device, "node", &[], with(&token)).await.unwrap();
        let auth = &hello["auth"];
        assert_eq!((&auth["method"], &auth["role"]), (&json!("bootstrap-token"), &json!("node")));
        assert!(auth["deviceToken"].is_string());
        let handed = &auth["deviceTokens"][0];
        assert_eq!((&handed["role"], &handed["scopes"]), (&json!("operator"), &json!(scopes)), "{profile:?}");

        let told = owner.next_event("device.pair.setup.completed").await.unwrap()["payload"].take();
        let asked = owner.call("device.pair.setupStatus", status).await.unwrap();
        assert_eq!(asked["completion"], told);
        assert_eq!(
            json!([told["deviceName"], told["access"], told["deviceId"]]),
            json!(["Ann's phone", access, device.id()])
        );

        let next = json!({"deviceToken": handed["deviceToken"]});
        let (mut person, hello) = come(&world, &device, "operator", scopes, next).await.unwrap();
        assert_eq!(hello["auth"]["method"], "device-token");
        let allowed = person.request("config.set", json!({"raw": "{}"})).await.unwrap();
        let forbidden = allowed["error"]["code"] == "FORBIDDEN";
        assert_eq!(forbidden, profile.is_some(), "settings are for full access");
    }
}

#[tokio::test]
async fn a_code_is_worth_one_device_each_role_once_and_no_more_than_it_says() {
    let world = World::start().await;
    let mut owner = world.owner().await;
    let invalid = "AUTH_BOOTSTRAP_TOKEN_INVALID";
    let (first, second) = (TestDevice::new().unwrap(), TestDevice::new().unwrap());
    assert_eq!(refused(come(&world, &first, "node", &[], with("never-was")).await), invalid);

    let (_, limited) = code(&mut owner, &world, Some("limited")).await;
    assert_eq!(refused(come(&world, &first, "operator", &["operator.admin"], with(&limited)).await), invalid);
    come(&world, &first, "operator", &["operator.read"], with(&limited)).await.unwrap();
    assert_eq!(refused(come(&world, &second, "operator", &["operator.read"], with(&limited)).await), invalid);
    assert_eq!(refused(come(&world, &first, "operator", &["operator.read"], with(&limited)).await), invalid);

    let (made, node) = code(&mut owner, &world, Some("node")).await;
    assert_eq!(made["access"], "node");
    assert_eq!(refused(come(&world, &second, "operator", &[], with(&node)).await), invalid);
    let (_client, hello) = come(&world, &second, "node", &[], with(&node)).await.unwrap();
    assert_eq!(hello["auth"].get("deviceTokens"), None);

    let (_, voice) = code(&mut owner, &world, Some("voice-node")).await;
    let third = TestDevice::new().unwrap();
    come(&world, &third, "node", &[], with(&voice)).await.unwrap();
    come(&world, &third, "operator", &["operator.read", "operator.talk"], with(&voice)).await.unwrap();
    let (_, other) = code(&mut owner, &world, Some("voice-node")).await;
    assert_eq!(refused(come(&world, &third, "operator", &["operator.write"], with(&other)).await), invalid);
}

#[tokio::test]
async fn a_joining_address_hands_its_code_out_once() {
    let world = World::start().await;
    let mut owner = world.owner().await;
    let wrong = owner
        .request("device.pair.setupCode", json!({"publicUrl": world.gateway.url(), "joinUrl": true}))
        .await
        .unwrap();
    assert_eq!(wrong["error"]["message"], "Join URLs require bootstrapProfile=node.");
    let params = json!({"publicUrl": world.gateway.url(), "joinUrl": true, "bootstrapProfile": "node"});
    let made = owner.call("device.pair.setupCode", params).await.unwrap();
    let url = made["joinUrl"].as_str().unwrap();
    let path = url.strip_prefix(&world.gateway.http_url()).unwrap();
    let port = world.gateway.port();
    let page = fetch(port, &format!("GET {path}"), &[]).await;
    assert_eq!((page.status, page.header("cache-control")), (200, Some("no-store")));
    let inside: Value = serde_json::from_str(&page.body).unwrap();
    let device = TestDevice::new().unwrap();
    let token = inside["bootstrapToken"].as_str().unwrap();
    for path in [path, "/j/", "/j/never-was"] {
        let page = fetch(port, &format!("GET {path}"), &[]).await;
        assert_eq!((page.status, page.body.as_str()), (404, r#"{"error":"not_found"}"#), "{path}");
    }
    come(&world, &device, "node", &[], with(token)).await.unwrap();
}

#[tokio::test]
async fn guessing_joining_addresses_is_put_off() {
    let world = World::start().await;
    let port = world.gateway.port();
    let mut seen = Vec::new();
    for number in 0..12 {
        seen.push(fetch(port, &format!("GET /j/guess-{number}"), &[]).await.status);
    }
    assert_eq!(seen.last(), Some(&429), "{seen:?}");
    assert_eq!(seen.first(), Some(&404), "{seen:?}");
}

#[tokio::test]
async fn a_code_survives_a_restart_of_the_gateway() {
    let mut world = World::start().await;
    let mut owner = world.owner().await;
    let (_, token) = code(&mut owner, &world, None).await;
    drop(owner);
    world.gateway.kill9().await.unwrap();
    world.gateway.restart().await.unwrap();
    come(&world, &TestDevice::new().unwrap(), "node", &[], with(&token)).await.unwrap();
}

#[tokio::test]
async fn the_command_line_makes_codes() {
    let world = World::start().await;
    let run = async |args: &[&str]| {
        let mut command = Command::new(crate::homard());
        let url = world.gateway.url();
        command.args(args).args(["--url", &url, "--token", TEST_TOKEN, "--public-url", "wss://homard.test"]);
        let output = as_owner(command, world.gateway.home()).output().await.unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    };
    let alone = run(&["qr", "--setup-code-only"]).await;
    let inside = homard_protocol::methods::devices::setup_codes::SetupPayload::decode(alone.trim()).unwrap();
    assert_eq!(inside.url, "wss://homard.test");
    let shown = run(&["qr", "--limited"]).await;
    assert!(shown.contains('█') && shown.contains("wss://homard.test"), "{shown}");
    let json: Value = serde_json::from_str(&run(&["qr", "--json"]).await).unwrap();
    assert_eq!((&json["access"], &json["urlSource"]), (&json!("full"), &json!("request.publicUrl")));
    let join = run(&["devices", "join-code"]).await;
    assert!(join.starts_with("https://homard.test/j/"), "{join}");
}

#[tokio::test]
async fn a_connected_device_asks_to_do_more_and_hears_what_was_decided() {
    let world = World::start().await;
    let mut owner = world.owner().await;
    let device = TestDevice::new().unwrap();
    let (_, token) = code(&mut owner, &world, Some("limited")).await;
    let (mut phone, hello) =
        come(&world, &device, "operator", &["operator.read"], with(&token)).await.unwrap();
    let first = hello["auth"]["deviceToken"].clone();

    let ask = "device.scopes.requestUpgrade";
    for (scopes, words) in [
        (json!(["operator.root"]), "requested scopes contain an unknown operator scope"),
        (json!(["operator.pairing"]), "requested scopes must include the connection's current scopes"),
    ] {
        let answer = phone.request(ask, json!({"scopes": scopes})).await.unwrap();
        assert_eq!(answer["error"]["message"], words);
    }
    let params = json!({"scopes": ["operator.write"]});
    let request = phone.call(ask, params).await.unwrap()["requestId"].take();
    let asked = owner.next_event("device.pair.requested").await.unwrap();
    assert_eq!(json!([asked["payload"]["requestId"], asked["payload"]["isRepair"]]), json!([request, true]));
    let waiting = phone.send("device.scopes.waitUpgrade", json!({"requestId": request})).await.unwrap();
    owner.call("device.pair.approve", json!({"requestId": request})).await.unwrap();
    let outcome = phone.response(&waiting).await.unwrap()["payload"].take();
    assert_eq!(json!([outcome["status"], outcome["requestId"]]), json!(["approved", request]));
    let better = json!({"deviceToken": outcome["deviceToken"].as_str().unwrap_or(first.as_str().unwrap())});
    let (_client, hello) = come(&world, &device, "operator", &["operator.write"], better).await.unwrap();
    assert_eq!(hello["auth"]["scopes"], json!(["operator.write"]));

    let request = phone.call(ask, json!({"scopes": ["operator.admin"]})).await.unwrap()["requestId"].take();
    owner.call("device.pair.reject", json!({"requestId": request})).await.unwrap();
    let outcome = phone.call("device.scopes.waitUpgrade", json!({"requestId": request})).await.unwrap();
    assert_eq!(outcome, json!({"status": "rejected", "requestId": request}));
    let unknown =
        phone.request("device.scopes.waitUpgrade", json!({"requestId": "never-was"})).await.unwrap();
    assert_eq!(unknown["error"]["message"], "scope upgrade expired or not found");
    let mut service = world.with_scopes(&["operator.read"]).await;
    let nobody = service.request(ask, json!({"scopes": ["operator.admin"]})).await.unwrap();
    assert_eq!(nobody["error"]["details"]["code"], "DEVICE_IDENTITY_REQUIRED");
}
