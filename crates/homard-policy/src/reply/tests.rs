//! What is said aloud, as tables.

use proptest::prelude::{Strategy, any, prop, prop_oneof, proptest};

use super::{
    MAX_MEDIA, PrefixFacts, ReplyText, ReplyTo, ReplyToMode, Threader, audible, may_be_silent, normalise,
    split_media, was_said, with_prefix,
};

#[test]
fn silent_words_are_not_shown() {
    let cases = [
        ("hello", Some("hello")),
        ("  hello\n", Some("hello")),
        ("", None),
        (" \n\t", None),
        ("NO_REPLY", None),
        ("NO_REPLY.", None),
        ("NO_REPLY\n\nThe rest is for nobody.", None),
        ("NO_REPLY: nothing new", None),
        ("**NO_REPLY**", None),
        ("_NO_REPLY_", None),
        ("`NO_REPLY`", None),
        ("All done. NO_REPLY", None),
        ("All done. NO_REPLY.", None),
        ("All done.\n\nNO_REPLY\n", None),
        ("NO_REPLYING", Some("NO_REPLYING")),
        ("NO_REPLY_TODAY", Some("NO_REPLY_TODAY")),
        ("no_reply", Some("no_reply")),
        ("say NO_REPLY to be silent", Some("say NO_REPLY to be silent")),
        ("XNO_REPLY", Some("XNO_REPLY")),
        ("ANNOUNCE_SKIP", None),
        ("REPLY_SKIP\n", None),
        ("why ANNOUNCE_SKIP", Some("why ANNOUNCE_SKIP")),
        ("HEARTBEAT_OK", None),
        ("**HEARTBEAT_OK**", None),
        ("`HEARTBEAT_OK`", None),
        ("<b>HEARTBEAT_OK</b>", None),
        ("<p><i>HEARTBEAT_OK</i></p>", None),
        ("***HEARTBEAT_OK***.", None),
        ("HEARTBEAT_OK!!", None),
        ("HEARTBEAT_OK....", None),
        ("HEARTBEAT_OK HEARTBEAT_OK", None),
        ("HEARTBEAT_OK but the oven is on", Some("but the oven is on")),
        ("HEARTBEAT_OK. The oven is on.", Some("The oven is on.")),
        ("HEARTBEAT_OK **the oven** is on", Some("**the oven** is on")),
        ("**HEARTBEAT_OK: the oven is on**", Some("the oven is on")),
        ("**HEARTBEAT_OK** the oven is on", Some("the oven is on")),
        ("The oven is off. HEARTBEAT_OK.", Some("The oven is off.")),
        ("The oven is off. **HEARTBEAT_OK**", Some("The oven is off.")),
        ("The oven is off. <b>HEARTBEAT_OK</b>!", Some("The oven is off.")),
        ("The oven is off.\nHEARTBEAT_OK", Some("The oven is off.")),
        ("HEARTBEAT_OKAY", Some("HEARTBEAT_OKAY")),
        ("HEARTBEAT_OK_THEN", Some("HEARTBEAT_OK_THEN")),
        ("MY_HEARTBEAT_OK", Some("MY_HEARTBEAT_OK")),
        ("say HEARTBEAT_OK when done", Some("say HEARTBEAT_OK when done")),
        ("HEARTBEAT_OK NO_REPLY", None),
        ("1 < 2 HEARTBEAT_OK", Some("1 < 2")),
        ("<>HEARTBEAT_OK", Some("<>")),
        ("🦞 HEARTBEAT_OK 🦞", Some("🦞")),
    ];
    for (said, expected) in cases {
        assert_eq!(audible(said, None), expected, "{said:?}");
    }
}

#[test]
fn when_only_asked_to_look_a_short_word_that_all_is_well_is_silence() {
    assert_eq!(audible("HEARTBEAT_OK all quiet", Some(300)), None);
    assert_eq!(audible("all quiet", Some(300)), Some("all quiet"));
    let long = "x".repeat(300 + 1);
    assert_eq!(audible(&format!("{long} HEARTBEAT_OK"), Some(300)), Some(long.as_str()));
    let short = "é".repeat(300);
    assert_eq!(audible(&format!("{short} HEARTBEAT_OK"), Some(300)), None);
}

