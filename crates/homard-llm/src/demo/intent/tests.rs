//! Plain requests are understood, everything else is chat, nothing panics.

use proptest::prelude::{any, proptest};

use super::Intent;

#[test]
fn plain_requests_are_understood() {
    let run = |command: &str| Intent::Run(command.to_owned());
    let read = |path: &str| Intent::Read(path.to_owned());
    let remember = |fact: &str| Intent::Remember(fact.to_owned());
    let rows = [
        ("list the files here", Intent::ListFiles),
        ("Please list files", Intent::ListFiles),
        ("[Tue 2026-02-17 14:30 GMT+1] list the files here", Intent::ListFiles),
        ("ls", Intent::ListFiles),
        ("run `date`", run("date")),
        ("Run date.", run("date")),
        ("could you run `echo 'a b' | wc -c`?", run("echo 'a b' | wc -c")),
        ("run uname -a", run("uname -a")),
        ("run me through the history of the lobster trade", Intent::Chat),
        ("remember that I like tea.", remember("I like tea")),
        ("Please remember: the\nkey is under the mat", remember("the key is under the mat")),
        ("remember ", Intent::Chat),
        ("what do you remember?", Intent::Recall),
        ("read AGENTS.md", read("AGENTS.md")),
        ("show me `my notes.txt` please", read("my notes.txt")),
        ("show me src/main.rs!", read("src/main.rs")),
        ("read the room", Intent::Chat),
        ("show me a trick", Intent::Chat),
        ("What can you do?", Intent::Tour),
        ("how do I configure a model?", Intent::Configure),
        ("Hello!", Intent::Greet),
        ("hi there", Intent::Greet),
        ("history is fun", Intent::Chat),
        ("thank you so much", Intent::Thank),
        ("If nothing needs attention, reply HEARTBEAT_OK.", Intent::Heartbeat),
        ("", Intent::Chat),
        ("[unclosed", Intent::Chat),
    ];
    for (text, expected) in rows {
        assert_eq!(Intent::of(text), expected, "{text:?}");
    }
}

proptest! {
    #[test]
    fn no_text_makes_it_panic(text in any::<String>()) {
        drop(Intent::of(&text));
        for opening in ["run ", "read `", "remember that ", "[x] ", "please please show me "] {
            drop(Intent::of(&format!("{opening}{text}")));
        }
    }
}
