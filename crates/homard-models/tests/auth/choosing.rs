//! Facts about which credentials are tried, in which order.

use std::time::Duration;

use homard_config::Environment;
use homard_llm::{ApiKey, CredentialKind, FailReason};
use homard_models::auth::{ProfilePolicy, ProviderAuth, Source};
use serde_json::json;
use tokio_util::sync::CancellationToken;

use super::world::{NOW, World, candidate, first, ids, secret};

fn with_everything(world: &World) -> ProviderAuth {
    ProviderAuth {
        env: vec![
            ("ACME_KEY".to_owned(), ApiKey::new("from-env")),
            ("ACME_KEY_2".to_owned(), ApiKey::new("from-env-2")),
        ],
        config_key: Some(ApiKey::new("from-config")),
        aws: true,
        keyless: true,
        ..world.auth("acme")
    }
}

const KEYS: fn() -> serde_json::Value = || {
    json!({
        "acme:one": {"type": "api_key", "provider": "acme", "key": "key-one"},
        "acme:two": {"type": "api_key", "provider": "acme", "key": "key-two"},
    })
};

#[tokio::test]
async fn stored_then_environment_then_configuration_then_nothing() {
    let world = World::new().await;
    world.write_profiles(&KEYS());
    let (profiles, auth) = (world.profiles(), with_everything(&world));
    let expected =
        ["acme:one", "acme:two", "acme:env", "acme:env:ACME_KEY_2", "acme:config", "acme:aws", "acme:none"];
    assert_eq!(ids(&profiles, &auth, None).await, expected);
    let cancel = CancellationToken::new();
    let mut secrets = Vec::new();
    for candidate in profiles.candidates(&auth, None).await {
        if candidate.source != Source::AwsChain {
            secrets.push(secret(&profiles.credential(&auth, &candidate, &cancel).await.unwrap()));
        }
    }
    assert_eq!(secrets, ["key-one", "key-two", "from-env", "from-env-2", "from-config", ""]);
}

#[tokio::test]
async fn a_pin_comes_first_unless_it_cools() {
    let world = World::new().await;
    world.write_profiles(&KEYS());
    let (profiles, auth) = (world.profiles(), with_everything(&world));
    assert_eq!(ids(&profiles, &auth, Some("acme:two")).await[..2], ["acme:two", "acme:one"]);
    assert_eq!(ids(&profiles, &auth, Some("acme:config")).await[0], "acme:config");
    assert_eq!(ids(&profiles, &auth, Some("acme:unknown")).await[0], "acme:one");
    let two = candidate(&profiles, &auth, "acme:two").await;
    profiles.mark_failed(&two, FailReason::RateLimit, None);
    let all = profiles.candidates(&auth, Some("acme:two")).await;
    assert_eq!(all[0].id, "acme:one");
    let last = all.last().unwrap();
    assert_eq!((last.id.as_str(), last.cooling_until), ("acme:two", Some(NOW + 60_000)));
}

#[tokio::test]
async fn a_failure_is_seen_at_once_and_written_soon() {
    let world = World::new().await;
    world.write_profiles(&KEYS());
    let (profiles, auth) = (world.profiles(), world.auth("acme"));
    let one = candidate(&profiles, &auth, "acme:one").await;
    profiles.mark_failed(&one, FailReason::RateLimit, Some(Duration::from_secs(600)));
    assert_eq!(ids(&profiles, &auth, None).await, ["acme:two", "acme:one"]);
    profiles.flush().await;
    let stats = &world.read("main")["usageStats"]["acme:one"];
    assert_eq!(stats["cooldownUntil"], NOW + 600_000);
    assert_eq!(stats["failureCounts"], json!({"rate_limit": 1}));
    assert_eq!(
        ids(&world.profiles(), &auth, None).await,
        ["acme:two", "acme:one"],
        "another process sees it"
    );
    profiles.mark_good(&one);
    assert_eq!(ids(&profiles, &auth, None).await, ["acme:two", "acme:one"], "used last, so tried last");
    profiles.flush().await;
    let file = world.read("main");
    assert_eq!(file["lastGood"]["acme"], "acme:one");
    assert_eq!(file["usageStats"]["acme:one"]["lastUsed"], NOW);
    assert!(file["usageStats"]["acme:one"].get("cooldownUntil").is_none());
}

