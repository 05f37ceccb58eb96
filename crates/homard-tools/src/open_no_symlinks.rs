//! Opening a file by a path that was looked at before: all links were followed then, so one that is there now was put
//! there in between, and is not followed.

use std::fs::File;
use std::io;
use std::path::Path;

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

    use super::open_no_symlinks;

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
}
