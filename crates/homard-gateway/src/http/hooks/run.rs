//! Doing what a hook asks: its words are a stranger's, marked and labelled as such, whoever holds the token.

use std::sync::Arc;
use std::time::Duration;

use homard_automation::hooks::webhooks::WebhookError;
use homard_automation::hooks::webhooks::call::{AgentCall, CallDelivery, HookCall, WakeCall};
use homard_automation::hooks::webhooks::place::{HookPlace, place, place_of_wake};
use homard_channel::{Address, Inbound};
use homard_config::Config;
use homard_config::config::hooks::SessionMode;
use homard_models::router::WishError;
use homard_protocol::{RunId, SessionKey, StopCause, TurnSource};
use homard_relay::{AcceptError, InlineSettings, Place, Queue, TurnOptions, Wake};
use homard_runtime::{Clip, OrLog, millis};
use homard_store::{ResetReason, RunStatus};
use homard_tools::{Label, Source, wrap_untrusted};
use http::StatusCode;
use serde_json::{Value, json};

use super::said_of;
use crate::gateway::Gateway;
use crate::replay::KeptAnswer;

/// How long a message may take to be kept.
const ADMIT_WITHIN: Duration = Duration::from_secs(15);
/// How long a caller may wait for a run that was given no time of its own.
const WAIT_AT_MOST: Duration = Duration::from_secs(24 * 60 * 60);
/// How much of an answer the agent's main conversation is told.
const SUMMARY_CHARS: usize = 500;

/// Does everything one call comes to. The first that cannot be begun ends it.
pub(super) async fn all(gateway: &Arc<Gateway>, hook: &str, calls: Vec<HookCall>) -> KeptAnswer {
    let dispatched = calls.len();
    let (mut runs, mut last) = (Vec::new(), json!({"ok": true}));
    for (done_before, call) in calls.into_iter().enumerate() {
        let done = match call {
            HookCall::Wake(call) => wake(gateway, hook, call).await,
            HookCall::Agent(call) => agent(gateway, hook, *call).await,
        };
        match done {
            Ok(answer) => {
                runs.extend(answer.get("runId").cloned());
                last = answer;
            }
            Err(error) => {
                tracing::info!(hook, %error, done = done_before, "a hook was not done");
                let (status, mut body) = said_of(&error);
                // Whoever calls again would have these done twice.
                if let Some(fields) = body.as_object_mut().filter(|_| done_before > 0) {
                    fields.extend([
                        ("runIds".to_owned(), json!(runs)),
                        ("dispatched".to_owned(), json!(done_before)),
                    ]);
                }
                return (status, body);
            }
        }
    }
    if dispatched > 1 {
        last = json!({"ok": true, "runIds": runs, "dispatched": dispatched});
        // Events are no runs.
        if let (Some(first), Some(fields)) = (runs.first(), last.as_object_mut()) {
            fields.insert("runId".to_owned(), first.clone());
        }
    }
    (StatusCode::OK, last)
}

/// Tells a conversation something.
async fn wake(gateway: &Arc<Gateway>, hook: &str, call: WakeCall) -> Result<Value, WebhookError> {
    let config = gateway.config().current();
    let session = place_of_wake(&config, &call.target)?;
    let (text, labels) = words(hook, &call.text, call.is_trusted);
    let mode = call.mode;
    let event = Wake { session, text, mode, source: TurnSource::Hook, run_id: None, labels };
    // Every event is kept by itself; none is merged with another. It has no time limit as a message has: what is being
    // kept cannot be taken back, and whoever was refused would call again.
    let _woken = taken(gateway.relay().turns().wake(event)).await?;
    Ok(json!({"ok": true, "mode": call.mode.as_str(), "eventOutcome": "queued"}))
}

