//! Commands that run on a node: words and refusals.

use homard_protocol::UserBlock;
use serde_json::{Value, json};

use super::{shortened, tell};

fn told(payload: &Value) -> (String, bool) {
    let outcome = tell("shed", payload);
    let text = outcome.content.iter().filter_map(|block| match block {
        UserBlock::Text { text } => Some(text.as_str()),
        _ => None,
    });
    (text.collect(), outcome.is_error)
}

#[test]
fn what_ran_on_a_node_is_told_like_what_ran_here() {
    for (payload, text, is_error) in [
        (json!({"exitCode": 0, "stdout": "hi\n"}), "hi\n", false),
        (json!({"exitCode": 0}), "(no output)", false),
        (json!({"exitCode": 3, "stderr": "no"}), "no\n\n(command exited with code 3)", false),
        (json!({"timedOut": true}), "(no output)\n\n(command timed out and was stopped)", true),
        (json!({"success": true, "stdout": "a", "stderr": "b"}), "a\nb", false),
        (json!("what?"), "(no output)\n\n(command did not run to its end)", true),
    ] {
        assert_eq!(told(&payload), (text.to_owned(), is_error), "{payload}");
    }
}

#[test]
fn long_output_keeps_its_beginning_and_its_end() {
    let text = format!("begin{}end", "é".repeat(40_000));
    let short = shortened(&text);
    assert!(short.starts_with("begin") && short.ends_with("end") && short.chars().count() < 31_000);
}
