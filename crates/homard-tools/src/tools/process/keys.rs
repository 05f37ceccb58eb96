//! From the names of keys to what a process gets. Where there is no terminal in between, what a terminal would do
//! is done here: `Enter` is a line feed, `C-c` interrupts the group and `C-d` closes the input.

use homard_runtime::Clip;

/// What one key does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Press {
    Bytes(Vec<u8>),
    Interrupt,
    EndOfInput,
}

impl Press {
    /// What is sent to a terminal, which does the rest itself.
    pub(super) fn at_terminal(&self) -> &[u8] {
        match self {
            Self::Bytes(bytes) if bytes == b"\n" => b"\r",
            Self::Bytes(bytes) => bytes,
            Self::Interrupt => b"\x03",
            Self::EndOfInput => b"\x04",
        }
    }

    /// How many bytes are sent.
    pub(super) fn len(&self) -> usize {
        match self {
            Self::Bytes(bytes) => bytes.len(),
            Self::Interrupt | Self::EndOfInput => 0,
        }
    }
}

/// Why a text is not a key.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum KeyError {
    #[error("`{0}` is not a key: use names like Enter, Tab, Escape, Up, F1, C-c, M-x, or one character")]
    Unknown(String),
    #[error("`{0}` is not a byte in hexadecimal, like `1b`")]
    NotHex(String),
}

/// Names in lower case and what a terminal sends for them.
const NAMED: [(&str, &str); 34] = [
    ("backspace", "\u{7f}"),
    ("bspace", "\u{7f}"),
    ("cr", "\r"),
    ("dc", "\u{1b}[3~"),
    ("delete", "\u{1b}[3~"),
    ("down", "\u{1b}[B"),
    ("end", "\u{1b}[F"),
    ("enter", "\n"),
    ("escape", "\u{1b}"),
    ("esc", "\u{1b}"),
    ("f1", "\u{1b}OP"),
    ("f2", "\u{1b}OQ"),
    ("f3", "\u{1b}OR"),
    ("f4", "\u{1b}OS"),
    ("f5", "\u{1b}[15~"),
    ("f6", "\u{1b}[17~"),
    ("f7", "\u{1b}[18~"),
    ("f8", "\u{1b}[19~"),
    ("f9", "\u{1b}[20~"),
    ("f10", "\u{1b}[21~"),
    ("f11", "\u{1b}[23~"),
    ("f12", "\u{1b}[24~"),
    ("home", "\u{1b}[H"),
    ("insert", "\u{1b}[2~"),
    ("left", "\u{1b}[D"),
    ("npage", "\u{1b}[6~"),
    ("pagedown", "\u{1b}[6~"),
    ("pageup", "\u{1b}[5~"),
    ("ppage", "\u{1b}[5~"),
    ("return", "\n"),
    ("right", "\u{1b}[C"),
    ("space", " "),
    ("tab", "\t"),
    ("up", "\u{1b}[A"),
];

/// Reads a key.
pub(super) fn press(key: &str) -> Result<Press, KeyError> {
    let lower = key.to_lowercase();
    if let Some((_, sent)) = NAMED.iter().find(|(name, _)| *name == lower) {
        return Ok(Press::Bytes(sent.as_bytes().to_vec()));
    }
    let unknown = || KeyError::Unknown(key.clip_chars(32).to_owned());
    let control =
        lower.strip_prefix("c-").or_else(|| lower.strip_prefix("ctrl-")).or_else(|| lower.strip_prefix('^'));
    if let Some(letter) = control.filter(|letter| !letter.is_empty()) {
        return match letter.as_bytes() {
            b"c" => Ok(Press::Interrupt),
            b"d" => Ok(Press::EndOfInput),
            [byte @ (b'a'..=b'z' | b'[' | b'\\' | b']' | b'^' | b'_')] => Ok(Press::Bytes(vec![byte & 0x1f])),
            _ => Err(unknown()),
        };
    }
    if let Some(rest) = key.strip_prefix("M-").filter(|rest| rest.chars().count() == 1) {
        return Ok(Press::Bytes(format!("\u{1b}{rest}").into_bytes()));
    }
    if key.chars().count() == 1 { Ok(Press::Bytes(key.as_bytes().to_vec())) } else { Err(unknown()) }
}

/// Reads a byte in hexadecimal.
pub(super) fn hex(code: &str) -> Result<Press, KeyError> {
    let digits = code.trim().trim_start_matches("0x");
    match u8::from_str_radix(digits, 16) {
        Ok(byte) if digits.len() <= 2 && !digits.starts_with('+') => Ok(Press::Bytes(vec![byte])),
        _ => Err(KeyError::NotHex(code.clip_chars(32).to_owned())),
    }
}

#[cfg(test)]
mod tests;
