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
    let names = ["carrier_pigeon", "carrierpigeon"];
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

/// A new room has its place in both drawings.
#[test]
fn every_room_is_drawn() {
    let files = clone::files().unwrap();
    let text =
        |path: &str| files.iter().find(|file| file.path == path).map(|file| file.text.as_str()).unwrap();
    let (map, guide) = (text("ARCHITECTURE.md"), text("CONTRIBUTING.md"));
    let guide = guide.split("## Layers").nth(1).and_then(|rest| rest.split("\n## ").next()).unwrap();
    let map = map.split("## The life of a message").next().unwrap();
    let words = |text: &str| -> Vec<String> {
        text.split(|c: char| !c.is_alphanumeric() && c != '-').map(str::to_owned).collect()
    };
    let (map, guide) = (words(map), words(guide));
    for package in workspace::metadata().unwrap().packages {
        let short = package.name.strip_prefix("homard-").unwrap_or(&package.name);
        for (place, words) in [("ARCHITECTURE.md", &map), ("CONTRIBUTING.md", &guide)] {
            let is_drawn = words.iter().any(|word| *word == package.name || word == short);
            assert!(is_drawn, "{} is missing among the layers in {place}", package.name);
        }
    }
}
