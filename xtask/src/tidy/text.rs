//! Rules about single files: how they begin, what they are called, and what must not be in them.
//!
//! This file and its tests spell out what is forbidden, so they alone are not searched for it.

use super::Finding;
use super::clone::SourceFile;

/// Names that say nothing of what is inside.
const EMPTY_NAMES: [&str; 7] =
    ["utils.rs", "helpers.rs", "common.rs", "misc.rs", "shared.rs", "types.rs", "mod.rs"];

/// Where this rule lives.
const THIS: &str = "xtask/src/tidy/text";

/// A text that must not appear in files with these endings, and what to do about it.
struct Banned {
    text: &'static str,
    endings: &'static [&'static str],
    instead: &'static str,
}

const RUST: &[&str] = &[".rs"];
const PAGE: &[&str] = &[".ts", ".js", ".mjs", ".svelte"];
const ANY: &[&str] = &[""];

const BANNED: [Banned; 11] = [
    Banned {
        text: "#[ignore",
        endings: RUST,
        instead: "a test that does not run does not test; fix or remove it",
    },
    Banned { text: "#[should_panic", endings: RUST, instead: "return an error and assert on it" },
    Banned { text: "todo!(", endings: RUST, instead: "finish it, or leave it out and open an issue" },
    Banned { text: "dbg!(", endings: RUST, instead: "use tracing" },
    Banned { text: ".only(", endings: PAGE, instead: "the other tests must run too" },
    Banned { text: "registry.npmjs.org", endings: ANY, instead: HOSTS },
    Banned { text: "registry.yarnpkg.com", endings: ANY, instead: HOSTS },
    Banned { text: "index.crates.io", endings: ANY, instead: HOSTS },
    Banned { text: "static.crates.io", endings: ANY, instead: HOSTS },
    Banned { text: "files.pythonhosted.org", endings: ANY, instead: HOSTS },
    Banned { text: "\"resolved\": \"http", endings: &["package-lock.json"], instead: LOCK },
];

const HOSTS: &str = "name no package registry's host: people build behind mirrors";
const LOCK: &str = "write the lock file with `npm install --omit-lockfile-registry-resolved`";

/// Folders of the machines this is written on.
const MACHINE_PATHS: [&str; 2] = ["/work/", "/root/"];

/// Everything wrong with one file.
pub(super) fn check(file: &SourceFile) -> Vec<Finding> {
    let mut findings = Vec::new();
    if file.is_any(RUST) && !begins_with_docs(&file.text) {
        findings.push(Finding::new(&file.path, "does not begin with `//!` saying what it owns and what not"));
    }
    if EMPTY_NAMES.contains(&file.name()) {
        findings.push(Finding::new(&file.path, "has a name that says nothing; name the idea"));
    }
    if !file.path.starts_with(THIS) {
        findings.extend(words(file));
        findings.extend(machine_paths(file));
    }
    findings
}

/// The file people read to learn what is new.
pub(super) fn changelog(files: &[SourceFile]) -> Option<Finding> {
    let log = files.iter().find(|file| file.path == "CHANGELOG.md");
    let kept = log.is_some_and(|file| file.text.lines().any(|line| line.trim_end() == "## [Unreleased]"));
    (!kept).then(|| Finding::new("CHANGELOG.md", "has no line `## [Unreleased]`"))
}

fn begins_with_docs(text: &str) -> bool {
    text.lines().find(|line| !line.trim().is_empty()).is_some_and(|line| line.starts_with("//!"))
}

fn words(file: &SourceFile) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (number, line) in file.code_lines() {
        for banned in BANNED.iter().filter(|banned| file.is_any(banned.endings) && line.contains(banned.text))
        {
            let what = format!("`{}` is not allowed here: {}", banned.text, banned.instead);
            findings.push(Finding::new(format!("{}:{number}", file.path), what));
        }
    }
    findings
}

fn machine_paths(file: &SourceFile) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (index, line) in file.text.lines().enumerate() {
        for path in MACHINE_PATHS.iter().filter(|path| starts_a_path(line, path)) {
            let place = format!("{}:{}", file.path, index + 1);
            findings.push(Finding::new(
                place,
                format!("`{path}` is a folder of one machine; use a relative path"),
            ));
        }
    }
    findings
}

/// Whether `prefix` stands at the beginning of a path, and not in the middle of one or of an address.
fn starts_a_path(line: &str, prefix: &str) -> bool {
    line.match_indices(prefix).any(|(at, _)| {
        let before = line.get(..at).and_then(|before| before.chars().next_back());
        before.is_none_or(|c| !c.is_alphanumeric() && !"/.-_~}>*$".contains(c))
    })
}

#[cfg(test)]
mod tests;
