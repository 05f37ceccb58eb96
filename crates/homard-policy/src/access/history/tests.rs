//! What was said before we were meant.

use super::{GroupHistory, MAX_CHARS, MAX_GROUPS, OverheardMessage};

fn remark(text: &str) -> OverheardMessage {
    OverheardMessage {
        sender: "ada".to_owned(),
        text: text.to_owned(),
        timestamp: 1,
        message_id: text.to_owned(),
    }
}

fn texts(history: &GroupHistory, group: &str) -> Vec<String> {
    history.pending(group).into_iter().map(|remark| remark.text).collect()
}

#[test]
fn the_newest_words_of_a_group_wait_until_we_spoke() {
    let mut history = GroupHistory::default();
    for text in ["1", "2", "3", "4"] {
        history.keep("g", remark(text), 3);
    }
    history.keep("other", remark("x"), 3);
    assert_eq!(texts(&history, "g"), ["2", "3", "4"]);
    assert_eq!(texts(&history, "g"), ["2", "3", "4"], "looking does not take away");
    history.clear("g");
    assert!(texts(&history, "g").is_empty());
    assert_eq!(texts(&history, "other"), ["x"]);
}

#[test]
fn a_limit_of_none_keeps_nothing_and_forgets_what_was_kept() {
    let mut history = GroupHistory::default();
    history.keep("g", remark("1"), 50);
    history.keep("g", remark("2"), 0);
    assert!(texts(&history, "g").is_empty());
}

#[test]
fn memory_is_bounded_in_every_direction() {
    let mut history = GroupHistory::default();
    for n in 0..MAX_GROUPS {
        history.keep(&format!("g{n}"), remark("x"), 1);
    }
    history.keep("g0", remark("again"), 1);
    history.keep("one more", remark("x"), 1);
    assert_eq!(history.groups.len(), MAX_GROUPS);
    assert_eq!(texts(&history, "g0"), ["again"], "what was used lately stays");
    assert!(texts(&history, "g1").is_empty());
    history.keep("long", remark(&"ä".repeat(MAX_CHARS * 2)), usize::MAX);
    assert_eq!(history.pending("long")[0].text.chars().count(), MAX_CHARS);
}
