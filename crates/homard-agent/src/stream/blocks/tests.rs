//! Blocks cut and joined.

use proptest::prelude::*;

use super::{BlockChunker, BlockLimits, BreakAt, Coalescer};

fn limits(min: usize, max: usize, at: BreakAt) -> BlockLimits {
    BlockLimits { min, max, at, each_paragraph: false }
}

fn cut(limits: BlockLimits, pieces: &[&str]) -> Vec<String> {
    let mut chunker = BlockChunker::new(limits);
    let mut blocks: Vec<String> = pieces.iter().flat_map(|piece| chunker.push(piece)).collect();
    blocks.extend(chunker.finish());
    blocks
}

#[test]
fn blocks_are_cut_at_the_best_place() {
    use BreakAt::{Newline, Paragraph, Sentence};
    let cases: &[(BlockLimits, &str, &[&str])] = &[
        (limits(5, 50, Paragraph), "short", &["short"]),
        (limits(5, 50, Paragraph), "first part\n\nsecond part", &["first part", "second part"]),
        (limits(50, 90, Paragraph), "first part\n\nsecond part", &["first part\n\nsecond part"]),
        (limits(5, 50, Newline), "first. part\nsecond", &["first. part", "second"]),
        (limits(5, 50, Sentence), "First one. Second one.", &["First one.", " Second one."]),
        (limits(5, 10, Paragraph), "aaaa bbbb cccc", &["aaaa bbbb", "cccc"]),
        (limits(5, 10, Paragraph), "aaaaaaaaaabbbbbbbbbb", &["aaaaaaaaaa", "bbbbbbbbbb"]),
        (limits(2, 20, Paragraph), "```rs\na\nb\n```\n\nx", &["```rs\na\nb\n```", "x"]),
        (
            limits(2, 16, Paragraph),
            "```\naaaaa\nbbbbb\nccccc\n```",
            &["```\naaaaa\n```", "```\nbbbbb\n```", "```\nccccc\n```"],
        ),
        (limits(5, 10, Paragraph), "ééééé ééééé", &["ééééé", "ééééé"]),
        (limits(5, 50, Paragraph), " \n\n ", &[]),
    ];
    for (limits, text, expected) in cases {
        assert_eq!(cut(*limits, &[text]), *expected, "{text:?}");
    }
}

#[test]
fn paragraphs_can_be_blocks_of_their_own() {
    let limits = BlockLimits { each_paragraph: true, ..limits(100, 200, BreakAt::Paragraph) };
    assert_eq!(cut(limits, &["a\n", "\nb\n\n```\nc\n\nd\n```\n\ne"]), ["a", "b", "```\nc\n\nd\n```", "e"]);
}

#[test]
fn small_blocks_are_joined_until_they_are_long_enough() {
    let mut joining = Coalescer::new(limits(10, 20, BreakAt::Paragraph));
    assert_eq!(joining.put("one", None), []);
    assert_eq!(joining.idle(), None);
    assert_eq!(joining.put("two three", None), []);
    assert_eq!(joining.idle(), Some(("one\n\ntwo three".to_owned(), None)));
    assert_eq!(joining.put("four", None), []);
    assert_eq!(joining.put("five", Some("7")), [("four".to_owned(), None)]);
    assert_eq!(joining.put("a very long block indeed", Some("7")).len(), 2);
    assert_eq!(joining.flush(), None);
}

/// What is left of a text when white space and fences are taken away.
fn substance(text: &str) -> String {
    let lines = text.lines().filter(|line| !line.trim_start().starts_with("```"));
    lines.flat_map(str::chars).filter(|c| !c.is_whitespace()).collect()
}

fn texts() -> impl Strategy<Value = String> {
    let part = prop_oneof![
        Just("\n```rust\n".to_owned()),
        Just("\n```\n".to_owned()),
        Just("\n\n".to_owned()),
        Just("\n".to_owned()),
        Just(". ".to_owned()),
        "[a-zé ]{1,12}",
    ];
    prop::collection::vec(part, 0..40).prop_map(|parts| parts.concat())
}

proptest! {
    #[test]
    fn nothing_is_lost_and_nothing_is_too_long(
        text in texts(),
        min in 1_usize..40,
        more in 24_usize..60,
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..6),
    ) {
        let limits = limits(min, min + more, BreakAt::Paragraph);
        let bounds: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
        let mut cuts: Vec<usize> = cuts.iter().map(|cut| bounds[cut.index(bounds.len())]).collect();
        cuts.extend([0, text.len()]);
        cuts.sort_unstable();
        let pieces: Vec<&str> = cuts.windows(2).map(|pair| &text[pair[0]..pair[1]]).collect();
        let blocks = cut(limits, &pieces);
        for block in &blocks {
            prop_assert!(block.chars().count() <= limits.max, "{} > {}: {block:?}", block.chars().count(), limits.max);
        }
        prop_assert_eq!(substance(&blocks.join("\n")), substance(&text));
    }
}
