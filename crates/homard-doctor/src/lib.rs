//! What can be wrong with an installation: two tables of checks, `doctor` and `security audit`, and how a finding is
//! mended.
//!
//! A check looks at a [`Scene`] (files, settings, what the rooms above told) and returns [`Finding`]s; it never writes
//! and never fails. Mending is data ([`Act`]), so that it can be shown, asked about and tested before it is done by
//! [`Repair`]. Nothing here needs a gateway or a configuration that can be used.
//!
//! Reading order: `finding`, `scene`, `checks` (the table of `doctor`), `audit` (the other one), `repair`.

mod audit;
mod checks;
mod files;
mod finding;
#[cfg(test)]
mod fixture;
mod repair;
mod report;
mod scene;

pub use audit::AUDIT;
pub use checks::DOCTOR;
pub use finding::{Act, Finding, Severity};
pub use repair::{Repair, RepairError};
pub use report::{Check, Examination, Examined, Selection, examine, wrapped};
pub use scene::{ChannelState, Depth, GatewayState, LockState, ModelState, Rooms, Scene};
