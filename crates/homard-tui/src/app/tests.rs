//! What keys, events and answers ask for; nothing is drawn.

use homard_protocol::RunAnswer;
use homard_protocol::methods::chat::Attachment;
use serde_json::json;

use super::{AttachedFile, CallFailure, Effect, Greeting, Link, Msg, Overlay, Reply};
use crate::input::complete::CompletionLine;
use crate::testing::{HERE, NOW, app, delta, event, press, question, read, short, text, typed, user};

fn ready() -> super::App {
    app(80, 24, &[user("a", "hello"), text("hi")], json!({}))
}

/// With a run under way.
fn running() -> super::App {
    let mut app = ready();
    typed(&mut app, "go");
    press(&mut app, "enter");
    app.update(Msg::Reply(Reply::Sent { run: "run-1".into(), answer: Ok(RunAnswer::Started) }), NOW);
    app
}

#[test]
fn keys_ask_for_what_they_say() {
    let cases: [(&str, &[&str], &[&str]); 14] = [
        ("hi there", &["enter"], &["send: hi there"]),
        ("two", &["ctrl-j", "x", "enter"], &["send: two\nx"]),
        ("two\\", &["enter", "x", "enter"], &["send: two\nx"]),
        ("  ", &["enter"], &[]),
        ("/status", &["enter"], &["send: /status"]),
        ("/quit", &["enter"], &["Quit"]),
        ("/qu", &["enter"], &["Quit"]),
        ("/attach ~/x.png", &["enter"], &["Read { path: \"~/x.png\", instead: None }"]),
        ("!", &["enter"], &["send: !"]),
        (" !ls", &["enter"], &["send:  !ls"]),
        ("!ls", &["enter", "y"], &["Shell { id: \"shell:1\", command: \"ls\" }"]),
        ("!ls", &["enter", "n"], &[]),
        ("", &["ctrl-p"], &["Sessions"]),
        ("", &["ctrl-d"], &["Quit"]),
    ];
    for (words, keys, wanted) in cases {
        let mut app = ready();
        typed(&mut app, words);
        let effects: Vec<Effect> = keys.iter().flat_map(|key| press(&mut app, key)).collect();
        assert_eq!(short(&effects), wanted, "{words:?}");
    }
}

#[test]
fn while_a_run_goes_on_messages_wait_or_steer_and_escape_stops_it() {
    let mut app = running();
    typed(&mut app, "later");
    assert_eq!(short(&press(&mut app, "enter")), ["send: later"]);
    assert_eq!(app.chat.waiting.len(), 1);
    typed(&mut app, "now");
    assert_eq!(short(&press(&mut app, "ctrl-s")), ["send steer: now"]);
    assert_eq!(short(&press(&mut app, "alt-up")), ["take back run-1"]);
    typed(&mut app, "draft");
    assert_eq!(short(&press(&mut app, "esc")), ["abort"]);
    assert_eq!(app.composer.editor.text(), "draft\n\nlater\n\nnow");
}

#[test]
fn a_message_taken_back_can_be_written_anew() {
    let mut app = running();
    typed(&mut app, "later");
    press(&mut app, "enter");
    app.update(
        Msg::Reply(Reply::TakenBack { run: "run-1".into(), text: "later".into(), done: Ok(true) }),
        NOW,
    );
    assert_eq!((app.composer.editor.text(), app.chat.waiting.len()), ("later", 0));
}

#[test]
fn control_c_clears_first_and_leaves_when_pressed_twice() {
    let mut app = ready();
    typed(&mut app, "half a thought");
    assert!(press(&mut app, "ctrl-c").is_empty());
    assert!(app.composer.editor.is_empty());
    assert!(press(&mut app, "ctrl-c").is_empty());
    press(&mut app, "x");
    press(&mut app, "backspace");
    assert!(press(&mut app, "ctrl-c").is_empty());
    assert_eq!(short(&press(&mut app, "ctrl-c")), ["Quit"]);
    press(&mut app, "up");
    assert_eq!(app.composer.editor.text(), "half a thought");
}

