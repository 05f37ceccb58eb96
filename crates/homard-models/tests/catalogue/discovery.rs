//! Servers are asked for their models: in time, in the background, and whatever they answer.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use homard_config::config::models::BedrockDiscovery;
use homard_config::{Config, Environment, Paths};
use homard_llm::{ApiKey, CredentialKind, FailReason, Headers, Http, HttpOptions};
use homard_models::auth::ProviderAuth;
use homard_models::catalogue::DiscoveryKind;
use homard_models::discovery::{Discovered, Discovery, DiscoveryParts, Target, targets};
use homard_models::providers::{Inputs, configure_providers};
use homard_protocol::ProviderId;
use homard_runtime::{Clock, Tasks};
use homard_testkit::{FakeLlm, FakeModels, Page};
use serde_json::json;
use tempfile::TempDir;

fn id(text: &str) -> ProviderId {
    ProviderId::parse(text).unwrap()
}

fn target(provider: &str, kind: DiscoveryKind, base_url: String) -> Target {
    let auth = ProviderAuth {
        provider: id(provider),
        env: vec![("SOME_KEY".to_owned(), ApiKey::new("list-secret"))],
        env_kind: CredentialKind::ApiKey,
        config_key: None,
        aws: false,
        keyless: false,
        oauth: None,
        exchange: None,
        base_url_template: None,
    };
    Target { provider: id(provider), kind, base_url, headers: Headers::default(), auth }
}

struct World {
    dir: TempDir,
    clock: Clock,
    tasks: Tasks,
}

impl World {
    fn new() -> Self {
        Self { dir: tempfile::tempdir().unwrap(), clock: Clock::fixed(1_000_000), tasks: Tasks::new() }
    }

    fn start(&self, targets: Vec<Target>) -> Discovery {
        Discovery::start(DiscoveryParts {
            http: Http::new(HttpOptions::default(), self.clock.clone()),
            clock: self.clock.clone(),
            tasks: self.tasks.clone(),
            cache: self.dir.path().join("cache/model-discovery.json"),
            keys: None,
            bedrock: BedrockDiscovery::default(),
            targets,
        })
    }
}

fn names(found: &Discovered, provider: &str) -> Vec<String> {
    found.models(&id(provider)).iter().map(|model| model.id.to_string()).collect()
}

#[tokio::test]
async fn lists_of_every_kind_are_read_with_the_key_and_remembered() {
    let fake = FakeModels::start().await.unwrap();
    fake.page(
        "/v1/models",
        Page::Json(json!({"data": [{"id": "one", "max_model_len": 4096}, {"id": "two"}]})),
    );
    fake.page("/api/tags", Page::Json(json!({"models": [{"model": "llama3:8b"}, {"model": "broken"}]})));
    fake.page("/api/show", Page::Json(json!({"model_info": {"llama.context_length": 131072}})));
    fake.page("/api/ps", Page::Json(json!({"models": [{"model": "llama3:8b", "context_length": 8192}]})));
    fake.page(
        "/foundation-models",
        Page::Json(json!({"modelSummaries": [{"modelId": "amazon.x", "providerName": "Amazon",
        "inputModalities": ["TEXT"], "outputModalities": ["TEXT"], "responseStreamingSupported": true}]})),
    );
    let targets = vec![
        target("vllm", DiscoveryKind::OpenAi, format!("{}/v1", fake.url())),
        target("ollama", DiscoveryKind::Ollama, format!("{}/v1", fake.url())),
        target("amazon-bedrock", DiscoveryKind::Bedrock, fake.url()),
    ];
    let world = World::new();
    let discovery = world.start(targets.clone());
    let mut changes = discovery.changes();
    changes.changed().await.unwrap();
    let found = discovery.current();
    assert_eq!(names(&found, "vllm"), ["one", "two"]);
    assert_eq!(names(&found, "ollama"), ["llama3:8b", "broken"]);
    assert_eq!(names(&found, "amazon-bedrock"), ["amazon.x"]);
    assert_eq!(found.models(&id("ollama"))[0].context_window, Some(8_192));
    let asked = fake.asked();
    assert!(
        asked.iter().all(|asked| asked.authorization.as_deref() == Some("Bearer list-secret")),
        "{asked:?}"
    );

    // A second start knows at once and leaves fresh servers alone.
    let again = world.start(targets);
    assert_eq!(names(&again.current(), "vllm"), ["one", "two"]);
    let report = again.refresh(&[id("vllm")]).await;
    assert_eq!(report.providers.len(), 1);
    assert_eq!(fake.asked().len(), asked.len() + 1, "only the one asked for was asked again");
    let text = std::fs::read_to_string(world.dir.path().join("cache/model-discovery.json")).unwrap();
    assert!(!text.contains("list-secret"));
}

