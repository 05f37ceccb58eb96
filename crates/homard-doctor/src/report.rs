//! Going through a table of checks, and what came of it.

use serde::Serialize;

use crate::finding::{Finding, Severity};
use crate::scene::Scene;

/// One entry of a table of checks.
pub struct Check {
    /// What it is called, for `--only` and `--skip`.
    pub id: &'static str,
    /// What it looks at, in words.
    pub looks_at: &'static str,
    /// Whether it makes no sense without settings that can be used.
    pub needs_settings: bool,
    pub look: fn(&Scene<'_>) -> Vec<Finding>,
}

/// Which checks are done and which findings are told.
#[derive(Debug, Clone, Default)]
pub struct Selection {
    pub only: Vec<String>,
    pub skip: Vec<String>,
    pub severity_min: Option<Severity>,
}

impl Selection {
    fn wants(&self, check: &Check) -> bool {
        let named = |list: &[String]| list.iter().any(|id| id == check.id || is_part(id, check.id));
        (self.only.is_empty() || named(&self.only)) && !self.skip.iter().any(|id| id == check.id)
    }

    fn tells(&self, finding: &Finding) -> bool {
        let is_named = |id: &String| *id == finding.id || is_part(&finding.id, id);
        let only = self.only.is_empty() || self.only.iter().any(is_named);
        only && !self.skip.iter().any(is_named) && self.severity_min.is_none_or(|min| finding.severity >= min)
    }

    /// The words that name nothing in a table.
    #[must_use]
    pub fn unknown<'a>(&'a self, table: &[Check]) -> Vec<&'a str> {
        let known = |id: &str| table.iter().any(|check| id == check.id || is_part(id, check.id));
        self.only.iter().chain(&self.skip).map(String::as_str).filter(|id| !known(id)).collect()
    }
}

/// Whether `config.wrong` belongs to `config`.
fn is_part(id: &str, above: &str) -> bool {
    id.strip_prefix(above).is_some_and(|rest| rest.starts_with('.'))
}

/// What one check found.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Examined {
    pub id: &'static str,
    pub looks_at: &'static str,
    /// Whether it was left out because the settings cannot be used.
    pub skipped: bool,
    pub findings: Vec<Finding>,
}

/// What all of them found.
#[derive(Debug, Clone, Serialize)]
#[serde(transparent)]
pub struct Examination {
    pub checks: Vec<Examined>,
}

impl Examination {
    /// Every finding, in the order of the table.
    pub fn findings(&self) -> impl Iterator<Item = &Finding> {
        self.checks.iter().flat_map(|check| &check.findings)
    }

    /// How many findings are as bad as that.
    #[must_use]
    pub fn count(&self, severity: Severity) -> usize {
        self.findings().filter(|finding| finding.severity == severity).count()
    }
}

/// Does the checks of a table.
#[must_use]
pub fn examine(table: &[Check], scene: &Scene<'_>, selection: &Selection) -> Examination {
    let wanted = table.iter().filter(|check| selection.wants(check));
    let done = wanted.map(|check| {
        let skipped = check.needs_settings && scene.snapshot.config.is_none();
        let found = if skipped { Vec::new() } else { (check.look)(scene) };
        Examined {
            id: check.id,
            looks_at: check.looks_at,
            skipped,
            findings: found.into_iter().filter(|finding| selection.tells(finding)).collect(),
        }
    });
    Examination { checks: done.collect() }
}

/// A text on lines of at most `width` characters, all but the first indented. A word that is longer stands alone.
#[must_use]
pub fn wrapped(text: &str, width: usize, indent: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let mut line = String::new();
    for word in text.split_whitespace() {
        let room = width.saturating_sub(if lines.is_empty() { 0 } else { indent });
        if !line.is_empty() && line.chars().count() + 1 + word.chars().count() > room.max(1) {
            lines.push(std::mem::take(&mut line));
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    lines.push(line);
    let pad = " ".repeat(indent);
    lines
        .iter()
        .enumerate()
        .map(|(at, line)| if at == 0 { line.clone() } else { format!("{pad}{line}") })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::wrapped;

    #[test]
    fn a_text_keeps_to_its_width_and_a_longer_word_stands_alone() {
        assert_eq!(wrapped("one two three", 7, 2), ["one two", "  three"]);
        assert_eq!(wrapped("a /very/long/path b", 6, 0), ["a", "/very/long/path", "b"]);
        assert_eq!(wrapped("", 6, 0), [""]);
    }
}
