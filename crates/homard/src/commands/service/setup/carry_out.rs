//! Doing what was agreed: the key is kept, the settings are written in one step, the workspace gets its first files.

use anyhow::Context;
use homard_agent::prepare_whole_workspace;
use homard_config::config::gateway::AuthMode;
use homard_config::{ConfigHandle, WriteOutcome, new_gateway_token};
use serde_json::{Value, json};

use super::args::OnboardArgs;
use crate::commands::Cx;
use crate::commands::models::Local;
use crate::compose::wizard::facts;
use crate::compose::wizard::script::Plan;
use crate::compose::wizard::write;

/// Who asked, as it is noted in the configuration.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ran {
    pub(super) command: &'static str,
    pub(super) skip_bootstrap: bool,
}

/// Puts what only options can say into the plan.
pub(super) fn complete(plan: &mut Plan, args: &OnboardArgs) {
    if let (Some(id), Some((provider, _)), Some(_)) =
        (&args.model.custom_provider_id, &mut plan.model, &plan.own_server)
    {
        provider.clone_from(id);
    }
    plan.token = args.gateway.gateway_token.as_deref().map(homard_config::Secret::new);
}

/// Does what was agreed. The key first: a key nobody uses yet harms nobody, a model without its key does not answer.
pub(super) async fn carry_out(cx: &Cx, mut plan: Plan, ran: Ran) -> anyhow::Result<WriteOutcome> {
    if let Some(new) = write::new_profile(&plan, &cx.source.paths.home).await.map_err(anyhow::Error::msg)? {
        let local = Local::open(cx, None).await?;
        let profiles = local.router.profiles(&local.agent()?.id);
        let kept = profiles.add(new).await;
        local.close().await;
        kept.context("the key could not be kept")?;
    }
    let handle = ConfigHandle::open(cx.source.clone())?;
    let config = handle.current();
    let auth = facts::word(config.gateway.auth.mode);
    let is_missing = config.gateway.auth.token.is_none() && plan.token.is_none();
    if plan.remote.is_none() && plan.auth == facts::word(AuthMode::Token) && is_missing {
        plan.token = Some(new_gateway_token()?);
    }
    let noted = json!({
        "lastRunAt": cx.source.clock.now_rfc3339(),
        "lastRunVersion": env!("CARGO_PKG_VERSION"),
        "lastRunCommand": ran.command,
        "lastRunMode": if plan.remote.is_some() { "remote" } else { "local" },
    });
    let mut change = write::change(&config, &plan, &auth, &noted);
    if ran.skip_bootstrap
        && let Some(root) = change.as_object_mut()
    {
        let agents = root.entry("agents").or_insert_with(|| json!({"defaults": {}}));
        if let Some(defaults) = agents.get_mut("defaults").and_then(Value::as_object_mut) {
            defaults.insert("skipBootstrap".to_owned(), json!(true));
        }
    }
    let hash = handle.snapshot().hash.clone();
    let outcome = handle.merge_patch(&change.to_string(), Some(&hash), &[])?;
    if plan.remote.is_none() {
        let config = handle.current();
        let workspace = &config.agents.default_agent().workspace;
        let (skip, now) = (config.agents.defaults.skip_bootstrap, cx.source.clock.now_rfc3339());
        prepare_whole_workspace(workspace, skip, &now).with_context(|| {
            format!("the settings are written, and the workspace `{}` could not be made", workspace.display())
        })?;
    }
    Ok(outcome)
}
