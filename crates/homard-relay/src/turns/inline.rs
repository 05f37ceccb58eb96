//! What a message asks for that holds for it alone: its session, as this one message sees it.

use homard_policy::words::{Arg, Directive};
use homard_protocol::prompt_report::PromptMode;
use homard_protocol::session_words::{ExecAsk, ExecHost, ExecSecurity, Thoughts, Verbosity};
use homard_protocol::{ThinkingLevel, Word};
use homard_store::SessionEntry;
use serde::{Deserialize, Serialize};

/// Settings of one message. What it leaves out is as the session says.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct InlineSettings {
    /// `provider/model` or a short name, as its sender writes it.
    pub model: Option<String>,
    /// How hard to think.
    pub thinking: Option<Word<ThinkingLevel>>,
    /// How little the model is told first.
    #[serde(rename = "prompt_mode", skip_serializing_if = "Option::is_none")]
    pub prompt_mode: Option<Word<PromptMode>>,
    /// What is told of tools.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verbose_level: Option<Word<Verbosity>>,
    /// What is shown of thoughts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reasoning_level: Option<Word<Thoughts>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exec_host: Option<Word<ExecHost>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exec_security: Option<Word<ExecSecurity>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exec_ask: Option<Word<ExecAsk>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exec_node: Option<String>,
    /// The webhook whose budget pays for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hook: Option<String>,
}

impl InlineSettings {
    /// A model and how hard it thinks.
    #[must_use]
    pub fn asking(model: Option<String>, thinking: Option<Word<ThinkingLevel>>) -> Self {
        Self { model, thinking, ..Self::default() }
    }

    /// Takes what directives in a text say.
    pub(crate) fn take(&mut self, directives: &[Directive]) {
        for directive in directives {
            match directive {
                Directive::Model(Arg::Is(name)) => self.model = Some(name.clone()),
                Directive::Think(Arg::Is(level)) => self.thinking = Some((*level).into()),
                Directive::Verbose(Arg::Is(level)) => self.verbose_level = Some((*level).into()),
                Directive::Reasoning(Arg::Is(level)) => self.reasoning_level = Some((*level).into()),
                Directive::Exec(Arg::Is(wish)) => {
                    let wish = wish.clone();
                    self.exec_host = wish.host.map(Word::Known).or(self.exec_host.take());
                    self.exec_security = wish.security.map(Word::Known).or(self.exec_security.take());
                    self.exec_ask = wish.ask.map(Word::Known).or(self.exec_ask.take());
                    self.exec_node = wish.node.or(self.exec_node.take());
                }
                // What is usual is what holds; how a message waits is decided before its turn.
                _ => {}
            }
        }
    }

    /// Whether a turn under way could not do as it says.
    pub(crate) fn is_asking(&self) -> bool {
        *self != Self::default()
    }

    /// The session as this message sees it. Model and thinking are chosen elsewhere: they are checked.
    pub(crate) fn over(&self, mut session: SessionEntry) -> SessionEntry {
        fn put<T: Clone>(asked: Option<&T>, kept: &mut Option<T>) {
            if let Some(asked) = asked {
                *kept = Some(asked.clone());
            }
        }
        put(self.verbose_level.as_ref(), &mut session.verbose_level);
        put(self.reasoning_level.as_ref(), &mut session.reasoning_level);
        put(self.exec_host.as_ref(), &mut session.exec_host);
        put(self.exec_security.as_ref(), &mut session.exec_security);
        put(self.exec_ask.as_ref(), &mut session.exec_ask);
        put(self.exec_node.as_ref(), &mut session.exec_node);
        session
    }
}

#[cfg(test)]
mod tests {
    use homard_policy::words::{Reading, read};
    use homard_protocol::session_words::{ExecAsk, ExecHost, ExecSecurity, Thoughts, Verbosity};
    use homard_protocol::{ThinkingLevel, Word};
    use homard_store::SessionEntry;

    use super::InlineSettings;
    use crate::turns::request::TurnOptions;

    #[test]
    fn what_a_message_says_holds_before_what_its_session_says() {
        let text =
            "/verbose full look /reasoning on around /exec host=node node=desk security=deny ask=always";
        let mut inline = InlineSettings::default();
        inline.take(&read(text, &Reading::default()).directives);
        let session = SessionEntry {
            verbose_level: Some(Verbosity::Off.into()),
            thinking_level: Some(ThinkingLevel::High.into()),
            exec_host: Some(ExecHost::Gateway.into()),
            ..SessionEntry::default()
        };
        let seen = inline.over(session);
        assert_eq!(
            (seen.verbose_level, seen.reasoning_level),
            (Some(Verbosity::Full.into()), Some(Thoughts::On.into()))
        );
        assert_eq!((seen.exec_host, seen.exec_node.as_deref()), (Some(ExecHost::Node.into()), Some("desk")));
        assert_eq!(
            (seen.exec_security, seen.exec_ask),
            (Some(ExecSecurity::Deny.into()), Some(ExecAsk::Always.into()))
        );
        assert_eq!(seen.thinking_level, Some(ThinkingLevel::High.into()));
        let plain = SessionEntry { exec_ask: Some(Word::of("of old")), ..SessionEntry::default() };
        assert_eq!(InlineSettings::default().over(plain.clone()), plain);
    }

    #[test]
    fn what_was_kept_before_is_read_as_it_was_written() {
        let kept =
            r#"{"source":"chat.send","model":"a/b","thinking":"low","timeout_ms":null,"extra_system":null}"#;
        let options: TurnOptions = serde_json::from_str(kept).unwrap();
        assert_eq!(
            options.settings,
            InlineSettings::asking(Some("a/b".into()), Some(ThinkingLevel::Low.into()))
        );
        let again: TurnOptions = serde_json::from_str(&serde_json::to_string(&options).unwrap()).unwrap();
        assert_eq!(again, options);
        let bare: TurnOptions = serde_json::from_str("{}").unwrap();
        assert_eq!(bare, TurnOptions::default());
    }
}
