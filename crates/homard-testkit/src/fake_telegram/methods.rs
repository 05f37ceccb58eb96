//! What each method does to the chats.

use serde_json::{Map, Value, json};

use super::body::Asked;
use super::desk::{BOT_ID, BOT_NAME, Chat, Kept, Shared, State, chat_number};
use super::refusal::Refusal;
use super::{html, media, webhook};

/// Longest text, in UTF-16 code units, once its formatting is read.
const MAX_TEXT: usize = 4_096;
/// Longest caption.
const MAX_CAPTION: usize = 1_024;
/// Longest value of a button, in bytes.
const MAX_BUTTON: usize = 64;
/// Longest question and longest answer of a poll.
const MAX_QUESTION: usize = 300;
const MAX_OPTION: usize = 100;
/// Most commands in the menu.
const MAX_COMMANDS: usize = 100;
/// Largest file that can be fetched.
const MAX_DOWNLOAD: u64 = 20 * 1024 * 1024;

const ACTIONS: [&str; 11] = [
    "typing",
    "upload_photo",
    "record_video",
    "upload_video",
    "record_voice",
    "upload_voice",
    "upload_document",
    "choose_sticker",
    "find_location",
    "record_video_note",
    "upload_video_note",
];

/// Emoji the server takes as reactions.
const REACTIONS: &str = "❤ 👍 👎 🔥 🥰 👏 😁 🤔 🤯 😱 🤬 😢 🎉 🤩 🤮 💩 🙏 👌 🕊 🤡 🥱 🥴 😍 🐳 ❤‍🔥 🌚 🌭 💯 🤣 ⚡ 🍌 🏆 💔 🤨 😐 🍓 \
     🍾 💋 🖕 😈 😴 😭 🤓 👻 👨‍💻 👀 🎃 🙈 😇 😨 🤝 ✍ 🤗 🫡 🎅 🎄 ☃ 💅 🤪 🗿 🆒 💘 🙉 🦄 😘 💊 🙊 😎 👾 🤷‍♂ 🤷 🤷‍♀ 😡";

/// Does what was asked, if it may be done.
pub(super) fn run(shared: &Shared, method: &'static str, asked: &Asked) -> Result<Value, Refusal> {
    let now = shared.now();
    let done = {
        let mut state = shared.state();
        let call = Call { method, asked, now };
        act(&mut state, &call)
    };
    if method.ends_with("Webhook") {
        shared.count(|tally| tally.news += 1);
    }
    done
}

/// One call, with what its method needs.
pub(super) struct Call<'a> {
    pub(super) method: &'static str,
    pub(super) asked: &'a Asked,
    pub(super) now: i64,
}

impl Call<'_> {
    pub(super) fn text(&self, name: &str) -> Option<&str> {
        self.asked.params.get(name).and_then(Value::as_str)
    }

    fn number(&self, name: &str) -> Option<i64> {
        self.asked.params.get(name).and_then(Value::as_i64)
    }
}

fn act(state: &mut State, call: &Call<'_>) -> Result<Value, Refusal> {
    match call.method {
        "getMe" => Ok(me(state)),
        "getWebhookInfo" => Ok(webhook::info(state)),
        "setWebhook" => webhook::set(state, call.asked),
        "deleteWebhook" => Ok(webhook::delete(state, call.asked)),
        "setMyCommands" => set_commands(state, call),
        "deleteMyCommands" => {
            state.commands.clear();
            Ok(Value::Bool(true))
        }
        "getMyCommands" => Ok(Value::Array(state.commands.clone())),
        "getFile" => get_file(state, call),
        "answerCallbackQuery" => answer_callback(state, call),
        "getChat" => Ok(chat_of(state, call)?.about.clone()),
        "getChatMember" => get_member(state, call),
        "leaveChat" => {
            chat_of(state, call)?.closed = Some("bot is not a member of the supergroup chat".to_owned());
            Ok(Value::Bool(true))
        }
        "sendChatAction" => chat_action(state, call),
        "setMessageReaction" => react(state, call),
        "pinChatMessage" | "unpinChatMessage" => pin(state, call),
        "deleteMessage" => delete(state, call),
        "createForumTopic" => new_topic(state, call),
        "editForumTopic" => rename_topic(state, call),
        "editMessageText" | "editMessageCaption" | "editMessageReplyMarkup" => edit(state, call),
        _ => send(state, call),
    }
}

fn me(state: &State) -> Value {
    json!({
        "id": BOT_ID, "is_bot": true, "first_name": "Homard", "username": BOT_NAME,
        "can_join_groups": true, "can_read_all_group_messages": state.reads_all,
        "supports_inline_queries": false, "can_connect_to_business": false, "has_main_web_app": false,
    })
}

