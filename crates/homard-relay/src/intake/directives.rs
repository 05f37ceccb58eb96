//! Settings that somebody changes by a message that says nothing else: kept with the conversation, and acknowledged.

use homard_channel::Sender;
use homard_policy::queue::QueueOptions;
use homard_policy::words::{Arg, Directive, Elevation};
use homard_protocol::events::SessionChange;
use homard_protocol::{ChoiceSource, Word};
use homard_runtime::millis;
use homard_store::SessionEntry;

use super::inbound::IntakeOutcome;
use crate::intake::admit::Admitted;
use crate::parts::Dispatch;
use crate::turns::accept::AcceptError;
use crate::turns::request::TurnOptions;

/// What is said of leaving the sandbox.
pub(super) const NOTHING_TO_LEAVE: &str = "There is no sandbox yet, so there is nothing to leave: commands run as tools.exec says, \
                                and not at all in conversations that belong into a sandbox.";

/// A change of a session and the words that acknowledge it.
type Change = Box<dyn FnOnce(&mut SessionEntry) + Send>;

impl Dispatch {
    /// Keeps settings with the conversation and says so.
    pub(crate) async fn keep_directives(
        &self,
        admitted: Admitted,
        options: TurnOptions,
        directives: &[Directive],
    ) -> Result<IntakeOutcome, AcceptError> {
        let key = admitted.session_key().clone();
        let is_operator = admitted.message().sender == Sender::Operator;
        let begun = match self.commands().begin_command(admitted, options).await? {
            Ok(begun) => begun,
            Err(_known) => return Ok(IntakeOutcome::Taken),
        };
        let session = self.inner().store().sessions().get(&key).await?;
        let entry = session.as_ref().map(|session| session.entry.clone()).unwrap_or_default();
        let (mut changes, mut lines): (Vec<Change>, Vec<String>) = (Vec::new(), Vec::new());
        for directive in directives {
            let decided = match directive {
                Directive::Model(wanted) => {
                    self.model_change(wanted, &self.sessions().model_for(&key, session.as_ref()).to_string())
                }
                other => change(other, &entry),
            };
            match decided {
                Ok((change, line)) => {
                    changes.extend(change);
                    let elsewhere = is_operator && matches!(directive, Directive::Verbose(Arg::Is(_)));
                    let where_ =
                        if elsewhere { " (on chat platforms; here tools are always shown)" } else { "" };
                    lines.push(format!("⚙️ {line}{where_}"));
                }
                Err(line) => lines.push(format!("⚙️ {line}")),
            }
        }
        let mut answer = Ok(lines.join("\n"));
        if !changes.is_empty() {
            let patched = self.inner().store().sessions().patch(&key, move |entry| {
                changes.into_iter().for_each(|change| change(entry));
            });
            match patched.await {
                Ok(session) => self.sessions().announce_change(&session, SessionChange::Patch),
                Err(error) => answer = Err(error.to_string()),
            }
        }
        self.commands().end_command(begun, answer).await;
        Ok(IntakeOutcome::Taken)
    }

    fn model_change(&self, wanted: &Arg<String>, now: &str) -> Result<(Option<Change>, String), String> {
        let name = match wanted {
            Arg::Asked => return Ok((None, format!("Model: {now}"))),
            Arg::Default => {
                let change: Change = Box::new(|entry| entry.choose_model(None));
                return Ok((Some(change), "Model: default".to_owned()));
            }
            Arg::Is(name) | Arg::Unknown(name) => name,
        };
        let router = self.inner().router();
        let wanted = router.selector().parse(name).map_err(|error| error.to_string())?;
        if !router.selector().allows(&wanted.model) {
            return Err(format!("`{}` is not among the models that may be used", wanted.model));
        }
        let line = format!("Model: {}", wanted.model);
        let change: Change = Box::new(move |entry| {
            entry.choose_model(Some(&wanted.model));
            if let Some(profile) = wanted.profile {
                entry.auth_profile_override = Some(profile);
                entry.auth_profile_override_source = Some(ChoiceSource::User.into());
            }
        });
        Ok((Some(change), line))
    }
}

