//! Devices on other machines: they ask, the owner decides, and what was given can be taken back.

use homard_testkit::{ProofVersion, Refusal, TEST_TOKEN, TestClient, TestDevice, operator_params};
use serde_json::{Value, json};
use tokio::process::Command;

use crate::scenarios::world::{OPENAI, World, as_owner, config, knock};

/// Where these devices are: a proxy says so, and nobody on this machine has such an address.
const ELSEWHERE: [(&str, &str); 1] = [("x-forwarded-for", "192.0.2.7")];

/// A gateway behind a proxy that is believed when it says where a client is.
async fn world() -> World {
    World::start_with(OPENAI, |config| config["gateway"]["trustedProxies"] = json!(["127.0.0.1"])).await
}

/// A phone that wants `scopes`, proving itself with `auth`.
fn phone(auth: &Value, scopes: &[&str]) -> Value {
    let mut params = operator_params(TEST_TOKEN);
    params["client"] = json!({"id": "openclaw-ios", "mode": "ui", "version": "1", "platform": "ios",
        "displayName": "Ann's \u{202e}phone"});
    params["auth"] = auth.clone();
    params["scopes"] = json!(scopes);
    params["caps"] = json!([]);
    params
}

fn secret() -> Value {
    json!({"token": TEST_TOKEN})
}

/// Connects from elsewhere.
async fn from_elsewhere(
    world: &World,
    device: &TestDevice,
    mut params: Value,
) -> Result<(TestClient, Value), Refusal> {
    let mut client = TestClient::connect_with(&world.gateway.url(), &ELSEWHERE).await.unwrap();
    params["device"] = device.proof(ProofVersion::V3, &params, client.challenge());
    let hello = client.handshake(params).await?;
    Ok((client, hello))
}

/// Asks from elsewhere and returns the request's name.
async fn asks(world: &World, device: &TestDevice, scopes: &[&str]) -> String {
    let refusal = from_elsewhere(world, device, phone(&secret(), scopes)).await.map(|(_, hello)| hello);
    let refusal = refusal.unwrap_err();
    assert_eq!(refusal.error["details"]["code"], "PAIRING_REQUIRED", "{refusal}");
    refusal.error["details"]["requestId"].as_str().unwrap().to_owned()
}

/// Pairs a device and returns the socket and its token.
async fn paired(
    world: &World,
    owner: &mut TestClient,
    device: &TestDevice,
    scopes: &[&str],
) -> (TestClient, String) {
    let request = asks(world, device, scopes).await;
    owner.call("device.pair.approve", json!({"requestId": request})).await.unwrap();
    let (client, hello) = from_elsewhere(world, device, phone(&secret(), scopes)).await.unwrap();
    (client, hello["auth"]["deviceToken"].as_str().unwrap().to_owned())
}

/// Why a token alone does not open the door; `None` when it does.
async fn refused_with(world: &World, device: &TestDevice, token: &str, scopes: &[&str]) -> Option<Value> {
    let params = phone(&json!({"deviceToken": token}), scopes);
    from_elsewhere(world, device, params).await.err().map(|refusal| refusal.error["details"].clone())
}

fn message(answer: &Value) -> &str {
    answer["error"]["message"].as_str().unwrap_or("")
}

