//! What the model may do, and whether it may.
//!
//! This crate owns the [`Tool`] seam, the tools themselves (one file each under `tools/`), the table that lists
//! them, the policy that decides which of them a conversation is offered, the guard that keeps file tools where they
//! belong, and what they replaced, so that it can be put back. It does not own the loop that calls tools, nor how processes are run (`homard-exec`).
//!
//! Reading order: [`Tool`] and [`ToolCx`] are the seam, [`Toolbox`] holds what there is, [`ToolPolicy`] says
//! what is offered, `gate` stands before every call. A new tool is one file under `tools/` and one line in `registry.rs`.

mod approvals;
mod arguments;
mod brief;
mod cx;
mod files;
mod gate;
mod hook_points;
mod outcome;
mod policy;
mod ports;
mod registry;
mod schema;
mod scope;
mod tool;
mod tools;
mod turn_slot;
mod words_of_others;
#[cfg(test)]
mod workbench;

pub use approvals::{
    ANSWER_WITHIN, ApprovalRequest, Approvals, CommandTerms, KEEP_ANSWERED, MAX_PENDING, NotAsked, NotFound,
    NotTaken, Outcome as ApprovalOutcome, Question,
};
pub use cx::{Progress, ProgressSender, ToolCx};
pub use files::file_access::{Caller, FileAccess, Withheld};
pub use files::open_no_symlinks::open_no_symlinks;
pub use files::tainted_files::TaintedFiles;
pub use files::undo::{
    Failed as UndoFailure, FileChange, FileState, RunChanges, Undo, UndoError, UndoOptions, UndoReport,
};
pub use gate::{Effect, GateMode, GatePolicy, Subject};
pub use hook_points::{
    HOOK_DEADLINE, HookAbout, HookAnswer, HookError, HookOccasion, HookPoint, HookPoints, HookPower,
    HookRefusal, HookValue, ToldTo,
};
pub use outcome::ToolOutcome;
pub use policy::{
    ADMIN_TOOLS, ALL_FILES, DecidedBy, Decision, GROUPS, Group, Layer, LayerName, LayerVerdict, OWNER_ALWAYS,
    OWNER_ONLY, Profile, SANDBOX_ALLOW, SANDBOX_DENY, SUBAGENT_LEAF_NEVER, SUBAGENT_NEVER, ToolPolicy,
    Unmatched, canonical_name, decision_of, known_names, near_names,
};
pub use ports::{
    AgentLine, AgentsPort, ButtonArgs, ChildLine, ChildTask, ConfigWrite, CronAsk, CronPort, Described,
    FoundMessage, FoundMessages, GatewayPort, HistoryLine, HistoryPage, HistoryWanted, MemoryPort,
    MessageArgs, MessagePort, MessageVerb, NodeAnswer, NodeCall, NodesPort, NoteLines, Passage, PortError,
    Ports, Recollection, SessionFilter, SessionLine, SessionMessage, SessionMessageAnswer,
    SessionMessageStatus, SessionTarget, SessionsPage, SessionsPort, SessionsQuestion, Spawned, VisionPort,
};
pub use registry::{ApplyPatchOptions, OfferedTool, ToolOptions, Toolbox, WebOptions};
pub use scope::{Guards, Scope};
pub use tool::{DynTool, Tool, ToolSpec};
pub use tools::nodes::node_media;
pub use tools::web::public::{FetchLimits, FetchedBytes, NotFetched, PublicFetch};
pub use turn_slot::TurnSlot;
pub use words_of_others::known_urls::KnownUrls;
pub use words_of_others::taint::{GateAnswer, Label, Source, Taint};
pub use words_of_others::untrusted::wrap as wrap_untrusted;
