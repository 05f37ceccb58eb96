//! `HEARTBEAT.md`: whether there is anything in it to look at.

use std::path::Path;

use tokio::io::AsyncReadExt;

/// The file's name in a workspace.
const NAME: &str = "HEARTBEAT.md";
/// How much of it is read, in bytes; a file that says nothing for so long says something.
const MAX_BYTES: u64 = 64 * 1024;

/// Whether the file is there and says nothing. A missing one, or one that cannot be read, does not say that; but where
/// there is no workspace yet, nobody has begun anything.
pub(super) async fn says_nothing(workspace: &Path) -> bool {
    if tokio::fs::metadata(workspace).await.is_err() {
        return true;
    }
    let path = workspace.join(NAME);
    let is_file = tokio::fs::metadata(&path).await.is_ok_and(|meta| meta.is_file() && meta.len() < MAX_BYTES);
    if !is_file {
        return false;
    }
    let Ok(file) = tokio::fs::File::open(&path).await else { return false };
    let mut text = Vec::new();
    match file.take(MAX_BYTES).read_to_end(&mut text).await {
        Ok(_) => is_empty(&String::from_utf8_lossy(&text)),
        Err(_) => false,
    }
}

/// Whether a text is only blank lines, comments, headings and list items without words.
fn is_empty(text: &str) -> bool {
    without_comments(text).lines().map(str::trim).all(|line| {
        let heading = line.trim_start_matches('#');
        let is_heading = heading.len() < line.len() && (heading.is_empty() || heading.starts_with(' '));
        line.is_empty() || is_heading || is_empty_item(line)
    })
}

fn is_empty_item(line: &str) -> bool {
    let Some(rest) = line.strip_prefix(['-', '*', '+']) else { return false };
    let rest = rest.trim();
    matches!(rest, "" | "[]" | "[ ]" | "[x]" | "[X]")
}

/// The text without `<!-- … -->`; one that is not closed goes to the end.
fn without_comments(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut rest = text.strip_prefix('\u{feff}').unwrap_or(text);
    while let Some((before, comment)) = rest.split_once("<!--") {
        kept.push_str(before);
        rest = comment.split_once("-->").map_or("", |(_, after)| after);
    }
    kept.push_str(rest);
    kept
}

#[cfg(test)]
mod tests;
