//! How the model of the default agent stands, for `homard doctor` and `homard status`.

use homard_doctor::ModelState;

use super::room::Local;
use crate::commands::Cx;

/// Looks at settings and stored credentials; nobody is asked.
///
/// # Errors
/// When the configuration cannot be used.
pub(crate) async fn of_default_agent(cx: &Cx) -> anyhow::Result<ModelState> {
    let local = Local::open(cx, None).await?;
    let agent = local.agent()?;
    let router = &local.router;
    let written = agent.model.primary.as_ref().map(|model| router.selector().normal(model));
    let is_chosen = written.is_some();
    let chosen = written.unwrap_or_else(|| router.first_choice().clone());
    let candidates = match router.auth().get(&chosen.provider) {
        Some(auth) => Some(router.profiles(&agent.id).candidates(auth, None).await),
        None => None,
    };
    let state = ModelState {
        chosen: chosen.to_string(),
        provider: chosen.provider.to_string(),
        is_chosen,
        unknown: router.models().resolve(&chosen).err().map(|error| error.to_string()),
        // A provider nobody asks for a key is ready as it is.
        has_key: candidates.as_ref().is_none_or(|all| !all.is_empty()),
        is_ready: candidates.is_none_or(|all| all.iter().any(|one| one.cooling_until.is_none())),
    };
    local.close().await;
    Ok(state)
}
