//! Pictures and files of a request: sent along, or fetched from public addresses where the owner allows it.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use homard_config::config::gateway::http_endpoints::{ChatEndpoint, PartRules, ResponsesEndpoint};
use homard_media::file_type::photo_type;
use homard_protocol::UserBlock;
use homard_runtime::Clip;
use homard_tools::{FetchLimits, Label, PublicFetch, Source, wrap_untrusted};

use super::refusal::ApiError;

/// The kind of file that is handed to the model as it is; all others are read here.
const PDF: &str = "application/pdf";
/// A kind that says nothing.
const UNKNOWN_KIND: &str = "application/octet-stream";
/// Kinds by the end of a file's name, for files whose kind nobody names.
const ENDINGS: [(&str, &str); 9] = [
    (".csv", "text/csv"),
    (".htm", "text/html"),
    (".html", "text/html"),
    (".json", "application/json"),
    (".markdown", "text/markdown"),
    (".md", "text/markdown"),
    (".pdf", PDF),
    (".txt", "text/plain"),
    (".xml", "application/xml"),
];
/// Longest name of a file.
const MAX_NAME: usize = 200;

/// A piece of a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Part {
    Text(String),
    Image(Content),
    File {
        /// What it is called.
        name: Option<String>,
        /// What is in it.
        content: Content,
    },
}

/// Where bytes come from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Content {
    Sent {
        /// The kind the caller names.
        kind: Option<String>,
        data: String,
    },
    At(String),
}

impl Content {
    /// Reads an address; one that begins with `data:` has everything in it.
    pub(super) fn of_url(url: &str) -> Result<Self, ApiError> {
        let Some(rest) = url.strip_prefix("data:") else { return Ok(Self::At(url.to_owned())) };
        let (head, data) = rest.split_once(',').unwrap_or((rest, ""));
        let kind = head.strip_suffix(";base64");
        let kind = kind.ok_or_else(|| ApiError::invalid("data URLs must be base64-encoded"))?;
        let kind = kind.split(';').next().unwrap_or_default().to_ascii_lowercase();
        Ok(Self::Sent { kind: Some(kind).filter(|kind| !kind.is_empty()), data: data.to_owned() })
    }
}

/// What parts of a request may be.
pub(super) struct Rules<'a> {
    pub(super) images: &'a PartRules,
    /// `None` where files are not taken at all.
    pub(super) files: Option<(&'a PartRules, usize)>,
    /// Most pictures, and bytes of all of them.
    pub(super) max_images: usize,
    pub(super) max_total_image_bytes: usize,
    pub(super) max_urls: usize,
}

impl<'a> Rules<'a> {
    /// As the owner wants them at `/v1/chat/completions`.
    pub(super) fn of_chat(endpoint: &'a ChatEndpoint) -> Self {
        Self {
            images: &endpoint.images,
            files: None,
            max_images: endpoint.max_images,
            max_total_image_bytes: endpoint.max_total_image_bytes,
            max_urls: endpoint.max_images,
        }
    }

    /// As the owner wants them at `/v1/responses`.
    pub(super) fn of_responses(endpoint: &'a ResponsesEndpoint) -> Self {
        Self {
            images: &endpoint.images,
            files: Some((&endpoint.files, endpoint.max_file_chars)),
            max_images: usize::MAX,
            max_total_image_bytes: endpoint.max_body,
            max_urls: endpoint.max_url_parts,
        }
    }
}

/// Turns parts into what the model is shown, counting over a whole request.
pub(super) struct Loader<'a> {
    rules: Rules<'a>,
    fetch: PublicFetch,
    images: usize,
    image_bytes: usize,
    urls: usize,
    /// Whose words were brought in.
    pub(super) labels: Vec<Label>,
}

/// Bytes and what is known of them.
struct Loaded {
    bytes: Vec<u8>,
    kind: Option<String>,
    /// Where they were fetched.
    from: Option<String>,
}

impl<'a> Loader<'a> {
    pub(super) fn new(rules: Rules<'a>) -> Self {
        let fetch = PublicFetch::new(&[]);
        Self { rules, fetch, images: 0, image_bytes: 0, urls: 0, labels: Vec::new() }
    }

    /// The blocks of one message; its words are one block, in front.
    pub(super) async fn load(&mut self, parts: Vec<Part>) -> Result<Vec<UserBlock>, ApiError> {
        let mut words: Vec<String> = Vec::new();
        let mut shown = Vec::new();
        for part in parts {
            match part {
                Part::Text(text) => words.push(text),
                Part::Image(content) => shown.push(self.image(content).await?),
                Part::File { name, content } => match self.file(name, content).await? {
                    UserBlock::Text { text } => words.push(text),
                    document => shown.push(document),
                },
            }
        }
        let text = words.join("\n");
        let text = (!text.trim().is_empty()).then(|| UserBlock::text(text));
        Ok(text.into_iter().chain(shown).collect())
    }