fn set_commands(state: &mut State, call: &Call<'_>) -> Result<Value, Refusal> {
    let commands = call.asked.params.get("commands").and_then(Value::as_array).cloned().unwrap_or_default();
    if commands.len() > MAX_COMMANDS {
        return Err(Refusal::bad("BOT_COMMANDS_TOO_MUCH"));
    }
    for command in &commands {
        let name = command["command"].as_str().unwrap_or_default();
        let fits = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
        if name.is_empty() || name.len() > 32 || !name.chars().all(fits) {
            return Err(Refusal::bad("BOT_COMMAND_INVALID"));
        }
        let length = command["description"].as_str().unwrap_or_default().chars().count();
        if !(1..=256).contains(&length) {
            return Err(Refusal::bad("BOT_COMMAND_DESCRIPTION_INVALID"));
        }
    }
    state.commands = commands;
    Ok(Value::Bool(true))
}

fn get_file(state: &State, call: &Call<'_>) -> Result<Value, Refusal> {
    let id = call.text("file_id").unwrap_or_default();
    let Some(file) = state.files.get(id) else {
        return Err(Refusal::bad("wrong file_id or the file is temporarily unavailable"));
    };
    let size = file.claimed.unwrap_or(u64::try_from(file.bytes.len()).unwrap_or(u64::MAX));
    if size > MAX_DOWNLOAD {
        return Err(Refusal::bad("file is too big"));
    }
    Ok(json!({"file_id": id, "file_unique_id": format!("u{id}"), "file_size": size, "file_path": file.path}))
}

fn answer_callback(state: &mut State, call: &Call<'_>) -> Result<Value, Refusal> {
    if state.callbacks.remove(call.text("callback_query_id").unwrap_or_default()) {
        Ok(Value::Bool(true))
    } else {
        Err(Refusal::bad("query is too old and response timeout expired or query ID is invalid"))
    }
}

/// The chat a call is about, if the bot may act there.
fn chat_of<'s>(state: &'s mut State, call: &Call<'_>) -> Result<&'s mut Chat, Refusal> {
    let id = call.asked.params.get("chat_id").and_then(chat_number);
    let chat = id.and_then(|id| state.chats.get_mut(&id)).ok_or_else(|| Refusal::bad("chat not found"))?;
    if let Some(to) = chat.moved_to {
        return Err(Refusal::moved(to));
    }
    match &chat.closed {
        Some(why) => Err(Refusal::forbidden(why)),
        None => Ok(chat),
    }
}

fn get_member(state: &mut State, call: &Call<'_>) -> Result<Value, Refusal> {
    chat_of(state, call)?;
    let id = call.number("user_id").unwrap_or_default();
    let user = if id == BOT_ID { state.bot() } else { state.person(id) };
    Ok(json!({"status": "member", "user": user}))
}

fn chat_action(state: &mut State, call: &Call<'_>) -> Result<Value, Refusal> {
    chat_of(state, call)?;
    let action = call.text("action").unwrap_or_default();
    if ACTIONS.contains(&action) {
        Ok(Value::Bool(true))
    } else {
        Err(Refusal::bad("wrong parameter action in request"))
    }
}

fn react(state: &mut State, call: &Call<'_>) -> Result<Value, Refusal> {
    let chat = chat_of(state, call)?;
    let id = call.number("message_id").unwrap_or_default();
    let Some(kept) = chat.messages.get_mut(&id) else {
        return Err(Refusal::bad("message to react not found"));
    };
    let reactions = call.asked.params.get("reaction").cloned().unwrap_or_else(|| json!([]));
    for reaction in reactions.as_array().into_iter().flatten() {
        let emoji = reaction["emoji"].as_str().unwrap_or_default().trim_end_matches('\u{fe0f}');
        if reaction["type"] != "emoji" || !REACTIONS.split_whitespace().any(|known| known == emoji) {
            return Err(Refusal::bad("REACTION_INVALID"));
        }
    }
    if reactions.as_array().is_some_and(|all| all.len() > 1) {
        return Err(Refusal::bad("REACTIONS_TOO_MANY"));
    }
    if let Some(map) = kept.message.as_object_mut() {
        map.insert("our_reactions".to_owned(), reactions);
    }
    Ok(Value::Bool(true))
}

fn pin(state: &mut State, call: &Call<'_>) -> Result<Value, Refusal> {
    let chat = chat_of(state, call)?;
    match call.number("message_id") {
        Some(id) if !chat.messages.contains_key(&id) => {
            let verb = call.method.trim_end_matches("ChatMessage");
            Err(Refusal::bad(format!("message to {verb} not found")))
        }
        _ => Ok(Value::Bool(true)),
    }
}

