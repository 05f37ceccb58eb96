//! The new program: downloaded, unpacked beside the old one, started once, put in its place.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, BufReader, Read, Seek as _, SeekFrom, Write as _};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use flate2::bufread::GzDecoder;
use homard_runtime::{OrLog as _, hex, sweep_drafts};
use semver::Version;
use sha2::{Digest as _, Sha256};
use tar::Archive;
use tempfile::TempPath;
use tokio::process::Command;

use crate::error::UpdateError;
use crate::release::Build;
use crate::source::{FoundRelease, ReleasePlace};

/// What the program is called in an archive.
const PROGRAM: &str = "homard";
/// Largest archive, and largest program in one.
const MAX_ARCHIVE: u64 = 1024 * 1024 * 1024;
const MAX_PROGRAM: u64 = 2 * 1024 * 1024 * 1024;
/// How much is copied at once.
const PIECE: usize = 64 * 1024;
/// What a draft is recognised by, as those of homard-runtime are.
const PREFIX: &str = ".homard-";
/// What the old program is called beside the new one.
const PREVIOUS: &str = ".previous";
/// Anybody may start it.
const EXECUTABLE: u32 = 0o755;
/// How long the new program may take to say its version.
const CHECK_PATIENCE: Duration = Duration::from_secs(20);

/// A new program, whole and checked against its release, in a file beside the old one. Dropped, it is gone.
#[derive(Debug)]
pub struct Staged {
    file: TempPath,
    version: Version,
}

/// Downloads the build for `target` and leaves its program beside `program`. `progress` is told how much has come, and of
/// how much.
///
/// # Errors
/// When it cannot be had, is not what the release says, or does not fit.
pub async fn stage(
    found: &FoundRelease,
    target: &str,
    program: &Path,
    progress: &mut dyn FnMut(u64, u64),
) -> Result<Staged, UpdateError> {
    let build = found.release.build_for(target)?;
    let folder = folder_of(program);
    // What an update that was killed left behind.
    sweep_drafts(folder);
    if build.size > MAX_ARCHIVE {
        return Err(damaged(build, format!("it is said to be larger than {MAX_ARCHIVE} bytes")));
    }
    // Without a name: whatever happens to us, nothing of it stays. Before anything is asked for, it shows that the folder
    // may be written.
    let archive = tempfile::tempfile_in(folder).map_err(|error| UpdateError::write(folder, error))?;
    let mut archive = Archived { file: archive, folder, build, hash: Sha256::new(), come: 0 };
    match &found.at {
        ReleasePlace::Folder(source) => {
            let path = source.join(&build.name);
            let wrong = |source| UpdateError::Read { path: path.clone(), source };
            let mut from = File::open(&path).map_err(wrong)?;
            let mut piece = vec![0; PIECE];
            loop {
                let read = from.read(&mut piece).map_err(wrong)?;
                let Some(bytes) = piece.get(..read).filter(|bytes| !bytes.is_empty()) else { break };
                archive.take(bytes)?;
                progress(archive.come, build.size);
            }
        }
        place @ ReleasePlace::Address { .. } => {
            let response = place.ask(&build.name).await?;
            let mut response =
                response.ok_or_else(|| UpdateError::NoRelease(format!("{}{}", found.place, build.name)))?;
            while let Some(bytes) = place.part(&mut response, &build.name).await? {
                archive.take(&bytes)?;
                progress(archive.come, build.size);
            }
        }
    }
    let file = archive.whole()?;
    let file = unpack(file, folder, build)?;
    Ok(Staged { file, version: found.release.version.clone() })
}

/// An archive that comes in.
struct Archived<'a> {
    file: File,
    folder: &'a Path,
    build: &'a Build,
    hash: Sha256,
    come: u64,
}

impl Archived<'_> {
    fn take(&mut self, bytes: &[u8]) -> Result<(), UpdateError> {
        self.come += bytes.len() as u64;
        if self.come > self.build.size {
            return Err(damaged(self.build, format!("it is longer than {} bytes", self.build.size)));
        }
        self.hash.update(bytes);
        self.file.write_all(bytes).map_err(|error| UpdateError::write(self.folder, error))
    }

    /// The file from its beginning, when it is what the release says.
    fn whole(mut self) -> Result<File, UpdateError> {
        if self.come != self.build.size {
            let why = format!("{} of {} bytes came", self.come, self.build.size);
            return Err(damaged(self.build, why));
        }
        let found = hex(&self.hash.finalize());
        if found != self.build.sha256 {
            return Err(damaged(self.build, format!("SHA-256 {found} instead of {}", self.build.sha256)));
        }
        self.file.seek(SeekFrom::Start(0)).map_err(|error| UpdateError::write(self.folder, error))?;
        Ok(self.file)
    }
}

