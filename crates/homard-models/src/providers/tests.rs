//! Who is configured from what, and what wins.

use std::collections::BTreeSet;

use homard_config::config::models::BedrockDiscovery;
use homard_config::{Config, ConfigSource, Environment, Overrides, Paths, Snapshot};
use homard_llm::{CredentialKind, ProviderSpec};
use homard_protocol::{ModelId, ProviderId};
use homard_runtime::Clock;
use serde_json::{Value, json};

use super::{ConfiguredProviders, Inputs, configure_providers, read_models_json, write_models_json};
use crate::catalogue::DiscoveryKind;
use crate::discovery::{Discovered, Found, FoundModel, targets};

/// A house: its configuration, environment, profiles and files.
#[derive(Default)]
struct House {
    config: &'static str,
    env: &'static [(&'static str, &'static str)],
    profiles: &'static [&'static str],
    discovered: Discovered,
    kept: Option<Value>,
}

impl House {
    fn configure(&self) -> ConfiguredProviders {
        let dir = tempfile::tempdir().unwrap();
        let paths = Paths::under(dir.path());
        std::fs::create_dir_all(paths.config_source().parent().unwrap()).unwrap();
        let text = if self.config.is_empty() { "{}" } else { self.config };
        std::fs::write(paths.config_source(), text).unwrap();
        let env = Environment::from_pairs(self.env.iter().copied());
        let source = ConfigSource::isolated(paths, env.clone(), Clock::fixed(0));
        let snapshot = Snapshot::load(&source, &Overrides::default());
        assert!(snapshot.valid(), "{:?}", snapshot.issues);
        let config: &Config = snapshot.config.as_deref().unwrap();
        let stored: BTreeSet<ProviderId> =
            self.profiles.iter().map(|id| ProviderId::parse(id).unwrap()).collect();
        let discovered = &self.discovered;
        configure_providers(&Inputs {
            config,
            env: &env,
            stored_profiles: &stored,
            discovered,
            kept: self.kept.as_ref(),
        })
    }
}

fn ids(configured: &ConfiguredProviders) -> Vec<&str> {
    configured.providers.iter().map(|spec| spec.id.as_str()).collect()
}

fn provider<'a>(configured: &'a ConfiguredProviders, id: &str) -> &'a ProviderSpec {
    configured.providers.iter().find(|spec| spec.id.as_str() == id).expect(id)
}

fn model_ids(spec: &ProviderSpec) -> Vec<&str> {
    spec.models.iter().map(|model| model.id.as_str()).collect()
}

#[test]
fn a_house_with_nothing_has_nobody() {
    let configured = House::default().configure();
    assert!(configured.providers.is_empty() && configured.notes.is_empty());
}

#[test]
fn whoever_has_a_credential_is_furnished() {
    let house = House {
        env: &[
            ("OPENAI_API_KEY", "sk-1"),
            ("Z_AI_API_KEY", "z"),
            ("AWS_PROFILE", "work"),
            ("GH_TOKEN", "gho"),
            ("CLOUDFLARE_AI_GATEWAY_API_KEY", "cf"),
            ("OLLAMA_API_KEY", "any"),
        ],
        profiles: &["minimax-portal", "nobody-knows"],
        ..House::default()
    };
    let configured = house.configure();
    assert_eq!(
        ids(&configured),
        ["amazon-bedrock", "github-copilot", "minimax-portal", "ollama", "openai", "zai"]
    );
    assert!(configured.notes[0].contains("CLOUDFLARE_AI_GATEWAY_ACCOUNT_ID"), "{:?}", configured.notes);
    assert!(configured.auth["amazon-bedrock"].aws && !configured.auth["openai"].aws);
    assert_eq!(configured.auth["github-copilot"].env_kind, CredentialKind::Token);
    assert!(configured.auth["github-copilot"].exchange.is_some());
    assert!(configured.auth["minimax-portal"].oauth.is_some());
    let openai = model_ids(provider(&configured, "openai"));
    assert!(openai.contains(&"gpt-5.3-codex"), "newer ones are made after known ones");
}

