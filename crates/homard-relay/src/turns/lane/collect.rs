//! Messages that came while a turn was under way and get one turn together.
//!
//! Each of them is a run of its own until that turn begins; the commit that begins it ends the others. A crash before
//! finds them all waiting, a crash after finds them all in the conversation.

use std::collections::VecDeque;

use homard_channel::Address;
use homard_config::Config;
use homard_policy::queue::{self, Overflow};
use homard_protocol::{UserBlock, UserContent, UserMessage};
use homard_tools::Label;

use super::{Kind, WaitingTurn};
use crate::parts::Turns;
use crate::turn_setup::policy_layers::have_same_tools;
use crate::turns::inline::InlineSettings;
use crate::turns::request::TurnOptions;
use crate::turns::turn::{is_kept, stop_waiting};

/// Most messages of one turn; the rest gets the next.
const MAX_TOGETHER: usize = 50;

/// Takes those out that get the next turn together: the first, and those directly behind it that go to the same place
/// and ask for the same.
pub(super) fn take(waiting: &mut VecDeque<WaitingTurn>, config: &Config) -> Vec<WaitingTurn> {
    let Some(first) = waiting.pop_front() else { return Vec::new() };
    let mut together = vec![first];
    while together.len() < MAX_TOGETHER
        && let (Some(last), Some(next)) = (together.last(), waiting.front())
        && belong_together(last, next)
        // Nor does one sender get another's tools.
        && have_same_tools(config, &last.admitted, &next.admitted)
    {
        together.extend(waiting.pop_front());
    }
    together
}

fn belong_together(one: &WaitingTurn, other: &WaitingTurn) -> bool {
    let collects = |waiting: &WaitingTurn| matches!(waiting.request.kind, Kind::Collect { .. });
    collects(one)
        && collects(other)
        && address(&one.request.options) == address(&other.request.options)
        && asks(&one.request.options) == asks(&other.request.options)
        // What the owner says does not lend its weight to what others say, nor the other way round.
        && one.request.options.labels.is_empty() == other.request.options.labels.is_empty()
        && one.admitted.standing() == other.admitted.standing()
}

fn address(options: &TurnOptions) -> Option<&Address> {
    options.reply.as_ref().map(|reply| &reply.address)
}

fn asks(options: &TurnOptions) -> (&InlineSettings, bool) {
    (&options.settings, options.program.is_some())
}

/// Makes one of them; `None` when none is left to answer.
pub(super) async fn combine(turns: &Turns, together: Vec<WaitingTurn>) -> Option<WaitingTurn> {
    if together.len() < 2 {
        return together.into_iter().next().map(alone);
    }
    let mut kept = Vec::with_capacity(together.len());
    for mut waiting in together {
        if !is_kept(waiting.kept.take()).await {
            // Known before, or not kept: whoever sent it has been told.
            turns.runs().remove(&waiting.run);
        } else if waiting.run.cancel.is_cancelled() {
            stop_waiting(turns, waiting).await;
        } else {
            kept.push(waiting);
        }
    }
    // The newest is answered; it brings the others along.
    let mut newest = kept.pop()?;
    if kept.is_empty() {
        return Some(alone(newest));
    }
    let mut overflow = Overflow::default();
    for earlier in
        kept.iter().chain([&newest]).filter_map(|waiting| waiting.request.options.overflow.as_ref())
    {
        overflow.join(earlier, usize::MAX);
    }
    let messages: Vec<&UserMessage> =
        kept.iter().chain([&newest]).map(|waiting| &waiting.request.message).collect();
    newest.request.message.content = told_together(&messages, &overflow);
    newest.request.options.overflow = None;
    let labels: Vec<Label> = kept.iter().flat_map(|waiting| waiting.request.options.labels.clone()).collect();
    for label in labels {
        if !newest.request.options.labels.contains(&label) {
            newest.request.options.labels.push(label);
        }
    }
    newest.merged = kept.into_iter().map(|waiting| waiting.run).collect();
    Some(newest)
}

/// One that is told by itself, with what is remembered of those that had to go for it.
pub(crate) fn alone(mut only: WaitingTurn) -> WaitingTurn {
    if let Some(overflow) = only.request.options.overflow.take() {
        only.request.message.content = told_together(&[&only.request.message], &overflow);
    }
    only
}

/// Several messages as one, with what is remembered of those that had to go.
fn told_together(messages: &[&UserMessage], overflow: &Overflow) -> UserContent {
    let texts: Vec<String> = messages.iter().map(|message| message.content.text()).collect();
    let text = queue::combine(&texts, overflow);
    let others = messages.iter().flat_map(|message| match &message.content {
        UserContent::Text(_) => Vec::new(),
        UserContent::Blocks(blocks) => {
            blocks.iter().filter(|block| !matches!(block, UserBlock::Text { .. })).cloned().collect()
        }
    });
    let others: Vec<UserBlock> = others.collect();
    if others.is_empty() {
        return UserContent::Text(text);
    }
    UserContent::Blocks(std::iter::once(UserBlock::text(text)).chain(others).collect())
}

#[cfg(test)]
mod tests;
