//! Replacing a small file in one step, readable by its owner only.

use std::io::{self, Write as _};
use std::path::Path;

use homard_config::create_private_dir;

/// Puts `bytes` in place of the file: readers see the old or the new one, never a part. Temporary files are
/// made for the owner only, and the new file keeps that.
pub(crate) fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let dir = path.parent().unwrap_or(Path::new("."));
    create_private_dir(dir)?;
    let mut file = tempfile::NamedTempFile::new_in(dir)?;
    file.write_all(bytes)?;
    file.as_file().sync_all()?;
    file.persist(path).map_err(|error| error.error)?;
    Ok(())
}