#[tokio::test]
async fn a_device_elsewhere_asks_the_owner_approves_and_it_connects_with_a_token_of_its_own() {
    let world = world().await;
    let mut owner = world.owner().await;
    let device = TestDevice::new().unwrap();
    let request = asks(&world, &device, &["operator.read", "operator.write"]).await;

    let mut asked = owner.next_event("device.pair.requested").await.unwrap()["payload"].take();
    let ts = asked["ts"].as_i64().unwrap();
    let expected = json!({"requestId": request, "deviceId": device.id(), "publicKey": device.public_key(),
        "displayName": "Ann's \\u{202e}phone", "platform": "ios", "clientId": "openclaw-ios",
        "clientMode": "ui", "role": "operator", "roles": ["operator"],
        "scopes": ["operator.read", "operator.write"], "remoteIp": "192.0.2.7", "silent": false,
        "isRepair": false, "ts": ts, "expiresAtMs": ts + 300_000});
    assert_eq!(asked, expected);
    assert_eq!(asks(&world, &device, &["operator.read", "operator.write"]).await, request, "one request");
    let listed = owner.call("device.pair.list", json!({})).await.unwrap();
    asked["ts"] = listed["pending"][0]["ts"].clone();
    asked["expiresAtMs"] = listed["pending"][0]["expiresAtMs"].clone();
    assert_eq!(listed["pending"], json!([asked]));

    let approved = owner.call("device.pair.approve", json!({"requestId": request})).await.unwrap();
    assert_eq!(
        (&approved["requestId"], &approved["device"]["approvedVia"]),
        (&json!(request), &json!("owner"))
    );
    let resolved = owner.next_event("device.pair.resolved").await.unwrap()["payload"].take();
    let ts = &resolved["ts"];
    let expected = json!({"requestId": request, "deviceId": device.id(), "decision": "approved", "ts": ts});
    assert_eq!(resolved, expected);
    let again = owner.request("device.pair.approve", json!({"requestId": request})).await.unwrap();
    assert_eq!(message(&again), "unknown requestId");

    let scopes = ["operator.read", "operator.write"];
    let (_client, hello) = from_elsewhere(&world, &device, phone(&secret(), &scopes)).await.unwrap();
    let token = hello["auth"]["deviceToken"].as_str().unwrap();
    assert_eq!(refused_with(&world, &device, token, &scopes).await, None);
    let listed = owner.call("device.pair.list", json!({})).await.unwrap();
    let rows = listed["paired"].as_array().unwrap();
    let row = rows.iter().find(|row| row["deviceId"] == device.id()).unwrap();
    assert_eq!((&row["connected"], &row["lastSeenReason"]), (&json!(true), &json!("connect")));
    assert_eq!((&row["role"], &row["tokens"][0]["scopes"]), (&json!("operator"), &json!(scopes)));
    assert!(!listed.to_string().contains(token), "bearers are never listed");
    assert_eq!(listed["pending"], json!([]));
    let asked = owner.events().iter().filter(|frame| frame["event"] == "device.pair.requested").count();
    assert_eq!(asked, 1, "repeating a request asks nobody again");
}

#[tokio::test]
async fn a_rejected_device_stays_out_and_may_ask_again() {
    let world = world().await;
    let mut owner = world.owner().await;
    let device = TestDevice::new().unwrap();
    let request = asks(&world, &device, &["operator.read"]).await;
    let rejected = owner.call("device.pair.reject", json!({"requestId": request})).await.unwrap();
    assert_eq!(rejected, json!({"requestId": request, "deviceId": device.id()}));
    let resolved = owner.next_event("device.pair.resolved").await.unwrap();
    assert_eq!(resolved["payload"]["decision"], "rejected");
    assert_ne!(asks(&world, &device, &["operator.read"]).await, request);
}

#[tokio::test]
async fn asking_for_more_is_a_new_request_and_never_granted_silently_from_elsewhere() {
    let world = world().await;
    let mut owner = world.owner().await;
    let device = TestDevice::new().unwrap();
    let (_client, token) = paired(&world, &mut owner, &device, &["operator.read"]).await;

    let more = ["operator.read", "operator.write"];
    let first = asks(&world, &device, &more).await;
    let narrow = refused_with(&world, &device, &token, &["operator.admin"]).await.unwrap();
    assert_eq!(
        (&narrow["code"], &narrow["reason"]),
        (&json!("AUTH_SCOPE_MISMATCH"), &json!("scope-upgrade"))
    );
    let superseded = owner
        .next_event_where("device.pair.resolved", |payload| payload["requestId"] == first.as_str())
        .await
        .unwrap();
    assert_eq!(superseded["payload"]["decision"], "rejected", "another question took its place");

    let second = asks(&world, &device, &more).await;
    let asked = owner
        .next_event_where("device.pair.requested", |payload| payload["requestId"] == second.as_str())
        .await
        .unwrap();
    assert_eq!(asked["payload"]["isRepair"], true);
    owner.call("device.pair.approve", json!({"requestId": second})).await.unwrap();
    assert_eq!(refused_with(&world, &device, &token, &more).await, None, "its token may do more now");
    let still = refused_with(&world, &device, &token, &["operator.admin"]).await.unwrap();
    assert_eq!(still["code"], "AUTH_SCOPE_MISMATCH");
}

