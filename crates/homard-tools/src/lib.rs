//! What the model may do, and whether it may.
//!
//! This crate owns the [`Tool`] seam, the tools themselves (one file each under `tools/`), the table that lists
//! them, the policy that decides which of them a conversation is offered, and the guard that keeps file tools
//! where they belong. It does not own the loop that calls tools, nor how processes are run (`homard-exec`).
//!
//! Reading order: [`Tool`] and [`ToolCx`] are the seam, [`Toolbox`] holds what there is, [`ToolPolicy`] says
//! what is offered. A new tool is one file under `tools/` and one line in `registry.rs`.

mod approvals;
mod arguments;
mod brief;
mod cx;
mod outcome;
mod paths;
mod policy;
mod registry;
mod schema;
mod scope;
mod taint;
mod tool;
mod tools;
mod untrusted;

pub use approvals::{
    ANSWER_WITHIN, ApprovalListener, ApprovalRequest, Approvals, KEEP_ANSWERED, MAX_PENDING, NotTaken,
    Outcome as ApprovalOutcome, Question, Verdict,
};
pub use cx::{Progress, ProgressSender, ToolCx};
pub use outcome::ToolOutcome;
pub use policy::{
    DecidedBy, Decision, Layer, LayerName, Profile, ToolPolicy, canonical_name, is_known_group,
};
pub use registry::{ApplyPatchOptions, OfferedTool, ToolOptions, Toolbox, WebOptions};
pub use scope::Scope;
pub use taint::{Label, Source, Taint};
pub use tool::{DynTool, Tool, ToolSpec};
pub use tools::read::image_type;
