//! What messages mean, as a table of cases, and what holds for any text.

use std::fmt::Write as _;

use proptest::prelude::{prop_assert, prop_assert_eq, proptest};
use serde_json::json;

use super::table::{
    COMMANDS, MenuEntry, PAGE_SIZE, Switch, available, command, is_taken, line, menu, menu_name, page,
};
use super::{
    Arg, Directive, Extent, Meaning, Rank, Reading, RequiredRank, Vocabulary, is_control, read, read_native,
};
use crate::queue::QueueMode;
use crate::written;

const CASES: &str = include_str!("cases.txt");

struct Words {
    triggers: Vec<String>,
    skills: Vec<String>,
    models: Vec<String>,
    aliases: Vec<String>,
}

fn words() -> Words {
    let own = |list: &[&str]| list.iter().map(|word| (*word).to_owned()).collect();
    Words {
        triggers: own(&["/new", "/reset", "fresh start"]),
        skills: own(&["weather"]),
        models: own(&[
            "anthropic/claude-sonnet-4-5",
            "openai/gpt-5",
            "openai/gpt-5-mini",
            "google/gemini-2.5-flash",
        ]),
        aliases: own(&["opus"]),
    }
}

fn reading(words: &Words) -> Reading<'_> {
    Reading {
        our_name: Some("homard"),
        reset_triggers: &words.triggers,
        skills: &words.skills,
        models: &words.models,
        aliases: &words.aliases,
        shell: true,
        ..Reading::default()
    }
}

fn arg<T>(name: &str, arg: &Arg<T>, show: impl Fn(&T) -> String) -> String {
    match arg {
        Arg::Asked => format!("{name}?"),
        Arg::Is(value) => format!("{name}={}", show(value)),
        Arg::Default => format!("{name}=default"),
        Arg::Unknown(word) => format!("{name}!{word}"),
    }
}

fn told(directive: &Directive) -> String {
    let name = directive.name();
    match directive {
        Directive::Think(a) => arg(name, a, |level| level.as_str().to_owned()),
        Directive::Verbose(a) => arg(name, a, |level| level.as_str().to_owned()),
        Directive::Reasoning(a) => arg(name, a, |level| level.as_str().to_owned()),
        Directive::Elevated(a) => arg(name, a, |level| level.as_str().to_owned()),
        Directive::Model(a) => arg(name, a, Clone::clone),
        Directive::Exec(a) => arg(name, a, |wish| {
            let known = [
                wish.host.as_ref().map(|host| format!("host:{host}")),
                wish.security.map(|security| format!("security:{security}")),
                wish.ask.map(|ask| format!("ask:{ask}")),
                wish.node.as_ref().map(|node| format!("node:{node}")),
            ];
            let known = known.into_iter().flatten();
            known.collect::<Vec<_>>().join(",")
        }),
        Directive::Queue(a) => arg(name, a, |wish| {
            let parts = [
                wish.mode.map(|mode| mode.as_str().to_owned()),
                wish.debounce.map(|quiet| format!("{}ms", homard_runtime::millis(quiet))),
                wish.cap.map(|cap| format!("cap {cap}")),
                wish.drop.map(|drop| format!("drop {}", drop.as_str())),
            ];
            parts.into_iter().flatten().collect::<Vec<_>>().join(",")
        }),
    }
}

fn describe(text: &str, meaning: &Meaning) -> String {
    if meaning.stop {
        return "stop".to_owned();
    }
    if let Some(call) = &meaning.command {
        assert_eq!(meaning.text, text);
        let kind = if call.command.is_some() { "cmd" } else { "skill" };
        let args = if call.args.is_empty() { String::new() } else { format!("|{}", call.args) };
        return format!("{kind}({}{args})", call.name);
    }
    let mut parts = Vec::new();
    if let Some(reset) = &meaning.reset {
        let model = reset.model.as_ref().map(|model| format!(" model={model}")).unwrap_or_default();
        parts.push(format!("reset({}{model})", reset.trigger));
    }
    parts.extend(meaning.directives.iter().map(told));
    parts.extend(meaning.shortcuts.iter().map(|name| format!("shortcut({name})")));
    if meaning.only_directives {
        assert_eq!(meaning.text, "");
        parts.push("only".to_owned());
    } else if parts.is_empty() {
        assert_eq!(meaning.text, text);
        parts.push("same".to_owned());
    } else {
        parts.push(format!("text \"{}\"", meaning.text));
    }
    parts.join(" ")
}

