//! The marks a model leaves in its text, and how each is recognised at one place of it.
//!
//! Every function looks at a text from its first character on and says what stands there, that nothing does, or
//! that more text is needed to tell. The answer never depends on where the text was cut.

use homard_runtime::Clip;

/// Longest mark that is looked for, in bytes; a longer one is ordinary text.
pub(super) const MAX_MARK: usize = 512;
/// White space allowed inside a mark before its name.
const MAX_SPACE: usize = 8;
/// White space between the tag of a leaked tool call and its arguments.
const MAX_GAP: usize = 64;

const THINK: [&str; 4] = ["antthinking", "think", "thinking", "thought"];
const FINAL: [&str; 1] = ["final"];
const TOOL: [&str; 5] = ["function_call", "function_calls", "tool_call", "tool_calls", "tool_code"];
/// Control tokens that begin a leaked tool call, `▁` written as `_`.
const TOKENS_BEGIN: [&str; 5] =
    ["tool_call_begin", "tool_calls_begin", "tool_calls_section_begin", "tool_call_start", "python_tag"];
const TOKENS_END: [&str; 5] =
    ["tool_call_end", "tool_calls_end", "tool_calls_section_end", "tool_call_stop", "eom_id"];
/// Control tokens that mean nothing to a person.
const TOKENS_NOISE: [&str; 10] = [
    "begin_of_text",
    "end",
    "end_of_sentence",
    "end_of_text",
    "endoftext",
    "eot_id",
    "im_end",
    "im_start",
    "return",
    "tool_sep",
];
/// Lines by which a history without real tool calls tells about them; models repeat them.
const ASIDES: [&str; 4] = ["[Tool Call:", "[Tool Result for", "[Tool Result:", "[Historical context:"];

/// What looking at one place came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Look {
    /// A mark of so many bytes.
    Found(Mark, usize),
    Nothing,
    /// More text would tell.
    More,
}

/// A mark.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Mark {
    ThinkOpen,
    ThinkClose,
    /// The answer proper begins.
    FinalOpen,
    FinalClose,
    /// A tool call that leaked into the text begins.
    ToolOpen,
    ToolClose,
    /// Something that means nothing.
    Noise,
    /// Words that are to be spoken instead of the text.
    SpeechOpen,
    SpeechClose,
    /// A wish about how the answer is delivered.
    Wish(Directive),
}

/// A wish of the model about how its answer is delivered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Directive {
    /// As a reply to the message it answers.
    ReplyToCurrent,
    /// As a reply to this message.
    ReplyTo(String),
    /// A sound file as a voice note.
    AudioAsVoice,
    /// Spoken, with these settings (`key=value …`, often none).
    Tts(String),
    TtsText(String),
}

/// What stands at a `<`. `ended` says that no more text comes.
pub(super) fn at_angle(text: &str, ended: bool) -> Look {
    let look = match text.get(1..).and_then(|rest| rest.chars().next()) {
        Some('|' | '｜') => token(text),
        Some(_) => tag(text),
        None => Look::More,
    };
    settle(look, ended)
}

/// What stands at a `[`.
pub(super) fn at_bracket(text: &str, ended: bool) -> Look {
    let look = match text.get(1..).and_then(|rest| rest.chars().next()) {
        Some('[') => wish(text),
        Some(_) => bracketed(text),
        None => Look::More,
    };
    settle(look, ended)
}

fn settle(look: Look, ended: bool) -> Look {
    if ended && look == Look::More { Look::Nothing } else { look }
}

/// `<|name|>`, with either kind of bar.
fn token(text: &str) -> Look {
    let window = text.clip_bytes(MAX_MARK);
    let inside = window.trim_start_matches('<').trim_start_matches(['|', '｜']);
    let start = window.len() - inside.len();
    let Some(end) = inside.find(['|', '｜', '<', '>', '\n']) else { return more(text) };
    let after = inside.get(end..).unwrap_or_default();
    let bar = after.chars().next().unwrap_or_default();
    if !matches!(bar, '|' | '｜') {
        return Look::Nothing;
    }
    let Some(close) = after.get(bar.len_utf8()..).and_then(|rest| rest.chars().next()) else {
        return more(text);
    };
    if close != '>' {
        return Look::Nothing;
    }
    let name = inside.get(..end).unwrap_or_default().replace('▁', "_").to_ascii_lowercase();
    let is = |names: &[&str]| names.contains(&name.as_str());
    let mark = if is(&TOKENS_BEGIN) {
        Mark::ToolOpen
    } else if is(&TOKENS_END) {
        Mark::ToolClose
    } else if is(&TOKENS_NOISE) {
        Mark::Noise
    } else {
        return Look::Nothing;
    };
    Look::Found(mark, start + end + bar.len_utf8() + 1)
}

/// `<name …>`, `</name>`, `<name/>`.
fn tag(text: &str) -> Look {
    let (closes, name, rest) = match tag_name(text) {
        Ok(parts) => parts,
        Err(look) => return look,
    };
    let is = |names: &[&str]| names.iter().any(|known| known.eq_ignore_ascii_case(name));
    let (open, close) = if is(&THINK) {
        (Mark::ThinkOpen, Mark::ThinkClose)
    } else if is(&FINAL) {
        (Mark::FinalOpen, Mark::FinalClose)
    } else if is(&TOOL) {
        (Mark::ToolOpen, Mark::ToolClose)
    } else {
        return Look::Nothing;
    };
    let window = rest.clip_bytes(MAX_MARK);
    let Some(end) = window.find(['<', '>']) else {
        return if window.len() < rest.len() { Look::Nothing } else { more(text) };
    };
    let attributes = window.get(..end).unwrap_or_default();
    if !window.get(end..).unwrap_or_default().starts_with('>') {
        return Look::Nothing;
    }
    let length = text.len() - rest.len() + end + 1;
    if closes {
        return Look::Found(close, length);
    }
    if attributes.ends_with('/') {
        return Look::Found(Mark::Noise, length);
    }
    if open == Mark::ToolOpen { holds_a_call(text, length) } else { Look::Found(open, length) }
}

