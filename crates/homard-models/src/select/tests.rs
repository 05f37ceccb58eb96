//! Names people write, and the models they mean.

use homard_config::{Config, ConfigSource, Environment, Overrides, Paths, Snapshot};
use homard_llm::{ModelSpec, ThinkingLevel};
use homard_protocol::{ModelId, ModelRef, ProviderId};
use homard_runtime::Clock;
use proptest::prelude::{any, prop_assert_eq, proptest};

use super::{Guard, Selector, context_guard, level_for, split_profile, supported_levels, usable_context};

fn config(text: &str) -> Config {
    let dir = tempfile::tempdir().unwrap();
    let paths = Paths::under(dir.path());
    std::fs::create_dir_all(paths.config_source().parent().unwrap()).unwrap();
    std::fs::write(paths.config_source(), text).unwrap();
    let environment = Environment::from_pairs::<&str, &str>([]);
    let snapshot =
        Snapshot::load(&ConfigSource::isolated(paths, environment, Clock::fixed(0)), &Overrides::default());
    assert!(snapshot.valid(), "{:?}", snapshot.issues);
    Config::clone(&snapshot.config.unwrap())
}

fn model(text: &str) -> ModelRef {
    ModelRef::parse(text).unwrap()
}

const HOUSE: &str = r#"{
    agents: { defaults: {
        model: { primary: "anthropic/claude-opus-4-6", fallbacks: ["z.ai/glm-5", "openai/gpt-5.2"] },
        imageModel: "google/gemini-3-pro",
        models: {
            "anthropic/claude-opus-4-6": {},
            "openai/gpt-5.2": { alias: "Big" },
            "mine/special": { alias: "sp" },
        },
    } },
    models: { providers: { mine: { baseUrl: "http://127.0.0.1:9/v1", models: [{ id: "special" }, { id: "Odd.Name" }] } } },
}"#;

#[test]
fn names_are_read_as_the_owner_means_them() {
    let selector = Selector::new(&config(HOUSE));
    let table = [
        ("anthropic/claude-opus-4-6", "anthropic/claude-opus-4-6", None),
        ("Anthropic/opus-4.5", "anthropic/claude-opus-4-5", None),
        ("claude-sonnet-4-5", "anthropic/claude-sonnet-4-5", None),
        ("opus-4.6", "anthropic/claude-opus-4-6", None),
        ("OPUS", "anthropic/claude-opus-4-6", None),
        ("big", "openai/gpt-5.2", None),
        ("BIG@work", "openai/gpt-5.2", Some("work")),
        ("gpt-5-mini", "openai/gpt-5-mini", None),
        ("special", "mine/special", None),
        ("odd.name", "mine/Odd.Name", None),
        ("z-ai/glm-4.7", "zai/glm-4.7", None),
        ("qwen/coder-model", "qwen-portal/coder-model", None),
        ("kimi-code/k2p5", "kimi-coding/kimi-for-coding", None),
        ("bedrock/amazon.nova-pro-v1:0", "amazon-bedrock/amazon.nova-pro-v1:0", None),
        ("google/gemini-3-pro", "google/gemini-3-pro-preview", None),
        ("openrouter/anthropic/claude-opus-4.6", "openrouter/anthropic/claude-opus-4.6", None),
        (
            "anthropic/claude-x@anthropic:me@example.com",
            "anthropic/claude-x",
            Some("anthropic:me@example.com"),
        ),
        ("vertex/claude@20250514", "vertex/claude@20250514", None),
        ("vertex/claude@20250514@work", "vertex/claude@20250514", Some("work")),
        ("cf/@cf/meta/llama", "cf/@cf/meta/llama", None),
        ("something-nobody-knows", "anthropic/something-nobody-knows", None),
    ];
    for (text, expected, profile) in table {
        let wanted = selector.parse(text).unwrap();
        assert_eq!(wanted.model.to_string(), expected, "{text}");
        assert_eq!(wanted.profile.as_deref(), profile, "{text}");
    }
    for bad in ["", "   ", "/", "anthropic/", "/x", "@work"] {
        let read = selector.parse(bad);
        assert!(bad == "@work" || read.is_err(), "{bad}: {read:?}");
    }
}

