//! The listening socket: accepts, limits, and hands every connection to HTTP or WebSocket.

use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use homard_protocol::limits::CLOSE_GRACE;
use homard_runtime::{OrLog, Tasks};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio_util::sync::CancellationToken;

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
                if open.load(Ordering::Relaxed) >= MAX_SOCKETS {
                    tracing::warn!(%remote, limit = MAX_SOCKETS, "too many open sockets, dropped a new one");
                    continue;
                }
                let place = Place::take(&open);
                let gateway = Arc::clone(&gateway);
                tasks.spawn(async move {
                    serve(gateway, stream, remote).await;
                    drop(place);
                });
            }
            Err(error) => {
                tracing::warn!(%error, "could not accept a connection");
                tokio::time::sleep(ACCEPT_PAUSE).await;
            }
        }
    }
}

/// One of the open sockets, counted until dropped.
struct Place(Arc<AtomicUsize>);

impl Place {
    fn take(open: &Arc<AtomicUsize>) -> Self {
        open.fetch_add(1, Ordering::Relaxed);
        Self(Arc::clone(open))
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// One of the HTTP connections, counted until dropped.
struct Visit<'a>(&'a AtomicUsize);

impl<'a> Visit<'a> {
    fn begin(visitors: &'a AtomicUsize) -> Self {
        visitors.fetch_add(1, Ordering::Relaxed);
        Self(visitors)
    }
}

impl Drop for Visit<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

async fn serve(gateway: Arc<Gateway>, stream: TcpStream, remote: SocketAddr) {
    let host = Arc::clone(&gateway);
    let _visit = Visit::begin(host.visitors());
    stream.set_nodelay(true).or_log("could not turn off Nagle's algorithm for a connection");
    if gateway.tls().is_none() {
        return converse(gateway, stream, remote).await;
    }
    // Boxed, so that sockets without encryption stay as small as they are.
    Box::pin(async move {
        if let Some(stream) = encrypted::accept(&gateway, stream, remote).await {
            converse(gateway, stream, remote).await;
        }
    })
    .await;
}

async fn converse<S>(gateway: Arc<Gateway>, stream: S, remote: SocketAddr)
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let asked = CancellationToken::new();
    let service = hyper::service::service_fn(|request| {
        asked.cancel();
        let gateway = Arc::clone(&gateway);
        async move { Ok::<_, Infallible>(http::answer(gateway, request, remote.ip()).await) }
    });
    let connection = hyper::server::conn::http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEADER_TIMEOUT)
        .max_buf_size(HTTP_BUFFER)
        .serve_connection(TokioIo::new(stream), service)
        .with_upgrades();
    let (leaving, stopping) = (gateway.leaving().clone(), gateway.stopping().clone());
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
    if let Err(error) = ended {
        tracing::debug!(%error, %remote, "an HTTP connection ended badly");
    }
}

/// Binds the listening socket.
///
/// # Errors
/// When the address is taken or not ours.
pub async fn bind(address: SocketAddr) -> io::Result<TcpListener> {
    TcpListener::bind(address).await
}
