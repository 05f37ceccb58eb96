//! Reading a section the owner wrote: a value that cannot be read is the safe one, and a sentence in a list.

use serde_json::{Map, Value};

use super::allow::AllowList;

/// Longest list that is read; what comes after is left out.
const MAX_LIST: usize = 10_000;

/// Reads values and remembers what was wrong.
#[derive(Debug)]
pub(super) struct Reader {
    /// Where in the file, for problems.
    at: String,
    pub(super) problems: Vec<String>,
}

/// A value of the file: absent, readable, or written in a shape nobody understands.
pub(super) enum Read<T> {
    Absent,
    Value(T),
    Unreadable,
}

impl<T> Read<T> {
    /// The value, or `safe` for an unreadable one.
    pub(super) fn or_safe(self, safe: T) -> Option<T> {
        match self {
            Self::Absent => None,
            Self::Value(value) => Some(value),
            Self::Unreadable => Some(safe),
        }
    }

    /// The value, as if an unreadable one had not been written.
    pub(super) fn readable(self) -> Option<T> {
        match self {
            Self::Value(value) => Some(value),
            Self::Absent | Self::Unreadable => None,
        }
    }
}

impl Reader {
    pub(super) fn new(at: String) -> Self {
        Self { at, problems: Vec::new() }
    }

    /// Reads deeper in the file, and comes back.
    pub(super) fn inside<T>(&mut self, key: &str, read: impl FnOnce(&mut Self) -> T) -> T {
        let outside = self.at.len();
        self.at.push('.');
        self.at.push_str(key);
        let value = read(self);
        self.at.truncate(outside);
        value
    }

    pub(super) fn problem(&mut self, key: &str, what: &str) {
        self.problems.push(format!("{}.{key}: {what}", self.at));
    }

    fn unreadable<T>(&mut self, key: &str, wanted: &str) -> Read<T> {
        self.problem(key, &format!("{wanted} is expected here"));
        Read::Unreadable
    }

    pub(super) fn flag(&mut self, map: &Map<String, Value>, key: &str) -> Read<bool> {
        match map.get(key) {
            None | Some(Value::Null) => Read::Absent,
            Some(Value::Bool(value)) => Read::Value(*value),
            Some(_) => self.unreadable(key, "true or false"),
        }
    }

    pub(super) fn number(&mut self, map: &Map<String, Value>, key: &str) -> Option<usize> {
        match map.get(key) {
            None | Some(Value::Null) => None,
            Some(value) => match value.as_u64().and_then(|number| usize::try_from(number).ok()) {
                Some(number) => Some(number),
                None => self.unreadable(key, "a whole number, zero or more").readable(),
            },
        }
    }

    pub(super) fn text(&mut self, map: &Map<String, Value>, key: &str) -> Option<String> {
        match map.get(key) {
            None | Some(Value::Null) => None,
            Some(Value::String(text)) => Some(text.clone()),
            Some(_) => self.unreadable(key, "a text").readable(),
        }
    }

    /// One of some words.
    pub(super) fn choice<T: Copy>(
        &mut self,
        map: &Map<String, Value>,
        key: &str,
        words: &[(&str, T)],
    ) -> Read<T> {
        let word = match map.get(key) {
            None | Some(Value::Null) => return Read::Absent,
            Some(Value::String(word)) => word.trim().to_ascii_lowercase(),
            Some(_) => String::new(),
        };
        if let Some((_, value)) = words.iter().find(|(known, _)| *known == word) {
            return Read::Value(*value);
        }
        let known: Vec<&str> = words.iter().map(|(known, _)| *known).collect();
        self.unreadable(key, &format!("one of {}", known.join(", ")))
    }

    pub(super) fn object<'a>(
        &mut self,
        map: &'a Map<String, Value>,
        key: &str,
    ) -> Read<&'a Map<String, Value>> {
        match map.get(key) {
            None | Some(Value::Null) => Read::Absent,
            Some(Value::Object(inner)) => Read::Value(inner),
            Some(_) => self.unreadable(key, "an object"),
        }
    }

    /// A list of texts; numbers count as texts, anything else is left out.
    pub(super) fn texts(&mut self, map: &Map<String, Value>, key: &str) -> Read<Vec<String>> {
        let list = match map.get(key) {
            None | Some(Value::Null) => return Read::Absent,
            Some(Value::Array(list)) => list,
            Some(_) => return self.unreadable(key, "a list"),
        };
        if list.len() > MAX_LIST {
            self.problem(key, &format!("only the first {MAX_LIST} entries count"));
        }
        let mut texts = Vec::with_capacity(list.len().min(MAX_LIST));
        for entry in list.iter().take(MAX_LIST) {
            match entry {
                Value::String(text) => texts.push(text.clone()),
                Value::Number(number) => texts.push(number.to_string()),
                _ => self.problem(key, "an entry is neither a text nor a number"),
            }
        }
        Read::Value(texts)
    }

    /// An allow-list; nobody is on one that cannot be read.
    pub(super) fn allow_list(&mut self, map: &Map<String, Value>, key: &str) -> Option<AllowList> {
        let (list, unusable) = AllowList::of(self.texts(map, key).or_safe(Vec::new())?);
        for entry in unusable {
            let shown: String = entry.escape_debug().take(80).collect();
            self.problem(key, &format!("`{shown}` is too long or hides characters; it lets nobody in"));
        }
        Some(list)
    }
}
