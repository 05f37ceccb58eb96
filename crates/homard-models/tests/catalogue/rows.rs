//! Every provider of the catalogue is called once, over a socket, against a fake of its API.
//!
//! The table is the catalogue itself: a new row is covered by being there.

use std::collections::BTreeSet;
use std::sync::Arc;

use futures_util::StreamExt as _;
use homard_config::{Config, Environment, Paths};
use homard_llm::{
    ApiKey, AwsKeys, Credential, CredentialKind, Http, HttpOptions, Models, Request, StreamEvent,
    ThinkingLevel,
};
use homard_models::catalogue::{AuthKind, EnvKey, ROWS, Row};
use homard_models::discovery::Discovered;
use homard_models::providers::{ConfiguredProviders, Inputs, configure_providers};
use homard_protocol::{Message, ModelId, ModelRef, ProviderId};
use homard_runtime::Clock;
use homard_testkit::{AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, FakeLlm, Recorded};
use tokio_util::sync::CancellationToken;

const SECRET: &str = "row-test-secret";
/// A time at which signatures are made.
const NOW: i64 = 1_790_000_000_000;
/// A model for servers that list none of their own.
const ANY_MODEL: &str = "some-model:8b";

/// The provider as the environment alone configures it.
fn configured(row: &Row) -> ConfiguredProviders {
    let key = row.env.first().map(|key| (key.name, SECRET));
    let places = row.places.iter().filter_map(|place| Some((*place.env.first()?, "here")));
    let env = Environment::from_pairs(key.into_iter().chain(places));
    let config = Config::empty(&Paths::under(std::path::Path::new("/nowhere")), &env);
    // Those without any variable are known by a stored login.
    let stored: BTreeSet<ProviderId> =
        row.env.is_empty().then(|| ProviderId::parse(row.id).unwrap()).into_iter().collect();
    let discovered = Discovered::default();
    configure_providers(&Inputs {
        config: &config,
        env: &env,
        stored_profiles: &stored,
        discovered: &discovered,
        kept: None,
    })
}

/// What the call is proved with: what the environment gives, or what a login would have given.
fn credential(row: &Row) -> Credential {
    let kind = row.env.first().map_or(CredentialKind::OAuth, |EnvKey { kind, .. }| *kind);
    let project = row.oauth.and_then(|login| login.projects).map(|_| "a-project".to_owned());
    Credential { kind, secret: Some(ApiKey::new(SECRET)), project, ..Credential::default() }
}

/// The fake in place of the row's host, below the same path.
fn moved(base_url: &str, fake: &FakeLlm) -> String {
    let (_, rest) = base_url.split_once("://").unwrap();
    let path = rest.split_once('/').map_or("", |(_, path)| path);
    format!("{}/{path}", fake.url()).trim_end_matches('/').to_owned()
}

async fn call(row: &Row, api: &str, credential: Credential) -> (String, Recorded) {
    let fake = FakeLlm::start().await.unwrap();
    fake.says("hello from the row");
    let mut configured = configured(row);
    let at = configured.providers.iter().position(|spec| spec.id.as_str() == row.id).expect(row.id);
    let mut spec = configured.providers.swap_remove(at);
    assert_eq!(spec.api, row.api);
    spec.base_url = moved(&spec.base_url, &fake);
    let id = spec.id.clone();
    let first = spec.models.iter().find(|model| model.api == api);
    let model = first.map_or_else(|| ModelId::parse(ANY_MODEL).unwrap(), |model| model.id.clone());
    let clock = Clock::fixed(NOW);
    let models = Models::new(vec![spec], &Http::new(HttpOptions::default(), clock.clone()), &clock);
    let resolved = models.resolve(&ModelRef { provider: id, model }).unwrap();
    let said = serde_json::json!({ "role": "user", "content": "hi", "timestamp": NOW });
    let request = Request {
        model: resolved.model,
        system: "Be brief.".into(),
        messages: vec![Arc::new(serde_json::from_value::<Message>(said).unwrap())],
        tools: Arc::new([]),
        max_tokens: Some(64),
        sampling: homard_llm::Sampling::default(),
        thinking: ThinkingLevel::Off,
        credential: Some(Arc::new(credential)),
        session: None,
        program_dir: None,
    };
    let mut stream = resolved.provider.stream(request, CancellationToken::new());
    let mut text = String::new();
    while let Some(event) = stream.next().await {
        match event {
            StreamEvent::Text(piece) => text.push_str(&piece),
            StreamEvent::Failed(error) => panic!("{}: {error:?}", row.id),
            _ => {}
        }
    }
    let recorded = fake.requests().into_iter().next().expect("a request");
    (text, recorded)
}

