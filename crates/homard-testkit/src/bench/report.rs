//! Figures as people read them (Markdown) and as programs do (JSON), and whether they are what was promised.

use std::borrow::Cow;
use std::fmt::Write as _;

use serde::Deserialize;
use serde_json::{Map, Value, json};

/// Everything measured.
#[derive(Debug, Default)]
pub struct Report {
    machine: String,
    promises: Vec<Promise>,
    sections: Vec<Section>,
}

/// A figure somebody promised.
#[derive(Debug)]
struct Promise {
    what: String,
    value: f64,
    unit: Cow<'static, str>,
    limit: Limit,
}

/// What was promised of a figure.
#[derive(Debug, Clone, Copy)]
pub(super) enum Limit {
    AtMost(f64),
    AtLeast(f64),
}

impl Limit {
    fn is_met(self, value: f64) -> bool {
        match self {
            Self::AtMost(limit) => value <= limit,
            Self::AtLeast(limit) => value >= limit,
        }
    }

    fn text(self, unit: &str) -> String {
        match self {
            Self::AtMost(limit) => format!("≤ {} {unit}", number(limit)),
            Self::AtLeast(limit) => format!("≥ {} {unit}", number(limit)),
        }
    }
}

/// What a measuring program prints, so that what needs no gateway can be measured where it lives.
#[derive(Debug, Deserialize)]
pub(super) struct Measured {
    tables: Vec<Table>,
    promises: Vec<Promised>,
}

#[derive(Debug, Deserialize)]
struct Table {
    title: String,
    note: String,
    columns: Vec<String>,
    rows: Vec<(String, Vec<f64>)>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Promised {
    what: String,
    value: f64,
    unit: String,
    at_most: f64,
}

/// A table of figures that belong together.
#[derive(Debug)]
pub(super) struct Section {
    title: Cow<'static, str>,
    note: Cow<'static, str>,
    columns: Vec<Cow<'static, str>>,
    rows: Vec<(String, Vec<f64>)>,
}

impl Section {
    /// A table without rows. The first column, what is measured, has no name of its own.
    pub(super) fn new(title: &'static str, note: &'static str, columns: &[&'static str]) -> Self {
        let columns = columns.iter().map(|column| Cow::Borrowed(*column)).collect();
        Self { title: Cow::Borrowed(title), note: Cow::Borrowed(note), columns, rows: Vec::new() }
    }

    /// Adds a row; a figure that was not measured is NaN.
    pub(super) fn row(&mut self, what: impl Into<String>, figures: &[f64]) {
        self.rows.push((what.into(), figures.to_vec()));
    }
}

impl Report {
    /// A report from this machine.
    pub(super) fn new(machine: String) -> Self {
        Self { machine, ..Self::default() }
    }

    /// Adds a table.
    pub(super) fn add(&mut self, section: Section) {
        self.sections.push(section);
    }

    /// Compares a figure with what was promised.
    pub(super) fn promise(&mut self, what: impl Into<String>, value: f64, unit: &'static str, limit: Limit) {
        self.promises.push(Promise { what: what.into(), value, unit: Cow::Borrowed(unit), limit });
    }

    /// Adds what a measuring program of its own has measured.
    pub(super) fn add_measured(&mut self, measured: Measured) {
        for promise in measured.promises {
            let Promised { what, value, unit, at_most } = promise;
            self.promises.push(Promise {
                what,
                value,
                unit: Cow::Owned(unit),
                limit: Limit::AtMost(at_most),
            });
        }
        for Table { title, note, columns, rows } in measured.tables {
            let columns = columns.into_iter().map(Cow::Owned).collect();
            self.sections.push(Section { title: Cow::Owned(title), note: Cow::Owned(note), columns, rows });
        }
    }

    /// How many promises are broken.
    #[must_use]
    pub fn missed(&self) -> usize {
        self.promises.iter().filter(|promise| !promise.limit.is_met(promise.value)).count()
    }

