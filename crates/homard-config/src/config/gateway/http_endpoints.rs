//! `gateway.http.endpoints`: the routes by which programs talk to agents as if they were models.

use std::time::Duration;

use crate::raw::gateway as raw;

const DEFAULT_MAX_BODY: u64 = 20 * 1024 * 1024;
const DEFAULT_MAX_URL_PARTS: u64 = 8;
const DEFAULT_MAX_IMAGE_PARTS: u64 = 8;
const DEFAULT_MAX_TOTAL_IMAGE_BYTES: u64 = 20 * 1024 * 1024;
const DEFAULT_FILE_BYTES: u64 = 5 * 1024 * 1024;
const DEFAULT_FILE_CHARS: u64 = 200_000;
const DEFAULT_IMAGE_BYTES: u64 = 10 * 1024 * 1024;
const DEFAULT_REDIRECTS: u64 = 3;
const DEFAULT_TIMEOUT_MS: u64 = 10_000;
/// Files that are read as text, and the one that is handed to the model as it is.
const DEFAULT_FILE_KINDS: [&str; 7] = [
    "text/plain",
    "text/markdown",
    "text/html",
    "text/csv",
    "application/json",
    "application/xml",
    "application/pdf",
];
const DEFAULT_IMAGE_KINDS: [&str; 6] =
    ["image/jpeg", "image/png", "image/gif", "image/webp", "image/heic", "image/heif"];

/// Decided `gateway.http.endpoints`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HttpEndpoints {
    pub chat: ChatEndpoint,
    pub responses: ResponsesEndpoint,
}

impl HttpEndpoints {
    /// Whether the routes both share are served.
    #[must_use]
    pub fn any(&self) -> bool {
        self.chat.enabled || self.responses.enabled
    }
}

/// `/v1/chat/completions`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChatEndpoint {
    pub enabled: bool,
    /// Largest request, in bytes.
    pub max_body: usize,
    /// Most pictures of one request.
    pub max_images: usize,
    /// Most bytes of all its pictures.
    pub max_total_image_bytes: usize,
    pub images: PartRules,
}

/// `/v1/responses`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResponsesEndpoint {
    pub enabled: bool,
    /// Largest request, in bytes.
    pub max_body: usize,
    /// Most parts fetched by address in one request.
    pub max_url_parts: usize,
    pub files: PartRules,
    /// Longest text of a file, in characters.
    pub max_file_chars: usize,
    pub images: PartRules,
}

/// What parts of one kind may be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PartRules {
    /// Fetch them by address.
    pub allow_url: bool,
    /// Hosts they may be fetched from; empty means all public ones.
    pub hosts: Vec<String>,
    /// Kinds that are accepted.
    pub kinds: Vec<String>,
    /// Largest part, in bytes.
    pub max_bytes: usize,
    pub max_redirects: usize,
    pub timeout: Duration,
}

impl HttpEndpoints {
    pub(in crate::config) fn resolve(raw: raw::HttpEndpoints) -> Self {
        let chat = raw.chat_completions.unwrap_or_default();
        let responses = raw.responses.unwrap_or_default();
        let files = responses.files.unwrap_or_default();
        Self {
            chat: ChatEndpoint {
                enabled: chat.enabled.unwrap_or(false),
                max_body: size(chat.max_body_bytes, DEFAULT_MAX_BODY),
                max_images: size(chat.max_image_parts, DEFAULT_MAX_IMAGE_PARTS),
                max_total_image_bytes: size(chat.max_total_image_bytes, DEFAULT_MAX_TOTAL_IMAGE_BYTES),
                images: images(chat.images.unwrap_or_default().into(), false),
            },
            responses: ResponsesEndpoint {
                enabled: responses.enabled.unwrap_or(false),
                max_body: size(responses.max_body_bytes, DEFAULT_MAX_BODY),
                max_url_parts: size(responses.max_url_parts, DEFAULT_MAX_URL_PARTS),
                max_file_chars: size(files.max_chars, DEFAULT_FILE_CHARS),
                files: PartRules {
                    allow_url: files.allow_url.unwrap_or(true),
                    hosts: files.url_allowlist.unwrap_or_default(),
                    kinds: kinds(files.allowed_mimes, &DEFAULT_FILE_KINDS),
                    max_bytes: size(files.max_bytes, DEFAULT_FILE_BYTES),
                    max_redirects: size(files.max_redirects, DEFAULT_REDIRECTS),
                    timeout: Duration::from_millis(files.timeout_ms.unwrap_or(DEFAULT_TIMEOUT_MS)),
                },
                images: images(responses.images.unwrap_or_default(), true),
            },
        }
    }
}

fn images(raw: raw::ResponsesImages, allow_url: bool) -> PartRules {
    PartRules {
        allow_url: raw.allow_url.unwrap_or(allow_url),
        hosts: raw.url_allowlist.unwrap_or_default(),
        kinds: kinds(raw.allowed_mimes, &DEFAULT_IMAGE_KINDS),
        max_bytes: size(raw.max_bytes, DEFAULT_IMAGE_BYTES),
        max_redirects: size(raw.max_redirects, DEFAULT_REDIRECTS),
        timeout: Duration::from_millis(raw.timeout_ms.unwrap_or(DEFAULT_TIMEOUT_MS)),
    }
}

fn kinds(written: Option<Vec<String>>, default: &[&str]) -> Vec<String> {
    let written = written.map(|kinds| kinds.iter().map(|kind| kind.trim().to_ascii_lowercase()).collect());
    written.unwrap_or_else(|| default.iter().map(|&kind| kind.to_owned()).collect())
}

fn size(written: Option<u64>, default: u64) -> usize {
    usize::try_from(written.unwrap_or(default)).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests;
