//! Reading a request: parameters come as JSON, as a form, in the query, or in parts with files among them.

use axum::body::{Body, to_bytes};
use bytes::Bytes;
use http::header::CONTENT_TYPE;
use http::request::Parts;
use serde_json::{Map, Value};

use super::desk::Upload;
use super::grammar;
use super::refusal::Refusal;

/// Largest body the Bot API takes: a file of 50 MB and what stands around it.
const MAX_BODY: usize = 52 * 1024 * 1024;

/// What was asked.
#[derive(Debug, Default)]
pub(super) struct Asked {
    pub(super) params: Map<String, Value>,
    pub(super) uploads: Vec<Upload>,
}

/// Reads and checks what `method` is asked with.
pub(super) async fn read(method: &'static str, head: &Parts, body: Body) -> Result<Asked, Refusal> {
    let kind =
        head.headers.get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default().to_owned();
    let bytes = to_bytes(body, MAX_BODY).await.or(Err(Refusal::new(413, "Request Entity Too Large")))?;
    let mut asked = Asked::default();
    let query = head.uri.query().unwrap_or_default();
    add_form(method, query.as_bytes(), &mut asked.params);
    if let Some(boundary) = boundary(&kind) {
        parts(method, &bytes, boundary, &mut asked).await?;
    } else if kind.starts_with("application/x-www-form-urlencoded") {
        add_form(method, &bytes, &mut asked.params);
    } else if !bytes.is_empty() {
        if !kind.starts_with("application/json") {
            return Err(Refusal::bad(format!("unsupported content type \"{kind}\"")));
        }
        let Ok(Value::Object(map)) = serde_json::from_slice(&bytes) else {
            return Err(Refusal::bad("can't parse JSON encoded request: expected an object"));
        };
        asked.params.extend(map);
    }
    let names: Vec<String> = asked.uploads.iter().map(|upload| upload.field.clone()).collect();
    grammar::check(method, &asked.params, &names)?;
    Ok(asked)
}

fn add_form(method: &'static str, bytes: &[u8], into: &mut Map<String, Value>) {
    for (name, value) in url::form_urlencoded::parse(bytes) {
        into.insert(name.to_string(), grammar::typed(method, &name, value.into_owned()));
    }
}

fn boundary(kind: &str) -> Option<String> {
    kind.starts_with("multipart/form-data").then(|| multer::parse_boundary(kind).unwrap_or_default())
}

async fn parts(
    method: &'static str,
    bytes: &Bytes,
    boundary: String,
    asked: &mut Asked,
) -> Result<(), Refusal> {
    let unreadable = |error: multer::Error| Refusal::bad(format!("can't parse multipart body: {error}"));
    let once = futures_util::stream::iter([Ok::<_, std::convert::Infallible>(bytes.clone())]);
    let mut form = multer::Multipart::new(once, boundary);
    while let Some(field) = form.next_field().await.map_err(unreadable)? {
        let name = field.name().unwrap_or_default().to_owned();
        match field.file_name().map(str::to_owned) {
            Some(file_name) => {
                let mime = field.content_type().map(ToString::to_string);
                let bytes = field.bytes().await.map_err(unreadable)?.to_vec();
                asked.uploads.push(Upload { field: name, file_name, mime, bytes });
            }
            None => {
                let text = field.text().await.map_err(unreadable)?;
                asked.params.insert(name.clone(), grammar::typed(method, &name, text));
            }
        }
    }
    Ok(())
}
