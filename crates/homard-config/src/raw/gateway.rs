//! Shape of the `gateway` section.
//!
//! Doc comments are the help people read; what the values mean is decided in [`crate::config`].

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use crate::config::gateway::{AuthMode, BindMode, GatewayMode, ReloadMode};
use crate::raw::value::SecretText;

/// How many wrong guesses one address may make.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct RateLimit {
    /// Wrong guesses allowed within the window.
    ///
    /// Default: `10`.
    #[schemars(range(min = 1))]
    pub(crate) max_attempts: Option<u64>,
    /// Length of the window, in milliseconds.
    ///
    /// Default: `60000`.
    #[schemars(range(min = 1))]
    pub(crate) window_ms: Option<u64>,
    /// How long an address stays locked out, in milliseconds.
    ///
    /// Default: `300000`.
    #[schemars(range(min = 1))]
    pub(crate) lockout_ms: Option<u64>,
    /// Never lock out this machine itself.
    ///
    /// Default: `true`.
    pub(crate) exempt_loopback: Option<bool>,
}

/// Believing a reverse proxy about who is calling.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct TrustedProxy {
    /// Header that names the user.
    pub(crate) user_header: Option<String>,
    /// Headers that must be present.
    pub(crate) required_headers: Option<Vec<String>>,
    /// Users let in; empty means everybody the proxy lets in.
    pub(crate) allow_users: Option<Vec<String>>,
}

/// Who may connect.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct GatewayAuth {
    /// How callers prove themselves.
    ///
    /// Default: `token`.
    pub(crate) mode: Option<AuthMode>,
    /// Shared token for `token` mode.
    pub(crate) token: Option<SecretText>,
    /// Shared password for `password` mode.
    pub(crate) password: Option<SecretText>,
    /// Accept identities verified by the tailnet.
    pub(crate) allow_tailscale: Option<bool>,
    /// Limits on wrong guesses.
    pub(crate) rate_limit: Option<RateLimit>,
    /// Settings of `trusted-proxy` mode.
    pub(crate) trusted_proxy: Option<TrustedProxy>,
}

/// The web page the gateway serves.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct ControlUi {
    /// Serve the page.
    ///
    /// Default: `true`.
    pub(crate) enabled: Option<bool>,
    /// Path prefix under which the page lives.
    pub(crate) base_path: Option<String>,
    /// Directory with page files to serve instead of the built-in ones.
    pub(crate) root: Option<String>,
    /// Web origins that may open a connection.
    pub(crate) allowed_origins: Option<Vec<String>>,
}

/// Exposing the gateway on a tailnet.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Tailscale {
    /// How to expose it.
    ///
    /// Default: `off`.
    #[schemars(extend("enum" = ["off","serve","funnel"]))]
    pub(crate) mode: Option<String>,
    /// Undo the exposure when the gateway stops.
    ///
    /// Default: `false`.
    pub(crate) reset_on_exit: Option<bool>,
}

/// The gateway that commands on this machine talk to.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Remote {
    /// Use the remote gateway.
    pub(crate) enabled: Option<bool>,
    /// WebSocket address of it.
    pub(crate) url: Option<String>,
    /// How to reach it.
    ///
    /// Default: `ssh` when `sshTarget` is set, `direct` otherwise.
    #[schemars(extend("enum" = ["ssh","direct"]))]
    pub(crate) transport: Option<String>,
    /// Token for it.
    pub(crate) token: Option<SecretText>,
    /// Password for it.
    pub(crate) password: Option<SecretText>,
    /// Fingerprint its certificate must have.
    pub(crate) tls_fingerprint: Option<String>,
    /// Host to tunnel through.
    pub(crate) ssh_target: Option<String>,
    /// Key file for the tunnel.
    pub(crate) ssh_identity: Option<String>,
}

/// What happens when this file is edited while the gateway runs.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct ReloadSettings {
    /// Which edits are applied.
    ///
    /// Default: `hybrid`.
    pub(crate) mode: Option<ReloadMode>,
    /// Quiet time to wait for before reading an edit, in milliseconds.
    ///
    /// Default: `300`.
    #[schemars(range(min = 0, max = 60000))]
    pub(crate) debounce_ms: Option<u64>,
}