#[test]
fn the_first_variable_wins_and_kinds_are_not_mixed() {
    let both =
        House { env: &[("ANTHROPIC_API_KEY", "k"), ("ANTHROPIC_OAUTH_TOKEN", "t")], ..House::default() };
    let configured = both.configure();
    let auth = &configured.auth["anthropic"];
    assert_eq!((auth.env.len(), auth.env_kind), (1, CredentialKind::Token));
    assert_eq!(auth.env[0].0, "ANTHROPIC_OAUTH_TOKEN");
    let two = House { env: &[("ZAI_API_KEY", "a"), ("Z_AI_API_KEY", "b")], ..House::default() }.configure();
    assert_eq!(
        two.auth["zai"].env.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(),
        ["ZAI_API_KEY", "Z_AI_API_KEY"]
    );
}

#[test]
fn what_the_owner_wrote_wins_and_rows_fill_the_gaps() {
    let house = House {
        config: r#"{ models: { providers: {
            "z.ai": { baseUrl: "https://api.z.ai/api/coding/paas/v4", headers: { "X-Own": "1" },
                models: [{ id: "glm-4.7", contextWindow: 1000, maxTokens: 10, cost: { input: 9 } },
                    { id: "mine", api: "anthropic-messages" }] },
            google: { models: [{ id: "gemini-3-pro", name: "G" }] },
            custom: { baseUrl: "http://127.0.0.1:9/v1", api: "openai-completions" },
            proxied: { baseUrl: "https://x.example/v1", apiKey: "NAMED_KEY", auth: "token" },
            nowhere: { models: [{ id: "a" }] },
        } } }"#,
        env: &[("ZAI_API_KEY", "z"), ("NAMED_KEY", "from the environment")],
        ..House::default()
    };
    let configured = house.configure();
    assert_eq!(ids(&configured), ["custom", "google", "proxied", "zai"]);
    assert!(configured.notes.iter().any(|note| note.contains("models.providers.nowhere has no baseUrl")));
    let zai = provider(&configured, "zai");
    assert_eq!(zai.base_url, "https://api.z.ai/api/coding/paas/v4");
    assert_eq!(model_ids(zai).get(..3).unwrap(), ["glm-4.7", "mine", "glm-5"]);
    assert_eq!((zai.models[0].context_window, zai.models[0].price.input), (Some(1_000), 9.0));
    assert_eq!(
        (zai.models[0].api.as_str(), zai.models[1].api.as_str()),
        ("openai-completions", "anthropic-messages")
    );
    assert!(zai.headers.iter().any(|(name, value)| (name, value) == ("x-own", "1")));
    let google = provider(&configured, "google");
    assert_eq!(google.models[0].id.as_str(), "gemini-3-pro-preview");
    assert_eq!(google.models.iter().filter(|m| m.id.as_str() == "gemini-3-pro-preview").count(), 1);
    assert!(configured.auth["custom"].keyless && !configured.auth["google"].keyless);
    let proxied = provider(&configured, "proxied");
    assert_eq!(proxied.api_key.as_ref().unwrap().expose(), "from the environment");
    assert!(proxied.auth_header);
}

