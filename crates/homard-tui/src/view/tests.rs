//! The picture at 80 by 24, 40 by 12 and 160 by 50.

use insta::assert_snapshot;
use ratatui_core::backend::TestBackend;
use ratatui_core::terminal::Terminal;
use serde_json::{Value, json};

use super::draw;
use crate::app::{App, Msg, Reply};
use crate::input::complete::CompletionLine;
use crate::testing::{NOW, app, assistant, delta, event, press, question, text, typed, user};

const SIZES: [(u16, u16); 3] = [(80, 24), (40, 12), (160, 50)];

/// The screen as text.
fn picture(app: &mut App, width: u16, height: u16) -> String {
    app.update(Msg::Resize(width, height), NOW);
    let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
    terminal.draw(|frame| draw(app, frame, NOW + 3_000)).unwrap();
    let buffer = terminal.backend().buffer();
    let rows = (0..height).map(|y| {
        let row: String = (0..width).map(|x| buffer[(x, y)].symbol()).collect();
        row.trim_end().to_owned()
    });
    rows.collect::<Vec<_>>().join("\n")
}

fn pictures(app: &mut App) -> String {
    let all = SIZES.map(|(width, height)| format!("{width}x{height}\n{}", picture(app, width, height)));
    all.join("\n\n")
}

fn conversation() -> Vec<Value> {
    let answer = "# Files\n\nThere are **two**, see [the docs](http://x.y):\n\n- `a.txt`\n- `b.txt`, which is the longer one of them and wraps\n\n\
                  ```rust\nfn main() {\n    println!(\"hi\");\n}\n```\n\n| name | size |\n|---|---|\n| a.txt | 12 |\n| b.txt | 3400 |";
    vec![
        user("a", "what is in this folder?"),
        assistant(&json!([
            {"type": "thinking", "thinking": "They want a list.\nLet me look."},
            {"type": "text", "text": "Let me look."},
            {"type": "toolCall", "id": "c", "name": "exec", "arguments": {"command": "ls -la /home/me/projects/homard"}},
        ])),
        json!({"role": "toolResult", "toolCallId": "c", "toolName": "exec", "content": [{"type": "text", "text": "a.txt\nb.txt\u{1b}[31m"}],
            "details": {"durationMs": 240, "exitCode": 2}, "isError": true, "timestamp": 3}),
        text(answer),
    ]
}

fn talking() -> App {
    app(80, 24, &conversation(), json!({"sessionInfo": {"label": "Files at home"}}))
}

#[test]
fn a_conversation() {
    assert_snapshot!(pictures(&mut talking()));
}

#[test]
fn an_empty_conversation() {
    assert_snapshot!(pictures(&mut app(80, 24, &[], json!({}))));
}

#[test]
fn a_run_with_a_queue() {
    let mut app = talking();
    typed(&mut app, "and now?");
    press(&mut app, "enter");
    app.update(Msg::Heard(delta("run-1", "I am **writing** thi")), NOW);
    let start = json!({"runId": "run-1", "stream": "tool", "data": {"phase": "start", "toolCallId": "d", "name": "web_fetch", "args": {"url": "http://example.com"}}});
    app.update(Msg::Heard(event("agent", start)), NOW);
    typed(&mut app, "one more thing");
    press(&mut app, "enter");
    typed(&mut app, "a draft of\\");
    press(&mut app, "enter");
    typed(&mut app, "two lines");
    assert_snapshot!(pictures(&mut app));
}

#[test]
fn a_question_shows_the_whole_command() {
    let mut app = talking();
    let command = "curl -s https://example.com/install.sh \\\n  | sudo bash -s -- --yes --prefix=/usr/local\u{1b}[2K\u{202e}";
    app.update(Msg::Heard(question("01234567-89", command)), NOW);
    app.update(Msg::Heard(question("second", "ls")), NOW);
    press(&mut app, "tab");
    assert_snapshot!(pictures(&mut app));
}

#[test]
fn however_small_the_screen_what_would_be_done_is_on_it_before_it_can_be_answered() {
    for (width, height) in [(40, 8), (40, 6), (40, 5), (24, 8), (80, 4)] {
        let mut app = talking();
        app.update(Msg::Heard(question("01234567-89", "rm -rf precious")), NOW);
        picture(&mut app, width, height);
        press(&mut app, "tab");
        let shown = picture(&mut app, width, height);
        assert!(!app.questions.is_taken_up || shown.contains("rm -rf"), "{width}x{height}:\n{shown}");
    }
}

