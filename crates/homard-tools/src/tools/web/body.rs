//! Reading what a server sends, no more than wanted.

use std::time::Duration;

use reqwest::header::CONTENT_TYPE;
use reqwest::{ClientBuilder, Response};

/// How long a connection may take to stand.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// What every client of these tools has in common: nobody is followed without being looked at.
pub(crate) fn client(is_plain: bool) -> ClientBuilder {
    let builder = if is_plain { homard_http::plain_client() } else { homard_http::client() };
    builder.connect_timeout(CONNECT_TIMEOUT).referer(false)
}

/// The first `limit` bytes, and whether more would have come.
pub(crate) async fn read_up_to(
    response: &mut Response,
    limit: usize,
) -> Result<(Vec<u8>, bool), reqwest::Error> {
    let mut body = Vec::new();
    while let Some(piece) = response.chunk().await? {
        let room = limit - body.len();
        body.extend_from_slice(piece.get(..room.min(piece.len())).unwrap_or_default());
        if piece.len() > room {
            return Ok((body, true));
        }
    }
    Ok((body, false))
}

/// The kind of content without its parameters, in small letters, and the alphabet it names.
pub(crate) fn kind(response: &Response) -> (String, Option<String>) {
    let value = response.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let value = value.unwrap_or_default().to_ascii_lowercase();
    let (kind, parameters) = value.split_once(';').unwrap_or((&value, ""));
    let charset = parameters.split(';').find_map(|parameter| parameter.trim().strip_prefix("charset="));
    (kind.trim().to_owned(), charset.map(|charset| charset.trim_matches(['"', '\'', ' ']).to_owned()))
}

/// Bytes as text. Pages are UTF-8 today; the Western alphabet of old ones is understood too, and what cannot be
/// read is shown as such.
pub(crate) fn text(bytes: &[u8], charset: Option<&str>) -> String {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let is_western =
        charset.is_some_and(|name| matches!(name, "iso-8859-1" | "iso8859-1" | "latin1" | "windows-1252"));
    match std::str::from_utf8(bytes) {
        Ok(text) => text.to_owned(),
        Err(_) if is_western => bytes.iter().map(|byte| char::from(*byte)).collect(),
        Err(_) => String::from_utf8_lossy(bytes).into_owned(),
    }
}
