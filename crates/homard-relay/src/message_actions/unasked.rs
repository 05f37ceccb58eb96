//! Answers and results that go to a chat platform though nobody asked there: a job's result, a turn that a program
//! wants delivered.

use homard_channel::Address;
use homard_protocol::SessionKey;

use super::action::{Action, MessageAction, Place, Post};
use super::{ActError, ActingFor, ActionOutcome};
use crate::parts::MessageActions;

/// The word for wherever people were last heard.
const LAST: &str = "last";
/// Words for the page, which needs no delivery: whoever looks sees it.
const HERE: [&str; 2] = ["webchat", "internal"];

impl MessageActions {
    /// Where something that comes by itself goes: the place that was named, else where `home` was last spoken to.
    /// `None` when that is on no chat platform.
    ///
    /// # Errors
    /// When the place that was named is nobody's.
    pub async fn destination_of(
        &self,
        place: &Place,
        home: &SessionKey,
    ) -> Result<Option<Address>, ActError> {
        let named = |text: &Option<String>| {
            text.as_deref().map(str::trim).filter(|text| !text.is_empty()).map(str::to_owned)
        };
        let channel = named(&place.channel).filter(|channel| !channel.eq_ignore_ascii_case(LAST));
        if channel.as_deref().is_some_and(|channel| HERE.contains(&channel.to_lowercase().as_str())) {
            return Ok(None);
        }
        let place = Place { channel, target: named(&place.target), ..place.clone() };
        let last = self.route_of(home).await?;
        if place.target.is_none() && last.is_none() {
            return if place.channel.is_some() { Err(ActError::NoTarget) } else { Ok(None) };
        }
        self.resolve(&self.inner().config(), &place, last.as_ref()).map(Some)
    }

    /// Says something that came by itself, once under its key, and waits for the receipt.
    ///
    /// # Errors
    /// As [`act`](Self::act).
    pub async fn say_unasked(
        &self,
        address: Address,
        text: String,
        home: &SessionKey,
        key: String,
    ) -> Result<ActionOutcome, ActError> {
        let config = self.inner().config();
        let agent = home.agent_id().unwrap_or(&config.agents.default_agent().id).clone();
        let to = Place {
            channel: Some(address.channel.to_string()),
            target: Some(format!("{}:{}", address.chat.as_str(), address.to)),
            account: Some(address.account.to_string()),
            thread: address.thread.as_ref().map(ToString::to_string),
        };
        let deed = MessageAction::Send(Post { text, ..Post::default() });
        self.act(Action { deed, to, key, dry_run: false }, &ActingFor::operator(agent)).await
    }
}
