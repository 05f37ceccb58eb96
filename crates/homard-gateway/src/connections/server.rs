//! The listening socket: accepts, limits, and hands every connection to HTTP or WebSocket.

use std::convert::Infallible;
use std::io::{self, Write};
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use homard_protocol::limits::CLOSE_GRACE;
use homard_runtime::{Mutex, Tasks};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio_util::sync::CancellationToken;

use crate::access::origin::Source;
use crate::connections::connection_limits::Ticket;
use crate::gateway::Gateway;
use crate::http;

mod encrypted;

/// Sockets open at once, of whatever kind. Beyond it new ones are dropped, so that files and memory stay ours.
const MAX_SOCKETS: usize = 8_192;
/// How long a client may take to send a request's head.
const HEADER_TIMEOUT: Duration = Duration::from_secs(15);
/// How long to wait after the system had no socket to give.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);
/// How long a connection that is to end waits for its first request.
const FIRST_REQUEST_GRACE: Duration = Duration::from_millis(150);
/// HTTP's read buffer per connection; heads and small bodies fit.
const HTTP_BUFFER: usize = 16 * 1024;

/// What somebody hears who has too many sockets open.
const BUSY_ANSWER: &str = "HTTP/1.1 503 Service Unavailable\r\nContent-Type: text/plain; charset=utf-8\r\n\
    Content-Length: 80\r\nRetry-After: 15\r\nConnection: close\r\n\r\n\
    Too many connections are open from your address; close some, or try again later.";

/// Accepts until cancelled. Connections outlive this; `tasks` waits for them.
pub(crate) async fn accept(
    gateway: Arc<Gateway>,
    listener: TcpListener,
    tasks: Tasks,
    cancel: CancellationToken,
) {
    let open = Arc::new(AtomicUsize::new(0));
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            () = cancel.cancelled() => return,
        };
        match accepted {
            Ok((stream, remote)) => {
                let Some((place, silent)) = SocketPlace::take(&gateway, &open, remote.ip()) else {
                    if gateway.access().noise.allows("socket turned away") {
                        tracing::warn!(%remote, "too many open sockets, turned a new one away");
                    }
                    turn_away(&gateway, stream);
                    continue;
                };
                let visit = HttpConnection::begin(&gateway);
                let serving = serve(Arc::clone(&gateway), stream, place, silent);
                tasks.spawn(async move {
                    serving.await;
                    drop(visit);
                });
            }
            Err(error) => {
                if gateway.access().noise.allows("connection not accepted") {
                    tracing::warn!(%error, "could not accept a connection");
                }
                tokio::time::sleep(ACCEPT_PAUSE).await;
            }
        }
    }
}

/// Says why, where that costs nothing, and hangs up.
fn turn_away(gateway: &Gateway, stream: TcpStream) {
    if gateway.connections().tls.is_none()
        && let Ok(mut stream) = stream.into_std()
    {
        // Whoever does not hear it is turned away all the same.
        let _heard = stream.write(BUSY_ANSWER.as_bytes());
    }
}

/// One of the open sockets, counted until dropped; a WebSocket keeps it to its end.
#[derive(Debug)]
pub(crate) struct SocketPlace {
    /// Who connected, which may be a proxy.
    pub(crate) remote: IpAddr,
    /// Whom that is counted against.
    pub(crate) source: Source,
    _ticket: Ticket,
    open: Arc<AtomicUsize>,
}

impl SocketPlace {
    /// A place among the open and one among those that have asked for nothing yet, if both have one left.
    fn take(gateway: &Gateway, open: &Arc<AtomicUsize>, remote: IpAddr) -> Option<(Arc<Self>, Ticket)> {
        if open.load(Ordering::Relaxed) >= MAX_SOCKETS {
            return None;
        }
        let (source, connection_limits) =
            (Source::of_socket(remote, &gateway.access().rules().proxies), &gateway.connections().limits);
        let silent = connection_limits.silent.enter(source.clone())?;
        let ticket = connection_limits.open.enter(source.clone())?;
        open.fetch_add(1, Ordering::Relaxed);
        Some((Arc::new(Self { remote, source, _ticket: ticket, open: Arc::clone(open) }), silent))
    }
}

