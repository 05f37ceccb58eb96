//! Hearing by asking: the server holds the question until there is something to tell.

use std::time::Duration;

use futures_util::{StreamExt as _, stream};
use homard_channel::{ChannelError, Inbox, InboxClosed};
use homard_runtime::{Backoff, OrCancel as _, OrLog as _};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use super::errors::ApiError;
use super::offset::Offset;
use super::receiver::UpdateReceiver;
use super::wire::Params;
use super::{Telegram, menu, probe};

/// How long the server holds a question.
const HOLD: Duration = Duration::from_secs(30);
/// How much longer an answer may take before the connection counts as dead.
const SLACK: Duration = Duration::from_secs(10);
/// Most updates in one answer, and most of them on their way into the inbox.
const BATCH: u32 = 100;
const ON_THE_WAY: usize = 32;
/// What is told; the server leaves reactions out unless they are asked for.
pub(super) const ALLOWED: [&str; 5] =
    ["message", "channel_post", "callback_query", "message_reaction", "my_chat_member"];

/// Growing pauses after failures.
pub(super) const fn pauses() -> Backoff {
    Backoff::new(Duration::from_secs(2), 1.8, Duration::from_secs(30))
}

/// Hears until cancelled or refused.
pub(super) async fn listen(
    telegram: &Telegram,
    inbox: Inbox,
    cancel: CancellationToken,
) -> Result<(), ChannelError> {
    let ear = UpdateReceiver::new(telegram, inbox, &cancel);
    let Some(()) = introduce(telegram, &ear, &cancel).await? else { return Ok(()) };
    let menu = menu::publish(telegram).or_cancel(&cancel);
    let (_published, ended) = tokio::join!(menu, ask(telegram, &ear, &cancel));
    ear.finish().await;
    ended
}

/// Learns our own name, without which no mention can be told; tries until the server answers. `None` when cancelled.
pub(super) async fn introduce(
    telegram: &Telegram,
    ear: &UpdateReceiver<'_>,
    cancel: &CancellationToken,
) -> Result<Option<()>, ChannelError> {
    let mut backoff = pauses();
    loop {
        match probe::me(telegram).or_cancel(cancel).await {
            Err(_cancelled) => return Ok(None),
            Ok(Ok(_)) => {
                ear.inbox().alive();
                return Ok(Some(()));
            }
            Ok(Err(error)) => {
                let Some(()) = pause(telegram, error, &mut backoff, cancel).await? else { return Ok(None) };
            }
        }
    }
}

/// Waits as long as an error wants, or gives up where waiting is useless. `None` when cancelled.
pub(super) async fn pause(
    telegram: &Telegram,
    error: ApiError,
    backoff: &mut Backoff,
    cancel: &CancellationToken,
) -> Result<Option<()>, ChannelError> {
    let wait = match ChannelError::from(error) {
        ChannelError::Refused(why) => return Err(ChannelError::Refused(why)),
        ChannelError::Wait(wait) => wait,
        error => {
            let wait = backoff.step();
            tracing::warn!(account = %telegram.account, %error, wait_s = wait.as_secs(), "Telegram is not heard");
            wait
        }
    };
    Ok(tokio::time::sleep(wait).or_cancel(cancel).await.ok())
}

async fn ask(
    telegram: &Telegram,
    ear: &UpdateReceiver<'_>,
    cancel: &CancellationToken,
) -> Result<(), ChannelError> {
    let bot_id = telegram.settings.bot_id();
    let mut offset = Offset::load(&telegram.offset_file, bot_id, telegram.clock.now_ms()).await;
    let mut backoff = pauses();
    // Once is enough; who sets it again after that means it.
    let mut took_over = false;
    loop {
        let params = Params::new()
            .maybe("offset", offset.next(telegram.clock.now_ms()))
            .with("limit", BATCH)
            .with("timeout", HOLD.as_secs())
            .with("allowed_updates", ALLOWED.to_vec());
        let asked = telegram.api.call_within("getUpdates", &params, HOLD + SLACK);
        let answer = match asked.or_cancel(cancel).await {
            Err(_cancelled) => return Ok(()),
            Ok(answer) => answer,
        };
        let error = match answer {
            Ok(Value::Array(updates)) => {
                ear.inbox().alive();
                let heard = take(telegram, ear, &updates, &mut offset).await;
                if !updates.is_empty() && heard != Ok(0) {
                    offset
                        .save(&telegram.offset_file, bot_id)
                        .await
                        .or_log("how far Telegram was heard is not kept");
                }
                match heard {
                    Err(InboxClosed) => return Ok(()),
                    Ok(0) if !updates.is_empty() => ApiError::Lost("updates without a number".to_owned()),
                    Ok(_) => {
                        backoff = pauses();
                        continue;
                    }
                }
            }
            Ok(_) => ApiError::Lost("the server's answer holds no list".to_owned()),
            Err(error) => error,
        };
        if error.says("webhook is active") && !took_over {
            took_over = true;
            take_over(telegram).await;
            continue;
        }
        let Some(()) = pause(telegram, error, &mut backoff, cancel).await? else { return Ok(()) };
    }
}

/// Hands over a batch in its order, several at a time, and moves the offset behind what is kept. Returns how many
/// updates had a number.
async fn take(
    telegram: &Telegram,
    ear: &UpdateReceiver<'_>,
    updates: &[Value],
    offset: &mut Offset,
) -> Result<usize, InboxClosed> {
    let mut numbered = 0;
    let mut meanings = Vec::with_capacity(updates.len());
    for update in updates {
        meanings.push((update.get("update_id").and_then(Value::as_i64), ear.understand(update)));
    }
    let puts = meanings.into_iter().map(|(id, heard)| async move { (id, ear.keep(heard).await) });
    let mut kept = stream::iter(puts).buffered(ON_THE_WAY);
    while let Some((id, kept)) = kept.next().await {
        kept?;
        if let Some(id) = id {
            numbered += 1;
            offset.reached(id, telegram.clock.now_ms());
        }
    }
    Ok(numbered)
}

/// The owner wants us to ask, so an address that was left behind is removed. What waits there is kept.
async fn take_over(telegram: &Telegram) {
    tracing::info!(account = %telegram.account, "Telegram still has a webhook of this bot; it is removed");
    let params = Params::new().with("drop_pending_updates", false);
    telegram.api.call("deleteWebhook", &params).await.or_log("the webhook could not be removed");
}

#[cfg(test)]
mod tests;
