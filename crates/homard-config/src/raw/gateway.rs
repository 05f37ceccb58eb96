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
pub struct RateLimit {
    /// Wrong guesses allowed within the window.
    ///
    /// Default: `10`.
    #[schemars(range(min = 1))]
    pub max_attempts: Option<u64>,
    /// Length of the window, in milliseconds.
    ///
    /// Default: `60000`.
    #[schemars(range(min = 1))]
    pub window_ms: Option<u64>,
    /// How long an address stays locked out, in milliseconds.
    ///
    /// Default: `300000`.
    #[schemars(range(min = 1))]
    pub lockout_ms: Option<u64>,
    /// Never lock out this machine itself.
    ///
    /// Default: `true`.
    pub exempt_loopback: Option<bool>,
}

/// Believing a reverse proxy about who is calling.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TrustedProxy {
    /// Header that names the user.
    pub user_header: Option<String>,
    /// Headers that must be present.
    pub required_headers: Option<Vec<String>>,
    /// Users let in; empty means everybody the proxy lets in.
    pub allow_users: Option<Vec<String>>,
}

/// Who may connect.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct GatewayAuth {
    /// How callers prove themselves.
    ///
    /// Default: `token`.
    pub mode: Option<AuthMode>,
    /// Shared token for `token` mode.
    pub token: Option<SecretText>,
    /// Shared password for `password` mode.
    pub password: Option<SecretText>,
    /// Accept identities verified by the tailnet.
    pub allow_tailscale: Option<bool>,
    /// Limits on wrong guesses.
    pub rate_limit: Option<RateLimit>,
    /// Settings of `trusted-proxy` mode.
    pub trusted_proxy: Option<TrustedProxy>,
}

/// The web page the gateway serves.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ControlUi {
    /// Serve the page.
    ///
    /// Default: `true`.
    pub enabled: Option<bool>,
    /// Path prefix under which the page lives.
    pub base_path: Option<String>,
    /// Directory with page files to serve instead of the built-in ones.
    pub root: Option<String>,
    /// Web origins that may open a connection.
    pub allowed_origins: Option<Vec<String>>,
    /// Let the page sign in without a device identity over plain HTTP.
    ///
    /// Default: `false`.
    pub allow_insecure_auth: Option<bool>,
    /// Skip device identities for the page.
    ///
    /// Default: `false`.
    pub dangerously_disable_device_auth: Option<bool>,
    /// Trust the Host header as the page's origin.
    ///
    /// Default: `false`.
    pub dangerously_allow_host_header_origin_fallback: Option<bool>,
}

/// Exposing the gateway on a tailnet.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Tailscale {
    /// How to expose it.
    ///
    /// Default: `off`.
    #[schemars(extend("enum" = ["off","serve","funnel"]))]
    pub mode: Option<String>,
    /// Undo the exposure when the gateway stops.
    ///
    /// Default: `false`.
    pub reset_on_exit: Option<bool>,
}

/// The gateway that commands on this machine talk to.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Remote {
    /// Use the remote gateway.
    pub enabled: Option<bool>,
    /// WebSocket address of it.
    pub url: Option<String>,
    /// How to reach it.
    ///
    /// Default: `ssh` when `sshTarget` is set, `direct` otherwise.
    #[schemars(extend("enum" = ["ssh","direct"]))]
    pub transport: Option<String>,
    /// Token for it.
    pub token: Option<SecretText>,
    /// Password for it.
    pub password: Option<SecretText>,
    /// Fingerprint its certificate must have.
    pub tls_fingerprint: Option<String>,
    /// Host to tunnel through.
    pub ssh_target: Option<String>,
    /// Key file for the tunnel.
    pub ssh_identity: Option<String>,
}

/// What happens when this file is edited while the gateway runs.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ReloadSettings {
    /// Which edits are applied.
    ///
    /// Default: `hybrid`.
    pub mode: Option<ReloadMode>,
    /// Quiet time to wait for before reading an edit, in milliseconds.
    ///
    /// Default: `300`.
    #[schemars(range(min = 0, max = 60000))]
    pub debounce_ms: Option<u64>,
}

