//! What stands in a file where something else was expected.

use homard_runtime::{Arrange as _, Clip};

/// Most lines compared when looking for what was meant.
const MAX_COMPARED_LINES: usize = 20_000;
/// Most of a line that is compared and shown.
const MAX_LINE_CHARS: usize = 200;
/// Most nearest lines shown.
const MAX_NEAR: usize = 3;
/// Least likeness (0 to 1) of a line that is shown.
const LIKENESS: f64 = 0.5;

/// The lines most like the first line that was asked for, so that the model can see what really stands there.
pub(crate) fn nearest_lines(text: &str, old: &str) -> String {
    let cut = |line: &str| line.trim().clip_chars(MAX_LINE_CHARS).to_owned();
    let Some(wanted) = old.lines().map(cut).find(|line| !line.is_empty()) else { return String::new() };
    let lines = text.lines().enumerate().take(MAX_COMPARED_LINES);
    let mut alike: Vec<(f64, usize, String)> = lines
        .map(|(index, line)| (strsim::sorensen_dice(&wanted, &cut(line)), index + 1, line))
        .filter(|(likeness, _, line)| *likeness >= LIKENESS && !line.trim().is_empty())
        .map(|(likeness, number, line)| (likeness, number, line.clip_chars(MAX_LINE_CHARS).to_owned()))
        .collect();
    alike.arrange_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    alike.truncate(MAX_NEAR);
    if alike.is_empty() {
        return "; no line is like its first one: read the file again".to_owned();
    }
    let shown: String = alike.iter().map(|(_, number, line)| format!("\n{number}: {line}")).collect();
    format!(". Nearest lines:{shown}")
}
