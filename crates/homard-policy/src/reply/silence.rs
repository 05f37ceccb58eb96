//! The words with which a model says that nothing needs to be said.

/// The word with which a model says that it has nothing to say.
pub const SILENT: &str = "NO_REPLY";
/// Words that answer another program and mean silence when they are all that is said.
const SILENT_ALONE: [&str; 2] = ["ANNOUNCE_SKIP", "REPLY_SKIP"];
/// The word with which a model says that it looked and nothing needs attention.
pub const ALL_WELL: &str = "HEARTBEAT_OK";
/// Punctuation that may follow it, in characters.
const MAX_AFTER: usize = 4;
/// Marks a word may be wrapped in.
const WRAP: [char; 4] = ['*', '_', '`', '~'];
/// Longest HTML tag a word may be wrapped in, in bytes.
const MAX_TAG: usize = 64;

/// What of `text` is for people; `None` is silence. The word that all is well is taken off its beginning and end. Where
/// the model was only asked to look, `no_news_up_to` says how many characters beside that word are still no news.
#[must_use]
pub fn audible(text: &str, no_news_up_to: Option<usize>) -> Option<&str> {
    let text = text.trim();
    let rest = without_all_well(text);
    let is_well = rest.len() < text.len();
    let silent = rest.is_empty()
        || is_silent(rest)
        || SILENT_ALONE.contains(&rest)
        || no_news_up_to.is_some_and(|most| is_well && rest.chars().count() <= most);
    (!silent).then_some(rest)
}

/// Whether an answer in the making is silence so far or might still become it, and so must not be shown yet.
#[must_use]
pub fn may_be_silent(partial: &str) -> bool {
    let partial = partial.trim_start();
    if partial.is_empty() {
        return false;
    }
    let bare = partial.trim_start_matches(WRAP);
    let mut words = [SILENT, ALL_WELL].into_iter().chain(SILENT_ALONE);
    words.any(|word| word.starts_with(bare)) || audible(partial, None).is_none()
}

/// Whether a reply is the silent word, at its beginning or end.
fn is_silent(text: &str) -> bool {
    let begins = text.strip_prefix(SILENT).is_some_and(|rest| !rest.starts_with(in_word));
    let ends = text
        .trim_end_matches(|c: char| !in_word(c))
        .strip_suffix(SILENT)
        .is_some_and(|rest| !rest.ends_with(in_word));
    begins || ends || text.trim_matches(WRAP) == SILENT
}

fn in_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// The text without the word that all is well at its beginning and end, wrapped in Markdown or HTML or not.
fn without_all_well(mut text: &str) -> &str {
    loop {
        let before = text.len();
        text = without_at_start(text).trim();
        text = without_at_end(text).trim();
        if text.len() == before {
            return text;
        }
    }
}

fn without_at_start(text: &str) -> &str {
    let inner = skip_wraps(text);
    let Some(rest) = inner.strip_prefix(ALL_WELL) else { return text };
    let opened = text.get(..text.len() - inner.len()).unwrap_or_default();
    let mut unwrapped = skip_wraps(rest);
    if unwrapped.starts_with(in_word) {
        return text;
    }
    if unwrapped.len() == rest.len() {
        // What was opened before the word is closed after the text.
        unwrapped = rest.strip_suffix(opened).unwrap_or(rest);
    }
    let marks = |c: &char| c.is_ascii_punctuation() && !WRAP.contains(c) && !"<[(#>".contains(*c);
    let after: usize = unwrapped.chars().take(MAX_AFTER).take_while(marks).map(char::len_utf8).sum();
    skip_closers(unwrapped.get(after..).unwrap_or_default())
}

fn without_at_end(text: &str) -> &str {
    let mut rest = text;
    let mut marks = 0;
    loop {
        let bare = skip_wraps_back(rest);
        if let Some(before) = bare.strip_suffix(ALL_WELL) {
            let open = skip_wraps_back(before);
            return if open.ends_with(in_word) { text } else { open };
        }
        match bare.chars().next_back() {
            Some(mark) if !in_word(mark) && marks < MAX_AFTER => {
                marks += 1;
                rest = bare.get(..bare.len() - mark.len_utf8()).unwrap_or_default();
            }
            Some(_) | None => return text,
        }
    }
}

/// The text after the tags and marks it begins with.
fn skip_wraps(mut text: &str) -> &str {
    loop {
        let rest = text.trim_start_matches(WRAP);
        let rest = skip_tag(rest).unwrap_or(rest);
        if rest.len() == text.len() {
            return text;
        }
        text = rest;
    }
}

/// The text after marks that close what stood around the word; those that open something stay.
fn skip_closers(text: &str) -> &str {
    let rest = text.trim_start_matches(WRAP);
    let closes = rest.is_empty() || rest.starts_with(char::is_whitespace);
    if closes { rest } else { text }
}

/// The text before the tags and marks it ends with.
fn skip_wraps_back(mut text: &str) -> &str {
    loop {
        let rest = text.trim_end_matches(WRAP);
        let rest = skip_tag_back(rest).unwrap_or(rest);
        if rest.len() == text.len() {
            return text;
        }
        text = rest;
    }
}

fn skip_tag(text: &str) -> Option<&str> {
    let inside = text.strip_prefix('<')?;
    let end = inside.bytes().take(MAX_TAG).position(|byte| byte == b'>')?;
    is_tag(inside.get(..end)?).then(|| inside.get(end + 1..)).flatten()
}

fn skip_tag_back(text: &str) -> Option<&str> {
    let inside = text.strip_suffix('>')?;
    let length = inside.bytes().rev().take(MAX_TAG).position(|byte| byte == b'<')?;
    let start = inside.len() - length - 1;
    is_tag(inside.get(start + 1..)?).then(|| inside.get(..start)).flatten()
}

fn is_tag(inside: &str) -> bool {
    let name = inside.strip_prefix('/').unwrap_or(inside);
    name.starts_with(|c: char| c.is_ascii_alphabetic()) && !name.contains(['<', '>'])
}
