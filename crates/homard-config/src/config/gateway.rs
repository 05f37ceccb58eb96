//! `gateway`: the server other programs and people connect to.

pub mod http_endpoints;
pub mod reach;

use std::path::PathBuf;
use std::time::Duration;

use ipnet::IpNet;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use self::http_endpoints::HttpEndpoints;
use self::reach::{Remote, Tailscale, TailscaleMode, Tls, trusted_proxies};
use super::Resolve;
use crate::paths::{DEV_PORT, Profile};
use crate::raw::gateway as raw;
use crate::secret::Secret;

pub use homard_protocol::connect::AuthMode;

/// Port when nobody says otherwise.
pub const DEFAULT_PORT: u16 = 18_789;
const DEFAULT_MAX_ATTEMPTS: u64 = 10;
const DEFAULT_WINDOW_MS: u64 = 60_000;
const DEFAULT_LOCKOUT_MS: u64 = 300_000;
const DEFAULT_DEBOUNCE_MS: u64 = 300;

/// Whether this machine runs a gateway or uses another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum GatewayMode {
    /// A gateway runs here.
    Local,
    /// Commands talk to a gateway elsewhere.
    Remote,
}

/// Which network interfaces to listen on.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum BindMode {
    /// Loopback, or every interface when that is not possible.
    Auto,
    /// Every interface.
    Lan,
    /// This machine only.
    #[default]
    Loopback,
    /// The tailnet address, or loopback when there is none.
    Tailnet,
    /// The address in `customBindHost`.
    Custom,
}

/// Which edits of the file are applied while the gateway runs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ReloadMode {
    /// Live where possible, by a restart otherwise.
    #[default]
    Hybrid,
    /// Live only; warn where a restart is needed.
    Hot,
    /// By a restart, always.
    Restart,
    /// Never.
    Off,
}

/// How often it is looked at whether a chat platform is still there.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum HealthCheck {
    Off,
    /// So often that a silence is noticed soon after it has lasted too long.
    #[default]
    Usual,
    /// As the owner says.
    Every(Duration),
}

/// Decided `gateway`.
#[derive(Debug, Clone, PartialEq)]
pub struct Gateway {
    /// Local or remote; `None` when the owner has not said yet.
    pub mode: Option<GatewayMode>,
    pub channel_health_check: HealthCheck,
    /// TCP port for WebSocket and HTTP.
    pub port: u16,
    /// Interfaces to listen on.
    pub bind: BindMode,
    pub custom_bind_host: Option<String>,
    pub auth: Auth,
    pub control_ui: ControlUi,
    /// Proxies whose forwarding headers are believed.
    pub trusted_proxies: Vec<IpNet>,
    /// Believe X-Real-IP when X-Forwarded-For is missing.
    pub allow_real_ip_fallback: bool,
    pub(crate) reload: Reload,
    /// Which tools the HTTP tool route may run.
    pub tools: HttpTools,
    /// The value of `Strict-Transport-Security`, when the owner wants browsers to insist on TLS.
    pub strict_transport_security: Option<String>,
    pub tls: Tls,
    pub tailscale: Tailscale,
    /// The gateway elsewhere that commands here talk to, in [`GatewayMode::Remote`].
    pub remote: Remote,
    /// Routes for programs that talk to agents as if they were models.
    pub http_endpoints: HttpEndpoints,
    /// Machines that offer commands.
    pub nodes: Nodes,
}

/// Which commands nodes may be asked to run, and how nodes are let in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Nodes {
    /// Commands allowed in addition to those of the platform.
    pub allow_commands: Vec<String>,
    /// Commands refused, whatever else says yes.
    pub deny_commands: Vec<String>,
    /// Whether devices on this machine are let in without a question.
    pub auto_approve_local: bool,
}

impl Nodes {
    /// Both spellings count.
    fn resolve(raw: raw::Nodes) -> Self {
        let newer = raw.commands.unwrap_or_default();
        let both = |older: Option<Vec<String>>, newer: Option<Vec<String>>| {
            let all = older.into_iter().chain(newer).flatten();
            all.map(|command| command.trim().to_owned()).filter(|command| !command.is_empty()).collect()
        };
        Self {
            allow_commands: both(raw.allow_commands, newer.allow),
            deny_commands: both(raw.deny_commands, newer.deny),
            auto_approve_local: raw.pairing.unwrap_or_default().auto_approve_local.unwrap_or(true),
        }
    }
}

/// Which tools the HTTP tool route may run, beside what the policy of the conversation says.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HttpTools {
    /// Tools taken off the built-in deny list.
    pub allow: Vec<String>,
    /// Tools refused in addition to it.
    pub deny: Vec<String>,
}

