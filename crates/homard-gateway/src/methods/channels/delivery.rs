//! Where the answer to an operator's message is delivered, when they want it on a chat platform.

use crate::error::RequestError;
use homard_channel::Address;
use homard_protocol::SessionKey;
use homard_relay::Place;
use serde_json::{Map, Value};

use crate::gateway::Gateway;

/// The place the parameters beside a message name; `None` when nothing is to be delivered.
pub(crate) async fn destination(
    gateway: &Gateway,
    rest: &Map<String, Value>,
    session: &SessionKey,
) -> Result<Option<Address>, RequestError> {
    if rest.get("deliver").and_then(Value::as_bool) != Some(true) {
        return Ok(None);
    }
    let is_optional = rest.get("bestEffortDeliver").and_then(Value::as_bool) == Some(true);
    let wished = place(rest);
    let is_named = wished.channel.is_some() || wished.target.is_some();
    match gateway.relay().messages().destination_of(&wished, session).await {
        Ok(Some(address)) if is_optional || !is_named || is_set_up(gateway, &address) => Ok(Some(address)),
        // It would wait until somebody sets one up, and be sent then: days after anybody wanted it.
        Ok(Some(Address { channel, account, .. })) => Err(RequestError::invalid(format!(
            "the answer cannot be delivered: no account `{account}` of {channel} is set up; `homard channels add \
             --channel {channel}` does that"
        ))),
        Ok(None) => Ok(None),
        Err(_nowhere) if is_optional => Ok(None),
        Err(error) => Err(RequestError::invalid(format!("the answer cannot be delivered: {error}"))),
    }
}

/// Whether the owner wrote about this account of ours.
fn is_set_up(gateway: &Gateway, address: &Address) -> bool {
    let accounts = gateway.relay().platforms().accounts();
    accounts.of_platform(&address.channel).any(|(account, _)| account == address.account)
}

/// What was said about the place; where to answer goes before where it came from.
fn place(rest: &Map<String, Value>) -> Place {
    let text = |keys: [&str; 2]| {
        let found = keys.iter().filter_map(|key| rest.get(*key));
        let mut texts = found.filter_map(|value| match value {
            Value::String(text) if !text.trim().is_empty() => Some(text.clone()),
            Value::Number(number) => Some(number.to_string()),
            _ => None,
        });
        texts.next()
    };
    Place {
        channel: text(["replyChannel", "channel"]),
        target: text(["replyTo", "to"]),
        account: text(["replyAccountId", "accountId"]),
        thread: text(["threadId", "threadId"]),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::place;

    #[test]
    fn where_to_answer_goes_before_where_it_came_from() {
        let rest = json!({"channel": "webchat", "to": "#a", "replyTo": "other:1", "threadId": 7});
        let place = place(rest.as_object().unwrap());
        assert_eq!((place.channel.as_deref(), place.target.as_deref()), (Some("webchat"), Some("other:1")));
        assert_eq!((place.account, place.thread.as_deref()), (None, Some("7")));
    }
}
