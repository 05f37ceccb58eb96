//! Marks taken out, whatever the cuts.

use proptest::prelude::*;

use super::{Directive, MAX_HELD, Piece, TagFilter};

/// What comes out: text, thinking, wishes.
#[derive(Debug, Default, PartialEq, Eq)]
struct Out {
    text: String,
    thinking: String,
    wishes: Vec<Directive>,
}

impl Out {
    fn take(&mut self, piece: Piece<'_>) {
        match piece {
            Piece::Text(text) => self.text.push_str(text),
            Piece::Thinking(text) => self.thinking.push_str(text),
            Piece::Wish(wish) => self.wishes.push(wish),
        }
    }
}

fn run(mut filter: TagFilter, pieces: &[&str]) -> Out {
    let mut out = Out::default();
    for piece in pieces {
        filter.push(piece, &mut |piece| out.take(piece));
        assert!(filter.held.len() <= MAX_HELD, "held {}", filter.held.len());
    }
    filter.finish(&mut |piece| out.take(piece));
    out
}

fn whole(text: &str) -> Out {
    run(TagFilter::default(), &[text])
}

#[test]
fn marks_are_taken_out_and_text_is_left() {
    let cases: &[(&str, &str, &str)] = &[
        ("hello", "hello", ""),
        ("<think>hm</think>hello", "hello", "hm"),
        ("<think>hm</think>\n\nhello", "hello", "hm"),
        ("a <think>hm</think> b", "a  b", "hm"),
        ("<THINKING type=\"x\">hm</THINKING>hello", "hello", "hm"),
        ("<thought>hm</thought>hello", "hello", "hm"),
        ("<antthinking>hm</antthinking>hello", "hello", "hm"),
        ("< think >hm< / think >hello", "hello", "hm"),
        ("<think/>hello", "hello", ""),
        ("<think>never closed", "", "never closed"),
        ("closed only</think> hello", "closed only hello", ""),
        ("<think>a<think>b</think>c", "c", "ab"),
        ("<think>a < b and <b>bold</b></think>c", "c", "a < b and <b>bold</b>"),
        ("<think>hm<final>hello</final>", "hello", "hm"),
        ("<final>hello</final>", "hello", ""),
        ("<thinker>hello</thinker>", "<thinker>hello</thinker>", ""),
        ("1 < 2 and <b>bold</b> <t", "1 < 2 and <b>bold</b> <t", ""),
        ("use `<think>` so", "use `<think>` so", ""),
        ("use ``a ` <think>`` so", "use ``a ` <think>`` so", ""),
        ("stray ` here\n<think>hm</think>x", "stray ` here\nx", "hm"),
        ("```xml\n<think>a</think>\n```\n<think>b</think>c", "```xml\n<think>a</think>\n```\nc", "b"),
        ("~~~\n<think>a</think>\n~~~\nc", "~~~\n<think>a</think>\n~~~\nc", ""),
        ("```\n```rust\n<think>\n```\nx", "```\n```rust\n<think>\n```\nx", ""),
        ("about ~5 <think>hm</think>x", "about ~5 x", "hm"),
        ("<tool_call>{\"name\":\"x\"}</tool_call>done", "done", ""),
        ("<tool_call>\n{\"name\":\"x\"}", "", ""),
        ("the <tool_call> tag is odd", "the <tool_call> tag is odd", ""),
        ("<function_calls><invoke name=\"x\"></invoke></function_calls>ok", "ok", ""),
        ("<｜tool▁calls▁begin｜>x<｜tool▁calls▁end｜>ok", "ok", ""),
        ("<|im_start|>hello<|im_end|>", "hello", ""),
        ("<|made_up|>hello", "<|made_up|>hello", ""),
        ("[TOOL_CALL]{\"a\":1}[/TOOL_CALL]ok", "ok", ""),
        ("[Tool Call: read (ID: 1)] ok", "ok", ""),
        ("[Historical context: a different model]\nhello", "hello", ""),
        ("[link](http://x) and [x]", "[link](http://x) and [x]", ""),
        ("a[0][1] = [[2]]", "a[0][1] = [[2]]", ""),
    ];
    for (said, text, thinking) in cases {
        let out = whole(said);
        assert_eq!((out.text.as_str(), out.thinking.as_str()), (*text, *thinking), "{said:?}");
    }
}