impl HttpTools {
    /// Tools nobody calls over HTTP unless the owner takes them off this list: with a stolen secret they would be the
    /// whole machine.
    pub const CLOSED: [&str; 8] =
        ["exec", "process", "apply_patch", "sessions_spawn", "sessions_send", "cron", "gateway", "nodes"];
}

/// Who may connect.
#[derive(Debug, Clone, PartialEq)]
pub struct Auth {
    /// How callers prove themselves.
    pub mode: AuthMode,
    /// The shared token, from the file or `HOMARD_GATEWAY_TOKEN`.
    pub token: Option<Secret>,
    /// The shared password, from the file or `HOMARD_GATEWAY_PASSWORD`.
    pub password: Option<Secret>,
    /// Limits on wrong guesses.
    pub rate_limit: RateLimit,
    /// Settings of [`AuthMode::TrustedProxy`]; always there in that mode.
    pub trusted_proxy: Option<TrustedProxy>,
    /// Believe who the tailnet says is calling, after asking it.
    pub allow_tailscale: bool,
}

/// Limits on wrong guesses, per address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RateLimit {
    /// Wrong guesses allowed within the window.
    pub max_attempts: u64,
    /// Length of the window.
    pub window: Duration,
    /// How long an address stays locked out.
    pub lockout: Duration,
    /// Never lock out this machine itself.
    pub exempt_loopback: bool,
}

/// Believing a reverse proxy about who is calling.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrustedProxy {
    /// Header that names the user.
    pub user_header: String,
    /// Headers that must be present.
    pub required_headers: Vec<String>,
    /// Users let in; empty means everybody the proxy lets in.
    pub allow_users: Vec<String>,
}

/// The web page the gateway serves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ControlUi {
    pub enabled: bool,
    /// Path prefix, with a leading and without a trailing slash; empty for the root.
    pub base_path: String,
    /// Directory with page files to serve instead of the built-in ones.
    pub root: Option<PathBuf>,
    /// Web origins that may open a connection.
    pub allowed_origins: Vec<String>,
}

/// Live reload.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Reload {
    /// Which edits are applied.
    pub(crate) mode: ReloadMode,
    /// Quiet time to wait for before reading an edit.
    pub(crate) debounce: Duration,
}

impl Gateway {
    pub(super) fn resolve(raw: raw::Gateway, cx: &mut Resolve<'_>) -> Self {
        let bind = bind(raw.bind, cx);
        if bind == BindMode::Custom && raw.custom_bind_host.is_none() {
            cx.issue("gateway.customBindHost", "an address is needed because `gateway.bind` is \"custom\"");
        }
        let reload = raw.reload.unwrap_or_default();
        let tools = raw.tools.unwrap_or_default();
        let strict_transport_security = strict_transport(raw.http.as_ref(), cx);
        let trusted_proxies = trusted_proxies(&raw.trusted_proxies.unwrap_or_default(), cx);
        let tailscale = Tailscale::resolve(&raw.tailscale.unwrap_or_default());
        let auth = Auth::resolve(raw.auth.unwrap_or_default(), tailscale.mode, cx);
        if auth.mode == AuthMode::TrustedProxy && trusted_proxies.is_empty() {
            cx.issue(
                "gateway.trustedProxies",
                "at least one proxy is needed because `gateway.auth.mode` is \"trusted-proxy\"",
            );
        }
        Self {
            mode: raw.mode,
            channel_health_check: match raw.channel_health_check_minutes {
                None => HealthCheck::Usual,
                Some(0) => HealthCheck::Off,
                Some(minutes) => HealthCheck::Every(Duration::from_secs(minutes.saturating_mul(60))),
            },
            port: port(raw.port, cx),
            bind,
            custom_bind_host: raw.custom_bind_host,
            auth,
            control_ui: ControlUi::resolve(raw.control_ui.unwrap_or_default(), cx),
            trusted_proxies,
            allow_real_ip_fallback: raw.allow_real_ip_fallback.unwrap_or(false),
            reload: Reload {
                mode: reload.mode.unwrap_or_default(),
                debounce: Duration::from_millis(reload.debounce_ms.unwrap_or(DEFAULT_DEBOUNCE_MS)),
            },
            tools: HttpTools { allow: tools.allow.unwrap_or_default(), deny: tools.deny.unwrap_or_default() },
            strict_transport_security,
            tls: Tls::resolve(raw.tls.unwrap_or_default(), cx),
            tailscale,
            remote: Remote::resolve(raw.remote.unwrap_or_default(), cx),
            http_endpoints: HttpEndpoints::resolve(
                raw.http.and_then(|http| http.endpoints).unwrap_or_default(),
            ),
            nodes: Nodes::resolve(raw.nodes.unwrap_or_default()),
        }
    }
}