/// Encrypting connections.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Tls {
    /// Serve TLS.
    ///
    /// Default: `false`.
    pub enabled: Option<bool>,
    /// Make a self-signed certificate when none is given.
    ///
    /// Default: `true`.
    pub auto_generate: Option<bool>,
    /// Certificate file.
    pub cert_path: Option<String>,
    /// Key file.
    pub key_path: Option<String>,
    /// Certificate authority file.
    pub ca_path: Option<String>,
}

/// The `/v1/chat/completions` endpoint.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ChatCompletions {
    /// Serve it.
    ///
    /// Default: `false`.
    pub enabled: Option<bool>,
    /// Largest request, in bytes.
    ///
    /// Default: `20971520`.
    pub max_body_bytes: Option<u64>,
    /// Most pictures in one request.
    ///
    /// Default: `8`.
    pub max_image_parts: Option<u64>,
    /// Most bytes of all pictures in one request.
    ///
    /// Default: `20971520`.
    pub max_total_image_bytes: Option<u64>,
    /// Limits for pictures.
    pub images: Option<ChatImages>,
}

/// Limits for pictures in chat requests.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ChatImages {
    /// Fetch pictures by address.
    ///
    /// Default: `false`.
    pub allow_url: Option<bool>,
    /// Hosts pictures may be fetched from.
    pub url_allowlist: Option<Vec<String>>,
    /// Kinds of pictures accepted.
    pub allowed_mimes: Option<Vec<String>>,
    /// Largest picture, in bytes.
    ///
    /// Default: `10485760`.
    pub max_bytes: Option<u64>,
    /// Redirects followed.
    ///
    /// Default: `3`.
    pub max_redirects: Option<u64>,
    /// Longest fetch, in milliseconds.
    ///
    /// Default: `10000`.
    pub timeout_ms: Option<u64>,
}

impl From<ChatImages> for ResponsesImages {
    fn from(chat: ChatImages) -> Self {
        let ChatImages { allow_url, url_allowlist, allowed_mimes, max_bytes, max_redirects, timeout_ms } =
            chat;
        Self { allow_url, url_allowlist, allowed_mimes, max_bytes, max_redirects, timeout_ms }
    }
}

/// Limits for PDF files.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ResponsesPdf {
    /// Pages read.
    ///
    /// Default: `4`.
    pub max_pages: Option<u64>,
    /// Largest rendered page, in pixels.
    ///
    /// Default: `4000000`.
    pub max_pixels: Option<u64>,
    /// Below this many characters pages are rendered as pictures.
    ///
    /// Default: `200`.
    pub min_text_chars: Option<u64>,
}

/// Limits for files in requests.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ResponsesFiles {
    /// Fetch files by address.
    ///
    /// Default: `true`.
    pub allow_url: Option<bool>,
    /// Hosts files may be fetched from.
    pub url_allowlist: Option<Vec<String>>,
    /// Kinds of files accepted.
    pub allowed_mimes: Option<Vec<String>>,
    /// Largest file, in bytes.
    ///
    /// Default: `5242880`.
    pub max_bytes: Option<u64>,
    /// Longest text, in characters.
    ///
    /// Default: `200000`.
    pub max_chars: Option<u64>,
    /// Redirects followed.
    ///
    /// Default: `3`.
    pub max_redirects: Option<u64>,
    /// Longest fetch, in milliseconds.
    ///
    /// Default: `10000`.
    pub timeout_ms: Option<u64>,
    /// PDF limits.
    pub pdf: Option<ResponsesPdf>,
}

/// Limits for pictures in requests.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ResponsesImages {
    /// Fetch pictures by address.
    ///
    /// Default: `true`.
    pub allow_url: Option<bool>,
    /// Hosts pictures may be fetched from.
    pub url_allowlist: Option<Vec<String>>,
    /// Kinds of pictures accepted.
    pub allowed_mimes: Option<Vec<String>>,
    /// Largest picture, in bytes.
    ///
    /// Default: `10485760`.
    pub max_bytes: Option<u64>,
    /// Redirects followed.
    ///
    /// Default: `3`.
    pub max_redirects: Option<u64>,
    /// Longest fetch, in milliseconds.
    ///
    /// Default: `10000`.
    pub timeout_ms: Option<u64>,
}

