//! Markdown as rows, at several widths.

use homard_runtime::Clip as _;
use proptest::prelude::{prop_assert, proptest};

use super::{Theme, markdown};

fn rows(text: &str, width: usize) -> Vec<String> {
    let lines = markdown(text, width, Theme::new(false));
    lines.iter().map(|line| line.to_string().trim_end().to_owned()).collect()
}

#[test]
fn blocks_become_rows() {
    let cases: [(&str, &[&str]); 12] = [
        ("# Title\ntext *one* **two** `three`", &["Title", "", "text one two three"]),
        ("a\nb\n\nc", &["a", "b", "", "c"]),
        ("- one\n- two\n  - deep\n- three", &["• one", "• two", "  • deep", "• three"]),
        ("9. nine\n10. ten", &["9. nine", "10. ten"]),
        ("- [x] done\n- [ ] not", &["• [x] done", "• [ ] not"]),
        ("> quoted\n> more", &["▏ quoted", "▏ more"]),
        ("```rust\nfn main() {\n    x\n}\n```\nafter", &["│ fn main() {", "│     x", "│ }", "", "after"]),
        ("see [here](http://x.y) and <http://z>", &["see here (http://x.y) and http://z"]),
        ("![a cat](cat.png)", &["image: a cat (cat.png)"]),
        ("one  \ntwo", &["one", "two"]),
        ("<b>kept</b>", &["<b>kept</b>"]),
        ("- item\n\n  ```\n  code\n  ```", &["• item", "  │ code"]),
    ];
    for (text, wanted) in cases {
        assert_eq!(rows(text, 40), wanted, "{text:?}");
    }
}

#[test]
fn what_is_still_being_written_is_shown_as_far_as_it_goes() {
    let cases: [(&str, &[&str]); 4] = [
        ("```py\nx = 1", &["│ x = 1"]),
        ("some **bo", &["some **bo"]),
        ("| a | b |\n|---|", &["| a | b |", "|---|"]),
        ("- ", &[]),
    ];
    for (text, wanted) in cases {
        assert_eq!(rows(text, 40), wanted, "{text:?}");
    }
}

#[test]
fn tables_are_shown_as_they_fit() {
    let table = "| name | about |\n|---|---|\n| tea | green and hot |\n| coffee | black |";
    assert_eq!(
        rows(table, 40),
        ["name   │ about", "───────┼──────────────", "tea    │ green and hot", "coffee │ black"]
    );
    assert_eq!(
        rows(table, 18),
        ["name   │ about", "───────┼──────────", "tea    │ green and", "       │ hot", "coffee │ black"]
    );
    assert_eq!(
        rows(table, 12),
        ["name: tea", "about: green", "  and hot", "", "name: coffee", "about: black"]
    );
}

#[test]
fn rows_are_never_wider_than_the_screen() {
    let text = "# A heading that is long\n\n> quote\n> > deeper quote with words\n\n- a\n  - b\n    - c\n      - d\n        \
                - e\n          - f\n            - g with a longlonglonglonglongword\n\n```\n0123456789012345678901234567890\n```\n\n\
                | a | b | c | d | e |\n|-|-|-|-|-|\n| 1 | 2 | 3 | 4 | 5555555555555555 |";
    for width in [1, 2, 5, 10, 20, 40, 80] {
        for line in markdown(text, width, Theme::new(true)) {
            assert!(line.width() <= width.max(2), "{width}: {line}");
        }
    }
}

proptest! {
    #[test]
    fn no_text_makes_a_row_too_wide(text in "[-#>*`|\\[\\]()~_ \\n0-9a-z.日🦞]{0,200}", width in 2_usize..60) {
        for line in markdown(&text, width, Theme::new(true)) {
            prop_assert!(line.width() <= width, "{line}");
        }
    }
}

#[test]
fn marks_without_end_neither_blow_up_nor_take_forever() {
    let depth = 20_000;
    let hostile = [
        format!("{} {}", ">".repeat(depth), "word ".repeat(2_000)),
        format!("{}{}", "- ".repeat(depth), "word ".repeat(2_000)),
        format!("{}x", "*a **b ".repeat(depth / 2)),
        format!("```js\n'{}\n```", "\\'".repeat(depth)),
        format!("{}x", "[".repeat(depth)),
        format!("|{}|\n|{}|\n", "a|".repeat(500), "-|".repeat(500)),
    ];
    for text in hostile {
        let rows = markdown(&text, 40, Theme::new(true));
        let pieces: usize = rows.iter().map(|row| row.spans.len()).sum();
        assert!(pieces < 40 * text.len(), "{pieces} pieces for {}", text.clip_chars(20));
        assert!(rows.iter().all(|row| row.width() <= 44), "{}", text.clip_chars(20));
    }
}