#[tokio::test]
async fn failures_of_the_request_leave_the_key_alone() {
    let world = World::new().await;
    world.write_profiles(&KEYS());
    let (profiles, auth) = (world.profiles(), world.auth("acme"));
    let before = world.read("main");
    let one = candidate(&profiles, &auth, "acme:one").await;
    for reason in [FailReason::ContextOverflow, FailReason::Refusal, FailReason::Aborted, FailReason::Budget]
    {
        profiles.mark_failed(&one, reason, None);
    }
    profiles.flush().await;
    assert_eq!(world.read("main"), before);
}

#[tokio::test]
async fn keys_of_environment_and_configuration_cool_in_memory_only() {
    let world = World::new().await;
    let (profiles, auth) = (world.profiles(), with_everything(&world));
    let env = candidate(&profiles, &auth, "acme:env").await;
    profiles.mark_failed(&env, FailReason::Auth, None);
    profiles.flush().await;
    assert_eq!(candidate(&profiles, &auth, "acme:env").await.cooling_until, Some(NOW + 60_000));
    assert_eq!(ids(&profiles, &auth, None).await.last().unwrap(), "acme:env");
    assert!(!world.path("main").exists());
    world.clock.advance(Duration::from_secs(61));
    assert_eq!(ids(&profiles, &auth, None).await[0], "acme:env");
}

#[tokio::test]
async fn an_agent_without_profiles_uses_those_of_main() {
    let world = World::new().await;
    world.write_profiles(&KEYS());
    let auth = world.auth("acme");
    let work = world.profiles_of("work", ProfilePolicy::default());
    assert_eq!(ids(&work, &auth, None).await, ["acme:one", "acme:two"]);
    assert!(work.describe().await.inherited);
    let one = candidate(&work, &auth, "acme:one").await;
    work.mark_failed(&one, FailReason::Auth, None);
    work.flush().await;
    assert_eq!(world.read("main")["usageStats"]["acme:one"]["errorCount"], 1);
    assert!(!world.path("work").exists());
    work.set_order(&auth.provider, vec!["acme:two".to_owned()]).await.unwrap();
    assert_eq!(ids(&work, &auth, None).await, ["acme:two"], "its own order counts");
    assert_eq!(world.read("main").get("order"), None);
    world.write("work", &json!({"profiles": {"acme:own": {"type": "api_key", "key": "k"}}}).to_string());
    assert_eq!(ids(&work, &auth, None).await, ["acme:own"], "its own profiles hide those of main");
}

#[tokio::test]
async fn what_happens_to_an_agents_credential_does_not_touch_mains_of_the_same_name() {
    let world = World::new().await;
    let stored = |token: &str| {
        let profile = json!({"type": "token", "provider": "github-copilot", "token": token});
        json!({"profiles": {"github-copilot:default": profile}}).to_string()
    };
    world.write("main", &stored("ghp_main"));
    world.write("work", &stored("ghp_work"));
    let before = world.read("main");
    let (work, auth) = (world.profiles_of("work", ProfilePolicy::default()), world.copilot());
    first(&work, &auth).await.unwrap();
    let own = candidate(&work, &auth, "github-copilot:default").await;
    work.mark_failed(&own, FailReason::Billing, None);
    work.flush().await;
    assert_eq!(world.read("work")["usageStats"]["github-copilot:default"]["errorCount"], 1);
    assert!(world.read("work")["profiles"]["github-copilot:default"]["copilotToken"].is_string());
    assert_eq!(world.read("main"), before, "neither a token nor a rest of another agent's key");
}

#[tokio::test]
async fn nothing_usable_is_explained() {
    let world = World::new().await;
    world.write_profiles(
        &json!({"acme:old": {"type": "token", "provider": "acme", "token": "t", "expires": 5}}),
    );
    let (profiles, auth) = (world.profiles(), world.auth("acme"));
    assert!(ids(&profiles, &auth, None).await.is_empty());
    let error = profiles.nothing_usable(&auth).await;
    assert_eq!(error.reason, FailReason::Auth);
    assert_eq!(
        error.message,
        "no credential for `acme` (`acme:old`: its token has expired); run `homard models auth login --provider acme`"
    );
}