fn delete(state: &mut State, call: &Call<'_>) -> Result<Value, Refusal> {
    let chat = chat_of(state, call)?;
    match chat.messages.remove(&call.number("message_id").unwrap_or_default()) {
        Some(_) => Ok(Value::Bool(true)),
        None => Err(Refusal::bad("message to delete not found")),
    }
}

fn new_topic(state: &mut State, call: &Call<'_>) -> Result<Value, Refusal> {
    let chat = chat_of(state, call)?;
    let name = call.text("name").unwrap_or_default();
    if name.is_empty() || name.chars().count() > 128 {
        return Err(Refusal::bad("TOPIC_TITLE_EMPTY"));
    }
    if chat.about.get("is_forum") != Some(&Value::Bool(true)) {
        return Err(Refusal::bad("the chat is not a forum"));
    }
    chat.last_message += 1;
    let id = chat.last_message;
    chat.topics.insert(id);
    Ok(json!({"message_thread_id": id, "name": name, "icon_color": 7_322_096}))
}

fn rename_topic(state: &mut State, call: &Call<'_>) -> Result<Value, Refusal> {
    let chat = chat_of(state, call)?;
    if chat.topics.contains(&call.number("message_thread_id").unwrap_or_default()) {
        Ok(Value::Bool(true))
    } else {
        Err(Refusal::bad("TOPIC_ID_INVALID"))
    }
}

/// Text with its entities, within its limit.
fn words(call: &Call<'_>, name: &str, limit: usize) -> Result<(String, Vec<Value>), Refusal> {
    let source = call.text(name).unwrap_or_default();
    let (text, entities) = match call.text("parse_mode") {
        Some("HTML") => {
            html::parse(source).map_err(|why| Refusal::bad(format!("can't parse entities: {why}")))?
        }
        Some(other) => return Err(Refusal::bad(format!("unsupported parse_mode {other}"))),
        None => (source.to_owned(), Vec::new()),
    };
    let text = text.trim().to_owned();
    if text.encode_utf16().count() > limit {
        let what = if name == "caption" { "message caption is too long" } else { "message is too long" };
        return Err(Refusal::bad(what));
    }
    Ok((text, entities))
}

fn check_markup(call: &Call<'_>) -> Result<(), Refusal> {
    let rows = call.asked.params.get("reply_markup").and_then(|markup| markup["inline_keyboard"].as_array());
    for button in rows.into_iter().flatten().filter_map(Value::as_array).flatten() {
        if button["text"].as_str().is_none_or(str::is_empty) {
            return Err(Refusal::bad(
                "can't parse inline keyboard button: Text buttons are unallowed in the inline keyboard",
            ));
        }
        if let Some(data) = button["callback_data"].as_str()
            && !(1..=MAX_BUTTON).contains(&data.len())
        {
            return Err(Refusal::bad("BUTTON_DATA_INVALID"));
        }
    }
    Ok(())
}

fn edit(state: &mut State, call: &Call<'_>) -> Result<Value, Refusal> {
    check_markup(call)?;
    let (name, limit) =
        if call.method == "editMessageCaption" { ("caption", MAX_CAPTION) } else { ("text", MAX_TEXT) };
    let (text, entities) = words(call, name, limit)?;
    if call.method == "editMessageText" && text.is_empty() {
        return Err(Refusal::bad("message text is empty"));
    }
    let chat = chat_of(state, call)?;
    // Whoever may post in a channel changes what others posted there, too.
    let is_channel = chat.about.get("type").is_some_and(|kind| kind == "channel");
    let Some(kept) = chat.messages.get_mut(&call.number("message_id").unwrap_or_default()) else {
        return Err(Refusal::bad("message to edit not found"));
    };
    if !kept.is_ours && !is_channel {
        return Err(Refusal::bad("message can't be edited"));
    }
    let Some(message) = kept.message.as_object_mut() else {
        return Err(Refusal::bad("message can't be edited"));
    };
    if call.method == "editMessageText" && !message.contains_key("text") {
        return Err(Refusal::bad("there is no text in the message to edit"));
    }
    if call.method == "editMessageCaption" && message.contains_key("text") {
        return Err(Refusal::bad("there is no caption in the message to edit"));
    }
    let before = message.clone();
    if call.method != "editMessageReplyMarkup" {
        message.insert(name.to_owned(), text.into());
        let marks = if name == "caption" { "caption_entities" } else { "entities" };
        message.insert(marks.to_owned(), entities.into());
    }
    match call.asked.params.get("reply_markup") {
        Some(markup) => message.insert("reply_markup".to_owned(), markup.clone()),
        None => message.remove("reply_markup"),
    };
    if *message == before {
        return Err(Refusal::bad(
            "message is not modified: specified new message content and reply markup are exactly the same as a \
             current content and reply markup of the message",
        ));
    }
    message.insert("edit_date".to_owned(), call.now.into());
    Ok(kept.message.clone())
}

