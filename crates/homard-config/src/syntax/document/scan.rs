//! The characters of JSON5: white space, comments, names and quoted texts.

/// Walks a text character by character, remembering the byte it is at.
pub(super) struct Scanner<'t> {
    text: &'t str,
    at: usize,
}

/// Whether a bare name may start with this character (or with an escape).
pub(super) fn starts_name(c: char) -> bool {
    c.is_alphabetic() || matches!(c, '_' | '$' | '\\')
}

fn continues_name(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '$' | '\\' | '\u{200c}' | '\u{200d}')
}

fn is_space(c: char) -> bool {
    c.is_whitespace() || c == '\u{feff}'
}

fn ends_line(c: char) -> bool {
    matches!(c, '\n' | '\r' | '\u{2028}' | '\u{2029}')
}

impl<'t> Scanner<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Self { text, at: 0 }
    }

    /// The byte the next character starts at.
    pub(super) fn at(&self) -> usize {
        self.at
    }

    fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or("")
    }

    pub(super) fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    pub(super) fn bump(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.at += c.len_utf8();
        Some(c)
    }

    /// Takes this character if it is next.
    pub(super) fn take(&mut self, wanted: char) -> bool {
        let found = self.peek() == Some(wanted);
        if found {
            self.at += wanted.len_utf8();
        }
        found
    }

    /// Takes characters as long as they fit.
    pub(super) fn take_while(&mut self, fits: impl Fn(char) -> bool) -> &'t str {
        let rest = self.rest();
        let end = rest.find(|c| !fits(c)).unwrap_or(rest.len());
        self.at += end;
        rest.get(..end).unwrap_or("")
    }

    /// Skips white space and comments.
    pub(super) fn skip_trivia(&mut self) -> Result<(), String> {
        loop {
            self.take_while(is_space);
            if self.rest().starts_with("//") {
                self.take_while(|c| !ends_line(c));
            } else if let Some(comment) = self.rest().strip_prefix("/*") {
                let end = comment.find("*/").ok_or("a comment that starts with `/*` is never closed")?;
                self.at += end + 4;
            } else {
                return Ok(());
            }
        }
    }

    /// A bare name.
    pub(super) fn name(&mut self) -> Result<String, String> {
        let mut name = String::new();
        while let Some(c) = self.peek().filter(|&c| continues_name(c)) {
            self.bump();
            if c != '\\' {
                name.push(c);
                continue;
            }
            if !self.take('u') {
                return Err("only \\u escapes can be used in a bare key".to_owned());
            }
            let escaped = self.unicode()?;
            if escaped == '\\' || !continues_name(escaped) {
                return Err("an escape in a bare key stands for a character that cannot be there".to_owned());
            }
            name.push(escaped);
        }
        Ok(name)
    }

    /// A text in single or double quotes.
    pub(super) fn string(&mut self) -> Result<String, String> {
        let quote = self.bump();
        let mut out = String::new();
        loop {
            match self.peek() {
                None => return Err("a quoted text is never closed".to_owned()),
                Some('\n' | '\r') => {
                    return Err("a quoted text ends at the end of the line; close its quote".to_owned());
                }
                Some('\\') => {
                    self.bump();
                    out.extend(self.escape()?);
                }
                c if c == quote => {
                    self.bump();
                    return Ok(out);
                }
                Some(c) => {
                    self.bump();
                    out.push(c);
                }
            }
        }
    }

    fn escape(&mut self) -> Result<Option<char>, String> {
        let c = self.bump().ok_or("a quoted text is never closed")?;
        Ok(Some(match c {
            'b' => '\u{8}',
            'f' => '\u{c}',
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            'v' => '\u{b}',
            '0' if !self.peek().is_some_and(|c| c.is_ascii_digit()) => '\0',
            '0'..='9' => return Err(format!("`\\{c}` is not an escape")),
            'x' => char::from_u32(self.hex(2)?).ok_or("`\\x` needs two hex digits")?,
            'u' => self.unicode()?,
            '\r' => {
                self.take('\n');
                return Ok(None);
            }
            c if ends_line(c) => return Ok(None),
            other => other,
        }))
    }

    /// The four digits after `\u`, and the second half of a pair where the first asks for one. A half alone
    /// becomes the replacement character.
    fn unicode(&mut self) -> Result<char, String> {
        let first = self.hex(4)?;
        if !(0xd800..0xdc00).contains(&first) || !self.rest().starts_with("\\u") {
            return Ok(char::from_u32(first).unwrap_or(char::REPLACEMENT_CHARACTER));
        }
        let before = self.at;
        self.at += 2;
        let second = self.hex(4)?;
        if (0xdc00..0xe000).contains(&second) {
            let both = 0x1_0000 + ((first - 0xd800) << 10) + (second - 0xdc00);
            return Ok(char::from_u32(both).unwrap_or(char::REPLACEMENT_CHARACTER));
        }
        self.at = before;
        Ok(char::REPLACEMENT_CHARACTER)
    }

    fn hex(&mut self, digits: usize) -> Result<u32, String> {
        let text = self.rest().get(..digits).filter(|t| t.chars().all(|c| c.is_ascii_hexdigit()));
        let value = text.and_then(|t| u32::from_str_radix(t, 16).ok());
        let value = value.ok_or_else(|| format!("an escape needs {digits} hex digits"))?;
        self.at += digits;
        Ok(value)
    }

    /// Where the scanner stands, as people count.
    pub(super) fn line_and_column(&self) -> (usize, usize) {
        let before = self.text.get(..self.at).unwrap_or(self.text);
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or("").chars().count() + 1;
        (line, column)
    }
}