#[tokio::test]
async fn an_address_is_filled_from_the_profile() {
    let world = World::new().await;
    let profile = |metadata: serde_json::Value| json!({"cf:default": {"type": "api_key", "provider": "cf", "key": "k", "metadata": metadata}});
    let template = "https://gw.example.test/v1/{accountId}/{gatewayId}/anthropic";
    let auth = ProviderAuth { base_url_template: Some(template), oauth: None, ..world.auth("cf") };
    world.write_profiles(&profile(json!({"accountId": "a1", "gatewayId": "g-2"})));
    let credential = first(&world.profiles(), &auth).await.unwrap();
    assert_eq!(credential.base_url.as_deref(), Some("https://gw.example.test/v1/a1/g-2/anthropic"));
    for bad in [json!({"accountId": "a1"}), json!({"accountId": "a1", "gatewayId": "../x"})] {
        world.write_profiles(&profile(bad));
        let error = first(&world.profiles(), &auth).await.unwrap_err();
        assert_eq!(error.reason, FailReason::Auth);
        assert!(error.message.contains("gatewayId"), "{error}");
    }
}

#[tokio::test]
async fn a_copilot_token_is_exchanged_once_and_kept() {
    let world = World::new().await;
    let stored = |token: &str| json!({"github-copilot:github": {"type": "token", "provider": "github-copilot", "token": token}});
    world.write_profiles(&stored("ghu_secret_secret"));
    let (profiles, auth) = (world.profiles(), world.copilot());
    let credential = first(&profiles, &auth).await.unwrap();
    assert!(secret(&credential).starts_with("tid=fake1;"));
    assert_eq!(credential.kind, CredentialKind::Token);
    assert_eq!(credential.base_url.as_deref(), Some("https://api.individual.copilot.test"));
    assert!(credential.headers.iter().any(|(name, _)| name == "copilot-integration-id"));
    first(&profiles, &auth).await.unwrap();
    profiles.flush().await;
    first(&world.profiles(), &auth).await.unwrap();
    assert_eq!(world.fake.exchanges(), 1, "kept in memory and beside the profile");
    world.clock.advance(Duration::from_secs(250));
    assert!(secret(&first(&profiles, &auth).await.unwrap()).starts_with("tid=fake2;"), "renewed early");
    profiles.flush().await;
    world.write_profiles(&stored("ghu_other_other_other"));
    assert!(
        secret(&first(&profiles, &auth).await.unwrap()).starts_with("tid=fake3;"),
        "another GitHub token"
    );
    profiles.flush().await;
    world.write_profiles(&stored("revoked"));
    let error = first(&profiles, &auth).await.unwrap_err();
    assert_eq!(error.reason, FailReason::Auth);
    assert!(error.message.contains("homard models auth login --provider github-copilot"), "{error}");
}

#[tokio::test]
async fn many_calls_at_once_exchange_once() {
    let world = World::new().await;
    let auth = ProviderAuth { env: vec![("GH_TOKEN".to_owned(), ApiKey::new("ghp_env"))], ..world.copilot() };
    let profiles = world.profiles();
    let calls = (0..8).map(|_| first(&profiles, &auth));
    for credential in futures_util::future::join_all(calls).await {
        assert!(secret(&credential.unwrap()).starts_with("tid=fake1;"));
    }
    assert_eq!(world.fake.exchanges(), 1);
    assert!(!world.path("main").exists(), "nothing of the environment is written");
}

#[tokio::test]
async fn the_aws_chain_signs_with_what_it_finds() {
    let world = World::new().await;
    let auth = ProviderAuth { aws: true, oauth: None, ..world.auth("amazon-bedrock") };
    let env = Environment::from_pairs([
        ("AWS_ACCESS_KEY_ID", "AKIAEXAMPLE"),
        ("AWS_SECRET_ACCESS_KEY", "example-secret"),
        ("AWS_REGION", "eu-central-1"),
    ]);
    let credential = first(&world.profiles().with_environment(env), &auth).await.unwrap();
    let keys = credential.aws.as_ref().unwrap();
    assert_eq!((keys.access_key_id.as_str(), keys.region.as_str()), ("AKIAEXAMPLE", "eu-central-1"));
    assert_eq!(credential.kind, CredentialKind::Aws);
    assert!(credential.secret.is_none());
}