#[tokio::test]
async fn nobody_approves_more_than_they_hold() {
    let world = world().await;
    let mut owner = world.owner().await;
    let device = TestDevice::new().unwrap();
    let request = asks(&world, &device, &["operator.write"]).await;
    let mut clerk = world.with_scopes(&["operator.pairing", "operator.read"]).await;
    let answer = clerk.request("device.pair.approve", json!({"requestId": request})).await.unwrap();
    assert_eq!(
        (&answer["error"]["code"], message(&answer)),
        (&json!("FORBIDDEN"), "missing scope: operator.write")
    );

    let helper = TestDevice::new().unwrap();
    let (_, token) = paired(&world, &mut owner, &helper, &["operator.pairing", "operator.write"]).await;
    let params = phone(&json!({"deviceToken": token}), &["operator.pairing", "operator.write"]);
    let (mut limited, _) = from_elsewhere(&world, &helper, params).await.unwrap();
    let listed = limited.call("device.pair.list", json!({})).await.unwrap();
    assert_eq!(
        (&listed["pending"], listed["paired"].as_array().unwrap().len()),
        (&json!([]), 1),
        "itself only"
    );
    for (method, params, refusal) in [
        ("device.pair.approve", json!({"requestId": request}), "device pairing approval denied"),
        ("device.pair.reject", json!({"requestId": request}), "device pairing rejection denied"),
        ("device.pair.remove", json!({"deviceId": device.id()}), "device pairing removal denied"),
        (
            "device.pair.rename",
            json!({"deviceId": device.id(), "label": "x"}),
            "device pairing renaming denied",
        ),
        (
            "device.token.rotate",
            json!({"deviceId": device.id(), "role": "operator"}),
            "device token rotation denied",
        ),
        (
            "device.token.revoke",
            json!({"deviceId": helper.id(), "role": "node"}),
            "device token revocation denied",
        ),
    ] {
        let answer = limited.request(method, params).await.unwrap();
        assert_eq!(message(&answer), refusal, "{method}");
    }
}

#[tokio::test]
async fn who_may_not_decide_hears_nothing_of_it() {
    let world = world().await;
    let mut reader = world.with_scopes(&["operator.write", "operator.approvals"]).await;
    let mut owner = world.owner().await;
    let device = TestDevice::new().unwrap();
    let request = asks(&world, &device, &["operator.read"]).await;
    let answer = reader.request("device.pair.approve", json!({"requestId": request})).await.unwrap();
    assert_eq!(message(&answer), "missing scope: operator.pairing");
    owner.call("device.pair.approve", json!({"requestId": request})).await.unwrap();
    owner.next_event("device.pair.resolved").await.unwrap();
    assert_eq!(reader.call("health", json!({})).await.unwrap()["ok"], true);
    let heard = reader
        .events()
        .iter()
        .filter(|frame| frame["event"].as_str().is_some_and(|name| name.starts_with("device.")));
    assert_eq!(heard.count(), 0);
}

#[tokio::test]
async fn a_revoked_or_rotated_token_opens_no_door_and_its_sockets_end() {
    let world = world().await;
    let mut owner = world.owner().await;
    let device = TestDevice::new().unwrap();
    let (mut client, first) = paired(&world, &mut owner, &device, &["operator.read"]).await;
    let whose = json!({"deviceId": device.id(), "role": "operator"});

    let rotated = owner.call("device.token.rotate", whose.clone()).await.unwrap();
    assert_eq!((&rotated["tokenDelivery"], rotated.get("token")), (&json!("withheld-cross-device"), None));
    assert_eq!(rotated["scopes"], json!(["operator.read"]));
    assert_eq!(client.close_code().await.unwrap(), (4001, "device token rotated".to_owned()));
    let old = refused_with(&world, &device, &first, &["operator.read"]).await.unwrap();
    assert_eq!(old["code"], "AUTH_DEVICE_TOKEN_MISMATCH");
    let (mut client, hello) =
        from_elsewhere(&world, &device, phone(&secret(), &["operator.read"])).await.unwrap();
    let second = hello["auth"]["deviceToken"].as_str().unwrap().to_owned();
    assert_ne!(second, first);

    let revoked = owner.call("device.token.revoke", whose).await.unwrap();
    assert!(revoked["revokedAtMs"].is_i64(), "{revoked}");
    assert_eq!(client.close_code().await.unwrap(), (4001, "device token revoked".to_owned()));
    let dead = refused_with(&world, &device, &second, &["operator.read"]).await.unwrap();
    assert_eq!(dead["code"], "AUTH_DEVICE_TOKEN_MISMATCH");
}