impl Drop for SocketPlace {
    fn drop(&mut self) {
        self.open.fetch_sub(1, Ordering::Relaxed);
    }
}

/// One of the HTTP connections, counted from the moment it is accepted until dropped: one whose task has not begun yet
/// wants to be answered, too, when another process takes over.
struct HttpConnection(Arc<Gateway>);

impl HttpConnection {
    fn begin(gateway: &Arc<Gateway>) -> Self {
        gateway.connections().visitors.fetch_add(1, Ordering::Relaxed);
        Self(Arc::clone(gateway))
    }
}

impl Drop for HttpConnection {
    fn drop(&mut self) {
        self.0.connections().visitors.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Serves one connection. `silent` is its place among those that have asked for nothing yet.
async fn serve(gateway: Arc<Gateway>, stream: TcpStream, place: Arc<SocketPlace>, silent: Ticket) {
    let quick = stream.set_nodelay(true);
    gateway.access().noise.or_log(quick, "could not turn off Nagle's algorithm for a connection");
    if gateway.connections().tls.is_none() {
        return converse(gateway, stream, place, silent).await;
    }
    // Boxed, so that sockets without encryption stay as small as they are.
    Box::pin(async move {
        if let Some(stream) = encrypted::accept(&gateway, stream, place.remote).await {
            converse(gateway, stream, place, silent).await;
        }
    })
    .await;
}

async fn converse<S>(gateway: Arc<Gateway>, stream: S, place: Arc<SocketPlace>, silent: Ticket)
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let asked = CancellationToken::new();
    let silent = Mutex::new(Some(silent));
    let service = hyper::service::service_fn(|request| {
        asked.cancel();
        drop(silent.lock().take());
        let (gateway, place) = (Arc::clone(&gateway), Arc::clone(&place));
        async move { Ok::<_, Infallible>(http::answer(gateway, request, place).await) }
    });
    let connection = hyper::server::conn::http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEADER_TIMEOUT)
        .max_buf_size(HTTP_BUFFER)
        .serve_connection(TokioIo::new(stream), service)
        .with_upgrades();
    let (leaving, stopping) = (gateway.lifecycle().leaving.clone(), gateway.lifecycle().stopping.clone());
    tokio::pin!(connection);
    let to_end = async {
        tokio::select! {
            () = leaving.cancelled() => {}
            () = stopping.cancelled() => {}
        }
        // Somebody who has just come in may be about to ask; everybody else knows that a connection that was
        // used may close.
        let _silent = tokio::time::timeout(FIRST_REQUEST_GRACE, asked.cancelled()).await;
    };
    let ended = tokio::select! {
        ended = connection.as_mut() => ended,
        () = to_end => {
            // The request under way is answered; how long that may take is known when the gateway stops.
            connection.as_mut().graceful_shutdown();
            let too_slow = async {
                stopping.cancelled().await;
                tokio::time::sleep(CLOSE_GRACE).await;
            };
            tokio::select! {
                ended = connection => ended,
                () = too_slow => return,
            }
        }
    };
    if let Err(error) = ended
        && gateway.access().noise.allows("bad HTTP")
    {
        tracing::debug!(%error, remote = %place.remote, "an HTTP connection ended badly");
    }
}

/// Binds the listening socket.
///
/// # Errors
/// When the address is taken or not ours.
pub async fn bind(address: SocketAddr) -> io::Result<TcpListener> {
    TcpListener::bind(address).await
}

#[cfg(test)]
mod tests {
    use super::BUSY_ANSWER;

    #[test]
    fn the_answer_says_how_long_it_is() {
        let (head, body) = BUSY_ANSWER.split_once("\r\n\r\n").unwrap();
        assert!(head.contains(&format!("Content-Length: {}\r\n", body.len())), "{}", body.len());
    }
}
