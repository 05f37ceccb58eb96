//! `channels.deadLetters`: what could not be delivered, and how each account's outbox is.

use homard_protocol::ErrorShape;
use homard_protocol::methods::dead_letters::{
    DEFAULT_DEAD_LETTERS, DeadLetter, DeadLettersParams, DeadLettersResult, MAX_DEAD_LETTERS, OutboxState,
};

use crate::error;
use crate::methods::check_range;
use crate::table::Cx;

/// `channels.deadLetters`.
pub(crate) async fn list(cx: Cx, params: DeadLettersParams) -> Result<DeadLettersResult, ErrorShape> {
    check_range("channels.deadLetters", "limit", params.limit, 1..=MAX_DEAD_LETTERS)?;
    let limit = usize::try_from(params.limit.unwrap_or(DEFAULT_DEAD_LETTERS)).unwrap_or(usize::MAX);
    let store = cx.gateway.store();
    let letters = store.outbox().dead_letters(limit).await.map_err(|e| error::store(&e))?;
    let counts = store.outbox().counts().await.map_err(|e| error::store(&e))?;
    let letters = letters.into_iter().map(|row| DeadLetter {
        key: row.new.key,
        channel: row.new.channel.to_string(),
        account_id: row.new.account.to_string(),
        conversation: row.new.conversation,
        created_at: row.created_at,
        failed_at: row.failed_at,
        tries: row.tries,
        error: row.last_error,
    });
    let accounts = counts.into_iter().map(|count| OutboxState {
        channel: count.channel.to_string(),
        account_id: count.account.to_string(),
        waiting: count.waiting,
        oldest_at: count.oldest_at,
        sent: count.sent,
        failed: count.failed,
        ambiguous: count.ambiguous,
    });
    Ok(DeadLettersResult { letters: letters.collect(), accounts: accounts.collect() })
}
