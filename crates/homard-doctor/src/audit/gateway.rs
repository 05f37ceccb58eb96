//! Who can reach the gateway, and how they prove themselves.

use homard_config::Secret;
use homard_config::config::gateway::reach::{MdnsMode, TailscaleMode};
use homard_config::config::gateway::{AuthMode, BindMode, Gateway, HttpTools};
use serde_json::Value;

use crate::finding::Finding;
use crate::scene::Scene;

/// Shortest secret that cannot be guessed, in characters.
const MIN_SECRET: usize = 24;
/// More wrong guesses a minute than this are no limit.
const MANY_GUESSES: u64 = 1_000;

pub(super) fn look(scene: &Scene<'_>) -> Vec<Finding> {
    let settings = scene.settings();
    let gateway = &settings.gateway;
    let mut found = proofs(gateway);
    found.extend(reach(gateway));
    found.extend(proxies(gateway));
    found.extend(lists(scene, gateway));
    if settings.discovery.mdns == MdnsMode::Full {
        let words = "`discovery.mdns.mode` is full: the local network is told how to log in to this machine";
        found.push(
            Finding::info("gateway.mdns_full", words).fix("homard config set discovery.mdns.mode minimal"),
        );
    }
    if let Some(problem) = scene.rooms.gateway.as_ref().and_then(|gateway| gateway.problem.as_ref()) {
        found.push(Finding::warn(
            "gateway.probe_failed",
            format!("the running gateway could not be asked: {problem}"),
        ));
    }
    found
}

fn proofs(gateway: &Gateway) -> Vec<Finding> {
    let auth = &gateway.auth;
    let mut found = Vec::new();
    let is_open = auth.mode == AuthMode::None;
    let token = "homard config set gateway.auth.mode token";
    if is_open && is_exposed(gateway) {
        let words =
            "the gateway listens beyond this machine and asks for no proof: whoever reaches it is the owner";
        found.push(Finding::error("gateway.bind_no_auth", words).fix(token));
    } else if is_open {
        let words =
            "the gateway asks for no proof: every program and every user of this machine is the owner";
        found.push(Finding::error("gateway.loopback_no_auth", words).fix(token));
    }
    let secrets = [("token", &auth.token, AuthMode::Token), ("password", &auth.password, AuthMode::Password)];
    for (name, secret, mode) in secrets {
        let used = secret.as_ref().filter(|_| auth.mode == mode);
        found.extend(used.and_then(|secret| {
            short(format!("gateway.{name}_too_short"), &format!("the gateway's {name}"), secret)
        }));
    }
    if is_exposed(gateway)
        && !is_open
        && (auth.rate_limit.max_attempts > MANY_GUESSES || auth.rate_limit.lockout.is_zero())
    {
        let words = "wrong guesses of the gateway's secret are practically not limited";
        found.push(
            Finding::warn("gateway.auth_no_rate_limit", words)
                .fix("homard config unset gateway.auth.rateLimit"),
        );
    }
    found
}

/// What is said of a secret that can be guessed.
pub(super) fn short(id: impl Into<String>, what: &str, secret: &Secret) -> Option<Finding> {
    let words = format!("{what} is shorter than {MIN_SECRET} characters");
    (secret.expose().chars().count() < MIN_SECRET)
        .then(|| Finding::warn(id, words).fix("make a longer one: openssl rand -hex 32"))
}

/// Whether others than this machine reach it.
pub(super) fn is_exposed(gateway: &Gateway) -> bool {
    gateway.bind != BindMode::Loopback || gateway.tailscale.mode != TailscaleMode::Off
}

fn reach(gateway: &Gateway) -> Vec<Finding> {
    let mut found = Vec::new();
    match gateway.tailscale.mode {
        TailscaleMode::Off => {}
        TailscaleMode::Serve => {
            found.push(Finding::info(
                "gateway.tailscale_serve",
                "every device of your tailnet reaches the gateway",
            ));
        }
        TailscaleMode::Funnel => found.push(
            Finding::error("gateway.tailscale_funnel", "everybody on the internet reaches the gateway")
                .fix("homard config set gateway.tailscale.mode serve"),
        ),
    }
    if matches!(gateway.bind, BindMode::Lan | BindMode::Custom)
        && !gateway.tls.enabled
        && gateway.trusted_proxies.is_empty()
    {
        let words =
            "the gateway listens on the network without TLS: secrets and chats can be read on the way";
        found.push(
            Finding::warn("gateway.bind_no_tls", words).fix("homard config set gateway.tls.enabled true"),
        );
    }
    found
}

