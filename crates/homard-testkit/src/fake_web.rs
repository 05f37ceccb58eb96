//! A fake web: pages of every kind at chosen paths, and the search services beside them.
//!
//! The services are as strict as their documentation: a field they do not name is an error, as is a value outside
//! what they list, so that a question they would refuse fails here first.

mod search;

use std::collections::HashMap;
use std::convert::Infallible;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;

use anyhow::{Context as _, Result};
use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::response::Response;
use axum::routing::{get, post};
use bytes::Bytes;
use futures_util::{StreamExt as _, stream};
use homard_runtime::{Mutex, OrLog as _, Tasks};
use http::{HeaderValue, StatusCode, header};
use serde_json::Value;
use tokio::net::TcpListener;

/// The key the search services accept.
pub const FAKE_SEARCH_KEY: &str = "fake-search-key";
/// How much an endless page sends at a time.
const PIECE: usize = 16 * 1024;

/// What a path answers.
#[derive(Debug, Clone)]
pub enum WebPage {
    /// A page of HTML.
    Html(String),
    Raw {
        status: u16,
        /// The kind of body, as the server calls it; empty means it does not say.
        kind: &'static str,
        body: Vec<u8>,
    },
    Redirect(String),
    /// This header beside an ordinary page.
    WithHeader(&'static str, &'static str),
    /// A page that never ends.
    Endless,
    /// The beginning of a page, and then nothing, ever.
    Stalls,
    Hangs,
}

/// What the search services answer next.
#[derive(Debug, Clone)]
pub enum SearchAnswer {
    /// These results: title, address, excerpt.
    Results(Vec<(&'static str, &'static str, &'static str)>),
    /// This status, and how many seconds to wait.
    Refuses(u16, Option<u64>),
    /// This, whatever it is.
    Says(String),
    Hangs,
}

/// A running fake. Stops when dropped.
#[derive(Debug)]
pub struct FakeWeb {
    shared: Arc<Shared>,
    address: SocketAddr,
    tasks: Tasks,
}

#[derive(Debug, Default)]
struct Shared {
    pages: Mutex<HashMap<String, WebPage>>,
    answer: Mutex<Option<SearchAnswer>>,
    asked: Mutex<Vec<String>>,
    bodies: Mutex<Vec<Value>>,
}

impl FakeWeb {
    /// Starts on a free port with no pages.
    ///
    /// # Errors
    /// When no port can be had.
    pub async fn start() -> Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await;
        let listener = listener.context("could not open a port for the fake web")?;
        let address = listener.local_addr()?;
        let shared = Arc::new(Shared::default());
        let app = Router::new()
            .route("/res/v1/web/search", get(search::brave))
            .route("/chat/completions", post(search::perplexity))
            .route("/search", get(search::searxng))
            .route("/html/", get(search::duckduckgo))
            .fallback(page)
            .with_state(Arc::clone(&shared));
        let tasks = Tasks::new();
        let cancel = tasks.token().clone();
        tasks.spawn(async move {
            tokio::select! {
                served = axum::serve(listener, app) => { served.or_log("the fake web stopped"); }
                () = cancel.cancelled() => {}
            }
        });
        Ok(Self { shared, address, tasks })
    }

    /// Where it listens.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// A page's address.
    #[must_use]
    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// Puts a page at a path, in place of the one there.
    pub fn page(&self, path: &str, page: WebPage) -> &Self {
        self.shared.pages.lock().insert(path.to_owned(), page);
        self
    }

    /// What all search services answer from now on.
    pub fn answers(&self, answer: SearchAnswer) -> &Self {
        *self.shared.answer.lock() = Some(answer);
        self
    }

    /// Method, path and query of every request so far.
    #[must_use]
    pub fn asked(&self) -> Vec<String> {
        self.shared.asked.lock().clone()
    }

    /// The JSON bodies that came so far.
    #[must_use]
    pub fn bodies(&self) -> Vec<Value> {
        self.shared.bodies.lock().clone()
    }
}

impl Drop for FakeWeb {
    fn drop(&mut self) {
        self.tasks.token().cancel();
    }
}

impl Shared {
    fn note(&self, request: &Request) {
        self.asked.lock().push(format!("{} {}", request.method(), request.uri()));
    }
}

async fn page(State(shared): State<Arc<Shared>>, request: Request) -> Response {
    shared.note(&request);
    let page = shared.pages.lock().get(request.uri().path()).cloned();
    match page {
        Some(WebPage::Html(text)) => response(200, "text/html; charset=utf-8", Body::from(text)),
        Some(WebPage::Raw { status, kind, body }) => response(status, kind, Body::from(body)),
        Some(WebPage::Redirect(to)) => redirect(&to),
        Some(WebPage::WithHeader(name, value)) => {
            let mut response = response(200, "text/plain", Body::from("text"));
            response.headers_mut().insert(name, HeaderValue::from_static(value));
            response
        }
        Some(WebPage::Endless) => {
            let piece = Bytes::from("endless ".repeat(PIECE / 8));
            let pieces = stream::repeat(piece).map(Ok::<_, Infallible>);
            response(200, "text/plain", Body::from_stream(pieces))
        }
        Some(WebPage::Stalls) => {
            let beginning = stream::iter([Ok::<_, Infallible>(Bytes::from("<p>a beginning"))]);
            response(200, "text/html", Body::from_stream(beginning.chain(stream::pending())))
        }
        Some(WebPage::Hangs) => std::future::pending().await,
        None => response(404, "text/plain", Body::from("not here")),
    }
}

fn response(status: u16, kind: &str, body: Body) -> Response {
    let mut response = Response::new(body);
    *response.status_mut() = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    if let (Ok(kind), false) = (HeaderValue::from_str(kind), kind.is_empty()) {
        response.headers_mut().insert(header::CONTENT_TYPE, kind);
    }
    response
}

fn redirect(to: &str) -> Response {
    let mut response = response(302, "", Body::empty());
    if let Ok(to) = HeaderValue::from_str(to) {
        response.headers_mut().insert(header::LOCATION, to);
    }
    response
}
