//! Stored messages as lines of a conversation.

use std::collections::{HashMap, HashSet};

use homard_protocol::{
    AssistantBlock, AssistantMessage, INJECTED_PROVIDER, Message, StopReason, ToolResultMessage, UserBlock,
    UserContent,
};
use serde_json::Value;

use super::item::{self, ChatItem, Ending, ItemBody, SendState, ids};
use crate::text::clean::clean_line;
use crate::wire::read;

/// How the gateway names the run in the key of a message, and of one that was said into a run under way.
const USER_KEY: &str = ":user";
const STEER_KEY: &str = ":steer";
/// How the gateway names a file that came with a message: on a line of its own, before the words.
const MEDIA_LINE: &str = "[media attached";

/// The lines of a page, oldest first. `active` are the runs that go on.
pub(super) fn lines(messages: &[Value], active: &HashSet<String>) -> Vec<ChatItem> {
    let mut reader =
        Reader { active, items: Vec::new(), used: HashSet::new(), counts: HashMap::new(), run: None };
    for (number, message) in messages.iter().enumerate() {
        reader.read(message, number);
    }
    reader.items
}

/// A message of a person as a line, and the run it began.
pub(crate) fn user_item(message: &Value, fallback: &str) -> Option<(ChatItem, Option<String>)> {
    let Some(Message::User(user)) = read(message) else { return None };
    let meta = message.get("__openclaw");
    let key = user.idempotency_key.as_deref().or_else(|| meta_text(meta, "idempotencyKey"));
    let run = key
        .and_then(|key| key.strip_suffix(USER_KEY).or_else(|| key.strip_suffix(STEER_KEY)))
        .map(str::to_owned);
    let (text, mut files) = without_media(&user.content.text());
    if let UserContent::Blocks(blocks) = &user.content {
        files.extend(blocks.iter().filter_map(file_name));
    }
    let sender = meta_text(meta, "senderLabel").map(clean_line).filter(|name| !name.is_empty());
    let id = run.as_deref().map_or_else(|| format!("m:{fallback}"), ids::user);
    let body = ItemBody::User { text, files, sender, state: SendState::Sent };
    Some((ChatItem::new(id, run.clone(), body), run))
}

fn meta_text<'a>(meta: Option<&'a Value>, field: &str) -> Option<&'a str> {
    meta.and_then(|meta| meta.get(field)).and_then(Value::as_str)
}

fn file_name(block: &UserBlock) -> Option<String> {
    match block {
        UserBlock::Text { .. } => None,
        UserBlock::Image { mime_type, .. } => Some(clean_line(mime_type)),
        UserBlock::Document { mime_type, name, .. } => Some(clean_line(name.as_deref().unwrap_or(mime_type))),
    }
}

/// Takes the lines that name files off the beginning of a text.
fn without_media(text: &str) -> (String, Vec<String>) {
    let mut files = Vec::new();
    let mut rest = text;
    while rest.starts_with(MEDIA_LINE) {
        let (line, after) = rest.split_once('\n').unwrap_or((rest, ""));
        let about = line.split_once(": ").map_or("", |(_, about)| about).trim_end_matches(']');
        let path = about.split([' ', '|']).next().unwrap_or_default();
        let name = path.rsplit(['/', '\\']).next().unwrap_or_default();
        if !name.is_empty() && !about.ends_with(" files") {
            files.push(clean_line(name));
        }
        rest = after;
    }
    (rest.to_owned(), files)
}

struct Reader<'a> {
    active: &'a HashSet<String>,
    items: Vec<ChatItem>,
    used: HashSet<String>,
    /// Texts and thoughts of each run so far.
    counts: HashMap<String, (usize, usize)>,
    run: Option<String>,
}

