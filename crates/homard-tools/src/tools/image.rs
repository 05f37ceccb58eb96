//! `image`: asking a model that sees about pictures from files, public pages or the message itself.

use std::io::{self, Read as _};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use homard_media::file_type::image_type;
use homard_protocol::UserBlock;
use homard_runtime::{Clip, OrCancel, off_thread};
use reqwest::Client;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use tokio::time::timeout;

use crate::cx::ToolCx;
use crate::files::open_no_symlinks::open_no_symlinks;
use crate::files::paths::{PathError, Paths};
use crate::gate::{Effect, Subject};
use crate::outcome::ToolOutcome;
use crate::ports::{PortError, Ports, VisionPort};
use crate::registry::ToolEntry;
use crate::tool::Tool;
use crate::tools::web::address::{Guard, Refused};
use crate::tools::web::body;
use crate::tools::web_fetch::leads_to;
use crate::words_of_others::taint::{Label, Source};
use crate::words_of_others::untrusted;

/// Most pictures of one question.
const MAX_PICTURES: usize = 20;
/// Largest picture unless the model asks for less; no provider takes larger ones.
const MAX_BYTES: u64 = 5 * 1024 * 1024;
/// Most bytes of all pictures together: what providers take in one request.
const MAX_TOTAL_BYTES: u64 = 24 * 1024 * 1024;
/// Bytes in what the model calls MB.
const MEGABYTE: u64 = 1024 * 1024;
/// What is asked when the model asks nothing.
const DEFAULT_PROMPT: &str = "Describe the image.";

pub(crate) const ENTRY: ToolEntry = ToolEntry {
    build: |options| {
        let fetch = &options.web.tools.fetch;
        Some(Arc::new(Image {
            paths: Paths::new(&options.home, options.workspace_only),
            web: fetch.enabled.then(|| Web {
                guard: Guard::new(&options.web.reachable),
                max_redirects: fetch.max_redirects,
                timeout: fetch.timeout,
            }),
        }))
    },
};

pub(crate) struct Image {
    paths: Paths,
    /// `None` when the owner does not want pages read.
    web: Option<Web>,
}

/// How pictures are fetched.
struct Web {
    guard: Guard,
    max_redirects: usize,
    timeout: Duration,
}

/// Ask a vision model about images you cannot see yourself (png, jpeg, gif, webp).
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ImageInput {
    #[serde(default)]
    prompt: Option<String>,
    /// Path, http(s) address or data URL.
    #[serde(default)]
    image: Option<String>,
    /// Several of them, up to 20.
    #[serde(default)]
    images: Vec<String>,
    #[serde(default)]
    model: Option<String>,
    #[serde(default, alias = "max_bytes_mb")]
    max_bytes_mb: Option<f64>,
}

