//! The house is tidy.

use super::{clone, findings};
use crate::workspace;

#[test]
fn the_house_is_tidy() {
    let findings = findings(&workspace::metadata().unwrap(), &clone::files().unwrap());
    let lines: Vec<String> = findings.iter().map(ToString::to_string).collect();
    assert!(lines.is_empty(), "\n{}\n", lines.join("\n"));
}

/// CONTRIBUTING says that a platform is one folder and one line; the one that proves it is named nowhere else.
#[test]
fn the_throw_away_platform_is_named_in_its_folder_and_where_its_line_stands() {
    let names = ["carrier_pigeon", "carrierpigeon", "carrier-pigeon", "carrier pigeon"];
    let files = clone::files().unwrap();
    let named: Vec<&str> = files
        .iter()
        .filter(|file| names.iter().any(|name| file.text.to_lowercase().contains(name)))
        .map(|file| file.path.as_str())
        .collect();
    let expected = [
        "CONTRIBUTING.md",
        "crates/homard/src/compose/tests.rs",
        "crates/homard/src/compose/tests/carrier_pigeon.rs",
        "xtask/src/tidy/tests.rs",
    ];
    assert_eq!(named, expected);
}
