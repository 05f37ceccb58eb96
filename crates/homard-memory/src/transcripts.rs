//! Conversations as a source beside the notes: what was said since the last time is cut into passages and added to the same
//! index, under a path of its own. Whoever has the conversations hands them over; which of them a question may see comes
//! with the question.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::sync::Arc;

use homard_runtime::Clip as _;
use jiff::civil::Date;

use crate::index::{FileRow, Index, IndexError};
use crate::passages::{self, Passage};

/// What a conversation's path is made of.
const FOLDER: &str = "sessions/";
/// What comes first behind all of them: `0` follows `/`.
const BEHIND_FOLDER: &str = "sessions0";
const ENDING: &str = ".jsonl";
const OWNER: &str = "User";
const AGENT: &str = "Assistant";
/// Longest message that is looked at, in characters.
const MAX_MESSAGE_CHARS: usize = 64 * 1024;

/// One message of a conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SpokenMessage {
    /// Its place in the conversation, as it is cited.
    pub place: i64,
    /// The day it was said on, as the owner counts days.
    pub day: Option<Date>,
    pub is_of_agent: bool,
    pub text: String,
}

/// How far a conversation is in the index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TranscriptMark {
    pub session_id: String,
    /// The last place that was taken in.
    pub to: i64,
}

/// Which conversations a question may see.
#[derive(Debug, Clone, Copy, Default)]
pub enum Sessions<'q> {
    #[default]
    None,
    All,
    Only(&'q Arc<BTreeSet<String>>),
}

impl Sessions<'_> {
    /// Whether a passage of this path may be told.
    pub(crate) fn may_see(self, path: &str) -> bool {
        let Some(id) = session_of(path) else { return true };
        match self {
            Self::None => false,
            Self::All => true,
            Self::Only(ids) => ids.contains(id),
        }
    }
}

/// The path of a conversation in an index.
#[must_use]
pub fn path_of(session_id: &str) -> String {
    format!("{FOLDER}{session_id}{ENDING}")
}

/// The conversation a path is of; nothing for a note's.
#[must_use]
pub fn session_of(path: &str) -> Option<&str> {
    path.strip_prefix(FOLDER)?.strip_suffix(ENDING)
}

/// The conversations in an index, and how far each is in it.
pub(crate) fn kept(index: &Index) -> Result<Vec<TranscriptMark>, IndexError> {
    // By their paths, which are in order: going through the rows of ten thousand notes would read all of them.
    let mut statement = index.db.prepare_cached(
        "SELECT path, mtime FROM files WHERE path >= ?1 AND path < ?2 AND source = 'sessions'",
    )?;
    let rows =
        statement.query_map([FOLDER, BEHIND_FOLDER], |row| Ok((row.get::<_, String>(0)?, row.get(1)?)))?;
    let mut kept = Vec::new();
    for row in rows {
        let (path, to) = row?;
        kept.extend(session_of(&path).map(|id| TranscriptMark { session_id: id.to_owned(), to }));
    }
    Ok(kept)
}

/// Adds what was said since the last time; `to` is the last place that is known of.
pub(crate) fn add(
    index: &Index,
    session_id: &str,
    said: &[SpokenMessage],
    to: i64,
    passage_chars: usize,
) -> Result<(), IndexError> {
    index.cut_by(passage_chars)?;
    let row = FileRow { hash: String::new(), mtime: to, size: 0 };
    let passages = cut(said, passage_chars);
    index.together(|index| index.add_transcript(&path_of(session_id), &row, &passages))
}

/// Forgets one conversation.
pub(crate) fn forget(index: &Index, session_id: &str) -> Result<(), IndexError> {
    index.together(|index| index.remove(&path_of(session_id)))
}

/// Forgets all conversations but these.
pub(crate) fn keep_only(index: &Index, ids: &BTreeSet<String>) -> Result<usize, IndexError> {
    let gone: Vec<TranscriptMark> =
        kept(index)?.into_iter().filter(|kept| !ids.contains(&kept.session_id)).collect();
    if !gone.is_empty() {
        index.together(|index| gone.iter().try_for_each(|kept| index.remove(&path_of(&kept.session_id))))?;
    }
    Ok(gone.len())
}

/// What was said in passages, those of one day together, cited by the places of the messages.
fn cut(said: &[SpokenMessage], passage_chars: usize) -> Vec<Passage> {
    let mut passages = Vec::new();
    for day in said.chunk_by(|one, other| one.day == other.day) {
        let mut text = String::new();
        let mut places = Vec::new();
        for message in day {
            let who = if message.is_of_agent { AGENT } else { OWNER };
            let _written = write!(text, "{who}: ");
            let mut lines =
                message.text.clip_chars(MAX_MESSAGE_CHARS).lines().filter(|line| !line.trim().is_empty());
            text.push_str(lines.next().unwrap_or_default());
            text.push('\n');
            places.push(message.place);
            for line in lines {
                // Nobody speaks for another by writing the other's name.
                let _written = writeln!(text, "  {line}");
                places.push(message.place);
            }
        }
        let place = |line: usize| {
            let place = places.get(line.saturating_sub(1)).or(places.last()).copied().unwrap_or(0);
            usize::try_from(place).unwrap_or(0)
        };
        let cut = passages::cut(&text, passage_chars, day.first().and_then(|message| message.day));
        passages.extend(cut.into_iter().map(|passage| Passage {
            first: place(passage.first),
            last: place(passage.last),
            ..passage
        }));
    }
    passages
}

/// Whether the line of a passage is the agent's.
pub(crate) fn is_of_agent(text: &str, line: usize) -> bool {
    let before: Vec<&str> = text.lines().take(line + 1).collect();
    let speaks = |line: &&&str| line.starts_with(OWNER) || line.starts_with(AGENT);
    before.iter().rev().find(speaks).is_none_or(|line| line.starts_with(AGENT))
}

#[cfg(test)]
mod tests;