/// Gives an agent a message to answer.
async fn agent(gateway: &Arc<Gateway>, hook: &str, call: AgentCall) -> Result<Value, WebhookError> {
    let config = gateway.config().current();
    let fresh = uuid::Uuid::new_v4().to_string();
    let place = place(&config, &call.target, &fresh)?;
    check_model(gateway, &config, &place.key, call.model.as_deref())?;
    if call.session_mode == SessionMode::Isolated && place.is_hooks_own {
        begin_anew(gateway, &place.key).await;
    }
    let name = format!("hook-{fresh}");
    let run_id = RunId::parse(&name)?;
    let (text, labels) = words(&call.name, &call.message, call.is_trusted);
    let message = Inbound::from_operator(place.key.clone(), name, text, gateway.clock().now_ms());
    let settings = InlineSettings::asking(call.model.clone(), call.thinking.clone());
    let options = TurnOptions {
        settings: InlineSettings { hook: Some(hook.to_owned()), ..settings },
        timeout_ms: call.timeout.map(millis),
        labels,
        // Who waits for the end cannot be carried over to another process.
        ..TurnOptions::of(if call.waits { TurnSource::HttpHook } else { TurnSource::Hook })
    };
    let to = destination(gateway, &call.delivery, &place).await;
    let delivery = shown(&call.delivery, to.as_ref());
    let options = options.speaking_up(&place.key, to.ok().flatten());
    // The name is new, so the message is, too.
    if let Err(error) = within(gateway.relay().accept(message, options, Queue::Wait)).await {
        // What was refused to a caller is not done all the same, once the gateway has time.
        let (relay, key) = (gateway.relay().clone(), place.key);
        gateway.lifecycle().tasks.spawn(async move {
            relay.abort(&key, Some(&run_id), StopCause::Http).await;
        });
        return Err(error);
    }
    tracing::info!(hook, name = %call.name, run = %run_id, session = %place.key, "a hook started a run");
    if call.wake_mode.is_some() && place.is_hooks_own {
        tell_main(gateway, &call, &run_id, &place.key);
    }
    let mut answer = json!({"ok": true, "runId": run_id.as_str()});
    if let Some(fields) = answer.as_object_mut() {
        if call.waits {
            let completion = ending(gateway, &run_id, call.timeout.unwrap_or(WAIT_AT_MOST)).await?;
            fields.insert("completion".to_owned(), completion);
        }
        fields.extend(delivery.map(|delivery| ("delivery".to_owned(), delivery)));
    }
    Ok(answer)
}

/// The words of a call as an agent reads them, and whose they are.
fn words(name: &str, text: &str, is_trusted: bool) -> (String, Vec<Label>) {
    if is_trusted {
        return (text.to_owned(), Vec::new());
    }
    let source = format!("hook {name}");
    (wrap_untrusted(&source, text), vec![Label::new(Source::Hook, name)])
}

/// Nobody is kept waiting for long before a message is kept.
async fn within<T>(taking: impl Future<Output = Result<T, AcceptError>>) -> Result<T, WebhookError> {
    let busy = |_elapsed| WebhookError::Busy("the gateway is too busy to take the call".to_owned());
    tokio::time::timeout(ADMIT_WITHIN, taken(taking)).await.map_err(busy).flatten()
}

async fn taken<T>(taking: impl Future<Output = Result<T, AcceptError>>) -> Result<T, WebhookError> {
    taking.await.map_err(|error| match error {
        AcceptError::Full(_) | AcceptError::Stopping | AcceptError::Store(_) => {
            WebhookError::Busy(error.to_string())
        }
        error => WebhookError::Invalid(error.to_string()),
    })
}

/// Refuses a model nobody may use, before anything is begun.
fn check_model(
    gateway: &Gateway,
    config: &Config,
    key: &SessionKey,
    model: Option<&str>,
) -> Result<(), WebhookError> {
    let Some(model) = model else { return Ok(()) };
    let agent =
        key.agent_id().and_then(|id| config.agents.agent(id)).unwrap_or(config.agents.default_agent());
    gateway.relay().router().check_wish(agent, model).map_err(|wrong| match wrong {
        WishError::NotAllowed(_) => WebhookError::NotAllowed(wrong.to_string()),
        WishError::NotAName(_) | WishError::CannotBeAsked(_) => WebhookError::Invalid(wrong.to_string()),
    })
}

/// A conversation that hooks have to themselves begins anew, unless a run is under way in it.
async fn begin_anew(gateway: &Gateway, key: &SessionKey) {
    let known =
        gateway.store().sessions().get(key).await.or_log("a hook's conversation could not be looked up");
    if known.flatten().is_some() && gateway.relay().turns().views(key).is_empty() {
        // Nobody asked for it with a command: what listens to those keeps no note of it.
        let reset = gateway.relay().sessions().reset(key, ResetReason::Idle).await;
        reset.or_log("a hook's conversation could not be begun anew");
    }
}

