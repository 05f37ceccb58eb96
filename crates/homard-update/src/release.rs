//! What a release says of itself.

use semver::Version;
use serde::Deserialize;

use crate::error::UpdateError;

/// The manifest's name in the folder of a release.
pub const MANIFEST: &str = "release.json";
/// Its signature: 64 bytes in base64.
pub const SIGNATURE: &str = "release.json.sig";
/// The only form of the manifest so far.
const FORMAT: u32 = 1;

/// A release: what it is, and an archive for each platform.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Release {
    pub version: Version,
    /// The commit it was built from.
    pub commit: Option<String>,
    /// Which releases it is one of, such as `stable`.
    pub channel: String,
    /// When it was made, as it is written.
    pub date: Option<String>,
    pub builds: Vec<Build>,
}

/// The archive for one platform.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Build {
    /// The platform, as rustc calls it.
    pub target: String,
    /// A file beside the manifest.
    pub name: String,
    pub size: u64,
    pub sha256: String,
}

/// As it is written.
#[derive(Deserialize)]
struct Written {
    format: u32,
    version: String,
    commit: Option<String>,
    channel: String,
    date: Option<String>,
    builds: Vec<Build>,
}

impl Release {
    /// Reads a manifest; `place` is for the words when it cannot be.
    pub(crate) fn parse(bytes: &[u8], place: &str) -> Result<Self, UpdateError> {
        let wrong = |why: String| UpdateError::NotUnderstood { place: place.to_owned(), why };
        let written: Written = serde_json::from_slice(bytes).map_err(|error| wrong(error.to_string()))?;
        if written.format != FORMAT {
            return Err(wrong(format!(
                "it is written in form {}, this program knows {FORMAT}",
                written.format
            )));
        }
        let version = Version::parse(&written.version)
            .map_err(|error| wrong(format!("its version `{}` is none: {error}", written.version)))?;
        if let Some(build) = written.builds.iter().find(|build| !is_plain(build)) {
            return Err(wrong(format!("its build for {} names no plain file or no SHA-256", build.target)));
        }
        let Written { commit, channel, date, builds, .. } = written;
        Ok(Self { version, commit, channel, date, builds })
    }

    /// The archive for a platform.
    ///
    /// # Errors
    /// When there is none.
    pub fn build_for(&self, target: &str) -> Result<&Build, UpdateError> {
        self.builds.iter().find(|build| build.target == target).ok_or_else(|| {
            let has: Vec<&str> = self.builds.iter().map(|build| build.target.as_str()).collect();
            let has = if has.is_empty() { "none".to_owned() } else { has.join(", ") };
            UpdateError::NoBuild { version: self.version.to_string(), target: target.to_owned(), has }
        })
    }
}

/// Whether a build names a file beside the manifest and nothing else, and a hash.
fn is_plain(build: &Build) -> bool {
    let is_in_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_' | '+' | '~');
    let is_hex = |c: char| c.is_ascii_digit() || ('a'..='f').contains(&c);
    !build.name.starts_with('.')
        && !build.name.is_empty()
        && build.name.chars().all(is_in_name)
        && build.sha256.len() == 64
        && build.sha256.chars().all(is_hex)
}

#[cfg(test)]
mod tests;
