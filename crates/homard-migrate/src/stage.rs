//! Putting things into their places: staged beside them first, then renamed, the configuration last.

use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use homard_config::{WriteError, replace_config};
use homard_runtime::{FileDraft, create_private_dir};

use crate::files::opened;
use crate::home::real_place;
use crate::report::{Fate, Kind};
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
    /// Carries the plan out. `aside` is the folder, beside the state folder, into which what is replaced is moved. What
    /// cannot be read after all is told in the report, and the rest goes on.
    ///
    /// # Errors
    /// When something cannot be written or put into its place.
    pub fn apply(self, aside: &Path) -> Result<crate::Report, ApplyError> {
        let stage = self.target.state_dir.join(STAGE);
        let done = self.carry_out(&stage, aside);
        if done.is_err() {
            // What went wrong matters more; on a full disk it would go on filling it.
            drop(fs::remove_dir_all(&stage));
        }
        done
    }

    fn carry_out(mut self, stage: &Path, aside: &Path) -> Result<crate::Report, ApplyError> {
        let state_dir = self.target.state_dir.clone();
        let failed = |path: &Path| {
            let path = path.to_path_buf();
            move |source| ApplyError::Place { path, source }
        };
        create_private_dir(&state_dir).map_err(failed(&state_dir))?;
        if stage.exists() {
            fs::remove_dir_all(stage).map_err(failed(stage))?;
        }
        create_private_dir(stage).map_err(failed(stage))?;
        let mut staged: Vec<Parcel> = Vec::new();
        for piece in std::mem::take(&mut self.pieces) {
            if self.stage_piece(&piece, &stage.join(&piece.to))? {
                staged.push(piece);
            }
        }
        // The list of conversations follows the conversations.
        let is_list = |piece: &&Parcel| piece.to.ends_with("sessions.json");
        let (lists, others): (Vec<&Parcel>, Vec<&Parcel>) = staged.iter().partition(is_list);
        let placing = Placing { overwrite: self.options.overwrite, source: self.report.from.clone() };
        for piece in others.into_iter().chain(lists) {
            let (from, to) = (stage.join(&piece.to), state_dir.join(&piece.to));
            placing.place(&from, &to, &aside.join(&piece.to)).map_err(failed(&to))?;
        }
        fs::remove_dir_all(stage).map_err(failed(stage))?;
        if let Some(text) = &self.config {
            replace_config(&self.target.source, text)?;
        }
        Ok(self.report)
    }

    /// Brings a piece to where things are put together. `false` when it cannot be read, which is told.
    fn stage_piece(&mut self, piece: &Parcel, to: &Path) -> Result<bool, ApplyError> {
        let failed = |path: &Path| {
            let path = path.to_path_buf();
            move |source| ApplyError::Copy { path, source }
        };
        if let Some(folder) = to.parent() {
            create_private_dir(folder).map_err(failed(folder))?;
        }
        let what = piece.to.display().to_string();
        let trouble = match &piece.content {
            Content::File(from) => match opened(from) {
                Ok(file) => return copy_open(file, to).map(|()| true).map_err(failed(from)),
                Err(error) => format!("it cannot be read: {error}"),
            },
            Content::Folder(from) => {
                let mut copy =
                    FolderCopy { old: &self.report.from, new: &self.target.state_dir, unread: Vec::new() };
                copy.folder(from, to).map_err(failed(from))?;
                let base = from.parent().unwrap_or(from).to_path_buf();
                for (path, error) in copy.unread {
                    let what = path.strip_prefix(&base).unwrap_or(&path).display().to_string();
                    let why = format!("it cannot be read: {error}");
                    self.report.add(Kind::File, &what, Fate::Failed, &why);
                }
                return Ok(true);
            }
            Content::Text(text) => return write_private(to, text).map(|()| true).map_err(failed(to)),
            Content::Transcript { database, session_id } => {
                match database::transcript(database, session_id) {
                    Ok(text) => return write_private(to, &text).map(|()| true).map_err(failed(to)),
                    Err(error) => error.to_string(),
                }
            }
        };
        self.report.add(Kind::File, &what, Fate::Failed, &trouble);
        Ok(false)
    }
}

fn write_private(to: &Path, text: &[u8]) -> io::Result<()> {
    let mut draft = FileDraft::private(to)?;
    draft.write_all(text)?;
    draft.commit()
}

/// Copies a file for the owner alone, and never writes to where it comes from.
fn copy_open(mut from: fs::File, to: &Path) -> io::Result<()> {
    let mut draft = FileDraft::private(to)?;
    io::copy(&mut from, &mut draft)?;
    draft.commit()
}

