//! Keys and what they send.

use super::{Press, hex, press};

#[test]
fn keys_become_bytes_or_what_a_terminal_would_do() {
    let bytes = |text: &str| Some(Press::Bytes(text.as_bytes().to_vec()));
    let rows = [
        ("Enter", bytes("\n")),
        ("enter", bytes("\n")),
        ("Up", bytes("\u{1b}[A")),
        ("F12", bytes("\u{1b}[24~")),
        ("C-c", Some(Press::Interrupt)),
        ("^C", Some(Press::Interrupt)),
        ("Ctrl-D", Some(Press::EndOfInput)),
        ("C-a", bytes("\u{1}")),
        ("C-[", bytes("\u{1b}")),
        ("M-x", bytes("\u{1b}x")),
        ("q", bytes("q")),
        ("é", bytes("é")),
        ("^", bytes("^")),
        ("C-é", None),
        ("C-", None),
        ("", None),
        ("Hyper-x", None),
        ("F13", None),
    ];
    for (key, expected) in rows {
        assert_eq!(press(key).ok(), expected, "{key}");
    }
    let rows = [
        ("1b", Some(0x1b)),
        ("0x0A", Some(0x0a)),
        ("7", Some(7)),
        ("", None),
        ("100", None),
        ("+1", None),
        ("zz", None),
    ];
    for (code, expected) in rows {
        assert_eq!(hex(code).ok(), expected.map(|byte| Press::Bytes(vec![byte])), "{code}");
    }
}
