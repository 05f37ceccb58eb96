//! The table of methods in the manual, made from the code: which methods of the protocol are answered, by whom they
//! may be called, and whether there is anything behind them.
//!
//! The last column is written by people and kept by the method's name, whatever else the row said.

use std::collections::BTreeMap;
use std::fmt::Write;

use homard_protocol::method::Access;
use homard_runtime::{Arrange as _, CollectOrdered as _};

use crate::methods;
use crate::table::Facts;

/// The methods of the protocol: name, tier, needed scope, flags.
const SPEC: &str = include_str!("manual/methods.tsv");
/// Between these lines stands the table.
const BEGIN: &str = "<!-- methods:begin -->";
const END: &str = "<!-- methods:end -->";
/// The first request of a socket; the handshake answers it, not the table.
const CONNECT: &str = "connect";

/// A method as the protocol describes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SpecRow {
    pub(crate) name: &'static str,
    /// `A`, `B` or `C`.
    pub(crate) tier: &'static str,
    /// For example `read`, `dynamic` or `NODE`.
    pub(crate) needs: &'static str,
    /// `H`, `RL` and `S`, with commas.
    pub(crate) flags: &'static str,
}

/// Every method of the protocol.
pub(crate) fn spec() -> impl Iterator<Item = SpecRow> {
    SPEC.lines().filter(|line| !line.starts_with('#')).filter_map(|line| {
        let mut cells = line.split('\t');
        let (name, tier, needs) = (cells.next()?, cells.next()?, cells.next()?);
        Some(SpecRow { name, tier, needs, flags: cells.next().unwrap_or("") })
    })
}

/// The manual with its table of methods made anew; as it was when it has no place for one.
#[must_use]
pub fn renewed(manual: &str) -> String {
    let Some((before, rest)) = manual.split_once(BEGIN) else { return manual.to_owned() };
    let Some((old, after)) = rest.split_once(END) else { return manual.to_owned() };
    let table = table(&methods::table().facts(), &notes(old));
    format!("{before}{BEGIN}\n{table}{END}{after}")
}

/// What people wrote about each method: the last cell of its row. Of several rows the last that says something
/// counts, so that two versions of the table may stand one after the other.
fn notes(table: &str) -> BTreeMap<String, String> {
    let mut notes = BTreeMap::new();
    for line in table.lines() {
        let Some(name) = line.strip_prefix("| `").and_then(|rest| rest.split('`').next()) else { continue };
        let cells: Vec<&str> = line.trim().trim_matches('|').split(" | ").map(str::trim).collect();
        let note = if cells.len() > 2 { cells.last().copied().unwrap_or_default() } else { "" };
        if !note.is_empty() {
            notes.insert(name.to_owned(), note.to_owned());
        }
    }
    notes
}

fn table(known: &BTreeMap<&'static str, Facts>, notes: &BTreeMap<String, String>) -> String {
    let spec: BTreeMap<&str, SpecRow> = spec().map(|row| (row.name, row)).collect_map();
    let listed = |row: &&SpecRow| row.tier != "C" || known.contains_key(row.name);
    let names = spec.values().filter(listed).map(|row| row.name).chain(known.keys().copied());
    let mut names: Vec<&str> = names.collect();
    names.arrange();
    names.dedup();
    let mut text = summary(known, &spec);
    text.push_str("\n| method | tier | needs | state | notes |\n|---|---|---|---|---|\n");
    for name in names {
        let (facts, row) = (known.get(name), spec.get(name));
        let tier = row.map_or("own", |row| row.tier);
        let needs = facts.map_or_else(|| row.map(promised).unwrap_or_default(), needs);
        let note = notes.get(name).map(String::as_str).unwrap_or_default();
        // Writing to a String cannot fail.
        let _infallible = writeln!(text, "| `{name}` | {tier} | {needs} | {} | {note} |", state(name, facts));
    }
    text
}

fn summary(known: &BTreeMap<&'static str, Facts>, spec: &BTreeMap<&str, SpecRow>) -> String {
    let mut parts = Vec::new();
    for tier in ["A", "B", "C"] {
        let all = spec.values().filter(|row| row.tier == tier);
        let (mut answered, mut empty, mut total) = (0, 0, 0);
        for row in all {
            total += 1;
            match state(row.name, known.get(row.name)) {
                "answered" => answered += 1,
                "empty" => empty += 1,
                _ => {}
            }
        }
        parts.push(format!("tier {tier}: {answered} of {total} answered, {empty} empty"));
    }
    format!("{}.\n", parts.join("; "))
}

fn state(name: &str, facts: Option<&Facts>) -> &'static str {
    match facts {
        _ if name == CONNECT => "answered",
        None => "unknown",
        Some(facts) if facts.empty => "empty",
        Some(_) => "answered",
    }
}

/// Who may call it.
fn needs(facts: &Facts) -> String {
    let who = match facts.access {
        Access::Open => "–".to_owned(),
        Access::AnyOperator => "an operator".to_owned(),
        Access::Operator(scope) => scope.as_str().to_owned(),
        Access::Sessions(scope) => scope.for_sessions().unwrap_or(scope).as_str().to_owned(),
        Access::Node => "a node".to_owned(),
    };
    let hidden = if facts.advertised { "" } else { ", not advertised" };
    let limited = if facts.rate_limited { ", 30 per minute" } else { "" };
    format!("{who}{hidden}{limited}")
}

/// Who will be able to call one that is not answered yet.
fn promised(row: &SpecRow) -> String {
    match row.needs {
        _ if row.name == CONNECT => "– (first request only)".to_owned(),
        "NODE" => "a node".to_owned(),
        "dynamic" => "by parameters".to_owned(),
        scope => format!("operator.{scope}"),
    }
}

#[cfg(test)]
mod tests;