#[test]
fn a_beginning_that_may_be_silence_is_held_back() {
    for held in [
        "N",
        "NO",
        " NO_",
        "NO_REPLY",
        "NO_REPLY.",
        "NO_REPLY and",
        "HEART",
        "HEARTBEAT_OK",
        "HEARTBEAT_OK!",
        "ANNOUNCE_",
        "REPLY_SKIP",
        "**",
        "**HEART",
        "`NO_REP",
        "Done. NO_REPLY",
    ] {
        assert!(may_be_silent(held), "{held}");
    }
    for shown in ["", " ", "No", "NOT", "Hello", "NO_REPLYING", "HEARTBEAT_OK but", "**bold", "Done. NO_"] {
        assert!(!may_be_silent(shown), "{shown}");
    }
}

#[test]
fn the_silent_word_is_not_shown() {
    let text = Some;
    let cases = [
        ("hello", text("hello")),
        ("  hello\n", text("hello")),
        ("", None),
        (" \n", None),
        ("NO_REPLY", None),
        ("NO_REPLY.", None),
        ("All done. NO_REPLY", None),
        ("NO_REPLYING", text("NO_REPLYING")),
        ("say NO_REPLY to be silent", text("say NO_REPLY to be silent")),
        ("XNO_REPLY", text("XNO_REPLY")),
        ("ANNOUNCE_SKIP", None),
        ("REPLY_SKIP\n", None),
        ("why ANNOUNCE_SKIP", text("why ANNOUNCE_SKIP")),
        ("HEARTBEAT_OK", None),
        ("**HEARTBEAT_OK**", None),
        ("HEARTBEAT_OK!!", None),
        ("HEARTBEAT_OK but the oven is on", text("but the oven is on")),
        ("The oven is off. HEARTBEAT_OK.", text("The oven is off.")),
        ("HEARTBEAT_OKAY", text("HEARTBEAT_OKAY")),
        ("say HEARTBEAT_OK when done", text("say HEARTBEAT_OK when done")),
    ];
    for (said, expected) in cases {
        assert_eq!(audible(said, None), expected, "{said:?}");
    }
}

#[test]
fn media_lines_are_taken_out() {
    let cases: [(&str, &str, &[&str]); 26] = [
        ("hello", "hello", &[]),
        ("MEDIA:/tmp/a.png", "", &["/tmp/a.png"]),
        ("MEDIA: /tmp/a.png", "", &["/tmp/a.png"]),
        ("  MEDIA:./a.png  ", "", &["./a.png"]),
        ("`MEDIA:/tmp/a.png`", "", &["/tmp/a.png"]),
        ("MEDIA:`/tmp/a.png`", "", &["/tmp/a.png"]),
        ("MEDIA:\"/tmp/my cat.png\"", "", &["/tmp/my cat.png"]),
        ("MEDIA:/tmp/my cat.png", "", &["/tmp/my cat.png"]),
        ("MEDIA:/a.png /b.png", "", &["/a.png", "/b.png"]),
        ("MEDIA:`/a.png` `/b.png`", "", &["/a.png", "/b.png"]),
        ("MEDIA:https://example.org/a.png?x=1", "", &["https://example.org/a.png?x=1"]),
        ("MEDIA:HTTPS://example.org/a.png", "", &["HTTPS://example.org/a.png"]),
        ("MEDIA:file:///tmp/a.png", "", &["/tmp/a.png"]),
        ("MEDIA:~/a.png", "", &["~/a.png"]),
        ("MEDIA:C:\\cats\\a.png", "", &["C:\\cats\\a.png"]),
        ("MEDIA:cat.png", "", &["cat.png"]),
        ("look\nMEDIA:/a.png\nnice", "look\nnice", &["/a.png"]),
        ("look\n\nMEDIA:/a.png\n\nnice", "look\n\nnice", &["/a.png"]),
        ("MEDIA:/a.png\nMEDIA:/a.png\nMEDIA:/b.png", "", &["/a.png", "/b.png"]),
        ("```\nMEDIA:/a.png\n```", "```\nMEDIA:/a.png\n```", &[]),
        ("~~~\nMEDIA:/a.png\n~~~\nMEDIA:/b.png", "~~~\nMEDIA:/a.png\n~~~", &["/b.png"]),
        ("write MEDIA:/a.png to send", "write MEDIA:/a.png to send", &[]),
        ("MEDIA: is a word", "MEDIA: is a word", &[]),
        ("MEDIA:", "MEDIA:", &[]),
        ("MEDIA:javascript:alert(1)", "MEDIA:javascript:alert(1)", &[]),
        ("MEDIA:https://", "MEDIA:https://", &[]),
    ];
    for (said, text, media) in cases {
        let got = split_media(said);
        assert_eq!((got.0.as_str(), got.1.as_slice()), (text, owned(media).as_slice()), "{said:?}");
    }
}

