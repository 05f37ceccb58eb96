//! `models.*`: what can be thought with.

pub(crate) mod auth;
pub(crate) mod auth_order;
pub(crate) mod auth_status;

use crate::error::RequestError;
use homard_llm::Price;
use homard_models::listing::ListedModel;
use homard_models::select::default_level;
use homard_protocol::methods::chat::agent::{
    ModelPrice, ModelSummary, ModelsList, ModelsListParams, ModelsListResult, ModelsView,
};
use homard_protocol::methods::models::auth::{
    ModelsAuthImport, ModelsAuthLogout, ModelsAuthSetApiKey, ModelsProbe,
};
use homard_protocol::methods::models::auth_order::ModelsAuthOrderSet;
use homard_protocol::methods::models::auth_status::ModelsAuthStatus;
use homard_protocol::{SessionKey, Word};

use super::session_key;
use crate::session_rows::thinking_levels;
use crate::table::{Cx, MethodTable};

/// The methods of this family.
pub(super) fn register(table: MethodTable) -> MethodTable {
    table
        .on::<ModelsAuthImport, _, _>(auth::import)
        .on::<ModelsAuthLogout, _, _>(auth::logout)
        .on::<ModelsAuthOrderSet, _, _>(auth_order::set)
        .on::<ModelsAuthSetApiKey, _, _>(auth::set_api_key)
        .on::<ModelsAuthStatus, _, _>(auth_status::status)
        .on::<ModelsList, _, _>(list)
        .on::<ModelsProbe, _, _>(auth::probe)
}

/// `models.list`.
pub(super) async fn list(cx: Cx, params: ModelsListParams) -> Result<ModelsListResult, RequestError> {
    let gateway = &cx.gateway;
    let config = gateway.config().current();
    let key = match &params.session_key {
        Some(key) => session_key(gateway, key, params.agent_id.as_ref())?,
        None => SessionKey::main(config.agents.default_agent().id.clone()),
    };
    let agent =
        key.agent_id().and_then(|id| config.agents.agent(id)).unwrap_or(config.agents.default_agent());
    let chosen = gateway.relay().sessions().model_for(&key, None);
    let listed = gateway.relay().router().listing(agent, &chosen).await;
    let view = params.view.as_ref().and_then(Word::known).unwrap_or(ModelsView::Default);
    let wanted = |one: &&ListedModel| {
        let of_provider = |provider: &str| one.reference.provider.as_str() == provider;
        params.provider.as_deref().is_none_or(of_provider)
            && match view {
                ModelsView::All => true,
                ModelsView::Configured => !one.tags.is_empty(),
                ModelsView::ProviderConfig => config.models.providers.contains_key(&one.reference.provider),
                ModelsView::Default => !one.tags.is_empty() || (one.allowed && one.available),
            }
    };
    let detailed = params.include_details == Some(true);
    let told = |one: &ListedModel| if detailed { details(one) } else { summary(one) };
    Ok(ModelsListResult { models: listed.iter().filter(wanted).map(told).collect() })
}

fn summary(one: &ListedModel) -> ModelSummary {
    let model = &one.model;
    ModelSummary {
        id: model.id.to_string(),
        name: model.name.clone(),
        provider: model.provider.to_string(),
        context_window: model.context_window.map(u64::from),
        reasoning: model.reasoning,
        input: model.input.iter().map(|kind| kind.as_str().to_owned()).collect(),
        tags: one.tags.clone(),
        thinking_levels: thinking_levels(model),
        thinking_default: default_level(model),
        available: one.available,
        max_tokens: None,
        cost: None,
        allowed: None,
    }
}

fn details(one: &ListedModel) -> ModelSummary {
    let price = &one.model.price;
    ModelSummary {
        max_tokens: Some(u64::from(one.model.max_tokens)),
        // A price nobody told is no price of nothing.
        cost: (*price != Price::default()).then_some(ModelPrice {
            input: price.input,
            output: price.output,
            cache_read: price.cache_read,
            cache_write: price.cache_write,
        }),
        allowed: Some(one.allowed),
        ..summary(one)
    }
}