impl Reader<'_> {
    fn read(&mut self, message: &Value, number: usize) {
        let meta = message.get("__openclaw");
        let place = meta_text(meta, "id").map_or_else(|| number.to_string(), str::to_owned);
        match read::<Message>(message) {
            Some(Message::User(user)) => {
                let Some((item, run)) = user_item(message, &place) else { return };
                let steered = user.idempotency_key.is_some_and(|key| key.ends_with(STEER_KEY));
                let aside = meta_text(meta, "kind") == Some("aside");
                if !steered && !aside {
                    self.run = run;
                }
                self.push(item);
            }
            Some(Message::Assistant(said)) => {
                let run = meta_text(meta, "runId").map(str::to_owned).or_else(|| self.run.clone());
                self.assistant(&said, run, &place);
            }
            Some(Message::ToolResult(result)) => self.tool_result(&result),
            Some(Message::Other(_)) | None => self.other(message, meta, &place),
        }
    }

    fn push(&mut self, mut item: ChatItem) {
        let first = item.id.clone();
        let mut copy = 2;
        while !self.used.insert(item.id.clone()) {
            item.id = format!("{first}~{copy}");
            copy += 1;
        }
        self.items.push(item);
    }

    /// A note of the gateway, such as where everything above was replaced by a summary.
    fn other(&mut self, message: &Value, meta: Option<&Value>, place: &str) {
        if message.get("role").and_then(Value::as_str) != Some("system") {
            return;
        }
        let text = crate::wire::output_of(message);
        let text = if meta_text(meta, "kind") == Some("compaction") {
            format!("everything above is told to the model as a summary from here on\n\n{text}")
        } else {
            text
        };
        self.push(ChatItem::new(format!("n:{place}"), None, ItemBody::Note(text)));
    }

    fn assistant(&mut self, said: &AssistantMessage, run: Option<String>, place: &str) {
        let scope = run.clone().unwrap_or_else(|| place.to_owned());
        let interrupted = said.error_message.as_deref().is_some_and(|why| why.starts_with("interrupted"));
        let ending = match said.stop_reason {
            StopReason::Aborted if interrupted => Some(Ending::Interrupted),
            StopReason::Aborted => Some(Ending::Stopped),
            StopReason::Length => Some(Ending::Length),
            _ => None,
        };
        let mut is_silent = true;
        for block in &said.content {
            match block {
                AssistantBlock::Text { text, .. } if !text.trim().is_empty() => {
                    is_silent = false;
                    let segment = self.count(&scope, |counts| &mut counts.0);
                    let body = ItemBody::Text { text: text.clone(), streaming: false, ending };
                    self.push(ChatItem::new(ids::text(&scope, segment), run.clone(), body));
                }
                AssistantBlock::Thinking { thinking, .. } if !thinking.trim().is_empty() => {
                    let index = self.count(&scope, |counts| &mut counts.1);
                    let body = ItemBody::Thinking { text: thinking.clone(), streaming: false };
                    self.push(ChatItem::new(ids::thought(&scope, index), run.clone(), body));
                }
                AssistantBlock::ToolCall(call) => {
                    let mut made = item::tool(
                        call.id.as_str(),
                        run.as_deref(),
                        &call.name,
                        &call.arguments,
                        Some(said.timestamp),
                    );
                    if !run.as_ref().is_some_and(|run| self.active.contains(run)) {
                        made.settle();
                    }
                    self.push(made);
                }
                _ => {}
            }
        }
        match (&said.error_message, said.stop_reason) {
            (Some(why), StopReason::Error) => {
                self.push(ChatItem::new(ids::error(&scope), run, ItemBody::Error(why.clone())));
            }
            _ if is_silent && said.provider != INJECTED_PROVIDER && ending.is_some() => {
                let words = ending.map(Ending::words).unwrap_or_default().to_owned();
                self.push(ChatItem::new(ids::note(&scope), run, ItemBody::Note(words)));
            }
            _ => {}
        }
    }

    fn count(&mut self, scope: &str, which: impl FnOnce(&mut (usize, usize)) -> &mut usize) -> usize {
        let counted = which(self.counts.entry(scope.to_owned()).or_default());
        *counted += 1;
        *counted - 1
    }

    fn tool_result(&mut self, result: &ToolResultMessage) {
        let id = ids::tool(result.tool_call_id.as_str());
        if !self.items.iter().any(|item| item.id == id) {
            let run = self.run.clone();
            let made = item::tool(
                result.tool_call_id.as_str(),
                run.as_deref(),
                &result.tool_name,
                &Value::Null,
                None,
            );
            self.push(made);
        }
        let texts: Vec<&str> = result.content.iter().filter_map(UserBlock::as_text).collect();
        if let Some(found) = self.items.iter_mut().rfind(|item| item.id == id)
            && let ItemBody::Tool(tool) = &mut found.body
        {
            tool.output = texts.join("\n\n");
            tool.end(result.is_error, result.details.as_ref(), result.timestamp);
        }
    }
}