/// Whether it closes, its name, and what comes after the name.
fn tag_name(text: &str) -> Result<(bool, &str, &str), Look> {
    let rest = space(text.get(1..).unwrap_or_default())?;
    let (closes, rest) = match rest.strip_prefix('/') {
        Some(rest) => (true, space(rest)?),
        None => (false, rest),
    };
    let end = rest.bytes().position(|byte| !(byte.is_ascii_alphanumeric() || byte == b'_'));
    let name = rest.get(..end.unwrap_or(rest.len())).unwrap_or_default();
    let begins = |known: &&str| known.get(..name.len()).is_some_and(|part| part.eq_ignore_ascii_case(name));
    let known = THINK.iter().chain(&FINAL).chain(&TOOL).any(begins);
    match end {
        _ if !known => Err(Look::Nothing),
        None => Err(Look::More),
        Some(_) if name.is_empty() => Err(Look::Nothing),
        Some(end) => Ok((closes, name, rest.get(end..).unwrap_or_default())),
    }
}

fn space(text: &str) -> Result<&str, Look> {
    let rest = text.trim_start();
    match text.len() - rest.len() {
        skipped if skipped > MAX_SPACE => Err(Look::Nothing),
        _ if rest.is_empty() => Err(Look::More),
        _ => Ok(rest),
    }
}

/// A tag that names tool calls is one only when something like a call follows; people write about them, too.
fn holds_a_call(text: &str, length: usize) -> Look {
    let after = text.get(length..).unwrap_or_default();
    let call = after.trim_start();
    match call.chars().next() {
        _ if after.len() - call.len() > MAX_GAP => Look::Nothing,
        Some('{' | '[' | '<') => Look::Found(Mark::ToolOpen, length),
        Some(_) => Look::Nothing,
        None => Look::More,
    }
}

/// `[[wish]]`.
fn wish(text: &str) -> Look {
    const NAMES: [&str; 5] = ["reply_to_current", "reply_to", "audio_as_voice", "tts", "/tts:text"];
    let window = text.clip_bytes(MAX_MARK);
    let inside = window.get(2..).unwrap_or_default();
    let end = inside.find(['[', ']', '\n']);
    let said = inside.get(..end.unwrap_or(inside.len())).unwrap_or_default();
    let body = said.trim();
    let plain = body.to_ascii_lowercase();
    let possible = |name: &str| name.starts_with(plain.as_str()) || plain.starts_with(name);
    if !NAMES.into_iter().any(possible) {
        return Look::Nothing;
    }
    let Some(end) = end else { return more(text) };
    match inside.get(end..end + 2) {
        Some("]]") => {}
        Some(_) => return Look::Nothing,
        None if inside.get(end..).is_some_and(|rest| rest.starts_with(']')) => return more(text),
        None => return Look::Nothing,
    }
    let value = |name: &str| body.get(name.len()..).map(str::trim_start)?.strip_prefix(':').map(str::trim);
    let mark = match plain.as_str() {
        "reply_to_current" => Mark::Wish(Directive::ReplyToCurrent),
        "audio_as_voice" => Mark::Wish(Directive::AudioAsVoice),
        "tts" => Mark::Wish(Directive::Tts(String::new())),
        "tts:text" => Mark::SpeechOpen,
        "/tts:text" => Mark::SpeechClose,
        _ if plain.starts_with("reply_to") => match value("reply_to") {
            Some(id) if !id.is_empty() => Mark::Wish(Directive::ReplyTo(id.to_owned())),
            _ => return Look::Nothing,
        },
        _ if plain.starts_with("tts") => match value("tts") {
            Some(settings) => Mark::Wish(Directive::Tts(settings.to_owned())),
            None => return Look::Nothing,
        },
        _ => return Look::Nothing,
    };
    Look::Found(mark, 2 + end + 2)
}

/// `[TOOL_CALL]` and the asides.
fn bracketed(text: &str) -> Look {
    const LITERAL: [(&str, Mark); 4] = [
        ("[TOOL_CALL]", Mark::ToolOpen),
        ("[TOOL_CALLS]", Mark::ToolOpen),
        ("[/TOOL_CALL]", Mark::ToolClose),
        ("[/TOOL_CALLS]", Mark::ToolClose),
    ];
    for (literal, mark) in &LITERAL {
        if text.starts_with(literal) {
            let length = literal.len();
            return if *mark == Mark::ToolOpen {
                holds_a_call(text, length)
            } else {
                Look::Found(mark.clone(), length)
            };
        }
    }
    let window = text.clip_bytes(MAX_MARK);
    if ASIDES.iter().any(|aside| window.starts_with(aside)) {
        return match window.find([']', '\n']) {
            Some(end) if window.get(end..).is_some_and(|rest| rest.starts_with(']')) => {
                Look::Found(Mark::Noise, end + 1)
            }
            Some(_) => Look::Nothing,
            None => more(text),
        };
    }
    let might = |literal: &str| literal.starts_with(text);
    let open = LITERAL.iter().any(|(literal, _)| might(literal)) || ASIDES.iter().any(|aside| might(aside));
    if open { Look::More } else { Look::Nothing }
}

/// More text would tell, unless there is too much of it already.
fn more(text: &str) -> Look {
    if text.len() >= MAX_MARK { Look::Nothing } else { Look::More }
}
