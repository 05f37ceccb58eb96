//! One picture, one write. The sixteen colours are written as every terminal knows them: the library below spells them as
//! the first sixteen of 256, which terminals with sixteen take for something else.

use std::io::{self, Write};

const BEGIN: &[u8] = b"\x1b[";

/// Gathers a picture and writes it at once.
#[derive(Debug, Default)]
pub(super) struct FrameWriter {
    held: Vec<u8>,
}

impl Write for FrameWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.held.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.held.is_empty() {
            return Ok(());
        }
        let mut out = io::stdout().lock();
        out.write_all(&in_sixteen(&self.held))?;
        self.held.clear();
        out.flush()
    }
}

/// The same with every colour of the first sixteen in its short spelling.
fn in_sixteen(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    while let Some(at) = rest.windows(BEGIN.len()).position(|window| window == BEGIN) {
        let (before, after) = rest.split_at(at + BEGIN.len());
        out.extend_from_slice(before);
        let end = after.iter().position(|byte| !matches!(byte, b'0'..=b'9' | b';')).unwrap_or(after.len());
        let (numbers, left) = after.split_at(end);
        match left.first() {
            Some(b'm') => out.extend_from_slice(short(&String::from_utf8_lossy(numbers)).as_bytes()),
            _ => out.extend_from_slice(numbers),
        }
        rest = left;
    }
    out.extend_from_slice(rest);
    out
}

fn short(numbers: &str) -> String {
    let mut parts = numbers.split(';').peekable();
    let mut out: Vec<String> = Vec::new();
    while let Some(part) = parts.next() {
        let base = match part {
            "38" => 30,
            "48" => 40,
            _ => {
                out.push(part.to_owned());
                continue;
            }
        };
        let is_indexed = parts.next_if_eq(&"5").is_some();
        match parts.next_if(|_| is_indexed).map(str::parse::<u32>) {
            Some(Ok(color @ 0..8)) => out.push((base + color).to_string()),
            Some(Ok(color @ 8..16)) => out.push((base + 60 + color - 8).to_string()),
            Some(Ok(color)) => out.push(format!("{part};5;{color}")),
            _ => out.push(part.to_owned()),
        }
    }
    out.join(";")
}

#[cfg(test)]
mod tests {
    use super::in_sixteen;

    #[test]
    fn colours_are_written_as_every_terminal_knows_them() {
        let cases = [
            ("\x1b[38;5;6mcyan", "\x1b[36mcyan"),
            ("\x1b[38;5;9;49mx", "\x1b[91;49mx"),
            ("\x1b[0;48;5;15mx\x1b[H", "\x1b[0;107mx\x1b[H"),
            ("\x1b[38;5;200m", "\x1b[38;5;200m"),
            ("\x1b[38;2;1;2;3m", "\x1b[38;2;1;2;3m"),
            ("38;5;6m \x1b[3;4H \x1b[", "38;5;6m \x1b[3;4H \x1b["),
        ];
        for (bytes, wanted) in cases {
            assert_eq!(String::from_utf8(in_sixteen(bytes.as_bytes())).unwrap(), wanted);
        }
    }
}