    /// Every figure: its table, its row, its column, its value.
    pub(super) fn figures(&self) -> impl Iterator<Item = ((&str, &str, &str), f64)> {
        self.sections.iter().flat_map(|section| {
            section.rows.iter().flat_map(move |(row, figures)| {
                let named = section.columns.iter().zip(figures);
                named.map(move |(column, figure)| ((&*section.title, row.as_str(), &**column), *figure))
            })
        })
    }

    /// The machine it was measured on.
    pub(super) fn machine(&self) -> &str {
        &self.machine
    }

    /// For people.
    #[must_use]
    pub fn markdown(&self) -> String {
        let mut out = format!("Machine: {}.\n", self.machine);
        if !self.promises.is_empty() {
            out.push_str("\n### Promises\n\n| | measured | promised | |\n|---|---:|---:|---|\n");
        }
        for Promise { what, value, unit, limit } in &self.promises {
            let verdict = if limit.is_met(*value) { "met" } else { "**missed**" };
            line(
                &mut out,
                &format!("| {what} | {} {unit} | {} | {verdict} |", number(*value), limit.text(unit)),
            );
        }
        for section in &self.sections {
            section.markdown(&mut out);
        }
        out
    }

    /// For programs.
    #[must_use]
    pub fn json(&self) -> Value {
        let promises = self.promises.iter().map(|Promise { what, value, unit, limit }| {
            json!({"what": what, "value": value, "unit": unit, "promised": limit.text(unit), "met": limit.is_met(*value)})
        });
        let sections = self.sections.iter().map(|section| (section.title.to_string(), section.json()));
        json!({
            "machine": self.machine,
            "promises": promises.collect::<Vec<_>>(),
            "figures": sections.collect::<Map<String, Value>>(),
        })
    }
}

impl Section {
    fn markdown(&self, out: &mut String) {
        line(out, &format!("\n### {}\n", self.title));
        if !self.note.is_empty() {
            line(out, &format!("{}\n", self.note));
        }
        line(out, &format!("| | {} |", self.columns.join(" | ")));
        line(out, &format!("|---|{}", "---:|".repeat(self.columns.len())));
        for (what, figures) in &self.rows {
            let figures: Vec<String> = figures.iter().map(|figure| number(*figure)).collect();
            line(out, &format!("| {what} | {} |", figures.join(" | ")));
        }
    }

    fn json(&self) -> Value {
        let row = |(what, figures): &(String, Vec<f64>)| {
            let named = self.columns.iter().zip(figures);
            let named = named.map(|(name, figure)| (name.to_string(), json!(figure)));
            (what.clone(), Value::Object(named.collect()))
        };
        Value::Object(self.rows.iter().map(row).collect())
    }
}

fn line(out: &mut String, text: &str) {
    let written = writeln!(out, "{text}");
    debug_assert!(written.is_ok(), "writing to a string cannot fail");
}

/// Three digits that matter, and thousands apart.
pub(super) fn number(value: f64) -> String {
    if !value.is_finite() {
        return "–".to_owned();
    }
    let size = value.abs();
    if size >= 1_000.0 {
        return thousands(value);
    }
    let text = if size >= 100.0 {
        format!("{value:.0}")
    } else if size >= 10.0 {
        format!("{value:.1}")
    } else {
        format!("{value:.2}")
    };
    match text.split_once('.') {
        Some((whole, part)) if part.bytes().all(|digit| digit == b'0') => whole.to_owned(),
        _ => text,
    }
}

fn thousands(value: f64) -> String {
    let digits = format!("{value:.0}");
    let mut out = String::new();
    for (at, digit) in digits.chars().enumerate() {
        let left = digits.len() - at;
        if at > 0 && left.is_multiple_of(3) && !out.ends_with('-') {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// The value below which the share `p` of the values lies; 0 for none.
pub(super) fn quantile(values: &[f64], p: f64) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let last = sorted.len().saturating_sub(1);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "an index, rounded up")]
    let at = (p * last as f64).ceil() as usize;
    sorted.get(at.min(last)).copied().unwrap_or(0.0)
}

#[cfg(test)]
mod tests;