/// The `/v1/responses` endpoint.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Responses {
    /// Serve it.
    ///
    /// Default: `false`.
    pub enabled: Option<bool>,
    /// Largest request, in bytes.
    ///
    /// Default: `20971520`.
    pub max_body_bytes: Option<u64>,
    /// Most parts fetched by address in one request.
    ///
    /// Default: `8`.
    pub max_url_parts: Option<u64>,
    /// Limits for files.
    pub files: Option<ResponsesFiles>,
    /// Limits for pictures.
    pub images: Option<ResponsesImages>,
}

/// Optional HTTP endpoints.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct HttpEndpoints {
    /// Chat completions.
    pub chat_completions: Option<ChatCompletions>,
    /// Responses.
    pub responses: Option<Responses>,
}

/// HTTP beside the WebSocket.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct GatewayHttp {
    /// Which endpoints are served.
    pub endpoints: Option<HttpEndpoints>,
    /// Extra response headers.
    pub security_headers: Option<Value>,
}

/// Which tools the HTTP tool endpoint may run.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct GatewayTools {
    /// Tools taken off the built-in deny list.
    pub allow: Option<Vec<String>>,
    /// Tools refused in addition to it.
    pub deny: Option<Vec<String>>,
}

/// Using the browser of a node.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NodeBrowser {
    /// How a node is chosen.
    ///
    /// Default: `auto`.
    #[schemars(extend("enum" = ["auto","manual","off"]))]
    pub mode: Option<String>,
    /// The node to use in `manual` mode.
    pub node: Option<String>,
}

/// Which commands nodes may be asked to run.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NodeCommands {
    /// Commands allowed in addition to the defaults.
    pub allow: Option<Vec<String>>,
    /// Commands refused.
    pub deny: Option<Vec<String>>,
}

/// How nodes and other devices are let in.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NodePairing {
    /// Let devices on this machine in without a question.
    ///
    /// Default: `true`.
    pub auto_approve_local: Option<bool>,
    /// Networks from which new nodes are let in without a question.
    pub auto_approve_cidrs: Option<Vec<String>>,
    /// Prove over SSH that a node is the owner's.
    pub ssh_verify: Option<serde_json::Value>,
}

/// Phones and desktops that offer commands.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Nodes {
    /// Browser on a node.
    pub browser: Option<NodeBrowser>,
    /// Commands allowed in addition to the defaults.
    pub allow_commands: Option<Vec<String>>,
    /// Commands refused.
    pub deny_commands: Option<Vec<String>>,
    /// Newer spelling of the two lists.
    pub commands: Option<NodeCommands>,
    /// How nodes are let in.
    pub pairing: Option<NodePairing>,
}

/// The server other programs and people connect to.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Gateway {
    /// Whether this machine runs a gateway (`local`) or uses another one (`remote`).
    pub mode: Option<GatewayMode>,
    /// TCP port for WebSocket and HTTP.
    ///
    /// Default: `18789`.
    #[schemars(range(min = 1))]
    pub port: Option<u16>,
    /// Which network interfaces to listen on.
    ///
    /// Default: `loopback`.
    pub bind: Option<BindMode>,
    /// Address to listen on when `bind` is `custom`.
    pub custom_bind_host: Option<String>,
    /// Who may connect.
    pub auth: Option<GatewayAuth>,
    /// The web page.
    pub control_ui: Option<ControlUi>,
    /// Proxy addresses whose forwarding headers are believed.
    pub trusted_proxies: Option<Vec<String>>,
    /// Believe X-Real-IP when X-Forwarded-For is missing.
    ///
    /// Default: `false`.
    pub allow_real_ip_fallback: Option<bool>,
    /// Tailnet exposure.
    pub tailscale: Option<Tailscale>,
    /// Client side: the gateway to talk to.
    pub remote: Option<Remote>,
    /// Live reload.
    pub reload: Option<ReloadSettings>,
    /// Encryption.
    pub tls: Option<Tls>,
    /// HTTP endpoints.
    pub http: Option<GatewayHttp>,
    /// HTTP tool policy.
    pub tools: Option<GatewayTools>,
    /// Node policy.
    pub nodes: Option<Nodes>,
    /// Minutes between channel health checks; 0 turns them off.
    ///
    /// Default: `5`.
    pub channel_health_check_minutes: Option<u64>,
}
