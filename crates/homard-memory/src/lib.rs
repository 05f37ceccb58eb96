//! What agents wrote down, as it lies in their workspaces. Blocking: whoever asks from a task does so on a thread of its
//! own.
//!
//! `workspace_file` reads and replaces one plain file, `memory` is `MEMORY.md` and the notes under `memory/`, `find` looks
//! for words in the text of one file, `workspace_folder` looks around.

mod find;
mod memory;
mod workspace_file;
mod workspace_folder;

pub use memory::{Memory, MemoryFiles, MemoryMatches};
pub use workspace_file::{WorkspaceFileError, look, read, replace};
pub use workspace_folder::{FoundFile, fetch, list};
