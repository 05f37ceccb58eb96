//! What a message on a platform means, as far as the intake acts on it.

use homard_channel::Inbound;

use super::gather::Pace;
use crate::commands::is_command;
use crate::relay::Relay;

/// Words that stop what goes on, when they are the whole message.
const STOP_WORDS: [&str; 8] = ["/stop", "/abort", "stop", "esc", "abort", "wait", "exit", "interrupt"];

/// Whether a message stops what goes on.
pub(super) fn is_stop(text: &str) -> bool {
    let text = text.trim();
    let word = text.strip_prefix('/').map_or(text, |command| command.split('@').next().unwrap_or(command));
    let slashed = text.starts_with('/');
    STOP_WORDS.iter().any(|stop| match stop.strip_prefix('/') {
        Some(stop) => slashed && stop.eq_ignore_ascii_case(word),
        None => !slashed && stop.eq_ignore_ascii_case(word),
    })
}

/// Whether a message is a command and nothing else.
pub(super) fn is_control(message: &Inbound) -> bool {
    message.details.native_command || is_stop(&message.text) || is_command(&message.text)
}

impl Relay {
    /// How long a message waits for more of its kind.
    pub(super) fn pace_of(&self, message: &Inbound) -> Pace {
        let quiet = self.inner().config().messages.inbound.debounce_on(&message.channel);
        Pace { quiet, hurries: is_control(message) }
    }
}
