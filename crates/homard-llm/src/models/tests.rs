//! Names resolve to models, and wrong names to helpful words.

use homard_protocol::{ModelId, ModelRef, ProviderId};
use homard_runtime::Clock;

use super::Models;
use crate::spec::{ModelSpec, ProviderSpec};
use crate::transport::http::Http;

fn registry() -> Models {
    let id = |text| ProviderId::parse(text).unwrap();
    let model = |provider, model, api| ModelSpec::new(id(provider), ModelId::parse(model).unwrap(), api);
    let mut local = ProviderSpec::new(id("local"), "openai-completions", "http://127.0.0.1:1/v1");
    local.models = ["Qwen/Big-1", "llama-small"].map(|id| model("local", id, "openai-completions")).to_vec();
    if let Some(first) = local.models.first_mut() {
        first.context_window = Some(4_096);
    }
    let bare = ProviderSpec::new(id("bare"), "anthropic-messages", "http://127.0.0.1:1");
    let mut future = ProviderSpec::new(id("future"), "telepathy", "http://127.0.0.1:1");
    future.models = vec![model("future", "mind", "telepathy")];
    Models::new(vec![local, bare, future], &Http::default(), &Clock::fixed(0)).with_locked(["anthropic"])
}

fn resolve(text: &str) -> Result<String, String> {
    let found = registry().resolve(&ModelRef::parse(text).unwrap()).map_err(|error| error.to_string())?;
    Ok(format!("{} {} {} {}", found.provider.id(), found.model.id, found.model.api, found.model.window()))
}

#[test]
fn names_resolve_to_models() {
    let rows = [
        ("local/Qwen/Big-1", "local Qwen/Big-1 openai-completions 4096"),
        ("local/qwen/big-1", "local Qwen/Big-1 openai-completions 4096"),
        ("local/Qwen/Big-2", "local Qwen/Big-2 openai-completions 4096"),
        ("local/llama-large", "local llama-large openai-completions 200000"),
        ("local/nobody", "local nobody openai-completions 4096"),
        ("bare/anything", "bare anything anthropic-messages 200000"),
        ("demo/demo", "demo demo demo 200000"),
    ];
    for (text, expected) in rows {
        assert_eq!(resolve(text).as_deref(), Ok(expected), "{text}");
    }
}

#[test]
fn wrong_names_are_answered_with_what_exists() {
    let rows = [
        (
            "lokal/x",
            "there is no model provider `lokal` (did you mean `local`?); configured are: bare, demo, future, local",
        ),
        ("zzz/x", "there is no model provider `zzz`; configured are: bare, demo, future, local"),
        (
            "anthropic/x",
            "`anthropic` has no key and no login yet; `homard models auth add --provider anthropic` takes a key",
        ),
        ("demo/demon", "provider `demo` has no model `demon` (did you mean `demo`?); it has: demo"),
        (
            "future/mind",
            "model `future/mind` wants the API `telepathy`, which is not supported yet; supported are: \
             anthropic-messages, bedrock-converse-stream, google-gemini-cli, google-generative-ai, ollama, \
             openai-completions, openai-responses",
        ),
    ];
    for (text, expected) in rows {
        assert_eq!(resolve(text).unwrap_err(), expected);
    }
}

#[test]
fn the_demo_is_always_there() {
    let models = Models::new(Vec::new(), &Http::default(), &Clock::fixed(0));
    let names: Vec<_> = models.list().map(|model| model.name.clone()).collect();
    assert_eq!(names, ["Demo (offline)"]);
    assert!(models.resolve(&Models::demo()).is_ok());
}

#[test]
fn a_program_of_its_own_can_be_asked_for_models_nobody_described() {
    let demo = std::sync::Arc::new(crate::demo::Demo::new(Clock::fixed(0)));
    let models = Models::new(Vec::new(), &Http::default(), &Clock::fixed(0)).with_provider(demo, Vec::new());
    let found = models.resolve(&ModelRef::parse("demo/opus").unwrap()).unwrap();
    assert_eq!((found.model.id.as_str(), found.model.api.as_str()), ("opus", super::CLI_API));
}
