//! What people do: messages, files, reactions, buttons, groups that move.

use serde_json::{Map, Value, json};

use super::desk::{BOT_NAME, Kept, Shared};
use super::media::Sending;
use super::{FakeTelegram, polling};

/// What came of something a person did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Said {
    /// The update that tells of it.
    pub update_id: i64,
    /// The message, or the one it is about.
    pub message_id: i64,
}

/// A message on its way in; made by [`FakeTelegram::message`].
#[derive(Debug)]
#[must_use = "nothing is said until `send`"]
pub struct Saying<'f> {
    fake: &'f FakeTelegram,
    chat: i64,
    user: i64,
    thread: Option<i64>,
    reply_to: Option<i64>,
    fields: Map<String, Value>,
}

impl FakeTelegram {
    /// Gives somebody a name; without one they are called after their number.
    pub fn names(&self, user: i64, name: &str) -> &Self {
        self.shared().state().names.insert(user, name.to_owned());
        self
    }

    /// Makes a chat known without anybody speaking in it; changes the one there. `about` is laid over its `Chat`.
    pub fn has_chat(&self, chat: i64, about: Value) -> &Self {
        let mut state = self.shared().state();
        let known = state.chat(chat);
        if let (Some(all), Value::Object(more)) = (known.about.as_object_mut(), about) {
            all.extend(more);
        }
        drop(state);
        self
    }

    /// Makes a group a forum with these topics.
    pub fn has_topics(&self, chat: i64, topics: impl IntoIterator<Item = i64>) -> &Self {
        self.has_chat(chat, json!({"is_forum": true}));
        self.shared().state().chat(chat).topics.extend(topics);
        self
    }

    /// Somebody writes to the bot, or into a group when `chat` is not them.
    pub fn user_says(&self, chat: i64, user: i64, text: &str) -> Said {
        self.message(chat, user).text(text).send()
    }

    /// Somebody writes into a group; its number is negative.
    pub fn group_says(&self, chat: i64, user: i64, text: &str) -> Said {
        self.message(chat, user).text(text).send()
    }

    /// Somebody writes into a topic of a group.
    pub fn topic_says(&self, chat: i64, thread: i64, user: i64, text: &str) -> Said {
        self.message(chat, user).thread(thread).text(text).send()
    }

    /// A post in a broadcast channel.
    pub fn channel_says(&self, chat: i64, text: &str) -> Said {
        self.has_chat(chat, json!({"type": "channel", "title": format!("Channel {chat}")}));
        let about = self.shared().state().chat(chat).about.clone();
        let mut saying = self.message(chat, 0).text(text);
        saying.fields.insert("sender_chat".to_owned(), about);
        saying.send_as("channel_post")
    }

