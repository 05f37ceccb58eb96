//! What the Bot API documents: methods, their parameters, and the objects inside them.
//!
//! A parameter that is not documented, a missing one or one of the wrong type is refused, which the real server does
//! not always do: a request nobody documents should fail in a test first.

use serde_json::{Map, Value};

use super::refusal::Refusal;

/// Methods and their parameters, `name:type`, `!` behind those that are required. Types: `int`, `bool`, `str`,
/// `chat` (number or `@name`), `file` (upload, file id or address), an object of [`OBJECTS`], `any`, and lists.
const METHODS: &[(&str, &str)] = &[
    ("answerCallbackQuery", "callback_query_id!:str text:str show_alert:bool url:str cache_time:int"),
    ("createForumTopic", "chat_id!:chat name!:str icon_color:int icon_custom_emoji_id:str"),
    ("deleteMessage", "chat_id!:chat message_id!:int"),
    ("deleteMyCommands", "scope:any language_code:str"),
    ("deleteWebhook", "drop_pending_updates:bool"),
    ("editForumTopic", "chat_id!:chat message_thread_id!:int name:str icon_custom_emoji_id:str"),
    (
        "editMessageCaption",
        "business_connection_id:str chat_id!:chat message_id!:int caption:str parse_mode:str caption_entities:[any] \
         show_caption_above_media:bool reply_markup:InlineKeyboardMarkup",
    ),
    (
        "editMessageReplyMarkup",
        "business_connection_id:str chat_id!:chat message_id!:int reply_markup:InlineKeyboardMarkup",
    ),
    (
        "editMessageText",
        "business_connection_id:str chat_id!:chat message_id!:int text!:str parse_mode:str entities:[any] \
         link_preview_options:LinkPreviewOptions reply_markup:InlineKeyboardMarkup",
    ),
    ("getChat", "chat_id!:chat"),
    ("getChatMember", "chat_id!:chat user_id!:int"),
    ("getFile", "file_id!:str"),
    ("getMe", ""),
    ("getMyCommands", "scope:any language_code:str"),
    ("getUpdates", "offset:int limit:int timeout:int allowed_updates:[str]"),
    ("getWebhookInfo", ""),
    ("leaveChat", "chat_id!:chat"),
    ("pinChatMessage", "business_connection_id:str chat_id!:chat message_id!:int disable_notification:bool"),
    (
        "sendAnimation",
        "animation!:file duration:int width:int height:int thumbnail:file has_spoiler:bool +caption +send",
    ),
    ("sendAudio", "audio!:file duration:int performer:str title:str thumbnail:file +caption +send"),
    ("sendChatAction", "business_connection_id:str chat_id!:chat message_thread_id:int action!:str"),
    ("sendDocument", "document!:file thumbnail:file disable_content_type_detection:bool +caption +send"),
    ("sendMessage", "text!:str parse_mode:str entities:[any] link_preview_options:LinkPreviewOptions +send"),
    ("sendPhoto", "photo!:file has_spoiler:bool +caption +send"),
    (
        "sendPoll",
        "question!:str question_parse_mode:str question_entities:[any] options!:[InputPollOption] is_anonymous:bool \
         type:str allows_multiple_answers:bool correct_option_id:int explanation:str open_period:int close_date:int \
         is_closed:bool +send",
    ),
    ("sendSticker", "sticker!:file emoji:str +send"),
    (
        "sendVideo",
        "video!:file duration:int width:int height:int thumbnail:file cover:file has_spoiler:bool \
         supports_streaming:bool +caption +send",
    ),
    ("sendVideoNote", "video_note!:file duration:int length:int thumbnail:file +send"),
    ("sendVoice", "voice!:file duration:int +caption +send"),
    ("setMessageReaction", "chat_id!:chat message_id!:int reaction:[ReactionType] is_big:bool"),
    ("setMyCommands", "commands!:[BotCommand] scope:any language_code:str"),
    (
        "setWebhook",
        "url!:str certificate:file ip_address:str max_connections:int allowed_updates:[str] \
         drop_pending_updates:bool secret_token:str",
    ),
    ("unpinChatMessage", "business_connection_id:str chat_id!:chat message_id:int"),
];

/// Parameters many methods share.
const SHARED: &[(&str, &str)] = &[
    ("+caption", "caption:str parse_mode:str caption_entities:[any] show_caption_above_media:bool"),
    (
        "+send",
        "business_connection_id:str chat_id!:chat message_thread_id:int direct_messages_topic_id:int \
         disable_notification:bool protect_content:bool allow_paid_broadcast:bool message_effect_id:str \
         reply_parameters:ReplyParameters reply_markup:InlineKeyboardMarkup",
    ),
];

