//! Hearing from the system which notes changed, so that nobody has to look at all of them: a watch on every folder of a
//! memory. Where the system has none (it is Linux that does), the files are looked at as before.

use std::collections::BTreeSet;
use std::path::PathBuf;

/// What was heard and is not yet in the index.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct FileChanges {
    /// Files that were written, moved or deleted.
    pub(crate) places: BTreeSet<PathBuf>,
    /// Whether more changed than is known: folders, or more at once than the system keeps.
    pub(crate) is_unclear: bool,
}

impl FileChanges {
    pub(crate) fn is_nothing(&self) -> bool {
        self.places.is_empty() && !self.is_unclear
    }
}

#[cfg(target_os = "linux")]
pub(crate) use linux::Watch;
#[cfg(not(target_os = "linux"))]
pub(crate) use nowhere::Watch;

#[cfg(target_os = "linux")]
mod linux {
    use std::collections::HashMap;
    use std::ffi::OsStr;
    use std::io;
    use std::mem::MaybeUninit;
    use std::os::fd::OwnedFd;
    use std::os::unix::ffi::OsStrExt as _;
    use std::path::{Path, PathBuf};

    use rustix::fs::inotify::{CreateFlags, ReadFlags, Reader, WatchFlags, add_watch, init};
    use rustix::io::Errno;

    use super::FileChanges;
    use crate::memory::is_note;

    /// Folders that are watched, at most: each is a little memory of the system's.
    const MAX_FOLDERS: usize = 4_096;
    /// Changes that are told by their places; with more, looking at all files is the shorter way.
    const MAX_PLACES: usize = 1_024;
    const BUFFER: usize = 16 * 1024;

    /// A watch on some folders.
    #[derive(Debug)]
    pub(crate) struct Watch {
        queue: OwnedFd,
        folders: HashMap<i32, PathBuf>,
    }

    impl Watch {
        pub(crate) fn open() -> io::Result<Self> {
            let queue = init(CreateFlags::NONBLOCK | CreateFlags::CLOEXEC)?;
            Ok(Self { queue, folders: HashMap::new() })
        }

        /// Something a task can wait on until there is something to hear.
        pub(crate) fn bell(&self) -> io::Result<OwnedFd> {
            self.queue.try_clone()
        }

        /// Watches these folders, those it watches already among them; whether any is new, or not there to be watched, so
        /// that another look is needed.
        pub(crate) fn over<'f>(&mut self, folders: impl Iterator<Item = &'f Path>) -> io::Result<bool> {
            let mut are_new = false;
            let wanted = WatchFlags::CREATE
                | WatchFlags::CLOSE_WRITE
                | WatchFlags::MODIFY
                | WatchFlags::MOVE
                | WatchFlags::DELETE
                | WatchFlags::DELETE_SELF
                | WatchFlags::MOVE_SELF
                | WatchFlags::ONLYDIR;
            for (count, folder) in folders.enumerate() {
                if count >= MAX_FOLDERS {
                    return Err(io::Error::other("there are too many folders to watch"));
                }
                match add_watch(&self.queue, folder, wanted) {
                    Ok(number) => are_new |= self.folders.insert(number, folder.to_owned()).is_none(),
                    Err(Errno::NOENT | Errno::NOTDIR) => are_new = true,
                    Err(error) => return Err(error.into()),
                }
            }
            Ok(are_new)
        }

        /// Takes what there is to hear about notes, without waiting; whether there was anything.
        pub(crate) fn hear(&mut self, heard: &mut FileChanges) -> bool {
            let mut is_any = false;
            let mut buffer = vec![MaybeUninit::uninit(); BUFFER];
            let mut reader = Reader::new(&self.queue, &mut buffer);
            while let Ok(event) = reader.next() {
                let flags = event.events();
                if flags.contains(ReadFlags::IGNORED) {
                    self.folders.remove(&event.wd());
                    continue;
                }
                let folder = self.folders.get(&event.wd());
                let name = event.file_name().map(|name| OsStr::from_bytes(name.to_bytes()));
                match (folder, name.and_then(OsStr::to_str)) {
                    (Some(folder), Some(name)) if !flags.contains(ReadFlags::ISDIR) => {
                        is_any |= is_note(name);
                        if is_note(name) && heard.places.len() < MAX_PLACES {
                            heard.places.insert(folder.join(name));
                        } else if is_note(name) {
                            heard.is_unclear = true;
                        }
                    }
                    (Some(_), Some(name)) if name.starts_with('.') => {}
                    // A folder came, went or moved, or the queue ran over.
                    _ => (heard.is_unclear, is_any) = (true, true),
                }
            }
            is_any
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod nowhere {
    use std::io;
    use std::os::fd::OwnedFd;
    use std::path::Path;

    use super::FileChanges;

    /// A watch there is none of.
    #[derive(Debug)]
    pub(crate) struct Watch;

    impl Watch {
        pub(crate) fn open() -> io::Result<Self> {
            Err(io::ErrorKind::Unsupported.into())
        }

        pub(crate) fn bell(&self) -> io::Result<OwnedFd> {
            Err(io::ErrorKind::Unsupported.into())
        }

        pub(crate) fn over<'f>(&mut self, _folders: impl Iterator<Item = &'f Path>) -> io::Result<bool> {
            Ok(false)
        }

        pub(crate) fn hear(&mut self, _heard: &mut FileChanges) -> bool {
            false
        }
    }
}