/// Copies a folder with everything in it that can be read.
struct FolderCopy<'a> {
    /// The home it comes from, and ours: a link from one place of it to another goes on doing that.
    old: &'a Path,
    new: &'a Path,
    unread: Vec<(PathBuf, io::Error)>,
}

impl FolderCopy<'_> {
    /// Permissions come along, because scripts are to be run; links stay links.
    fn folder(&mut self, from: &Path, to: &Path) -> io::Result<()> {
        create_private_dir(to)?;
        let entries = match fs::read_dir(from) {
            Ok(entries) => entries,
            Err(error) => {
                self.unread.push((from.to_owned(), error));
                return Ok(());
            }
        };
        for entry in entries.flatten() {
            let (path, place) = (entry.path(), to.join(entry.file_name()));
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => self.folder(&path, &place)?,
                Ok(kind) if kind.is_symlink() => self.link(&path, &place)?,
                Ok(kind) if kind.is_file() => self.file(&path, &place)?,
                // Pipes and sockets are somebody's who runs.
                Ok(_) => {}
                Err(error) => self.unread.push((path, error)),
            }
        }
        Ok(())
    }

    fn file(&mut self, path: &Path, place: &Path) -> io::Result<()> {
        let mut from = match opened(path) {
            Ok(from) => from,
            Err(error) => {
                self.unread.push((path.to_owned(), error));
                return Ok(());
            }
        };
        let mode = from.metadata()?.permissions();
        io::copy(&mut from, &mut fs::File::create(place)?)?;
        fs::set_permissions(place, mode)?;
        make_writable(place)
    }

    fn link(&mut self, path: &Path, place: &Path) -> io::Result<()> {
        let to = match fs::read_link(path) {
            Ok(to) => to,
            Err(error) => {
                self.unread.push((path.to_owned(), error));
                return Ok(());
            }
        };
        // Whoever writes through it is not to write into the other home.
        let to = to.strip_prefix(self.old).map_or_else(|_| to.clone(), |inside| self.new.join(inside));
        std::os::unix::fs::symlink(to, place)
    }
}

/// A file of a home that may only be read becomes one its owner can change.
fn make_writable(path: &Path) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    let mode = fs::metadata(path)?.permissions().mode();
    fs::set_permissions(path, fs::Permissions::from_mode(mode | 0o600))
}

/// How things get into their places.
struct Placing {
    overwrite: bool,
    /// The other home, into which nothing is put, whatever links lead there.
    source: PathBuf,
}

impl Placing {
    /// Moves something staged into its place. What is there is put aside, or stays where nothing is to be replaced.
    #[expect(clippy::disallowed_methods, reason = "moves what was staged; nothing is written")]
    fn place(&self, from: &Path, to: &Path, aside: &Path) -> io::Result<()> {
        if real_place(to).starts_with(&self.source) {
            let words = "it leads into the home that is taken over; take the link away first";
            return Err(io::Error::other(words));
        }
        if let Some(folder) = to.parent() {
            create_private_dir(folder)?;
        }
        if to.symlink_metadata().is_err() {
            return move_in(from, to);
        }
        // What a link leads to is not ours to move.
        if is_folder(from) && to.is_dir() {
            for entry in fs::read_dir(from)? {
                let name = entry?.file_name();
                self.place(&from.join(&name), &to.join(&name), &aside.join(&name))?;
            }
            return Ok(());
        }
        if !self.overwrite {
            return Ok(());
        }
        if let Some(folder) = aside.parent() {
            create_private_dir(folder)?;
        }
        fs::rename(to, aside)?;
        move_in(from, to)
    }
}

/// Whether it is a folder itself, and no link to one.
fn is_folder(path: &Path) -> bool {
    path.symlink_metadata().is_ok_and(|about| about.is_dir())
}

/// Moves something, over the border of a file system by copying.
#[expect(clippy::disallowed_methods, reason = "moves what was staged; nothing is written")]
fn move_in(from: &Path, to: &Path) -> io::Result<()> {
    match fs::rename(from, to) {
        Err(error) if error.kind() == io::ErrorKind::CrossesDevices => {}
        moved => return moved,
    }
    if from.is_symlink() {
        return std::os::unix::fs::symlink(fs::read_link(from)?, to);
    }
    if from.is_dir() {
        let mut copy = FolderCopy { old: from, new: to, unread: Vec::new() };
        copy.folder(from, to)?;
        return copy.unread.into_iter().next().map_or(Ok(()), |(_, error)| Err(error));
    }
    copy_open(fs::File::open(from)?, to)
}
