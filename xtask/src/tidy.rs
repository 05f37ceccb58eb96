//! `cargo xtask tidy`: the house rules clippy does not know, as pure functions over the text of the clone.
//!
//! Rules give [`Finding`]s and any finding fails; sizes and the census of platform names are printed as places
//! to look. The same check is an ordinary test of this package, so `cargo test` alone keeps the house tidy.

mod census;
mod clone;
mod docs;
mod gates;
mod layers;
mod settings;
mod sizes;
mod text;
mod vocabulary;

use std::fmt;

use anyhow::{Result, bail};

use crate::sh::say;
use crate::workspace::{self, Metadata};
use clone::SourceFile;

/// A rule that does not hold somewhere.
#[derive(Debug, PartialEq, Eq)]
struct Finding {
    /// A path, with a line where there is one, or a package.
    place: String,
    /// What is wrong and what to do instead.
    what: String,
}

impl Finding {
    fn new(place: impl Into<String>, what: impl Into<String>) -> Self {
        Self { place: place.into(), what: what.into() }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.what)
    }
}

/// Checks the clone; prints guidance and findings.
pub(crate) fn run(args: &[String]) -> Result<()> {
    if let Some(unknown) = args.first() {
        bail!("`tidy` has no option `{unknown}`");
    }
    let (metadata, files) = (workspace::metadata()?, clone::files()?);
    sizes::guidance(&metadata, &files).iter().for_each(|line| say(line));
    census::table(&files).iter().for_each(|line| say(line));
    say(&gates::guidance(&files));
    let findings = findings(&metadata, &files);
    findings.iter().for_each(|finding| say(&finding.to_string()));
    if findings.is_empty() {
        say(&format!("{} files and {} packages are tidy", files.len(), metadata.packages.len()));
        return Ok(());
    }
    bail!("{} places are not tidy", findings.len())
}

fn findings(metadata: &Metadata, files: &[SourceFile]) -> Vec<Finding> {
    let mut findings = layers::check(&metadata.packages);
    findings.extend(files.iter().flat_map(text::check));
    findings.extend(files.iter().flat_map(vocabulary::check));
    findings.extend(files.iter().flat_map(docs::check));
    findings.extend(text::changelog(files));
    findings.extend(census::check(files));
    findings.extend(gates::check(files));
    findings.extend(settings::check(files));
    findings
}

#[cfg(test)]
mod tests;
