//! Files on their way out: where they may come from, how large they may be, what they are.
//!
//! A file is copied into the house before it is promised to anybody, so that it is still there when its turn comes.

use std::io::{ErrorKind, Read as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use homard_channel::{File, MediaKind};
use homard_config::Records;
use homard_media::file_type::{ending_of_type, image_type, type_of_name};
use homard_media::staging;
use homard_tools::{Caller, FetchLimits, FileAccess, NotFetched, PublicFetch, open_no_symlinks};

use super::action::{FileForm, FileWanted};
use super::session_files::SessionFiles;

/// Largest picture.
const MAX_IMAGE: usize = 6 * 1024 * 1024;
/// Largest sound or film.
const MAX_SOUND_OR_FILM: usize = 16 * 1024 * 1024;
/// Largest of anything else.
const MAX_DOCUMENT: usize = 100 * 1024 * 1024;
/// Longest time a file may take to be fetched.
const FETCH_TIME: Duration = Duration::from_secs(60);
/// Most redirects on the way to it.
const MAX_REDIRECTS: usize = 3;
/// Longest name of a file, in characters.
const MAX_NAME: usize = 120;
/// Folders whose files are nobody else's business.
const SENSITIVE_FOLDERS: [&str; 8] =
    [".aws", ".azure", ".docker", ".gnupg", ".kube", ".password-store", ".ssh", "credentials"];
/// Files that are nobody else's business.
const SENSITIVE_FILES: [&str; 8] =
    [".env", ".git-credentials", ".htpasswd", ".netrc", ".npmrc", ".pgpass", "id_ed25519", "id_rsa"];

/// Why a file is not sent.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// It lies where nothing is sent from.
    #[error(
        "`{0}` is not in the workspace, and nothing in this conversation made it; copy it there to send it"
    )]
    Outside(String),
    /// It may hold secrets.
    #[error("`{0}` may hold secrets and is not sent")]
    Sensitive(String),
    #[error("there is no file `{0}`")]
    Missing(String),
    /// It is too large.
    #[error("the file has {size} bytes; at most {limit} are sent as {kind}")]
    TooLarge { size: usize, limit: usize, kind: &'static str },
    /// It could not be fetched.
    #[error("`{address}` could not be fetched")]
    NotFetched {
        address: String,
        #[source]
        source: NotFetched,
    },
    /// It cannot be read.
    #[error("{0}")]
    Unreadable(String),
    /// It could not be copied.
    #[error("the file could not be kept for sending")]
    NotKept(#[source] std::io::Error),
}

/// Where files may come from and are kept.
#[derive(Debug, Clone)]
pub(crate) struct FileFolders {
    /// The agent's own; relative paths start here.
    pub(crate) workspace: PathBuf,
    pub(crate) home: PathBuf,
    /// What people sent, and what is to be sent.
    pub(crate) media: PathBuf,
    /// What the house keeps of itself, secrets included; nothing else in it is sent.
    pub(crate) records: Records,
    /// The conversation that sends it; an operator may send outside of any.
    pub(crate) session: Option<SessionFiles>,
    /// For whom the file is.
    pub(crate) caller: Caller,
}

/// A file's bytes and what is known about them.
struct FoundFile {
    bytes: Vec<u8>,
    name: String,
    mime: String,
}

/// Reads base64, with or without the beginning of a data URL.
pub(crate) fn decode(text: &str) -> Result<Vec<u8>, String> {
    let text = text.split_once(";base64,").map_or(text, |(_, data)| data);
    let plain: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    STANDARD.decode(plain).map_err(|error| format!("buffer is not base64: {error}"))
}

/// Copies a file into the house, ready to be sent.
pub(crate) async fn take(
    wanted: FileWanted,
    guise: FileForm,
    folders: &FileFolders,
) -> Result<File, FileError> {
    let found = match wanted {
        FileWanted::Bytes { bytes, name, mime } => named(bytes, name.as_deref(), mime.as_deref()),
        FileWanted::At(place) if place.starts_with("data:") => of_data_url(&place)?,
        FileWanted::At(place) if is_address(&place) => fetched(&place).await?,
        FileWanted::At(place) => local(place, folders).await?,
    };
    let kind = kind_of(&found.mime, guise);
    let (limit, word) = limit_of(kind);
    if found.bytes.len() > limit {
        return Err(FileError::TooLarge { size: found.bytes.len(), limit, kind: word });
    }
    let folder = folders.media.join("outbound");
    off_thread(move || keep(found, kind, &folder).map_err(FileError::NotKept)).await
}

/// Whether a place is to be asked for over the network.
pub(crate) fn is_address(place: &str) -> bool {
    place.starts_with("http://") || place.starts_with("https://")
}

async fn off_thread<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, FileError> + Send + 'static,
) -> Result<T, FileError> {
    homard_runtime::off_thread(work)
        .await
        .unwrap_or_else(|_gone| Err(FileError::Unreadable("reading the file ended unexpectedly".to_owned())))
}

