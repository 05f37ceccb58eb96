//! A server that lists models, politely or not: each path answers with the page a test put there.

use std::collections::HashMap;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;

use anyhow::{Context as _, Result};
use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::response::Response;
use homard_runtime::{Mutex, OrLog as _, Tasks};
use http::{StatusCode, header};
use serde_json::Value;
use tokio::net::TcpListener;

/// What a path answers.
#[derive(Debug, Clone)]
pub enum Page {
    Json(Value),
    Raw {
        status: u16,
        /// The kind of body, as the server calls it.
        kind: &'static str,
        body: Vec<u8>,
    },
    Hangs,
}

/// A question as it arrived.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Asked {
    pub line: String,
    pub authorization: Option<String>,
}

/// A running fake. Stops when dropped.
#[derive(Debug)]
pub struct FakeModels {
    shared: Arc<Shared>,
    address: SocketAddr,
    tasks: Tasks,
}

#[derive(Debug, Default)]
struct Shared {
    pages: Mutex<HashMap<String, Page>>,
    asked: Mutex<Vec<Asked>>,
}

impl FakeModels {
    /// Starts on a free port with no pages.
    ///
    /// # Errors
    /// When no port can be had.
    pub async fn start() -> Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await;
        let listener = listener.context("could not open a port for the fake model lists")?;
        let address = listener.local_addr()?;
        let shared = Arc::new(Shared::default());
        let app = Router::new().fallback(answer).with_state(Arc::clone(&shared));
        let tasks = Tasks::new();
        let cancel = tasks.token().clone();
        tasks.spawn(async move {
            tokio::select! {
                served = axum::serve(listener, app) => { served.or_log("the fake model lists stopped"); }
                () = cancel.cancelled() => {}
            }
        });
        Ok(Self { shared, address, tasks })
    }

    /// Where it listens, without a path.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Puts a page at a path, in place of the one there.
    pub fn page(&self, path: &str, page: Page) -> &Self {
        self.shared.pages.lock().insert(path.to_owned(), page);
        self
    }

    /// What was asked so far.
    #[must_use]
    pub fn asked(&self) -> Vec<Asked> {
        self.shared.asked.lock().clone()
    }
}

impl Drop for FakeModels {
    fn drop(&mut self) {
        self.tasks.token().cancel();
    }
}

async fn answer(State(shared): State<Arc<Shared>>, request: Request) -> Response {
    let line = format!("{} {}", request.method(), request.uri().path());
    let authorization = request.headers().get(header::AUTHORIZATION);
    let authorization = authorization.and_then(|value| value.to_str().ok()).map(str::to_owned);
    shared.asked.lock().push(Asked { line, authorization });
    let page = shared.pages.lock().get(request.uri().path()).cloned();
    let (status, kind, body) = match page {
        Some(Page::Json(value)) => (200, "application/json", value.to_string().into_bytes()),
        Some(Page::Raw { status, kind, body }) => (status, kind, body),
        Some(Page::Hangs) => std::future::pending().await,
        None => (404, "text/plain", b"not here".to_vec()),
    };
    let mut response = Response::new(Body::from(body));
    *response.status_mut() = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    response.headers_mut().insert(header::CONTENT_TYPE, header::HeaderValue::from_static(kind));
    response
}