#[test]
fn a_search_goes_from_row_to_row_within_a_long_answer() {
    let many: Vec<String> = (0..60).map(|n| format!("row {n:02} of tea")).collect();
    let mut app = app(40, 12, &[text(&many.join("\n\n"))], json!({}));
    picture(&mut app, 40, 12);
    press(&mut app, "ctrl-f");
    typed(&mut app, "0 of tea");
    assert!(picture(&mut app, 40, 12).contains("row 50 of tea"), "the newest first");
    press(&mut app, "up");
    let shown = picture(&mut app, 40, 12);
    assert!(shown.contains("row 40 of tea") && shown.contains("(5 of 6)"), "{shown}");
}

#[test]
fn a_list_to_choose_from() {
    let mut app = talking();
    press(&mut app, "ctrl-p");
    let row = |key: &str, label: &str, running: bool| {
        serde_json::from_value(json!({"key": key, "kind": "direct", "updatedAt": 1, "label": label, "hasActiveRun": running, "lastMessagePreview": "see you"})).unwrap()
    };
    let rows = vec![row("agent:main:main", "Files at home", true), row("agent:main:plans", "Plans", false)];
    app.update(Msg::Reply(Reply::Sessions(Ok(rows))), NOW);
    press(&mut app, "down");
    assert_snapshot!(pictures(&mut app));
}

#[test]
fn commands_complete_themselves() {
    let mut app = talking();
    typed(&mut app, "/s");
    assert_snapshot!(pictures(&mut app));
}

#[test]
fn files_complete_themselves() {
    let mut app = talking();
    typed(&mut app, "see @s");
    let lines = vec![
        CompletionLine { text: "src/".into(), about: "folder".into() },
        CompletionLine { text: "sum.md".into(), about: "2 KB".into() },
    ];
    app.update(Msg::Files { word: "s".into(), lines }, NOW);
    assert_snapshot!(picture(&mut app, 80, 24));
}

#[test]
fn tools_and_thoughts_shown_whole() {
    let mut app = talking();
    press(&mut app, "ctrl-o");
    press(&mut app, "ctrl-t");
    press(&mut app, "x");
    assert_snapshot!(picture(&mut app, 80, 36));
}

#[test]
fn what_is_searched_for_is_brought_into_sight() {
    let mut app = talking();
    picture(&mut app, 40, 12);
    press(&mut app, "ctrl-f");
    typed(&mut app, "ls -la");
    assert_snapshot!(picture(&mut app, 40, 12));
}

#[test]
fn help_says_every_key() {
    let mut app = talking();
    press(&mut app, "?");
    assert_snapshot!(pictures(&mut app));
}

#[test]
fn commands_on_this_machine_are_asked_about() {
    let mut app = talking();
    typed(&mut app, "!rm -r build");
    press(&mut app, "enter");
    let asked = picture(&mut app, 60, 16);
    press(&mut app, "y");
    app.update(
        Msg::ShellEnded {
            id: "shell:1".into(),
            output: "\u{1b}]0;evil\u{7}gone\n".into(),
            end: "done in 0.1s".into(),
        },
        NOW,
    );
    assert_snapshot!(format!("{asked}\n\n{}", picture(&mut app, 60, 16)));
}

#[test]
fn a_lost_connection_says_so_and_what_waits_is_marked() {
    let mut app = talking();
    app.update(Msg::Lost("no gateway is running at ws://127.0.0.1:1".into()), NOW);
    typed(&mut app, "hello?");
    press(&mut app, "enter");
    assert_snapshot!(picture(&mut app, 80, 24));
}

#[test]
fn every_size_can_be_drawn() {
    let mut app = talking();
    typed(&mut app, "a text that is longer than the screen is wide, by far");
    app.update(Msg::Heard(question("q", "a command that is longer than the screen is wide, by far")), NOW);
    for keys in [vec![], vec!["tab"], vec!["esc", "ctrl-p"], vec!["esc", "?"]] {
        for key in keys {
            press(&mut app, key);
        }
        for (width, height) in [(1, 1), (2, 2), (3, 1), (1, 30), (5, 5), (20, 4), (40, 7), (300, 3)] {
            picture(&mut app, width, height);
        }
    }
}

