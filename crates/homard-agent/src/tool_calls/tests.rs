//! The size of recorded results.

use homard_protocol::UserBlock;
use homard_tools::ToolOutcome;

use super::{LEAST_BLOCK, MAX_RESULT, capped, result_room};

#[test]
fn a_result_has_room_for_a_third_of_the_context_at_most() {
    for (window, bytes) in [(16_000, 19_200), (200_000, 240_000), (1_000_000, MAX_RESULT)] {
        assert_eq!(result_room(window), bytes);
    }
}

#[test]
fn a_giant_result_is_cut_and_an_ordinary_one_is_not() {
    let giant = capped(ToolOutcome::text("x".repeat(5_000_000)), result_room(32_000));
    let text = giant.content[0].as_text().unwrap();
    assert!(text.len() <= result_room(32_000) && text.contains("left out"));
    let small = capped(ToolOutcome::text("fine"), result_room(32_000));
    assert_eq!(small.content, [UserBlock::text("fine")]);
}

#[test]
fn blocks_share_the_room() {
    let mut outcome = ToolOutcome::text("a".repeat(30_000));
    outcome.content.push(UserBlock::text("b".repeat(30_000)));
    let sizes: Vec<usize> =
        capped(outcome, 25_000).content.iter().map(|block| block.as_text().unwrap().len()).collect();
    assert!(sizes[0] <= 25_000 && sizes[1] <= LEAST_BLOCK, "{sizes:?}");
}