#[tokio::test]
async fn programs_that_share_a_device_do_not_throw_each_other_out() {
    let world = world().await;
    let mut owner = world.owner().await;
    let device = TestDevice::new().unwrap();
    let (_client, first) = paired(&world, &mut owner, &device, &["operator.read"]).await;
    let (_client, hello) =
        from_elsewhere(&world, &device, phone(&secret(), &["operator.read"])).await.unwrap();
    let second = hello["auth"]["deviceToken"].as_str().unwrap().to_owned();
    assert_ne!(second, first, "nobody knows the first any more");
    for token in [&first, &second] {
        let params = phone(&json!({"deviceToken": token}), &["operator.read"]);
        let (_, hello) = from_elsewhere(&world, &device, params).await.unwrap();
        assert_eq!(&hello["auth"]["deviceToken"], token, "who comes with a token keeps it");
        let both = json!({"token": TEST_TOKEN, "deviceToken": token});
        let (_, hello) = from_elsewhere(&world, &device, phone(&both, &["operator.read"])).await.unwrap();
        assert_eq!(json!([hello["auth"]["method"], hello["auth"]["deviceToken"]]), json!(["token", token]));
    }
    let whose = json!({"deviceId": device.id(), "role": "operator"});
    owner.call("device.token.revoke", whose).await.unwrap();
    for token in [&first, &second] {
        let refused = refused_with(&world, &device, token, &["operator.read"]).await.unwrap();
        assert_eq!(refused["code"], "AUTH_DEVICE_TOKEN_MISMATCH");
    }
}

#[tokio::test]
async fn a_device_that_rotates_its_own_token_is_answered_before_it_is_hung_up_on() {
    let world = world().await;
    let mut owner = world.owner().await;
    let device = TestDevice::new().unwrap();
    let scopes = ["operator.read", "operator.pairing"];
    let (_, token) = paired(&world, &mut owner, &device, &scopes).await;
    let params = phone(&json!({"deviceToken": token}), &scopes);
    let (mut client, _) = from_elsewhere(&world, &device, params).await.unwrap();
    let whose = json!({"deviceId": device.id(), "role": "operator", "scopes": ["operator.read"]});
    let rotated = client.call("device.token.rotate", whose).await.unwrap();
    assert_eq!(
        (&rotated["tokenDelivery"], &rotated["scopes"]),
        (&json!("in-band"), &json!(["operator.read"]))
    );
    assert_eq!(client.close_code().await.unwrap(), (4001, "device token rotated".to_owned()));
    let new = rotated["token"].as_str().unwrap();
    assert_eq!(refused_with(&world, &device, new, &["operator.read"]).await, None);
    let wide = refused_with(&world, &device, new, &scopes).await.unwrap();
    assert_eq!(
        (&wide["code"], wide.get("requestId")),
        (&json!("AUTH_SCOPE_MISMATCH"), None),
        "approved already"
    );
    let log = world.gateway.log();
    assert!(!log.contains(new) && !log.contains(&token), "tokens are not logged");
}

#[tokio::test]
async fn a_removed_device_is_hung_up_on_and_must_pair_again() {
    let world = world().await;
    let mut owner = world.owner().await;
    let device = TestDevice::new().unwrap();
    let (mut client, token) = paired(&world, &mut owner, &device, &["operator.read"]).await;
    let label = json!({"deviceId": device.id(), "label": "  Ann's phone "});
    let renamed = owner.call("device.pair.rename", label).await.unwrap();
    assert_eq!(renamed, json!({"deviceId": device.id(), "label": "Ann's phone"}));
    let removed = owner.call("device.pair.remove", json!({"deviceId": device.id()})).await.unwrap();
    assert_eq!(removed, json!({"deviceId": device.id()}));
    assert_eq!(client.close_code().await.unwrap(), (4001, "device removed".to_owned()));
    assert!(refused_with(&world, &device, &token, &["operator.read"]).await.is_some());
    asks(&world, &device, &["operator.read"]).await;
    let again = owner.request("device.pair.remove", json!({"deviceId": device.id()})).await.unwrap();
    assert_eq!(message(&again), "unknown deviceId");
}

