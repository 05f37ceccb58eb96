//! `cargo xtask order PROFILE…`: which functions stand together at the front of the program.
//!
//! The kernel maps 16 pages around each one that is used. What runs at every start is a sixth of the code and lay all over
//! the file, so that an idle gateway had nearly all of it in memory. The linker is told to put those functions side
//! by side (`crates/homard/link/first.ld`): first what runs at a start, then what runs in a turn. Each profile is what
//! callgrind wrote of a program that keeps its names; `--make` makes both first (`profile`). A name that is no longer
//! there costs nothing, a new function that is not named lies behind, with those that are seldom used.

mod profile;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};

use crate::sh::{Cmd, say};
use crate::workspace::root;

/// What the linker is told.
const FILE: &str = "crates/homard/link/first.ld";
/// What of the code under a beginning has to run for the beginning to stand for all of it, in hundredths.
const MOSTLY: u64 = 60;
/// The same for what generic code became for many types, of which the name does not tell.
const PARTLY: u64 = 30;
/// Bytes of such code below which it is taken as a whole.
const SMALL: u64 = 3_000;
/// Beginnings shorter than this say too little.
const SHORTEST: usize = 12;
/// Where names of functions end and the number begins that tells those of one name apart.
const NUMBER: &str = "17h";

/// Reads the names of a program and the profiles of it, and writes the list; with `--make` makes them first.
pub(crate) fn run(args: &[String]) -> Result<()> {
    let made;
    let (program, profiles) = match args {
        [make] if make == "--make" => {
            made = profile::make()?;
            (made.0.as_path(), made.1.iter().map(PathBuf::as_path).collect())
        }
        [program, profiles @ ..] if !profiles.is_empty() => {
            (Path::new(program), profiles.iter().map(Path::new).collect::<Vec<_>>())
        }
        _ => bail!("name the program with its names and then profiles of it, or say `--make`"),
    };
    let names = Cmd::new("nm", &["--print-size", "--defined-only", "--radix=d"]).args([program]).read()?;
    let mut functions = functions(&names);
    let mut groups = Vec::new();
    for profile in profiles {
        let text =
            fs::read_to_string(profile).with_context(|| format!("could not read `{}`", profile.display()))?;
        let group = beginnings(&functions, &ran(&text, &functions));
        functions.retain(|function| !group.iter().any(|beginning| beginning.covers(&function.name)));
        groups.push(group);
    }
    fs::write(root().join(FILE), script(&groups)).with_context(|| format!("could not write `{FILE}`"))?;
    say(&format!("wrote {FILE}: {} names", groups.iter().map(Vec::len).sum::<usize>()));
    Ok(())
}

/// A function under one of its names.
#[derive(Debug)]
struct Function {
    address: u64,
    size: u64,
    name: String,
}

/// What `nm` prints: address, size, kind, name.
fn functions(names: &str) -> Vec<Function> {
    let read = |line: &str| {
        let mut words = line.split(' ');
        let (address, size) = (words.next()?.parse().ok()?, words.next()?.parse().ok()?);
        let (kind, name) = (words.next()?, words.next()?);
        matches!(kind, "t" | "T" | "w" | "W").then(|| Function {
            address,
            size,
            name: plain(name).to_owned(),
        })
    };
    let mut functions: Vec<Function> = names.lines().filter_map(read).collect();
    functions.sort_by(|a, b| a.name.cmp(&b.name));
    functions
}

/// A name without what the optimiser added.
fn plain(name: &str) -> &str {
    name.split_once(".llvm.").map_or(name, |(name, _)| name)
}

/// The addresses of the functions a profile names. Those that came out alike share one, and the profile names any of them.
fn ran(profile: &str, functions: &[Function]) -> BTreeSet<u64> {
    let named = |line: &str| {
        let (_, name) = line.strip_prefix("fn=(")?.split_once(") ")?;
        // Calls of itself are told apart by a number.
        Some(plain(name.split_once('\'').map_or(name, |(name, _)| name)).to_owned())
    };
    let called = |line: &str| named(line.strip_prefix('c').unwrap_or(line));
    let names: BTreeSet<String> = profile.lines().filter_map(called).collect();
    functions
        .iter()
        .filter(|function| names.contains(&function.name))
        .map(|function| function.address)
        .collect()
}

