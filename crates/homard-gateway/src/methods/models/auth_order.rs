//! `models.authOrderSet`: which credential of a provider is tried first.

use homard_protocol::methods::models::auth_order::{ModelsAuthOrderSetParams, ModelsAuthOrderSetResult};

use super::auth::{agent_named, provider_named};
use crate::error::RequestError;
use crate::methods::check_range;
use crate::table::Cx;

/// `models.authOrderSet`.
pub(crate) async fn set(
    cx: Cx,
    params: ModelsAuthOrderSetParams,
) -> Result<ModelsAuthOrderSetResult, RequestError> {
    let name = "models.authOrderSet";
    check_range(name, "profileIds", params.profile_ids.as_ref().map(Vec::len), 1..=usize::MAX)?;
    let provider = provider_named(name, &params.provider)?;
    let config = cx.gateway.config().current();
    let agent = agent_named(&config, params.agent_id.as_ref())?;
    let profiles = cx.gateway.relay().router().profiles(&agent.id);
    match params.profile_ids {
        Some(ids) => profiles.set_order(&provider, ids).await?,
        None => profiles.clear_order(&provider).await?,
    }
    Ok(ModelsAuthOrderSetResult {
        ok: true,
        profile_ids: profiles.order(&provider).await,
        provider: provider.to_string(),
        agent_id: agent.id.clone(),
    })
}