fn owned(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

#[test]
fn an_answer_names_no_more_files_than_it_may() {
    let lines: Vec<String> = (0..MAX_MEDIA + 3).map(|n| format!("MEDIA:/{n}.png")).collect();
    let (text, media) = split_media(&lines.join("\n"));
    assert_eq!(media.len(), MAX_MEDIA);
    assert_eq!(text.lines().count(), 3);
}

#[test]
fn an_answer_is_taken_apart() {
    let aloud = |text: &str, media: &[&str]| {
        Some(ReplyText { text: text.to_owned(), media: owned(media), ..ReplyText::default() })
    };
    let cases = [
        ("hello", aloud("hello", &[])),
        ("NO_REPLY", None),
        ("", None),
        ("NO_REPLY\nMEDIA:/a.png", aloud("", &["/a.png"])),
        ("MEDIA:/a.png", aloud("", &["/a.png"])),
        ("Here.\nMEDIA:/a.png\nHEARTBEAT_OK", aloud("Here.", &["/a.png"])),
    ];
    for (said, expected) in cases {
        assert_eq!(normalise(said), expected, "{said:?}");
    }
}

#[test]
fn a_prefix_tells_what_is_known() {
    let facts = PrefixFacts {
        provider: Some("anthropic".to_owned()),
        model: Some("claude-opus-4-5-20251101".to_owned()),
        thinking: Some("high".to_owned()),
        name: Some("Claws".to_owned()),
    };
    let cases = [
        ("", "hi"),
        ("auto", "[Claws] hi"),
        (">>", ">> hi"),
        ("[{model}]", "[claude-opus-4-5] hi"),
        ("[{modelFull}]", "[anthropic/claude-opus-4-5-20251101] hi"),
        ("{provider}:", "anthropic: hi"),
        ("{thinkingLevel}/{think}", "high/high hi"),
        ("{identity.name}+{identityName}+{IDENTITY.NAME}", "Claws+Claws+Claws hi"),
        ("{unknown} {", "{unknown} { hi"),
        ("{{model}}", "{claude-opus-4-5} hi"),
        ("hi", "hi"),
    ];
    for (template, expected) in cases {
        assert_eq!(with_prefix(template, &facts, "hi"), expected, "{template:?}");
    }
    let nothing = PrefixFacts::default();
    assert_eq!(with_prefix("auto", &nothing, "hi"), "hi");
    assert_eq!(with_prefix("[{model}]", &nothing, "hi"), "[{model}] hi");
    assert_eq!(with_prefix("[{model}]", &facts, ""), "");
    assert_eq!(with_prefix("[x]", &facts, "[x] hi"), "[x] hi");
    for (model, name) in
        [("gpt-5-latest", "gpt-5"), ("a/b/llama-3", "llama-3"), ("m-12345678", "m"), ("m-1234", "m-1234")]
    {
        let facts = PrefixFacts { model: Some(model.to_owned()), ..PrefixFacts::default() };
        assert_eq!(with_prefix("{model}", &facts, "hi"), format!("{name} hi"));
    }
}

#[test]
fn a_repeat_is_noticed_through_case_space_and_pictures() {
    let sent = ["Dinner is at eight, see you there! 🎉", "ok"];
    let cases = [
        ("dinner is at  eight, see you there!", true),
        ("I told them: Dinner is at eight, see you there! Anything else?", true),
        ("Dinner is at eight", true),
        ("Dinner is at nine, see you", false),
        ("ok", false),
        ("", false),
    ];
    for (text, repeat) in cases {
        assert_eq!(was_said(&sent, text), repeat, "{text:?}");
    }
}

#[test]
fn replies_thread_as_the_owner_chose_and_as_the_model_wishes() {
    let id = |id: &str| Some(id.to_owned());
    let none = ReplyTo::None;
    let named = ReplyTo::Id("7".to_owned());
    // Mode, merged messages, and then: wish, part, what it replies to.
    type Asked<'a> = Vec<(&'a ReplyTo, usize, Option<String>)>;
    let cases: Vec<(ReplyToMode, usize, Asked<'_>)> = vec![
        (
            ReplyToMode::Off,
            1,
            vec![(&none, 0, None), (&ReplyTo::Current, 0, id("1")), (&ReplyTo::Current, 1, None)],
        ),
        (ReplyToMode::Off, 1, vec![(&named, 0, id("7")), (&named, 1, None), (&none, 0, None)]),
        (
            ReplyToMode::First,
            1,
            vec![(&none, 0, id("1")), (&none, 1, None), (&none, 0, None), (&named, 0, id("7"))],
        ),
        (ReplyToMode::First, 1, vec![(&named, 0, id("7")), (&none, 0, None)]),
        (
            ReplyToMode::All,
            1,
            vec![(&none, 0, id("1")), (&none, 1, id("1")), (&named, 0, id("7")), (&named, 1, id("7"))],
        ),
        (ReplyToMode::Batched, 1, vec![(&none, 0, None), (&named, 0, id("7"))]),
        (ReplyToMode::Batched, 3, vec![(&none, 0, id("1")), (&none, 1, None)]),
    ];
    for (mode, merged, asked) in cases {
        let mut threader = Threader::new(mode, id("1"), merged);
        for (wish, part, expected) in asked {
            assert_eq!(threader.reply_to(wish, part), expected, "{mode:?} {wish:?} {part}");
        }
    }
    assert_eq!(Threader::new(ReplyToMode::All, None, 1).reply_to(&ReplyTo::Current, 0), None);
}

