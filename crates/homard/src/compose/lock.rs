//! One gateway per state folder.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::Path;

use anyhow::Context;

use crate::report::Advice;

/// Held while the gateway runs; the system lets go of it when the process ends, however it ends.
#[derive(Debug)]
pub(crate) struct Lock {
    _file: File,
}

/// Takes the lock and writes who holds it.
pub(crate) fn take(path: &Path) -> anyhow::Result<Lock> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).with_context(|| {
            format!(
                "could not make the state folder `{}`; check HOMARD_STATE_DIR and its permissions",
                folder.display()
            )
        })?;
    }
    let open = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path);
    let mut file = open.with_context(|| format!("could not open `{}`", path.display()))?;
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => {
            let mut holder = String::new();
            // Only for the message; an unreadable holder is just not named.
            let _unnamed = file.read_to_string(&mut holder);
            let process = holder.trim();
            return Err(Advice::error(
                format!("a gateway (process {process}) already runs on this state folder"),
                "use it, stop it first, or take over with --force",
            ));
        }
        Err(TryLockError::Error(error)) => {
            return Err(error).with_context(|| format!("could not lock `{}`", path.display()));
        }
    }
    let write = |file: &mut File| -> std::io::Result<()> {
        file.set_len(0)?;
        file.seek(SeekFrom::Start(0))?;
        writeln!(file, "{}", std::process::id())?;
        file.flush()
    };
    write(&mut file).with_context(|| format!("could not write `{}`", path.display()))?;
    Ok(Lock { _file: file })
}