#[test]
fn every_message_of_the_table_means_what_the_table_says() {
    let words = words();
    let rows: Vec<&str> = CASES.lines().filter(|row| !row.starts_with('#')).collect();
    assert!(rows.len() >= 200, "{}", rows.len());
    let mut wrong = String::new();
    for row in rows {
        let (text, expected) = row.split_once(" => ").unwrap_or_else(|| panic!("{row}"));
        let text = text.replace("\\n", "\n");
        let found = describe(&text, &read(&text, &reading(&words))).replace('\n', "\\n");
        if found != expected {
            let _written = writeln!(wrong, "{row}\n    found {found}");
        }
    }
    assert!(wrong.is_empty(), "\n{wrong}");
}

#[test]
fn from_somebody_who_may_not_everything_is_text() {
    let words = words();
    let stranger = Reading { may_command: false, ..reading(&words) };
    for row in CASES.lines().filter(|row| !row.starts_with('#')) {
        let text = row.split_once(" => ").unwrap().0.replace("\\n", "\n");
        let meaning = read(&text, &stranger);
        assert_eq!(meaning, Meaning { text: text.clone(), ..Meaning::default() }, "{text}");
    }
}

#[test]
fn where_text_holds_no_commands_only_stopping_is_read_and_native_commands_are() {
    let words = words();
    let quiet = Reading { text_commands: false, ..reading(&words) };
    for (text, expected) in [
        ("/status", "same"),
        ("/think high hi", "same"),
        ("/new", "same"),
        ("/stop", "stop"),
        ("stop", "stop"),
    ] {
        assert_eq!(describe(text, &read(text, &quiet)), expected, "{text}");
    }
    for (text, expected) in
        [("/status", "cmd(status)"), ("/think high", "think=high only"), ("/new", "reset(/new) text \"\"")]
    {
        assert_eq!(describe(text, &read_native(text, &quiet)), expected, "{text}");
    }
}

#[test]
fn without_the_switch_an_exclamation_mark_is_only_loud() {
    let words = words();
    let mild = Reading { shell: false, ..reading(&words) };
    assert_eq!(describe("! ls", &read("! ls", &mild)), "same");
}

#[test]
fn without_a_name_every_addressee_is_us() {
    let meaning = read("/status@whoever", &Reading::default());
    assert_eq!(describe("/status@whoever", &meaning), "cmd(status)");
}

#[test]
fn messages_to_the_program_are_told_from_messages_to_the_model() {
    let words = words();
    let rows = [
        ("stop", true),
        ("/status", true),
        ("/new", true),
        ("/new hello", true),
        ("/think high", true),
        ("/weather Berlin", true),
        ("/status /help", true),
        ("/think high hello", false),
        ("hello /status", false),
        ("hello", false),
        ("", false),
    ];
    for (text, expected) in rows {
        let unknown = Reading { may_command: false, ..reading(&words) };
        assert_eq!(is_control(text, &unknown), expected, "{text}");
    }
}

#[test]
fn the_last_of_several_wishes_counts() {
    let words = words();
    let meaning = read("/think low /think high /queue steer /model opus go", &reading(&words));
    assert_eq!(meaning.thinking().map(super::ThinkingLevel::as_str), Some("high"));
    assert_eq!((meaning.queue_wish().mode, meaning.model()), (Some(QueueMode::Steer), Some("opus")));
    assert_eq!(read("go", &reading(&words)).queue_wish(), crate::queue::QueueOptions::default());
}

#[test]
fn a_configuration_says_which_words_there_are() {
    let config = written::config(&json!({
        "agents": { "defaults": { "model": "anthropic/claude-opus-4-6", "models": { "openai/gpt-5": { "alias": "gpt" } } } },
        "commands": { "bash": true }, "session": { "resetTriggers": ["/neu"] },
    }));
    let vocabulary = Vocabulary::of(&config);
    assert_eq!(vocabulary.aliases, ["gpt"]);
    assert!(vocabulary.models.contains(&"anthropic/claude-opus-4-6".to_owned()), "{:?}", vocabulary.models);
    let reading = vocabulary.reading(None, &[]);
    assert_eq!(describe("/neu gpt hi", &read("/neu gpt hi", &reading)), "reset(/neu model=gpt) text \"hi\"");
    assert_eq!(describe("! ls", &read("! ls", &reading)), "cmd(bash|ls)");
}

