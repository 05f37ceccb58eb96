//! Where notes are cut.

use jiff::civil::date;

use super::*;

const MAX: usize = 1_600;

#[test]
fn every_heading_begins_a_passage_and_its_path_is_known() {
    let note = "# Garden\n\nThe gate is blue.\n\n## Plants\n\nRoses.\nTulips.\n\n# Money\nNone.\n";
    let told: Vec<_> =
        cut(note, MAX, None).into_iter().map(|p| (p.first, p.last, p.heading, p.text)).collect();
    let expected = [
        (1, 3, "Garden", "# Garden\n\nThe gate is blue."),
        (5, 8, "Garden › Plants", "## Plants\n\nRoses.\nTulips."),
        (10, 11, "Money", "# Money\nNone."),
    ];
    let expected: Vec<_> =
        expected.into_iter().map(|(a, b, h, t)| (a, b, h.to_owned(), t.to_owned())).collect();
    assert_eq!(told, expected);
}

#[test]
fn talk_is_told_by_speaker_and_dated_by_its_heading() {
    let note = "# Session 1, 1:56 pm on 8 May, 2023\n\nAnna: Hey Ben!\n**Ben**: Hi. Note: all is well.\nand more\n\
                - [10:45] Anna (work): Bye\nBen: bye\n";
    let [passage] = cut(note, MAX, None).try_into().unwrap();
    let told: Vec<_> =
        passage.lines.iter().map(|l| (l.speaker.as_deref().unwrap_or(""), l.words.as_str())).collect();
    assert_eq!(
        told,
        [
            ("Anna", "Hey Ben!"),
            ("Ben", "Hi. Note: all is well."),
            ("Ben", "and more"),
            ("Anna", "Bye"),
            ("Ben", "bye")
        ]
    );
    assert_eq!(passage.day, Some(date(2023, 5, 8)));
}

#[test]
fn labels_of_notes_are_nobody() {
    let note = "Decision: blue\nDecision: red\nTODO: x\nTODO: y\nhttps://a\nhttps://b\nthe: a\nthe: b\n";
    assert!(cut(note, MAX, None)[0].lines.iter().all(|line| line.speaker.is_none()));
}

#[test]
fn long_talk_is_cut_at_turns_and_nothing_is_lost() {
    let mut note = String::from("# Talk\n");
    for turn in 0..80 {
        let subject = ["harbour boats tide sails", "oven bread flour dough"][turn / 20 % 2];
        note.push_str(&format!(
            "{}: {subject} number {turn} of many words that are said\n",
            ["Anna", "Ben"][turn % 2]
        ));
    }
    let passages = cut(&note, MAX, None);
    assert!(passages.len() > 3);
    let mut next = 1;
    for passage in &passages {
        assert!(passage.text.chars().count() <= MAX, "{}", passage.text.len());
        assert_eq!(passage.first, next);
        next = passage.last + 1;
    }
    assert_eq!(next, 82);
    // The subject changes after line 21, 41 and 61: a cut stands there.
    assert!(
        passages.iter().any(|p| [21, 41, 61].contains(&p.last)),
        "{:?}",
        passages.iter().map(|p| p.last).collect::<Vec<_>>()
    );
}

#[test]
fn a_line_without_end_is_cut_into_parts() {
    let note = format!("x\n{}\ny", "word ".repeat(2_000));
    let passages = cut(&note, MAX, None);
    assert!(passages.iter().all(|p| p.text.chars().count() <= MAX));
    let words: usize = passages.iter().map(|p| p.text.matches("word").count()).sum();
    assert_eq!(words, 2_000);
    assert_eq!((passages[0].first, passages.last().unwrap().last), (1, 3));
}

#[test]
fn code_is_not_taken_for_headings_and_odd_text_does_no_harm() {
    assert_eq!(cut("```\n# not a heading\n```\n", MAX, None)[0].heading, "");
    for odd in ["", "\n\n\n", "#", "# ", "####### x", "\u{0}\u{1}", "[", "[x", ": :", "：", "- ", "\r\n\r\n"]
    {
        cut(odd, MAX, None);
    }
}

proptest::proptest! {
    #[test]
    fn whatever_is_written_no_passage_is_too_long_and_lines_only_grow(text in "(#{0,3} ?[a-zA-Z:é一 ]{0,60}\n?){0,40}", max in 8_usize..300) {
        let mut last = 0;
        for passage in cut(&text, max, None) {
            proptest::prop_assert!(passage.text.chars().count() <= max, "{passage:?}");
            proptest::prop_assert!(passage.first >= last && passage.last >= passage.first);
            last = passage.last;
        }
    }
}