    /// A message to be filled and sent.
    pub fn message(&self, chat: i64, user: i64) -> Saying<'_> {
        Saying { fake: self, chat, user, thread: None, reply_to: None, fields: Map::new() }
    }

    /// Somebody sends a picture.
    pub fn sends_photo(&self, chat: i64, user: i64, bytes: &[u8], caption: &str) -> Said {
        self.message(chat, user).file(Sending::Photo, "photo.jpg", bytes).caption(caption).send()
    }

    /// Somebody records their voice.
    pub fn sends_voice(&self, chat: i64, user: i64, bytes: &[u8]) -> Said {
        self.message(chat, user).file(Sending::Voice, "voice.oga", bytes).send()
    }

    /// Somebody sends a file.
    pub fn sends_document(&self, chat: i64, user: i64, name: &str, bytes: &[u8]) -> Said {
        self.message(chat, user).file(Sending::Document, name, bytes).send()
    }

    /// Somebody sends several pictures at once; the first carries the text.
    pub fn sends_album(&self, chat: i64, user: i64, pictures: &[&[u8]], caption: &str) -> Vec<Said> {
        let group = format!("album-{}", self.shared().state().next_update);
        let mut all = Vec::new();
        for (at, bytes) in pictures.iter().enumerate() {
            let saying = self.message(chat, user).file(Sending::Photo, "photo.jpg", bytes);
            let saying = saying.field("media_group_id", json!(group));
            all.push(if at == 0 { saying.caption(caption).send() } else { saying.send() });
        }
        all
    }

    /// Somebody changes what they wrote.
    pub fn edits(&self, chat: i64, message_id: i64, text: &str) -> i64 {
        let mut message = self.known(chat, message_id);
        if let Some(map) = message.as_object_mut() {
            map.insert("text".to_owned(), text.into());
            map.insert("edit_date".to_owned(), self.shared().now().into());
        }
        polling::push(self.shared(), json!({"edited_message": message}))
    }

    /// Somebody reacts; no emoji takes the reaction back.
    pub fn reacts(&self, chat: i64, user: i64, message_id: i64, emoji: Option<&str>) -> i64 {
        let (about, person) = {
            let mut state = self.shared().state();
            (state.chat(chat).about.clone(), state.person(user))
        };
        let reaction = |emoji: &str| json!([{"type": "emoji", "emoji": emoji}]);
        let (old, new) = match emoji {
            Some(emoji) => (json!([]), reaction(emoji)),
            None => (reaction("👍"), json!([])),
        };
        let update = json!({"message_reaction": {
            "chat": about, "message_id": message_id, "user": person, "date": self.shared().now(),
            "old_reaction": old, "new_reaction": new,
        }});
        polling::push(self.shared(), update)
    }

    /// Somebody presses a button below one of the bot's messages.
    pub fn presses(&self, chat: i64, user: i64, message_id: i64, value: &str) -> i64 {
        let message = self.known(chat, message_id);
        let mut state = self.shared().state();
        let id = format!("cb{}", state.next_update);
        state.callbacks.insert(id.clone());
        let person = state.person(user);
        drop(state);
        let update = json!({"callback_query": {
            "id": id, "from": person, "message": message, "chat_instance": "1", "data": value,
        }});
        polling::push(self.shared(), update)
    }

    /// A group becomes a supergroup with another number.
    pub fn migrates(&self, from: i64, to: i64) -> &Self {
        self.has_chat(from, json!({"type": "group"}));
        self.has_chat(to, json!({"type": "supergroup"}));
        self.message(from, 1).field("migrate_to_chat_id", json!(to)).send();
        self.shared().state().chat(from).moved_to = Some(to);
        self.message(to, 1).field("migrate_from_chat_id", json!(from)).send();
        self
    }

    /// From now on the bot may not write there, for this reason; a blocked user says
    /// `bot was blocked by the user`.
    pub fn closes(&self, chat: i64, why: &str) -> &Self {
        self.shared().state().chat(chat).closed = Some(why.to_owned());
        self
    }

    /// This person takes no voice messages.
    pub fn forbids_voice(&self, chat: i64) -> &Self {
        self.shared().state().chat(chat).no_voice = true;
        self
    }

    /// Any update at all; it is numbered unless it has a number.
    pub fn raw_update(&self, update: Value) -> i64 {
        polling::push(self.shared(), update)
    }

    /// From now on this file's size is said to be another.
    pub fn claims_size(&self, file_id: &str, size: u64) -> &Self {
        if let Some(file) = self.shared().state().files.get_mut(file_id) {
            file.claimed = Some(size);
        }
        self
    }

    /// Keeps a file people may send by its id.
    pub fn keeps_file(&self, folder: &str, name: &str, bytes: &[u8]) -> String {
        self.shared().state().store_file(folder, name, bytes.to_vec())
    }

    /// A message as the server knows it.
    #[must_use]
    pub fn known(&self, chat: i64, message_id: i64) -> Value {
        let mut state = self.shared().state();
        let chat = state.chat(chat);
        chat.messages.get(&message_id).map(|kept| kept.message.clone()).unwrap_or_default()
    }
}

