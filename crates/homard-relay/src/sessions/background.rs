//! Commands that go on in the background of a conversation: it hears when they end, and they end with it.
//!
//! What it hears waits in the store and is told to the model with the next turn. Nobody is woken for it: turns
//! that nobody asked for come with the heartbeat.

use std::fmt::Write as _;

use homard_exec::{Exit, Finished};
use homard_protocol::SessionKey;
use homard_runtime::{Clip, OrLog};

use crate::parts::Sessions;

/// Longest part of a command line that is repeated, in characters.
const MAX_LINE_CHARS: usize = 120;

impl Sessions {
    /// Tells conversations from now on when their commands end.
    pub fn follow_commands(&self) {
        let parts = self.downgrade();
        self.processes().exits().subscribe(move |finished| {
            if let Some(parts) = parts.upgrade() {
                Self::of(parts).hear_of(finished);
            }
        });
    }

    /// Ends the commands that go on in the background of a conversation.
    pub fn end_commands(&self, key: &SessionKey) {
        let ended = self.processes().kill_scope(&key.to_string());
        if ended > 0 {
            tracing::info!(session = %key, ended, "commands ended with their conversation");
        }
    }

    fn hear_of(&self, finished: &Finished) {
        let exec = &self.inner().config().tools.exec;
        if !exec.notify_on_exit || !is_worth_telling(finished, exec.notify_on_exit_empty_success) {
            return;
        }
        let Ok(key) = SessionKey::parse(&finished.scope) else { return };
        let mut text = words(finished);
        self.inner().guards().secrets.hide_in(&mut text);
        let inner = std::sync::Arc::clone(self.inner());
        self.inner().tasks().spawn(async move {
            inner
                .store()
                .notes()
                .keep(&key, text)
                .await
                .or_log("a conversation will not hear of a command's end");
        });
    }
}

/// Whoever ended a command knows; a success without a word is what was expected.
fn is_worth_telling(finished: &Finished, empty_success_too: bool) -> bool {
    match finished.exit {
        Some(Exit::Cancelled) => false,
        Some(Exit::Exited(0)) => empty_success_too || !finished.tail.trim().is_empty(),
        Some(Exit::Exited(_) | Exit::Signalled(_) | Exit::TimedOut | Exit::TooManyProcesses) | None => true,
    }
}

fn words(finished: &Finished) -> String {
    let how = match finished.exit {
        Some(Exit::Exited(0)) => "is done".to_owned(),
        Some(Exit::Exited(code)) => format!("ended with code {code}"),
        Some(Exit::Signalled(signal)) => format!("was ended by signal {signal}"),
        Some(Exit::TimedOut) => "ran out of time and was stopped".to_owned(),
        Some(Exit::TooManyProcesses) => "became too many processes and was stopped".to_owned(),
        Some(Exit::Cancelled) => "was stopped".to_owned(),
        None => "ended, nobody knows how".to_owned(),
    };
    let line = finished.line.clip_chars(MAX_LINE_CHARS).to_owned();
    let mut text = format!("The command in the background {} (`{}`) {how}.", finished.id, one_line(&line));
    let tail = plain(finished.tail.trim());
    if !tail.is_empty() {
        let _written = write!(text, " The end of its output:\n{tail}");
    }
    text
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn plain(text: &str) -> String {
    text.chars().filter(|c| !c.is_control() || matches!(c, '\n' | '\t')).collect()
}

#[cfg(test)]
mod tests;
