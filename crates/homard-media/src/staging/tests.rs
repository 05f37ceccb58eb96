//! Under which names files are kept.

use super::file_name;

#[test]
fn names_can_do_no_harm() {
    let rows = [
        ("report.pdf", "application/pdf", "-report.pdf"),
        ("../../etc/passwd", "text/plain", "-passwd.txt"),
        ("C:\\x\\evil.sh", "text/plain", "-evil.sh"),
        ("\u{202e}gpj.exe", "image/png", "-gpj.exe"),
        ("", "audio/ogg", ".ogg"),
        (".bashrc", "text/plain", ".bashrc"),
        ("naïve né.TXT", "text/plain", "-naven.txt"),
    ];
    for (said, mime, end) in rows {
        let name = file_name(b"x", said, mime);
        assert!(name.ends_with(end), "{said}: {name}");
        assert!(name.starts_with("2d711642b726b04401627ca9"), "{name}");
        assert!(!name.contains(['/', '\\']) && name.is_ascii(), "{name}");
    }
    assert!(file_name(b"x", &"a".repeat(500), "x/y").len() < 120);
}
