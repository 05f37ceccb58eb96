//! How the model of the default agent stands, for `homard doctor` and `homard status`.

use homard_doctor::ModelState;
use homard_llm::ModelError;

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
    let unknown = router.models().resolve(&chosen).err();
    let is_locked = matches!(unknown, Some(ModelError::NoKey(_)));
    let state = ModelState {
        chosen: chosen.to_string(),
        provider: chosen.provider.to_string(),
        is_chosen,
        unknown: unknown.filter(|_| !is_locked).map(|error| error.to_string()),
        // A provider nobody asks for a key is ready as it is.
        has_key: !is_locked && candidates.as_ref().is_none_or(|all| !all.is_empty()),
        is_ready: !is_locked
            && candidates.is_none_or(|all| all.iter().any(|one| one.cooling_until.is_none())),
    };
    local.close().await;
    Ok(state)
}