/// Encrypting connections.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Tls {
    /// Serve TLS.
    ///
    /// Default: `false`.
    pub(crate) enabled: Option<bool>,
    /// Make a self-signed certificate when none is given.
    ///
    /// Default: `true`.
    pub(crate) auto_generate: Option<bool>,
    /// Certificate file.
    pub(crate) cert_path: Option<String>,
    /// Key file.
    pub(crate) key_path: Option<String>,
    /// Certificate authority file.
    pub(crate) ca_path: Option<String>,
}

/// The `/v1/chat/completions` endpoint.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct ChatCompletions {
    /// Serve it.
    ///
    /// Default: `false`.
    pub(crate) enabled: Option<bool>,
    /// Largest request, in bytes.
    ///
    /// Default: `20971520`.
    pub(crate) max_body_bytes: Option<u64>,
    /// Most pictures in one request.
    ///
    /// Default: `8`.
    pub(crate) max_image_parts: Option<u64>,
    /// Most bytes of all pictures in one request.
    ///
    /// Default: `20971520`.
    pub(crate) max_total_image_bytes: Option<u64>,
    /// Limits for pictures.
    pub(crate) images: Option<ChatImages>,
}

/// Limits for pictures in chat requests.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct ChatImages {
    /// Fetch pictures by address.
    ///
    /// Default: `false`.
    pub(crate) allow_url: Option<bool>,
    /// Hosts pictures may be fetched from.
    pub(crate) url_allowlist: Option<Vec<String>>,
    /// Kinds of pictures accepted.
    pub(crate) allowed_mimes: Option<Vec<String>>,
    /// Largest picture, in bytes.
    ///
    /// Default: `10485760`.
    pub(crate) max_bytes: Option<u64>,
    /// Redirects followed.
    ///
    /// Default: `3`.
    pub(crate) max_redirects: Option<u64>,
    /// Longest fetch, in milliseconds.
    ///
    /// Default: `10000`.
    pub(crate) timeout_ms: Option<u64>,
}

impl From<ChatImages> for ResponsesImages {
    fn from(chat: ChatImages) -> Self {
        let ChatImages { allow_url, url_allowlist, allowed_mimes, max_bytes, max_redirects, timeout_ms } =
            chat;
        Self { allow_url, url_allowlist, allowed_mimes, max_bytes, max_redirects, timeout_ms }
    }
}

/// Limits for files in requests.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct ResponsesFiles {
    /// Fetch files by address.
    ///
    /// Default: `true`.
    pub(crate) allow_url: Option<bool>,
    /// Hosts files may be fetched from.
    pub(crate) url_allowlist: Option<Vec<String>>,
    /// Kinds of files accepted.
    pub(crate) allowed_mimes: Option<Vec<String>>,
    /// Largest file, in bytes.
    ///
    /// Default: `5242880`.
    pub(crate) max_bytes: Option<u64>,
    /// Longest text, in characters.
    ///
    /// Default: `200000`.
    pub(crate) max_chars: Option<u64>,
    /// Redirects followed.
    ///
    /// Default: `3`.
    pub(crate) max_redirects: Option<u64>,
    /// Longest fetch, in milliseconds.
    ///
    /// Default: `10000`.
    pub(crate) timeout_ms: Option<u64>,
}

/// Limits for pictures in requests.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct ResponsesImages {
    /// Fetch pictures by address.
    ///
    /// Default: `true`.
    pub(crate) allow_url: Option<bool>,
    /// Hosts pictures may be fetched from.
    pub(crate) url_allowlist: Option<Vec<String>>,
    /// Kinds of pictures accepted.
    pub(crate) allowed_mimes: Option<Vec<String>>,
    /// Largest picture, in bytes.
    ///
    /// Default: `10485760`.
    pub(crate) max_bytes: Option<u64>,
    /// Redirects followed.
    ///
    /// Default: `3`.
    pub(crate) max_redirects: Option<u64>,
    /// Longest fetch, in milliseconds.
    ///
    /// Default: `10000`.
    pub(crate) timeout_ms: Option<u64>,
}

