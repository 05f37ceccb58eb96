//! What a message on a platform means, before and after it is known who sent it.

use homard_channel::Inbound;
use homard_manners::words::{self, Meaning, Reading, Vocabulary};

use super::gather::Pace;
use crate::relay::Relay;

/// Whether a message would be a command, and nothing else, from somebody who may use them.
pub(super) fn is_control(words: &Vocabulary, message: &Inbound, our_name: Option<&str>) -> bool {
    message.details.native_command || words::is_control(&message.text, &words.reading(our_name, &[]))
}

/// What a message of somebody means.
pub(super) fn read(message: &Inbound, reading: &Reading<'_>) -> Meaning {
    if message.details.native_command {
        words::read_native(&message.text, reading)
    } else {
        words::read(&message.text, reading)
    }
}

impl Relay {
    /// How long a message waits for more of its kind.
    pub(super) fn pace_of(&self, message: &Inbound) -> Pace {
        let rules = self.company_rules();
        let quiet = rules.config.messages.inbound.debounce_on(&message.channel);
        let name = self.our_name(message);
        Pace { quiet, hurries: is_control(&rules.words, message, name.as_deref()) }
    }

    /// What people on the platform of a message call us.
    pub(super) fn our_name(&self, message: &Inbound) -> Option<String> {
        self.inner().channels().who_we_are(&message.channel, &message.account)?.username
    }
}