#[test]
fn nobody_says_yes_by_typing_a_message() {
    let mut app = ready();
    app.update(Msg::Heard(question("q1", "rm -r x")), NOW);
    assert!(short(&typed(&mut app, "yes do a lot of it")).is_empty());
    press(&mut app, "ctrl-c");
    press(&mut app, "tab");
    assert!(press(&mut app, "x").is_empty());
    assert_eq!(short(&press(&mut app, "o")), ["decide q1 AllowOnce"]);
    // One press, one answer.
    assert!(press(&mut app, "o").is_empty());
    app.update(
        Msg::Reply(Reply::Decided { id: homard_protocol::ApprovalId::parse("q1").unwrap(), done: Ok(()) }),
        NOW,
    );
    assert!(app.questions.first().is_none());
}

#[test]
fn questions_are_answered_by_their_letters() {
    for (letter, wanted) in [
        ("a", "decide q1 AllowAlways"),
        ("d", "decide q1 Deny"),
        ("n", "decide q1 Deny"),
        ("y", "decide q1 AllowOnce"),
    ] {
        let mut app = ready();
        app.update(Msg::Heard(question("q1", "ls")), NOW);
        press(&mut app, "tab");
        assert_eq!(short(&press(&mut app, letter)), [wanted]);
    }
    let mut app = ready();
    app.update(Msg::Heard(question("q1", "ls")), NOW);
    let ended = json!({"id": "q1", "decision": "deny", "terminalReason": "timeout"});
    app.update(Msg::Heard(event("exec.approval.resolved", ended)), NOW);
    assert_eq!(app.notice.unwrap().text, "q1: nobody answered in time, which is a no");
}

#[test]
fn pickers_choose_what_was_narrowed_down() {
    let mut app = ready();
    press(&mut app, "alt-t");
    typed(&mut app, "hi");
    assert_eq!(short(&press(&mut app, "enter")), ["patch {\"thinkingLevel\":\"high\"}"]);
    press(&mut app, "ctrl-p");
    typed(&mut app, "plans");
    app.update(Msg::Reply(Reply::Sessions(Ok(Vec::new()))), NOW);
    let effects = short(&press(&mut app, "enter"));
    assert_eq!(effects.first().map(String::as_str), Some("watch agent:main:plans"));
    assert!(app.overlay.is_none() && !app.chat.loaded);
    press(&mut app, "ctrl-l");
    press(&mut app, "esc");
    assert!(app.overlay.is_none());
}

#[test]
fn a_lost_connection_is_told_and_everything_is_read_again_after_it() {
    let mut app = running();
    app.update(Msg::Lost("the gateway hung up".into()), NOW);
    assert_eq!(app.link, Link::Down("the gateway hung up".into()));
    let greeting = Greeting { main_session: "agent:other:main".into(), version: "1".into() };
    let effects = short(&app.update(Msg::Connected(greeting), NOW));
    assert_eq!(effects, [&format!("watch {HERE}"), "Questions", "history 60 None", "commands"]);
}

#[test]
fn what_is_written_without_a_connection_is_sent_when_there_is_one() {
    let mut app = ready();
    app.update(Msg::Lost("gone".into()), NOW);
    typed(&mut app, "are you there");
    assert!(press(&mut app, "enter").is_empty());
    let greeting = Greeting { main_session: HERE.into(), version: "1".into() };
    let effects = short(&app.update(Msg::Connected(greeting), NOW));
    assert_eq!(effects.last().map(String::as_str), Some("send: are you there"));
    let lost = CallFailure { words: "hung up".into(), is_lost: true };
    app.update(Msg::Reply(Reply::Sent { run: "run-1".into(), answer: Err(lost) }), NOW);
    assert!(!app.chat.is_running());
    assert_eq!(app.chat.resend(NOW).len(), 1);
}

#[test]
fn readings_of_the_history_are_shared_and_a_hole_is_filled() {
    let mut app = running();
    let end = |run: &str| event("chat", json!({"runId": run, "state": "final"}));
    assert_eq!(short(&app.update(Msg::Heard(end("run-1")), NOW)), ["history 60 None"]);
    app.update(Msg::Heard(delta("other", "x")), NOW);
    assert!(app.update(Msg::Missed, NOW).len() > 1);
    let page =
        crate::testing::page(&[user("z", "much later")], json!({"hasMore": true, "totalMessages": 500}));
    let reply = Reply::History { session: HERE.into(), limit: 60, offset: None, page: Ok(Box::new(page)) };
    assert_eq!(short(&app.update(Msg::Reply(reply), NOW)), ["history 200 None"]);
}

