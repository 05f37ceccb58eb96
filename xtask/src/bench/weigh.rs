//! `cargo xtask weigh`: what each package adds to the code of the program.
//!
//! Read from the names and sizes of the functions in a build that keeps them. What one package's generic code became
//! for the types of another counts for that other, where the name says so: it would be gone without it.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;

use anyhow::{Context as _, Result, bail};

use super::{FILE, between};
use crate::serve::binary;
use crate::sh::{Cmd, say};
use crate::workspace::{self, root};

const BEGIN: &str = "<!-- weigh:begin -->";
const END: &str = "<!-- weigh:end -->";
/// Packages whose generic code is made anew for others' types.
const GENERIC: [&str; 21] = [
    "alloc",
    "aho_corasick",
    "arc_swap",
    "core",
    "erased_serde",
    "futures_core",
    "futures_util",
    "hashbrown",
    "http_body_util",
    "hyper",
    "hyper_util",
    "indexmap",
    "schemars",
    "serde",
    "serde_core",
    "serde_json",
    "std",
    "tokio",
    "tokio_util",
    "tower",
    "tracing",
];
/// Where functions without a package's name come from.
const FOREIGN: &str = "C and assembly (SQLite, ring)";
/// Rows of the table; what is smaller is one row together.
const ROWS: usize = 40;

/// Builds, weighs, prints; with `--write` puts the table into the document.
pub(crate) fn run(args: &[String]) -> Result<()> {
    // Only the last step differs from a release build: the names are kept.
    Cmd::new("cargo", &["rustc", "--release", "-p", "homard", "--bin", "homard", "--", "-C", "strip=none"])
        .run()?;
    let program = workspace::target()?.join("release").join(binary("homard"));
    let names = Cmd::new("nm", &["--print-size", "--defined-only", "--demangle", "--radix=d"]);
    let table = table(&weights(&names.args([&program]).read()?));
    say(&table);
    if !args.iter().any(|arg| arg == "--write") {
        return Ok(());
    }
    let file = root().join(FILE);
    let document = fs::read_to_string(&file).with_context(|| format!("could not read `{FILE}`"))?;
    let Some(document) = between(&document, (BEGIN, END), &table) else {
        bail!("{FILE} has no `{BEGIN}` followed by `{END}`, so there is no place for the table");
    };
    fs::write(&file, document).with_context(|| format!("could not write `{FILE}`"))?;
    say(&format!("wrote {FILE}"));
    Ok(())
}

/// Bytes of code by package, from what `nm` prints: address, size, kind, name.
fn weights(names: &str) -> BTreeMap<&str, u64> {
    let mut weights = BTreeMap::new();
    for line in names.lines() {
        let mut words = line.splitn(4, ' ');
        let (Some(_address), Some(size), Some(kind), Some(name)) =
            (words.next(), words.next(), words.next(), words.next())
        else {
            continue;
        };
        if let ("t" | "T" | "w" | "W", Ok(size)) = (kind, size.parse::<u64>()) {
            *weights.entry(package(name)).or_default() += size;
        }
    }
    weights
}

/// The package a function is there for.
fn package(name: &str) -> &str {
    let named = || paths(name);
    named().find(|package| !GENERIC.contains(package)).or_else(|| named().next()).unwrap_or(FOREIGN)
}

/// The first words of all paths in a name.
fn paths(name: &str) -> impl Iterator<Item = &str> {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    name.match_indices("::").filter_map(move |(end, _)| {
        let before = name.get(..end)?;
        // Some spellings put a number after the package.
        let before = before.strip_suffix(']').and_then(|it| it.rsplit_once('[')).map_or(before, |(it, _)| it);
        let start = before.rfind(|c| !is_word(c)).map_or(0, |at| at + 1);
        let word = before.get(start..)?;
        let begins =
            !before.get(..start)?.ends_with("::") && word.starts_with(|c: char| c.is_ascii_lowercase());
        begins.then_some(word)
    })
}

fn table(weights: &BTreeMap<&str, u64>) -> String {
    let total: u64 = weights.values().sum();
    let mut rows: Vec<(&str, u64)> = weights.iter().map(|(name, size)| (*name, *size)).collect();
    rows.sort_by_key(|(name, size)| (std::cmp::Reverse(*size), *name));
    let rest: u64 = rows.iter().skip(ROWS).map(|(_, size)| size).sum();
    let others = format!("{} others", rows.len().saturating_sub(ROWS));
    rows.truncate(ROWS);
    rows.extend([(others.as_str(), rest), ("together", total)]);
    let mut out = "| package | KB of code | % |\n|---|---:|---:|\n".to_owned();
    for (name, size) in rows.into_iter().filter(|(_, size)| *size > 0) {
        let share = size as f64 * 100.0 / total.max(1) as f64;
        // Writing to a String cannot fail.
        let _infallible = writeln!(out, "| {name} | {} | {share:.1} |", size / 1_000);
    }
    out
}

#[cfg(test)]
mod tests;
