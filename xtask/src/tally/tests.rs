//! What the runners print, and what it counts as.

use super::Tally;

#[test]
fn summary_lines_of_every_runner_are_counted() {
    let rows = [
        ("     Summary [   0.012s] 45 tests run: 45 passed, 3 skipped", (45, 0)),
        (
            "     Summary [   1.2s] 45 tests run: 42 passed (1 slow), 2 failed, 1 timed out, 0 skipped",
            (42, 3),
        ),
        ("     Summary [   0.1s] 1 test run: 1 passed, 0 skipped", (1, 0)),
        (
            "test result: ok. 5 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s",
            (5, 0),
        ),
        ("test result: FAILED. 5 passed; 2 failed; 0 ignored; 0 measured", (5, 2)),
        ("      Tests  12 passed (12)", (12, 0)),
        (
            "\u{1b}[2m      Tests \u{1b}[22m \u{1b}[1m\u{1b}[31m1 failed\u{1b}[39m | \u{1b}[32m11 passed\u{1b}[39m (12)",
            (11, 1),
        ),
        ("9 passed, 1 failed", (9, 1)),
        ("test result: ok. 1 passed; 0 failed\nfoo\ntest result: ok. 2 passed; 0 failed", (3, 0)),
        ("    test result: FAILED. 0 passed; 1 failed; 0 ignored", (0, 0)),
        ("ok    page opens\n----  x: SKIPPED: y\nFAIL  it looks right", (1, 1)),
        ("   Compiling xtask", (0, 0)),
        ("the rate limit passed, then it failed", (0, 0)),
    ];
    for (output, (passed, failed)) in rows {
        assert_eq!(Tally::read(output), Tally { passed, failed }, "{output}");
    }
}
