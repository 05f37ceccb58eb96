//! Signed calls: the fake computes every signature anew from what arrives.

use std::sync::Arc;

use homard_llm::{ApiKey, AwsKeys, Credential, CredentialKind, FailReason, HttpOptions, Request};
use homard_testkit::{AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY};

use crate::calls::world::{World, resolve, user};

const API: &str = "bedrock-converse-stream";

fn keys(secret: &str, token: Option<&str>) -> AwsKeys {
    AwsKeys {
        access_key_id: AWS_ACCESS_KEY_ID.to_owned(),
        secret_access_key: ApiKey::new(secret),
        session_token: token.map(ApiKey::new),
        region: "eu-central-1".to_owned(),
    }
}

fn signed(world: &World, aws: AwsKeys) -> Request {
    let mut request = world.request("hi");
    let mut model = homard_llm::ModelSpec::clone(&request.model);
    // A name whose colon is escaped in the path and escaped once more in what is signed.
    model.id = homard_protocol::ModelId::parse("eu.anthropic.claude-x-v1:0").unwrap();
    request.model = Arc::new(model);
    request.credential =
        Some(Arc::new(Credential { kind: CredentialKind::Aws, aws: Some(aws), ..Credential::default() }));
    request
}

#[tokio::test]
async fn a_signature_is_believed() {
    let world = World::start(API).await;
    for token in [None, Some("a-session-token")] {
        world.fake.says("signed, sealed, delivered");
        let (_, end) = world.ask(signed(&world, keys(AWS_SECRET_ACCESS_KEY, token))).await;
        assert_eq!(end.unwrap().text(), "signed, sealed, delivered");
    }
    let recorded = world.fake.wait_for_request(2).await.unwrap();
    assert_eq!(recorded.path, "/model/eu.anthropic.claude-x-v1%3A0/converse-stream");
    assert!(recorded.header("authorization").unwrap().contains("/eu-central-1/bedrock/aws4_request"));
    assert_eq!(recorded.header("accept"), Some("application/vnd.amazon.eventstream"));
    assert_eq!(recorded.header("x-amz-security-token"), Some("a-session-token"));
}

#[tokio::test]
async fn the_wrong_keys_are_refused_and_not_quoted() {
    let world = World::start(API).await;
    let secret = "not-the-secret-of-this-account";
    let error = world.ask(signed(&world, keys(secret, None))).await.1.unwrap_err();
    assert_eq!((error.reason, error.status), (FailReason::Auth, Some(403)), "{error}");
    assert!(!format!("{error:?}").contains(secret), "{error:?}");
}

#[tokio::test]
async fn an_address_with_a_place_for_the_region_gets_it() {
    let world = World::start(API).await;
    let base = format!("{}/{{region}}", world.fake.url());
    let model = resolve(API, &base, HttpOptions::default());
    let world = World { model, ..world };
    world.ask(signed(&world, keys(AWS_SECRET_ACCESS_KEY, None))).await.1.unwrap();
    world.ask(world.conversation(vec![user("hi")])).await.1.unwrap();
    let paths: Vec<String> = world.fake.requests().into_iter().map(|request| request.path).collect();
    assert_eq!(
        paths,
        [
            "/eu-central-1/model/eu.anthropic.claude-x-v1%3A0/converse-stream",
            "/us-east-1/model/fake-1/converse-stream"
        ]
    );
    assert_eq!(world.fake.requests()[1].header("authorization"), Some("Bearer test-key-do-not-print"));
}
