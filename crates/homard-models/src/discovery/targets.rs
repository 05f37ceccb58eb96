//! Whom to ask for models.

use std::time::Duration;

use homard_config::config::models::BedrockDiscovery;
use homard_llm::{CredentialKind, Headers, ProviderSpec};
use homard_protocol::ProviderId;

use super::REFRESH_EVERY;
use crate::auth::ProviderAuth;
use crate::catalogue::{self, DiscoveryKind, ROWS};
use crate::furnish::Furnished;

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
        if self.kind == DiscoveryKind::Bedrock { bedrock.refresh_interval } else { REFRESH_EVERY }
    }
}

/// Everybody furnished who can be asked. With `scan` also the servers people run on their own machine, which
/// are otherwise left alone: their ports may be somebody else's.
#[must_use]
pub fn targets(furnished: &Furnished, bedrock: &BedrockDiscovery, scan: bool) -> Vec<Target> {
    let known = furnished.providers.iter().filter_map(|spec| {
        let kind =
            kind_of(spec).filter(|kind| *kind != DiscoveryKind::Bedrock || bedrock.enabled != Some(false))?;
        Some(Target {
            provider: spec.id.clone(),
            kind,
            base_url: spec.base_url.clone(),
            headers: spec.headers.clone(),
            auth: furnished.auth.get(&spec.id)?.clone(),
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
        // A server of the owner's whose models the owner did not write down.
        None if !spec.models.is_empty() => DiscoveryKind::Fixed,
        None if spec.api == "ollama" => DiscoveryKind::Ollama,
        None if LISTING_APIS.contains(&spec.api.as_str()) => DiscoveryKind::OpenAi,
        None => DiscoveryKind::Fixed,
    };
    (kind != DiscoveryKind::Fixed).then_some(kind)
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
