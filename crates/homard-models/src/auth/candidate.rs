//! What a provider can be called with, in the order it is tried.

use homard_llm::{ApiKey, CredentialKind};
use homard_protocol::ProviderId;

use super::oauth::BorrowedClient;

/// One credential that may be tried.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate {
    /// Its name in run records, cooldowns and pins: a profile's id, or `<provider>:env`, `<provider>:config`.
    pub id: String,
    pub provider: ProviderId,
    /// Where it comes from.
    pub source: Source,
    /// What kind of proof it is.
    pub kind: CredentialKind,
    /// Until when it is left alone, in milliseconds since 1970.
    pub cooling_until: Option<i64>,
}

/// Where a credential comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    Profile,
    /// The environment variable of this name.
    Env(String),
    Config,
    /// Wherever AWS tools look.
    AwsChain,
    /// Nowhere: the server asks for nothing.
    Keyless,
}

/// What a provider can be called with beside its stored profiles, and how its logins work.
#[derive(Debug, Clone)]
pub struct ProviderAuth {
    pub provider: ProviderId,
    /// Keys found in the environment, with the variable's name, in the order they are tried.
    pub env: Vec<(String, ApiKey)>,
    /// What kind of proof the environment's keys are.
    pub env_kind: CredentialKind,
    /// The key of `models.providers.<id>.apiKey`.
    pub config_key: Option<ApiKey>,
    /// Whether requests may be signed with keys from the AWS chain.
    pub aws: bool,
    /// Whether the server may be called with nothing at all.
    pub keyless: bool,
    /// How to log in, where one can.
    pub oauth: Option<&'static OAuthRow>,
    /// What a stored token must be exchanged for before it is accepted.
    pub exchange: Option<Exchange>,
    /// The address with `{name}` places filled from a profile's metadata, for providers that have one per
    /// account.
    pub base_url_template: Option<&'static str>,
}

/// How to log in at a provider: OAuth with PKCE, or with a code typed on another device.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OAuthRow {
    /// Where the person's browser goes.
    pub authorize_url: &'static str,
    /// Where codes and refresh tokens are exchanged.
    pub token_url: &'static str,
    /// Where a device code is asked for, where the provider has that.
    pub device_url: Option<&'static str>,
    /// How that login goes.
    pub device_flow: DeviceFlow,
    /// Who we are to the provider; public, as all native programs' ids are.
    pub client_id: &'static str,
    /// What we ask for.
    pub scopes: &'static str,
    /// Where the browser comes back to: `http://localhost:PORT/PATH`, or a page that shows a code to paste.
    pub redirect: &'static str,
    /// More query parameters of the authorize page.
    pub extra: &'static [(&'static str, &'static str)],
    /// How the token server wants to be asked.
    pub token_body: TokenBody,
    /// Which account a token is for, where every call has to name it.
    pub account: Option<AccountClaim>,
    /// Where the vendor's id and secret come from, where it lets only its own program in; then `client_id` is empty.
    pub borrowed: Option<BorrowedClient>,
    /// The server that says which project pays, where every call has to name one.
    pub projects: Option<&'static str>,
}

impl OAuthRow {
    /// Whether a browser has no way back: then a code on another device is the only login there is.
    #[must_use]
    pub fn is_device_only(&self) -> bool {
        self.device_url.is_some() && self.redirect.is_empty()
    }

    /// What a row says unless it says otherwise, so that rows name only what they have.
    pub const EMPTY: Self = Self {
        authorize_url: "",
        token_url: "",
        device_url: None,
        device_flow: DeviceFlow::Standard,
        client_id: "",
        scopes: "",
        redirect: "",
        extra: &[],
        token_body: TokenBody::Form,
        account: None,
        borrowed: None,
        projects: None,
    };
}

/// How a login with a code on another device goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeviceFlow {
    /// As RFC 8628 says.
    Standard,
    /// MiniMax: the code the person types is also what we ask with; times are in milliseconds.
    UserCode,
    /// OpenAI: the code becomes an authorization code, which is exchanged as after a login in a browser.
    Codex,
}

/// How a token server wants to be asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TokenBody {
    /// As a form, which is the standard.
    Form,
    /// As JSON, with the state beside the code.
    Json,
}

/// The account a token is for, as the token itself says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AccountClaim {
    /// Where in the token's claims it stands, as a JSON pointer.
    pub pointer: &'static str,
    /// The header that names it in every call.
    pub header: &'static str,
}

/// What a stored token is exchanged for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exchange {
    /// A GitHub token for a Copilot token, at this address.
    Copilot {
        /// Where tokens are exchanged.
        url: &'static str,
    },
}

/// Whether a candidate's name is that of a stored profile, which a conversation can keep to; the others are
/// there or not, whoever asks.
#[must_use]
pub fn is_stored(id: &str) -> bool {
    !matches!(id.split(':').nth(1), None | Some("env" | "config" | "aws" | "none"))
}