#[test]
fn files_are_attached_by_dragging_completing_and_naming() {
    let mut app = ready();
    let paste = |app: &mut super::App, text: &str| short(&app.update(Msg::Paste(text.to_owned()), NOW));
    assert_eq!(
        paste(&mut app, "'/tmp/a b.png'"),
        ["Read { path: \"/tmp/a b.png\", instead: Some(\"'/tmp/a b.png'\") }"]
    );
    app.update(Msg::File { file: Err("no file".into()), instead: Some("/etc".into()) }, NOW);
    assert_eq!(app.composer.editor.text(), "/etc");
    press(&mut app, "ctrl-c");
    assert_eq!(short(&typed(&mut app, "see @s")), ["List(\"\"", "List(\"s\""]);
    let lines = vec![
        CompletionLine { text: "src/".into(), about: String::new() },
        CompletionLine { text: "sum.md".into(), about: String::new() },
    ];
    app.update(Msg::Files { word: "s".into(), lines }, NOW);
    press(&mut app, "down");
    assert_eq!(short(&press(&mut app, "tab")), ["Read { path: \"sum.md\", instead: None }"]);
    assert_eq!(app.composer.editor.text(), "see @sum.md ");
    let wire = Attachment { file_name: Some("sum.md".into()), ..Attachment::default() };
    app.update(Msg::File { file: Ok(AttachedFile { bytes: 3, wire }), instead: None }, NOW);
    assert_eq!(short(&press(&mut app, "enter")), ["send +1: see @sum.md"]);
    assert!(app.composer.files.is_empty());
}

#[test]
fn what_is_pasted_is_text_without_anything_that_steers_the_terminal() {
    let mut app = ready();
    app.update(Msg::Paste("one\r\ntwo\rthree\u{1b}[2J".into()), NOW);
    assert_eq!(app.composer.editor.text(), "one\ntwo\nthree");
}

#[test]
fn a_command_on_this_machine_is_asked_about_once_and_offered_to_be_sent() {
    let mut app = ready();
    typed(&mut app, "!date");
    press(&mut app, "enter");
    assert!(matches!(&app.overlay, Some(Overlay::Consent(command)) if command == "date"));
    press(&mut app, "y");
    app.update(
        Msg::ShellEnded { id: "shell:1".into(), output: "today\u{1b}[0m\n".into(), end: "done".into() },
        NOW,
    );
    typed(&mut app, "!pwd");
    assert_eq!(short(&press(&mut app, "enter")), ["Shell { id: \"shell:2\", command: \"pwd\" }"]);
    assert_eq!(short(&press(&mut app, "esc")), ["StopShell"]);
    press(&mut app, "ctrl-x");
    assert_eq!(app.composer.editor.text(), "I ran `date` on my machine:\n\n```\ntoday\n```\n\n");
    // What ran here stays where it was when the conversation is read again.
    read(&mut app, &[user("a", "hello"), text("hi"), user("b", "more")], json!({}));
    let kinds: Vec<String> = app.chat.items().iter().map(|item| item.id.clone()).collect();
    assert_eq!(kinds, ["u:a", "a:a:0", "shell:1", "shell:2", "u:b"]);
}

#[test]
fn declined_commands_are_not_asked_about_again() {
    let mut app = ready();
    typed(&mut app, "!date");
    press(&mut app, "enter");
    press(&mut app, "n");
    typed(&mut app, "!date");
    assert!(press(&mut app, "enter").is_empty());
    assert!(app.overlay.is_none() && app.notice.unwrap().is_bad);
}

#[test]
fn another_conversations_news_are_not_shown() {
    let mut app = ready();
    let before = app.chat.items().len();
    let other = event(
        "chat",
        json!({"sessionKey": "agent:main:other", "runId": "x", "state": "delta", "deltaText": "secret"}),
    );
    app.update(Msg::Heard(other), NOW);
    assert_eq!(app.chat.items().len(), before);
    let reset = event("sessions.changed", json!({"reason": "reset"}));
    assert_eq!(short(&app.update(Msg::Heard(reset), NOW)), ["history 200 None"]);
    assert!(app.chat.items().is_empty());
}
