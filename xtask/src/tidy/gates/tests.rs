//! What the gates see, and when they speak up.

use super::code::{Code, functions, methods, structs, tuple_parameters, visible_types};
use super::{Gate, Measured, folders, judge, measure};
use crate::tidy::clone::SourceFile;

const SOURCE: &str = r##"
/// struct Comment { a: u8 }
pub(crate) struct Wide<'a> {
    /// A field.
    pub one: &'a str,
    two: u8,
    pub(crate) three: fn(u8) -> u8,
}
struct Unit;
pub struct Tuple(u8, u8);
pub enum Choice { A, B }
impl<'a> Wide<'a> {
    pub const fn new() -> Self { todo() }
    async fn go(&self, (one, two): (u8, u8), text: &str) -> String {
        let text = "fn no() { }";
        let quote = '"'; let brace = '{'; let raw = r#"} fn no() {"#;
        text.to_owned()
    }
}
impl fmt::Display for Wide<'_> {
    fn fmt(&self) {}
}
fn free(
    a: u8,
) {
    // fn no() {
}
#[cfg(test)]
mod tests {
    fn no() {}
}
"##;

fn pairs(found: &[(String, usize)]) -> Vec<(&str, usize)> {
    found.iter().map(|(name, count)| (name.as_str(), *count)).collect()
}

#[test]
fn rust_is_read_without_what_is_no_code() {
    let code = Code::of(SOURCE);
    assert_eq!(pairs(&methods(&code)), [("Wide", 2)]);
    assert_eq!(pairs(&structs(&code)), [("Wide", 3)]);
    assert_eq!(visible_types(&code), ["Wide", "Tuple", "Choice"]);
    assert_eq!(pairs(&functions(&code)), [("new", 1), ("go", 5), ("fmt", 1), ("free", 5)]);
    assert_eq!(tuple_parameters(&code), 1);
}

#[test]
fn folders_are_counted_with_what_is_in_them() {
    let file = |path: &str| SourceFile { path: path.to_owned(), text: String::new() };
    let files = [
        file("crates/a/src/lib.rs"),
        file("crates/a/src/b/c.rs"),
        file("crates/a/src/b/d.rs"),
        file("docs/x.md"),
    ];
    let found = folders(&files);
    assert_eq!(pairs(&found), [("crates/a/src", 2), ("crates/a/src/b", 2)]);
}

#[test]
fn above_the_limit_a_reason_is_needed_and_below_none() {
    let measured: Measured = [
        ((Gate::Entries, "wide/src".to_owned()), 31),
        ((Gate::Entries, "known/src".to_owned()), 40),
        ((Gate::Entries, "better/src".to_owned()), 35),
        ((Gate::Entries, "good/src".to_owned()), 30),
    ]
    .into();
    let exceptions = [
        (Gate::Entries, "known/src", 40, "one file per wire family"),
        (Gate::Entries, "better/src", 36, "one file per wire family"),
        (Gate::Entries, "good/src", 31, "one file per wire family"),
        (Gate::Entries, "gone/src", 31, "one file per wire family"),
    ];
    let places: Vec<String> =
        judge(&measured, &exceptions).into_iter().map(|finding| finding.place).collect();
    assert_eq!(places, ["wide/src", "better/src", "good/src", "gone/src"]);
    assert_eq!(judge(&measured, &exceptions[..1]).len(), 2);
}

#[test]
fn every_gate_fails_at_one_more_than_it_allows_and_names_the_place() {
    let file = |path: &str, text: String| SourceFile { path: path.to_owned(), text };
    let lib = |text: String| vec![file("crates/a/src/lib.rs", text)];
    let rows = [
        (Gate::Methods, "a::Wide", lib(format!("impl Wide {{\n{}}}\n", "    fn go() {}\n".repeat(41)))),
        (
            Gate::Entries,
            "crates/a/src",
            (0..31).map(|n| file(&format!("crates/a/src/f{n}.rs"), String::new())).collect(),
        ),
        (
            Gate::Names,
            "Place",
            (0..5)
                .map(|n| file(&format!("crates/c{n}/src/lib.rs"), "pub(crate) struct Place;\n".to_owned()))
                .collect(),
        ),
        (
            Gate::Fields,
            "crates/a/src/lib.rs::Wide",
            lib(format!(
                "struct Wide {{\n{}}}\n",
                (0..13).map(|n| format!("    f{n}: u8,\n")).collect::<String>()
            )),
        ),
        (
            Gate::Lines,
            "crates/a/src/lib.rs::long",
            lib(format!("fn long() {{\n{}}}\n", "    go();\n".repeat(100))),
        ),
    ];
    for (gate, place, files) in rows {
        let found = judge(&measure(&files), &[]);
        let found: Vec<(&str, bool)> = found
            .iter()
            .map(|finding| (finding.place.as_str(), finding.what.contains(gate.what())))
            .collect();
        assert_eq!(found, [(place, true)], "{gate:?}");
    }
}
