//! For each check of the audit settings that trigger it and settings that do not.

use serde_json::json;

use crate::fixture::Home;
use crate::scene::GatewayState;
use crate::{AUDIT, Act, Repair};

/// The settings of a careful owner: nothing below says anything about them but in `summary`.
const CAREFUL: &str = r#"{
    gateway: { auth: { token: "${TOKEN}" } },
    channels: { telegram: { botToken: "x", allowFrom: ["1"], groupPolicy: "disabled" } },
}"#;

const LONG: &str = "0123456789abcdef0123456789abcdef";

/// A finding, settings that trigger it, settings that do not.
const CASES: &[(&str, &str, &str)] = &[
    (
        "gateway.bind_no_auth",
        r#"{gateway: {bind: "lan", auth: {mode: "none"}}}"#,
        r#"{gateway: {auth: {mode: "none"}}}"#,
    ),
    ("gateway.loopback_no_auth", r#"{gateway: {auth: {mode: "none"}}}"#, CAREFUL),
    (
        "gateway.token_too_short",
        r#"{gateway: {auth: {token: "short"}}}"#,
        r#"{gateway: {auth: {token: "0123456789abcdef0123456789abcdef"}}}"#,
    ),
    (
        "gateway.password_too_short",
        r#"{gateway: {auth: {password: "short"}}}"#,
        r#"{gateway: {auth: {password: "0123456789abcdef0123456789abcdef"}}}"#,
    ),
    (
        "gateway.auth_no_rate_limit",
        r#"{gateway: {bind: "lan", auth: {rateLimit: {maxAttempts: 100000}}}}"#,
        r#"{gateway: {bind: "lan"}}"#,
    ),
    (
        "gateway.bind_no_tls",
        r#"{gateway: {bind: "lan"}}"#,
        r#"{gateway: {bind: "lan", tls: {enabled: true}}}"#,
    ),
    ("gateway.tailscale_serve", r#"{gateway: {tailscale: {mode: "serve"}}}"#, CAREFUL),
    (
        "gateway.tailscale_funnel",
        r#"{gateway: {tailscale: {mode: "funnel"}}}"#,
        r#"{gateway: {tailscale: {mode: "serve"}}}"#,
    ),
    (
        "gateway.trusted_proxy_auth",
        r#"{gateway: {trustedProxies: ["10.0.0.1"], auth: {mode: "trusted-proxy", trustedProxy: {userHeader: "x-user"}}}}"#,
        CAREFUL,
    ),
    (
        "gateway.trusted_proxy_no_allowlist",
        r#"{gateway: {trustedProxies: ["10.0.0.1"], auth: {mode: "trusted-proxy", trustedProxy: {userHeader: "x-user"}}}}"#,
        r#"{gateway: {trustedProxies: ["10.0.0.1"], auth: {mode: "trusted-proxy", trustedProxy: {userHeader: "x-user", allowUsers: ["me"]}}}}"#,
    ),
    (
        "gateway.trusted_proxy_everybody",
        r#"{gateway: {trustedProxies: ["0.0.0.0/0"]}}"#,
        r#"{gateway: {trustedProxies: ["10.0.0.1"]}}"#,
    ),
    (
        "gateway.trusted_proxies_missing",
        r#"{gateway: {controlUi: {allowedOrigins: ["https://homard.test"]}}}"#,
        r#"{gateway: {trustedProxies: ["127.0.0.1"], controlUi: {allowedOrigins: ["https://homard.test"]}}}"#,
    ),
    ("gateway.control_ui.any_origin", r#"{gateway: {controlUi: {allowedOrigins: ["*"]}}}"#, CAREFUL),
    (
        "gateway.control_ui.insecure_auth",
        r#"{gateway: {controlUi: {allowInsecureAuth: true}}}"#,
        r#"{gateway: {controlUi: {allowInsecureAuth: false}}}"#,
    ),
    (
        "gateway.control_ui.device_auth_disabled",
        r#"{gateway: {controlUi: {dangerouslyDisableDeviceAuth: true}}}"#,
        CAREFUL,
    ),
    (
        "gateway.tools_invoke_http.dangerous_allow",
        r#"{gateway: {tools: {allow: ["exec"]}}}"#,
        r#"{gateway: {tools: {allow: ["read"]}}}"#,
    ),
    ("gateway.tools_invoke_http.dangerous_allow", r#"{gateway: {tools: {allow: ["*"]}}}"#, CAREFUL),
    ("gateway.tools_invoke_http.dangerous_allow", r#"{gateway: {tools: {allow: ["nodes"]}}}"#, CAREFUL),
    (
        "gateway.nodes.deny_commands_ineffective",
        r#"{gateway: {nodes: {denyCommands: ["camera.*"]}}}"#,
        r#"{gateway: {nodes: {denyCommands: ["camera.snap"]}}}"#,
    ),
    ("gateway.mdns_full", r#"{discovery: {mdns: {mode: "full"}}}"#, CAREFUL),
    (
        "hooks.token_too_short",
        r#"{hooks: {enabled: true, token: "short"}}"#,
        r#"{hooks: {enabled: true, token: "0123456789abcdef0123456789abcdef"}}"#,
    ),
    (
        "hooks.unsafe_external_content",
        r#"{hooks: {enabled: true, token: "t", mappings: [{messageTemplate: "x", allowUnsafeExternalContent: true}]}}"#,
        r#"{hooks: {enabled: true, token: "t", mappings: [{messageTemplate: "x"}]}}"#,
    ),
    (
        "hooks.any_agent",
        r#"{hooks: {enabled: true, token: "t"}, agents: {list: [{id: "main"}, {id: "work"}]}}"#,
        r#"{hooks: {enabled: true, token: "t", allowedAgentIds: ["main"]}, agents: {list: [{id: "main"}, {id: "work"}]}}"#,
    ),
    (
        "hooks.default_session_key_unset",
        r#"{hooks: {enabled: true, token: "t"}}"#,
        r#"{hooks: {enabled: true, token: "t", defaultSessionKey: "hook:all"}}"#,
    ),
    (
        "hooks.request_session_key_enabled",
        r#"{hooks: {enabled: true, token: "t", allowRequestSessionKey: true}}"#,
        r#"{hooks: {enabled: true, token: "t"}}"#,
    ),
    (
        "hooks.request_session_key_prefixes_missing",
        r#"{hooks: {enabled: true, token: "t", allowRequestSessionKey: true}}"#,
        r#"{hooks: {enabled: true, token: "t", allowRequestSessionKey: true, allowedSessionKeyPrefixes: ["hook:"]}}"#,
    ),
    ("config.secrets.gateway_token_in_config", r#"{gateway: {auth: {token: "plain"}}}"#, CAREFUL),
    ("config.secrets.gateway_password_in_config", r#"{gateway: {auth: {password: "plain"}}}"#, CAREFUL),
    (
        "config.secrets.hooks_token_in_config",
        r#"{hooks: {enabled: true, token: "plain"}}"#,
        r#"{hooks: {enabled: true, token: "${TOKEN}"}}"#,
    ),
    (
        "logging.redact_off",
        r#"{logging: {redactSensitive: "off"}}"#,
        r#"{logging: {redactSensitive: "tools"}}"#,
    ),
    ("channels.telegram.dm.open", r#"{channels: {telegram: {dmPolicy: "open", allowFrom: ["*"]}}}"#, CAREFUL),
    ("channels.telegram.dm.disabled", r#"{channels: {telegram: {dmPolicy: "disabled"}}}"#, CAREFUL),
    ("channels.telegram.groups.open", r#"{channels: {telegram: {groupPolicy: "open"}}}"#, CAREFUL),
    (
        "channels.telegram.groups.allowFrom.wildcard",
        r#"{channels: {telegram: {groupPolicy: "allowlist", groupAllowFrom: ["*"]}}}"#,
        r#"{channels: {telegram: {groupPolicy: "allowlist", groupAllowFrom: ["1"]}}}"#,
    ),
    (
        "channels.telegram.groups.no_mention",
        r#"{channels: {telegram: {groups: {"-1": {requireMention: false}}}}}"#,
        r#"{channels: {telegram: {groups: {"-1": {}}}}}"#,
    ),
    (
        "channels.dm.scope_main_multiuser",
        r#"{session: {guestDmScope: "main"}, channels: {telegram: {}}}"#,
        CAREFUL,
    ),
    (
        "channels.owner_unset",
        r#"{channels: {telegram: {allowFrom: ["1", "2"]}}}"#,
        r#"{commands: {ownerAllowFrom: ["telegram:1"]}, channels: {telegram: {allowFrom: ["1", "2"]}}}"#,
    ),
    (
        "channels.owner_everybody",
        r#"{commands: {ownerAllowFrom: ["*"]}}"#,
        r#"{commands: {ownerAllowFrom: ["telegram:1"]}}"#,
    ),
    ("tools.taint_off", r#"{tools: {taint: {mode: "off"}}}"#, r#"{tools: {taint: {mode: "deny"}}}"#),
    ("tools.taint_allow", r#"{tools: {taint: {allow: ["exec"]}}}"#, CAREFUL),
    (
        "tools.exec.unrestricted",
        r#"{tools: {exec: {security: "full", ask: "off"}}}"#,
        r#"{tools: {exec: {security: "allowlist"}}}"#,
    ),
    (
        "tools.exec.records_visible",
        r#"{tools: {exec: {hideRecords: false}}}"#,
        r#"{tools: {exec: {hideRecords: true}}}"#,
    ),
    (
        "tools.profile_minimal_overridden",
        r#"{tools: {profile: "minimal"}, agents: {list: [{id: "main", tools: {profile: "full"}}]}}"#,
        r#"{tools: {profile: "minimal"}}"#,
    ),
    (
        "tools.by_sender.wildcard",
        r#"{tools: {toolsBySender: {"*": {alsoAllow: ["exec"]}}}}"#,
        r#"{tools: {toolsBySender: {"1": {alsoAllow: ["exec"]}}}}"#,
    ),
    ("tools.chat_bash", r#"{commands: {bash: true}}"#, CAREFUL),
    (
        "tools.elevated.allowFrom.telegram.wildcard",
        r#"{tools: {elevated: {allowFrom: {telegram: ["*"]}}}}"#,
        r#"{tools: {elevated: {allowFrom: {telegram: ["1"]}}}}"#,
    ),
    (
        "models.legacy",
        r#"{agents: {defaults: {model: "openai/gpt-3.5-turbo"}}}"#,
        r#"{agents: {defaults: {model: "anthropic/claude-opus-4-6"}}}"#,
    ),
    (
        "models.small_params",
        r#"{agents: {defaults: {model: "ollama/llama3.1:8b"}}}"#,
        r#"{agents: {defaults: {model: "ollama/llama3.1:70b"}}}"#,
    ),
    (
        "models.weak_tier",
        r#"{agents: {defaults: {model: "anthropic/claude-haiku-4-5"}}}"#,
        r#"{agents: {defaults: {model: "anthropic/claude-opus-4-6"}}}"#,
    ),
    ("summary.attack_surface", CAREFUL, "{ gatway: 1 }"),
    (
        "summary.exposure.open_with_commands",
        r#"{tools: {taint: {mode: "off"}}, channels: {telegram: {dmPolicy: "open", allowFrom: ["*"]}}}"#,
        r#"{channels: {telegram: {dmPolicy: "open", allowFrom: ["*"]}}}"#,
    ),
];

fn audited(settings: &str) -> Vec<String> {
    let mut home = Home::with(settings);
    home.source.environment = homard_config::Environment::from_pairs([("TOKEN", LONG)]);
    AUDIT.iter().flat_map(|check| home.ids(AUDIT, check.id)).collect()
}

#[test]
fn each_finding_has_settings_that_trigger_it_and_settings_that_do_not() {
    for (id, triggers, does_not) in CASES {
        let found = audited(triggers);
        assert!(found.iter().any(|one| one == id), "{id} is not in {found:?}");
        let found = audited(does_not);
        assert!(!found.iter().any(|one| one == id), "{id} is in {found:?}");
    }
}

#[test]
fn nothing_is_said_about_a_careful_owner_but_what_is_open() {
    assert_eq!(audited(CAREFUL), ["summary.attack_surface"]);
}

#[test]
fn every_finding_of_settings_is_in_the_table_of_cases() {
    let sources = ["gateway", "hooks", "company", "tools", "models"].map(|name| {
        std::fs::read_to_string(format!("{}/src/audit/{name}.rs", env!("CARGO_MANIFEST_DIR"))).unwrap()
    });
    let written = sources.iter().flat_map(|text| text.split('"').skip(1).step_by(2));
    let is_id = |text: &&str| {
        let begins = ["gateway.", "hooks.", "tools.", "models.", "summary.", "channels."];
        begins.iter().any(|begin| text.starts_with(begin)) && text.contains('_') && !text.contains(' ')
    };
    for id in written.filter(is_id).filter(|id| *id != "gateway.probe_failed") {
        let id = id.replace("{channel}", "telegram").replace("{name}", "token");
        assert!(CASES.iter().any(|(case, _, _)| *case == id), "{id}");
    }
}

#[test]
fn files_of_each_kind_are_named_when_others_can_read_or_change_them() {
    let home = Home::with(r#"{ "$include": "more.json" }"#);
    home.write("more.json", "{}");
    home.write("agents/main/agent/auth-profiles.json", "{}");
    home.write("homard.sqlite", "");
    std::fs::create_dir(home.state().join("credentials")).unwrap();
    std::fs::create_dir(home.state().join("logs")).unwrap();
    for (name, mode) in [
        ("", 0o755),
        ("homard.json", 0o644),
        ("more.json", 0o666),
        ("credentials", 0o755),
        ("agents/main/agent/auth-profiles.json", 0o644),
        ("homard.sqlite", 0o644),
        ("logs", 0o755),
        ("agents", 0o700),
    ] {
        home.chmod(name, mode);
    }
    assert_eq!(
        home.ids(AUDIT, "fs"),
        [
            "fs.state_dir.perms_readable",
            "fs.config.perms_readable",
            "fs.config_include.perms_writable",
            "fs.credentials_dir.perms_readable",
            "fs.sessions_store.perms_readable",
            "fs.log_file.perms_readable",
            "fs.auth_profiles.perms_readable",
        ]
    );
    for done in Repair::new(&home.source).apply(&home.acts(AUDIT, "fs")) {
        done.unwrap();
    }
    assert_eq!(home.ids(AUDIT, "fs"), Vec::<String>::new());
}

#[test]
fn a_state_folder_that_is_a_link_or_is_synced_is_told() {
    let mut home = Home::empty();
    let real = home.folder().join("Dropbox/homard");
    std::fs::create_dir_all(&real).unwrap();
    std::os::unix::fs::symlink(&real, home.state()).unwrap();
    home.chmod("", 0o700);
    assert_eq!(home.ids(AUDIT, "fs"), ["fs.state_dir.symlink"]);
    home.source.paths.state_dir = real;
    assert_eq!(home.ids(AUDIT, "fs"), ["fs.synced_dir"]);
}

#[test]
fn a_gateway_that_does_not_answer_is_told() {
    let mut home = Home::with(CAREFUL);
    home.source.environment = homard_config::Environment::from_pairs([("TOKEN", LONG)]);
    home.rooms.gateway = Some(GatewayState { problem: Some("refused".into()), ..GatewayState::default() });
    assert_eq!(home.ids(AUDIT, "gateway"), ["gateway.probe_failed"]);
}

#[test]
fn fixing_tightens_groups_and_the_log() {
    let home = Home::with(
        r#"{ logging: { redactSensitive: "off" }, channels: { telegram: { groupPolicy: "open" } } }"#,
    );
    let acts: Vec<Act> = AUDIT.iter().flat_map(|check| home.acts(AUDIT, check.id)).collect();
    assert_eq!(
        acts,
        [
            Act::Set { key: "logging.redactSensitive".into(), value: json!("tools") },
            Act::Set { key: "channels.telegram.groupPolicy".into(), value: json!("allowlist") },
        ]
    );
    for done in Repair::new(&home.source).apply(&acts) {
        done.unwrap();
    }
    assert_eq!(AUDIT.iter().flat_map(|check| home.acts(AUDIT, check.id)).collect::<Vec<_>>(), []);
}
