//! Words a platform would take for something else: file names that look like addresses, and mentions that must stay.

/// Endings of files that are also ends of host names, so that a platform makes a link of `README.md`.
const ENDINGS: [&str; 14] =
    ["cc", "go", "md", "mk", "ml", "mov", "pl", "ps", "py", "rs", "sh", "so", "vi", "zip"];
/// Longest mention, in bytes.
const MAX_MENTION: usize = 32;

/// A stretch of text.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Stretch<'t> {
    RichText(&'t str),
    File(&'t str),
    /// A mention in the platform's own form.
    Mention(&'t str),
}

/// Finds file names.
pub(super) fn files(text: &str) -> Vec<Stretch<'_>> {
    let mut out = Vec::new();
    let mut from = 0;
    if text.contains('.') {
        let mut at = 0;
        for word in text.split_inclusive(char::is_whitespace) {
            let bare =
                word.trim_start_matches(|c: char| !is_part(c) && c != '.').trim_end_matches(|c| !is_part(c));
            if is_file(bare) {
                let start = at + word.find(bare).unwrap_or_default();
                push(&mut out, text.get(from..start), Stretch::RichText);
                from = start + bare.len();
                push(&mut out, text.get(start..from), Stretch::File);
            }
            at += word.len();
        }
    }
    push(&mut out, text.get(from..), Stretch::RichText);
    out
}

fn push<'t>(out: &mut Vec<Stretch<'t>>, text: Option<&'t str>, kind: fn(&'t str) -> Stretch<'t>) {
    if let Some(text) = text.filter(|text| !text.is_empty()) {
        out.push(kind(text));
    }
}

/// Whether a character can be part of a name or an address, so that it is looked at.
fn is_part(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '/' | '@' | ':' | '#')
}

fn is_file(word: &str) -> bool {
    let Some((name, ending)) = word.rsplit_once('.') else { return false };
    let folder = word.split_once('/').map_or("", |(first, _)| first.trim_start_matches('.'));
    !name.is_empty()
        && ENDINGS.iter().any(|known| known.eq_ignore_ascii_case(ending))
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b'/'))
        && !folder.contains('.')
        && !name.contains("//")
}

/// Finds `<@U…>`, `<#C…>` and `<!here>`.
pub(super) fn mentions(text: &str) -> Vec<Stretch<'_>> {
    let mut out = Vec::new();
    let mut from = 0;
    for (start, _) in text.match_indices('<') {
        if start < from {
            continue;
        }
        if let Some(length) = mention(text.get(start..).unwrap_or_default()) {
            push(&mut out, text.get(from..start), Stretch::RichText);
            from = start + length;
            push(&mut out, text.get(start..from), Stretch::Mention);
        }
    }
    push(&mut out, text.get(from..), Stretch::RichText);
    out
}

/// How long the mention is that a text begins with.
fn mention(text: &str) -> Option<usize> {
    let end = text.bytes().take(MAX_MENTION).position(|byte| byte == b'>')?;
    let inside = text.get(1..end)?;
    let (sign, name) = inside.split_at_checked(1)?;
    let (id, label) = name.split_once('|').unwrap_or((name, ""));
    let of = |extra: &[u8]| {
        !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || extra.contains(&byte))
    };
    let is_id = match sign {
        "@" => of(b"") && id.starts_with(['U', 'W']),
        "#" => of(b"") && id.starts_with(['C', 'G']),
        "!" => matches!(id, "here" | "channel" | "everyone") || (id.starts_with("subteam^") && of(b"^")),
        _ => false,
    };
    (is_id && !label.contains(['<', '&', '\n'])).then_some(end + 1)
}
