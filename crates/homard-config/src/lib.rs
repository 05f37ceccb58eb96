//! What the owner wants: the configuration file, the environment and the paths.
//!
//! This crate owns the walk from `homard.json` (or an existing `openclaw.json`) to settings in effect:
//! [`load`](Snapshot::load) it, hold it in a [`ConfigHandle`], change it through the handle. It is the only
//! reader of the environment. It does not own channel- or provider-specific fields: those sections are handed
//! to their rooms as written.
//!
//! Reading order: `env` and `paths` say where things are, `document`, `include` and `substitute` read a
//! file, `raw` is its shape, `validate` says what is wrong with it, `config` decides, `load` is the whole
//! walk; `handle`, `watch`, `reload` and `write` are what happens while a gateway runs.

mod audit;
pub mod config;
mod document;
mod env;
mod gateway_token;
mod handle;
mod in_effect;
mod include;
mod issue;
mod last_good;
mod load;
mod merge_patch;
mod overrides;
mod paths;
pub mod raw;
mod redact;
mod reload;
mod restore;
mod schema;
mod secret;
mod shell_env;
mod splice;
mod substitute;
mod validate;
mod value_path;
mod watch;
mod write;

pub use config::Config;
pub use document::SyntaxError;
pub use env::{Environment, ProcessFacts};
pub use gateway_token::{TokenError, ensure_gateway_token};
pub use handle::{ConfigHandle, InvalidConfig, OverrideError};
pub use issue::Issue;
pub use last_good::{RestoredConfig, keep_last_good, restore_last_good};
pub use load::{Snapshot, Source};
pub use overrides::Overrides;
pub use paths::{DEV_PORT, Paths, PathsError, Profile, Records, create_private_dir, is_shared_folder};
pub use redact::{is_sensitive_key, redact, secrets_in};
pub use reload::{HotPart, Reload, ReloadAction, action_for, needs_restart};
pub use restore::NothingToRestore;
pub use schema::{schema, schema_at};
pub use secret::{REDACTED, Secret};
pub use value_path::PathSyntaxError;
pub use write::{WriteError, WriteOutcome, set_path, unset_path};
