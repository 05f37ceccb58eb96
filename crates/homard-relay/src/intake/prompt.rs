//! What the model is told of a message: the text, where it was said and by whom, what came with it, what was said
//! before. And whose words all that is.

use homard_channel::{ChatKind, Inbound, Quoted, Sender};
use homard_policy::envelope::{self, AttachedFile, EnvelopeInput};
use homard_protocol::{EntryKind, Message};
use homard_store::StoreError;
use homard_tools::{Label, Source};

use super::chat_place::ChatPlace;
use super::inbound::InboundVisit;
use super::media::Media;
use crate::intake::admit::Admitted;
use crate::parts::Dispatch;
use crate::sessions::access::is_read_by_others;

impl Dispatch {
    /// What the model is told of a message; `None` when there is nothing in it to answer.
    pub(super) fn told_text(
        &self,
        visit: &InboundVisit,
        admitted: &Admitted,
        media: &Media,
    ) -> Option<String> {
        let (message, config) = (admitted.message(), &visit.rules.config);
        let history = self.state().company().history.pending(&ChatPlace::of(message).to_string());
        let files: Vec<AttachedFile> = media.saved.iter().map(attached).collect();
        let entry = visit.session.as_ref().map(|session| &session.entry);
        let owners_note = owners_note(visit, message);
        let mut told = EnvelopeInput::new(message, &message.text);
        told.was_mentioned = admitted.standing().was_mentioned;
        told.history = &history;
        told.files = &files;
        told.last_at = entry.and_then(|entry| entry.last_interaction_at);
        told.is_owner = admitted.standing().is_owner;
        told.owners_note = owners_note.as_deref();
        told.elapsed = config.agents.defaults.envelope_elapsed;
        if told.is_empty() {
            return None;
        }
        let mut text = envelope::prompt(&told);
        for missing in &media.missing {
            text.push_str("\n\n[media not available: ");
            text.push_str(missing);
            text.push(']');
        }
        Some(text)
    }

    /// Whose words are in a message beside its sender's.
    pub(super) async fn labels_of_others(&self, admitted: &Admitted) -> Result<Vec<Label>, StoreError> {
        let place = ChatPlace::of(admitted.message()).to_string();
        let has_history = !self.state().company().history.pending(&place).is_empty();
        let mut labels = others(admitted, has_history);
        labels.extend(self.brought_back(admitted).await?);
        Ok(labels)
    }

    /// The label of words of our own that a message brings back from a conversation that is over: whose words were in
    /// play when they were said is not known any more.
    async fn brought_back(&self, admitted: &Admitted) -> Result<Option<Label>, StoreError> {
        let Some(quoted) = admitted.message().details.reply_to.as_ref().filter(|quoted| quoted.is_ours)
        else {
            return Ok(None);
        };
        let wanted = letters(&quoted.text).take(COMPARED).collect::<String>();
        let store = self.inner().store();
        let is_known = match store.sessions().get(admitted.session_key()).await? {
            _ if wanted.is_empty() => true,
            Some(session) => {
                let said = store.transcripts().context(&session.session_id).await?.entries;
                said.iter().any(|entry| match &entry.kind {
                    EntryKind::Message { message: Message::Assistant(said) } => {
                        letters(&said.text()).collect::<String>().contains(&wanted)
                    }
                    _ => false,
                })
            }
            None => false,
        };
        let channel = &admitted.message().channel;
        Ok((!is_known).then(|| {
            Label::new(Source::Message, format!("quoted from an earlier conversation on {channel}"))
        }))
    }
}

/// How much of a quoted text has to be found again.
const COMPARED: usize = 100;

/// A text as it is compared: platforms show it without its signs.
fn letters(text: &str) -> impl Iterator<Item = char> + '_ {
    text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase)
}

/// What the owner wrote about the chat a message came from. A group's own conversation has it in its prompt.
fn owners_note(visit: &InboundVisit, message: &Inbound) -> Option<String> {
    let rules = &visit.account.rules;
    match message.conversation.kind() {
        ChatKind::Direct => {
            let peer = message.conversation.peer().map_or("", |peer| peer.as_str());
            rules.directs.system_prompt(peer).map(str::to_owned)
        }
        ChatKind::Group | ChatKind::Channel if is_read_by_others(visit.key()) => None,
        ChatKind::Group | ChatKind::Channel => {
            let place = rules.groups.place(&message.conversation, message.details.parent.as_ref());
            Some(place.system_prompt.join("\n\n")).filter(|words| !words.is_empty())
        }
    }
}

fn attached(saved: &super::media::SavedFile) -> AttachedFile {
    AttachedFile { path: saved.path.clone(), mime: Some(saved.mime.clone()), url: None }
}

/// Labels for words in a message that are not its sender's: what it quotes, passes on or comes after.
fn others(admitted: &Admitted, has_history: bool) -> Vec<Label> {
    let message = admitted.message();
    let details = &message.details;
    let channel = &message.channel;
    let mut labels = Vec::new();
    if has_history {
        labels.push(Label::new(Source::Message, format!("said before in a group on {channel}")));
    }
    let says = |quoted: &Quoted| !quoted.is_ours && (!quoted.text.is_empty() || quoted.sender.is_some());
    if details.reply_to.as_ref().is_some_and(says) {
        labels.push(Label::new(Source::Message, format!("quoted on {channel}")));
    }
    if details.forwarded_from.is_some() {
        labels.push(Label::new(Source::Message, format!("forwarded on {channel}")));
    }
    if let Some(what) = &details.carries {
        labels.push(Label::new(Source::Message, format!("{what} on {channel}")));
    }
    if !details.about.is_empty() {
        labels.push(Label::new(Source::Message, format!("written about the place on {channel}")));
    }
    if details.label.is_some() && message.conversation.kind() != homard_channel::ChatKind::Direct {
        labels.push(Label::new(Source::Message, format!("the name of a group on {channel}")));
    }
    // What the owner attaches is the owner's; what others attach is a file of theirs.
    if !details.files.is_empty() && !admitted.standing().is_owner {
        let who = match &message.sender {
            Sender::Peer { id, .. } => id.to_string(),
            Sender::Operator => "the owner".to_owned(),
        };
        labels.push(Label::new(Source::File, format!("attached by {who} on {channel}")));
    }
    labels
}
