//! Walking a conversation at the terminal: options answer first, then the person.

use std::time::Duration;

use homard_protocol::methods::config::wizard::WizardStep;
use serde_json::Value;

use super::flags::Flags;
use super::prompt::Prompt;
use crate::commands::Cx;
use crate::commands::connection::{self, Target};
use crate::compose::wizard::answers::AnswerError;
use crate::compose::wizard::script::{AnswerOutcome, Plan, RemoteGateway, Script};
use crate::compose::wizard::trial;
use crate::report::Advice;

/// How long a gateway elsewhere may take to answer.
const REMOTE_LIMIT: Duration = Duration::from_secs(10);

/// How a walk ended.
pub(super) enum WalkEnd {
    /// The person does not want to.
    Stopped,
    /// Another home is to be taken over first.
    Import,
    Agreed(Box<Plan>),
}

/// Walks the setup to its end. Nothing is written on the way.
pub(super) async fn setup(
    cx: &Cx,
    prompt: &Prompt,
    script: &mut Script,
    flags: &mut Flags<'_>,
) -> anyhow::Result<WalkEnd> {
    let mut error: Option<String> = None;
    loop {
        let step = script.step();
        let given = flags.answer(script, &step)?;
        let is_given = given.is_some();
        let value = match given {
            Some(value) => value,
            None => prompt.ask(&step, error.take().as_deref())?,
        };
        match script.answer(&step.id, Some(&value)) {
            Err(AnswerError::Value(words)) if is_given => return Err(refused(&step, &value, &words)),
            Err(AnswerError::Value(words)) => error = Some(words),
            Err(AnswerError::NotAsked) | Ok(AnswerOutcome::GoOn) => {}
            Ok(AnswerOutcome::Stop) => return Ok(WalkEnd::Stopped),
            Ok(AnswerOutcome::Import) => return Ok(WalkEnd::Import),
            Ok(AnswerOutcome::Try) => {
                let said = try_out(cx, prompt, script.plan()).await?;
                if let Ok(words) = &said {
                    prompt.say("It works", words);
                }
                script.tried(&step.id, said);
            }
            Ok(AnswerOutcome::Agreed(plan)) => return Ok(WalkEnd::Agreed(plan)),
        }
    }
}

/// Says what is wrong with an option. A secret is not said again.
fn refused(step: &WizardStep, value: &Value, words: &str) -> anyhow::Error {
    let value = match (step.sensitive, value.as_str()) {
        (Some(true), _) => "the secret that was given".to_owned(),
        (_, Some(text)) => format!("`{text}`"),
        (_, None) => format!("`{value}`"),
    };
    Advice::usage(format!("{value} cannot be taken: {words}"), "`homard onboard --help` says what can")
}

async fn try_out(cx: &Cx, prompt: &Prompt, plan: &Plan) -> anyhow::Result<Result<String, String>> {
    if let Some(remote) = &plan.remote {
        let what = format!("Asking the gateway at {}", remote.url);
        return Ok(prompt.wait(&what, remote_gateway(cx, remote)).await?);
    }
    let (provider, model) = plan.model.clone().unwrap_or_default();
    let what = format!("Asking {provider}/{model} for a word");
    Ok(prompt.wait(&what, trial::model(&cx.source, plan)).await?)
}

async fn remote_gateway(cx: &Cx, remote: &RemoteGateway) -> Result<String, String> {
    let token = remote.token.as_ref().map(|token| token.expose().to_owned());
    let target = Target { url: Some(remote.url.clone()), token, ..Target::default() };
    let asked = async {
        let route = connection::route(cx, &target)?;
        let client = connection::probe(cx, &route, REMOTE_LIMIT).await?;
        let version = client.hello().server.version.clone();
        client.close().await;
        anyhow::Ok(version)
    };
    let version = asked.await.map_err(|error| format!("{error:#}"))?;
    Ok(format!("a gateway answered, version {version}"))
}