#[test]
fn what_every_call_asks_for_comes_from_the_model_and_from_the_owners_list() {
    let house = House {
        config: r#"{
            agents: { defaults: { models: {
                "mine/smol": { params: { temperature: 0.2, repeat_penalty: 1.3, cacheRetention: "long" } },
                "ollama/qwen3:8b": { params: { options: { num_ctx: 16384, min_p: 0.1 } } },
                "openai/gpt-5.2": { params: { maxTokens: 900 } },
            } } },
            models: { providers: {
                mine: { baseUrl: "http://127.0.0.1:9/v1", models: [{ id: "smol", maxTokens: 256, params: { temperature: 1, seed: 7 } }] },
                ollama: { models: [{ id: "qwen3:8b" }] },
            } } }"#,
        env: &[("OPENAI_API_KEY", "k")],
        ..House::default()
    };
    let configured = house.configure();
    let smol = &provider(&configured, "mine").models[0];
    assert_eq!(
        (smol.params.max_tokens, smol.params.sampling.temperature, smol.params.sampling.seed),
        (Some(256), Some(0.2), Some(7))
    );
    assert_eq!(json!(smol.params.extra), json!({"repeat_penalty": 1.3}));
    assert!(
        configured.notes.iter().any(|note| note.contains("mine/smol") && note.contains("cacheRetention")),
        "{:?}",
        configured.notes
    );
    let qwen = &provider(&configured, "ollama").models[0];
    assert_eq!((qwen.context_window, json!(qwen.params.extra)), (Some(16_384), json!({"min_p": 0.1})));
    let openai = provider(&configured, "openai");
    let limits: Vec<_> = openai
        .models
        .iter()
        .filter(|model| model.params.max_tokens.is_some())
        .map(|model| model.id.as_str())
        .collect();
    assert_eq!(limits, ["gpt-5.2"], "a provider's own limit needs no saying");
}

#[test]
fn what_a_server_of_ones_own_keeps_counts_where_the_owner_did_not_say() {
    let mut discovered = Discovered::default();
    let mut only = FoundModel::named(ModelId::parse("/models/smol.gguf").unwrap());
    (only.context_window, only.any_name) = (Some(4_096), true);
    let found = Found { at: 0, base_url: String::new(), models: vec![only] };
    discovered.put(ProviderId::parse("mine").unwrap(), found);
    let config = r#"{ models: { providers: { mine: { baseUrl: "http://127.0.0.1:9/v1",
        models: [{ id: "smol" }, { id: "said", contextWindow: 2048 }] } } } }"#;
    let configured = House { config, discovered, ..House::default() }.configure();
    let models: Vec<_> = provider(&configured, "mine")
        .models
        .iter()
        .map(|m| (m.id.as_str(), m.context_window, m.max_tokens))
        .collect();
    assert_eq!(models, [("smol", Some(4_096), 4_096), ("said", Some(2_048), 2_048)]);
    let unknown = House { config, ..House::default() }.configure();
    assert_eq!(provider(&unknown, "mine").models[0].context_window, None, "nothing is invented");
}

#[test]
fn replacing_leaves_only_what_the_owner_wrote() {
    let house = House {
        config: r#"{ models: { mode: "replace", providers: { openai: { models: [{ id: "only" }] } } } }"#,
        env: &[("OPENAI_API_KEY", "k"), ("GROQ_API_KEY", "g")],
        kept: Some(json!({"providers": {"other": {"baseUrl": "https://o.example", "apiKey": "x"}}})),
        ..House::default()
    };
    let configured = house.configure();
    assert_eq!(ids(&configured), ["openai"]);
    assert_eq!(configured.auth["openai"].env.len(), 1);
}

#[test]
fn found_models_come_last_and_bring_prices() {
    let mut discovered = Discovered::default();
    let mut known = FoundModel::named(ModelId::parse("llama-3.3-70b").unwrap());
    known.price = Some([0.7, 2.8, 0.0, 0.0]);
    known.context_window = Some(1);
    let mut new = FoundModel::named(ModelId::parse("brand-new").unwrap());
    new.context_window = Some(64_000);
    new.sees = true;
    let found = Found { at: 0, base_url: String::new(), models: vec![known, new] };
    discovered.put(ProviderId::parse("venice").unwrap(), found);
    let house = House { env: &[("VENICE_API_KEY", "v")], discovered, ..House::default() };
    let configured = house.configure();
    let venice = provider(&configured, "venice");
    assert_eq!((venice.models[0].price.output, venice.models[0].context_window), (2.8, Some(131_072)));
    let new = venice.models.last().unwrap();
    assert_eq!((new.id.as_str(), new.context_window, new.sees_images()), ("brand-new", Some(64_000), true));
}

