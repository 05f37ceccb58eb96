//! Sizes worth a look. Nothing here fails: the one hard size is clippy's, for functions.

use std::collections::BTreeMap;

use super::clone::SourceFile;
use crate::workspace::Metadata;

/// Lines of a file that is not tests; beyond it nobody reads top-down.
const FILE_LINES: usize = 600;
/// Lines of a crate without tests.
const CRATE_LINES: usize = 12_000;
/// Entries of a folder.
const FOLDER_ENTRIES: usize = 30;
/// Our own packages a package uses.
const OWN_DEPENDENCIES: usize = 10;
/// Packages that put the others together.
const COMPOSERS: [&str; 2] = ["homard", "homard-gateway"];

/// What is larger than the house aims for, one line each.
pub(super) fn guidance(metadata: &Metadata, files: &[SourceFile]) -> Vec<String> {
    let mut lines = Vec::new();
    let mut crates: BTreeMap<&str, usize> = BTreeMap::new();
    let mut folders: BTreeMap<&str, usize> = BTreeMap::new();
    for file in files.iter().filter(|file| file.path.ends_with(".rs")) {
        if let Some((folder, _)) = file.path.rsplit_once('/') {
            *folders.entry(folder).or_default() += 1;
        }
        if file.is_test() {
            continue;
        }
        let length = file.text.lines().count();
        *crates.entry(crate_of(&file.path)).or_default() += length;
        if length > FILE_LINES {
            lines.push(format!("long file: {} has {length} lines (aim {FILE_LINES})", file.path));
        }
    }
    let long = crates.iter().filter(|(_, length)| **length > CRATE_LINES);
    lines.extend(
        long.map(|(name, length)| format!("large crate: {name} has {length} lines (aim {CRATE_LINES})")),
    );
    let wide = folders.iter().filter(|(_, count)| **count > FOLDER_ENTRIES);
    lines.extend(
        wide.map(|(path, count)| format!("wide folder: {path} has {count} files (aim {FOLDER_ENTRIES})")),
    );
    for package in metadata.packages.iter().filter(|package| !COMPOSERS.contains(&package.name.as_str())) {
        let own = package
            .dependencies
            .iter()
            .filter(|found| found.name.starts_with("homard-") && found.kind.is_none());
        let count = own.count();
        if count > OWN_DEPENDENCIES {
            lines.push(format!(
                "many rooms: {} uses {count} of our crates (aim {OWN_DEPENDENCIES})",
                package.name
            ));
        }
    }
    lines
}

/// The first two parts of a path, which is where crates are.
fn crate_of(path: &str) -> &str {
    let end = path.match_indices('/').nth(1).map_or(path.len(), |(at, _)| at);
    path.get(..end).unwrap_or(path)
}