#[tokio::test]
async fn a_signature_is_good_for_its_own_socket_and_its_own_key_only() {
    let world = world().await;
    let mut owner = world.owner().await;
    let (device, thief) = (TestDevice::new().unwrap(), TestDevice::new().unwrap());
    let (_client, token) = paired(&world, &mut owner, &device, &["operator.read"]).await;
    let params = phone(&json!({"deviceToken": token}), &["operator.read"]);

    let seen = TestClient::connect_with(&world.gateway.url(), &ELSEWHERE).await.unwrap();
    let mut replay = TestClient::connect_with(&world.gateway.url(), &ELSEWHERE).await.unwrap();
    let mut again = params.clone();
    again["device"] = device.proof(ProofVersion::V3, &params, seen.challenge());
    let refusal = replay.handshake(again).await.unwrap_err();
    assert_eq!(refusal.error["details"]["code"], "DEVICE_AUTH_NONCE_MISMATCH");

    let mut forged = TestClient::connect_with(&world.gateway.url(), &ELSEWHERE).await.unwrap();
    let mut proof = thief.proof(ProofVersion::V3, &params, forged.challenge());
    proof["id"] = json!(device.id());
    proof["publicKey"] = json!(device.public_key());
    let mut stolen = params.clone();
    stolen["device"] = proof;
    let refusal = forged.handshake(stolen).await.unwrap_err();
    assert_eq!(refusal.error["details"]["code"], "DEVICE_AUTH_SIGNATURE_INVALID");

    let own_key = from_elsewhere(&world, &thief, params).await.map(|(_, hello)| hello).unwrap_err();
    assert_eq!(own_key.error["details"]["code"], "AUTH_DEVICE_TOKEN_MISMATCH");
}

#[tokio::test]
async fn tokens_die_with_the_shared_secret_they_were_made_under() {
    let mut world = world().await;
    let mut owner = world.owner().await;
    let device = TestDevice::new().unwrap();
    let (_client, token) = paired(&world, &mut owner, &device, &["operator.read"]).await;
    world.gateway.restart().await.unwrap();
    assert_eq!(
        refused_with(&world, &device, &token, &["operator.read"]).await,
        None,
        "a restart changes nothing"
    );

    let changed = config(&world.fake, OPENAI, |config| {
        config["gateway"]["auth"]["token"] = json!("an-entirely-different-secret");
    });
    world.gateway.home().write_config(&changed).unwrap();
    world.gateway.restart().await.unwrap();
    let refused = refused_with(&world, &device, &token, &["operator.read"]).await.unwrap();
    assert_eq!(refused["code"], "AUTH_DEVICE_TOKEN_MISMATCH");
    let params = phone(&json!({"token": "an-entirely-different-secret"}), &["operator.read"]);
    let (_, hello) = from_elsewhere(&world, &device, params).await.unwrap();
    let new = hello["auth"]["deviceToken"].as_str().unwrap();
    assert_ne!(new, token, "the device is still paired and gets a new token");
}

#[tokio::test]
async fn parameters_that_cannot_be_meant_are_refused_with_words() {
    let world = world().await;
    let mut owner = world.owner().await;
    let device = TestDevice::new().unwrap();
    paired(&world, &mut owner, &device, &["operator.read"]).await;
    let id = device.id();
    let long = "x".repeat(65);
    for (method, params, said) in [
        ("device.pair.list", json!({"x": 1}), "unexpected property 'x'"),
        ("device.pair.approve", json!({}), "must have required property 'requestId'"),
        ("device.pair.approve", json!({"requestId": 7}), "invalid device.pair.approve params"),
        ("device.pair.approve", json!({"requestId": ""}), "unknown requestId"),
        ("device.pair.reject", json!({"requestId": "r", "more": 1}), "unexpected property 'more'"),
        ("device.pair.reject", json!({"requestId": "r"}), "unknown requestId"),
        ("device.pair.remove", json!({"deviceId": ""}), "invalid device.pair.remove params"),
        ("device.pair.remove", json!({"deviceId": "nobody"}), "unknown deviceId"),
        ("device.pair.rename", json!({"deviceId": id}), "must have required property 'label'"),
        ("device.pair.rename", json!({"deviceId": id, "label": "  "}), "at /label"),
        ("device.pair.rename", json!({"deviceId": id, "label": long}), "at /label"),
        ("device.pair.rename", json!({"deviceId": id, "label": "a\nb"}), "at /label"),
        ("device.pair.rename", json!({"deviceId": "nobody", "label": "x"}), "unknown deviceId"),
        (
            "device.token.rotate",
            json!({"deviceId": id, "role": "boss"}),
            "invalid device.token.rotate params",
        ),
        ("device.token.rotate", json!({"deviceId": id, "role": "node"}), "unknown deviceId/role"),
        ("device.token.rotate", json!({"deviceId": "nobody", "role": "operator"}), "unknown deviceId/role"),
        (
            "device.token.rotate",
            json!({"deviceId": id, "role": "operator", "scopes": ["root"]}),
            "no scope `root`",
        ),
        (
            "device.token.rotate",
            json!({"deviceId": id, "role": "operator", "scopes": ["operator.admin"]}),
            "not approved for these scopes",
        ),
        ("device.token.revoke", json!({"role": "operator"}), "must have required property 'deviceId'"),
        ("device.token.revoke", json!({"deviceId": id, "role": "node"}), "unknown deviceId/role"),
    ] {
        let answer = owner.request(method, params.clone()).await.unwrap();
        assert_eq!(answer["error"]["code"], "INVALID_REQUEST", "{method} {params}: {answer}");
        assert!(message(&answer).contains(said), "{method} {params}: {answer}");
    }
}