#[test]
fn the_file_of_before_wins_where_somebody_edited_it() {
    let env: &[(&str, &str)] = &[("OPENAI_API_KEY", "sk-secret"), ("OTHER_KEY", "other-secret")];
    let first = House { env, ..House::default() }.configure();
    assert_eq!(first.models_json["providers"]["openai"]["apiKey"], "OPENAI_API_KEY");
    // Untouched, it follows the configuration.
    let config = r#"{ models: { providers: { openai: { baseUrl: "https://new.example/v1" } } } }"#;
    let untouched =
        House { env, config, kept: Some(first.models_json.clone()), ..House::default() }.configure();
    assert_eq!(provider(&untouched, "openai").base_url, "https://new.example/v1");
    // Edited by hand, the edit stays, and stays again.
    let mut edited = first.models_json.clone();
    edited["providers"]["openai"]["baseUrl"] = json!("https://hand.example/v1");
    edited["providers"]["openai"]["apiKey"] = json!("OTHER_KEY");
    edited["providers"]["theirs"] = json!({"baseUrl": "https://theirs.example/v1", "apiKey": "literal-secret",
        "api": "anthropic-messages", "models": [{"id": "m", "cost": {"input": 2}, "contextWindow": 50_000}, 7, {"id": ""}]});
    for _ in 0..2 {
        let configured = House { env, config, kept: Some(edited.clone()), ..House::default() }.configure();
        let openai = provider(&configured, "openai");
        assert_eq!(openai.base_url, "https://hand.example/v1");
        assert_eq!(configured.auth["openai"].config_key.as_ref().unwrap().expose(), "other-secret");
        let theirs = provider(&configured, "theirs");
        assert_eq!((theirs.api.as_str(), theirs.models.len()), ("anthropic-messages", 1));
        assert_eq!((theirs.models[0].price.input, theirs.models[0].context_window), (2.0, Some(50_000)));
        let text = configured.models_json.to_string();
        assert!(
            !text.contains("other-secret") && !text.contains("sk-secret") && text.contains("literal-secret")
        );
        edited = configured.models_json;
    }
    // A credential that went away takes our own entry with it.
    let gone = House { kept: Some(first.models_json), ..House::default() }.configure();
    assert!(gone.providers.is_empty());
    for nonsense in
        [json!(7), json!({"providers": []}), json!({"providers": {"a": 7, "": {}, "b": {"apiKey": 1}}})]
    {
        assert!(House { kept: Some(nonsense), ..House::default() }.configure().providers.is_empty());
    }
}

#[test]
fn the_file_is_written_only_when_it_changes_and_for_the_owner_only() {
    use std::os::unix::fs::PermissionsExt as _;
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("agent/models.json");
    let value = json!({"providers": {}});
    assert!(write_models_json(&path, &value).unwrap());
    assert!(!write_models_json(&path, &value).unwrap());
    assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(read_models_json(&path), Some(value.clone()));
    std::fs::write(&path, "{ half").unwrap();
    assert_eq!(read_models_json(&path), None);
    assert!(write_models_json(&path, &value).unwrap());
    assert_eq!(std::fs::read_to_string(path.with_extension("json.broken")).unwrap(), "{ half");
}

#[test]
fn bedrock_is_asked_what_it_has_unless_the_owner_says_no() {
    let env = &[("AWS_ACCESS_KEY_ID", "a"), ("AWS_SECRET_ACCESS_KEY", "b")];
    let configured = House { env, ..House::default() }.configure();
    let is_asked = |enabled: Option<bool>| {
        let settings = BedrockDiscovery { enabled, ..BedrockDiscovery::default() };
        let targets = targets(&configured, &settings, false);
        targets.iter().any(|target| target.kind == DiscoveryKind::Bedrock)
    };
    assert_eq!((is_asked(None), is_asked(Some(false))), (true, false));
}
