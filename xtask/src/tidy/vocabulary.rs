//! Forms that `homard-runtime` has a word for and clippy cannot see. What clippy can see is forbidden in `clippy.toml`.
//!
//! Only product code is looked at: a test may spell out what it expects.

use super::Finding;
use super::clone::SourceFile;

/// A form somebody makes by hand.
struct HandMade {
    text: &'static str,
    /// What stands later on the line, so that the text is that form.
    then: &'static str,
    instead: &'static str,
}

const HAND_MADE: [HandMade; 9] = [
    HandMade { text: ":02x}", then: "", instead: HEX },
    HandMade { text: ":02X}", then: "", instead: ESCAPED },
    HandMade { text: "== \"localhost\"", then: "", instead: HERE },
    HandMade { text: ".chars().take(", then: ").collect", instead: CLIP },
    HandMade { text: ".char_indices().nth(", then: "", instead: CLIP },
    HandMade { text: ".is_char_boundary(", then: "", instead: CLIP },
    HandMade { text: ".floor_char_boundary(", then: "", instead: CLIP },
    HandMade { text: "PoisonError", then: "", instead: LOCK },
    HandMade { text: "spawn_blocking(", then: "", instead: OFF_THREAD },
];

const HEX: &str = "use homard_runtime::hex";
const ESCAPED: &str = "use homard_http::escaped";
const HERE: &str = "use homard_http::is_this_machine";
const CLIP: &str = "use homard_runtime::Clip or brief";
const OFF_THREAD: &str = "use homard_runtime::off_thread, which does not grow the program with each use";
const LOCK: &str = "use homard_runtime::Mutex or RwLock, which need no such thing";

/// The owners, and those who do something else that looks alike.
const EXCEPTIONS: [(&str, &str); 7] = [
    ("crates/homard-runtime/", "owns the words, and looks for secrets in every spelling"),
    ("crates/homard-protocol/", "stands on nothing"),
    ("crates/homard-testkit/", "is no product"),
    ("crates/homard-channels/src/irc/plain.rs", "takes one character even where none fits"),
    ("crates/homard-exec/src/capture.rs", "splits a text in two and keeps both"),
    ("crates/homard-memory/src/local_model/tokenizer.rs", "names bytes as models do"),
    ("crates/homard-service/src/systemd.rs", "escapes one character as systemd does"),
];

/// Every hand-made form in a file of the product.
pub(super) fn check(file: &SourceFile) -> Vec<Finding> {
    let is_product = file.path.starts_with("crates/") && file.path.contains("/src/") && file.is_any(&[".rs"]);
    if !is_product || file.is_test() || EXCEPTIONS.iter().any(|(path, _why)| file.path.starts_with(path)) {
        return Vec::new();
    }
    let tested = |line: &str| line.trim() == "#[cfg(test)]" || line.trim() == "#[test]";
    let lines = file.code_lines().take_while(|(_, line)| !tested(line));
    let found = lines.flat_map(|(number, line)| {
        let made = HAND_MADE.iter().filter(move |form| is_made(form, line));
        made.map(move |form| Finding::new(format!("{}:{number}", file.path), form.instead))
    });
    found.collect()
}

fn is_made(form: &HandMade, line: &str) -> bool {
    // Between the two stands an argument and nothing else.
    line.split(form.text).skip(1).any(|rest| {
        form.then.is_empty()
            || rest.split_once(form.then).is_some_and(|(argument, _)| !argument.contains(").map("))
    })
}

#[cfg(test)]
mod tests {
    use super::{HAND_MADE, check};
    use crate::tidy::clone::SourceFile;

    fn found(path: &str, line: &str) -> Vec<String> {
        let text = format!("//! x\n{line}\n");
        check(&SourceFile { path: path.to_owned(), text }).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn every_hand_made_form_is_found_in_the_product_alone() {
        for form in &HAND_MADE {
            let line = format!("let a = x{}9{}();", form.text, form.then);
            let said = found("crates/homard-x/src/a.rs", &line);
            assert_eq!(said, [format!("crates/homard-x/src/a.rs:2: {}", form.instead)]);
            for elsewhere in
                ["crates/homard-x/src/a/tests.rs", "crates/homard-runtime/src/a.rs", "xtask/src/a.rs"]
            {
                assert!(found(elsewhere, &line).is_empty(), "{elsewhere}");
            }
            assert!(found("crates/homard-x/src/a.rs", &format!("#[cfg(test)]\n{line}")).is_empty());
        }
    }

    #[test]
    fn what_only_looks_alike_is_left() {
        for line in ["text.chars().take(9).map(plain).collect()", "text.chars().take_while(plain).collect()"]
        {
            assert!(found("crates/homard-x/src/a.rs", line).is_empty(), "{line}");
        }
    }
}
