//! The small web server the browser comes back to: one path, one answer, on this machine only.

use std::convert::Infallible;
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use homard_runtime::OrCancel as _;
use http_body_util::Full;
use hyper::body::{Bytes, Incoming};
use hyper::header::{CACHE_CONTROL, CONTENT_TYPE, HeaderValue, REFERRER_POLICY};
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use url::Url;

use super::LoginError;
use super::browser::{BrowserLogin, Code};

/// How long a person may take.
const PATIENCE: Duration = Duration::from_secs(10 * 60);
/// How long a connection may take to say what it wants.
const HEADER_TIMEOUT: Duration = Duration::from_secs(10);
/// How long the page may take to reach the browser after the login.
const LAST_PAGE: Duration = Duration::from_secs(2);
/// Connections served at once; browsers open a few in advance.
const MAX_CONNECTIONS: usize = 16;

/// Waits for the browser to come back.
#[derive(Debug)]
pub struct Listener {
    four: TcpListener,
    six: Option<TcpListener>,
    path: String,
    redirect: String,
}

impl Listener {
    /// Opens the port a redirect address names; `None` when the address is not on this machine. Port 0 takes any
    /// free one.
    pub(super) async fn open(redirect: &str) -> Result<Option<Self>, LoginError> {
        let Ok(mut url) = Url::parse(redirect) else { return Ok(None) };
        let is_local = matches!(url.host_str(), Some("localhost" | "127.0.0.1" | "[::1]"));
        if url.scheme() != "http" || !is_local {
            return Ok(None);
        }
        let port = url.port().unwrap_or(80);
        let bound = TcpListener::bind(SocketAddr::from((Ipv4Addr::LOCALHOST, port))).await;
        let four = bound.map_err(|source| LoginError::Port { port, source })?;
        let port = four.local_addr().map_or(port, |address| address.port());
        // `localhost` is the newer address in some browsers; machines without it do well with the older.
        let six = TcpListener::bind(SocketAddr::from((Ipv6Addr::LOCALHOST, port))).await.ok();
        if url.set_port(Some(port)).is_err() {
            return Ok(None);
        }
        let path = url.path().to_owned();
        // An address the row spells out is repeated to the letter; providers compare letters.
        let redirect = if redirect.contains(":0/") { url.into() } else { redirect.to_owned() };
        Ok(Some(Self { four, six, path, redirect }))
    }

    /// The address given to the provider.
    #[must_use]
    pub fn redirect(&self) -> &str {
        &self.redirect
    }

    /// Waits for the answer to this login. Answers to other logins get a page and are otherwise ignored.
    ///
    /// # Errors
    /// When the provider refused, nobody came in time, or somebody stopped it.
    pub async fn wait(self, login: &BrowserLogin, cancel: &CancellationToken) -> Result<Code, LoginError> {
        match timeout(PATIENCE, self.serve(login)).or_cancel(cancel).await {
            Ok(Ok(answer)) => answer,
            Ok(Err(_)) => Err(LoginError::TooLate),
            Err(_) => Err(LoginError::Stopped),
        }
    }

    async fn serve(self, login: &BrowserLogin) -> Result<Code, LoginError> {
        let (tell, mut told) = mpsc::channel::<CallbackVisit>(MAX_CONNECTIONS);
        let path: Arc<str> = Arc::from(self.path.as_str());
        let mut open = JoinSet::new();
        loop {
            tokio::select! {
                Ok(stream) = accept(&self.four, self.six.as_ref()), if open.len() < MAX_CONNECTIONS => {
                    open.spawn(connection(stream, Arc::clone(&path), tell.clone()));
                }
                Some(asked) = told.recv() => {
                    let answer = login.answered(&asked.query);
                    let page = Page::of(&answer);
                    let seen = asked.answer.send(page).is_ok();
                    if !matches!(answer, Err(LoginError::WrongState)) {
                        if seen {
                            linger(&mut open).await;
                        }
                        return answer;
                    }
                }
                Some(_) = open.join_next() => {}
            }
        }
    }
}

/// Lets the last page reach the browser; keep-alive is off, so connections end by themselves.
async fn linger(open: &mut JoinSet<()>) {
    let ended = timeout(LAST_PAGE, async { while open.join_next().await.is_some() {} }).await;
    if ended.is_err() {
        tracing::debug!("a browser kept its connection after the login");
    }
}

async fn accept(four: &TcpListener, six: Option<&TcpListener>) -> std::io::Result<TcpStream> {
    let second = async {
        match six {
            Some(six) => six.accept().await,
            None => std::future::pending().await,
        }
    };
    tokio::select! {
        accepted = four.accept() => accepted.map(|(stream, _)| stream),
        accepted = second => accepted.map(|(stream, _)| stream),
    }
}

/// A visit of the right path, and where its page goes.
struct CallbackVisit {
    query: String,
    answer: tokio::sync::oneshot::Sender<Page>,
}

async fn connection(stream: TcpStream, path: Arc<str>, tell: mpsc::Sender<CallbackVisit>) {
    let service = service_fn(move |request: Request<Incoming>| {
        let (path, tell) = (Arc::clone(&path), tell.clone());
        async move { Ok::<_, Infallible>(visit(&request, &path, &tell).await.response()) }
    });
    let served = hyper::server::conn::http1::Builder::new()
        .keep_alive(false)
        .timer(TokioTimer::new())
        .header_read_timeout(HEADER_TIMEOUT)
        .serve_connection(TokioIo::new(stream), service)
        .await;
    if served.is_err() {
        tracing::debug!("a visitor of the login page hung up");
    }
}

async fn visit(request: &Request<Incoming>, path: &str, tell: &mpsc::Sender<CallbackVisit>) -> Page {
    if request.method() != Method::GET || request.uri().path() != path {
        return Page::Elsewhere;
    }
    let (answer, page) = tokio::sync::oneshot::channel();
    let query = request.uri().query().unwrap_or_default().to_owned();
    if tell.send(CallbackVisit { query, answer }).await.is_err() {
        return Page::Elsewhere;
    }
    page.await.unwrap_or(Page::Elsewhere)
}

/// What the person sees. Nothing of the request is repeated in it.
#[derive(Debug, Clone, Copy)]
enum Page {
    Done,
    Refused,
    OtherLogin,
    Elsewhere,
}

impl Page {
    fn of(answer: &Result<Code, LoginError>) -> Self {
        match answer {
            Ok(_) => Self::Done,
            Err(LoginError::WrongState) => Self::OtherLogin,
            Err(_) => Self::Refused,
        }
    }

    fn response(self) -> Response<Full<Bytes>> {
        let (status, title, text) = match self {
            Self::Done => {
                (StatusCode::OK, "You are logged in", "You can close this page and go back to Homard.")
            }
            Self::Refused => (
                StatusCode::OK,
                "The login did not work",
                "The provider refused it. Go back to Homard to see why, and try again.",
            ),
            Self::OtherLogin => (
                StatusCode::BAD_REQUEST,
                "This page belongs to another login",
                "Use the newest page Homard opened, or start the login again.",
            ),
            Self::Elsewhere => {
                (StatusCode::NOT_FOUND, "Nothing here", "Homard waits for a login on another page.")
            }
        };
        let html = format!(
            "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>{title}</title>\
             <style>body{{font:18px system-ui;margin:15vh auto;max-width:30em;padding:0 1em}}</style>\
             <h1>{title}</h1><p>{text}</p></html>"
        );
        let mut response = Response::new(Full::new(Bytes::from(html)));
        *response.status_mut() = status;
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8"));
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
        // The address holds the code; no other site may learn it.
        headers.insert(REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
        response
    }
}
