//! `webSearch.status`: who searches the web.

use homard_config::config::tools::web::SearchProvider;
use homard_protocol::ModelRef;
use homard_protocol::methods::tools::search_status::{
    SearchProviderRow, SearchRoute, SearchingModel, WebSearchStatusParams, WebSearchStatusResult,
};
use homard_protocol::{SessionKey, SessionScope};

use crate::error::RequestError;
use crate::methods::agents::files::workspace;
use crate::table::Cx;

/// What we can search with: id, name, what it needs, whether that is a key.
const PROVIDERS: [(SearchProvider, &str, &str, &str, bool); 4] = [
    (SearchProvider::Brave, "brave", "Brave Search", "Needs a key.", true),
    (SearchProvider::DuckDuckGo, "duckduckgo", "DuckDuckGo", "Needs nothing.", false),
    (SearchProvider::Perplexity, "perplexity", "Perplexity", "Needs a key.", true),
    (SearchProvider::Searxng, "searxng", "SearXNG", "Needs the address of your own server.", false),
];

/// `webSearch.status`.
pub(crate) async fn status(
    cx: Cx,
    params: WebSearchStatusParams,
) -> Result<WebSearchStatusResult, RequestError> {
    let config = cx.gateway.config().current();
    let agent = params.agent_id.unwrap_or_else(|| config.agents.default_agent().id.clone());
    workspace(&cx.gateway, &agent)?;
    let main = SessionKey::agent(agent.clone(), SessionScope::Main);
    let ModelRef { provider, model } = cx.gateway.relay().sessions().model_for(&main, None);
    let chosen = config.tools.web.search.engine.as_ref().map(|engine| engine.provider);
    let providers = PROVIDERS.map(|(kind, id, label, hint, requires_credential)| {
        let configured = chosen == Some(kind);
        let credential_source = match (requires_credential, configured) {
            (false, _) => "none",
            (true, true) => "config",
            (true, false) => "missing",
        };
        SearchProviderRow {
            id: id.to_owned(),
            plugin_id: "homard".to_owned(),
            label: label.to_owned(),
            hint: hint.to_owned(),
            configured,
            installed: true,
            available: configured,
            requires_credential,
            credential_source: credential_source.to_owned(),
            config_path: ["tools", "web", "search", id].map(str::to_owned).to_vec(),
        }
    });
    let found = providers.iter().find(|row| row.configured);
    let route = SearchRoute {
        kind: if found.is_some() { "managed" } else { "unavailable" }.to_owned(),
        provider: found.map(|row| row.id.clone()),
        label: found.map_or_else(|| "Nobody searches".to_owned(), |row| row.label.clone()),
        reason: found.is_none().then(|| "tools.web.search names nobody with what it needs".to_owned()),
        testable: false,
    };
    Ok(WebSearchStatusResult {
        enabled: found.is_some(),
        provider: route.provider.clone(),
        agent_id: agent,
        model: SearchingModel {
            provider: provider.to_string(),
            id: model.to_string(),
            runtime: "homard".to_owned(),
        },
        route,
        providers: providers.into(),
    })
}
