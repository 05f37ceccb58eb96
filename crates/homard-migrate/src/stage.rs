//! Putting things into their places: staged beside them first, then renamed, the configuration last.

use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use homard_config::{WriteError, replace_config};
use homard_runtime::{FileDraft, create_private_dir};

use crate::{Content, Migration, Parcel, database};

/// Where things are put together, in the state folder; one that is there was left by a run that was interrupted.
const STAGE: &str = "migrating";

/// Why it was not carried out. What arrived before stays, and the next run goes on from there.
#[derive(Debug, thiserror::Error)]
pub enum ApplyError {
    #[error("could not put `{path}` into its place")]
    Place {
        path: PathBuf,
        #[source]
        source: io::Error,
    },
    #[error("could not copy `{path}`")]
    Copy {
        path: PathBuf,
        #[source]
        source: io::Error,
    },
    #[error("could not read a conversation of `{path}`")]
    Database {
        path: PathBuf,
        #[source]
        source: database::DatabaseError,
    },
    #[error("the configuration could not be written; everything else arrived")]
    Config(#[from] WriteError),
}

/// What is at a place already.
pub(crate) enum Already {
    Absent,
    Same,
    Another,
    /// Files are added to it.
    Folder,
}

/// Compares what is at a place with what is to come there.
pub(crate) fn already(place: &Path, content: &Content) -> Already {
    let same = |there: io::Result<Vec<u8>>, new: io::Result<Vec<u8>>| match (there, new) {
        (Ok(there), Ok(new)) if there == new => Already::Same,
        _ => Already::Another,
    };
    match content {
        _ if !place.exists() => Already::Absent,
        Content::Folder(_) if place.is_dir() => Already::Folder,
        Content::Folder(_) | Content::Transcript { .. } => Already::Another,
        Content::File(from) => same(fs::read(place), fs::read(from)),
        Content::Text(text) => same(fs::read(place), Ok(text.clone())),
    }
}

impl Migration {
    /// Carries the plan out. `aside` is the folder, beside the state folder, into which what is replaced is moved.
    ///
    /// # Errors
    /// When something cannot be copied or put into its place.
    pub fn apply(self, aside: &Path) -> Result<crate::Report, ApplyError> {
        let (state_dir, stage) = (self.target.state_dir.clone(), self.target.state_dir.join(STAGE));
        let failed = |path: &Path| {
            let path = path.to_path_buf();
            move |source| ApplyError::Place { path, source }
        };
        create_private_dir(&state_dir).map_err(failed(&state_dir))?;
        if stage.exists() {
            fs::remove_dir_all(&stage).map_err(failed(&stage))?;
        }
        create_private_dir(&stage).map_err(failed(&stage))?;
        for piece in &self.pieces {
            self.stage_piece(piece, &stage.join(&piece.to))?;
        }
        // The list of conversations follows the conversations.
        let is_list = |piece: &&Parcel| piece.to.ends_with("sessions.json");
        let (lists, others): (Vec<&Parcel>, Vec<&Parcel>) = self.pieces.iter().partition(is_list);
        for piece in others.into_iter().chain(lists) {
            let (from, to) = (stage.join(&piece.to), state_dir.join(&piece.to));
            place(&from, &to, &aside.join(&piece.to), self.options.overwrite).map_err(failed(&to))?;
        }
        fs::remove_dir_all(&stage).map_err(failed(&stage))?;
        if let Some(text) = &self.config {
            replace_config(&self.target.source, text)?;
        }
        Ok(self.report)
    }

    fn stage_piece(&self, piece: &Parcel, to: &Path) -> Result<(), ApplyError> {
        let failed = |path: &Path| {
            let path = path.to_path_buf();
            move |source| ApplyError::Copy { path, source }
        };
        if let Some(folder) = to.parent() {
            create_private_dir(folder).map_err(failed(folder))?;
        }
        match &piece.content {
            Content::File(from) => copy_file(from, to).map_err(failed(from)),
            Content::Folder(from) => copy_folder(from, to).map_err(failed(from)),
            Content::Text(text) => write_private(to, text).map_err(failed(to)),
            Content::Transcript { database, session_id } => {
                let text = database::transcript(database, session_id)
                    .map_err(|source| ApplyError::Database { path: database.clone(), source })?;
                write_private(to, &text).map_err(failed(to))
            }
        }
    }
}

fn write_private(to: &Path, text: &[u8]) -> io::Result<()> {
    let mut draft = FileDraft::private(to)?;
    draft.write_all(text)?;
    draft.commit()
}

/// Copies a file for the owner alone, and never writes to where it comes from.
fn copy_file(from: &Path, to: &Path) -> io::Result<()> {
    let mut draft = FileDraft::private(to)?;
    io::copy(&mut fs::File::open(from)?, &mut draft)?;
    draft.commit()
}

/// Copies a folder with everything in it. Permissions come along, because scripts in it are to be run; links stay links.
fn copy_folder(from: &Path, to: &Path) -> io::Result<()> {
    create_private_dir(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let (path, place, kind) = (entry.path(), to.join(entry.file_name()), entry.file_type()?);
        if kind.is_dir() {
            copy_folder(&path, &place)?;
        } else if kind.is_symlink() {
            std::os::unix::fs::symlink(fs::read_link(&path)?, &place)?;
        } else if kind.is_file() {
            fs::copy(&path, &place)?;
            make_writable(&place)?;
        }
    }
    Ok(())
}

/// A file of a home that may only be read becomes one its owner can change.
fn make_writable(path: &Path) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    let mode = fs::metadata(path)?.permissions().mode();
    fs::set_permissions(path, fs::Permissions::from_mode(mode | 0o600))
}

/// Moves something staged into its place. What is there is put aside, or stays where nothing is to be replaced.
#[expect(clippy::disallowed_methods, reason = "moves what was staged; nothing is written")]
fn place(from: &Path, to: &Path, aside: &Path, overwrite: bool) -> io::Result<()> {
    if let Some(folder) = to.parent() {
        create_private_dir(folder)?;
    }
    if !to.exists() {
        return fs::rename(from, to);
    }
    if from.is_dir() && to.is_dir() {
        for entry in fs::read_dir(from)? {
            let name = entry?.file_name();
            place(&from.join(&name), &to.join(&name), &aside.join(&name), overwrite)?;
        }
        return Ok(());
    }
    if !overwrite {
        return Ok(());
    }
    if let Some(folder) = aside.parent() {
        create_private_dir(folder)?;
    }
    fs::rename(to, aside)?;
    fs::rename(from, to)
}
