//! The house is tidy.

use super::{clone, findings};
use crate::workspace;

#[test]
fn the_house_is_tidy() {
    let findings = findings(&workspace::metadata().unwrap(), &clone::files().unwrap());
    let lines: Vec<String> = findings.iter().map(ToString::to_string).collect();
    assert!(lines.is_empty(), "\n{}\n", lines.join("\n"));
}
