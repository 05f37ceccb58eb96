//! What a message on a platform means, before and after it is known who sent it.

use homard_channel::Inbound;
use homard_policy::words::{self, Meaning, Reading, Vocabulary};

use super::gather::GatherRule;
use crate::approvals::answer_of;
use crate::parts::Intake;

/// Whether a message would be a command, and nothing else, from somebody who may use them.
pub(super) fn is_control(words: &Vocabulary, message: &Inbound, our_name: Option<&str>) -> bool {
    !is_passed_on(message)
        && (message.details.native_command || words::is_control(&message.text, &words.reading(our_name, &[])))
}

/// What somebody only passes on is not their wish: a stranger's command does not become one by being forwarded.
fn is_passed_on(message: &Inbound) -> bool {
    message.details.forwarded_from.is_some()
}

/// What a message of somebody means.
pub(super) fn read(message: &Inbound, reading: &Reading<'_>) -> Meaning {
    if is_passed_on(message) {
        Meaning { text: message.text.clone(), ..Meaning::default() }
    } else if message.details.native_command {
        words::read_native(&message.text, reading)
    } else {
        words::read(&message.text, reading)
    }
}

impl Intake {
    /// How long a message waits for more of its kind.
    pub(super) fn pace_of(&self, message: &Inbound) -> GatherRule {
        let rules = self.inner().company_rules();
        let quiet = rules.config.messages.inbound.debounce_on(&message.channel);
        let name = self.our_name(message);
        let hurries = answer_of(message).is_some() || is_control(&rules.words, message, name.as_deref());
        GatherRule { quiet, hurries }
    }

    /// What people on the platform of a message call us.
    pub(super) fn our_name(&self, message: &Inbound) -> Option<String> {
        self.channels().who_we_are(&message.channel, &message.account)?.username
    }
}

#[cfg(test)]
mod tests {
    use homard_channel::Inbound;
    use homard_policy::words::Vocabulary;
    use homard_protocol::{AgentId, SessionKey};

    use super::{is_control, read};

    #[test]
    fn a_command_that_is_passed_on_is_only_words() {
        let config = homard_config::Config::empty(
            &homard_config::Paths::under(std::path::Path::new("home")),
            &homard_config::Environment::default(),
        );
        let words = Vocabulary::of(&config);
        let key = SessionKey::main(AgentId::main());
        for text in ["/config set a 1", "/stop", "stop", "/new", "/think high"] {
            let mut message = Inbound::from_operator(key.clone(), "m".to_owned(), text.to_owned(), 1);
            assert!(is_control(&words, &message, None), "{text}");
            message.details.forwarded_from = Some("Eve".to_owned());
            message.details.native_command = true;
            assert!(!is_control(&words, &message, None), "{text}");
            let meaning = read(&message, &words.reading(None, &[]));
            assert!(!meaning.is_control() && meaning.text == text, "{text}");
        }
    }
}