#[test]
fn the_table_is_alphabetical_and_no_name_is_used_twice() {
    assert!(COMMANDS.is_sorted_by_key(|command| command.name));
    let mut names: Vec<&str> =
        COMMANDS.iter().flat_map(|c| c.aliases.iter().copied().chain([c.name])).collect();
    let all = names.len();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), all);
    for command in COMMANDS {
        assert!(!command.help.is_empty() && !command.help.ends_with('.'), "{}", command.name);
    }
}

#[test]
fn who_may_use_a_command() {
    let rank = |may_command, is_owner, is_elevated| Rank { may_command, is_owner, is_elevated };
    let somebody = rank(true, false, false);
    let rows = [
        ("status", somebody, true),
        ("status", Rank::default(), false),
        ("config", somebody, false),
        ("config", rank(true, true, false), true),
        ("config", rank(false, true, true), false),
        ("send", somebody, false),
        ("activation", rank(true, true, false), true),
        ("elevated", somebody, false),
        ("elevated", rank(true, false, true), true),
        ("bash", rank(true, false, true), false),
        ("bash", rank(true, true, false), false),
        ("bash", Rank::OWNER, true),
    ];
    for (name, rank, expected) in rows {
        assert_eq!(command(name).unwrap().who.admits(rank), expected, "{name} {rank:?}");
    }
    assert_eq!(command("BASH").unwrap().who, RequiredRank::ElevatedOwner);
}

#[test]
fn commands_that_are_turned_off_are_not_offered() {
    let names = |written| -> Vec<&str> {
        available(&written::config(&written).commands).map(|command| command.name).collect()
    };
    let usual = names(json!({}));
    for hidden in ["bash", "config", "debug", "restart"] {
        assert!(!usual.contains(&hidden), "{hidden}");
    }
    assert!(names(json!({ "commands": { "restart": true } })).contains(&"restart"));
    assert_eq!(Switch::Restart.key(), "commands.restart");
}

