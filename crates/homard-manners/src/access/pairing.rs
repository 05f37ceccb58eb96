//! What a stranger is told once, so that the owner can let them in.

use homard_protocol::ChannelId;

/// The answer to a stranger's first message: who they are to us, their code, and what the owner types.
/// `id_label` is what the platform calls its ids, such as `user id` or `nick`.
#[must_use]
pub fn pairing_reply(channel: &ChannelId, id_label: &str, id: &str, code: &str) -> String {
    // Ids come from outside; a backtick or a line break would end the code span.
    let id: String = id.chars().filter(|letter| *letter != '`' && !letter.is_control()).collect();
    format!(
        "This assistant does not know you yet.\n\n\
         Your {channel} {id_label}: `{id}`\n\
         Pairing code: `{code}`\n\n\
         The owner can let you in with:\n\
         `homard pairing approve {channel} {code}`"
    )
}

#[cfg(test)]
mod tests;