fn send(state: &mut State, call: &Call<'_>) -> Result<Value, Refusal> {
    check_markup(call)?;
    chat_of(state, call)?;
    let mut message = content(state, call)?;
    let bot = state.bot();
    let chat = chat_of(state, call)?;
    if call.method == "sendVoice" && chat.no_voice {
        return Err(Refusal::bad("VOICE_MESSAGES_FORBIDDEN"));
    }
    if let Some(thread) = call.number("message_thread_id") {
        if !chat.topics.contains(&thread) {
            return Err(Refusal::bad("message thread not found"));
        }
        message.insert("message_thread_id".to_owned(), thread.into());
        message.insert("is_topic_message".to_owned(), true.into());
    }
    if let Some(reply) = call.asked.params.get("reply_parameters") {
        let id = reply["message_id"].as_i64().unwrap_or_default();
        match chat.messages.get(&id) {
            Some(kept) => {
                let mut quoted = kept.message.clone();
                if let Some(map) = quoted.as_object_mut() {
                    map.remove("reply_to_message");
                }
                message.insert("reply_to_message".to_owned(), quoted);
            }
            None if reply["allow_sending_without_reply"] == true => {}
            None => return Err(Refusal::bad("message to be replied not found")),
        }
    }
    if let Some(markup) = call.asked.params.get("reply_markup") {
        message.insert("reply_markup".to_owned(), markup.clone());
    }
    chat.last_message += 1;
    let id = chat.last_message;
    message.insert("message_id".to_owned(), id.into());
    message.insert("from".to_owned(), bot);
    message.insert("chat".to_owned(), chat.about.clone());
    message.insert("date".to_owned(), call.now.into());
    let message = Value::Object(message);
    chat.messages.insert(id, Kept { message: message.clone(), is_ours: true });
    Ok(message)
}

/// What a message holds, by the method that sends it.
fn content(state: &mut State, call: &Call<'_>) -> Result<Map<String, Value>, Refusal> {
    let mut message = Map::new();
    match call.method {
        "sendMessage" => {
            let (text, entities) = words(call, "text", MAX_TEXT)?;
            if text.is_empty() {
                return Err(Refusal::bad("message text is empty"));
            }
            message.insert("text".to_owned(), text.into());
            message.insert("entities".to_owned(), entities.into());
        }
        "sendPoll" => {
            message.insert("poll".to_owned(), poll(call)?);
        }
        _ => {
            let (caption, entities) = words(call, "caption", MAX_CAPTION)?;
            let (field, value) = media::kept(state, call)?;
            message.insert(field.to_owned(), value);
            if !caption.is_empty() {
                message.insert("caption".to_owned(), caption.into());
                message.insert("caption_entities".to_owned(), entities.into());
            }
        }
    }
    Ok(message)
}

fn poll(call: &Call<'_>) -> Result<Value, Refusal> {
    let question = call.text("question").unwrap_or_default();
    if !(1..=MAX_QUESTION).contains(&question.chars().count()) {
        return Err(Refusal::bad("poll question must be between 1 and 300 characters"));
    }
    let options = call.asked.params.get("options").and_then(Value::as_array).cloned().unwrap_or_default();
    if options.len() < 2 {
        return Err(Refusal::bad("poll must have at least 2 option"));
    }
    if options.len() > 10 {
        return Err(Refusal::bad("poll can't have more than 10 options"));
    }
    let fits = |option: &Value| {
        option["text"].as_str().is_some_and(|text| (1..=MAX_OPTION).contains(&text.chars().count()))
    };
    if !options.iter().all(fits) {
        return Err(Refusal::bad("poll options length must not exceed 100"));
    }
    if call.number("open_period").is_some_and(|open| !(5..=600).contains(&open)) {
        return Err(Refusal::bad("POLL_OPEN_PERIOD_INVALID"));
    }
    Ok(json!({
        "id": "5000", "question": question, "options": options, "total_voter_count": 0, "is_closed": false,
        "is_anonymous": call.asked.params.get("is_anonymous") != Some(&Value::Bool(false)), "type": "regular",
        "allows_multiple_answers": call.asked.params.get("allows_multiple_answers") == Some(&Value::Bool(true)),
    }))
}
