//! Credentials: profiles on disk, their order, their cooldowns and their renewal.
//!
//! Reading order: [`Candidate`] is what can be tried, [`Profiles`] is the handle everybody holds; `state`, `change`, `document`
//! and `file` are what is on disk, `order` and `cooldown` decide who is tried when, `credential`, `refresh`,
//! `copilot` and `code_assist` make the proof itself, [`oauth`] is logging in, `manage`, `describe` and `external` are for people.
//! No value of a credential leaves this room except inside a `Credential`: not in logs, errors or `Debug`.

mod aws;
mod candidate;
mod change;
mod code_assist;
mod cooldown;
mod copilot;
mod credential;
mod describe;
mod document;
mod external;
mod file;
mod manage;
pub mod oauth;
mod order;
mod policy;
mod profiles;
mod refresh;
mod secrets;
mod state;

pub use candidate::{
    AccountClaim, Candidate, DeviceFlow, Exchange, OAuthRow, ProviderAuth, Source, TokenBody, is_stored,
};
pub use code_assist::ProjectError;
pub use describe::{Described, Description};
pub use document::Unreadable;
pub use external::{Imported, import_external};
pub use file::StoreError;
pub use manage::{Added, NewProfile, NewSecret};
pub use policy::{AuthLimits, ProfilePolicy};
pub use profiles::{AuthContext, ProfileFiles, Profiles};
