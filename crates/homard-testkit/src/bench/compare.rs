//! Two builds side by side: the same scenes in turns, on the same machine, in one run, and the ratio of every figure.
//!
//! What the machine does besides falls on both builds alike, because they take turns, and which of them begins changes
//! from round to round. A figure of a build is the median over its rounds.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::path::Path;

use anyhow::Result;
use serde_json::{Value, json};

use super::report::{Report, number, quantile};
use super::stage::{Stage, progress};
use super::{BenchOptions, machine, play_scenes};

/// Table, row and column of a figure.
type Name = (String, String, String);

/// What two builds measured.
#[derive(Debug, Default)]
pub struct Comparison {
    machine: String,
    /// In the order the figures were first seen.
    names: Vec<Name>,
    before: HashMap<Name, Vec<f64>>,
    now: HashMap<Name, Vec<f64>>,
}

/// Plays the scenes with the build of `options` and with `other`, in turns. Must be called inside a runtime, as
/// [`run_bench`](super::run_bench).
///
/// # Errors
/// When a process does not start, or a turn fails.
pub async fn compare_builds(options: &BenchOptions, other: &Path, rounds: usize) -> Result<Comparison> {
    let before = BenchOptions { homard: other.to_path_buf(), measurers: Vec::new(), ..options.clone() };
    let now = BenchOptions { measurers: Vec::new(), ..options.clone() };
    let mut comparison = Comparison::default();
    for round in 0..rounds {
        let mut order = [("before", &before), ("now", &now)];
        if round % 2 == 1 {
            order.reverse();
        }
        for (which, options) in order {
            progress(&format!("round {} of {rounds}: {which}", round + 1));
            let mut report = Report::new(machine::describe());
            let stage = Stage::set(options).await?;
            play_scenes(options, &stage, &mut report).await?;
            comparison.take(which == "now", &report);
        }
    }
    Ok(comparison)
}

impl Comparison {
    fn take(&mut self, is_now: bool, report: &Report) {
        report.machine().clone_into(&mut self.machine);
        for ((table, row, column), figure) in report.figures() {
            let name = (table.to_owned(), row.to_owned(), column.to_owned());
            if !self.names.contains(&name) {
                self.names.push(name.clone());
            }
            let side = if is_now { &mut self.now } else { &mut self.before };
            side.entry(name).or_default().push(figure);
        }
    }

    /// Every figure with its median before, its median now, and now divided by before.
    fn rows(&self) -> impl Iterator<Item = (&Name, f64, f64, f64)> {
        let median = |side: &HashMap<Name, Vec<f64>>, name: &Name| {
            side.get(name).map_or(f64::NAN, |values| quantile(values, 0.5))
        };
        self.names.iter().map(move |name| {
            let (before, now) = (median(&self.before, name), median(&self.now, name));
            (name, before, now, now / before)
        })
    }

    /// For people.
    #[must_use]
    pub fn markdown(&self) -> String {
        let mut out = format!("Machine: {}.\n", self.machine);
        let mut table = "";
        for ((title, row, column), before, now, ratio) in self.rows() {
            if title != table {
                let head = "| | | before | now | now / before |\n|---|---|---:|---:|---:|";
                write!(out, "\n### {title}\n\n{head}\n").ok();
                table = title;
            }
            let figures = [before, now, ratio].map(number).join(" | ");
            writeln!(out, "| {row} | {column} | {figures} |").ok();
        }
        out
    }

    /// For programs.
    #[must_use]
    pub fn json(&self) -> Value {
        let rows = self.rows().map(|((table, row, column), before, now, ratio)| {
            json!({"table": table, "row": row, "column": column, "before": before, "now": now, "ratio": ratio})
        });
        json!({"machine": self.machine, "figures": rows.collect::<Vec<_>>()})
    }
}

#[cfg(test)]
mod tests;
