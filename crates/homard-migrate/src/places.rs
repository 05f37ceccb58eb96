//! Where things go, and what was asked for.

use std::path::PathBuf;

use homard_config::ConfigSource;

/// What the owner wants.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Options {
    /// Take keys and tokens, too.
    pub secrets: bool,
    /// Replace what is here already; it is put aside.
    pub overwrite: bool,
}

/// Our own home.
#[derive(Debug, Clone)]
pub struct OurHome {
    pub state_dir: PathBuf,
    /// Where our settings come from and are written.
    pub source: ConfigSource,
}

impl OurHome {
    /// The home these settings belong to.
    #[must_use]
    pub fn of(source: &ConfigSource) -> Self {
        Self { state_dir: source.paths.state_dir.clone(), source: source.clone() }
    }
}
