//! Where releases lie: a folder on this machine, or an address.

use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use reqwest::{Client, Response, StatusCode, redirect};
use semver::Version;
use url::Url;

use crate::error::UpdateError;
use crate::key::ReleaseKey;
use crate::release::{MANIFEST, Release, SIGNATURE};

/// Largest manifest, and largest signature.
const MAX_MANIFEST: u64 = 1024 * 1024;
/// Places that store files send callers on to others.
const MAX_REDIRECTS: usize = 5;
/// How long nothing may come.
const SILENCE: Duration = Duration::from_secs(60);
const CONNECT_PATIENCE: Duration = Duration::from_secs(20);

/// Where releases are looked for.
#[derive(Debug, Clone)]
pub enum Source {
    Folder(PathBuf),
    Address(Url),
}

/// Which release is looked for.
#[derive(Debug, Clone)]
pub struct Wanted {
    /// The newest of these releases.
    pub channel: String,
    /// This very version instead.
    pub version: Option<Version>,
}

/// A release that was found, with its manifest checked.
#[derive(Debug)]
pub struct FoundRelease {
    pub release: Release,
    /// Where its files lie.
    pub place: String,
    /// Whether the key that is set has signed it.
    pub is_signed: bool,
    pub(crate) at: ReleasePlace,
}

/// The folder of one release.
#[derive(Debug, Clone)]
pub(crate) enum ReleasePlace {
    Folder(PathBuf),
    Address { base: Url, client: Client },
}

impl Source {
    /// Reads a source as people write it. An address is encrypted, or on this machine.
    ///
    /// # Errors
    /// When it is neither a folder nor such an address.
    pub fn parse(text: &str) -> Result<Self, UpdateError> {
        let folder = Path::new(text);
        if folder.is_dir() {
            return Ok(Self::Folder(folder.to_owned()));
        }
        let wrong = || UpdateError::NoSource(text.to_owned());
        let mut address = Url::parse(text).ok().ok_or_else(wrong)?;
        let is_safe = match address.scheme() {
            "https" => true,
            "http" => address.host_str().is_some_and(homard_http::is_this_machine),
            _other => false,
        };
        if !is_safe || address.cannot_be_a_base() || address.query().is_some() {
            return Err(wrong());
        }
        if !address.path().ends_with('/') {
            address.set_path(&format!("{}/", address.path()));
        }
        Ok(Self::Address(address))
    }

    /// The folders a release may lie in, the likeliest first: that of its version or channel, then the source itself.
    fn places(&self, wanted: &Wanted) -> Result<Vec<ReleasePlace>, UpdateError> {
        let name =
            wanted.version.as_ref().map_or_else(|| wanted.channel.clone(), |version| format!("v{version}"));
        match self {
            Self::Folder(folder) => {
                Ok(vec![ReleasePlace::Folder(folder.join(name)), ReleasePlace::Folder(folder.clone())])
            }
            Self::Address(base) => {
                let wrong = |_not_a_path| UpdateError::NoSource(base.to_string());
                let client = client(base)?;
                let below = base.join(&format!("{name}/")).map_err(wrong)?;
                let places = [below, base.clone()];
                Ok(places.map(|base| ReleasePlace::Address { base, client: client.clone() }).into())
            }
        }
    }
}

/// A client for downloads: nothing secret is in the requests, so it may be sent on, but never to what is not encrypted.
fn client(base: &Url) -> Result<Client, UpdateError> {
    let is_plain = base.scheme() == "http";
    let builder = if is_plain { homard_http::plain_client() } else { homard_http::client().https_only(true) };
    let follow = if is_plain { redirect::Policy::none() } else { redirect::Policy::limited(MAX_REDIRECTS) };
    let built = builder.redirect(follow).connect_timeout(CONNECT_PATIENCE).read_timeout(SILENCE).build();
    built.map_err(|source| UpdateError::Unreachable { address: base.to_string(), source })
}

