//! How things are before the first question of the setup: which providers could answer at once, and what is written.

use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};

use homard_config::Config;
use homard_models::auth::{Described, Imported};
use homard_models::catalogue::{AuthKind, ROWS, Row};
use homard_runtime::Arrange as _;
use serde_json::json;

use super::local_servers::LocalServer;
use super::script::{FoundHere, Provider};

/// What was found besides the configuration.
#[derive(Debug, Default)]
pub(crate) struct Finds {
    /// Servers that run on this machine.
    pub(crate) servers: Vec<LocalServer>,
    /// Credentials that are kept already: the provider and the first of its credentials.
    pub(crate) kept: BTreeMap<String, String>,
    /// Logins of other programs.
    pub(crate) logins: Vec<Imported>,
}

/// What most people choose among.
const COMMON: [&str; 9] =
    ["anthropic", "openai", "google", "openrouter", "mistral", "groq", "xai", "deepseek", "ollama"];

/// The providers one can choose: those that can be used at once first, then those most people choose; otherwise the
/// catalogue's order stays.
pub(crate) fn providers(config: &Config, finds: &Finds) -> Vec<Provider> {
    let mut providers: Vec<Provider> =
        ROWS.iter().filter(|row| is_offered(row, finds)).map(|row| provider(row, config, finds)).collect();
    let common = |id: &str| COMMON.iter().position(|known| *known == id).unwrap_or(COMMON.len());
    providers.arrange_by_key(|provider| (provider.found.is_none(), common(&provider.id)));
    providers
}

/// The first credential that is kept for each provider.
pub(crate) fn kept(described: Vec<Described>) -> BTreeMap<String, String> {
    let mut kept = BTreeMap::new();
    for one in described {
        kept.entry(one.provider).or_insert(one.id);
    }
    kept
}

/// Whether something listens on a port of this machine.
pub(crate) fn is_port_used(port: u16) -> bool {
    let here = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
    TcpListener::bind(here).is_err_and(|error| error.kind() == ErrorKind::AddrInUse)
}

/// A word of the configuration as it is written.
pub(crate) fn word(value: impl serde::Serialize) -> String {
    json!(value).as_str().unwrap_or_default().to_owned()
}

/// Whether a provider can be chosen here: with a key or nothing, or with a login that is there already.
fn is_offered(row: &Row, finds: &Finds) -> bool {
    is_simple(row) || login(row, finds).is_some() || finds.kept.contains_key(row.id)
}

fn login<'f>(row: &Row, finds: &'f Finds) -> Option<&'f Imported> {
    finds.logins.iter().find(|one| one.profile.provider.as_str() == row.id)
}

/// Whether a key, or nothing, is all a provider needs.
fn is_simple(row: &Row) -> bool {
    row.places.is_empty() && row.auth.iter().any(|kind| matches!(kind, AuthKind::ApiKey | AuthKind::Keyless))
}

fn provider(row: &Row, config: &Config, finds: &Finds) -> Provider {
    let is_set = |name: &str| config.env.get(name).is_some_and(|value| !value.trim().is_empty());
    let server = finds.servers.iter().find(|server| server.provider == row.id);
    let variable =
        || row.env.iter().find(|key| is_set(key.name)).map(|key| FoundHere::Variable(key.name.to_owned()));
    let kept = || finds.kept.get(row.id).map(|id| FoundHere::Kept(id.clone()));
    let taken = || login(row, finds).map(|one| FoundHere::Login { program: one.program, file: one.file });
    let listed = server.map(|server| server.models.iter().map(|id| (id.clone(), id.clone())).collect());
    let known = || row.models.iter().map(|model| (model.id.to_owned(), model.name.to_owned())).collect();
    Provider {
        id: row.id.to_owned(),
        name: row.name.to_owned(),
        keyless: row.is_keyless(),
        login_only: !is_simple(row),
        found: server
            .map(|server| FoundHere::Server(server.address.clone()))
            .or_else(variable)
            .or_else(kept)
            .or_else(taken),
        models: listed.unwrap_or_else(known),
    }
}
