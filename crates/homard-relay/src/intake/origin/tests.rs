//! What is remembered of who said something.

use homard_channel::{Address, ChatKind, Conversation, Inbound, Sender};
use homard_policy::access::{Standing, Verdict};
use homard_protocol::{AccountId, AgentId, ChannelId, PeerId, SessionKey, ThreadId};
use homard_store::SessionEntry;

use super::Origin;

fn message(conversation: Conversation) -> Inbound {
    let key = SessionKey::main(AgentId::main());
    let mut message = Inbound::from_operator(key, "9".to_owned(), "hi".to_owned(), 5);
    message.channel = ChannelId::parse("telegram").unwrap();
    message.conversation = conversation;
    message.sender = Sender::Peer { id: PeerId::parse("7").unwrap(), name: Some("Ann\nLee".to_owned()) };
    message
}

fn noted(message: &Inbound, address: Option<&Address>) -> SessionEntry {
    let mut entry = SessionEntry::default();
    Origin::of(message, &Standing::default(), None).note_on(address, &mut entry);
    entry
}

#[test]
fn a_direct_conversation_is_noted_by_its_person() {
    let entry =
        noted(&message(Conversation::Direct { peer: PeerId::parse("7").unwrap(), thread: None }), None);
    let last = (entry.last_channel.as_deref(), entry.last_to.as_deref(), entry.last_account_id.as_deref());
    assert_eq!(last, (Some("telegram"), Some("7"), Some("default")));
    assert_eq!((entry.chat_type, entry.group_id), (Some(ChatKind::Direct.into()), None));
    let origin = entry.origin.unwrap();
    assert_eq!((origin.label.as_deref(), origin.from.as_deref()), (Some("Ann Lee"), Some("telegram:7")));
}

#[test]
fn a_guest_of_the_owners_conversation_does_not_take_what_goes_to_the_owner() {
    let [owner, guest] = ["7", "8"].map(|id| {
        let peer = PeerId::parse(id).unwrap();
        message(Conversation::Direct { peer, thread: None })
    });
    let mut entry = noted(&owner, None);
    Origin::of(&guest, &Standing::default(), None).by_guest().note_on(None, &mut entry);
    assert_eq!(entry.last_to.as_deref(), Some("7"));
    assert_eq!(entry.delivery_context.unwrap().to.as_deref(), Some("7"));
}

#[test]
fn a_group_is_noted_by_its_name_and_the_answer_goes_where_the_address_says() {
    let id = PeerId::parse("-42").unwrap();
    let thread = Some(ThreadId::parse("3").unwrap());
    let mut message = message(Conversation::Group { id: id.clone(), thread: thread.clone() });
    message.details.label = Some("Family".to_owned());
    let address = Address {
        channel: message.channel.clone(),
        account: AccountId::default_account(),
        chat: ChatKind::Group,
        to: id,
        thread,
    };
    let entry = noted(&message, Some(&address));
    assert_eq!((entry.last_to.as_deref(), entry.last_thread_id.as_deref()), (Some("-42"), Some("3")));
    assert_eq!(entry.display_name.as_deref(), Some("telegram:Family"));
    assert_eq!(entry.origin.unwrap().from.as_deref(), Some("telegram:group:-42"));
}

#[test]
fn after_a_restart_the_sender_is_who_they_were() {
    let said = message(Conversation::Direct { peer: PeerId::parse("7").unwrap(), thread: None });
    let standing = Standing { may_command: true, ..Standing::default() };
    let kept = serde_json::to_string(&Origin::of(&said, &standing, None)).unwrap();
    let origin: Origin = serde_json::from_str(&kept).unwrap();
    let (again, verdict) = origin.message("run".to_owned(), "hi".to_owned(), 5);
    assert_eq!((again.sender, again.channel), (said.sender, said.channel));
    assert_eq!(verdict, Verdict::Admitted(standing));
}
