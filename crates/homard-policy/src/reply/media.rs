//! Lines by which a model attaches files: `MEDIA:<path or address>`.

/// Most files one answer may name; lines beyond that stay text.
pub const MAX_MEDIA: usize = 64;
/// What such a line begins with.
const TOKEN: &str = "MEDIA:";
/// Marks a line or its value may be wrapped in.
const WRAPS: [char; 3] = ['`', '"', '\''];
/// Longest ending that makes a bare word a file name, in bytes.
const MAX_EXTENSION: usize = 8;

/// Takes the media lines out of a text. Whether a path may be read is for others to say; lines in code and lines that
/// name nothing stay as they are.
#[must_use]
pub fn split_media(text: &str) -> (String, Vec<String>) {
    if !text.contains(TOKEN) {
        return (text.trim().to_owned(), Vec::new());
    }
    let mut media: Vec<String> = Vec::new();
    let mut kept: Vec<&str> = Vec::new();
    let mut fence: Option<&str> = None;
    let mut after_media = false;
    for line in text.lines() {
        fence = fence_after(fence, line);
        let named = if fence.is_none() { named_in(line) } else { Vec::new() };
        if !named.is_empty() && media.len() + named.len() <= MAX_MEDIA {
            for one in named {
                if !media.contains(&one) {
                    media.push(one);
                }
            }
            after_media = true;
            continue;
        }
        let doubled = line.trim().is_empty() && kept.last().is_none_or(|last| last.trim().is_empty());
        if !(after_media && doubled) {
            kept.push(line);
            after_media = false;
        }
    }
    (kept.join("\n").trim().to_owned(), media)
}

/// The fence we are in after `line`: its opening run.
fn fence_after<'a>(fence: Option<&'a str>, line: &'a str) -> Option<&'a str> {
    let bare = line.trim_start();
    let run = |c: char| bare.get(..bare.len() - bare.trim_start_matches(c).len()).unwrap_or_default();
    let marks = if bare.starts_with('~') { run('~') } else { run('`') };
    match fence {
        None => {
            (marks.len() >= 3 && !bare.get(marks.len()..).unwrap_or_default().contains('`')).then_some(marks)
        }
        Some(open) => {
            let closes = marks.starts_with(open) && bare.trim_end().len() == marks.len();
            if closes { None } else { fence }
        }
    }
}

/// The files a line names; none when it is an ordinary line.
fn named_in(line: &str) -> Vec<String> {
    let Some(value) = unwrapped(line.trim()).trim().strip_prefix(TOKEN) else { return Vec::new() };
    let value = value.trim();
    let bare = unwrapped(value).trim();
    if bare.len() < value.len() {
        return source(bare).into_iter().collect();
    }
    let words = bare.split_whitespace().map(unwrapped);
    let several = words.clone().skip(1).all(|word| !is_file_name(word));
    let words: Option<Vec<String>> = words.map(source).collect();
    match words.filter(|_| several) {
        Some(words) => words,
        None => source(bare).into_iter().collect(),
    }
}

/// Without the marks around it, where there is the same one on both sides.
fn unwrapped(text: &str) -> &str {
    let inside =
        |wrap: char| text.strip_prefix(wrap)?.strip_suffix(wrap).filter(|inside| !inside.contains(wrap));
    WRAPS.into_iter().find_map(inside).unwrap_or(text)
}

/// A path or an address, if it is one.
fn source(word: &str) -> Option<String> {
    if word.is_empty() || word.chars().any(char::is_control) {
        return None;
    }
    if let Some(path) = word.strip_prefix("file://") {
        return path.starts_with('/').then(|| path.to_owned());
    }
    let lower = word.get(..8.min(word.len())).unwrap_or(word).to_ascii_lowercase();
    if lower.starts_with("http://") || lower.starts_with("https://") {
        return (!word.contains(char::is_whitespace) && word.len() > lower.len()).then(|| word.to_owned());
    }
    let begins_path =
        ["/", "./", "../", "~/"].iter().any(|start| word.starts_with(start) && word.len() > start.len());
    (begins_path || has_drive(word) || is_file_name(word)).then(|| word.to_owned())
}

/// `C:\…`.
fn has_drive(word: &str) -> bool {
    matches!(word.as_bytes(), [drive, b':', b'\\' | b'/', _, ..] if drive.is_ascii_alphabetic())
}

/// `picture.png`, `out/picture.png`.
fn is_file_name(word: &str) -> bool {
    let ends = word.rsplit_once('.').is_some_and(|(name, end)| {
        !name.is_empty()
            && (1..=MAX_EXTENSION).contains(&end.len())
            && end.bytes().all(|byte| byte.is_ascii_alphanumeric())
    });
    ends && !word.starts_with(['/', '.', '~']) && !word.contains(':') && !word.contains(char::is_whitespace)
}
