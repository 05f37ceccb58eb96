//! A proxy that says who is calling, and strangers who would like to be believed.

use homard_testkit::{
    ProofVersion, TEST_TOKEN, TestClient, TestDevice, TestGateway, TestHome, operator_params,
};
use serde_json::{Value, json};

use crate::scenarios::world::{fetch, launch};

const ANN: [(&str, &str); 3] =
    [("x-forwarded-user", "ann"), ("x-forwarded-for", "203.0.113.9"), ("x-forwarded-proto", "https")];

async fn behind(trusted: &str) -> TestGateway {
    let config = json!({"gateway": {
        "trustedProxies": [trusted],
        "controlUi": {"allowedOrigins": ["https://home.example"]},
        "auth": {
            "mode": "trusted-proxy",
            "trustedProxy": {
                "userHeader": "X-Forwarded-User", "requiredHeaders": ["X-Forwarded-Proto"], "allowUsers": ["ann"],
            },
        },
    }});
    TestGateway::start(launch(), TestHome::with_config(&config).unwrap()).await.unwrap()
}

/// How `connect` ends with these headers: the hello, or the fine code.
async fn knock(
    gateway: &TestGateway,
    headers: &[(&'static str, &str)],
    params: Value,
) -> Result<Value, String> {
    let mut client = TestClient::connect_with(&gateway.url(), headers).await.unwrap();
    let answer = client.handshake(params).await;
    answer.map_err(|refusal| refusal.error["details"]["code"].as_str().unwrap_or_default().to_owned())
}

#[tokio::test]
async fn the_owners_proxy_names_people_and_nobody_else_does() {
    let gateway = behind("127.0.0.0/8").await;
    let hello = knock(&gateway, &ANN, operator_params("")).await.unwrap();
    assert_eq!(hello["auth"]["method"], "trusted-proxy");
    assert_eq!(hello["auth"]["scopes"], json!([]), "without a device nobody from elsewhere keeps scopes");
    let rows: [(&[(&'static str, &str)], &str); 3] = [
        (&[("x-forwarded-user", "bob"), ANN[1], ANN[2]], "AUTH_UNAUTHORIZED"),
        (&[ANN[1], ANN[2]], "AUTH_IDENTITY_HEADER_REQUIRED"),
        (&[ANN[0], ANN[1]], "AUTH_IDENTITY_HEADER_REQUIRED"),
    ];
    for (headers, code) in rows {
        assert_eq!(
            knock(&gateway, headers, operator_params(TEST_TOKEN)).await.unwrap_err(),
            code,
            "{headers:?}"
        );
    }
    // Programs on this machine use the secret as ever.
    let own = knock(&gateway, &[], operator_params(TEST_TOKEN)).await.unwrap();
    assert_eq!(own["auth"]["method"], "token");
    assert!(own["auth"]["scopes"].as_array().unwrap().contains(&json!("operator.admin")));
    assert_eq!(knock(&gateway, &[], operator_params("wrong")).await.unwrap_err(), "AUTH_TOKEN_MISMATCH");

    for (headers, status) in
        [(&ANN[..], 200), (&[("x-forwarded-user", "bob"), ANN[1], ANN[2]], 401), (&ANN[1..], 401)]
    {
        assert_eq!(fetch(gateway.port(), "GET /metrics", headers).await.status, status, "{headers:?}");
    }
}

#[tokio::test]
async fn a_stranger_who_writes_the_proxys_headers_is_refused() {
    let gateway = behind("127.0.0.9").await;
    let spoofed: [&[(&'static str, &str)]; 3] = [
        &ANN,
        &[ANN[0], ("x-forwarded-for", "127.0.0.9"), ANN[2]],
        &[ANN[0], ("x-real-ip", "127.0.0.9"), ANN[2]],
    ];
    for headers in spoofed {
        // Not even with the secret: it is for programs on this machine, and this one says it is not.
        for token in ["", TEST_TOKEN] {
            let refused = knock(&gateway, headers, operator_params(token)).await.unwrap_err();
            assert_eq!(refused, "AUTH_UNAUTHORIZED", "{headers:?}");
        }
        assert_eq!(fetch(gateway.port(), "GET /metrics", headers).await.status, 401, "{headers:?}");
    }
}

#[tokio::test]
async fn the_page_of_a_named_person_needs_no_approval_and_keeps_to_the_proxys_cap() {
    let gateway = behind("127.0.0.1").await;
    let origin = ("origin", "https://home.example");
    for (more, expected) in [
        (None, json!(["operator.read", "operator.write"])),
        (Some(("x-openclaw-scopes", "operator.read")), json!(["operator.read", "operator.sessions.read"])),
    ] {
        let headers: Vec<_> = ANN.into_iter().chain([origin]).chain(more).collect();
        let mut client = TestClient::connect_with(&gateway.url(), &headers).await.unwrap();
        let mut params = operator_params("");
        params["client"]["id"] = json!("openclaw-control-ui");
        params["client"]["mode"] = json!("webchat");
        params["scopes"] = json!(["operator.read", "operator.write"]);
        params["device"] = TestDevice::new().unwrap().proof(ProofVersion::V3, &params, client.challenge());
        let hello = client.handshake(params).await.unwrap();
        assert_eq!(hello["auth"]["method"], "trusted-proxy");
        assert_eq!(hello["auth"]["scopes"], expected);
        assert_eq!(hello["auth"]["deviceToken"], Value::Null);
    }
}

#[tokio::test]
async fn every_route_keeps_to_the_scopes_the_proxy_grants() {
    let gateway = behind("127.0.0.1").await;
    let rows = [
        ("operator.approvals", "GET /metrics", 401),
        ("operator.approvals", "GET /control-ui-config.json", 403),
        ("operator.approvals", "GET /__openclaw__/assistant-media?source=x", 403),
        ("operator.read", "GET /metrics", 200),
        ("operator.read", "GET /control-ui-config.json", 200),
        ("operator.read", "POST /tools/invoke", 403),
        ("operator.write", "POST /tools/invoke", 400),
    ];
    for (scopes, request, status) in rows {
        let headers: Vec<_> = ANN.into_iter().chain([("x-openclaw-scopes", scopes)]).collect();
        let page = fetch(gateway.port(), request, &headers).await;
        assert_eq!(page.status, status, "{request} with {scopes}: {page:?}");
    }
}
