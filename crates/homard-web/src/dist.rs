//! The files of the built page: inside the program in a release, on disk in a debug build, where the page is built
//! beside the program and neither waits for the other.

use rust_embed::EmbeddedFile;

#[cfg(not(debug_assertions))]
#[derive(rust_embed::RustEmbed)]
#[folder = "../../web/dist"]
#[allow_missing = true]
struct Dist;

/// A file of the page by its name.
#[cfg(not(debug_assertions))]
pub(crate) fn get(name: &str) -> Option<EmbeddedFile> {
    Dist::get(name)
}

/// A file of the page by its name.
#[cfg(debug_assertions)]
pub(crate) fn get(name: &str) -> Option<EmbeddedFile> {
    rust_embed::utils::read_file_from_fs(&clone_folder("web/dist")?.join(name)).ok()
}

/// A folder of the sources this was compiled from, or of the clone the program lies in where the sources' path was left
/// out.
#[cfg(debug_assertions)]
pub(crate) fn clone_folder(name: &str) -> Option<std::path::PathBuf> {
    use std::path::Path;

    let sources = Path::new(env!("CARGO_MANIFEST_DIR"));
    let program = std::env::current_exe().ok()?;
    let starts = [sources.is_absolute().then_some(sources), Some(program.as_path())];
    let above = starts.into_iter().flatten().flat_map(Path::ancestors);
    above.map(|folder| folder.join(name)).find(|folder| folder.is_dir())
}