/// `gateway.http.securityHeaders.strictTransportSecurity`: a text, or false for none.
fn strict_transport(http: Option<&raw::GatewayHttp>, cx: &mut Resolve<'_>) -> Option<String> {
    let headers = http?.security_headers.as_ref()?;
    match headers.get("strictTransportSecurity")? {
        Value::String(text) if !text.trim().is_empty() && text.bytes().all(|b| (32..127).contains(&b)) => {
            Some(text.trim().to_owned())
        }
        Value::Bool(false) | Value::Null => None,
        _other => {
            cx.issue(
                "gateway.http.securityHeaders.strictTransportSecurity",
                "expected the header's value, for example \"max-age=31536000\", or false",
            );
            None
        }
    }
}

fn port(written: Option<u16>, cx: &mut Resolve<'_>) -> u16 {
    let usual = if cx.paths.profile == Profile::Dev { DEV_PORT } else { DEFAULT_PORT };
    let Some(text) = cx.env.get("HOMARD_GATEWAY_PORT").map(str::to_owned) else {
        return written.unwrap_or(usual);
    };
    match text.trim().parse() {
        Ok(port) if port > 0 => port,
        _ => {
            cx.issue(
                "gateway.port",
                format!("HOMARD_GATEWAY_PORT is `{text}`; expected a number between 1 and 65535"),
            );
            written.unwrap_or(usual)
        }
    }
}

fn bind(written: Option<BindMode>, cx: &mut Resolve<'_>) -> BindMode {
    let Some(text) = cx.env.get("HOMARD_GATEWAY_BIND").map(str::to_owned) else {
        return written.unwrap_or_default();
    };
    serde_json::from_value(text.trim().into()).unwrap_or_else(|_| {
        cx.issue(
            "gateway.bind",
            format!("HOMARD_GATEWAY_BIND is `{text}`; expected auto, lan, loopback, tailnet or custom"),
        );
        written.unwrap_or_default()
    })
}

impl Auth {
    fn resolve(raw: raw::GatewayAuth, tailscale: TailscaleMode, cx: &mut Resolve<'_>) -> Self {
        let token = cx.secret("gateway.auth.token", raw.token);
        let password = cx.secret("gateway.auth.password", raw.password);
        let token = token.or_else(|| cx.env.get("HOMARD_GATEWAY_TOKEN").map(Secret::new));
        let password = password.or_else(|| cx.env.get("HOMARD_GATEWAY_PASSWORD").map(Secret::new));
        let mode = raw.mode.unwrap_or_else(|| match (&token, &password) {
            (Some(_), Some(_)) => {
                cx.issue(
                    "gateway.auth.mode",
                    "both a token and a password are set; say which one counts: \"token\" or \"password\"",
                );
                AuthMode::Token
            }
            (None, Some(_)) => AuthMode::Password,
            (_, None) => AuthMode::Token,
        });
        let proxy = raw.trusted_proxy.and_then(|p| {
            Some(TrustedProxy {
                user_header: p.user_header?.to_lowercase(),
                required_headers: p.required_headers.unwrap_or_default(),
                allow_users: p.allow_users.unwrap_or_default(),
            })
        });
        if mode == AuthMode::TrustedProxy && proxy.is_none() {
            cx.issue(
                "gateway.auth.trustedProxy.userHeader",
                "the header that names the user is needed in this mode",
            );
        }
        if mode == AuthMode::Password && password.is_none() {
            cx.issue(
                "gateway.auth.password",
                "a password is needed because `gateway.auth.mode` is \"password\"",
            );
        }
        let limit = raw.rate_limit.unwrap_or_default();
        Self {
            mode,
            token,
            password,
            rate_limit: RateLimit {
                max_attempts: limit.max_attempts.unwrap_or(DEFAULT_MAX_ATTEMPTS),
                window: Duration::from_millis(limit.window_ms.unwrap_or(DEFAULT_WINDOW_MS)),
                lockout: Duration::from_millis(limit.lockout_ms.unwrap_or(DEFAULT_LOCKOUT_MS)),
                exempt_loopback: limit.exempt_loopback.unwrap_or(true),
            },
            trusted_proxy: proxy,
            allow_tailscale: raw.allow_tailscale.unwrap_or(tailscale == TailscaleMode::Serve),
        }
    }
}

impl ControlUi {
    fn resolve(raw: raw::ControlUi, cx: &Resolve<'_>) -> Self {
        let base = raw.base_path.unwrap_or_default();
        let base = base.trim().trim_matches('/');
        Self {
            enabled: raw.enabled.unwrap_or(true),
            base_path: if base.is_empty() { String::new() } else { format!("/{base}") },
            root: raw.root.map(|root| cx.paths.expand(&root)),
            allowed_origins: raw.allowed_origins.unwrap_or_default(),
        }
    }
}