#[test]
fn a_list_of_models_is_also_what_is_allowed() {
    let selector = Selector::new(&config(HOUSE));
    for yes in ["mine/special", "zai/glm-5", "z.ai/glm-5", "google/gemini-3-pro-preview"] {
        assert!(selector.allows(&model(yes)), "{yes}");
    }
    assert!(!selector.allows(&model("openai/gpt-4o")));
    let open = Selector::new(&config(r#"{ agents: { defaults: { model: "openai/gpt-5.2" } } }"#));
    assert!(open.allows(&model("x/y")) && open.allowed().is_none());
    let newer = r#"{ agents: { defaults: { modelPolicy: { allow: ["openai/*", "x/y"] } } } }"#;
    let newer = Selector::new(&config(newer));
    assert!(newer.allows(&model("openai/anything")) && newer.allows(&model("x/y")));
    assert!(!newer.allows(&model("x/z")));
}

#[test]
fn after_the_model_asked_for_come_fallbacks_and_the_agents_own() {
    let config = config(HOUSE);
    let selector = Selector::new(&config);
    let chain = |asked: &str| -> Vec<String> {
        let chain = selector.chain(config.agents.default_agent(), &model(asked));
        chain.iter().map(ToString::to_string).collect()
    };
    assert_eq!(chain("anthropic/opus-4.6"), ["anthropic/claude-opus-4-6", "zai/glm-5", "openai/gpt-5.2"]);
    assert_eq!(
        chain("openai/gpt-5.2"),
        ["openai/gpt-5.2", "zai/glm-5", "anthropic/claude-opus-4-6"],
        "the one asked for comes once"
    );
    assert_eq!(selector.image_chain(), [model("google/gemini-3-pro-preview")]);
}

#[test]
fn a_context_is_judged_by_what_prompt_and_tools_take_of_it() {
    let table = [
        (4_096, 1_500, Guard::Warn),
        (8_192, 2_500, Guard::Ok),
        (8_192, 3_500, Guard::Warn),
        (200_000, 12_000, Guard::Ok),
        (4_096, 3_500, Guard::Block),
        (2_048, 1_500, Guard::Block),
        (0, 0, Guard::Block),
    ];
    for (window, taken, guard) in table {
        assert_eq!(context_guard(window, taken), guard, "{window} {taken}");
    }
}

#[test]
fn levels_follow_what_a_model_can() {
    let spec = |provider: &str, id: &str, reasoning: bool| {
        let mut spec = ModelSpec::new(
            ProviderId::parse(provider).unwrap(),
            ModelId::parse(id).unwrap(),
            "openai-completions",
        );
        spec.reasoning = reasoning;
        spec
    };
    let (off, low, high, xhigh) =
        (ThinkingLevel::Off, ThinkingLevel::Low, ThinkingLevel::High, ThinkingLevel::XHigh);
    let table = [
        (spec("openai", "gpt-5.2", true), xhigh, xhigh),
        (spec("openai-codex", "gpt-5.3-codex", true), xhigh, xhigh),
        (spec("github-copilot", "gpt-5.2", true), xhigh, xhigh),
        (spec("openai", "gpt-5", true), xhigh, high),
        (spec("anthropic", "claude-opus-4-5-20251101", true), xhigh, high),
        (spec("zai", "glm-5", true), high, low),
        (spec("zai", "glm-5", true), ThinkingLevel::Minimal, low),
        (spec("zai", "glm-5", true), off, off),
        (spec("mine", "plain", false), high, off),
    ];
    for (model, asked, given) in table {
        assert_eq!(level_for(&model, asked), given, "{} {asked:?}", model.id);
        assert!(supported_levels(&model).is_sorted());
    }
}

proptest! {
    #[test]
    fn any_text_is_read_without_panic(text in any::<String>()) {
        let dir = std::path::Path::new("/nowhere");
        let config = Config::empty(&Paths::under(dir), &Environment::default());
        let selector = Selector::new(&config);
        if let Ok(wanted) = selector.parse(&text) {
            prop_assert_eq!(selector.normal(&wanted.model), wanted.model);
        }
    }

    #[test]
    fn cutting_a_profile_off_loses_nothing(text in "[a-z0-9@/:. -]{0,40}") {
        let (name, profile) = split_profile(&text);
        if let Some(profile) = profile {
            assert!(text.contains(name) && text.contains(profile));
        }
    }
}

#[test]
fn the_owner_may_want_less_context_and_fewer_models() {
    let narrow = config(
        r#"{ agents: { defaults: { contextTokens: 9000, modelPolicy: { allow: ["openai/gpt-5.2", "zai/*"] } } } }"#,
    );
    let spec = ModelSpec::new(ProviderId::parse("p").unwrap(), ModelId::parse("m").unwrap(), "x");
    assert_eq!(usable_context(&spec, &narrow), 9_000);
    assert_eq!(usable_context(&spec, &config("{}")), spec.window());
    let selector = Selector::new(&narrow);
    for (name, may) in [("openai/gpt-5.2", true), ("zai/glm-5", true), ("openai/gpt-4o", false)] {
        assert_eq!(selector.allows(&model(name)), may, "{name}");
    }
}