/// Objects inside parameters.
const OBJECTS: &[(&str, &str)] = &[
    ("BotCommand", "command!:str description!:str is_ephemeral:bool"),
    (
        "InlineKeyboardButton",
        "text!:str icon_custom_emoji_id:str style:str url:str callback_data:str web_app:any login_url:any \
         switch_inline_query:str switch_inline_query_current_chat:str copy_text:any pay:bool",
    ),
    ("InlineKeyboardMarkup", "inline_keyboard!:[[InlineKeyboardButton]]"),
    ("InputPollOption", "text!:str text_parse_mode:str text_entities:[any]"),
    (
        "LinkPreviewOptions",
        "is_disabled:bool url:str prefer_small_media:bool prefer_large_media:bool show_above_text:bool",
    ),
    ("ReactionType", "type!:str emoji:str custom_emoji_id:str"),
    (
        "ReplyParameters",
        "message_id!:int chat_id:chat allow_sending_without_reply:bool quote:str quote_parse_mode:str \
         quote_entities:[any] quote_position:int checklist_task_id:int",
    ),
];

/// A method by its name, whose letters may be of any case.
pub(super) fn method(name: &str) -> Option<&'static str> {
    METHODS.iter().map(|(method, _)| *method).find(|method| method.eq_ignore_ascii_case(name))
}

/// Refuses parameters that are not as documented. `uploads` are the names of parameters that came as files.
pub(super) fn check(method: &str, params: &Map<String, Value>, uploads: &[String]) -> Result<(), Refusal> {
    let spec = look_up(METHODS, method).unwrap_or_default();
    check_fields(method, spec, params, uploads)
}

fn look_up(table: &'static [(&'static str, &'static str)], name: &str) -> Option<&'static str> {
    table.iter().find(|(known, _)| *known == name).map(|(_, spec)| *spec)
}

/// `name`, whether it is required, and its type.
fn fields(spec: &'static str) -> Vec<(&'static str, bool, &'static str)> {
    let mut all = Vec::new();
    for word in spec.split_whitespace() {
        match word.split_once(':') {
            Some((name, kind)) => {
                let bare = name.trim_end_matches('!');
                all.push((bare, bare.len() != name.len(), kind));
            }
            None => all.extend(fields(look_up(SHARED, word).unwrap_or_default())),
        }
    }
    all
}

fn check_fields(
    owner: &str,
    spec: &'static str,
    params: &Map<String, Value>,
    uploads: &[String],
) -> Result<(), Refusal> {
    let fields = fields(spec);
    for (name, value) in params {
        let Some((_, _, kind)) = fields.iter().find(|(known, ..)| known == name) else {
            return Err(Refusal::bad(format!("{owner} has no documented field \"{name}\"")));
        };
        check_value(name, kind, value)?;
    }
    for upload in uploads {
        if !fields.iter().any(|(known, _, kind)| known == upload && *kind == "file") {
            return Err(Refusal::bad(format!("{owner} takes no file \"{upload}\"")));
        }
    }
    let given = |name: &str| params.contains_key(name) || uploads.iter().any(|upload| upload == name);
    match fields.iter().find(|(name, required, _)| *required && !given(name)) {
        Some(("chat_id", ..)) => Err(Refusal::bad("chat_id is empty")),
        Some((name, ..)) => Err(Refusal::bad(format!("{owner} needs \"{name}\""))),
        None => Ok(()),
    }
}

fn check_value(name: &str, kind: &'static str, value: &Value) -> Result<(), Refusal> {
    if let Some(inner) = kind.strip_prefix('[').and_then(|kind| kind.strip_suffix(']')) {
        let Some(items) = value.as_array() else { return Err(wrong(name, "a list")) };
        return items.iter().try_for_each(|item| check_value(name, inner, item));
    }
    let fits = match kind {
        "int" => value.is_i64() || value.is_u64(),
        "bool" => value.is_boolean(),
        "str" | "file" => value.is_string(),
        "chat" => value.is_i64() || value.as_str().is_some_and(is_chat_name),
        "any" => true,
        object => {
            let Some(map) = value.as_object() else { return Err(wrong(name, "an object")) };
            return check_fields(object, look_up(OBJECTS, object).unwrap_or_default(), map, &[]);
        }
    };
    if fits { Ok(()) } else { Err(wrong(name, kind)) }
}

fn is_chat_name(text: &str) -> bool {
    text.starts_with('@') || text.parse::<i64>().is_ok()
}

fn wrong(name: &str, wanted: &str) -> Refusal {
    Refusal::bad(format!("field \"{name}\" must be {wanted}"))
}

/// Bodies of forms know only text; this gives values the type the documentation wants.
pub(super) fn typed(method: &str, name: &str, text: String) -> Value {
    let spec = look_up(METHODS, method).unwrap_or_default();
    let kind = fields(spec).into_iter().find(|(known, ..)| *known == name).map_or("str", |(.., kind)| kind);
    match kind {
        "str" | "file" => Value::String(text),
        "chat" => text.parse::<i64>().map_or(Value::String(text), Value::from),
        _ => serde_json::from_str(&text).unwrap_or(Value::String(text)),
    }
}
