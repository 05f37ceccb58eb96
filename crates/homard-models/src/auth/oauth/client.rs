//! Who we are to a token server: by an id of our own, or by that of a vendor's program, which the vendor gives to nobody
//! else. Such an id and its secret are never part of this one: they come from the environment, or are read from the
//! vendor's program where the person has installed it.

use std::fmt;
use std::path::{Path, PathBuf};

use homard_config::Environment;
use homard_llm::ApiKey;

use super::super::candidate::OAuthRow;
use super::LoginError;

/// Largest file of a program that is looked into, in bytes.
const MAX_FILE: u64 = 64 * 1024 * 1024;
/// Most files of a program that are looked into.
const MAX_FILES: usize = 1_000;
/// How far above its entry a package may have its description.
const MAX_ABOVE: usize = 4;
/// Where the packages of the program that is known have the id: beside the program, above it, or in one bundle.
const PLACES: [&str; 4] = [
    "node_modules/@google/gemini-cli-core/dist/src/code_assist/oauth2.js",
    "../gemini-cli-core/dist/src/code_assist/oauth2.js",
    "dist/src/code_assist/oauth2.js",
    "bundle",
];
/// How Google's ids end, and how its secrets begin.
const ID_END: &str = ".apps.googleusercontent.com";
const SECRET_START: &str = "GOCSPX-";

/// Where a vendor's id and secret are found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BorrowedClient {
    pub id_env: &'static [&'static str],
    pub secret_env: &'static [&'static str],
    /// The vendor's program, as it is called on the `PATH`.
    pub program: &'static str,
    /// How a person gets it.
    pub install: &'static str,
}

/// An id, and the secret that belongs to it where the vendor wants one. `Debug` shows neither.
#[derive(Clone, PartialEq, Eq)]
pub struct OAuthClient {
    pub(crate) id: String,
    pub(crate) secret: Option<ApiKey>,
}

impl fmt::Debug for OAuthClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("OAuthClient(••••)")
    }
}

impl OAuthRow {
    /// Who we are to this provider. Looks at the disk where a vendor's program is to be asked.
    ///
    /// # Errors
    /// When neither the environment nor an installed program says it.
    pub(crate) fn client(&self, env: &Environment) -> Result<OAuthClient, LoginError> {
        let Some(borrowed) = self.borrowed else {
            return Ok(OAuthClient { id: self.client_id.to_owned(), secret: None });
        };
        let first = |names: &[&str]| names.iter().find_map(|name| env.get(name)).map(str::to_owned);
        let given = first(borrowed.id_env).zip(first(borrowed.secret_env));
        let (id, secret) =
            given.or_else(|| installed(borrowed.program, env)).ok_or(LoginError::NoClient(borrowed))?;
        Ok(OAuthClient { id, secret: Some(ApiKey::new(&secret)) })
    }
}

/// The id and secret of an installed program.
fn installed(program: &str, env: &Environment) -> Option<(String, String)> {
    let places = env.get("PATH").into_iter().flat_map(|path| path.split(':'));
    let mut real = places.filter_map(|place| Path::new(place).join(program).canonicalize().ok());
    real.find_map(|entry| {
        let root =
            entry.ancestors().skip(1).take(MAX_ABOVE).find(|dir| dir.join("package.json").is_file())?;
        PLACES.iter().flat_map(|place| scripts(&root.join(place))).find_map(|file| told(&file))
    })
}

/// A file, or the scripts of a folder.
fn scripts(place: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(place) else { return vec![place.to_owned()] };
    let files = entries.filter_map(|entry| Some(entry.ok()?.path()));
    let mut files: Vec<_> = files.filter(|file| file.extension().is_some_and(|end| end == "js")).collect();
    files.sort_unstable();
    files.truncate(MAX_FILES);
    files
}

/// What one file says, if it says both.
fn told(file: &Path) -> Option<(String, String)> {
    let meta = std::fs::metadata(file).ok()?;
    if !meta.is_file() || meta.len() > MAX_FILE {
        return None;
    }
    let text = String::from_utf8_lossy(&std::fs::read(file).ok()?).into_owned();
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    let before = text.get(..text.find(ID_END)?)?;
    let name = before.rsplit(|c: char| !is_part(c)).next().filter(|name| name.contains('-'))?;
    let after = text.get(text.find(SECRET_START)?..)?;
    let secret = after.split(|c: char| !is_part(c)).next()?;
    Some((format!("{name}{ID_END}"), secret.to_owned()))
}

#[cfg(test)]
mod tests;