impl Saying<'_> {
    /// What it says.
    pub fn text(mut self, text: &str) -> Self {
        let marked = entities(text);
        if !marked.is_empty() {
            self.fields.insert("entities".to_owned(), marked.into());
        }
        self.fields.insert("text".to_owned(), text.into());
        self
    }

    /// What is said beside a file.
    pub fn caption(mut self, text: &str) -> Self {
        if !text.is_empty() {
            let marked = entities(text);
            if !marked.is_empty() {
                self.fields.insert("caption_entities".to_owned(), marked.into());
            }
            self.fields.insert("caption".to_owned(), text.into());
        }
        self
    }

    /// In which topic.
    pub fn thread(mut self, thread: i64) -> Self {
        self.thread = Some(thread);
        self
    }

    /// Which message it answers to.
    pub fn replies_to(mut self, message_id: i64) -> Self {
        self.reply_to = Some(message_id);
        self
    }

    /// With a file.
    pub fn file(mut self, kind: Sending, name: &str, bytes: &[u8]) -> Self {
        let id = self.fake.shared().state().store_file(kind.field(), name, bytes.to_vec());
        self.fields.insert(kind.field().to_owned(), kind.object(&id, name, bytes.len()));
        self
    }

    /// With any other field.
    pub fn field(mut self, name: &str, value: Value) -> Self {
        self.fields.insert(name.to_owned(), value);
        self
    }

    /// Sends it.
    pub fn send(self) -> Said {
        self.send_as("message")
    }

    fn send_as(mut self, kind: &str) -> Said {
        let shared: &Shared = self.fake.shared();
        let now = shared.now();
        let mut state = shared.state();
        let person = state.person(self.user);
        let chat = state.chat(self.chat);
        chat.last_message += 1;
        let message_id = chat.last_message;
        let mut message = Map::new();
        message.insert("message_id".to_owned(), message_id.into());
        if self.user != 0 {
            message.insert("from".to_owned(), person);
        }
        message.insert("chat".to_owned(), chat.about.clone());
        message.insert("date".to_owned(), now.into());
        if let Some(thread) = self.thread {
            chat.topics.insert(thread);
            message.insert("message_thread_id".to_owned(), thread.into());
            message.insert("is_topic_message".to_owned(), true.into());
        }
        if let Some(quoted) = self.reply_to.and_then(|id| chat.messages.get(&id)) {
            let mut quoted = quoted.message.clone();
            if let Some(map) = quoted.as_object_mut() {
                map.remove("reply_to_message");
            }
            message.insert("reply_to_message".to_owned(), quoted);
        }
        message.append(&mut self.fields);
        let message = Value::Object(message);
        chat.messages.insert(message_id, Kept { message: message.clone(), is_ours: false });
        drop(state);
        let update_id = polling::push(shared, json!({kind: message}));
        Said { update_id, message_id }
    }
}

/// Marks mentions and commands as the server does, measured in UTF-16.
fn entities(text: &str) -> Vec<Value> {
    let mut found = Vec::new();
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut before = ' ';
    for (at, c) in text.char_indices() {
        let starts = !is_word(before) && before != '/' && before != '@';
        before = c;
        let kind = match c {
            '@' if starts => "mention",
            '/' if starts => "bot_command",
            _ => continue,
        };
        let rest = text.get(at + 1..).unwrap_or_default();
        let mut length = rest.find(|c: char| !is_word(c)).unwrap_or(rest.len());
        if length == 0 {
            continue;
        }
        let suffix = format!("@{BOT_NAME}");
        if kind == "bot_command" && rest.get(length..).is_some_and(|rest| rest.starts_with(&suffix)) {
            length += suffix.len();
        }
        let offset = text.get(..at).unwrap_or_default().encode_utf16().count();
        found.push(json!({"type": kind, "offset": offset, "length": length + 1}));
    }
    found
}
