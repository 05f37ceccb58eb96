//! What a conversation hears of its commands.

use homard_exec::{Exit, Finished};
use serde_json::json;

use super::{is_worth_telling, words};
use crate::fixture::{World, address};
use crate::parts::Sessions;

fn finished(exit: Option<Exit>, tail: &str) -> Finished {
    Finished {
        scope: "agent:main:main".to_owned(),
        id: "ab12".to_owned(),
        line: "make\n  all".to_owned(),
        exit,
        tail: tail.to_owned(),
        output_bytes: tail.len() as u64,
    }
}

#[test]
fn only_ends_that_say_something_are_told() {
    let rows = [
        (Some(Exit::Exited(0)), "done", false, true),
        (Some(Exit::Exited(0)), " \n", false, false),
        (Some(Exit::Exited(0)), "", true, true),
        (Some(Exit::Exited(2)), "", false, true),
        (Some(Exit::Signalled(9)), "", false, true),
        (Some(Exit::TimedOut), "", false, true),
        (Some(Exit::TooManyProcesses), "", false, true),
        (Some(Exit::Cancelled), "words", true, false),
        (None, "", false, true),
    ];
    for (exit, tail, empty_too, wanted) in rows {
        assert_eq!(is_worth_telling(&finished(exit, tail), empty_too), wanted, "{exit:?} {tail:?}");
    }
}

#[test]
fn a_note_names_the_command_its_end_and_the_end_of_its_output() {
    let text = words(&finished(Some(Exit::Exited(2)), "\u{1b}no rule\n"));
    assert_eq!(
        text,
        "The command in the background ab12 (`make all`) ended with code 2. The end of its output:\nno rule"
    );
    assert!(words(&finished(Some(Exit::Exited(0)), "")).ends_with("is done."));
}

#[tokio::test]
async fn whether_a_conversation_hears_of_its_commands_is_the_owners_choice() {
    for (settings, heard) in [(json!({}), 1), (json!({"notifyOnExit": false}), 0)] {
        let world = World::new(json!({"tools": {"exec": settings}}));
        world.talker.says("hello");
        let run = world.asks("r1", "hi", &address("7")).await;
        world.ended(&run).await;
        let key = world.store.runs().get(&run).await.unwrap().unwrap().session_key;
        let ended = Finished { scope: key.to_string(), ..finished(Some(Exit::Exited(2)), "no") };
        Sessions::of(world.relay.downgrade().upgrade().unwrap()).hear_of(&ended);
        let waiting = || async { world.store.notes().waiting().await.unwrap().len() };
        while waiting().await < heard {
            tokio::task::yield_now().await;
        }
        assert_eq!(waiting().await, heard);
    }
}