fn damaged(build: &Build, why: String) -> UpdateError {
    UpdateError::Damaged { name: build.name.clone(), why }
}

/// Takes the program out of an archive into a file that can be started.
fn unpack(archive: File, folder: &Path, build: &Build) -> Result<TempPath, UpdateError> {
    let broken = |error: &io::Error| damaged(build, error.to_string());
    let mut archive = Archive::new(GzDecoder::new(BufReader::new(archive)));
    for entry in archive.entries().map_err(|error| broken(&error))? {
        let entry = entry.map_err(|error| broken(&error))?;
        let path = entry.path().map_err(|error| broken(&error))?;
        let is_it = path.file_name().is_some_and(|name| name == PROGRAM) && path.components().count() <= 2;
        if !is_it || !entry.header().entry_type().is_file() {
            continue;
        }
        let mut draft = tempfile::Builder::new()
            .prefix(PREFIX)
            .tempfile_in(folder)
            .map_err(|error| UpdateError::write(folder, error))?;
        let mut from = entry.take(MAX_PROGRAM);
        let mut piece = vec![0; PIECE];
        loop {
            let read = from.read(&mut piece).map_err(|error| broken(&error))?;
            let Some(bytes) = piece.get(..read).filter(|bytes| !bytes.is_empty()) else { break };
            draft.write_all(bytes).map_err(|error| UpdateError::write(folder, error))?;
        }
        let rights = fs::Permissions::from_mode(EXECUTABLE);
        let kept = draft.as_file().set_permissions(rights).and_then(|()| draft.as_file().sync_all());
        kept.map_err(|error| UpdateError::write(folder, error))?;
        // Closed: what is open for writing cannot be started.
        return Ok(draft.into_temp_path());
    }
    Err(damaged(build, format!("there is no `{PROGRAM}` in it")))
}

impl Staged {
    /// Where it lies.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.file
    }

    /// Starts it once: it runs on this machine and is the version it should be.
    ///
    /// # Errors
    /// When it does not, or says another version.
    pub async fn check(&self) -> Result<(), UpdateError> {
        let wrong = |why: String| UpdateError::DoesNotRun { why };
        let mut command = Command::new(self.path());
        command.arg("--version").env_clear().stdin(Stdio::null()).kill_on_drop(true);
        let ran = tokio::time::timeout(CHECK_PATIENCE, command.output()).await;
        let ran = ran.map_err(|_elapsed| wrong("it does not say its version".to_owned()))?;
        let output = ran.map_err(|error| wrong(error.to_string()))?;
        let said = String::from_utf8_lossy(&output.stdout);
        let mut words = said.split_whitespace();
        if !output.status.success() {
            return Err(wrong(format!("asked for its version it ended with {}", output.status)));
        }
        let version = words.nth(1).unwrap_or_default();
        if version != self.version.to_string() {
            return Err(wrong(format!("it says it is `{}`, and not {}", said.trim(), self.version)));
        }
        Ok(())
    }

    /// Puts it in the place of `program` in one step. What was there stays beside it; tells where, if it could be kept.
    ///
    /// # Errors
    /// When the folder does not take it; the old program is still there then.
    pub fn install(self, program: &Path) -> Result<Option<PathBuf>, UpdateError> {
        let folder = folder_of(program);
        if let Ok(old) = fs::metadata(program) {
            // An administrator who updates somebody's program leaves it to them.
            std::os::unix::fs::chown(self.path(), Some(old.uid()), Some(old.gid()))
                .or_log("the new program belongs to somebody else than the old one");
        }
        let previous = keep(program);
        let placed = self.file.persist(program);
        placed.map_err(|error| UpdateError::write(folder, error.error))?;
        File::open(folder)
            .and_then(|folder| folder.sync_all())
            .or_log("the folder of the program could not be flushed to the disk");
        Ok(previous)
    }
}

/// A second name for what is there, so that there is a way back by hand. Where names cannot be shared there is none.
fn keep(program: &Path) -> Option<PathBuf> {
    let mut name = OsString::from(program);
    name.push(PREVIOUS);
    let previous = PathBuf::from(name);
    fs::remove_file(&previous).ok();
    fs::hard_link(program, &previous).or_log("the old program is not kept")?;
    Some(previous)
}

fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}
