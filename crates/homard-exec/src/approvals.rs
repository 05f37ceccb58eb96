//! Which commands may run, and whether a person is asked first.
//!
//! A command line is read strictly (`shell`), its programs are looked up (`program`) and told apart by what they
//! can do (`kinds`); each call is then held against the owner's list (`entry`, `file`), the filters that touch
//! nothing but their input (`safe_bins`), and the rules in force (`rules`). What "always" remembers is made in
//! `shape`. Nothing here asks anybody or starts anything.
//!
//! Reading order: [`ExecRules::decide`] is what the tool asks, [`PolicyStore`] keeps `exec-approvals.json`.

mod analysis;
mod entry;
mod file;
mod kinds;
mod loose;
mod program;
mod rules;
mod safe_bins;
mod shape;
mod shell;
mod store;

pub use analysis::{Analysis, Call, analyse};
pub use entry::Entry;
pub use file::{FileRules, PolicyFile};
pub use kinds::may_call_us;
pub use loose::may_call;
pub use rules::{Decision, ExecRules, Grant, Question, Request, Rules};
pub use shell::{Join, Opaque, Redirect, Segment, Word, join, read};
pub use store::{Loaded, PolicyError, PolicyStore};

#[cfg(test)]
mod tests;
