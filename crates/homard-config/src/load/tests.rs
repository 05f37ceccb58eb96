//! The whole walk from files and variables to settings.

use std::path::Path;
use std::time::Duration;

use homard_protocol::{AgentId, ModelRef, ProviderId};
use homard_runtime::Clock;
use insta::assert_snapshot;
use serde_json::json;

use super::{ConfigSource, Snapshot};
use crate::changes::overrides::Overrides;
use crate::config::agents::ThinkingLevel;
use crate::config::gateway::{AuthMode, BindMode};
use crate::config::session::{DmScope, Reset};
use crate::config::tools::{ExecAsk, ExecSecurity};
use crate::env::{Environment, ProcessFacts};
use crate::paths::{Paths, Profile};
use crate::secret::Secret;

const FIXTURE: &str = include_str!("../../tests/fixtures/openclaw.json");

fn source(home: &Path, pairs: &[(&str, &str)]) -> ConfigSource {
    ConfigSource::isolated(
        Paths::under(home),
        Environment::from_pairs(pairs.iter().copied()),
        Clock::fixed(0),
    )
}

fn load(text: &str, pairs: &[(&str, &str)]) -> Snapshot {
    let home = tempfile::tempdir().unwrap();
    let source = source(home.path(), pairs);
    std::fs::create_dir_all(&source.paths.state_dir).unwrap();
    std::fs::write(&source.paths.config_path, text).unwrap();
    Snapshot::load(&source, &Overrides::default())
}

fn told(snapshot: &Snapshot) -> Vec<String> {
    snapshot.issues.iter().map(ToString::to_string).collect()
}

#[test]
fn no_file_means_the_defaults() {
    let home = tempfile::tempdir().unwrap();
    let snapshot = Snapshot::load(&source(home.path(), &[]), &Overrides::default());
    let config = snapshot.config.clone().unwrap();
    assert!(!snapshot.exists && snapshot.valid() && snapshot.warnings.is_empty());
    assert_eq!((config.gateway.port, config.gateway.bind), (18_789, BindMode::Loopback));
    assert_eq!((config.gateway.auth.mode, config.gateway.auth.token.clone()), (AuthMode::Token, None));
    assert_eq!(config.agents.default_agent().id, AgentId::main());
    assert_eq!(config.agents.default_agent().workspace, home.path().join(".homard/workspace"));
    assert_eq!(config.agents.defaults.timeout, Duration::from_secs(600));
    assert_eq!(config.agents.defaults.max_concurrent, 4);
    assert_eq!(config.tools.exec.timeout, Duration::from_secs(1_800));
    assert_eq!(config.session.reset, Reset { at_hour: Some(4), idle: None });
}

#[test]
fn an_existing_openclaw_file_loads_unchanged() {
    let home = tempfile::tempdir().unwrap();
    let file = home.path().join(".openclaw/openclaw.json");
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    std::fs::write(&file, FIXTURE).unwrap();
    let pairs = [("HOME", home.path().to_str().unwrap()), ("GATEWAY_TOKEN", "gt"), ("LOCAL_KEY", "lk")];
    let environment = Environment::from_pairs(pairs);
    let paths = Paths::resolve(&environment, &ProcessFacts::default(), None).unwrap();
    let snapshot =
        Snapshot::load(&ConfigSource::isolated(paths, environment, Clock::fixed(0)), &Overrides::default());
    assert_eq!(told(&snapshot), [""; 0]);
    assert_eq!(snapshot.path, file);
    let warnings: Vec<String> = snapshot.notices().iter().map(ToString::to_string).collect();
    assert_eq!(warnings.len(), 1, "{warnings:?}");
    assert!(warnings[0].starts_with("known, not yet in effect: update.checkOnStart, "), "{}", warnings[0]);
    for place in ["diagnostics.flags", "ui"] {
        assert!(warnings[0].contains(&format!(", {place}, ")), "{place}: {}", warnings[0]);
    }
    let config = snapshot.config.unwrap();
    assert_eq!(config.gateway.auth.token, Some(Secret::new("gt")));
    assert_eq!(config.gateway.control_ui.base_path, "/ui");
    assert_eq!(config.agents.defaults.workspace, home.path().join("clawd"));
    assert_eq!(config.agents.defaults.thinking, Some(ThinkingLevel::Low));
    let fallbacks: Vec<String> =
        config.agents.defaults.model.fallbacks.iter().map(ToString::to_string).collect();
    assert_eq!(fallbacks, ["openrouter/z-ai/glm-4.7", "openai/gpt-5.2"]);
    let work = config.agents.agent(&AgentId::parse("work").unwrap()).unwrap();
    assert_eq!(work.model.primary, Some(ModelRef::parse("anthropic/claude-opus-4-6").unwrap()));
    assert_eq!(work.model.fallbacks, []);
    let local = &config.models.providers[&ProviderId::parse("local").unwrap()];
    assert_eq!(local.base_url.as_deref(), Some("http://127.0.0.1:1234/v1"));
    assert_eq!(local.api_key, Some(Secret::new("lk")));
    assert_eq!((local.models[0].max_tokens, local.models[1].context_window), (Some(8_192), Some(4_096)));
    assert_eq!(config.session.dm_scope, DmScope::PerChannelPeer);
    assert_eq!(
        config.session.reset_direct,
        Some(Reset { at_hour: None, idle: Some(Duration::from_secs(3_600)) })
    );
    assert_eq!(config.channels.sections().count(), 2);
}

