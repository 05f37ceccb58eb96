//! Which comments are missing, and which say nothing.

use super::check;
use crate::tidy::clone::SourceFile;

fn places(path: &str, text: &str) -> Vec<String> {
    let found = check(&SourceFile { path: path.to_owned(), text: text.to_owned() });
    found.into_iter().map(|finding| finding.place).collect()
}

#[test]
fn a_comment_of_three_words_on_a_field_or_variant_is_refused() {
    let text = "\
//! x
/// One thing.
struct Thing {
    /// Whose it is.
    owner: String,
    /// Whose it is, once it was given away.
    heir: String,
    /// The name.
    #[serde(rename = \"[\")]
    pub(crate) name: String,
    /// Two lines.
    /// Short ones.
    lines: u8,
}
enum Choice {
    /// Yes.
    Yes,
    /// Some of them.
    Some {
        /// How many.
        count: u8,
    },
    /// A number.
    Number(u8),
}
impl Thing {
    /// The owner.
    fn owner(&self) -> &str {}
    /// The limit.
    const LIMIT: u8 = 3;
}
";
    let expected = [4, 8, 16, 18, 20, 23].map(|line| format!("crates/a/src/lib.rs:{line}"));
    assert_eq!(places("crates/a/src/lib.rs", text), expected);
    assert_eq!(places("web/src/lib.rs", text), Vec::<String>::new());
}

#[test]
fn comments_that_are_read_elsewhere_stay() {
    let settings = "#[derive(Debug, JsonSchema)]\nstruct Section {\n    /// The port.\n    port: u16,\n}\n";
    assert_eq!(places("crates/homard-config/src/raw/a.rs", settings), Vec::<String>::new());
    assert_eq!(places("crates/homard-protocol/src/a.rs", settings), ["crates/homard-protocol/src/a.rs:3"]);
    let help =
        "#[derive(Args)]\nstruct ListArgs {\n    /// Print JSON\n    #[arg(long)]\n    json: bool,\n}\n";
    assert_eq!(places("crates/homard/src/commands/a.rs", help), Vec::<String>::new());
    let after = "#[derive(Args)]\nstruct A {\n}\nstruct B {\n    /// The port.\n    port: u16,\n}\n";
    assert_eq!(places("crates/a/src/lib.rs", after), ["crates/a/src/lib.rs:5"]);
}

#[test]
fn what_others_can_see_says_what_it_is() {
    let rows = [
        ("pub struct Thing;", true),
        ("pub async fn go() {}", true),
        ("pub const fn go() {}", true),
        ("pub const LIMIT: u8 = 1;", true),
        ("pub trait Port {", true),
        ("/// A thing.\n#[derive(Debug)]\npub struct Thing;", false),
        ("pub(crate) struct Thing;", false),
        ("fn go() {}", false),
        ("pub mod thing;", false),
        ("pub use thing::Thing;", false),
        ("struct A {\n    pub name: u8,\n}", false),
        ("pub struct $name;", false),
    ];
    for (text, is_found) in rows {
        assert_eq!(!places("crates/a/src/lib.rs", text).is_empty(), is_found, "{text}");
    }
}
