//! Paths as people write, drag and complete them.

use std::path::{Path, PathBuf};

use percent_encoding::percent_decode_str;

/// The word behind an at sign that ends at the cursor.
pub(crate) fn at_word(before: &str) -> Option<String> {
    let from = before
        .rfind(char::is_whitespace)
        .map_or(0, |at| at + before.get(at..).and_then(|rest| rest.chars().next()).map_or(1, char::len_utf8));
    before.get(from..)?.strip_prefix('@').map(str::to_owned)
}

/// A pasted text as a path, where it looks like one that was dragged here: quoted, with escaped spaces, or an address.
pub(crate) fn dragged(text: &str) -> Option<PathBuf> {
    let text = text.trim();
    if text.is_empty() || text.contains('\n') {
        return None;
    }
    let plain = match text.strip_prefix("file://") {
        Some(rest) => {
            let rest = rest.strip_prefix("localhost").unwrap_or(rest);
            percent_decode_str(rest).decode_utf8_lossy().into_owned()
        }
        None => unquoted(text),
    };
    let is_path = plain.starts_with('/') && plain.len() > 1 || plain.starts_with("~/");
    is_path.then(|| PathBuf::from(plain))
}

fn unquoted(text: &str) -> String {
    for quote in ['\'', '"'] {
        if let Some(inner) = text.strip_prefix(quote).and_then(|rest| rest.strip_suffix(quote)) {
            return inner.to_owned();
        }
    }
    let mut out = String::with_capacity(text.len());
    let mut escaped = false;
    for character in text.chars() {
        if character == '\\' && !escaped {
            escaped = true;
        } else {
            out.push(character);
            escaped = false;
        }
    }
    out
}

/// A path as it is written, from the home or the working directory.
pub(crate) fn resolved(path: &Path, home: Option<&Path>, cwd: &Path) -> PathBuf {
    match (path.strip_prefix("~"), home) {
        (Ok(rest), Some(home)) => home.join(rest),
        _ => cwd.join(path),
    }
}

/// The directory to look in and the beginning of a name, of a half-written path.
pub(crate) fn halves(word: &str) -> (&str, &str) {
    word.rfind('/').map_or(("", word), |at| word.split_at(at + 1))
}

/// What kind of file an ending says, for the wire: kind and type.
pub(crate) fn mime(name: &str) -> (&'static str, &'static str) {
    let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending).to_lowercase();
    match ending.as_str() {
        "png" => ("image", "image/png"),
        "jpg" | "jpeg" => ("image", "image/jpeg"),
        "gif" => ("image", "image/gif"),
        "webp" => ("image", "image/webp"),
        "mp3" => ("audio", "audio/mpeg"),
        "wav" => ("audio", "audio/wav"),
        "ogg" | "oga" | "opus" => ("audio", "audio/ogg"),
        "m4a" => ("audio", "audio/mp4"),
        "pdf" => ("file", "application/pdf"),
        "json" => ("file", "application/json"),
        "html" | "htm" => ("file", "text/html"),
        "csv" => ("file", "text/csv"),
        "md" | "markdown" => ("file", "text/markdown"),
        "zip" | "gz" | "xz" | "zst" | "7z" | "bin" | "exe" | "so" | "mp4" | "mov" | "mkv" | "webm"
        | "docx" | "xlsx" | "pptx" | "odt" | "db" | "sqlite" => ("file", "application/octet-stream"),
        _ => ("file", "text/plain"),
    }
}

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};

    use super::{at_word, dragged, halves, mime, resolved};

    #[test]
    fn dragged_paths_are_recognised_in_every_terminals_spelling() {
        let cases = [
            ("/tmp/a.png", Some("/tmp/a.png")),
            ("'/tmp/a b.png' ", Some("/tmp/a b.png")),
            ("/tmp/a\\ b.png", Some("/tmp/a b.png")),
            ("file:///tmp/a%20b.png", Some("/tmp/a b.png")),
            ("file://localhost/tmp/%zz", Some("/tmp/%zz")),
            ("~/notes.md", Some("~/notes.md")),
            ("see /tmp/a.png", None),
            ("/", None),
            ("/one\n/two", None),
            ("", None),
        ];
        for (text, path) in cases {
            assert_eq!(dragged(text), path.map(PathBuf::from), "{text:?}");
        }
    }

    #[test]
    fn words_paths_and_kinds_are_told_apart() {
        for (before, word) in [("@", Some("")), ("a @b/c", Some("b/c")), ("a@b", None), ("@a b", None)] {
            assert_eq!(at_word(before).as_deref(), word, "{before:?}");
        }
        assert_eq!(halves("src/ma"), ("src/", "ma"));
        assert_eq!(halves("ma"), ("", "ma"));
        let (home, cwd) = (Path::new("/home/me"), Path::new("/srv"));
        for (path, wanted) in [("~/x", "/home/me/x"), ("x", "/srv/x"), ("/x", "/x")] {
            assert_eq!(resolved(Path::new(path), Some(home), cwd), Path::new(wanted));
        }
        assert_eq!((mime("a.PNG"), mime("main.rs")), (("image", "image/png"), ("file", "text/plain")));
    }
}
