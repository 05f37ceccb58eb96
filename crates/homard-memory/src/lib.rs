//! What agents wrote down, as it lies in their workspaces, and finding it again.
//!
//! Markdown is the truth: `memory` says which files there are, `passages` cuts them where the talk turns. One `index` per
//! agent (SQLite) holds what was cut and may be deleted; `sync` brings it up to date, by what a `watch` on the folders hears where there is one, and `search` asks it, by `words` and
//! `dates` of any script, and by `vectors` where a model makes them, which may be a `local_model`. `memories` is the door: whoever asks from a task does
//! so on a thread of its own, because everything here blocks. `transcripts` are conversations, which somebody hands over. `workspace_file` and `workspace_folder` are single files.

mod dates;
mod index;
mod local_model;
mod memories;
mod memory;
mod passages;
mod search;
mod sync;
mod transcripts;
mod vectors;
mod watch;
mod words;
mod workspace_file;
mod workspace_folder;

pub use index::{IndexError, IndexSize};
pub use local_model::LocalModelError;
pub use memories::{Memories, MemoryPlace, MemoryQuestion, MemoryStatus, give_way};
pub use memory::{Memory, MemoryFiles, Skipped};
pub use search::{FoundPassage, PickRules};
pub use sync::{Synced, Writers};
pub use transcripts::{
    Sessions, SpokenMessage, TranscriptMark as KeptTranscript, path_of as transcript_path, session_of,
};
pub use vectors::MissingVector;
pub use workspace_file::{WorkspaceFileError, look, read, replace};
pub use workspace_folder::{FoundFile, fetch, list};
