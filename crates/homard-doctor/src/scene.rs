//! What checks look at. The crate is below the rooms that know models, platforms and the gateway; what these have to
//! say comes in as facts.

use std::sync::Arc;

use homard_config::{Config, ConfigSource, Snapshot};

/// How closely is looked.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Depth {
    #[default]
    Quick,
    /// Every page of the databases, every line of the transcripts.
    Deep,
}

/// Everything a check may look at.
#[derive(Debug, Clone, Copy)]
pub struct Scene<'a> {
    pub source: &'a ConfigSource,
    pub snapshot: &'a Snapshot,
    pub rooms: &'a Rooms,
    pub depth: Depth,
}

impl Scene<'_> {
    /// The settings in effect; those of somebody who wrote none where the file cannot be used.
    pub(crate) fn settings(&self) -> Arc<Config> {
        let empty = || Arc::new(Config::empty(&self.source.paths, &self.source.environment));
        self.snapshot.config.clone().unwrap_or_else(empty)
    }

    pub(crate) fn now_ms(&self) -> i64 {
        self.source.clock.now_ms()
    }
}

/// What rooms above told.
#[derive(Debug, Clone, Default)]
pub struct Rooms {
    /// The version of this program.
    pub version: &'static str,
    pub lock: LockState,
    /// How the model of the default agent stands; `None` where it could not be asked.
    pub model: Option<ModelState>,
    pub channels: Vec<ChannelState>,
    /// What the running gateway says; `None` when none runs or it was not asked.
    pub gateway: Option<GatewayState>,
}

/// Who holds the lock of the state folder.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LockState {
    pub is_held: bool,
    pub process: Option<i32>,
    pub port: Option<u16>,
    /// Whether nobody holds it and the last one did not say goodbye.
    pub is_left: bool,
}

/// How the model of the default agent stands.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ModelState {
    pub chosen: String,
    pub provider: String,
    /// Whether the owner chose it.
    pub is_chosen: bool,
    /// Why it is not known, when it is not.
    pub unknown: Option<String>,
    /// Whether there is a credential, and whether one of them does not rest.
    pub has_key: bool,
    pub is_ready: bool,
}

/// How one account on a chat platform stands.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ChannelState {
    pub channel: String,
    pub account: String,
    pub is_enabled: bool,
    /// Whether what it needs to start is there.
    pub is_configured: bool,
    /// What is wrong with what is written, when something is.
    pub problem: Option<String>,
}

/// What the running gateway says of itself.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct GatewayState {
    pub version: String,
    /// Why it could not be asked, when it could not.
    pub problem: Option<String>,
    /// How its accounts stand, a line for each.
    pub channels: Vec<String>,
}
