//! Where the table goes.

use super::{BEGIN, EMPTY, END, between};

#[test]
fn a_table_replaces_what_is_between_the_markers_and_nothing_else() {
    let once = between(EMPTY, (BEGIN, END), "| a |\n").unwrap();
    assert!(once.ends_with("<!-- bench:begin -->\n| a |\n<!-- bench:end -->\n"), "{once}");
    assert!(once.starts_with("# Benchmarks\n"), "{once}");
    let twice = between(&once, (BEGIN, END), "| b |").unwrap();
    assert_eq!(twice, once.replace("| a |", "| b |"));
}

#[test]
fn a_document_without_markers_is_left_alone() {
    for document in ["", "text", "<!-- bench:end -->\n<!-- bench:begin -->"] {
        assert_eq!(between(document, (BEGIN, END), "x"), None, "{document}");
    }
}