#[test]
fn newer_spellings_mean_the_same() {
    let text = "{ agents: { entries: { b: { default: true }, a: {} } },
        tools: { exec: { mode: 'ask', timeoutSeconds: 5 } }, env: { vars: { T: 'tok' } },
        gateway: { auth: { token: '${T}' } }, session: { idleMinutes: 5 } }";
    let config = load(text, &[]).config.unwrap();
    assert_eq!(config.agents.default_agent().id.as_str(), "b");
    assert_eq!(config.agents.list.len(), 2);
    assert_eq!(config.tools.exec.security, Some(ExecSecurity::Allowlist));
    assert_eq!(config.tools.exec.ask, Some(ExecAsk::OnMiss));
    assert_eq!(config.tools.exec.timeout, Duration::from_secs(5));
    assert_eq!(config.gateway.auth.token, Some(Secret::new("tok")));
    assert_eq!(config.session.reset, Reset { at_hour: None, idle: Some(Duration::from_secs(300)) });
}

#[test]
fn variables_override_or_stand_in_for_the_file() {
    let port = |text: &str, pairs: &[(&str, &str)]| load(text, pairs).config.map(|c| c.gateway.port);
    assert_eq!(port("{ gateway: { port: 1 } }", &[("HOMARD_GATEWAY_PORT", "2")]), Some(2));
    assert_eq!(port("{ gateway: { port: 1 } }", &[("OPENCLAW_GATEWAY_PORT", "3")]), Some(3));
    assert_eq!(port("{ gateway: { port: 1 } }", &[("HOMARD_GATEWAY_PORT", " ")]), Some(1));
    assert_eq!(port("{}", &[("HOMARD_GATEWAY_PORT", "x")]), None);
    let token = |text: &str| {
        load(text, &[("CLAWDBOT_GATEWAY_TOKEN", "env")]).config.unwrap().gateway.auth.token.clone()
    };
    assert_eq!(token("{}"), Some(Secret::new("env")));
    assert_eq!(token("{ gateway: { auth: { token: 'file' } } }"), Some(Secret::new("file")));
}

#[test]
fn the_dev_profile_has_a_port_of_its_own() {
    let home = tempfile::tempdir().unwrap();
    let environment = Environment::from_pairs([("HOME", home.path().to_str().unwrap())]);
    let paths = Paths::resolve(&environment, &ProcessFacts::default(), Some(Profile::Dev)).unwrap();
    let snapshot =
        Snapshot::load(&ConfigSource::isolated(paths, environment, Clock::fixed(0)), &Overrides::default());
    assert_eq!(snapshot.config.unwrap().gateway.port, 19_001);
}

#[test]
fn layers_of_the_environment_feed_references_in_order() {
    let home = tempfile::tempdir().unwrap();
    let source = source(home.path(), &[("A", "process")]);
    std::fs::create_dir_all(&source.paths.state_dir).unwrap();
    std::fs::write(source.paths.state_dir.join(".env"), "A=dotenv\nB=dotenv\n").unwrap();
    let text = "{ env: { A: 'file', B: 'file', C: 'file' }, ui: { assistant: { name: '${A} ${B} ${C}' } } }";
    std::fs::write(&source.paths.config_path, text).unwrap();
    let snapshot = Snapshot::load(&source, &Overrides::default());
    assert_eq!(snapshot.resolved["ui"]["assistant"]["name"], "process dotenv file");
    assert_eq!(snapshot.parsed["ui"]["assistant"]["name"], "${A} ${B} ${C}");
}

#[test]
fn what_a_schema_cannot_say_is_checked_too() {
    let text = "{
        gateway: { bind: 'custom', auth: { token: 'a', password: 'b' } },
        agents: { defaults: { model: 'opus' }, list: [{ id: 'a', agentDir: '~/x' }, { id: 'b', agentDir: '~/y/../x' }, { id: 'Bad Id' }, { name: 'none' }, { id: 'a' }] },
        models: { providers: { p: { baseUrl: 'example.org' } } },
        tools: { allow: ['read'], alsoAllow: ['write'] },
    }";
    let snapshot = load(text, &[]);
    let home = snapshot.path.parent().unwrap().parent().unwrap().display().to_string();
    assert!(snapshot.config.is_none());
    assert_snapshot!(told(&snapshot).join("\n").replace(&home, "HOME"), @r#"
    `gateway.customBindHost`: an address is needed because `gateway.bind` is "custom"
    `gateway.auth.mode`: both a token and a password are set; say which one counts: "token" or "password"
    `agents.defaults.model`: `opus` is not a model reference: write it as provider/model
    `agents.list[2].id`: agent id has a character that is not allowed: 'B' in `Bad Id`
    `agents.list[3].id`: every agent needs an id of lower-case letters, digits, `_` and `-`
    `agents.list[1].agentDir`: agents `a` and `b` both use `HOME/x`; give each its own directory
    `agents.list[4].id`: the id `a` is used twice
    `models.providers.p.baseUrl`: `example.org` is not an address; it must start with https:// or http://
    `tools.alsoAllow`: `allow` and `alsoAllow` cannot both be used; put everything in `allow`, or use a profile with `alsoAllow`
    "#);
}