/// Where a picture is. Read once, so that the gate judges what is really loaded.
enum Place<'n> {
    /// In the call itself.
    Data(&'n str),
    Web(&'n str),
    File(&'n str),
}

impl<'n> Place<'n> {
    fn of(name: &'n str) -> Self {
        let name = name.trim();
        if let Some(data) = name.strip_prefix("data:") {
            return Self::Data(data);
        }
        if name.starts_with("http://") || name.starts_with("https://") {
            return Self::Web(name);
        }
        Self::File(name.strip_prefix("file://").unwrap_or(name))
    }

    fn address(&self) -> Option<&'n str> {
        match self {
            Self::Web(address) => Some(address),
            Self::Data(_) | Self::File(_) => None,
        }
    }
}

/// Why a picture was not looked at.
#[derive(Debug, thiserror::Error)]
enum ImageError {
    #[error("name a picture: a path, an http(s) address or a data URL")]
    None,
    #[error("at most {MAX_PICTURES} pictures can be looked at together; {count} were named")]
    TooMany { count: usize },
    #[error(
        "the pictures have more than {MAX_TOTAL_BYTES} bytes together: look at fewer, or make them smaller"
    )]
    TooMuch,
    #[error("`{name}` has more than {limit} bytes: make it smaller first")]
    TooLarge { name: String, limit: u64 },
    #[error("`{name}` is no png, jpeg, gif or webp picture")]
    NotAPicture { name: String },
    #[error("the data URL is not base64 of a picture")]
    BadData,
    #[error(transparent)]
    Path(#[from] PathError),
    #[error("could not read `{path}`")]
    Io {
        path: String,
        #[source]
        source: io::Error,
    },
    #[error("pictures are not fetched from the web here (tools.web.fetch.enabled)")]
    NoWeb,
    #[error(transparent)]
    Refused(#[from] Refused),
    #[error("the server answered {status} for `{url}`")]
    Status { url: String, status: u16 },
    #[error("`{url}` leads on and on")]
    Redirects { url: String },
    #[error("could not fetch `{url}`")]
    Fetch {
        url: String,
        #[source]
        source: reqwest::Error,
    },
    #[error("`{url}` was not complete after {} seconds", limit.as_secs())]
    TimedOut { url: String, limit: Duration },
    #[error(transparent)]
    Port(#[from] PortError),
}

impl Tool for Image {
    type Input = ImageInput;
    const NAME: &'static str = "image";
    const EFFECT: Effect = Effect::Web;

    fn subject(input: &ImageInput) -> Subject {
        let mut subject = Subject::default();
        for name in input.image.iter().chain(&input.images) {
            match Place::of(name) {
                Place::Data(_) => {}
                Place::Web(address) => subject.addresses.push(address.to_owned()),
                Place::File(path) => subject.reads.push(path.to_owned()),
            }
        }
        subject
    }

    fn is_open(&self, ports: &Ports) -> bool {
        ports.vision().is_ok_and(VisionPort::sees)
    }

    async fn run(&self, input: ImageInput, cx: &ToolCx) -> ToolOutcome {
        let looking = self.look(input, cx).or_cancel(&cx.cancel);
        looking.await.unwrap_or_else(|_| Err(ImageError::Port(PortError::Stopped))).into()
    }
}

impl Image {
    async fn look(&self, input: ImageInput, cx: &ToolCx) -> Result<ToolOutcome, ImageError> {
        let names: Vec<String> = input.image.into_iter().chain(input.images).collect();
        if names.is_empty() {
            return Err(ImageError::None);
        }
        if names.len() > MAX_PICTURES {
            return Err(ImageError::TooMany { count: names.len() });
        }
        let limit = input.max_bytes_mb.map_or(MAX_BYTES, bytes).clamp(1, MAX_BYTES);
        let mut pictures = Vec::new();
        let mut total = 0_u64;
        for name in &names {
            let found = self.load(name, limit, cx).await?;
            total = total.saturating_add(found.len() as u64);
            if total > MAX_TOTAL_BYTES {
                return Err(ImageError::TooMuch);
            }
            let Some(mime_type) = image_type(&found) else {
                return Err(ImageError::NotAPicture { name: shown(name) });
            };
            pictures
                .push(UserBlock::Image { data: STANDARD.encode(&found), mime_type: mime_type.to_owned() });
        }
        let prompt = input.prompt.filter(|prompt| !prompt.trim().is_empty());
        let prompt = prompt.unwrap_or_else(|| DEFAULT_PROMPT.to_owned());
        let seen = cx.scope.ports.vision()?.look(cx, prompt, pictures, input.model).await?;
        let details = json!({"model": seen.model, "images": names.len(), "bytes": total});
        let fetched: Vec<&str> = names.iter().filter_map(|name| Place::of(name).address()).collect();
        if fetched.is_empty() {
            return Ok(ToolOutcome::text(seen.text).with_details(details));
        }
        // What stands in a stranger's picture comes back as words.
        let told = ToolOutcome::text(untrusted::wrap(&shown(&fetched.join(", ")), &seen.text));
        let labels = fetched.iter().map(|address| Label::new(Source::Web, *address));
        Ok(labels.fold(told, ToolOutcome::from_others).with_details(details))
    }

    async fn load(&self, name: &str, limit: u64, cx: &ToolCx) -> Result<Vec<u8>, ImageError> {
        let too_large = || ImageError::TooLarge { name: shown(name), limit };
        let found = match Place::of(name) {
            Place::Data(data) => {
                let (_, data) = data.split_once(";base64,").ok_or(ImageError::BadData)?;
                if data.len() as u64 / 4 * 3 > limit + 2 {
                    return Err(too_large());
                }
                STANDARD.decode(data.trim()).map_err(|_not_base64| ImageError::BadData)?
            }
            Place::Web(address) => {
                let web = self.web.as_ref().ok_or(ImageError::NoWeb)?;
                let fetched = timeout(web.timeout, web.fetch(address, limit)).await;
                fetched
                    .map_err(|_elapsed| ImageError::TimedOut { url: shown(address), limit: web.timeout })??
            }
            Place::File(path) => {
                let (paths, workspace) = (self.paths.for_call(cx), cx.workspace.clone());
                let path = path.to_owned();
                let reading = off_thread(move || read(&paths, &workspace, &path, limit)).await;
                reading.map_err(|_gone| PortError::Stopped)??
            }
        };
        if found.len() as u64 > limit { Err(too_large()) } else { Ok(found) }
    }
}

impl Web {
    /// The bytes at a public address, one more than `limit` at most. Every redirect is looked at again.
    async fn fetch(&self, name: &str, limit: u64) -> Result<Vec<u8>, ImageError> {
        let failed =
            |source: reqwest::Error| ImageError::Fetch { url: shown(name), source: source.without_url() };
        let mut url = self.guard.parse(name)?;
        for _ in 0..=self.max_redirects {
            self.guard.check(&url)?;
            let client = self.client(url.scheme() == "http").map_err(failed)?;
            let mut response = client.get(url.clone()).send().await.map_err(failed)?;
            if let Some(next) = leads_to(&response, &url) {
                url = next;
                continue;
            }
            let status = response.status().as_u16();
            if !(200..300).contains(&status) {
                return Err(ImageError::Status { url: shown(name), status });
            }
            let room = usize::try_from(limit).unwrap_or(usize::MAX).saturating_add(1);
            return Ok(body::read_up_to(&mut response, room).await.map_err(failed)?.0);
        }
        Err(ImageError::Redirects { url: shown(name) })
    }

    /// The client looks names up through the guard, and no proxy does it instead.
    fn client(&self, is_plain: bool) -> Result<Client, reqwest::Error> {
        let builder = body::client(is_plain).no_proxy().dns_resolver(Arc::new(self.guard.clone()));
        builder.pool_max_idle_per_host(0).build()
    }
}

fn read(paths: &Paths, workspace: &Path, name: &str, limit: u64) -> Result<Vec<u8>, ImageError> {
    let real = paths.resolve(workspace, name)?;
    let failed = |source| ImageError::Io { path: name.to_owned(), source };
    if !real.metadata().map_err(failed)?.is_file() {
        // Opening a pipe or a device could wait for ever.
        return Err(ImageError::NotAPicture { name: shown(name) });
    }
    let mut found = Vec::new();
    open_no_symlinks(&real).map_err(failed)?.take(limit + 1).read_to_end(&mut found).map_err(failed)?;
    Ok(found)
}

/// Megabytes as the model counts them; what is no number asks for nothing.
fn bytes(megabytes: f64) -> u64 {
    // The cast saturates, and turns what is not a number into 0.
    (megabytes * MEGABYTE as f64) as u64
}

/// A name as it may be repeated: data URLs are long.
fn shown(name: &str) -> String {
    name.clip_chars(200).to_owned()
}

#[cfg(test)]
mod tests;
