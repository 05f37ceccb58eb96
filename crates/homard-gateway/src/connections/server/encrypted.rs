//! A socket on a port that speaks TLS: the handshake, and a few words for those who forgot it.

use std::io;
use std::net::IpAddr;
use std::time::Duration;

use homard_protocol::limits::CLOSE_GRACE;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;

use crate::gateway::Gateway;

/// First byte of every TLS connection.
const TLS_HANDSHAKE: u8 = 0x16;
/// How long a client may take to say its first word.
const FIRST_WORD: Duration = Duration::from_secs(10);
/// What is read at a time of a request nobody will answer.
const DRAIN_BUFFER: usize = 4_096;
/// How much of it is read before we hang up.
const MAX_DRAINED: usize = 256 * 1024;
/// What somebody hears who speaks plainly.
const PLAIN_ANSWER: &str = "HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain; charset=utf-8\r\n\
    Content-Length: 66\r\nConnection: close\r\n\r\n\
    This gateway speaks TLS on this port; use https:// or wss:// here.";

/// Shakes hands; `None` when there is nobody to talk to.
pub(super) async fn accept(
    gateway: &Gateway,
    mut stream: TcpStream,
    remote: IpAddr,
) -> Option<impl tokio::io::AsyncRead + tokio::io::AsyncWrite + Unpin + Send + 'static> {
    let door = gateway.connections().tls.as_ref()?;
    let mut first = [0_u8; 1];
    let heard = tokio::select! {
        heard = timeout(FIRST_WORD, stream.peek(&mut first)) => heard,
        () = gateway.lifecycle().stopping.cancelled() => return None,
    };
    let Ok(Ok(1)) = heard else { return None };
    if first != [TLS_HANDSHAKE] {
        if let Err(error) = explain(&mut stream).await
            && gateway.access().noise.allows("client without TLS")
        {
            tracing::debug!(%error, %remote, "a client without TLS went away");
        }
        return None;
    }
    match door.accept(stream).await {
        Ok(stream) => Some(stream),
        Err(error) => {
            if gateway.access().noise.allows("TLS handshake failed") {
                tracing::debug!(%error, %remote, "a TLS handshake failed");
            }
            None
        }
    }
}

/// Answers in plain words and reads what still comes, so that the words arrive before the line is cut.
async fn explain(stream: &mut TcpStream) -> io::Result<()> {
    let mut buffer = [0_u8; DRAIN_BUFFER];
    let mut read = stream.read(&mut buffer).await?;
    stream.write_all(PLAIN_ANSWER.as_bytes()).await?;
    stream.shutdown().await?;
    let draining = async {
        while read < MAX_DRAINED {
            match stream.read(&mut buffer).await {
                Ok(more @ 1..) => read += more,
                Ok(0) | Err(_) => return,
            }
        }
    };
    // Whoever keeps talking is cut off.
    drop(timeout(CLOSE_GRACE, draining).await);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::PLAIN_ANSWER;

    #[test]
    fn the_answer_says_how_long_it_is() {
        let (head, body) = PLAIN_ANSWER.split_once("\r\n\r\n").unwrap();
        assert!(head.contains(&format!("Content-Length: {}\r\n", body.len())), "{}", body.len());
    }
}