    async fn image(&mut self, content: Content) -> Result<UserBlock, ApiError> {
        let rules = self.rules.images;
        self.images += 1;
        if self.images > self.rules.max_images {
            return Err(ApiError::invalid(format!("at most {} images are taken", self.rules.max_images)));
        }
        let Loaded { bytes, from, .. } = self.bytes(content, rules, "image").await?;
        self.image_bytes = self.image_bytes.saturating_add(bytes.len());
        if self.image_bytes > self.rules.max_total_image_bytes {
            let most = self.rules.max_total_image_bytes;
            return Err(ApiError::invalid(format!("the images together are larger than {most} bytes")));
        }
        let kind = photo_type(&bytes).filter(|kind| rules.kinds.iter().any(|allowed| allowed == kind));
        let kind = kind.ok_or_else(|| {
            ApiError::invalid(format!(
                "an image is of no accepted kind; accepted are {}",
                rules.kinds.join(", ")
            ))
        })?;
        self.labels.extend(from.map(|address| Label::new(Source::Web, address)));
        Ok(UserBlock::Image { data: STANDARD.encode(bytes), mime_type: kind.to_owned() })
    }

    async fn file(&mut self, name: Option<String>, content: Content) -> Result<UserBlock, ApiError> {
        let Some((rules, max_chars)) = self.rules.files else {
            return Err(ApiError::invalid("files are not taken here; use /v1/responses"));
        };
        let name = name.map(|name| name.clip_chars(MAX_NAME).to_owned());
        let Loaded { bytes, kind, from } = self.bytes(content, rules, "file").await?;
        let kind = kind.filter(|kind| kind != UNKNOWN_KIND).or_else(|| kind_of(name.as_deref()));
        let kind = kind.unwrap_or_else(|| UNKNOWN_KIND.to_owned());
        if !rules.kinds.contains(&kind) {
            return Err(ApiError::invalid(format!(
                "files of the kind `{kind}` are not taken; accepted are {}",
                rules.kinds.join(", ")
            )));
        }
        let shown = name.clone().or(from.clone()).unwrap_or_else(|| "file".to_owned());
        // Somebody wrote it, and nobody says that it was the owner.
        self.labels.push(match from {
            Some(address) => Label::new(Source::Web, address),
            None => Label::new(Source::File, shown.clone()),
        });
        if kind == PDF {
            return Ok(UserBlock::Document { data: STANDARD.encode(bytes), mime_type: kind, name });
        }
        let text = String::from_utf8(bytes)
            .map_err(|_binary| ApiError::invalid(format!("the file `{shown}` is not text in UTF-8")))?;
        let kept = text.clip_chars(max_chars);
        let mut told = wrap_untrusted(&shown, kept);
        if kept.len() < text.len() {
            told.push_str(&format!("\n[the file is longer; these are its first {max_chars} characters]"));
        }
        Ok(UserBlock::text(told))
    }

    async fn bytes(&mut self, content: Content, rules: &PartRules, what: &str) -> Result<Loaded, ApiError> {
        let (kind, data) = match content {
            Content::At(address) => return self.fetched(address, rules, what).await,
            Content::Sent { kind, data } => (kind, data),
        };
        if data.len() / 4 * 3 > rules.max_bytes.saturating_add(2) {
            return Err(too_large(what, rules.max_bytes));
        }
        let data: String = data.split_ascii_whitespace().collect();
        let bytes = STANDARD.decode(data);
        let bytes =
            bytes.map_err(|_other| ApiError::invalid(format!("the data of an {what} is not base64")))?;
        match bytes.len() {
            0 => Err(ApiError::invalid(format!("an {what} is empty"))),
            size if size > rules.max_bytes => Err(too_large(what, rules.max_bytes)),
            _ => Ok(Loaded { bytes, kind, from: None }),
        }
    }

    async fn fetched(&mut self, address: String, rules: &PartRules, what: &str) -> Result<Loaded, ApiError> {
        if !rules.allow_url {
            return Err(ApiError::invalid(format!(
                "fetching an {what} by address is turned off; send its bytes as a data URL"
            )));
        }
        self.urls += 1;
        if self.urls > self.rules.max_urls {
            return Err(ApiError::invalid(format!("at most {} parts are fetched", self.rules.max_urls)));
        }
        let limits = FetchLimits {
            hosts: &rules.hosts,
            max_bytes: rules.max_bytes,
            max_redirects: rules.max_redirects,
            time: rules.timeout,
        };
        let found = self.fetch.get(&address, limits).await;
        let found =
            found.map_err(|error| ApiError::invalid(format!("the {what} was not fetched: {error}")))?;
        let kind = Some(found.kind).filter(|kind| !kind.is_empty());
        Ok(Loaded { bytes: found.bytes, kind, from: Some(address) })
    }
}

fn too_large(what: &str, most: usize) -> ApiError {
    ApiError::invalid(format!("an {what} is larger than {most} bytes"))
}

fn kind_of(name: Option<&str>) -> Option<String> {
    let name = name?.to_ascii_lowercase();
    ENDINGS.iter().find(|(ending, _)| name.ends_with(ending)).map(|&(_, kind)| kind.to_owned())
}

#[cfg(test)]
mod tests;
