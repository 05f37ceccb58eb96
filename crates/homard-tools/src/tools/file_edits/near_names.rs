//! What a misspelled file name may have meant.

use std::path::Path;

use homard_runtime::Arrange as _;

/// Most directory entries looked at.
const MAX_ENTRIES: usize = 2_000;
/// Most names offered.
const MAX_NAMES: usize = 5;
/// Least likeness (0 to 1) of a name that is offered.
const LIKENESS: f64 = 0.7;

/// A sentence naming files beside `path` that are spelled alike, or saying that the directory is missing;
/// empty when there is nothing useful to say.
pub(crate) fn near_names(path: &Path) -> String {
    let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else { return String::new() };
    let name = name.to_string_lossy().to_lowercase();
    let Ok(entries) = parent.read_dir() else { return "; its directory does not exist".to_owned() };
    let mut alike: Vec<(f64, String)> = entries
        .take(MAX_ENTRIES)
        .flatten()
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .map(|other| (strsim::jaro_winkler(&name, &other.to_lowercase()), other))
        .filter(|(likeness, _)| *likeness >= LIKENESS)
        .collect();
    alike.arrange_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    let names: Vec<String> = alike.into_iter().take(MAX_NAMES).map(|(_, name)| format!("`{name}`")).collect();
    if names.is_empty() { String::new() } else { format!("; similar names there: {}", names.join(", ")) }
}
