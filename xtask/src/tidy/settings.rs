//! No setting without a reader, and each with a test that shows what it does.
//!
//! A value that `homard-config` decides is used by the product outside of it: here by its bare name, which finds what was
//! just added and forgotten; `cargo xtask readers` asks the compiler. What each key of the file does is shown by a test
//! of whoever acts on it; `settings/shown_by.txt` names it. A key that has none there says `-`, and those only get fewer.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use serde_json::Value;

use super::Finding;
use super::clone::SourceFile;
use crate::hardening::readers::DECIDED;

const SCHEMA: &str = "docs/config.schema.json";
const TABLE: &str = "xtask/src/tidy/settings/shown_by.txt";
/// How many keys no test outside of `homard-config` shows.
const UNSHOWN: usize = 31;
const NONE: &str = "-";

/// Values nobody reads, and keys whose test is not named or does not exist.
pub(super) fn check(files: &[SourceFile]) -> Vec<Finding> {
    let text = |path: &str| files.iter().find(|file| file.path == path).map(|file| file.text.as_str());
    let mut findings = unread(files);
    if let (Some(schema), Some(table)) = (text(SCHEMA), text(TABLE)) {
        let schema = serde_json::from_str(schema).unwrap_or_default();
        findings.extend(untold(&keys(&schema), &rows(table), &tests(files), UNSHOWN));
    }
    findings
}

/// Decided values whose names occur nowhere in the product outside of their package.
fn unread(files: &[SourceFile]) -> Vec<Finding> {
    let is_product = |file: &&SourceFile| {
        let is_ours = file.path.starts_with("crates/") && !file.path.contains("homard-testkit");
        is_ours && file.path.ends_with(".rs") && !file.is_test()
    };
    let (decided, others): (Vec<&SourceFile>, Vec<&SourceFile>) =
        files.iter().filter(is_product).partition(|file| file.path.starts_with("crates/homard-config/"));
    let used: HashSet<&str> = others
        .iter()
        .flat_map(|file| file.code_lines())
        .flat_map(|(_, line)| line.split(|c: char| !c.is_alphanumeric() && c != '_'))
        .collect();
    let decided = decided.into_iter().filter(|file| file.path.starts_with(DECIDED));
    let fields = decided.flat_map(|file| file.code_lines().map(move |(at, line)| (file, at, line)));
    let named = fields.filter_map(|(file, at, line)| {
        let (name, _) = line.strip_prefix("    pub ")?.split_once(": ")?;
        name.chars().all(|c| c.is_alphanumeric() || c == '_').then_some((file, at, name))
    });
    let unused = named.filter(|(_, _, name)| !used.contains(name));
    let what = |name: &str| format!("nobody outside reads `{name}`: use it, or make it private or inert");
    unused.map(|(file, at, name)| Finding::new(format!("{}:{at}", file.path), what(name))).collect()
}

/// Every key in effect that is more than the place of others, by the type it belongs to.
fn keys(schema: &Value) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut open = vec![("", schema)];
    let mut known = BTreeSet::new();
    while let Some((owner, object)) = open.pop() {
        for (key, value) in object.get("properties").and_then(Value::as_object).into_iter().flatten() {
            if value.get("x-inert").is_some() {
                continue;
            }
            let inner = types_in(value);
            let is_place = inner.iter().any(|name| holds_keys(definition(schema, name)));
            if !is_place {
                found.insert(format!("{owner}.{key}"));
            }
            open.extend(
                inner
                    .into_iter()
                    .filter(|name| known.insert(*name))
                    .map(|name| (name, definition(schema, name))),
            );
        }
        // A type may be one of several.
        for name in types_in(object).into_iter().filter(|name| known.insert(*name)) {
            open.push((name, definition(schema, name)));
        }
    }
    found
}

fn definition<'s>(schema: &'s Value, name: &str) -> &'s Value {
    schema.get("$defs").and_then(|all| all.get(name)).unwrap_or(&Value::Null)
}

fn holds_keys(definition: &Value) -> bool {
    definition.get("properties").is_some()
}

/// The types a schema refers to, beside its keys.
fn types_in(schema: &Value) -> Vec<&str> {
    let mut found = Vec::new();
    let mut open = vec![schema];
    while let Some(at) = open.pop() {
        found.extend(at.get("$ref").and_then(Value::as_str).and_then(|path| path.rsplit('/').next()));
        open.extend(["items", "additionalProperties"].iter().filter_map(|name| at.get(*name)));
        let several = ["anyOf", "oneOf", "allOf"].iter().filter_map(|name| at.get(*name)?.as_array());
        open.extend(several.flatten());
    }
    found
}

/// The table: a key and a test on each line.
fn rows(table: &str) -> BTreeMap<&str, &str> {
    let lines = table.lines().filter(|line| !line.starts_with('#'));
    lines.filter_map(|line| line.split_once(' ')).map(|(key, test)| (key, test.trim())).collect()
}

/// The names of functions in tests.
fn tests(files: &[SourceFile]) -> BTreeSet<&str> {
    let rust = files.iter().filter(|file| file.path.starts_with("crates/") && file.path.ends_with(".rs"));
    let lines = rust.flat_map(|file| file.text.lines());
    let named = lines.filter_map(|line| {
        let line = line.trim_start();
        line.strip_prefix("async fn ").or_else(|| line.strip_prefix("fn "))?.split(['(', '<']).next()
    });
    named.collect()
}

fn untold(
    keys: &BTreeSet<String>,
    rows: &BTreeMap<&str, &str>,
    tests: &BTreeSet<&str>,
    most: usize,
) -> Vec<Finding> {
    let mut findings = Vec::new();
    for key in keys.iter().filter(|key| !rows.contains_key(key.as_str())) {
        findings
            .push(Finding::new(TABLE, format!("`{key}` is missing: name the test that shows what it does")));
    }
    for (key, test) in rows {
        if !keys.contains(*key) {
            findings.push(Finding::new(TABLE, format!("`{key}` is no key in effect: take it out")));
        } else if *test != NONE && !tests.contains(test) {
            findings.push(Finding::new(TABLE, format!("`{key}` names `{test}`, which is no test")));
        }
    }
    let unshown = rows.values().filter(|test| **test == NONE).count();
    if unshown != most {
        let what =
            format!("{unshown} keys have no test and {most} are known to: write one, or lower `UNSHOWN`");
        findings.push(Finding::new(TABLE, what));
    }
    findings
}

#[cfg(test)]
mod tests;
