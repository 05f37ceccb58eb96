//! Any text may be said, and where it is cut does not matter.
#![no_main]

use homard_agent::{Piece, TagFilter};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: (u8, &str)| {
    let (size, text) = data;
    let size = usize::from(size % 16) + 1;
    let letters: Vec<char> = text.chars().collect();
    let pieces: Vec<String> = letters.chunks(size).map(|piece| piece.iter().collect()).collect();
    assert_eq!(said(&[text.to_owned()]), said(&pieces));
});

fn said(pieces: &[String]) -> (String, String, Vec<String>) {
    let mut out = (String::new(), String::new(), Vec::new());
    let mut filter = TagFilter::default();
    let mut put = |piece: Piece<'_>| match piece {
        Piece::Text(text) => out.0.push_str(text),
        Piece::Thinking(text) => out.1.push_str(text),
        Piece::Wish(wish) => out.2.push(format!("{wish:?}")),
    };
    for piece in pieces {
        filter.push(piece, &mut put);
    }
    filter.finish(&mut put);
    out
}
