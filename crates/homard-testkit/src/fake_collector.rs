//! A fake collector of traces: takes OTLP over HTTP in protobuf and reads it back, field by field.
//!
//! Written from the published message definitions and strict about what a span must have: ids of the right
//! length, a name, times in order.

use std::collections::BTreeMap;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;

use anyhow::{Context as _, Result, bail, ensure};
use axum::Router;
use axum::body::Bytes;
use axum::http::{HeaderMap, StatusCode};
use axum::routing::post;
use homard_runtime::{Mutex, OrLog as _, Tasks, hex};
use tokio::net::TcpListener;
use tokio::sync::Notify;

use crate::client::capped;

/// A span as it was received.
#[derive(Debug, Clone, PartialEq)]
pub struct CollectedSpan {
    /// The trace, in hex.
    pub trace_id: String,
    /// The span, in hex.
    pub span_id: String,
    /// The span around it, in hex; empty at the top.
    pub parent_id: String,
    pub name: String,
    /// When it began, in nanoseconds since 1970.
    pub begin_ns: u64,
    pub end_ns: u64,
    /// Numbers are written out.
    pub attributes: BTreeMap<String, String>,
    /// The words of a failed status.
    pub error: Option<String>,
}

#[derive(Debug, Default)]
struct Shared {
    spans: Mutex<Vec<CollectedSpan>>,
    headers: Mutex<Vec<HeaderMap>>,
    bodies: Mutex<Vec<Vec<u8>>>,
    complaints: Mutex<Vec<String>>,
    news: Notify,
}

/// A running fake. Stops when dropped.
#[derive(Debug)]
pub struct FakeCollector {
    shared: Arc<Shared>,
    address: SocketAddr,
    tasks: Tasks,
}

impl FakeCollector {
    /// Starts on a free port.
    ///
    /// # Errors
    /// When no port can be had.
    pub async fn start() -> Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let address = listener.local_addr()?;
        let shared = Arc::new(Shared::default());
        let heard = Arc::clone(&shared);
        let app = Router::new().route(
            "/v1/traces",
            post(move |headers: HeaderMap, body: Bytes| {
                let heard = Arc::clone(&heard);
                async move { heard.take(headers, &body) }
            }),
        );
        let tasks = Tasks::new();
        let cancel = tasks.token().clone();
        tasks.spawn(async move {
            tokio::select! {
                served = axum::serve(listener, app) => { served.or_log("the fake collector stopped"); }
                () = cancel.cancelled() => {}
            }
        });
        Ok(Self { shared, address, tasks })
    }

    /// Where it listens.
    #[must_use]
    pub fn endpoint(&self) -> String {
        format!("http://{}", self.address)
    }

    /// What has been received so far.
    #[must_use]
    pub fn spans(&self) -> Vec<CollectedSpan> {
        self.shared.spans.lock().clone()
    }

    /// The headers of every export.
    #[must_use]
    pub fn headers(&self) -> Vec<HeaderMap> {
        self.shared.headers.lock().clone()
    }

    /// The body of every export.
    #[must_use]
    pub fn bodies(&self) -> Vec<Vec<u8>> {
        self.shared.bodies.lock().clone()
    }

    /// Waits until there is a span of this name, and returns all there are.
    ///
    /// # Errors
    /// When none comes, or something could not be read.
    pub async fn wait_for(&self, name: &str) -> Result<Vec<CollectedSpan>> {
        let waiting = async {
            loop {
                let news = self.shared.news.notified();
                if let Some(complaint) = self.shared.complaints.lock().first() {
                    bail!("{complaint}");
                }
                if self.spans().iter().any(|span| span.name == name) {
                    return Ok(self.spans());
                }
                news.await;
            }
        };
        capped("a span", waiting).await
    }
}

impl Drop for FakeCollector {
    fn drop(&mut self) {
        self.tasks.token().cancel();
    }
}

impl Shared {
    fn take(&self, headers: HeaderMap, body: &[u8]) -> StatusCode {
        let is_protobuf =
            headers.get("content-type").is_some_and(|kind| kind.as_bytes() == b"application/x-protobuf");
        self.headers.lock().push(headers);
        self.bodies.lock().push(body.to_vec());
        let read = spans(body);
        let status = match read {
            Ok(spans) if is_protobuf => {
                self.spans.lock().extend(spans);
                StatusCode::OK
            }
            Ok(_) => {
                self.complaints.lock().push("an export is not protobuf".to_owned());
                StatusCode::UNSUPPORTED_MEDIA_TYPE
            }
            Err(error) => {
                self.complaints.lock().push(format!("an export cannot be read: {error:#}"));
                StatusCode::BAD_REQUEST
            }
        };
        self.news.notify_one();
        status
    }
}

