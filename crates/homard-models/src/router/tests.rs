//! Who is asked first, and whose credentials are whose.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use homard_config::{Config, Environment, Paths};
use homard_llm::{ApiKey, CredentialKind, FailReason, Http, ModelSpec, Models, ProviderSpec};
use homard_protocol::{AgentId, ModelId, ProviderId};
use homard_runtime::{Clock, Tasks};

use super::{ProfileShelf, first_choice};
use crate::auth::{AuthContext, ProviderAuth};

fn provider(id: &str) -> ProviderId {
    ProviderId::parse(id).unwrap()
}

fn models(offers: &[(&str, &[&str])]) -> Models {
    let specs = offers.iter().map(|(id, models)| {
        let mut spec = ProviderSpec::new(provider(id), "openai-completions", "http://127.0.0.1:1/v1");
        let model =
            |model: &&str| ModelSpec::new(provider(id), ModelId::parse(model).unwrap(), "openai-completions");
        spec.models = models.iter().map(model).collect();
        spec
    });
    Models::new(specs.collect(), &Http::default(), &Clock::system())
}

#[test]
fn an_owner_who_chose_nobody_gets_whom_they_wrote_down_then_the_best_whose_key_lies_at_hand() {
    type Case = (&'static [(&'static str, &'static [&'static str])], &'static [&'static str], &'static str);
    let cases: [Case; 6] = [
        (&[], &[], "demo/demo"),
        (&[("groq", &["a", "b"]), ("mine", &["x"])], &["mine"], "mine/x"),
        (&[("amazon-bedrock", &["b"]), ("groq", &["g"])], &[], "groq/g"),
        (&[("amazon-bedrock", &["b"]), ("openai", &["gpt-4o", "gpt-5.2"])], &[], "openai/gpt-5.2"),
        (
            &[("anthropic", &["claude-haiku-4-5"]), ("github-copilot", &["c"])],
            &[],
            "anthropic/claude-haiku-4-5",
        ),
        (&[("github-copilot", &["c"])], &[], "github-copilot/c"),
    ];
    for (offers, written, expected) in cases {
        let written: Vec<ProviderId> = written.iter().map(|id| provider(id)).collect();
        assert_eq!(first_choice(&models(offers), &written).to_string(), expected);
    }
}

#[tokio::test]
async fn every_agent_has_its_own_credentials_and_a_change_of_policy_is_followed() {
    let dir = tempfile::tempdir().unwrap();
    let root: PathBuf = dir.path().to_owned();
    let env = Environment::default();
    let mut config = Config::empty(&Paths::under(Path::new("home")), &env);
    let cx = AuthContext {
        clock: Clock::system(),
        http: Http::default(),
        tasks: Tasks::new(),
        secrets: homard_runtime::Redactor::default(),
    };
    let shelf = ProfileShelf::new(Box::new(move |id: &AgentId| root.join(id.as_str())), &config, cx);
    let (main, other) = (AgentId::main(), AgentId::parse("other").unwrap());
    let key = crate::auth::NewProfile::key(provider("fake"), homard_llm::ApiKey::new("key-0123456789"));
    shelf.of(&other).add(key).await.unwrap();
    assert!(dir.path().join("other").join(super::PROFILES_FILE).exists());
    assert_eq!(shelf.of(&main).providers().await.len(), 0);
    config.auth.order = BTreeMap::from([(provider("fake"), vec!["fake:default".to_owned()])]);
    shelf.follow(&config);
    assert_eq!(shelf.of(&other).providers().await.len(), 1);
    shelf.flush().await;
}

#[tokio::test]
async fn a_change_of_policy_does_not_wake_keys_that_rest() {
    let dir = tempfile::tempdir().unwrap();
    let root: PathBuf = dir.path().to_owned();
    let mut config = Config::empty(&Paths::under(Path::new("home")), &Environment::default());
    let cx = AuthContext {
        clock: Clock::system(),
        http: Http::default(),
        tasks: Tasks::new(),
        secrets: homard_runtime::Redactor::default(),
    };
    let shelf = ProfileShelf::new(Box::new(move |id: &AgentId| root.join(id.as_str())), &config, cx);
    let auth = ProviderAuth {
        provider: provider("fake"),
        env: vec![("FAKE_KEY".to_owned(), ApiKey::new("key-0123456789"))],
        env_kind: CredentialKind::ApiKey,
        config_key: None,
        aws: false,
        keyless: false,
        oauth: None,
        exchange: None,
        base_url_template: None,
    };
    let main = AgentId::main();
    let key = shelf.of(&main).candidates(&auth, None).await.remove(0);
    shelf.of(&main).mark_failed(&key, FailReason::Billing, None);
    config.auth.order = BTreeMap::from([(provider("other"), vec!["other:default".to_owned()])]);
    shelf.follow(&config);
    let key = shelf.of(&main).candidates(&auth, None).await.remove(0);
    assert!(key.cooling_until.is_some(), "it would be asked, and billed, with every change");
}
