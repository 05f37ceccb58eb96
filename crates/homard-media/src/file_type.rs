//! What a file is: by its first bytes where it can be told from them, else by its name.

/// What pictures of the newer phones begin with, after four bytes.
const HEIC_MARKS: [&[u8]; 3] = [b"ftypheic", b"ftypheix", b"ftyphevc"];
const HEIF_MARKS: [&[u8]; 2] = [b"ftypmif1", b"ftypmsf1"];
/// Endings and what they mean; the first ending of a type is the one it gets.
const TYPES: [(&str, &str); 26] = [
    (".aac", "audio/aac"),
    (".csv", "text/csv"),
    (".flac", "audio/flac"),
    (".gif", "image/gif"),
    (".html", "text/html"),
    (".jpg", "image/jpeg"),
    (".jpeg", "image/jpeg"),
    (".json", "application/json"),
    (".m4a", "audio/mp4"),
    (".md", "text/markdown"),
    (".mov", "video/quicktime"),
    (".mp3", "audio/mpeg"),
    (".mp4", "video/mp4"),
    (".oga", "audio/ogg"),
    (".ogg", "audio/ogg"),
    (".opus", "audio/ogg"),
    (".pdf", "application/pdf"),
    (".png", "image/png"),
    (".svg", "image/svg+xml"),
    (".txt", "text/plain"),
    (".wav", "audio/wav"),
    (".webm", "video/webm"),
    (".webp", "image/webp"),
    (".xml", "application/xml"),
    (".zip", "application/zip"),
    (".bin", "application/octet-stream"),
];

/// Tells a picture a model can look at by its first bytes; names lie.
#[must_use]
pub fn image_type(start: &[u8]) -> Option<&'static str> {
    if start.starts_with(b"\x89PNG\r\n\x1a\n") {
        Some("image/png")
    } else if start.starts_with(b"\xff\xd8\xff") {
        Some("image/jpeg")
    } else if start.starts_with(b"GIF87a") || start.starts_with(b"GIF89a") {
        Some("image/gif")
    } else if start.starts_with(b"RIFF") && start.get(8..12) == Some(b"WEBP") {
        Some("image/webp")
    } else {
        None
    }
}

/// The type of a picture, those of newer phones among them.
#[must_use]
pub fn photo_type(start: &[u8]) -> Option<&'static str> {
    let begins = |marks: &[&[u8]]| marks.iter().any(|mark| start.get(4..12) == Some(*mark));
    match image_type(start) {
        Some(kind) => Some(kind),
        None if begins(&HEIC_MARKS) => Some("image/heic"),
        None if begins(&HEIF_MARKS) => Some("image/heif"),
        None => None,
    }
}

/// The type of pictures, sound and films that browsers show without running anything.
#[must_use]
pub fn media_type(extension: &str) -> Option<&'static str> {
    Some(match extension {
        "png" => "image/png",
        "jpg" | "jpeg" => "image/jpeg",
        "gif" => "image/gif",
        "webp" => "image/webp",
        "avif" => "image/avif",
        "bmp" => "image/bmp",
        "ico" => "image/x-icon",
        "mp3" => "audio/mpeg",
        "wav" => "audio/wav",
        "ogg" | "oga" | "opus" => "audio/ogg",
        "m4a" => "audio/mp4",
        "flac" => "audio/flac",
        "mp4" | "m4v" => "video/mp4",
        "webm" => "video/webm",
        "mov" => "video/quicktime",
        _ => return None,
    })
}

/// The type of a file by its name; unknown ones are bytes.
#[must_use]
pub fn type_of_name(name: &str) -> &'static str {
    let name = name.to_ascii_lowercase();
    let known = TYPES.iter().find(|(ending, _)| name.ends_with(ending));
    known.map_or("application/octet-stream", |(_, mime)| mime)
}

/// The ending of files of a type, with its dot; empty for unknown ones.
#[must_use]
pub fn ending_of_type(mime: &str) -> &'static str {
    TYPES.iter().find(|(_, known)| *known == mime).map_or("", |(ending, _)| ending)
}

#[cfg(test)]
mod tests;
