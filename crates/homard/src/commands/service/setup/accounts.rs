//! Connecting a chat platform at the terminal: the same conversation as on the page.

use homard_channels::REGISTRY;
use homard_config::ConfigHandle;
use homard_protocol::methods::config::wizard::{WizardOption, WizardStep, WizardStepKind};
use serde_json::{Value, json};

use super::prompt::Prompt;
use crate::commands::Cx;
use crate::compose::wizard::accounts::{AccountScript, AccountStep};
use crate::compose::wizard::answers::{AnswerError, blank, say};
use crate::compose::wizard::connect;
use crate::compose::wizard::greet::Greeting;

/// The answer that connects nothing.
const LATER: &str = "";

/// Offers to connect a platform, and does.
pub(super) async fn offer(cx: &Cx, prompt: &Prompt) -> anyhow::Result<()> {
    let mut step = blank("channel");
    step.kind = WizardStepKind::Select;
    say(&mut step, "Chat platform", "Chat with it from somewhere else than its page, too?");
    let one = |value: &str, label: &str, hint: &str| WizardOption {
        value: json!(value),
        label: label.to_owned(),
        hint: Some(hint.to_owned()),
    };
    let later = one(LATER, "Not now", "`homard channels add` does it later");
    let known = REGISTRY.entries().iter().map(|entry| one(entry.id, entry.label, entry.summary));
    step.options = Some(std::iter::once(later).chain(known).collect());
    step.initial_value = Some(json!(LATER));
    match prompt.ask(&step, None)?.as_str() {
        None | Some(LATER) => Ok(()),
        Some(channel) => connect(cx, prompt, Some(channel)).await,
    }
}

/// Walks the conversation about one account to its end.
pub(super) async fn connect(cx: &Cx, prompt: &Prompt, channel: Option<&str>) -> anyhow::Result<()> {
    let handle = ConfigHandle::open(cx.source.clone())?;
    let mut script = connect::account_script(&handle, REGISTRY, channel)?;
    let mut error: Option<String> = None;
    loop {
        let step = script.step();
        let value = prompt.ask(&step, error.take().as_deref())?;
        match script.answer(&step.id, Some(&value)) {
            Err(AnswerError::Value(words)) => error = Some(words),
            Err(AnswerError::NotAsked) | Ok(AccountStep::GoOn) => {}
            Ok(AccountStep::Stop | AccountStep::Over) => return Ok(()),
            Ok(AccountStep::Try) => try_out(cx, prompt, &handle, &mut script, &step).await?,
            Ok(AccountStep::Write) => write(&handle, &mut script, &step),
            Ok(AccountStep::Greet(person)) => {
                let Some(greeting) = Greeting::of(&script, person) else { continue };
                let went = prompt.wait("Sending", greeting.send(&handle, &cx.source.clock)).await?;
                script.greeted(&step.id, went);
            }
        }
    }
}

async fn try_out(
    cx: &Cx,
    prompt: &Prompt,
    handle: &ConfigHandle,
    script: &mut AccountScript,
    step: &WizardStep,
) -> anyhow::Result<()> {
    let Some(trial) = connect::trial(handle, script) else { return Ok(()) };
    let what = format!("Asking {} who we are there", trial.entry.label);
    match prompt.wait(&what, trial.run(handle, &cx.source.clock)).await? {
        Ok(probe) => script.tried(&step.id, probe),
        Err(error) => script.refused(&step.id, &error),
    }
    Ok(())
}

fn write(handle: &ConfigHandle, script: &mut AccountScript, step: &WizardStep) {
    let change = connect::change(handle, script).unwrap_or(Value::Null);
    let hash = handle.snapshot().hash.clone();
    match handle.merge_patch(&change.to_string(), Some(&hash), &[]) {
        Err(error) => script.mend(&step.id, format!("{:#}", anyhow::Error::from(error))),
        Ok(_) => {
            let next = connect::connecting(handle, script).map(|there| there.next).unwrap_or_default();
            script
                .connected(format!("It is written down, and connected as soon as the gateway runs. {next}"));
        }
    }
}
