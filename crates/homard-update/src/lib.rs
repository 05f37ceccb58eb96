//! A newer program: found at a release source, checked, staged beside the one that runs, put in its place.
//!
//! A release is a folder, on this machine or behind an address, with [`MANIFEST`] (what there is, with sizes and SHA-256),
//! [`SIGNATURE`] (Ed25519 over the bytes of the manifest, in base64) and archives by platform. `cargo xtask dist` makes one.
//! A source may hold several, in folders called after their channel (`beta`) or version (`v0.2.0`).
//!
//! Nothing is replaced before everything was checked: [`find`] reads and verifies the manifest, [`stage()`] downloads the
//! archive and leaves the program in a file of its own, [`Staged::check`] starts it once, [`Staged::install`] exchanges one
//! name. Killed at any moment, the old program is where it was. Handing a running gateway over is the binary's.
//!
//! Reading order: `release`, `source`, `stage`; `key` is the signature, `keeper` who else may own the program.

mod error;
mod keeper;
mod key;
mod release;
mod source;
mod stage;

pub use error::UpdateError;
pub use keeper::Keeper;
pub use key::ReleaseKey;
pub use release::{Build, MANIFEST, Release, SIGNATURE};
pub use semver::Version;
pub use source::{FoundRelease, Source, Wanted, find};
pub use stage::{Staged, stage};

/// What the release followed by default is called.
pub const STABLE: &str = "stable";
