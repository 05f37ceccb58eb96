//! The table of `homard security audit`: what lets more people in, or lets them do more, than an owner may think.
//!
//! Ids are those people know from OpenClaw where the check is the same. Each group is a function; its findings are shown by
//! a table of settings in `tests`, one that triggers each and one that does not.

mod company;
mod files;
mod gateway;
mod hooks;
mod models;
mod tools;

use crate::report::Check;

/// What `homard security audit` looks at, in the order it tells.
pub const AUDIT: &[Check] = &[
    Check {
        id: "fs",
        looks_at: "who else can read or change your files",
        needs_settings: false,
        look: files::look,
    },
    Check {
        id: "gateway",
        looks_at: "who can reach the gateway, and how they prove themselves",
        needs_settings: true,
        look: gateway::look,
    },
    Check { id: "hooks", looks_at: "calls from outside", needs_settings: true, look: hooks::look },
    Check {
        id: "config",
        looks_at: "secrets in the file of settings",
        needs_settings: false,
        look: files::secrets,
    },
    Check { id: "logging", looks_at: "secrets in the log", needs_settings: true, look: files::logging },
    Check {
        id: "channels",
        looks_at: "who may write to the assistant, and where",
        needs_settings: true,
        look: company::look,
    },
    Check {
        id: "tools",
        looks_at: "what the assistant may do unasked",
        needs_settings: true,
        look: tools::look,
    },
    Check {
        id: "models",
        looks_at: "models that are easily talked into things",
        needs_settings: true,
        look: models::look,
    },
    Check { id: "summary", looks_at: "all of it together", needs_settings: true, look: company::summary },
];

#[cfg(test)]
mod tests;