proptest! {
    #[test]
    fn what_is_said_is_a_part_of_the_answer(text in answers(), asked in proptest::option::of(0usize..400)) {
        if let Some(said) = audible(&text, asked) {
            assert!(!said.is_empty() && text.contains(said));
            assert_eq!(audible(said, None), Some(said), "all is well is said once");
        }
    }

    #[test]
    fn words_are_never_lost_to_media_lines(text in answers()) {
        let (kept, media) = split_media(&text);
        let lines: Vec<&str> = kept.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
        let before: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
        assert!(lines.iter().all(|line| before.contains(line)));
        if media.is_empty() {
            assert_eq!(lines, before);
        }
    }

    #[test]
    fn a_template_without_names_is_itself(template in "[^{}]{0,20}", text in answers()) {
        let said = with_prefix(&template, &PrefixFacts::default(), &text);
        assert!(said.ends_with(&text));
    }

    #[test]
    fn silence_is_held_back_from_its_first_letter_on(word in prop::sample::select(vec!["NO_REPLY", "HEARTBEAT_OK", "REPLY_SKIP"])) {
        for end in 1..=word.len() {
            assert!(may_be_silent(&word[..end]), "{}", &word[..end]);
        }
    }
}

/// Texts made of what means something here.
fn answers() -> impl Strategy<Value = String> {
    let bits = prop_oneof![
        prop::sample::select(vec![
            "NO_REPLY",
            "HEARTBEAT_OK",
            "ANNOUNCE_SKIP",
            "MEDIA:",
            "MEDIA:/a.png",
            "\n",
            "```\n",
            "`",
            "**",
            "<b>",
            "</b>",
            "<",
            ">",
            "!",
            ".",
            " ",
            "_",
            "é",
            "🦞",
            "/x y.png",
            "\"",
            "https://x.org/a",
        ])
        .prop_map(str::to_owned),
        "[a-z]{1,6}",
        any::<char>().prop_map(String::from),
    ];
    prop::collection::vec(bits, 0..24).prop_map(|bits| bits.concat())
}
