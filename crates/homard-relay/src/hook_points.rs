//! Where the relay asks the filters of [`HookPoints`](homard_tools::HookPoints): one function for each place.
//!
//! What filters there are is nobody's business here. The points inside a turn are asked by the loop and the tools.

use std::sync::Arc;

use homard_protocol::SessionKey;
use homard_store::ResetReason;
use homard_tools::{HookAbout, HookPoint, HookRefusal, HookValue};

use crate::intake::admit::Admitted;
use crate::relay::Inner;
use crate::turns::runs::Run;

/// A message whose sender may speak, as filters let it in.
pub(crate) async fn message_in(inner: &Inner, admitted: Admitted) -> Result<Admitted, HookRefusal> {
    if inner.hooks().is_quiet(HookPoint::MessageIn) {
        return Ok(admitted);
    }
    let message = admitted.message();
    let about = HookAbout {
        session: Some(admitted.session_key()),
        subject: Some(message.channel.as_str()),
        ..HookAbout::default()
    };
    let text = inner.hooks().filter_text(HookPoint::MessageIn, about, message.text.clone()).await?;
    Ok(admitted.with_text(text))
}

/// A text that is about to be kept for a platform, as filters let it out.
pub(crate) async fn message_out(
    inner: &Inner,
    about: HookAbout<'_>,
    text: String,
) -> Result<String, HookRefusal> {
    if text.is_empty() {
        return Ok(text);
    }
    inner.hooks().filter_text(HookPoint::MessageOut, about, text).await
}

/// The same for what nobody waits for: a text that is held back is nothing.
pub(crate) async fn message_out_or_nothing(inner: &Inner, about: HookAbout<'_>, text: String) -> String {
    match message_out(inner, about, text).await {
        Ok(text) => text,
        Err(HookRefusal { by, words }) => {
            tracing::info!(filter = by, why = words, "a message is held back");
            String::new()
        }
    }
}

/// What filters add to what the model is told first.
pub(crate) async fn prompt_addition(inner: &Inner, run: &Run) -> String {
    let asked = inner.hooks().filter_text(HookPoint::BeforePrompt, about_run(run), String::new());
    // Nobody may refuse here.
    asked.await.unwrap_or_default()
}

/// Shows filters what the model is told first.
pub(crate) async fn prompt_made(inner: &Inner, run: &Run, system: &Arc<str>) {
    let prompt = || HookValue::Text(system.to_string());
    inner.hooks().watch(HookPoint::AfterPrompt, about_run(run), prompt).await;
}

/// A conversation begins.
pub(crate) async fn session_started(inner: &Inner, run: &Run) {
    inner.hooks().watch(HookPoint::SessionStart, about_run(run), || HookValue::Nothing).await;
}

/// A conversation began anew: what it was is over.
pub(crate) async fn session_reset(inner: &Inner, key: &SessionKey, reason: ResetReason) {
    let reason = match reason {
        ResetReason::New => "new",
        ResetReason::Reset => "reset",
        ResetReason::Idle => "idle",
        ResetReason::Daily => "daily",
    };
    session_ended(inner, key, reason).await;
    let about = HookAbout { session: Some(key), subject: Some(reason), ..HookAbout::default() };
    inner.hooks().watch(HookPoint::SessionReset, about, || HookValue::Nothing).await;
}

/// A conversation is over.
pub(crate) async fn session_ended(inner: &Inner, key: &SessionKey, reason: &str) {
    let about = HookAbout { session: Some(key), subject: Some(reason), ..HookAbout::default() };
    inner.hooks().watch(HookPoint::SessionEnd, about, || HookValue::Nothing).await;
}

fn about_run(run: &Run) -> HookAbout<'_> {
    HookAbout { session: Some(&run.session_key), run: Some(&run.id), subject: None }
}

#[cfg(test)]
mod tests;