fn named(bytes: Vec<u8>, name: Option<&str>, mime: Option<&str>) -> FoundFile {
    let name = name.map(safe_name).filter(|name| !name.is_empty());
    let said = mime.map(|mime| mime.split(';').next().unwrap_or(mime).trim().to_ascii_lowercase());
    let mime = match (image_type(&bytes), said) {
        (Some(image), _) => image.to_owned(),
        (None, Some(said)) if said.contains('/') => said,
        (None, _) => type_of_name(name.as_deref().unwrap_or_default()).to_owned(),
    };
    let name = name.unwrap_or_else(|| format!("file{}", ending_of_type(&mime)));
    FoundFile { bytes, name, mime }
}

fn of_data_url(url: &str) -> Result<FoundFile, FileError> {
    let mime = url.strip_prefix("data:").and_then(|rest| rest.split([';', ',']).next());
    let bytes = decode(url).map_err(FileError::Unreadable)?;
    Ok(named(bytes, None, mime))
}

async fn fetched(address: &str) -> Result<FoundFile, FileError> {
    let limits =
        FetchLimits { hosts: &[], max_bytes: MAX_DOCUMENT, max_redirects: MAX_REDIRECTS, time: FETCH_TIME };
    let fetched = PublicFetch::new(&[]).get(address, limits).await;
    let fetched = fetched.map_err(|source| FileError::NotFetched { address: shown(address), source })?;
    let path = address.split(['?', '#']).next().unwrap_or(address);
    let name = path.rsplit('/').next().filter(|name| name.contains('.'));
    Ok(named(fetched.bytes, name, Some(&fetched.kind)))
}

/// A file of this machine: in the workspace, kept of what came with the conversation's messages, or made by its runs.
async fn local(place: String, folders: &FileFolders) -> Result<FoundFile, FileError> {
    let (named, within) = (place.clone(), folders.clone());
    let (real, lies) = off_thread(move || find(&named, &within)).await?;
    let may_leave = match (lies, &folders.session) {
        (FileHome::InWorkspace, _) | (FileHome::InMedia, None) => true,
        (FileHome::InMedia, Some(session)) => session.was_told_of(&real).await,
        (FileHome::Elsewhere, Some(session)) => session.has_made(&real).await,
        (FileHome::Elsewhere, None) => false,
    };
    if !may_leave {
        return Err(FileError::Outside(shown(&place)));
    }
    let folders = folders.clone();
    off_thread(move || read(&place, &real, &folders)).await
}

/// In which of the folders a file lies.
enum FileHome {
    InWorkspace,
    InMedia,
    Elsewhere,
}

fn find(place: &str, folders: &FileFolders) -> Result<(PathBuf, FileHome), FileError> {
    let place = place.strip_prefix("file://").unwrap_or(place).trim();
    let path = match place.strip_prefix("~/") {
        Some(rest) => folders.home.join(rest),
        None => folders.workspace.join(place),
    };
    // Symbolic links count by where they lead.
    let real = path.canonicalize().map_err(|error| match error.kind() {
        ErrorKind::NotFound | ErrorKind::NotADirectory => FileError::Missing(shown(place)),
        _ => FileError::Unreadable(format!("`{}` cannot be read: {error}", shown(place))),
    })?;
    let is_inside = |root: &Path| root.canonicalize().is_ok_and(|root| real.starts_with(root));
    let lies = if is_inside(&folders.media) {
        FileHome::InMedia
    } else if is_inside(&folders.workspace) {
        FileHome::InWorkspace
    } else {
        FileHome::Elsewhere
    };
    Ok((real, lies))
}

