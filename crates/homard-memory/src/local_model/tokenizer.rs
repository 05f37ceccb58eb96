//! Words in the pieces a model knows, from a `tokenizer.json`: by merging the commonest pairs (BPE, as Llama does) or by the
//! longest beginning that is known (WordPiece, as BERT does).

use std::collections::HashMap;

use homard_runtime::Clip as _;
use serde_json::Value;

use crate::words::unmarked;

/// Largest file that is read, in bytes.
pub(super) const MAX_BYTES: u64 = 64 * 1024 * 1024;
/// Stands before a word, where spaces were.
const SPACE: char = '▁';
/// Longest word that is cut into pieces, in characters.
const MAX_WORD_CHARS: usize = 100;

pub(super) struct Tokenizer {
    pieces: HashMap<String, u32>,
    way: Way,
    /// What stands for a word that has no pieces, and what stands before and after a text.
    marks: Marks,
}

#[derive(Debug, Clone, Copy)]
struct Marks {
    unknown: Option<u32>,
    first: Option<u32>,
    last: Option<u32>,
}

/// How words become pieces.
enum Way {
    /// What two pieces become, and how early.
    Merging(HashMap<(u32, u32), (u32, u32)>),
    /// What stands before a piece that goes on a word.
    Longest(String),
}

impl std::fmt::Debug for Tokenizer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Tokenizer({})", self.pieces.len())
    }
}

impl Tokenizer {
    pub(super) fn read(bytes: &[u8]) -> Result<Self, String> {
        let broken = || "it is no tokenizer".to_owned();
        let all: Value = serde_json::from_slice(bytes).map_err(|_other| broken())?;
        let model = all.get("model").ok_or_else(broken)?;
        let vocabulary =
            model.get("vocab").and_then(Value::as_object).ok_or("its kind of tokens is not known here")?;
        let number = |value: &Value| value.as_u64().and_then(|number| u32::try_from(number).ok());
        let pieces: HashMap<String, u32> =
            vocabulary.iter().filter_map(|(piece, id)| Some((piece.clone(), number(id)?))).collect();
        let way = match model.get("type").and_then(Value::as_str) {
            Some("BPE") => Way::Merging(merges(model, &pieces).ok_or_else(broken)?),
            Some("WordPiece") => {
                let prefix = model.get("continuing_subword_prefix").and_then(Value::as_str).unwrap_or("##");
                Way::Longest(prefix.to_owned())
            }
            _ => return Err("its kind of tokens is not known here".to_owned()),
        };
        let mark = |name: &str| pieces.get(name).copied();
        let unknown = model.get("unk_token").and_then(Value::as_str).and_then(mark);
        let marks = Marks { unknown, first: mark("[CLS]"), last: mark("[SEP]") };
        Ok(Self { pieces, way, marks })
    }

    /// The pieces of a text that are known, by number.
    pub(super) fn pieces(&self, text: &str) -> Vec<u32> {
        let unknown = self.marks.unknown;
        let mut found = self.all_pieces(text);
        found.retain(|piece| Some(*piece) != unknown);
        found
    }

    /// Pieces with what stands before and after a text.
    pub(super) fn enclosed(&self, pieces: &[u32]) -> Vec<u32> {
        self.marks.first.into_iter().chain(pieces.iter().copied()).chain(self.marks.last).collect()
    }

    /// The pieces of a text, those that stand for unknown words among them.
    pub(super) fn all_pieces(&self, text: &str) -> Vec<u32> {
        let mut found = Vec::new();
        match &self.way {
            Way::Merging(merges) => {
                for word in text.split(char::is_whitespace).filter(|word| !word.is_empty()) {
                    let word = format!("{SPACE}{}", word.clip_chars(MAX_WORD_CHARS));
                    found.extend(self.merged(&word, merges));
                }
            }
            Way::Longest(prefix) => {
                let text = unmarked(text);
                for part in text.split_inclusive(is_break) {
                    let word = part.trim_end_matches(is_break);
                    found.extend(self.longest(word, prefix));
                    let sign = part.get(word.len()..).unwrap_or_default().trim();
                    found.extend(self.longest(sign, prefix));
                }
            }
        }
        found
    }

    fn merged(&self, word: &str, merges: &HashMap<(u32, u32), (u32, u32)>) -> Vec<u32> {
        let mut pieces: Vec<u32> = Vec::new();
        let mut buffer = [0; 4];
        for c in word.chars() {
            let text = c.encode_utf8(&mut buffer);
            match self.pieces.get(&*text) {
                Some(piece) => pieces.push(*piece),
                // A character nobody knows is its bytes.
                None => {
                    pieces
                        .extend(text.bytes().filter_map(|byte| self.pieces.get(&format!("<0x{byte:02X}>"))));
                }
            }
        }
        loop {
            let pairs = pieces.iter().zip(pieces.iter().skip(1)).enumerate();
            let earliest = pairs
                .filter_map(|(at, (one, other))| Some((merges.get(&(*one, *other))?, at)))
                .min_by_key(|((rank, _), at)| (*rank, *at));
            let Some((&(_, into), at)) = earliest else { return pieces };
            if let Some(piece) = pieces.get_mut(at) {
                *piece = into;
            }
            pieces.remove(at + 1);
        }
    }

    fn longest(&self, word: &str, prefix: &str) -> Vec<u32> {
        let mut found = Vec::new();
        if word.chars().count() > MAX_WORD_CHARS {
            return self.marks.unknown.into_iter().collect();
        }
        let mut rest = word;
        while !rest.is_empty() {
            let ends = rest.char_indices().map(|(at, c)| at + c.len_utf8()).rev();
            let known = ends.filter_map(|end| {
                let part = rest.get(..end)?;
                let piece = if found.is_empty() {
                    self.pieces.get(part)
                } else {
                    self.pieces.get(&format!("{prefix}{part}"))
                };
                Some((*piece?, end))
            });
            let Some((piece, end)) = known.take(1).next() else {
                return self.marks.unknown.into_iter().collect();
            };
            found.push(piece);
            rest = rest.get(end..).unwrap_or_default();
        }
        found
    }
}

/// Whether a character is a piece by itself: a sign, or one of a script whose words are not set apart.
fn is_break(c: char) -> bool {
    matches!(u32::from(c), 0x3400..=0x4dbf | 0x4e00..=0x9fff | 0xf900..=0xfaff | 0x20000..=0x323af)
        || c.is_whitespace()
        || (!c.is_alphanumeric() && !c.is_control())
}

/// Pairs are written as one text or as two.
fn merges(model: &Value, pieces: &HashMap<String, u32>) -> Option<HashMap<(u32, u32), (u32, u32)>> {
    let mut merges = HashMap::new();
    for (rank, pair) in model.get("merges")?.as_array()?.iter().enumerate() {
        let (one, other) = match pair {
            Value::String(pair) => pair.split_once(' ')?,
            Value::Array(pair) => (pair.first()?.as_str()?, pair.get(1)?.as_str()?),
            _ => return None,
        };
        let known = (pieces.get(one), pieces.get(other), pieces.get(&format!("{one}{other}")));
        if let (Some(one), Some(other), Some(into)) = known {
            merges.entry((*one, *other)).or_insert((u32::try_from(rank).ok()?, *into));
        }
    }
    Some(merges)
}