#[test]
fn menus_take_names_a_platform_takes_and_no_name_twice() {
    let commands = written::config(&json!({})).commands;
    let entry = |name: &str, help: &str| MenuEntry { name: name.to_owned(), help: help.to_owned() };
    let own = [entry("/Back-Up", "save it"), entry("status", "mine"), entry("!!", "nothing")];
    let all = menu(&commands, &[entry("weather", "")], &own, 100);
    assert!(all.contains(&entry("back_up", "save it")) && all.contains(&entry("weather", "weather")));
    assert_eq!(all.iter().filter(|entry| entry.name == "status").count(), 1);
    assert!(
        all.iter().all(|entry| entry
            .name
            .chars()
            .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_'))
    );
    assert_eq!(menu(&commands, &[], &[], 3).len(), 3);
    let rows =
        [("export-session", Some("export_session")), ("Ä", None), ("a  b", Some("a_b")), ("_x_", Some("x"))];
    for (name, expected) in rows {
        assert_eq!(menu_name(name).as_deref(), expected, "{name}");
    }
    assert_eq!(menu_name(&"x".repeat(40)).unwrap().len(), 32);
}

#[test]
fn no_skill_takes_the_name_of_a_command() {
    for command in COMMANDS {
        assert!(
            std::iter::once(&command.name)
                .chain(command.aliases)
                .all(|name| is_taken(&name.replace('-', "_")))
        );
    }
    assert!(is_taken("tools") && !is_taken("weather"));
}

#[test]
fn lists_come_in_pages_of_eight() {
    let lines: Vec<String> = COMMANDS.iter().map(line).collect();
    let first = page(&lines, 0);
    assert!(first.starts_with("Commands, page 1 of ") && first.ends_with("/commands 2 for more"), "{first}");
    assert_eq!(first.lines().count(), PAGE_SIZE + 2);
    let last = page(&lines, 99);
    assert!(last.contains("/whoami — ") && !last.contains("for more"), "{last}");
    assert_eq!(page(&[], 1), "Commands, page 1 of 1:");
}

proptest! {
    #[test]
    fn a_text_without_slash_and_exclamation_mark_is_never_changed(text in "[^/!]{0,200}") {
        let words = words();
        let meaning = read(&text, &reading(&words));
        if !meaning.stop && meaning.reset.is_none() {
            prop_assert_eq!(meaning, Meaning { text, ..Meaning::default() });
        }
    }

    #[test]
    fn no_text_is_too_strange_to_be_read(text in "\\PC{0,200}") {
        let words = words();
        let _meaning = read(&text, &reading(&words));
    }

    #[test]
    fn words_are_only_taken_out_never_put_in(parts in proptest::collection::vec("(/think|/v|high|on|/opus|/status|hello|world|```|\n|: |/queue|cap:3|/exec|ask=off)", 0..12)) {
        let words = words();
        let text = parts.join(" ");
        let meaning = read(&text, &reading(&words));
        let mut before = text.split_whitespace();
        for word in meaning.text.split_whitespace() {
            prop_assert!(before.any(|known| known == word), "{:?} in {:?}", word, text);
        }
    }
}

#[test]
fn an_operators_message_is_a_command_only_when_it_is_nothing_else() {
    let rows = [
        ("/stop", Some(("stop", ""))),
        ("  /STOP \n", Some(("stop", ""))),
        ("/abort", Some(("stop", ""))),
        ("/stop@homard_bot", Some(("stop", ""))),
        ("/compact", Some(("compact", ""))),
        ("/compact keep the file names", Some(("compact", "keep the file names"))),
        ("/compact: keep", Some(("compact", "keep"))),
        ("/queue steer", None),
        ("/new hello there", Some(("new", "hello there"))),
        ("/dock-telegram", Some(("dock", "telegram"))),
        ("/dock_telegram", Some(("dock", "telegram"))),
        ("/dock-telegram now", None),
        ("/tell 1 hurry", Some(("steer", "1 hurry"))),
        ("/id", Some(("whoami", ""))),
        ("/export", Some(("export-session", ""))),
        ("/stop it", None),
        ("/home/me/file", None),
        ("/", None),
        ("stop", None),
        ("please /stop", None),
        ("", None),
        ("/help", Some(("help", ""))),
        ("/help me", None),
        ("/commands 2", Some(("commands", "2"))),
        ("/model list", Some(("models", ""))),
        ("/think high", None),
        ("! ls", Some(("bash", "ls"))),
        ("!!!", None),
    ];
    let words = words();
    let reading =
        Reading { extent: Extent::WholeMessage, our_name: None, reset_triggers: &[], ..reading(&words) };
    for (text, expected) in rows {
        let meaning = read(text, &reading);
        let called = meaning.command.as_ref().map(|call| (call.name.as_str(), call.args.as_str()));
        assert_eq!(called, expected, "{text}");
        assert!(!meaning.stop && meaning.reset.is_none() && meaning.shortcuts.is_empty(), "{text}");
    }
}

#[test]
fn an_operators_settings_are_kept_when_the_message_says_nothing_else_and_hold_for_it_otherwise() {
    let words = words();
    let reading =
        Reading { extent: Extent::WholeMessage, our_name: None, reset_triggers: &[], ..reading(&words) };
    let rows = [
        ("/think high", 1, ""),
        ("/think high /verbose on", 2, ""),
        ("/model gpt-5", 1, ""),
        ("/opus", 1, ""),
        ("/think high what is 2+2?", 1, "what is 2+2?"),
        ("what is /reasoning on 2+2?", 1, "what is 2+2?"),
        // Commands are for the program only when they are all of it.
        ("/think high /status", 1, "/status"),
        ("/elevated full do it", 0, "/elevated full do it"),
        ("what does /think do?", 0, "what does /think do?"),
        ("stop", 0, "stop"),
        ("think high", 0, "think high"),
    ];
    for (text, count, left) in rows {
        let meaning = read(text, &reading);
        assert_eq!((meaning.directives.len(), meaning.text.as_str()), (count, left), "{text}");
        assert_eq!(meaning.only_directives, left.is_empty(), "{text}");
    }
}