/// Looks for a release, and checks its manifest. Without a key only a folder of this machine is believed.
///
/// # Errors
/// When there is none, it cannot be read, or it is not to be trusted.
pub async fn find(
    source: &Source,
    wanted: &Wanted,
    key: Option<&ReleaseKey>,
) -> Result<FoundRelease, UpdateError> {
    if matches!(source, Source::Address(_)) && key.is_none() {
        return Err(UpdateError::NoKey);
    }
    let places = source.places(wanted)?;
    for at in places {
        let Some(bytes) = at.small_file(MANIFEST).await? else { continue };
        let place = at.name();
        if let Some(key) = key {
            let signature = at.small_file(SIGNATURE).await?;
            let signature = signature.ok_or_else(|| UpdateError::Unsigned(place.clone()))?;
            if !key.has_signed(&bytes, &signature) {
                return Err(UpdateError::WrongSignature(place));
            }
        }
        let release = Release::parse(&bytes, &place)?;
        check(&release, wanted, &place)?;
        return Ok(FoundRelease { release, place, is_signed: key.is_some(), at });
    }
    Err(UpdateError::NoRelease(source.to_string()))
}

/// An old signed manifest in another folder must not pass for what was asked for.
fn check(release: &Release, wanted: &Wanted, place: &str) -> Result<(), UpdateError> {
    let (found, asked) = match &wanted.version {
        Some(version) => (release.version.to_string(), version.to_string()),
        None => (release.channel.clone(), wanted.channel.clone()),
    };
    if found == asked {
        return Ok(());
    }
    Err(UpdateError::AnotherRelease { place: place.to_owned(), found, wanted: asked })
}

impl std::fmt::Display for Source {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Folder(folder) => write!(f, "{}", folder.display()),
            Self::Address(address) => write!(f, "{address}"),
        }
    }
}

impl ReleasePlace {
    fn name(&self) -> String {
        match self {
            Self::Folder(folder) => folder.display().to_string(),
            Self::Address { base, .. } => base.to_string(),
        }
    }

    /// A file that is kept in memory; `None` when it is not there.
    async fn small_file(&self, name: &str) -> Result<Option<Vec<u8>>, UpdateError> {
        let too_large = || UpdateError::NotUnderstood {
            place: self.name(),
            why: format!("`{name}` is larger than {MAX_MANIFEST} bytes"),
        };
        match self {
            Self::Folder(folder) => {
                let path = folder.join(name);
                if !path.is_file() {
                    return Ok(None);
                }
                let mut bytes = Vec::new();
                let read = std::fs::File::open(&path)
                    .and_then(|file| file.take(MAX_MANIFEST + 1).read_to_end(&mut bytes));
                read.map_err(|source| UpdateError::Read { path, source })?;
                if bytes.len() as u64 > MAX_MANIFEST { Err(too_large()) } else { Ok(Some(bytes)) }
            }
            Self::Address { .. } => {
                let Some(mut response) = self.ask(name).await? else { return Ok(None) };
                let mut bytes = Vec::new();
                while let Some(part) = self.part(&mut response, name).await? {
                    bytes.extend_from_slice(&part);
                    if bytes.len() as u64 > MAX_MANIFEST {
                        return Err(too_large());
                    }
                }
                Ok(Some(bytes))
            }
        }
    }

    /// Asks for a file; `None` when it is not there.
    pub(crate) async fn ask(&self, name: &str) -> Result<Option<Response>, UpdateError> {
        let Self::Address { base, client } = self else { return Ok(None) };
        let url = base.join(name).map_err(|_not_a_path| UpdateError::NoSource(base.to_string()))?;
        let address = url.to_string();
        let sent = client.get(url).send().await;
        let response =
            sent.map_err(|source| UpdateError::Unreachable { address: address.clone(), source })?;
        match response.status() {
            StatusCode::OK => Ok(Some(response)),
            StatusCode::NOT_FOUND | StatusCode::GONE => Ok(None),
            status => Err(UpdateError::Refused { address, status: status.as_u16() }),
        }
    }

    /// The next bytes of an answer.
    pub(crate) async fn part(
        &self,
        response: &mut Response,
        name: &str,
    ) -> Result<Option<Vec<u8>>, UpdateError> {
        let part = response.chunk().await;
        let part = part.map_err(|source| UpdateError::Unreachable {
            address: format!("{}{name}", self.name()),
            source,
        })?;
        Ok(part.map(|part| part.to_vec()))
    }
}
