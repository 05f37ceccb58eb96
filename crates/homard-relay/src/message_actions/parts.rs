//! From a deed to the messages it takes: texts cut to size, files with their captions.

use homard_channel::{Abilities, Act, Content, Dialect, File, RichText, Shape, shape_text};

use super::action::{FileWanted, MessageAction, PollDraft, Post, Writing};
use super::files::{FileFolders, is_address, take};
use super::{ActError, files::FileError};

/// One message to be sent.
#[derive(Debug)]
pub(super) struct Part {
    pub(super) content: Content,
    pub(super) reply_to: Option<String>,
    pub(super) silent: bool,
}

impl Part {
    fn plain(content: Content) -> Self {
        Self { content, reply_to: None, silent: false }
    }
}

/// The messages a deed takes, in order. `words` is its text as it is to be shown.
pub(super) async fn parts(
    deed: MessageAction,
    words: String,
    abilities: &Abilities,
    shape: Shape,
    folders: &FileFolders,
) -> Result<Vec<Part>, ActError> {
    Ok(match deed {
        MessageAction::Send(post) => said(post, &words, abilities, shape, folders).await?,
        MessageAction::Poll(ballot) => vec![poll(ballot, abilities)],
        MessageAction::React { message_id, emoji } => vec![Part::plain(Content::React { message_id, emoji })],
        MessageAction::Edit { message_id, buttons, .. } => {
            let mut texts = shape_text(&words, shape).into_iter();
            let (Some(words), None) = (texts.next(), texts.next()) else {
                return Err(ActError::Invalid(format!(
                    "the new text must fit one message of at most {} characters",
                    shape.limit
                )));
            };
            vec![Part::plain(Content::Edit { message_id, words, buttons })]
        }
        MessageAction::Delete { message_id } => vec![Part::plain(Content::Delete { message_id })],
        MessageAction::Pin { message_id, pinned } => vec![Part::plain(Content::Pin { message_id, pinned })],
        MessageAction::NewThread { name, .. } => {
            let first = Part::plain(Content::NewThread { name });
            let texts = shape_text(&words, shape).into_iter();
            std::iter::once(first).chain(texts.map(|words| Part::plain(text(words)))).collect()
        }
    })
}

fn text(words: RichText) -> Content {
    Content::Text { words, buttons: Vec::new() }
}

fn poll(ballot: PollDraft, abilities: &Abilities) -> Part {
    let PollDraft { question, options, max_selections, open_seconds, anonymous, silent } = ballot;
    let content = Content::Poll { question, options, max_selections, open_seconds, anonymous };
    Part { content, reply_to: None, silent: silent && abilities.can(Act::Silent) }
}

async fn said(
    post: Post,
    words: &str,
    abilities: &Abilities,
    shape: Shape,
    folders: &FileFolders,
) -> Result<Vec<Part>, ActError> {
    let Post { writing, files, guise, buttons, reply_to, silent, .. } = post;
    let mut words = words.to_owned();
    let mut taken = Vec::new();
    for wanted in files {
        match wanted {
            // Who cannot carry files can carry their address.
            FileWanted::At(place) if abilities.media.is_empty() && is_address(&place) => {
                words = format!("{words}\n\nAttachment: {place}").trim().to_owned();
            }
            wanted => taken.push(carried(take(wanted, guise, folders).await?, abilities)?),
        }
    }
    let mut contents = together(taken, &words, writing, abilities, shape);
    if !buttons.is_empty() {
        match contents.last_mut() {
            Some(Content::Text { buttons: below, .. }) => *below = buttons,
            _ => {
                return Err(ActError::Invalid(
                    "buttons need a text; they cannot hang below a file".to_owned(),
                ));
            }
        }
    }
    let silent = silent && abilities.can(Act::Silent);
    let mut reply_to = reply_to.filter(|_| abilities.can(Act::Reply));
    // Only the first part answers: the others follow it.
    Ok(contents.into_iter().map(|content| Part { content, reply_to: reply_to.take(), silent }).collect())
}

/// The file as the platform can carry it.
fn carried(file: File, abilities: &Abilities) -> Result<File, ActError> {
    use homard_channel::MediaKind::Document;
    if abilities.media.contains(&file.kind) {
        return Ok(file);
    }
    if abilities.media.contains(&Document) {
        return Ok(File { kind: Document, ..file });
    }
    let words = "this platform carries no such files; send text, or an http(s) address as media".to_owned();
    Err(FileError::Unreadable(words).into())
}

/// Files and text in as few messages as fit.
fn together(
    files: Vec<File>,
    words: &str,
    writing: Writing,
    abilities: &Abilities,
    shape: Shape,
) -> Vec<Content> {
    let written = |limit: usize| match writing {
        Writing::Tags if shape.dialect == Dialect::Html => {
            vec![RichText { formatted: words.to_owned(), plain: without_tags(words) }]
        }
        Writing::Tags | Writing::Markdown => shape_text(words, Shape { limit, ..shape }),
    };
    let mut caption = RichText::default();
    let mut texts = Vec::new();
    if !words.trim().is_empty() {
        let beside = abilities.caption_limit.filter(|_| !files.is_empty()).map(written);
        match beside.as_deref() {
            Some([one]) => caption = one.clone(),
            Some(_) | None => texts = written(shape.limit),
        }
    }
    let media = files.into_iter().map(|file| Content::Media { file, caption: std::mem::take(&mut caption) });
    media.chain(texts.into_iter().map(text)).collect()
}

/// A text in tags without them, for when the platform does not take them.
fn without_tags(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut is_inside = false;
    for c in text.chars() {
        match c {
            '<' => is_inside = true,
            '>' if is_inside => is_inside = false,
            c if !is_inside => plain.push(c),
            _ => {}
        }
    }
    plain.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"").replace("&amp;", "&")
}

#[cfg(test)]
mod tests;