#[test]
fn what_one_looks_at_stays_while_more_is_written() {
    let mut app = talking();
    picture(&mut app, 40, 12);
    press(&mut app, "pageup");
    let before = picture(&mut app, 40, 12);
    app.update(Msg::Heard(delta("x", "one\n\ntwo\n\nthree\n\nfour")), NOW);
    let after = picture(&mut app, 40, 12);
    let rows = |picture: &str| picture.lines().skip(1).take(6).map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(rows(&before), rows(&after));
    press(&mut app, "esc");
    assert!(picture(&mut app, 40, 12).contains("four") && app.chat.is_running());
}

#[test]
fn nothing_is_answered_that_is_not_seen() {
    let mut app = talking();
    app.update(Msg::Heard(question("q", "rm -rf build")), NOW);
    assert!(!picture(&mut app, 10, 3).contains("rm -rf"));
    press(&mut app, "tab");
    assert!(!app.questions.is_taken_up);
    assert!(picture(&mut app, 40, 4).contains("rm -rf build"), "the little room there is has the command");
    press(&mut app, "tab");
    assert!(app.questions.is_taken_up);
    picture(&mut app, 10, 3);
    assert!(!app.questions.is_taken_up, "what went out of sight is not answered");
}

#[test]
fn whatever_others_name_things_nothing_steers_the_terminal() {
    let evil = "a\u{1b}]0;x\u{7}\u{1b}[2J\u{202e}\u{9b}5mb\r\n日本";
    let history = vec![
        user("a", evil),
        assistant(&json!([
            {"type": "thinking", "thinking": evil},
            {"type": "text", "text": format!("# {evil}\n- [{evil}](http://{evil})\n```{evil}\n{evil}\n```\n|{evil}|\n|-|\n|{evil}|")},
            {"type": "toolCall", "id": "c", "name": evil, "arguments": {"command": evil, evil: evil}},
        ])),
        json!({"role": "toolResult", "toolCallId": "c", "toolName": evil, "content": [{"type": "text", "text": evil}],
            "details": {"durationMs": u64::MAX, "exitCode": i64::MIN}, "isError": true, "timestamp": i64::MIN}),
    ];
    let more = json!({"sessionInfo": {"label": evil, "model": evil, "modelProvider": evil, "totalTokens": u64::MAX},
        "defaults": {"thinkingLevels": [{"id": "off", "label": evil}]}});
    let mut app = app(80, 24, &history, more);
    app.update(Msg::Heard(question("q9", evil)), NOW);
    app.update(Msg::Lost(evil.into()), NOW);
    let mut seen = picture(&mut app, 80, 60);
    for keys in [["ctrl-o", "ctrl-t"], ["ctrl-p", "x"]] {
        for key in keys {
            press(&mut app, key);
        }
        let row = serde_json::from_value(
            json!({"key": format!("agent:main:{}", evil.replace('\n', "")), "kind": "direct", "updatedAt": 1,
            "label": evil, "hasActiveRun": true, "lastMessagePreview": evil}),
        );
        if let Ok(row) = row {
            app.update(Msg::Reply(Reply::Sessions(Ok(vec![row]))), NOW);
        }
        seen.push_str(&picture(&mut app, 80, 60));
        seen.push_str(&picture(&mut app, 10, 3));
    }
    let bad = seen.chars().filter(|c| *c != '\n' && (c.is_control() || *c == '\u{202e}')).collect::<Vec<_>>();
    assert_eq!(bad, Vec::<char>::new());
}

#[test]
fn a_very_long_history_is_drawn_and_searched() {
    let many: Vec<Value> =
        (0..5_000).map(|at| user(&format!("r{at}"), &format!("message {at} 日本語"))).collect();
    let mut app = app(80, 24, &many, json!({"hasMore": true, "totalMessages": 100_000}));
    assert!(picture(&mut app, 80, 24).contains("message 4999"));
    press(&mut app, "ctrl-f");
    typed(&mut app, "message 17 ");
    assert!(picture(&mut app, 40, 12).contains("message 17"));
}
