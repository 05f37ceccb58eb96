//! Doc comments: what others can see has one, and none says what a name says already.
//!
//! Types, traits, functions and constants that are `pub` say what they are (modules do by their first line). Fields and
//! variants need nothing, and a comment of three words or fewer on one is refused: it repeats the name. Comments that
//! are read elsewhere are left alone: descriptions of settings and tools' arguments, help of the program.
//!
//! Rust is read line by line as `rustfmt` leaves it.

use super::Finding;
use super::clone::SourceFile;

/// A comment on a field or variant with this many words says nothing.
const FEWEST_WORDS: usize = 4;
/// Derives that make comments of a type texts for others.
const SHOWN: [&str; 5] = ["JsonSchema", "Args", "Subcommand", "Parser", "ValueEnum"];
/// Attributes that make a single field a text for others.
const SHOWN_FIELD: [&str; 2] = ["schemars", "arg("];
/// Where rules and their tests spell out what is refused.
const RULES: &str = "xtask/src/tidy/";
/// Wire types are told to the page's compiler alone, where such comments are the same noise.
const WIRE: &str = "crates/homard-protocol/";
/// What begins an item and so is neither field nor variant.
const ITEMS: [&str; 13] = [
    "fn ",
    "struct ",
    "enum ",
    "union ",
    "trait ",
    "mod ",
    "const ",
    "static ",
    "type ",
    "impl",
    "use ",
    "let ",
    "macro_rules!",
];
/// Items that need a comment where they are `pub`.
const DOCUMENTED: [&str; 8] = ["fn ", "struct ", "enum ", "union ", "trait ", "type ", "const ", "static "];

/// What is not said, and what is said for nothing.
pub(super) fn check(file: &SourceFile) -> Vec<Finding> {
    let is_ours = ["crates/", "xtask/", "fuzz/"].iter().any(|part| file.path.starts_with(part));
    if !is_ours || !file.path.ends_with(".rs") || file.path.starts_with(RULES) {
        return Vec::new();
    }
    let mut reader = Reader { file, containers: Vec::new(), above: Above::default(), findings: Vec::new() };
    let mut open = 0_usize;
    for (index, line) in file.text.lines().enumerate() {
        let bare = line.trim();
        if let Some(words) = bare.strip_prefix("///") {
            reader.above.docs.push((index + 1, words.split_whitespace().count()));
        } else if open > 0 || bare.starts_with("#[") {
            // An attribute may have several lines.
            let code = without_strings(bare);
            open = (open + code.matches('[').count()).saturating_sub(code.matches(']').count());
            reader.above.attributes.push_str(bare);
        } else {
            reader.line(index + 1, line);
        }
    }
    reader.findings
}

/// What stands above a line and belongs to it.
#[derive(Default)]
struct Above {
    /// Numbers of the comment's lines and how many words they have.
    docs: Vec<(usize, usize)>,
    attributes: String,
}

/// A file that is being read.
struct Reader<'f> {
    file: &'f SourceFile,
    /// Structs and enums around the line: how far they are indented, and whether their comments are shown.
    containers: Vec<(usize, bool)>,
    above: Above,
    findings: Vec<Finding>,
}

impl Reader<'_> {
    fn line(&mut self, number: usize, line: &str) {
        let (bare, above) = (line.trim(), std::mem::take(&mut self.above));
        let indent = line.len() - line.trim_start().len();
        if ["}", "};", "},"].contains(&bare) && self.containers.last().is_some_and(|(at, _)| *at == indent) {
            self.containers.pop();
        }
        let item = without_visibility(bare);
        if is_container(item) {
            let derives = |name: &&str| has_word(&above.attributes, name);
            let is_shown = SHOWN.iter().any(derives) && !self.file.path.starts_with(WIRE);
            self.containers.push((indent, is_shown));
        } else if let ([(at, words)], Some((_, false))) = (above.docs.as_slice(), self.containers.last())
            && *words < FEWEST_WORDS
            && is_field_or_variant(item)
            && !SHOWN_FIELD.iter().any(|part| above.attributes.contains(part))
        {
            self.find(
                *at,
                "a comment of three words says what the name says: take it out, or say why or when",
            );
        }
        let is_told = !above.docs.is_empty() || above.attributes.contains("#[doc");
        let code = unmodified(item);
        let needs = bare.starts_with("pub ") && DOCUMENTED.iter().any(|kind| code.starts_with(kind));
        // What a macro names is told by whoever calls it.
        if needs && !is_told && !bare.contains('$') && !self.file.is_test() {
            self.find(number, "what others can see says what it is: give it a `///`");
        }
    }

    fn find(&mut self, line: usize, what: &str) {
        self.findings.push(Finding::new(format!("{}:{line}", self.file.path), what));
    }
}

/// An item without `pub` and what may stand behind it.
fn without_visibility(line: &str) -> &str {
    let Some(rest) = line.strip_prefix("pub") else { return line };
    let rest = match rest.strip_prefix('(') {
        Some(inner) => inner.split_once(')').map_or("", |(_, rest)| rest),
        None => rest,
    };
    rest.strip_prefix(' ').unwrap_or(line)
}

/// A function without what kind of function it is.
fn unmodified(item: &str) -> &str {
    let mut item = item;
    while let Some(rest) = ["async fn", "const fn", "unsafe fn", "async unsafe fn"]
        .iter()
        .find_map(|kind| item.starts_with(kind).then(|| item.split_once(' ').map_or("", |(_, rest)| rest)))
    {
        item = rest;
    }
    item
}

fn is_container(item: &str) -> bool {
    ["struct ", "enum ", "union "].iter().any(|kind| item.starts_with(kind)) && item.ends_with('{')
}

fn is_field_or_variant(item: &str) -> bool {
    if ITEMS.iter().any(|kind| unmodified(item).starts_with(kind)) {
        return false;
    }
    let end = item.find(|c: char| !c.is_alphanumeric() && c != '_' && c != '#').unwrap_or(item.len());
    let (name, rest) = item.split_at(end);
    match name.chars().next() {
        Some(first) if first.is_uppercase() => {
            rest.is_empty() || [",", "(", " {", " ="].iter().any(|next| rest.starts_with(next))
        }
        Some(_) => rest.starts_with(": "),
        None => false,
    }
}

fn has_word(text: &str, word: &str) -> bool {
    text.split(|c: char| !c.is_alphanumeric() && c != '_').any(|found| found == word)
}

/// A line whose literals are gone; enough for the brackets of an attribute.
fn without_strings(line: &str) -> String {
    let mut code = String::new();
    let (mut is_inside, mut is_escaped) = (false, false);
    for c in line.chars() {
        match c {
            _ if is_escaped => is_escaped = false,
            '\\' if is_inside => is_escaped = true,
            '"' => is_inside = !is_inside,
            _ if !is_inside => code.push(c),
            _ => {}
        }
    }
    code
}

#[cfg(test)]
mod tests;
