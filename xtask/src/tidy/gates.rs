//! The shape of the house: how much one type, one folder, one name may carry. A place above a limit fails unless it
//! stands in `exceptions.rs` with a reason, and one that no longer needs to stand there fails, too.
//!
//! Rust is read as text: comments and literals are taken out, braces are counted. That is enough for code that
//! `rustfmt` has been over.

use std::collections::{BTreeMap, BTreeSet};

use super::Finding;
use super::clone::SourceFile;

mod code;
mod exceptions;

use code::{Code, functions, methods, structs, tuple_parameters, visible_types};
use exceptions::EXCEPTIONS;

/// Methods of one type in its own `impl` blocks, over a crate.
const TYPE_METHODS: usize = 40;
/// Entries of a folder of sources.
const FOLDER_ENTRIES: usize = 30;
/// Visible types of one name in the workspace.
const TYPE_NAMES: usize = 4;
/// Fields of a struct that is neither on the wire nor in the configuration.
const STRUCT_FIELDS: usize = 12;
/// Lines of a function, from its name to its brace.
const FUNCTION_LINES: usize = 100;

/// What is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Gate {
    Methods,
    Entries,
    Names,
    Fields,
    Lines,
}

impl Gate {
    fn limit(self) -> usize {
        match self {
            Self::Methods => TYPE_METHODS,
            Self::Entries => FOLDER_ENTRIES,
            Self::Names => TYPE_NAMES,
            Self::Fields => STRUCT_FIELDS,
            Self::Lines => FUNCTION_LINES,
        }
    }

    fn what(self) -> &'static str {
        match self {
            Self::Methods => "methods: split the type into parts with few dependencies",
            Self::Entries => "entries: put what belongs together into a folder",
            Self::Names => "types of this name: say in the name what it is",
            Self::Fields => "fields: group what changes together",
            Self::Lines => "lines: give its steps names",
        }
    }
}

/// One measured place.
type Measured = BTreeMap<(Gate, String), usize>;

/// What is above its limit and has no reason, and reasons that are not needed any more.
pub(super) fn check(files: &[SourceFile]) -> Vec<Finding> {
    judge(&measure(files), EXCEPTIONS)
}

/// How many functions take several things as one parameter, to stay below the limit of parameters.
pub(super) fn guidance(files: &[SourceFile]) -> String {
    let count: usize = product(files).map(|(_, code)| tuple_parameters(&code)).sum();
    format!("tuple parameters: {count} functions take several things as one")
}

fn judge(measured: &Measured, exceptions: &[(Gate, &str, usize, &str)]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for ((gate, place), count) in measured {
        let excused = exceptions.iter().find(|(of, name, ..)| of == gate && name == place);
        let most = excused.map_or(gate.limit(), |(.., most, _)| *most);
        if *count > most {
            findings.push(Finding::new(place.clone(), format!("{count} (most {most}) {}", gate.what())));
        }
    }
    for (gate, place, most, _) in exceptions {
        let count = measured.get(&(*gate, (*place).to_owned())).copied().unwrap_or_default();
        if count <= gate.limit() {
            findings.push(Finding::new(
                *place,
                "needs no exception any more; take it out of xtask/src/tidy/gates/exceptions.rs",
            ));
        } else if count < *most {
            findings.push(Finding::new(
                *place,
                format!("is down to {count}; write that into xtask/src/tidy/gates/exceptions.rs"),
            ));
        }
    }
    findings
}

fn measure(files: &[SourceFile]) -> Measured {
    let mut measured = Measured::new();
    let mut add =
        |gate: Gate, place: String, count: usize| *measured.entry((gate, place)).or_default() += count;
    for (file, code) in product(files) {
        let package = file.path.split('/').nth(1).unwrap_or_default();
        for (name, count) in methods(&code) {
            add(Gate::Methods, format!("{package}::{name}"), count);
        }
        // A macro's type has no name of its own.
        for name in visible_types(&code).into_iter().filter(|name| !name.is_empty()) {
            add(Gate::Names, name, 1);
        }
        let is_shape = ["homard-protocol", "homard-config"].contains(&package);
        for (name, count) in structs(&code).into_iter().filter(|_| !is_shape) {
            add(Gate::Fields, format!("{}::{name}", file.path), count);
        }
        for (name, count) in functions(&code).into_iter().filter(|(_, count)| *count > FUNCTION_LINES) {
            add(Gate::Lines, format!("{}::{name}", file.path), count);
        }
    }
    for (folder, count) in folders(files) {
        add(Gate::Entries, folder, count);
    }
    measured
}

/// Folders of sources with how many entries they have.
fn folders(files: &[SourceFile]) -> Vec<(String, usize)> {
    let mut entries: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for file in files {
        for (at, _) in file.path.match_indices('/') {
            let (folder, rest) = file.path.split_at(at);
            let entry = rest.trim_start_matches('/').split('/').next().unwrap_or_default();
            entries.entry(folder).or_default().insert(entry);
        }
    }
    let is_source = |folder: &&str| folder.contains("/src");
    entries
        .into_iter()
        .filter(|(folder, _)| is_source(folder))
        .map(|(folder, all)| (folder.to_owned(), all.len()))
        .collect()
}

/// Rust that is part of the product, without its tests.
fn product(files: &[SourceFile]) -> impl Iterator<Item = (&SourceFile, Code)> {
    let is_product = |file: &&SourceFile| {
        let is_ours = file.path.starts_with("crates/") && !file.path.contains("homard-testkit");
        let is_beside = ["/examples/", "/benches/"].iter().any(|part| file.path.contains(part));
        is_ours && file.path.ends_with(".rs") && !file.is_test() && !is_beside && file.name() != "fixture.rs"
    };
    files.iter().filter(is_product).map(|file| (file, Code::of(&file.text)))
}

#[cfg(test)]
mod tests;
