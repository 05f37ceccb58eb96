//! What the owner wants: the configuration file, the environment and the paths.
//!
//! This crate owns the walk from `homard.json` (or an existing `openclaw.json`) to settings in effect:
//! [`load`](Snapshot::load) it, hold it in a [`ConfigHandle`], change it through the handle. It is the only
//! reader of the environment. It does not own channel- or provider-specific fields: those sections are handed
//! to their rooms as written.
//!
//! Reading order: `env` and `paths` say where things are, `syntax` reads a file, `raw` is its
//! shape, `validation` says what is wrong with it, `config` decides, `load` is the whole walk; `changes` is what
//! happens while a gateway runs.

mod changes;
pub mod config;
mod env;
mod gateway_token;
mod issue;
mod load;
mod paths;
mod raw;
mod redact;
mod secret;
mod shell_env;
mod syntax;
mod validation;
mod views;

pub use changes::adopt::{AdoptedConfig, NotAdopted, adopt_config};
pub use changes::draft::{Edit, read_object};
pub use changes::handle::{ConfigHandle, InvalidConfig, OverrideError};
pub use changes::last_good::{RestoredConfig, keep_last_good, restore_last_good};
pub use changes::overrides::Overrides;
pub use changes::reload::{HotPart, Reload, ReloadAction, action_for, is_under, needs_restart};
pub use changes::restore::NothingToRestore;
pub use changes::write::{
    Commit, WriteError, WriteOutcome, edit, replace_config, set_path, unset_path, unset_paths,
};
pub use config::Config;
pub use env::{Environment, ProcessFacts};
pub use gateway_token::{TokenError, ensure_gateway_token, new_gateway_token};
pub use issue::Issue;
pub use load::{ConfigSource, Snapshot};
pub use paths::{DEV_PORT, Paths, PathsError, Profile, Records, is_shared_folder};
pub use raw::value::{MaskedText, SecretReference, SecretText};
pub use redact::{KeptHow, SecretPlace, is_sensitive_key, redact, secret_places, secrets_in};
pub use secret::{REDACTED, Secret};
pub use syntax::document::SyntaxError;
pub use syntax::value_path::PathSyntaxError;
pub use validation::channel_sections::ChannelSections;
pub use validation::inert::INERT;
pub use validation::schema::{schema, schema_at};
pub use views::View;