/// The `/v1/responses` endpoint.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Responses {
    /// Serve it.
    ///
    /// Default: `false`.
    pub(crate) enabled: Option<bool>,
    /// Largest request, in bytes.
    ///
    /// Default: `20971520`.
    pub(crate) max_body_bytes: Option<u64>,
    /// Most parts fetched by address in one request.
    ///
    /// Default: `8`.
    pub(crate) max_url_parts: Option<u64>,
    /// Limits for files.
    pub(crate) files: Option<ResponsesFiles>,
    /// Limits for pictures.
    pub(crate) images: Option<ResponsesImages>,
}

/// Optional HTTP endpoints.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct HttpEndpoints {
    /// Chat completions.
    pub(crate) chat_completions: Option<ChatCompletions>,
    /// Responses.
    pub(crate) responses: Option<Responses>,
}

/// HTTP beside the WebSocket.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct GatewayHttp {
    /// Which endpoints are served.
    pub(crate) endpoints: Option<HttpEndpoints>,
    /// Extra response headers.
    pub(crate) security_headers: Option<Value>,
}

/// Which tools the HTTP tool endpoint may run.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct GatewayTools {
    /// Tools taken off the built-in deny list.
    pub(crate) allow: Option<Vec<String>>,
    /// Tools refused in addition to it.
    pub(crate) deny: Option<Vec<String>>,
}

/// Which commands nodes may be asked to run.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct NodeCommands {
    /// Commands allowed in addition to the defaults.
    pub(crate) allow: Option<Vec<String>>,
    /// Commands refused.
    pub(crate) deny: Option<Vec<String>>,
}

/// How nodes and other devices are let in.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct NodePairing {
    /// Let devices on this machine in without a question.
    ///
    /// Default: `true`.
    pub(crate) auto_approve_local: Option<bool>,
}

/// Phones and desktops that offer commands.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Nodes {
    /// Commands allowed in addition to the defaults.
    pub(crate) allow_commands: Option<Vec<String>>,
    /// Commands refused.
    pub(crate) deny_commands: Option<Vec<String>>,
    /// Newer spelling of the two lists.
    pub(crate) commands: Option<NodeCommands>,
    /// How nodes are let in.
    pub(crate) pairing: Option<NodePairing>,
}

/// The server other programs and people connect to.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Gateway {
    /// Whether this machine runs a gateway (`local`) or uses another one (`remote`).
    pub(crate) mode: Option<GatewayMode>,
    /// Minutes between two looks at whether a chat platform is still there; 0 turns them off. Unset: as often as its
    /// silence would be noticed at once, at least every 5 minutes.
    pub(crate) channel_health_check_minutes: Option<u64>,
    /// TCP port for WebSocket and HTTP.
    ///
    /// Default: `18789`.
    #[schemars(range(min = 1))]
    pub(crate) port: Option<u16>,
    /// Which network interfaces to listen on.
    ///
    /// Default: `loopback`.
    pub(crate) bind: Option<BindMode>,
    /// Address to listen on when `bind` is `custom`.
    pub(crate) custom_bind_host: Option<String>,
    /// Who may connect.
    pub(crate) auth: Option<GatewayAuth>,
    /// The web page.
    pub(crate) control_ui: Option<ControlUi>,
    /// Proxy addresses whose forwarding headers are believed.
    pub(crate) trusted_proxies: Option<Vec<String>>,
    /// Believe X-Real-IP when X-Forwarded-For is missing.
    ///
    /// Default: `false`.
    pub(crate) allow_real_ip_fallback: Option<bool>,
    /// Tailnet exposure.
    pub(crate) tailscale: Option<Tailscale>,
    /// Client side: the gateway to talk to.
    pub(crate) remote: Option<Remote>,
    /// Live reload.
    pub(crate) reload: Option<ReloadSettings>,
    /// Encryption.
    pub(crate) tls: Option<Tls>,
    /// HTTP endpoints.
    pub(crate) http: Option<GatewayHttp>,
    /// HTTP tool policy.
    pub(crate) tools: Option<GatewayTools>,
    /// Node policy.
    pub(crate) nodes: Option<Nodes>,
}
