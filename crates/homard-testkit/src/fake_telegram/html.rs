//! The HTML of messages, really parsed: text and entities out, or the reason why not.

use serde_json::{Value, json};

/// Tags and the entity each makes.
const TAGS: &[(&str, &str)] = &[
    ("a", "text_link"),
    ("b", "bold"),
    ("blockquote", "blockquote"),
    ("code", "code"),
    ("del", "strikethrough"),
    ("em", "italic"),
    ("i", "italic"),
    ("ins", "underline"),
    ("pre", "pre"),
    ("s", "strikethrough"),
    ("span", "spoiler"),
    ("strike", "strikethrough"),
    ("strong", "bold"),
    ("tg-emoji", "custom_emoji"),
    ("tg-spoiler", "spoiler"),
    ("u", "underline"),
];

struct Open {
    tag: String,
    kind: &'static str,
    argument: Option<String>,
    at: usize,
}

/// Reads formatted text.
pub(super) fn parse(source: &str) -> Result<(String, Vec<Value>), String> {
    let mut reader = Reader { source, at: 0, text: String::new(), open: Vec::new(), entities: Vec::new() };
    while let Some(rest) = source.get(reader.at..).filter(|rest| !rest.is_empty()) {
        match rest.as_bytes().first() {
            Some(b'<') => reader.tag(rest)?,
            Some(b'&') => reader.escape(rest)?,
            Some(b'>') => return Err(format!("Unescaped \">\" at byte offset {}", reader.at)),
            _ => {
                let end = rest.find(['<', '&', '>']).unwrap_or(rest.len());
                reader.text.push_str(rest.get(..end).unwrap_or_default());
                reader.at += end;
            }
        }
    }
    match reader.open.last() {
        Some(open) => Err(format!("Can't find end tag corresponding to start tag \"{}\"", open.tag)),
        None => Ok((reader.text, reader.entities)),
    }
}

struct Reader<'s> {
    source: &'s str,
    at: usize,
    text: String,
    open: Vec<Open>,
    entities: Vec<Value>,
}

impl Reader<'_> {
    fn escape(&mut self, rest: &str) -> Result<(), String> {
        let wrong = || format!("Unescaped \"&\" at byte offset {}", self.at);
        let end = rest.find(';').filter(|end| *end <= 10).ok_or_else(wrong)?;
        let name = rest.get(1..end).unwrap_or_default();
        let character = match name {
            "lt" => Some('<'),
            "gt" => Some('>'),
            "amp" => Some('&'),
            "quot" => Some('"'),
            _ => name.strip_prefix('#').and_then(numbered),
        };
        self.text.push(character.ok_or_else(wrong)?);
        self.at += end + 1;
        Ok(())
    }

    fn tag(&mut self, rest: &str) -> Result<(), String> {
        let Some(end) = rest.find('>') else {
            return Err(format!("Unclosed start tag at byte offset {}", self.at));
        };
        let inside = rest.get(1..end).unwrap_or_default();
        match inside.strip_prefix('/') {
            Some(name) => self.close(&name.trim().to_ascii_lowercase())?,
            None => self.begin(inside)?,
        }
        self.at += end + 1;
        Ok(())
    }

    fn begin(&mut self, inside: &str) -> Result<(), String> {
        let (name, attributes) = inside.split_once(char::is_whitespace).unwrap_or((inside, ""));
        let name = name.to_ascii_lowercase();
        let unsupported = || format!("Unsupported start tag \"{name}\" at byte offset {}", self.at);
        let (_, kind) = TAGS.iter().find(|(tag, _)| *tag == name).ok_or_else(unsupported)?;
        if *kind == "blockquote" && self.open.iter().any(|open| open.kind == "blockquote") {
            return Err(format!("Blockquotes can't be nested, at byte offset {}", self.at));
        }
        let argument = self.argument(&name, attributes)?;
        self.open.push(Open { tag: name, kind, argument, at: self.here() });
        Ok(())
    }

    fn argument(&self, name: &str, attributes: &str) -> Result<Option<String>, String> {
        let bad = |what: &str| format!("Tag \"{name}\" {what} at byte offset {}", self.at);
        let value = |wanted: &str| -> Option<String> {
            let (key, value) = attributes.trim().split_once('=')?;
            let value = value.trim().strip_prefix('"')?.strip_suffix('"')?;
            (key.trim() == wanted && !value.contains('"')).then(|| value.to_owned())
        };
        match name {
            "a" => value("href").map(Some).ok_or_else(|| bad("needs href")),
            "tg-emoji" => value("emoji-id").map(Some).ok_or_else(|| bad("needs emoji-id")),
            "span" => match value("class").as_deref() {
                Some("tg-spoiler") => Ok(None),
                _ => Err(bad("must have class \"tg-spoiler\"")),
            },
            "code" if !attributes.trim().is_empty() => match value("class") {
                Some(class) if class.starts_with("language-") => Ok(Some(class)),
                _ => Err(bad("may only have a class that names a language")),
            },
            "blockquote" if attributes.trim() == "expandable" => Ok(None),
            _ if attributes.trim().is_empty() => Ok(None),
            _ => Err(bad("has attributes nobody documents")),
        }
    }

    fn close(&mut self, name: &str) -> Result<(), String> {
        let Some(open) = self.open.pop() else {
            return Err(format!("Unexpected end tag at byte offset {}", self.at));
        };
        if open.tag != name {
            return Err(format!(
                "Unmatched end tag at byte offset {}, expected \"</{}>\", found \"</{name}>\"",
                self.at, open.tag
            ));
        }
        let length = self.here() - open.at;
        // `<pre><code class="language-x">` is one entity with a language.
        let within_pre = open.tag == "code" && self.open.last().is_some_and(|outer| outer.tag == "pre");
        if within_pre {
            if let (Some(outer), Some(class)) = (self.open.last_mut(), open.argument) {
                outer.argument = class.strip_prefix("language-").map(str::to_owned);
            }
        } else if length > 0 {
            let mut entity = json!({"type": open.kind, "offset": open.at, "length": length});
            if let (Some(argument), Some(map)) = (open.argument, entity.as_object_mut()) {
                let key = match open.kind {
                    "text_link" => "url",
                    "custom_emoji" => "custom_emoji_id",
                    _ => "language",
                };
                map.insert(key.to_owned(), Value::String(argument));
            }
            self.entities.push(entity);
        }
        Ok(())
    }

    fn here(&self) -> usize {
        debug_assert!(self.at <= self.source.len(), "the reader stays inside its text");
        self.text.encode_utf16().count()
    }
}

fn numbered(digits: &str) -> Option<char> {
    let code = match digits.strip_prefix(['x', 'X']) {
        Some(hex) => u32::from_str_radix(hex, 16).ok()?,
        None => digits.parse().ok()?,
    };
    char::from_u32(code)
}

#[cfg(test)]
mod tests;
