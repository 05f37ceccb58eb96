//! The sign on a message that it was seen.

use homard_channel::{ChatKind, Content};
use homard_config::config::messages::delivery::AckScope;

use super::say_aside;
use crate::delivery::answer::ack_of;
use crate::delivery::reply_style::ReplyStyle;
use crate::delivery::run_delivery::ReplyRoute;
use crate::parts::Outgoing;
use crate::turns::runs::Run;

/// Puts the sign on the message a run answers, where the owner wants one.
pub(crate) fn acknowledge(outgoing: &Outgoing, run: &Run) {
    let Some(route) = run.delivery.route().cloned() else { return };
    let Some((message_id, sign)) = wanted(outgoing, run, &route) else { return };
    let there = outgoing.clone();
    outgoing.inner().tasks().spawn(async move {
        let sign = Content::React { message_id, emoji: Some(sign) };
        if let Err(error) = say_aside(&there, &route, sign).await {
            tracing::debug!(%error, "the sign that a message was seen could not be put");
        }
    });
}

/// What takes the sign away after the answer; `None` when it stays or there is none.
pub(crate) fn taken_away(outgoing: &Outgoing, run: &Run) -> Option<Content> {
    let route = run.delivery.route().filter(|_| outgoing.inner().config().delivery.remove_ack)?;
    let (message_id, _) = wanted(outgoing, run, route)?;
    Some(Content::React { message_id, emoji: None })
}

/// The message and its sign, where one is wanted.
fn wanted(outgoing: &Outgoing, run: &Run, route: &ReplyRoute) -> Option<(String, String)> {
    let message_id = route.message_id.clone()?;
    if !is_in(outgoing.inner().config().delivery.ack_scope, route.address.chat, route.was_mentioned) {
        return None;
    }
    let sign = ack_of(outgoing.inner(), run, &ReplyStyle::of(outgoing, &route.address))?;
    Some((message_id, sign))
}

fn is_in(scope: AckScope, chat: ChatKind, was_mentioned: bool) -> bool {
    let direct = chat == ChatKind::Direct;
    match scope {
        AckScope::GroupMentions => !direct && was_mentioned,
        AckScope::GroupAll => !direct,
        AckScope::Direct => direct,
        AckScope::All => true,
        AckScope::Off => false,
    }
}

#[cfg(test)]
mod tests {
    use super::is_in;
    use homard_channel::ChatKind::{Channel, Direct, Group};
    use homard_config::config::messages::delivery::AckScope;

    #[test]
    fn the_sign_is_put_where_the_owner_wants_it() {
        // Direct, group with mention, group without.
        let cases = [
            (AckScope::GroupMentions, [false, true, false]),
            (AckScope::GroupAll, [false, true, true]),
            (AckScope::Direct, [true, false, false]),
            (AckScope::All, [true, true, true]),
            (AckScope::Off, [false, false, false]),
        ];
        for (scope, expected) in cases {
            let found = [is_in(scope, Direct, true), is_in(scope, Group, true), is_in(scope, Channel, false)];
            assert_eq!(found, expected, "{scope:?}");
        }
    }
}
