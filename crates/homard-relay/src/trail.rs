//! The lines a message leaves in the log: received, admitted or refused, started, ended, delivered.
//!
//! An operator follows a conversation by their fields: `step` says which line it is, `run` ties those of one turn
//! together, and `message_id` those before it has one. None says what was said. All are written here, so that a field
//! has one name; a line that nobody wants is not put together.

use homard_channel::{Inbound, Sender};
use homard_protocol::{RunId, TurnSource};
use homard_store::OutboundRecord;

use crate::intake::admit::Admitted;
use crate::turns::outcome::{NotBegun, RunEnd, TurnOutcome};
use crate::turns::runs::Run;

/// A platform told us a message, and it is kept.
pub(crate) fn received(message: &Inbound) {
    let sender = match &message.sender {
        Sender::Operator => None,
        Sender::Peer { id, .. } => Some(tracing::field::display(id)),
    };
    tracing::info!(
        step = "received",
        channel = %message.channel,
        account = %message.account,
        message_id = message.message_id,
        chat = message.conversation.kind().as_str(),
        sender,
        files = message.details.files.len(),
        "a message came in"
    );
}

/// Its sender may speak, and this is where it belongs.
pub(crate) fn admitted(admitted: &Admitted) {
    let message = admitted.message();
    tracing::info!(
        step = "admitted",
        channel = %message.channel,
        account = %message.account,
        message_id = message.message_id,
        run = admitted.run(),
        session = %admitted.session_key(),
        agent = %admitted.agent(),
        owner = admitted.standing().is_owner,
        "its sender may speak"
    );
}

/// A message is not answered: its sender may not speak or does not mean us (`refused`), or nothing comes of it
/// although they may (`dropped`).
pub(crate) fn left_out(step: &'static str, message: &Inbound, why: &str) {
    tracing::info!(
        step,
        channel = %message.channel,
        account = %message.account,
        message_id = message.message_id,
        why,
        "a message is not answered"
    );
}

/// What was not heard on a platform is kept and waits for its turn.
pub(crate) fn accepted(run: &Run, source: TurnSource) {
    tracing::info!(
        step = "accepted",
        run = %run.id,
        session = %run.session_key,
        source = source.as_str(),
        "a turn is asked for"
    );
}

/// A model is about to be asked.
pub(crate) fn started(run: &Run, provider: &str, model: &str) {
    tracing::info!(
        step = "started",
        run = %run.id,
        session = %run.session_key,
        provider,
        model,
        "a turn begins"
    );
}

/// A run is over. Why a model could not answer is said where it was asked.
pub(crate) fn ended(run: &Run, end: &RunEnd) {
    let RunEnd { outcome, ended_at, .. } = end;
    let (used, usage) = (outcome.model(), outcome.usage());
    tracing::info!(
        step = "ended",
        run = %run.id,
        session = %run.session_key,
        status = outcome.status().as_str(),
        stop = outcome.stop_word(),
        error = trouble(outcome),
        provider = used.map(|used| used.provider.as_str()),
        model = used.map(|used| used.model.as_str()),
        input_tokens = usage.input,
        output_tokens = usage.output,
        cache_read_tokens = usage.cache_read,
        cache_write_tokens = usage.cache_write,
        took_ms = outcome.started_at().map(|began| ended_at.saturating_sub(began)),
        "a run is over"
    );
}

/// Why a turn could not even begin. What a provider answered may repeat what it was asked and is not told here.
fn trouble(outcome: &TurnOutcome) -> Option<&str> {
    match outcome {
        TurnOutcome::NotBegun(NotBegun::Failed { error, .. }) => Some(error),
        _ => None,
    }
}

/// A platform took something we said.
pub(crate) fn delivered(row: &OutboundRecord) {
    tracing::info!(
        step = "delivered",
        channel = %row.new.channel,
        account = %row.new.account,
        run = row.new.run_id.as_ref().map(RunId::as_str),
        session = row.new.session_key.as_ref().map(tracing::field::display),
        key = row.new.key,
        tries = row.tries,
        "the platform took it"
    );
}
