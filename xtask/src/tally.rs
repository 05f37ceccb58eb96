//! Counting tests by reading what test runners print.
//!
//! Knows nextest, `cargo test`, vitest, the page's browser test and the plain `N passed, N failed`.
//! A runner it does not know counts as one thing that passed or failed.

/// How many passed and failed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    pub(crate) passed: u64,
    pub(crate) failed: u64,
}

impl Tally {
    /// One thing that passed.
    pub(crate) const ONE_PASSED: Self = Self { passed: 1, failed: 0 };
    /// One thing that failed.
    pub(crate) const ONE_FAILED: Self = Self { passed: 0, failed: 1 };

    /// Adds up.
    pub(crate) fn plus(self, other: Self) -> Self {
        Self { passed: self.passed + other.passed, failed: self.failed + other.failed }
    }

    /// Reads every summary line in `output`.
    pub(crate) fn read(output: &str) -> Self {
        let plain = without_colours(output);
        plain.lines().filter_map(summary).fold(Self::default(), Self::plus)
    }
}

/// The counts on a summary line, `None` for any other line.
fn summary(line: &str) -> Option<Tally> {
    if line.starts_with("ok    ") {
        return Some(Tally::ONE_PASSED);
    }
    if line.starts_with("FAIL  ") {
        return Some(Tally::ONE_FAILED);
    }
    // Runners that quote the output of a failed test indent it; `cargo test` indents nothing.
    let trimmed = line.trim();
    let nextest = trimmed.strip_prefix("Summary [").and_then(|rest| rest.split_once(" run: "));
    let counts = if let Some((_, counts)) = nextest {
        counts
    } else if let Some(counts) = line.strip_prefix("test result: ") {
        counts.split_once(". ")?.1
    } else if let Some(counts) = trimmed.strip_prefix("Tests ") {
        counts
    } else if line.ends_with(" failed") && line.contains(" passed, ") {
        line
    } else {
        return None;
    };
    let mut tally = Tally::default();
    for part in counts.split([',', ';', '|', '(']) {
        match part.trim().split_once(' ') {
            Some((count, "passed")) => tally.passed += count.parse::<u64>().ok()?,
            Some((count, "failed" | "timed out")) => tally.failed += count.parse::<u64>().ok()?,
            _ => {}
        }
    }
    Some(tally)
}

/// Drops terminal colour sequences (`ESC [ … letter`).
fn without_colours(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text.chars();
    while let Some(c) = rest.next() {
        if c == '\u{1b}' {
            rest.by_ref().find(char::is_ascii_alphabetic);
        } else {
            plain.push(c);
        }
    }
    plain
}

#[cfg(test)]
mod tests;
