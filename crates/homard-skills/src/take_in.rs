//! Taking in a skill: a folder with a `SKILL.md` is copied to where agents find it, whole or not at all.
//!
//! Only its files are copied: no links, no folders of version control. Nothing of it is run.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use homard_runtime::Clip;

use crate::front_matter::{self, FrontMatterError};

/// The file that makes a folder a skill.
const FILE: &str = "SKILL.md";
/// Most files of one skill.
const MAX_FILES: usize = 2_000;
/// Most bytes of them together.
const MAX_BYTES: u64 = 64 * 1024 * 1024;
/// Deepest nesting of its folders.
const MAX_DEPTH: usize = 16;
/// Longest name of a folder, in characters.
const MAX_NAME_CHARS: usize = 64;
/// Folders that are no part of a skill.
const NOT_TAKEN: [&str; 4] = [".git", ".hg", ".svn", "node_modules"];

/// Why a skill was not taken in.
#[derive(Debug, thiserror::Error)]
pub enum TakeInError {
    #[error("there is no {FILE} in `{0}`")]
    NoSkill(PathBuf),
    #[error("the {FILE} in `{path}` {source}")]
    Unreadable {
        path: PathBuf,
        #[source]
        source: FrontMatterError,
    },
    #[error("`{0}` is there already")]
    Taken(PathBuf),
    #[error("it has more than {MAX_FILES} files, {MAX_BYTES} bytes or {MAX_DEPTH} folders in each other")]
    TooLarge,
    /// Links lead out of it.
    #[error("it holds a link (`{0}`), and links are not copied")]
    Link(PathBuf),
    #[error("could not copy `{path}`")]
    Io {
        path: PathBuf,
        #[source]
        source: io::Error,
    },
}

/// A skill that was taken in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TakenIn {
    /// What it calls itself.
    pub name: String,
    /// Where it is now.
    pub dir: PathBuf,
}

/// Copies a skill into a folder of skills, under the name of its own folder or `called`.
///
/// # Errors
/// When it is no skill, is too large, or is there already and not to be replaced; then nothing was changed.
pub fn take_in(from: &Path, into: &Path, called: &str, replaces: bool) -> Result<TakenIn, TakeInError> {
    let file = from.join(FILE);
    let text = match fs::read_to_string(&file) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return Err(TakeInError::NoSkill(from.to_owned()));
        }
        Err(source) => return Err(TakeInError::Io { path: file, source }),
    };
    let head = front_matter::parse(&text);
    let head = head.map_err(|source| TakeInError::Unreadable { path: from.to_owned(), source })?;
    let folder = folder_of(called);
    let dir = into.join(&folder);
    if dir.exists() && !replaces {
        return Err(TakeInError::Taken(dir));
    }
    // Hidden folders are no skills, so nobody reads half of one.
    let draft = into.join(format!(".{folder}.taking-in"));
    let failed = |path: &Path| {
        let path = path.to_owned();
        |source| TakeInError::Io { path, source }
    };
    remove(&draft).map_err(failed(&draft))?;
    let mut room = CopyBudget { files: MAX_FILES, bytes: MAX_BYTES };
    let copied = copy(from, &draft, 0, &mut room);
    if let Err(error) = copied {
        remove(&draft).ok();
        return Err(error);
    }
    let before = into.join(format!(".{folder}.before"));
    remove(&before).map_err(failed(&before))?;
    if dir.exists() {
        rename(&dir, &before).map_err(failed(&dir))?;
    }
    if let Err(source) = rename(&draft, &dir) {
        rename(&before, &dir).ok();
        return Err(TakeInError::Io { path: dir, source });
    }
    remove(&before).ok();
    Ok(TakenIn { name: head.name.unwrap_or(folder), dir })
}

/// A name that can be a folder's.
fn folder_of(called: &str) -> String {
    let plain = |c: char| if c.is_alphanumeric() || matches!(c, '-' | '_') { c } else { '-' };
    let name: String = called.trim().trim_end_matches(".git").chars().map(plain).collect();
    let name = name.trim_matches('-').clip_chars(MAX_NAME_CHARS).to_owned();
    if name.is_empty() { "skill".to_owned() } else { name }
}

