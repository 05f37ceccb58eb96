//! Who may speak.

use homard_channel::{Conversation, Inbound, Sender};
use homard_protocol::{AccountId, AgentId, ChannelId, PeerId, SessionKey};

use super::{Refused, Route, admit};

pub(crate) fn inbound(sender: Sender) -> Inbound {
    Inbound {
        channel: ChannelId::parse("webchat").unwrap(),
        account: AccountId::default_account(),
        conversation: Conversation::Session(SessionKey::main(AgentId::main())),
        sender,
        message_id: "1".into(),
        text: "hi".into(),
        images: Vec::new(),
        timestamp: 1,
        details: homard_channel::Details::default(),
    }
}

fn route() -> Route {
    let config = crate::intake::route::tests::config();
    Route::named(&config, &inbound(Sender::Operator)).unwrap()
}

#[test]
fn operators_may_speak_and_strangers_may_not() {
    assert!(admit(inbound(Sender::Operator), route(), false).is_ok());
    let stranger = Sender::Peer { id: PeerId::parse("7").unwrap(), name: Some("the owner, honestly".into()) };
    assert_eq!(admit(inbound(stranger), route(), false), Err(Refused::Stranger));
}
