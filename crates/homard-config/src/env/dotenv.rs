//! Reading `.env` text. Lines that make no sense are skipped, as every program that reads such files does.

/// Variables in the order they are written; when a name comes twice, the first wins with the caller.
pub(crate) fn parse(text: &str) -> Vec<(String, String)> {
    let mut pairs = Vec::new();
    let mut rest = text.strip_prefix('\u{feff}').unwrap_or(text);
    while !rest.is_empty() {
        let (pair, after) = entry(rest);
        pairs.extend(pair);
        rest = after;
    }
    pairs
}

/// One line (or one quoted value over several lines) and what follows it.
fn entry(text: &str) -> (Option<(String, String)>, &str) {
    let (line, after) = text.split_once('\n').unwrap_or((text, ""));
    let Some((name, value)) = line.split_once('=') else { return (None, after) };
    let name = name.trim();
    let name =
        name.strip_prefix("export").filter(|n| n.starts_with(char::is_whitespace)).unwrap_or(name).trim();
    if !is_name(name) {
        return (None, after);
    }
    let start = value.trim_start();
    let Some(quote) = start.chars().next().filter(|c| matches!(c, '"' | '\'' | '`')) else {
        return (Some((name.to_owned(), unquoted(value))), after);
    };
    // A quoted value may run over several lines, so look for its end in the whole rest.
    let opening = text.find('=').map_or(0, |eq| eq + 1 + (value.len() - start.len()));
    let inner = text.get(opening + 1..).unwrap_or("");
    match closing(inner, quote) {
        Some(end) => {
            let value = inner.get(..end).unwrap_or("");
            let value = if quote == '"' { unescape(value) } else { value.to_owned() };
            let tail = inner.get(end + 1..).unwrap_or("");
            (Some((name.to_owned(), value)), tail.split_once('\n').map_or("", |(_, next)| next))
        }
        None => (Some((name.to_owned(), unquoted(value))), after),
    }
}

fn closing(inner: &str, quote: char) -> Option<usize> {
    let mut escaped = false;
    for (at, c) in inner.char_indices() {
        if escaped {
            escaped = false;
        } else if c == '\\' && quote == '"' {
            escaped = true;
        } else if c == quote {
            return Some(at);
        }
    }
    None
}

fn unquoted(value: &str) -> String {
    let end = value
        .char_indices()
        .find(|&(at, c)| c == '#' && value.get(..at).is_none_or(|b| b.is_empty() || b.ends_with([' ', '\t'])))
        .map_or(value.len(), |(at, _)| at);
    value.get(..end).unwrap_or(value).trim().to_owned()
}

fn unescape(value: &str) -> String {
    let mut out = String::with_capacity(value.len());
    let mut chars = value.chars();
    while let Some(c) = chars.next() {
        if c != '\\' {
            out.push(c);
            continue;
        }
        match chars.next() {
            Some('n') => out.push('\n'),
            Some('r') => out.push('\r'),
            Some('t') => out.push('\t'),
            Some(other @ ('"' | '\\' | '$')) => out.push(other),
            Some(other) => out.extend(['\\', other]),
            None => out.push('\\'),
        }
    }
    out
}

fn is_name(name: &str) -> bool {
    !name.is_empty()
        && !name.starts_with(|c: char| c.is_ascii_digit())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '.' || c == '-')
}

#[cfg(test)]
mod tests;