/// How a run ended, for a caller who waits.
async fn ending(gateway: &Gateway, run_id: &RunId, limit: Duration) -> Result<Value, WebhookError> {
    let ended = gateway.relay().turns().wait(run_id, limit).await;
    let (status, reply, error) = match ended {
        Some(end) => {
            let error = end.outcome.error().map(str::to_owned);
            (end.outcome.status(), end.reply.clone(), error)
        }
        None => match gateway.store().runs().get(run_id).await {
            Ok(Some(record)) if record.status.is_finished() => (record.status, record.reply, record.error),
            _ => return Ok(json!({"status": "timeout"})),
        },
    };
    match status {
        RunStatus::Ok => Ok(json!({"status": "ok", "text": reply})),
        RunStatus::Aborted => Ok(json!({"status": "aborted", "text": reply})),
        RunStatus::TimedOut => Ok(json!({"status": "timeout", "error": error})),
        _failed => Err(WebhookError::Failed {
            error: error.unwrap_or_else(|| "the run failed".to_owned()),
            run_id: run_id.to_string(),
        }),
    }
}

/// Tells the agent's main conversation what came of a run, when it is over.
fn tell_main(gateway: &Arc<Gateway>, call: &AgentCall, run_id: &RunId, key: &SessionKey) {
    let Some(agent) = key.agent_id().cloned() else { return };
    let (gateway_here, run_id, name) = (Arc::clone(gateway), run_id.clone(), call.name.clone());
    let (mode, is_trusted) = (call.wake_mode.unwrap_or_default(), call.is_trusted);
    gateway.lifecycle().tasks.spawn(async move {
        let gateway = gateway_here;
        let stopping = gateway.lifecycle().stopping.clone();
        let turns = gateway.relay().turns();
        let end = tokio::select! {
            end = turns.wait(&run_id, WAIT_AT_MOST) => end,
            () = stopping.cancelled() => None,
        };
        let Some(reply) = end.and_then(|end| end.reply.clone()) else { return };
        let summary = reply.clip_chars(SUMMARY_CHARS).to_owned();
        let (text, labels) = words(&name, &summary, is_trusted);
        let text = format!("Hook {name} was answered in a conversation of its own: {text}");
        let session = SessionKey::main(agent);
        let event = Wake { session, text, mode, source: TurnSource::Hook, run_id: None, labels };
        gateway.relay().turns().wake(event).await.or_log("the main conversation was not told about a hook");
    });
}

/// Where the answer goes: the place that was named, else where the agent was last spoken to. Nowhere when that is on no
/// chat platform, and words when it was named and cannot be.
async fn destination(
    gateway: &Gateway,
    wished: &CallDelivery,
    place: &HookPlace,
) -> Result<Option<Address>, String> {
    if !wished.is_wanted() {
        return Ok(None);
    }
    let home = match place.key.agent_id() {
        Some(agent) if place.is_hooks_own => SessionKey::main(agent.clone()),
        _ => place.key.clone(),
    };
    let CallDelivery { channel, to, account, .. } = wished.clone();
    let wished = Place { channel, target: to, account, thread: None };
    let found = gateway.relay().messages().destination_of(&wished, &home).await;
    let Some(address) = found.map_err(|error| error.to_string())? else { return Ok(None) };
    match gateway.relay().platforms().channel_abilities(&address.channel, &address.account) {
        Some(_known) => Ok(Some(address)),
        None => Err(format!("{} account `{}` is not connected", address.channel, address.account)),
    }
}

/// What a caller is told about where the answer goes; nothing when they asked for nothing and nothing goes anywhere.
fn shown(wished: &CallDelivery, to: Result<&Option<Address>, &String>) -> Option<Value> {
    let reason = match to {
        Ok(Some(to)) => {
            return Some(json!({
                "requested": wished.is_asked_for(),
                "status": "queued",
                "channel": to.channel,
                "to": to.to,
                "accountId": to.account,
            }));
        }
        Ok(None) => "the agent was not spoken to on a chat platform yet; the answer is in the conversation",
        Err(error) => error,
    };
    wished.is_asked_for().then(|| {
        json!({
            "requested": true,
            "delivered": false,
            "channel": wished.channel.as_deref().unwrap_or("last"),
            "to": wished.to,
            "accountId": wished.account,
            "reason": reason,
        })
    })
}

#[cfg(test)]
mod tests;
