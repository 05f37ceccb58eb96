//! Requests with a body, and raw bytes on a socket.

use homard_testkit::WAIT_CAP;
use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::scenarios::world::Page;

/// Sends a body and reads the whole answer.
pub(crate) async fn post(port: u16, path: &str, headers: &[(&str, &str)], body: &str) -> Page {
    let named = headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("host"));
    let host = if named { String::new() } else { format!("Host: 127.0.0.1:{port}\r\n") };
    let more: String = headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
    let text = format!(
        "POST {path} HTTP/1.1\r\n{host}{more}Content-Length: {}\r\nConnection: close\r\n\r\n{body}",
        body.len()
    );
    page(&raw(port, text.as_bytes()).await)
}

/// Sends bytes and reads everything that comes back until the other side closes.
pub(crate) async fn raw(port: u16, bytes: &[u8]) -> String {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).await.unwrap();
    stream.write_all(bytes).await.unwrap();
    let mut answer = Vec::new();
    // A server that refuses a body may close before all of it was read.
    let _reset = tokio::time::timeout(WAIT_CAP, stream.read_to_end(&mut answer)).await.unwrap();
    String::from_utf8_lossy(&answer).into_owned()
}

/// The answer in bytes that came back.
pub(crate) fn page(answer: &str) -> Page {
    let (head, body) = answer.split_once("\r\n\r\n").unwrap_or((answer, ""));
    let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0);
    Page { status, head: head.to_owned(), body: body.to_owned() }
}

/// Its body as JSON.
pub(crate) fn json_of(page: &Page) -> Value {
    serde_json::from_str(&page.body).unwrap_or_else(|error| panic!("{error}: {page:?}"))
}