/// How names of sections begin.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Beginning {
    Whole(String),
    Part(String),
}

impl Beginning {
    fn covers(&self, name: &str) -> bool {
        match self {
            Self::Whole(whole) => name == whole,
            Self::Part(part) => name.starts_with(part),
        }
    }
}

/// The shortest beginnings that name everything that ran and little else. `functions` is sorted by name.
fn beginnings(functions: &[Function], ran: &BTreeSet<u64>) -> Vec<Beginning> {
    let mut found = Vec::new();
    let mut seen = BTreeSet::new();
    let mut weights: BTreeMap<&str, Weight> = BTreeMap::new();
    for function in functions {
        let weight = weights.entry(&function.name).or_default();
        let size = if seen.insert(function.address) { function.size } else { 0 };
        weight.all += size;
        if ran.contains(&function.address) {
            weight.ran += size;
            weight.is_used = true;
        }
    }
    let names: Vec<(&str, Weight)> = weights.into_iter().collect();
    narrow(&names, 0, &mut found);
    found
}

#[derive(Debug, Clone, Copy, Default)]
struct Weight {
    all: u64,
    ran: u64,
    is_used: bool,
}

/// Looks for beginnings among names that agree in their first `at` bytes.
fn narrow(names: &[(&str, Weight)], at: usize, found: &mut Vec<Beginning>) {
    let (Some((first, _)), Some((last, _))) = (names.first(), names.last()) else { return };
    if !names.iter().any(|(_, weight)| weight.is_used) {
        return;
    }
    let start = first.get(..at).unwrap_or(first);
    let (all, ran) = names.iter().fold((0, 0), |sum, (_, weight)| (sum.0 + weight.all, sum.1 + weight.ran));
    let enough = match start.ends_with(NUMBER) {
        true if all <= SMALL => 0,
        true => PARTLY,
        false => MOSTLY,
    };
    if at >= SHORTEST && ran * 100 >= all * enough {
        return found.push(Beginning::Part(start.to_owned()));
    }
    if first == last {
        return found.push(match at >= SHORTEST {
            true => Beginning::Part(start.to_owned()),
            false => Beginning::Whole((*first).to_owned()),
        });
    }
    // As far as all agree, but not past the place where the number begins.
    let agreed = first.bytes().zip(last.bytes()).take_while(|(a, b)| a == b).count();
    let number =
        first.get(at..agreed).and_then(|more| more.find(NUMBER)).map(|found| at + found + NUMBER.len());
    let next = number.unwrap_or(agreed);
    if next > at {
        return narrow(names, next, found);
    }
    for same in names.chunk_by(|(a, _), (b, _)| a.as_bytes().get(at) == b.as_bytes().get(at)) {
        match same {
            [(whole, weight)] if whole.len() == at && weight.is_used => {
                found.push(Beginning::Whole((*whole).to_owned()));
            }
            [(whole, _)] if whole.len() == at => {}
            more => narrow(more, at + 1, found),
        }
    }
}

/// What is seldom called at all comes next: the compiler has set it apart, and some of it runs at every start.
fn script(groups: &[Vec<Beginning>]) -> String {
    let mut out = "/* Written by `cargo xtask order`. */\nSECTIONS {\n  .text : {\n".to_owned();
    for group in groups {
        out.push_str("    *(\n");
        for beginning in group {
            // Writing to a String cannot fail.
            let _infallible = match beginning {
                Beginning::Whole(name) => writeln!(out, ".text.{name}"),
                Beginning::Part(name) => writeln!(out, ".text.{name}*"),
            };
        }
        out.push_str("    )\n");
    }
    out + "    *(.text.unlikely.*)\n    *(.text .text.*)\n  }\n}\nINSERT BEFORE .init;\n"
}

#[cfg(test)]
mod tests;
