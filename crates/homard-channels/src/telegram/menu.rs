//! The menu of commands people see when they type a slash.

use homard_runtime::Clip;
use serde_json::{Value, json};

use super::Telegram;
use super::settings::CustomCommand;
use super::wire::Params;

/// Most commands the server takes.
pub(super) const MAX_COMMANDS: usize = 100;
/// Longest name and longest description.
const MAX_NAME: usize = 32;
const MAX_DESCRIPTION: usize = 256;

/// Commands in the spelling the server takes, ours before the owner's, each name once.
pub(super) fn commands(ours: &[(String, String)], custom: &[CustomCommand]) -> Vec<(String, String)> {
    let custom = custom.iter().map(|custom| (&custom.command, &custom.description));
    let mut menu: Vec<(String, String)> = Vec::new();
    for (name, description) in ours.iter().map(|(name, description)| (name, description)).chain(custom) {
        let name = name.trim().trim_start_matches('/').to_ascii_lowercase().replace('-', "_");
        let fits = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
        let description = description.trim().clip_chars(MAX_DESCRIPTION).to_owned();
        if name.is_empty() || name.len() > MAX_NAME || !name.chars().all(fits) || description.is_empty() {
            tracing::warn!(command = name, "a command does not fit into Telegram's menu and is left out");
            continue;
        }
        if menu.iter().any(|(known, _)| *known == name) {
            continue;
        }
        menu.push((name, description));
    }
    if menu.len() > MAX_COMMANDS {
        tracing::warn!(
            commands = menu.len(),
            "Telegram's menu takes {MAX_COMMANDS} commands; the rest is left out"
        );
        menu.truncate(MAX_COMMANDS);
    }
    menu
}

/// Shows the menu. A failure is logged; commands work without it.
pub(super) async fn publish(telegram: &Telegram) {
    let mut done = telegram.api.call("deleteMyCommands", &Params::new()).await;
    if done.is_ok() && !telegram.commands.is_empty() {
        let commands = telegram.commands.iter();
        let commands: Vec<Value> =
            commands.map(|(name, text)| json!({"command": name, "description": text})).collect();
        done = telegram.api.call("setMyCommands", &Params::new().with("commands", commands)).await;
    }
    if let Err(error) = done {
        tracing::warn!(account = %telegram.account, %error, "Telegram's menu of commands is not up to date");
    }
}

#[cfg(test)]
mod tests;