fn read(place: &str, real: &Path, folders: &FileFolders) -> Result<FoundFile, FileError> {
    let workspace = folders.workspace.canonicalize().unwrap_or_else(|_| folders.workspace.clone());
    let records = folders.records.clone();
    let access = FileAccess { caller: folders.caller, records, ..FileAccess::default() };
    if is_sensitive(real) || access.check(&workspace, real).is_err() {
        return Err(FileError::Sensitive(shown(place)));
    }
    let unreadable = |error: std::io::Error| FileError::Unreadable(format!("`{}`: {error}", shown(place)));
    let facts = real.metadata().map_err(unreadable)?;
    if !facts.is_file() {
        return Err(FileError::Missing(shown(place)));
    }
    let size = usize::try_from(facts.len()).unwrap_or(usize::MAX);
    if size > MAX_DOCUMENT {
        return Err(FileError::TooLarge { size, limit: MAX_DOCUMENT, kind: "a file" });
    }
    let mut bytes = Vec::with_capacity(size);
    open_no_symlinks(real).and_then(|mut file| file.read_to_end(&mut bytes)).map_err(unreadable)?;
    let name = real.file_name().map(|name| name.to_string_lossy().into_owned());
    Ok(named(bytes, name.as_deref(), None))
}

/// Whether a file may hold secrets, by what it and its folders are called.
fn is_sensitive(path: &Path) -> bool {
    let parts = || path.components().map(|part| part.as_os_str().to_string_lossy().to_ascii_lowercase());
    let name = parts().next_back().unwrap_or_default();
    parts().any(|part| SENSITIVE_FOLDERS.contains(&part.as_str()))
        || SENSITIVE_FILES.contains(&name.as_str())
        || name.starts_with(".env.")
        || name.ends_with(".pem")
        || name.ends_with(".key")
}

/// Writes the copy; `media` lets go of it.
fn keep(found: FoundFile, kind: MediaKind, folder: &Path) -> std::io::Result<File> {
    let path = staging::keep_copy(folder, &found.name, &found.bytes)?;
    Ok(File { kind, path, mime: found.mime, name: found.name })
}

fn kind_of(mime: &str, guise: FileForm) -> MediaKind {
    let is = |family: &str| mime.starts_with(family);
    match guise {
        FileForm::Document => MediaKind::Document,
        FileForm::Sticker => MediaKind::Sticker,
        FileForm::Voice if is("audio/") => MediaKind::Voice,
        FileForm::Animation if is("video/") => MediaKind::Animation,
        FileForm::Plain | FileForm::Voice | FileForm::Animation => match mime {
            "image/gif" => MediaKind::Animation,
            "image/svg+xml" => MediaKind::Document,
            _ if is("image/") => MediaKind::Image,
            _ if is("video/") => MediaKind::Video,
            _ if is("audio/") => MediaKind::Audio,
            _ => MediaKind::Document,
        },
    }
}

fn limit_of(kind: MediaKind) -> (usize, &'static str) {
    match kind {
        MediaKind::Image | MediaKind::Sticker => (MAX_IMAGE, "a picture"),
        MediaKind::Animation | MediaKind::Video | MediaKind::VideoNote => (MAX_SOUND_OR_FILM, "a film"),
        MediaKind::Audio | MediaKind::Voice => (MAX_SOUND_OR_FILM, "sound"),
        MediaKind::Document => (MAX_DOCUMENT, "a file"),
    }
}

/// A name that is one part of a path and shows nothing misleading.
fn safe_name(name: &str) -> String {
    let last = name.rsplit(['/', '\\']).next().unwrap_or(name);
    let kept = last.chars().filter(|c| c.is_alphanumeric() || " ._-()+".contains(*c)).take(MAX_NAME);
    kept.collect::<String>().trim().trim_start_matches('.').to_owned()
}

fn shown(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).take(200).collect()
}

#[cfg(test)]
mod tests;
