//! Whether we are meant, as tables.

use homard_channel::{Details, Quoted};
use proptest::prelude::proptest;

use super::{MentionPatterns, PatternSources, look};

fn patterns(written: &[&str]) -> MentionPatterns {
    let written: Vec<String> = written.iter().map(|&text| text.to_owned()).collect();
    MentionPatterns::compile(&PatternSources { everybody: Some(&written), ..PatternSources::default() })
}

fn named(name: &str, emoji: &str) -> MentionPatterns {
    MentionPatterns::compile(&PatternSources {
        name: Some(name),
        emoji: Some(emoji),
        ..PatternSources::default()
    })
}

#[test]
fn the_agents_name_and_emoji_are_found_as_words() {
    let rows = [
        ("Homard", "homard, hello", true),
        ("Homard", "hello HOMARD!", true),
        ("Homard", "@homard hello", true),
        ("Homard", "homard", true),
        ("Homard", "homards", false),
        ("Homard", "myhomard", false),
        ("Homard", "homard_2", false),
        ("Homard", "home", false),
        ("Homard", "", false),
        ("Homard", "ho\u{200b}mard", true),
        ("Homard", "\u{202e}homard", true),
        ("Ho\u{200b}mard", "homard", true),
        ("Homard", "hоmard", false),
        ("Homard", "🦞", true),
        ("Homard", "look: 🦞🦞", true),
        ("Homard", "a🦞b", true),
        ("Łukasz", "cześć łukasz", true),
        ("Łukasz", "łukaszek", false),
        ("Jean Luc", "hey jean luc", true),
        ("Jean Luc", "jean-luc", false),
        ("a.b", "axb", false),
        ("(", "a ( b", true),
        ("李", "李你好", false),
        ("李", "李, 你好", true),
    ];
    for (name, text, expected) in rows {
        assert_eq!(named(name, "🦞").matches(text), expected, "{name:?} {text:?}");
    }
    assert!(!named("", " ").matches("anything"));
}

#[test]
fn the_owners_patterns_are_found_whatever_their_case() {
    let rows = [
        (r"\bbot\b", "hey BOT", true),
        (r"\bbot\b", "robot", false),
        ("^hey ", "hey you", true),
        ("^hey ", "oh hey you", false),
        ("home?ard", "homard", true),
        (r"@\w+bot", "@lobsterbot hi", true),
        ("a|b", "xbx", true),
        ("bot", "b\u{200d}ot", true),
    ];
    for (pattern, text, expected) in rows {
        let found = patterns(&[pattern]);
        assert!(found.problems.is_empty(), "{:?}", found.problems);
        assert_eq!(found.matches(text), expected, "{pattern} {text:?}");
    }
}

#[test]
fn a_pattern_that_cannot_be_used_is_told_about_and_the_others_count() {
    let long = "x".repeat(2000);
    let bad = ["(", "[", "a{100000}{100000}", "(?<=x)y", "\\", &long, "x*", "", "((((((((((a{99}){99}){99})"];
    for pattern in bad {
        let found = patterns(&[pattern, "bot"]);
        assert_eq!(found.problems.len(), usize::from(!pattern.is_empty()), "{pattern}");
        assert!(found.matches("bot"), "{pattern}");
        assert!(!found.matches("nothing"), "{pattern}");
    }
    let many: Vec<&str> = (0..1000).map(|_| "bot").collect();
    assert_eq!(patterns(&many).problems.len(), 1);
}

#[test]
fn the_closest_list_counts_even_an_empty_one_and_the_platforms_is_added() {
    let list = |word: &str| vec![word.to_owned()];
    let (account, agent, everybody) = (list("account"), list("agent"), list("everybody"));
    let none: Vec<String> = Vec::new();
    let all = "account agent everybody name";
    let rows: [(PatternSources<'_>, &[&str]); 5] = [
        (PatternSources { name: Some("name"), ..PatternSources::default() }, &["name"]),
        (
            PatternSources { everybody: Some(&everybody), name: Some("name"), ..PatternSources::default() },
            &["everybody"],
        ),
        (
            PatternSources {
                agent: Some(&agent),
                everybody: Some(&everybody),
                name: Some("name"),
                ..PatternSources::default()
            },
            &["agent"],
        ),
        (PatternSources { agent: Some(&none), name: Some("name"), ..PatternSources::default() }, &[]),
        (
            PatternSources { account: Some(&account), name: Some("name"), ..PatternSources::default() },
            &["account", "name"],
        ),
    ];
    for (sources, expected) in rows {
        let found = MentionPatterns::compile(&sources);
        let words: Vec<&str> = all.split(' ').filter(|word| found.matches(word)).collect();
        assert_eq!(words, expected, "{sources:?}");
    }
}

#[test]
fn the_platform_a_reply_and_our_name_there_tell_too() {
    let ours = Some(Quoted { is_ours: true, ..Quoted::default() });
    let others = Some(Quoted::default());
    // What the platform says, what is answered to, our name there, the text, whether anybody can tell, whether we are meant.
    let rows = [
        (None, None, None, "hi", false, false),
        (Some(false), None, None, "hi", true, false),
        (Some(true), None, None, "hi", true, true),
        (Some(false), ours.clone(), None, "hi", true, true),
        (Some(false), others, None, "hi", true, false),
        (None, ours, None, "hi", false, true),
        (None, None, Some("homard_bot"), "hi @homard_bot", true, true),
        (None, None, Some("@Homard_Bot"), "hi @homard_bot!", true, true),
        (None, None, Some("homard"), "hi @homard_bot", true, false),
        (None, None, Some("homard"), "hi homard", true, false),
        (None, None, Some("homard"), "mail me@homard", true, false),
        (None, None, Some("homard"), "hi @ho\u{200b}mard", true, true),
        (Some(false), None, Some("homard"), "hi @homard", true, false),
        (None, None, Some(""), "@", false, false),
        (None, None, Some("@"), "@", false, false),
    ];
    for (mentions_us, reply_to, our_name, text, can_tell, is_meant) in rows {
        let details = Details { mentions_us, reply_to, ..Details::default() };
        let found = look(text, &details, our_name, &MentionPatterns::default());
        assert_eq!(
            (found.can_tell, found.is_meant),
            (can_tell, is_meant),
            "{mentions_us:?} {our_name:?} {text:?}"
        );
    }
}

#[test]
fn a_mention_behind_a_very_long_text_is_none() {
    let found = patterns(&["bot"]);
    assert!(found.matches(&format!("{}bot", "ä".repeat(1000))));
    assert!(!found.matches(&format!("{}bot", "ä".repeat(1_000_000))));
}

proptest! {
    #[test]
    fn no_text_and_no_pattern_breaks_it(pattern in ".*", text in ".*", name in ".*") {
        let found = patterns(&[&pattern]);
        let _found = found.matches(&text);
        let _named = look(&text, &Details::default(), Some(&name), &named(&name, &name));
    }
}
