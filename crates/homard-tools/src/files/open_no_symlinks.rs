//! Using a file by a path that was looked at before: all links were followed then, so one that is there now was put
//! there in between, and is not followed.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

/// The folder of a file, held open: what is done to the file through it is done there, whatever happens to the path.
#[derive(Debug)]
pub(crate) struct HeldFolder {
    folder: PathBuf,
    /// Keeps the folder's number from being given to another.
    _held: Option<File>,
}

impl HeldFolder {
    /// The folder of `real`, which has no links in it.
    ///
    /// # Errors
    /// When it is not there, or has a link in its path now.
    #[cfg(target_os = "linux")]
    pub(crate) fn of(real: &Path) -> io::Result<Self> {
        use std::os::fd::AsRawFd as _;

        let parent = real.parent().ok_or(io::ErrorKind::InvalidInput)?;
        let held = open_no_symlinks(parent)?;
        let folder = PathBuf::from(format!("/proc/self/fd/{}", held.as_raw_fd()));
        // Without /proc there is only the path.
        let folder = if folder.is_dir() { folder } else { parent.to_owned() };
        Ok(Self { folder, _held: Some(held) })
    }

    /// The folder of `real`, which has no links in it.
    ///
    /// # Errors
    /// When there can be none.
    #[cfg(not(target_os = "linux"))]
    pub(crate) fn of(real: &Path) -> io::Result<Self> {
        let parent = real.parent().ok_or(io::ErrorKind::InvalidInput)?;
        Ok(Self { folder: parent.to_owned(), _held: None })
    }

    /// A path that leads to a file of that name in the folder.
    pub(crate) fn at(&self, real: &Path) -> PathBuf {
        self.folder.join(real.file_name().unwrap_or_default())
    }
}

/// Opens a file to read it; `real` has no links in it. Never waits for the other end of a pipe.
///
/// # Errors
/// When it is not there, may not be read, or has a link in its path now.
#[cfg(target_os = "linux")]
pub fn open_no_symlinks(real: &Path) -> io::Result<File> {
    use rustix::fs::{CWD, Mode, OFlags, ResolveFlags, openat, openat2};
    use rustix::io::Errno;

    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK | OFlags::NOCTTY;
    let resolve = ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
    let opened = match openat2(CWD, real, flags, Mode::empty(), resolve) {
        // An old kernel, or a sandbox that does not know the call: at least the last part is no link.
        Err(Errno::NOSYS | Errno::PERM) => openat(CWD, real, flags | OFlags::NOFOLLOW, Mode::empty()),
        opened => opened,
    };
    Ok(File::from(opened?))
}

/// Opens a file to read it; `real` has no links in it.
///
/// # Errors
/// When it is not there or may not be read.
#[cfg(not(target_os = "linux"))]
pub fn open_no_symlinks(real: &Path) -> io::Result<File> {
    File::open(real)
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::io::Read as _;

    use super::{HeldFolder, open_no_symlinks};

    #[test]
    fn a_link_that_was_put_there_since_is_not_followed() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        std::fs::create_dir_all(root.join("work/sub")).unwrap();
        std::fs::write(root.join("secret"), "SECRET").unwrap();
        std::fs::write(root.join("work/sub/secret"), "fine").unwrap();
        let mut text = String::new();
        open_no_symlinks(&root.join("work/sub/secret")).unwrap().read_to_string(&mut text).unwrap();
        assert_eq!(text, "fine");
        // The folder above is swapped for a link, then the file itself.
        std::fs::remove_dir_all(root.join("work/sub")).unwrap();
        std::os::unix::fs::symlink("..", root.join("work/sub")).unwrap();
        assert!(open_no_symlinks(&root.join("work/sub/secret")).is_err());
        std::os::unix::fs::symlink("../secret", root.join("work/file")).unwrap();
        assert!(open_no_symlinks(&root.join("work/file")).is_err());
    }

    #[expect(clippy::disallowed_methods, reason = "a folder that moves")]
    #[test]
    fn a_file_is_put_where_its_folder_was_seen_or_nowhere() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        std::fs::create_dir_all(root.join("work/sub")).unwrap();
        let file = root.join("work/sub/file");
        let held = HeldFolder::of(&file).unwrap();
        std::fs::rename(root.join("work/sub"), root.join("work/moved")).unwrap();
        std::os::unix::fs::symlink(&root, root.join("work/sub")).unwrap();
        std::fs::write(held.at(&file), "x").unwrap();
        assert!(root.join("work/moved/file").exists() && !root.join("file").exists());
        assert!(HeldFolder::of(&file).is_err());
    }
}
