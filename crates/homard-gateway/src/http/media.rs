//! Files that conversations speak of: pictures, sound and films of the places agents may put them, for people who may
//! read and for addresses that carry a ticket.

use std::path::{Path, PathBuf};
use std::time::Duration;

use homard_config::Config;
use homard_config::Paths;
use homard_media::file_type::media_type;
use homard_runtime::millis_i64;
use homard_runtime::off_thread;
use http::header::{CONTENT_DISPOSITION, HeaderValue};
use http::{Request, StatusCode};
use hyper::body::Incoming;
use serde_json::json;

use super::folder::{self, ServedFile};
use super::reading;
use crate::access::origin::Peer;
use crate::gateway::Gateway;
use homard_http::answers::{Answer, json_answer, text};

/// The path.
pub(super) const PATH: &str = "/__openclaw__/assistant-media";
/// What a ticket is for.
const PURPOSE: &str = "media";
/// How long a ticket is good.
const TICKET_LASTS: Duration = Duration::from_secs(10 * 60);
/// The type of files that are saved and not shown.
const ANY_FILE: &str = "application/octet-stream";
/// What an opened file may do: nothing.
const MEDIA_POLICY: &str = "sandbox; default-src 'none'; style-src 'unsafe-inline'";

/// What is asked for.
#[derive(Debug, Default)]
struct MediaRequest {
    source: String,
    ticket: Option<String>,
    is_about: bool,
}

impl MediaRequest {
    fn read(query: &str) -> Self {
        let mut asked = Self::default();
        for (name, value) in url::form_urlencoded::parse(query.as_bytes()) {
            match name.as_ref() {
                "source" => asked.source = value.into_owned(),
                "mediaTicket" => asked.ticket = Some(value.into_owned()),
                "meta" => asked.is_about = value == "1",
                _other => {}
            }
        }
        asked
    }
}

/// Answers with a file, or with whether there is one.
pub(super) async fn answer(gateway: &Gateway, request: &Request<Incoming>, peer: &Peer) -> Answer {
    let asked = MediaRequest::read(request.uri().query().unwrap_or_default());
    let has_ticket = !asked.is_about
        && asked.ticket.as_deref().is_some_and(|ticket| is_good(gateway, &asked.source, ticket));
    if !has_ticket && let Err(refused) = reading::check(gateway, request.headers(), peer).await {
        return *refused;
    }
    let (config, source) = (gateway.config().current(), asked.source.clone());
    let paths = gateway.config().source().paths.clone();
    let found = off_thread(move || find(&config, &paths, &source)).await.ok().flatten();
    if asked.is_about {
        return json_answer(StatusCode::OK, &about(gateway, &asked.source, found.is_some()));
    }
    let Some((path, content_type)) = found else { return text(StatusCode::NOT_FOUND, "Not Found") };
    let is_inline = !content_type.starts_with("application/");
    let served = ServedFile { path, content_type, cache: "private, no-cache", encoding: None };
    let mut answer = folder::serve(&served, request.headers()).await;
    let headers = answer.headers_mut();
    headers.insert("content-security-policy", HeaderValue::from_static(MEDIA_POLICY));
    let how = if is_inline { "inline" } else { "attachment" };
    headers.insert(CONTENT_DISPOSITION, HeaderValue::from_static(how));
    answer
}

fn about(gateway: &Gateway, source: &str, is_there: bool) -> serde_json::Value {
    if !is_there {
        return json!({
            "available": false,
            "code": "outside-allowed-folders",
            "reason": "there is no such file in a folder that may be shown",
            "retryable": false,
            "canAllow": false,
        });
    }
    let lasts = millis_i64(TICKET_LASTS);
    let until = gateway.clock().now_ms().saturating_add(lasts);
    let seal = gateway.http().seal(PURPOSE, &format!("{until}\n{source}"));
    let expires = jiff::Timestamp::from_millisecond(until).map(|at| at.to_string()).unwrap_or_default();
    json!({"available": true, "mediaTicket": format!("{until}.{seal}"), "mediaTicketExpiresAt": expires})
}

fn is_good(gateway: &Gateway, source: &str, ticket: &str) -> bool {
    let Some((until, seal)) = ticket.split_once('.') else { return false };
    let is_in_time = until.parse::<i64>().is_ok_and(|until| until > gateway.clock().now_ms());
    is_in_time && gateway.http().is_sealed(PURPOSE, &format!("{until}\n{source}"), seal)
}

/// The file a source names, if it lies where files may be shown from and is of a kind that may be.
fn find(config: &Config, paths: &Paths, source: &str) -> Option<(PathBuf, &'static str)> {
    let named = source.strip_prefix("file://").unwrap_or(source);
    let path = match named.strip_prefix("~/") {
        Some(rest) => paths.home.join(rest),
        None => PathBuf::from(named),
    };
    let shown = shown_type(&path);
    let workspaces = config.agents.list.iter().map(|agent| agent.workspace.clone());
    let kept = paths.state_dir.join("media");
    // What people sent may be of any kind: it is saved, never opened.
    let mut roots: Vec<(PathBuf, Option<&'static str>)> = workspaces.map(|root| (root, None)).collect();
    roots.push((kept, Some(ANY_FILE)));
    let is_hidden = |found: &Path, root: &Path| {
        let below =
            root.canonicalize().ok().and_then(|root| found.strip_prefix(root).ok().map(Path::to_path_buf));
        below.is_none_or(|below| below.iter().any(|part| part.to_string_lossy().starts_with('.')))
    };
    roots.iter().find_map(|(root, otherwise)| {
        let content_type = shown.or(*otherwise)?;
        let path = if path.is_absolute() { path.clone() } else { root.join(&path) };
        let found = folder::inside(root, &path).filter(|found| !is_hidden(found, root))?;
        // What a link leads to decides, not what the link is called.
        (shown_type(&found).or(*otherwise) == Some(content_type)).then_some((found, content_type))
    })
}

fn shown_type(path: &Path) -> Option<&'static str> {
    let extension = path.extension()?.to_str()?.to_ascii_lowercase();
    match extension.as_str() {
        "pdf" => Some("application/pdf"),
        "txt" | "md" | "csv" | "log" => Some("text/plain; charset=utf-8"),
        other => media_type(other),
    }
}

/// The type of a picture.
pub(super) fn picture_type(path: &Path) -> Option<&'static str> {
    let extension = path.extension()?.to_str()?.to_ascii_lowercase();
    media_type(&extension).filter(|kind| kind.starts_with("image/"))
}

#[cfg(test)]
mod tests;