#[tokio::test]
async fn the_command_line_shows_who_asks_and_lets_them_in() {
    let world = world().await;
    let device = TestDevice::new().unwrap();
    let run = async |words: &[&str]| {
        let mut command = as_owner(Command::new(crate::homard()), world.gateway.home());
        command.args(["devices"]).args(words).args(["--url", &world.gateway.url()]);
        let output = command.output().await.unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        (output.status.success(), text(output.stdout), text(output.stderr))
    };
    let (_, _, told) = run(&["approve", "--latest"]).await;
    assert!(told.contains("no device waits"), "{told}");
    let request = asks(&world, &device, &["operator.read"]).await;
    let short = request.get(..8).unwrap();
    let (_, listed, hint) = run(&[]).await;
    assert!(listed.contains(short) && listed.contains("192.0.2.7") && listed.contains("read"), "{listed}");
    assert!(hint.contains("homard devices approve"), "{hint}");
    let (good, _, told) = run(&["approve"]).await;
    assert!(!good && told.contains("openclaw-ios on ios"), "{told}");
    let (good, said, _) = run(&["approve", short]).await;
    assert!(good && said.contains("approved"), "{said}");
    from_elsewhere(&world, &device, phone(&secret(), &["operator.read"])).await.unwrap();

    let id = device.id();
    let (good, said, told) = run(&["rename", "--device", id.get(..10).unwrap(), "--name", "Tablet"]).await;
    assert!(good && said.contains("Tablet"), "{said}{told}");
    let (_, json, _) = run(&["list", "--json"]).await;
    let json: Value = serde_json::from_str(&json).unwrap();
    let row = json["paired"].as_array().unwrap().iter().find(|row| row["deviceId"] == id).unwrap();
    assert_eq!((&row["operatorLabel"], &row["tokens"][0]["role"]), (&json!("Tablet"), &json!("operator")));
    for words in [
        &["rotate", "--device", "tablet"][..],
        &["revoke", "--device", "tablet", "--role", "operator"],
        &["remove", "tablet"],
    ] {
        let (good, said, told) = run(words).await;
        assert!(good && said.contains("Tablet"), "{words:?}: {said}{told}");
    }
    let request = asks(&world, &device, &["operator.read"]).await;
    let (good, said, _) = run(&["reject", request.get(..8).unwrap()]).await;
    assert!(good && said.contains("rejected"), "{said}");
}

#[tokio::test]
async fn a_device_on_this_machine_is_let_in_without_a_question() {
    let world = world().await;
    let mut owner = world.owner().await;
    let device = TestDevice::new().unwrap();
    let params = phone(&secret(), &["operator.read"]);
    knock(&world.gateway.url(), params, Some(&device)).await.unwrap();
    let listed = owner.call("device.pair.list", json!({})).await.unwrap();
    let row = listed["paired"].as_array().unwrap().iter().find(|row| row["deviceId"] == device.id()).unwrap();
    assert_eq!((&row["approvedVia"], &listed["pending"]), (&json!("silent"), &json!([])));
    assert!(!owner.events().iter().any(|frame| frame["event"] == "device.pair.requested"));
}