#[tokio::test]
async fn servers_of_ones_own_are_asked_what_they_really_keep() {
    let world = World::new();
    let discovery = world.start(Vec::new());
    let llama = FakeModels::start().await.unwrap();
    let listed = json!({"object": "list", "data": [{"id": "/models/smol.gguf", "owned_by": "llamacpp", "meta": {"n_ctx_train": 40960}}]});
    llama.page("/v1/models", Page::Json(listed));
    llama.page(
        "/props",
        Page::Json(json!({"default_generation_settings": {"n_ctx": 4096}, "total_slots": 1})),
    );
    let studio = FakeModels::start().await.unwrap();
    let listed = json!({"data": [{"id": "a", "owned_by": "organization_owner"}, {"id": "b", "owned_by": "organization_owner"}, {"id": "e", "owned_by": "organization_owner"}]});
    studio.page("/v1/models", Page::Json(listed));
    studio.page("/api/v0/models", Page::Json(json!({"data": [
        {"id": "a", "type": "vlm", "state": "loaded", "max_context_length": 131072, "loaded_context_length": 6000},
        {"id": "b", "type": "llm", "state": "not-loaded", "max_context_length": 131072},
        {"id": "e", "type": "embeddings", "state": "not-loaded", "max_context_length": 2048}]})));
    let servers = vec![
        target("mine", DiscoveryKind::OpenAi, format!("{}/v1", llama.url())),
        target("lmstudio", DiscoveryKind::OpenAi, format!("{}/v1", studio.url())),
    ];
    let report = discovery.scan(servers).await;
    assert!(report.providers.values().all(Result::is_ok), "{report:?}");
    let found = discovery.current();
    let smol = &found.models(&id("mine"))[0];
    assert_eq!((smol.context_window, smol.any_name), (Some(4_096), true));
    let windows: Vec<_> = found
        .models(&id("lmstudio"))
        .iter()
        .map(|model| (model.id.as_str(), model.context_window, model.sees))
        .collect();
    assert_eq!(windows, [("a", Some(6_000), true), ("b", None, false)]);
}

#[tokio::test]
async fn bad_answers_leave_what_was_known() {
    let fake = FakeModels::start().await.unwrap();
    let good = json!({"data": [{"id": "one"}]});
    let world = World::new();
    let discovery = world.start(Vec::new());
    let vllm = vec![target("vllm", DiscoveryKind::OpenAi, format!("{}/v1", fake.url()))];
    fake.page("/v1/models", Page::Json(good));
    assert!(discovery.scan(vllm.clone()).await.providers[&id("vllm")].is_ok());
    let raw = |status, kind, body: &str| Page::Raw { status, kind, body: body.as_bytes().to_vec() };
    let huge = Page::Raw { status: 200, kind: "application/json", body: vec![b'['; 9 * 1024 * 1024] };
    let deep = raw(200, "application/json", &"[".repeat(100_000));
    let bad = [
        raw(200, "text/html", "<!doctype html><title>log in</title>"),
        raw(200, "application/json", "<html>"),
        raw(200, "application/json", "{\"data\": 7}"),
        raw(200, "application/json", ""),
        raw(401, "application/json", "{\"error\": {\"message\": \"bad key list-secret\"}}"),
        raw(302, "text/plain", "elsewhere"),
        raw(500, "text/plain", "oops"),
        huge,
        deep,
    ];
    for page in bad {
        fake.page("/v1/models", page);
        let report = discovery.scan(vllm.clone()).await;
        let error = report.providers[&id("vllm")].as_ref().unwrap_err();
        assert!(!error.to_string().contains("list-secret"), "{error}");
        assert_eq!(names(&discovery.current(), "vllm"), ["one"]);
    }
    // What nobody confirms for long is forgotten.
    world.clock.advance(Duration::from_secs(8 * 24 * 3_600));
    discovery.scan(vllm).await;
    assert!(names(&discovery.current(), "vllm").is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_server_that_never_answers_is_given_up_on_and_not_asked_again_at_once() {
    let fake = FakeModels::start().await.unwrap();
    fake.page("/v1/models", Page::Hangs);
    let world = World::new();
    let slow = target("vllm", DiscoveryKind::OpenAi, format!("{}/v1", fake.url()));
    let discovery = world.start(Vec::new());
    let report = discovery.scan(vec![slow.clone()]).await;
    assert_eq!(report.providers[&id("vllm")].as_ref().unwrap_err().reason, FailReason::Timeout);
    let before = fake.asked().len();
    discovery.set_targets(vec![slow]);
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert_eq!(fake.asked().len(), before);
}

#[tokio::test]
async fn a_broken_cache_is_an_empty_one() {
    let world = World::new();
    let path = world.dir.path().join("cache/model-discovery.json");
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    for text in ["", "{", "[]", "{\"version\":99}", "{\"version\":1,\"providers\":{\"x\":{\"at\":\"no\"}}}"] {
        std::fs::write(&path, text).unwrap();
        assert_eq!(*world.start(Vec::new()).current(), Discovered::default(), "{text}");
    }
}

#[tokio::test]
async fn the_fake_of_a_model_server_is_found_and_furnished() {
    let fake = FakeLlm::start().await.unwrap();
    let world = World::new();
    let discovery = world.start(Vec::new());
    let ollama = target("ollama", DiscoveryKind::Ollama, fake.ollama_url());
    let vllm = target("vllm", DiscoveryKind::OpenAi, fake.openai_url());
    let report = discovery.scan(vec![ollama, vllm]).await;
    for (provider, outcome) in &report.providers {
        assert!(outcome.as_ref().is_ok_and(|count| *count > 0), "{provider}: {outcome:?}");
    }
    let env = Environment::default();
    let config = Config::empty(&Paths::under(world.dir.path()), &env);
    let discovered = discovery.current();
    let stored = BTreeSet::new();
    let inputs =
        Inputs { config: &config, env: &env, stored_profiles: &stored, discovered: &discovered, kept: None };
    let configured = configure_providers(&inputs);
    let found: BTreeMap<&str, usize> =
        configured.providers.iter().map(|spec| (spec.id.as_str(), spec.models.len())).collect();
    assert_eq!(found.keys().copied().collect::<Vec<_>>(), ["ollama", "vllm"]);
    assert!(found.values().all(|count| *count > 0));
    assert!(configured.auth["ollama"].keyless);

    let asked = targets(&configured, &BedrockDiscovery::default(), false);
    assert_eq!(asked.len(), 2);
    let scanned = targets(&configured, &BedrockDiscovery::default(), true);
    let scanned: Vec<&str> = scanned.iter().map(|target| target.provider.as_str()).collect();
    assert_eq!(scanned, ["ollama", "vllm", "litellm", "llama-cpp", "lmstudio"]);
}
