//! Whom to ask for models.

use std::time::Duration;

use homard_config::config::models::BedrockDiscovery;
use homard_llm::{CredentialKind, Headers, ProviderSpec};
use homard_protocol::ProviderId;

use super::REFRESH_EVERY;
use crate::auth::ProviderAuth;
use crate::catalogue::{self, DiscoveryKind, ROWS};
use crate::providers::ConfiguredProviders;

/// How long an answer of a server stays fresh that loads models as they are asked for.
const OWN_EVERY: Duration = Duration::from_secs(600);
/// The APIs whose servers usually also list their models.
const LISTING_APIS: [&str; 2] = ["openai-completions", "openai-responses"];

/// A server to ask.
#[derive(Debug, Clone)]
pub struct Target {
    /// Whose models they are.
    pub provider: ProviderId,
    /// How it is asked.
    pub kind: DiscoveryKind,
    /// The address model calls go to.
    pub base_url: String,
    /// Sent with the question.
    pub headers: Headers,
    /// What to ask with.
    pub auth: ProviderAuth,
}

impl Target {
    /// How long an answer stays fresh.
    pub(super) fn refresh_every(&self, bedrock: &BedrockDiscovery) -> Duration {
        match self.kind {
            DiscoveryKind::Bedrock => bedrock.refresh_interval,
            // What runs there changes with every model somebody uses.
            DiscoveryKind::Ollama => OWN_EVERY,
            DiscoveryKind::Fixed | DiscoveryKind::OpenAi | DiscoveryKind::OpenAiPerToken => REFRESH_EVERY,
        }
    }
}

/// Everybody configured who can be asked. With `scan` also the servers people run on their own machine, which
/// are otherwise left alone: their ports may be somebody else's.
#[must_use]
pub fn targets(configured: &ConfiguredProviders, bedrock: &BedrockDiscovery, scan: bool) -> Vec<Target> {
    let known = configured.providers.iter().filter_map(|spec| {
        let kind =
            kind_of(spec).filter(|kind| *kind != DiscoveryKind::Bedrock || bedrock.enabled != Some(false))?;
        Some(Target {
            provider: spec.id.clone(),
            kind,
            base_url: spec.base_url.clone(),
            headers: spec.headers.clone(),
            auth: configured.auth.get(&spec.id)?.clone(),
        })
    });
    let mut targets: Vec<Target> = known.collect();
    if scan {
        let more = own_servers().filter(|own| targets.iter().all(|known| known.provider != own.provider));
        let more: Vec<Target> = more.collect();
        targets.extend(more);
    }
    targets
}

fn kind_of(spec: &ProviderSpec) -> Option<DiscoveryKind> {
    let row = catalogue::find(spec.id.as_str());
    let kind = match row {
        Some(row) => row.discovery,
        // A server whose models the owner wrote down is asked only what they can hold, and only one's own.
        None if !spec.models.is_empty() && !may_be_asked(spec) => DiscoveryKind::Fixed,
        None if spec.api == "ollama" => DiscoveryKind::Ollama,
        None if LISTING_APIS.contains(&spec.api.as_str()) => DiscoveryKind::OpenAi,
        None => DiscoveryKind::Fixed,
    };
    (kind != DiscoveryKind::Fixed).then_some(kind)
}

/// Whether a server is one's own and something about its models is not written down.
fn may_be_asked(spec: &ProviderSpec) -> bool {
    spec.models.iter().any(|model| model.context_window.is_none()) && is_own(&spec.base_url)
}

/// Whether an address is on this machine or in this house.
fn is_own(base_url: &str) -> bool {
    let rest = base_url.split_once("://").map_or(base_url, |(_, rest)| rest);
    let place = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let host = match place.strip_prefix('[') {
        Some(six) => six.split(']').next().unwrap_or_default(),
        None => place.split(':').next().unwrap_or_default(),
    };
    match host.parse::<std::net::IpAddr>() {
        Ok(std::net::IpAddr::V4(four)) => four.is_loopback() || four.is_private() || four.is_link_local(),
        Ok(std::net::IpAddr::V6(six)) => six.is_loopback() || six.is_unique_local(),
        Err(_) => {
            !host.contains('.') || [".local", ".lan", ".internal"].iter().any(|end| host.ends_with(end))
        }
    }
}

/// The rows of servers on one's own machine, asked with nothing.
fn own_servers() -> impl Iterator<Item = Target> {
    ROWS.iter().filter(|row| row.is_keyless()).filter_map(|row| {
        let provider = ProviderId::parse(row.id).ok()?;
        Some(Target {
            kind: row.discovery,
            base_url: row.base_url.to_owned(),
            headers: Headers::default(),
            auth: ProviderAuth {
                provider: provider.clone(),
                env: Vec::new(),
                env_kind: CredentialKind::ApiKey,
                config_key: None,
                aws: false,
                keyless: true,
                oauth: None,
                exchange: None,
                base_url_template: None,
            },
            provider,
        })
    })
}