/// The header a key belongs into, from the public documentation of each API.
fn expected_header(row: &Row, api: &str, kind: CredentialKind) -> (&'static str, String) {
    let bearer = ("authorization", format!("Bearer {SECRET}"));
    match (row.id, api, kind) {
        ("azure-openai", ..) => ("api-key", SECRET.to_owned()),
        (_, _, CredentialKind::Token | CredentialKind::OAuth) => bearer,
        (_, "anthropic-messages", _) => ("x-api-key", SECRET.to_owned()),
        (_, "google-generative-ai", _) => ("x-goog-api-key", SECRET.to_owned()),
        _ => bearer,
    }
}

#[tokio::test]
async fn every_row_answers_through_its_api_with_the_key_where_it_belongs() {
    for row in ROWS {
        // A provider may serve some models by another API than the rest.
        let apis: BTreeSet<&str> = row.models.iter().filter_map(|model| model.api).chain([row.api]).collect();
        for api in apis {
            let credential = credential(row);
            let kind = credential.kind;
            let (text, recorded) = call(row, api, credential).await;
            let what = format!("{} by {api}", row.id);
            assert_eq!(text, "hello from the row", "{what}");
            let (header, value) = expected_header(row, api, kind);
            assert_eq!(recorded.header(header), Some(value.as_str()), "{what}: {header}");
            for (name, value) in row.headers {
                assert_eq!(recorded.header(name), Some(*value), "{what}");
            }
            let carriers = recorded.headers.iter().filter(|(_, value)| value.contains(SECRET)).count();
            assert_eq!(carriers, 1, "{what}: the key belongs into one header");
            assert!(!recorded.path.contains(SECRET) && !recorded.body.to_string().contains(SECRET), "{what}");
        }
    }
}

#[tokio::test]
async fn servers_of_ones_own_are_called_with_nothing() {
    for row in ROWS.iter().filter(|row| row.is_keyless()) {
        let (text, recorded) = call(row, row.api, Credential::default()).await;
        assert_eq!(text, "hello from the row", "{}", row.id);
        assert_eq!(recorded.header("authorization"), None, "{}", row.id);
    }
}

#[tokio::test]
async fn rows_that_sign_are_called_with_aws_keys() {
    for row in ROWS.iter().filter(|row| row.auth.contains(&AuthKind::Aws)) {
        let keys = AwsKeys {
            access_key_id: AWS_ACCESS_KEY_ID.to_owned(),
            secret_access_key: ApiKey::new(AWS_SECRET_ACCESS_KEY),
            session_token: None,
            region: "here".to_owned(),
        };
        let credential = Credential { kind: CredentialKind::Aws, aws: Some(keys), ..Credential::default() };
        let (text, recorded) = call(row, row.api, credential).await;
        assert_eq!(text, "hello from the row");
        let signature = recorded.header("authorization").unwrap_or_default();
        assert!(signature.starts_with("AWS4-HMAC-SHA256 "), "{}: {signature}", row.id);
    }
}

#[test]
fn no_row_needs_another_ones_variables() {
    for row in ROWS {
        let configured = configured(row);
        let ids: Vec<&str> = configured.providers.iter().map(|spec| spec.id.as_str()).collect();
        assert_eq!(ids, [row.id], "{:?}", configured.notes);
        let auth = &configured.auth[row.id];
        assert_eq!(auth.env.len(), usize::from(!row.env.is_empty()), "{}", row.id);
        assert!(!auth.keyless, "{}: there is a key", row.id);
        assert!(!configured.models_json.to_string().contains(SECRET), "{}", row.id);
        assert!(!format!("{configured:?}").contains(SECRET), "{}", row.id);
    }
}