/// What may still be copied.
struct CopyBudget {
    files: usize,
    bytes: u64,
}

fn copy(from: &Path, to: &Path, depth: usize, room: &mut CopyBudget) -> Result<(), TakeInError> {
    let failed = |path: &Path, source| TakeInError::Io { path: path.to_owned(), source };
    if depth > MAX_DEPTH {
        return Err(TakeInError::TooLarge);
    }
    fs::create_dir_all(to).map_err(|error| failed(to, error))?;
    for entry in fs::read_dir(from).map_err(|error| failed(from, error))? {
        let entry = entry.map_err(|error| failed(from, error))?;
        let (path, target) = (entry.path(), to.join(entry.file_name()));
        let about = fs::symlink_metadata(&path).map_err(|error| failed(&path, error))?;
        if about.is_symlink() {
            return Err(TakeInError::Link(path));
        }
        if about.is_dir() {
            if !NOT_TAKEN.iter().any(|name| entry.file_name() == *name) {
                copy(&path, &target, depth + 1, room)?;
            }
        } else if about.is_file() {
            room.files = room.files.checked_sub(1).ok_or(TakeInError::TooLarge)?;
            room.bytes = room.bytes.checked_sub(about.len()).ok_or(TakeInError::TooLarge)?;
            fs::copy(&path, &target).map_err(|error| failed(&path, error))?;
        }
    }
    Ok(())
}

fn remove(dir: &Path) -> io::Result<()> {
    match fs::remove_dir_all(dir) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        Ok(()) | Err(_) => Ok(()),
    }
}

#[expect(clippy::disallowed_methods, reason = "a whole folder takes its place; no file is written")]
fn rename(from: &Path, to: &Path) -> io::Result<()> {
    fs::rename(from, to)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::{TakeInError, folder_of, take_in};

    #[test]
    fn a_skill_is_taken_in_whole_or_not_at_all() {
        let home = tempfile::tempdir().unwrap();
        let (from, into) = (home.path().join("weather"), home.path().join("skills"));
        fs::create_dir_all(from.join("scripts")).unwrap();
        fs::create_dir_all(from.join(".git")).unwrap();
        fs::write(from.join(".git/config"), "x").unwrap();
        assert!(matches!(take_in(&from, &into, "weather", false), Err(TakeInError::NoSkill(_))));
        fs::write(from.join("SKILL.md"), "no head").unwrap();
        assert!(matches!(take_in(&from, &into, "weather", false), Err(TakeInError::Unreadable { .. })));
        fs::write(from.join("SKILL.md"), "---\nname: Weather\ndescription: d\n---\nlook outside").unwrap();
        fs::write(from.join("scripts/look.sh"), "one").unwrap();
        let taken = take_in(&from, &into, "weather.git", false).unwrap();
        assert_eq!((taken.name.as_str(), &taken.dir), ("Weather", &into.join("weather")));
        assert!(!taken.dir.join(".git").exists());
        fs::write(from.join("scripts/look.sh"), "two").unwrap();
        assert!(matches!(take_in(&from, &into, "weather", false), Err(TakeInError::Taken(_))));
        take_in(&from, &into, "weather", true).unwrap();
        assert_eq!(fs::read_to_string(into.join("weather/scripts/look.sh")).unwrap(), "two");
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink("/etc", from.join("etc")).unwrap();
            assert!(matches!(take_in(&from, &into, "weather", true), Err(TakeInError::Link(_))));
        }
        assert_eq!(fs::read_dir(&into).unwrap().count(), 1, "nothing half-done is left");
    }

    #[test]
    fn folders_have_plain_names() {
        for (called, folder) in [
            ("weather.git", "weather"),
            ("../../etc", "etc"),
            ("my skill", "my-skill"),
            ("", "skill"),
            ("..", "skill"),
        ] {
            assert_eq!(folder_of(called), folder, "{called}");
        }
    }
}