#[test]
fn wishes_are_heard_and_not_shown() {
    let cases: &[(&str, &str, &[Directive])] = &[
        ("[[reply_to_current]] hi", "hi", &[Directive::ReplyToCurrent]),
        ("[[ reply_to_current ]]hi", "hi", &[Directive::ReplyToCurrent]),
        ("[[reply_to: 42 ]]hi", "hi", &[Directive::ReplyTo("42".into())]),
        ("[[reply_to:]]hi", "[[reply_to:]]hi", &[]),
        ("[[audio_as_voice]]\nhi", "hi", &[Directive::AudioAsVoice]),
        ("hi [[tts]]", "hi ", &[Directive::Tts(String::new())]),
        ("[[tts:voice=a speed=1]]hi", "hi", &[Directive::Tts("voice=a speed=1".into())]),
        ("[[tts:text]]say this[[/tts:text]]hi", "hi", &[Directive::TtsText("say this".into())]),
        ("`[[reply_to_current]]`", "`[[reply_to_current]]`", &[]),
        ("[[wiki link]]", "[[wiki link]]", &[]),
    ];
    for (said, text, wishes) in cases {
        let out = whole(said);
        assert_eq!((out.text.as_str(), out.wishes.as_slice()), (*text, *wishes), "{said:?}");
    }
}

#[test]
fn a_filter_is_as_new_after_its_end() {
    let mut filter = TagFilter::default();
    let mut out = Out::default();
    filter.push("<think>a", &mut |piece| out.take(piece));
    filter.finish(&mut |piece| out.take(piece));
    filter.push("b", &mut |piece| out.take(piece));
    assert_eq!((out.text.as_str(), out.thinking.as_str()), ("b", "a"));
}

/// Texts made of what the filter looks for, and a little of everything else.
fn texts() -> impl Strategy<Value = String> {
    let part = prop_oneof![
        4 => prop::sample::select(vec![
            "<think>", "</think>", "<final>", "</final>", "<thinking a='1'>", "< / thought >", "<tool_call>",
            "</tool_call>", "{", "[TOOL_CALL]", "[/TOOL_CALL]", "[Tool Call: x]", "<|im_end|>",
            "<｜tool▁calls▁begin｜>", "<｜tool▁calls▁end｜>", "[[reply_to_current]]", "[[tts:text]]",
            "[[/tts:text]]", "[[", "]]", "`", "```", "````", "~~~", "\n", "\n```\n", " ", "<", "[", "|", ">", "/",
            "thi", "nk", "é", "｜",
        ]).prop_map(str::to_owned),
        1 => "[a-z \n]{0,6}",
        1 => any::<char>().prop_map(String::from),
    ];
    prop::collection::vec(part, 0..24).prop_map(|parts| parts.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn any_split_gives_the_same_as_none(text in texts(), cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..12)) {
        let filter = TagFilter::default;
        let bounds: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
        let mut cuts: Vec<usize> = cuts.iter().map(|cut| bounds[cut.index(bounds.len())]).collect();
        cuts.extend([0, text.len()]);
        cuts.sort_unstable();
        let pieces: Vec<&str> = cuts.windows(2).map(|pair| &text[pair[0]..pair[1]]).collect();
        prop_assert_eq!(run(filter(), &pieces), run(filter(), &[&text]));
        let letters: Vec<String> = text.chars().map(String::from).collect();
        let letters: Vec<&str> = letters.iter().map(String::as_str).collect();
        prop_assert_eq!(run(filter(), &letters), run(filter(), &[&text]));
    }

    #[test]
    fn text_without_marks_is_left_alone(text in "[a-zA-Z0-9 .,!?\n<>()`~*_éß-]{0,200}") {
        prop_assume!(!text.to_lowercase().contains("th") && !text.to_lowercase().contains("fi"));
        prop_assume!(!text.to_lowercase().contains("to") && !text.to_lowercase().contains("fu"));
        prop_assume!(!text.to_lowercase().contains("an"));
        prop_assert_eq!(whole(&text).text, text);
    }
}
