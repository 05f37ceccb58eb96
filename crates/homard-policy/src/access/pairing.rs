//! What a stranger is told once, so that the owner can let them in; and whom to tell that they ask.

use homard_protocol::ChannelId;

use super::allow::without_channel;
use super::commands::CommandRules;
use super::invisible::visible;
use super::rules::AccountRules;

/// Longest name that is repeated, in characters.
const MAX_NAME: usize = 64;

/// The answer to a stranger's first message: who they are to us, their code, and what the owner types.
/// `id_label` is what the platform calls its ids, such as `telegram user id` or `irc nick`.
#[must_use]
pub fn pairing_reply(channel: &ChannelId, id_label: &str, id: &str, code: &str) -> String {
    let id = plain_name(id);
    format!(
        "This assistant does not know you yet.\n\n\
         Your {id_label}: `{id}`\n\
         Pairing code: `{code}`\n\n\
         The owner can let you in with:\n\
         `homard pairing approve {channel} {code}`"
    )
}

/// A name from outside as it can be repeated: one short line without marks that nobody sees or that format.
#[must_use]
pub fn plain_name(name: &str) -> String {
    let seen = visible(name);
    let letters = seen.chars().filter(|letter| !"`*_~[]()<>|\\".contains(*letter));
    let letters = letters.map(|letter| if letter.is_whitespace() { ' ' } else { letter });
    letters.take(MAX_NAME).collect::<String>().trim().to_owned()
}

/// Where the owner can be told something: named so (`commands.ownerAllowFrom`, on any platform), else the only one
/// listed for the account's direct messages. A login is no address.
#[must_use]
pub fn owner_ids(
    commands: &CommandRules,
    rules: &AccountRules,
    channel: &ChannelId,
) -> Vec<(ChannelId, String)> {
    let place = |entry: &String| {
        let is_login = entry.split(':').rev().nth(1) == Some("account");
        if entry == "*" || entry.starts_with('@') || is_login {
            return None;
        }
        if let Some(id) = without_channel(entry, channel.as_str()) {
            return Some((channel.clone(), id.to_owned()));
        }
        match entry.split_once(':') {
            Some((other, id)) if !id.is_empty() => Some((ChannelId::parse(other).ok()?, id.to_owned())),
            Some(_) | None => Some((channel.clone(), entry.clone())),
        }
    };
    commands.owner_names(&rules.allow).iter().filter_map(place).collect()
}

#[cfg(test)]
mod tests;