/// What a directive changes, and the words for it. `Err` are words for one that changes nothing.
fn change(directive: &Directive, now: &SessionEntry) -> Result<(Option<Change>, String), String> {
    match directive {
        Directive::Think(arg) => {
            level("Thinking", arg, now.thinking_level.as_ref(), |entry| &mut entry.thinking_level)
        }
        Directive::Verbose(arg) => {
            level("Verbose", arg, now.verbose_level.as_ref(), |entry| &mut entry.verbose_level)
        }
        Directive::Reasoning(arg) => {
            level("Reasoning", arg, now.reasoning_level.as_ref(), |entry| &mut entry.reasoning_level)
        }
        Directive::Elevated(Arg::Unknown(word)) => Err(format!("Elevated: `{word}` is not known")),
        Directive::Elevated(Arg::Is(Elevation::On | Elevation::Ask | Elevation::Full)) => {
            Err(format!("Elevated: not possible. {NOTHING_TO_LEAVE}"))
        }
        Directive::Elevated(Arg::Asked | Arg::Default | Arg::Is(Elevation::Off)) => {
            Ok((None, format!("Elevated: off. {NOTHING_TO_LEAVE}")))
        }
        Directive::Exec(arg) => exec(arg, now),
        Directive::Queue(arg) => queue(arg, now),
        // Which models there are is known elsewhere.
        Directive::Model(_) => Ok((None, "Model: unchanged".to_owned())),
    }
}

fn level<W: Copy + AsRef<str> + Send + 'static>(
    what: &'static str,
    wanted: &Arg<W>,
    now: Option<&Word<W>>,
    place: fn(&mut SessionEntry) -> &mut Option<Word<W>>,
) -> Result<(Option<Change>, String), String> {
    Ok(match wanted {
        Arg::Asked => (None, format!("{what}: {}", shown(now))),
        Arg::Default => (Some(Box::new(move |entry| *place(entry) = None)), format!("{what}: default")),
        Arg::Is(word) => {
            let word = *word;
            let line = format!("{what}: {}", word.as_ref());
            (Some(Box::new(move |entry| *place(entry) = Some(word.into()))), line)
        }
        Arg::Unknown(word) => return Err(format!("{what}: `{word}` is not known")),
    })
}

fn shown<W: AsRef<str>>(word: Option<&Word<W>>) -> &str {
    word.map_or("default", Word::as_str)
}

fn exec(
    arg: &Arg<homard_policy::words::ExecOptions>,
    now: &SessionEntry,
) -> Result<(Option<Change>, String), String> {
    Ok(match arg {
        Arg::Asked => {
            let (host, security) = (shown(now.exec_host.as_ref()), shown(now.exec_security.as_ref()));
            let (ask, node) = (shown(now.exec_ask.as_ref()), now.exec_node.as_deref().unwrap_or("default"));
            (None, format!("Exec: host={host} security={security} ask={ask} node={node}"))
        }
        Arg::Default => {
            let change: Change = Box::new(|entry| {
                (entry.exec_host, entry.exec_security, entry.exec_ask, entry.exec_node) =
                    (None, None, None, None);
            });
            (Some(change), "Exec: default".to_owned())
        }
        Arg::Is(wish) => {
            let wish = wish.clone();
            let change: Change = Box::new(move |entry| {
                entry.exec_host = wish.host.map(Word::Known).or(entry.exec_host.take());
                entry.exec_security = wish.security.map(Word::Known).or(entry.exec_security.take());
                entry.exec_ask = wish.ask.map(Word::Known).or(entry.exec_ask.take());
                entry.exec_node = wish.node.or(entry.exec_node.take());
            });
            (Some(change), "Exec settings of this session are changed.".to_owned())
        }
        Arg::Unknown(word) => return Err(format!("Exec: `{word}` is not known")),
    })
}

fn queue(arg: &Arg<QueueOptions>, now: &SessionEntry) -> Result<(Option<Change>, String), String> {
    Ok(match arg {
        Arg::Asked => (None, format!("Queue: {}", shown(now.queue_mode.as_ref()))),
        Arg::Default => {
            let change: Change = Box::new(|entry| {
                (entry.queue_mode, entry.queue_debounce_ms, entry.queue_cap, entry.queue_drop) =
                    (None, None, None, None);
            });
            (Some(change), "Queue: default".to_owned())
        }
        Arg::Is(wish) => {
            let wish = *wish;
            let line = wish.mode.map_or_else(
                || "Queue settings of this session are changed.".to_owned(),
                |mode| format!("Queue: {}", mode.as_str()),
            );
            let change: Change = Box::new(move |entry| {
                if let Some(mode) = wish.mode {
                    entry.queue_mode = Some(mode.into());
                }
                if let Some(quiet) = wish.debounce {
                    entry.queue_debounce_ms = Some(millis(quiet));
                }
                if let Some(cap) = wish.cap {
                    entry.queue_cap = u64::try_from(cap).ok();
                }
                if let Some(drop) = wish.drop {
                    entry.queue_drop = Some(drop.into());
                }
            });
            (Some(change), line)
        }
        Arg::Unknown(word) => return Err(format!("Queue: `{word}` is not known")),
    })
}

#[cfg(test)]
mod tests;