#[test]
fn broken_texts_and_missing_variables_are_told() {
    assert_eq!(
        told(&load("{ a: }", &[])),
        ["the file is not valid JSON5: line 1, column 6: expected a value, found '}'"]
    );
    assert_eq!(told(&load("[]", &[])), ["the file must hold one object { … }"]);
    assert_eq!(told(&load("  \n", &[])), [""; 0]);
    let issues = told(&load("{ gateway: { auth: { token: '${NOPE}' } } }", &[]));
    assert_eq!(issues.len(), 1);
    assert!(issues[0].starts_with("`gateway.auth.token`: environment variable `NOPE` is not set"));
}

#[test]
fn only_a_newer_version_of_ourselves_is_warned_about() {
    let warnings = |version: &str| {
        load(&json!({ "meta": { "lastTouchedVersion": version } }).to_string(), &[]).warnings.len()
    };
    assert_eq!([warnings("99.0.0"), warnings("0.0.1"), warnings("2026.9.6"), warnings("odd")], [1, 0, 0, 0]);
}

#[test]
fn what_does_nothing_yet_is_named_for_those_who_ask_and_counted_for_the_log() {
    let text =
        "{ ui: { seamColor: '#112233' }, update: { checkOnStart: false }, memory: null, gateway: { port: 5 },
        agents: { list: [{ id: 'a', humanDelay: {}, memorySearch: { cache: {} } }] } }";
    let snapshot = load(text, &[]);
    assert!(snapshot.valid());
    let names =
        ["ui", "update.checkOnStart", "agents.list[0].humanDelay", "agents.list[0].memorySearch.cache"];
    assert_eq!(snapshot.inert, names);
    let notices: Vec<String> = snapshot.notices().iter().map(ToString::to_string).collect();
    assert_eq!(notices, [format!("known, not yet in effect: {}", names.join(", "))]);
    let short = "4 settings do nothing yet, in: ui, update, agents; homard config validate names them";
    assert_eq!(snapshot.inert_in_short().as_deref(), Some(short));
    let one = load("{ ui: {} }", &[]).inert_in_short();
    assert_eq!(one.as_deref(), Some("1 setting does nothing yet, in: ui; homard config validate names them"));
    assert_eq!(load("{ gateway: { port: 5 } }", &[]).inert_in_short(), None);
}

#[test]
fn secret_references_to_variables_are_followed() {
    let text = "{ gateway: { auth: { token: { source: 'env', id: 'TOK' } } } }";
    assert_eq!(load(text, &[("TOK", "t")]).config.unwrap().gateway.auth.token, Some(Secret::new("t")));
    assert_eq!(told(&load(text, &[])), ["`gateway.auth.token`: environment variable `TOK` is not set"]);
    let file = load("{ gateway: { auth: { token: { source: 'file', id: '/x' } } } }", &[]);
    assert!(file.valid() && file.warnings.iter().any(|w| w.message.contains("not yet in effect")));
}

#[test]
fn a_snapshot_for_clients_holds_no_secret() {
    let snapshot = load(
        "{ gateway: { auth: { token: 'hunter2' } }, channels: { x: { botToken: 'hunter2' } } } // mine",
        &[],
    );
    let shown = format!(
        "{snapshot:?}{:?}{}{}",
        snapshot.config,
        snapshot.redacted_parsed(),
        snapshot.redacted_raw().unwrap()
    );
    assert!(!shown.contains("hunter2"));
    assert!(snapshot.redacted_raw().unwrap().ends_with("// mine"));
    assert_eq!(snapshot.hash.len(), 64);
}

#[test]
fn a_key_that_is_wrong_is_not_also_called_known() {
    let home = tempfile::tempdir().unwrap();
    let paths = Paths::under(home.path());
    std::fs::create_dir_all(&paths.state_dir).unwrap();
    std::fs::write(&paths.config_path, "{ gateway: { prot: 5 }, ui: { seamColor: '#112233' } }").unwrap();
    let nothing: [(&str, &str); 0] = [];
    let source = ConfigSource::isolated(paths, Environment::from_pairs(nothing), Clock::fixed(0));
    let snapshot = Snapshot::load(&source, &Overrides::default());
    assert_eq!(snapshot.issues.len(), 1);
    assert_eq!(snapshot.inert, ["ui"]);
    assert_eq!(snapshot.notices()[0].message, "known, not yet in effect: ui");
}
