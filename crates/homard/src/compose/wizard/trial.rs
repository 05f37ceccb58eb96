//! Asking a model for a word before it is taken: as it would be if the plan were written, and with nothing written.

use std::sync::Arc;
use std::time::Duration;

use homard_config::{ConfigHandle, ConfigSource};
use homard_llm::Http;
use homard_models::cli_backend::SessionIdsInMemory;
use homard_models::probe::{ProbeOptions, Probed, probe};
use homard_protocol::ProviderId;
use homard_runtime::{Redactor, Tasks, millis};
use serde_json::{Value, json};

use super::script::Plan;
use super::{logins, write};
use crate::compose::models::{ModelRoom, RoomParts};

/// How long a model may take to answer; one that is being loaded into memory takes a while.
const LIMIT: Duration = Duration::from_secs(30);

/// Asks the plan's model. Both what it says and what went wrong are for the person.
pub(crate) async fn model(source: &ConfigSource, plan: &Plan) -> Result<String, String> {
    let Some((provider, model)) = &plan.model else { return Ok("no model was chosen".to_owned()) };
    // A login is tried from a folder of its own: nothing is kept before the last yes.
    let apart = tempfile::tempdir().map_err(|error| error.to_string())?;
    let mut source = source.clone();
    let login = match plan.login() {
        None => None,
        Some(program) => {
            let login = logins::of(&source.paths.home, program).await?;
            let Some(login) = logins::for_trial(login, source.clock.now_ms()) else {
                return Ok(format!("not tried: the login of {program} is renewed with the first call"));
            };
            source.paths.state_dir = apart.path().to_owned();
            Some(login)
        }
    };
    let source = &source;
    let wanted = format!("{provider}/{model}");
    let provider = ProviderId::parse(provider).map_err(|error| error.to_string())?;
    let handle = ConfigHandle::open(source.clone()).map_err(|error| error.to_string())?;
    let mut changes = vec![("agents.defaults.model".to_owned(), json!({"primary": wanted}))];
    if let Some(entry) = write::described(&handle.current(), plan) {
        changes.push((format!("models.providers.{provider}"), entry));
    }
    if let Some(key) = plan.key() {
        changes.push((format!("models.providers.{provider}.apiKey"), Value::String(key.expose().to_owned())));
    }
    for (path, value) in changes {
        handle.set_override(&path, value).map_err(|error| error.to_string())?;
    }
    let tasks = Tasks::new();
    let room = ModelRoom::open(RoomParts {
        config: &handle,
        paths: &source.paths,
        http: Http::default(),
        clock: source.clock.clone(),
        tasks: tasks.clone(),
        secrets: Redactor::default(),
        sessions: Arc::new(SessionIdsInMemory::default()),
        asks: false,
    });
    let config = handle.current();
    let router = room.router(&config).await;
    // Where a key was typed or a login chosen, only that one counts.
    let mut profile = plan.key().is_some().then(|| format!("{provider}:config"));
    if let Some(login) = login {
        let profiles = router.profiles(&config.agents.default_agent().id);
        profile = Some(profiles.add(login).await.map_err(|error| error.to_string())?);
    }
    let options =
        ProbeOptions { provider: Some(provider), profile, timeout: LIMIT, ..ProbeOptions::default() };
    let probed = probe(&router, config.agents.default_agent(), &options, &source.clock).await;
    tasks.token().cancel();
    told(&probed, &wanted)
}

fn told(probed: &[Probed], wanted: &str) -> Result<String, String> {
    let answered = probed.iter().find_map(|one| one.outcome.as_ref().ok());
    if let Some(took) = answered {
        return Ok(format!("it answered in {} ms", millis(*took)));
    }
    let failed = probed.iter().find_map(|one| one.outcome.as_ref().err());
    Err(failed.map_or_else(
        || format!("nobody is known who could be asked for {wanted}"),
        |error| format!("{} ({})", error.message.trim_end_matches('.'), error.hint()),
    ))
}
