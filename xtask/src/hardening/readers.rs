//! `cargo xtask readers`: no setting without a reader. Every value that `homard-config` decides and shows to others is
//! used by the product outside of it; what only that package uses is not `pub`, and there the compiler sees to it.
//!
//! The compiler is asked, because names say too little: in a copy every such value is marked as deprecated, and whoever
//! uses it is warned of with the whole name. That compiles the workspace once more, so it is no part of every change;
//! `tidy` looks at bare names each time.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result, bail};
use serde_json::Value;

use crate::sh::{Cmd, say};
use crate::workspace::{self, root};

/// Where decided values are.
pub(crate) const DECIDED: &str = "crates/homard-config/src/config";
/// What is left out of the copy's check: it is no product.
const NOT_SHIPPED: [&str; 3] = ["xtask", "homard-testkit", "fuzz"];
const MARK: &str = "#[deprecated]\n";

/// Checks a copy of the clone; fails with the names nobody uses.
pub(crate) fn run(args: &[String]) -> Result<()> {
    if let Some(unknown) = args.first() {
        bail!("`readers` has no option `{unknown}`");
    }
    let copy = workspace::scratch()?.join("readers");
    let marked = prepare(&copy)?;
    let excluded = NOT_SHIPPED.iter().flat_map(|name| ["--exclude", name]);
    let mut used = BTreeSet::new();
    let is_built = Cmd::new("cargo", &["check", "--workspace", "--message-format=json"])
        .args(excluded)
        .dir(&copy)
        .env("CARGO_TARGET_DIR", workspace::scratch()?.join("readers-target"))
        .each_line(|line| used.extend(used_name(line)))?;
    if !is_built {
        bail!("the marked copy does not compile");
    }
    let unused: Vec<&String> = marked.difference(&used).collect();
    if unused.is_empty() {
        say(&format!("{} decided values, each used outside of homard-config", marked.len()));
        return Ok(());
    }
    unused.iter().for_each(|name| say(name));
    bail!("{} decided values have no reader: use them, or make them private or inert", unused.len())
}

/// Copies what git knows and marks every decided value; the names of those marked.
fn prepare(copy: &Path) -> Result<BTreeSet<String>> {
    let _absent = fs::remove_dir_all(copy);
    let list = Cmd::new("git", &["ls-files", "-z", "--cached", "--others", "--exclude-standard"]).read()?;
    let mut names = BTreeSet::new();
    for path in list.split('\0').filter(|path| !path.is_empty() && root().join(path).is_file()) {
        let to = copy.join(path);
        fs::create_dir_all(to.parent().unwrap_or(copy))?;
        let from = root().join(path);
        let is_decided = path.starts_with(DECIDED) && path.ends_with(".rs") && !path.contains("/tests");
        if !is_decided && !path.ends_with("Cargo.toml") {
            fs::copy(&from, &to).with_context(|| format!("could not copy `{path}`"))?;
            continue;
        }
        let text = fs::read_to_string(&from)?;
        // Lints that stop at a warning would stop at ours.
        let text = match is_decided {
            true => marked(&text, &mut names),
            false => text.replace("[lints]\nworkspace = true\n", ""),
        };
        fs::write(&to, text)?;
    }
    fs::create_dir_all(copy.join("web/dist"))?;
    Ok(names)
}

/// A source in which fields and functions others can see are marked; their names are added.
fn marked(text: &str, names: &mut BTreeSet<String>) -> String {
    let mut out = String::with_capacity(text.len());
    let (mut owner, mut is_struct) = (String::new(), false);
    for line in text.split_inclusive('\n') {
        if let Some(name) = type_of(line) {
            (owner, is_struct) = (name.to_owned(), line.starts_with("pub struct "));
        } else if line.starts_with('}') {
            is_struct = false;
        }
        let item = line.strip_prefix("    pub ").unwrap_or_default();
        let name = item.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or_default();
        let function = item.trim_start_matches("const ").strip_prefix("fn ");
        let function = function.and_then(|rest| rest.split(['(', '<']).next());
        let named = function.or_else(|| (is_struct && item.contains(": ")).then_some(name));
        if let Some(name) = named.filter(|name| !name.is_empty()) {
            names.insert(format!("{owner}::{name}"));
            out.push_str(MARK);
        }
        out.push_str(line);
    }
    out
}

/// The type a line begins to speak of.
fn type_of(line: &str) -> Option<&str> {
    let rest = line.strip_prefix("pub struct ").or_else(|| line.strip_prefix("impl "))?;
    if rest.contains(" for ") {
        return Some("");
    }
    rest.split(|c: char| !c.is_alphanumeric() && c != '_').next()
}

/// The name a message of the compiler warns of, where it comes from outside of the package that decides.
fn used_name(line: &str) -> Option<String> {
    let told: Value = serde_json::from_str(line).ok()?;
    let message = told.get("message")?;
    if message.pointer("/code/code")?.as_str()? != "deprecated" {
        return None;
    }
    let place = message.pointer("/spans/0/file_name")?.as_str()?;
    let words = message.get("message")?.as_str()?;
    // Which way a type is reached differs from package to package; its own name and the value's do not.
    let mut name = words.split('`').nth(1)?.rsplitn(3, "::");
    let (value, owner) = (name.next()?, name.next()?);
    (!place.contains("homard-config")).then(|| format!("{owner}::{value}"))
}

#[cfg(test)]
mod tests;