fn proxies(gateway: &Gateway) -> Vec<Finding> {
    let mut found = Vec::new();
    let proxy = gateway.auth.trusted_proxy.as_ref().filter(|_| gateway.auth.mode == AuthMode::TrustedProxy);
    if let Some(proxy) = proxy {
        let words = "the proxy alone says who is calling: whoever gets past it, or around it, is the owner";
        found.push(
            Finding::warn("gateway.trusted_proxy_auth", words)
                .fix("let nothing but the proxy reach the gateway's port"),
        );
        if proxy.allow_users.is_empty() {
            let words = "everybody the proxy lets in is the owner";
            found.push(
                Finding::warn("gateway.trusted_proxy_no_allowlist", words)
                    .fix("homard config set gateway.auth.trustedProxy.allowUsers '[\"you@example.org\"]'"),
            );
        }
    }
    if gateway.trusted_proxies.iter().any(|net| net.prefix_len() == 0) {
        let words = "`gateway.trustedProxies` trusts every address: anybody can claim to be somebody else";
        found.push(
            Finding::error("gateway.trusted_proxy_everybody", words)
                .fix("name the addresses of the proxy alone"),
        );
    }
    if gateway.bind == BindMode::Loopback
        && gateway.control_ui.enabled
        && gateway.control_ui.allowed_origins.iter().any(|o| o.starts_with("https://"))
        && gateway.trusted_proxies.is_empty()
    {
        let words = "a proxy seems to stand before the gateway, and `gateway.trustedProxies` names none: every caller looks like this machine";
        found.push(
            Finding::warn("gateway.trusted_proxies_missing", words)
                .fix("homard config set gateway.trustedProxies '[\"127.0.0.1\"]'"),
        );
    }
    found
}

fn lists(scene: &Scene<'_>, gateway: &Gateway) -> Vec<Finding> {
    let mut found = Vec::new();
    if gateway.control_ui.allowed_origins.iter().any(|origin| origin.trim() == "*") {
        let words =
            "`gateway.controlUi.allowedOrigins` has `*`: any web page you visit may talk to the gateway";
        found.push(
            Finding::error("gateway.control_ui.any_origin", words).fix("name the addresses of your own page"),
        );
    }
    let flags = [
        ("allowInsecureAuth", "gateway.control_ui.insecure_auth"),
        ("dangerouslyDisableDeviceAuth", "gateway.control_ui.device_auth_disabled"),
    ];
    for (key, id) in flags {
        let pointer = format!("/gateway/controlUi/{key}");
        if scene.snapshot.resolved.pointer(&pointer) == Some(&Value::Bool(true)) {
            let words = format!(
                "`gateway.controlUi.{key}` is written; it does nothing here and weakens the program it was written for"
            );
            found.push(Finding::info(id, words).fix(format!("homard config unset gateway.controlUi.{key}")));
        }
    }
    let opens = |tool: &&str| gateway.tools.allow.iter().any(|own| [*tool, "*"].contains(&own.trim()));
    let dangerous: Vec<&str> = HttpTools::CLOSED.into_iter().filter(opens).collect();
    if !dangerous.is_empty() {
        let words = format!("programs may run {} over HTTP", dangerous.join(", "));
        let finding = if is_exposed(gateway) { Finding::error } else { Finding::warn };
        found.push(
            finding("gateway.tools_invoke_http.dangerous_allow", words)
                .fix("homard config unset gateway.tools.allow"),
        );
    }
    let patterns = gateway
        .nodes
        .deny_commands
        .iter()
        .filter(|command| command.contains(['*', '?']) || command.contains(' '));
    let patterns: Vec<&str> = patterns.map(String::as_str).collect();
    if !patterns.is_empty() {
        let words = format!(
            "`gateway.nodes.denyCommands` takes names of commands; these refuse nothing: {}",
            patterns.join(", ")
        );
        found.push(
            Finding::warn("gateway.nodes.deny_commands_ineffective", words)
                .fix("write them out: camera.snap, system.run"),
        );
    }
    found
}
