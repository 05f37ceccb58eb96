//! The table of `homard doctor`. A check is a function and its line here.

mod credentials;
mod databases;
mod leftovers;
mod locks;
mod machine;
mod permissions;
mod rooms;
mod service;
mod settings;
mod transcripts;

pub(crate) use permissions::places;

use crate::report::Check;

/// What `homard doctor` looks at, in the order it tells.
pub const DOCTOR: &[Check] = &[
    Check {
        id: "config",
        looks_at: "the settings: mistakes, old names, keys that do nothing",
        needs_settings: false,
        look: settings::look,
    },
    Check {
        id: "permissions",
        looks_at: "who else can read or change your files",
        needs_settings: false,
        look: permissions::look,
    },
    Check { id: "disk", looks_at: "room on the disk", needs_settings: false, look: machine::disk },
    Check {
        id: "clock",
        looks_at: "the clock and its time zone",
        needs_settings: false,
        look: machine::clock,
    },
    Check {
        id: "locks",
        looks_at: "locks and process numbers left behind",
        needs_settings: false,
        look: locks::look,
    },
    Check { id: "port", looks_at: "the port of the gateway", needs_settings: false, look: machine::port },
    Check {
        id: "version",
        looks_at: "versions of program and gateway",
        needs_settings: false,
        look: rooms::version,
    },
    Check {
        id: "service",
        looks_at: "whether the gateway starts by itself",
        needs_settings: false,
        look: service::look,
    },
    Check { id: "database", looks_at: "the database", needs_settings: false, look: databases::main },
    Check {
        id: "memory",
        looks_at: "the index of what agents remember",
        needs_settings: false,
        look: databases::memory,
    },
    Check {
        id: "transcripts",
        looks_at: "the conversations",
        needs_settings: false,
        look: transcripts::look,
    },
    Check {
        id: "credentials",
        looks_at: "stored keys and logins",
        needs_settings: false,
        look: credentials::look,
    },
    Check { id: "models", looks_at: "the model that answers", needs_settings: true, look: rooms::model },
    Check {
        id: "channels",
        looks_at: "chat platforms and their tokens",
        needs_settings: true,
        look: rooms::channels,
    },
    Check {
        id: "sandbox",
        looks_at: "what this machine can shut commands in with",
        needs_settings: false,
        look: machine::sandbox,
    },
    Check {
        id: "orphans",
        looks_at: "files that belong to nothing any more",
        needs_settings: false,
        look: leftovers::look,
    },
];

#[cfg(test)]
mod tests;