/// A field of a message.
enum Field<'a> {
    Number(u64),
    Bytes(&'a [u8]),
}

/// The fields of a message, in order.
fn fields(mut rest: &[u8]) -> Result<Vec<(u64, Field<'_>)>> {
    let mut found = Vec::new();
    while !rest.is_empty() {
        let tag = varint(&mut rest)?;
        let field = match tag & 7 {
            0 => Field::Number(varint(&mut rest)?),
            1 => {
                let (number, after) = rest.split_first_chunk::<8>().context("a number is cut off")?;
                rest = after;
                Field::Number(u64::from_le_bytes(*number))
            }
            2 => {
                let length = usize::try_from(varint(&mut rest)?)?;
                let (bytes, after) = rest.split_at_checked(length).context("a field is cut off")?;
                rest = after;
                Field::Bytes(bytes)
            }
            kind => bail!("unknown wire type {kind}"),
        };
        found.push((tag >> 3, field));
    }
    Ok(found)
}

fn varint(rest: &mut &[u8]) -> Result<u64> {
    let mut value = 0_u64;
    for shift in (0..64).step_by(7) {
        let (&byte, after) = rest.split_first().context("a varint is cut off")?;
        *rest = after;
        value |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Ok(value);
        }
    }
    bail!("a varint is too long")
}

/// All messages of one field.
fn messages(body: &[u8], number: u64) -> Result<Vec<&[u8]>> {
    let bytes = fields(body)?.into_iter().filter_map(|(field, value)| match value {
        Field::Bytes(bytes) if field == number => Some(bytes),
        Field::Bytes(_) | Field::Number(_) => None,
    });
    Ok(bytes.collect())
}

fn spans(body: &[u8]) -> Result<Vec<CollectedSpan>> {
    let mut found = Vec::new();
    for resource_spans in messages(body, 1)? {
        let resource = messages(resource_spans, 1)?;
        let about = attributes(resource.first().context("there is no resource")?, 1)?;
        ensure!(about.contains_key("service.name"), "the resource has no name: {about:?}");
        for scope_spans in messages(resource_spans, 2)? {
            for message in messages(scope_spans, 2)? {
                found.push(span(message)?);
            }
        }
    }
    Ok(found)
}

fn span(message: &[u8]) -> Result<CollectedSpan> {
    let one =
        |number| -> Result<&[u8]> { Ok(messages(message, number)?.first().copied().unwrap_or_default()) };
    let number = |wanted| -> Result<u64> {
        let found = fields(message)?.into_iter().find_map(|(field, value)| match value {
            Field::Number(number) if field == wanted => Some(number),
            Field::Number(_) | Field::Bytes(_) => None,
        });
        found.with_context(|| format!("field {wanted} is missing"))
    };
    ensure!(one(1)?.len() == 16 && one(2)?.len() == 8, "an id has the wrong length");
    ensure!(matches!(one(4)?.len(), 0 | 8), "the parent's id has the wrong length");
    let (begin_ns, end_ns) = (number(7)?, number(8)?);
    ensure!(begin_ns <= end_ns, "a span ends before it begins");
    let status = one(15)?;
    let error = if status.is_empty() {
        None
    } else {
        Some(String::from_utf8(messages(status, 2)?.first().copied().unwrap_or_default().to_vec())?)
    };
    Ok(CollectedSpan {
        trace_id: hex(one(1)?),
        span_id: hex(one(2)?),
        parent_id: hex(one(4)?),
        name: String::from_utf8(one(5)?.to_vec())?,
        begin_ns,
        end_ns,
        attributes: attributes(message, 9)?,
        error,
    })
}

fn attributes(message: &[u8], number: u64) -> Result<BTreeMap<String, String>> {
    let mut found = BTreeMap::new();
    for pair in messages(message, number)? {
        let name = messages(pair, 1)?.first().copied().context("an attribute has no name")?;
        let value = messages(pair, 2)?.first().copied().context("an attribute has no value")?;
        let value = match fields(value)?.into_iter().next() {
            Some((1, Field::Bytes(text))) => String::from_utf8(text.to_vec())?,
            Some((2 | 3, Field::Number(number))) => number.to_string(),
            _ => bail!("an attribute of a kind we do not send"),
        };
        found.insert(String::from_utf8(name.to_vec())?, value);
    }
    Ok(found)
}
