//! Asking in a terminal: one question at a time, and an answer counts only for the question it was typed under.

use std::collections::VecDeque;
use std::future::pending;
use std::io::{self, BufRead, IsTerminal};

use homard_client::Client;
use homard_client::questions::{Change, OpenQuestion, answer, short};
use homard_protocol::methods::approvals::ApprovalDecision;
use homard_runtime::{OffThread, off_thread};

use crate::commands::words;
use crate::report::Console;

/// The questions of a terminal.
pub(crate) struct Prompt {
    console: Console,
    /// Whether somebody can type an answer.
    is_manned: bool,
    waiting: VecDeque<OpenQuestion>,
    /// The line being typed; `None` in it when nobody will type again.
    typing: Option<OffThread<io::Result<Option<String>>>>,
    /// Whether the line being typed was begun under a question that is gone.
    is_stale: bool,
}

impl Prompt {
    /// A prompt that asks if there is somebody to ask, and else says how to answer.
    pub(crate) fn new(console: Console) -> Self {
        let is_manned = io::stdin().is_terminal() && io::stderr().is_terminal();
        Self { console, is_manned, waiting: VecDeque::new(), typing: None, is_stale: false }
    }

    /// Takes over what happened.
    pub(crate) fn hear(&mut self, change: Change, now: i64) {
        match change {
            Change::Asked(asked) if self.waiting.iter().any(|known| known.id == asked.id) => {}
            Change::Asked(asked) => {
                self.waiting.push_back(asked);
                if self.waiting.len() == 1 {
                    self.show(now);
                }
            }
            Change::Ended(ended) => {
                let Some(at) = self.waiting.iter().position(|known| known.id == ended.id) else { return };
                self.waiting.remove(at);
                self.console.note(&format!("{}: {}", short(&ended.id), ended.words()));
                if at == 0 {
                    self.is_stale = self.typing.is_some();
                    self.show(now);
                }
            }
        }
    }

    fn show(&mut self, now: i64) {
        let Some(asked) = self.waiting.front() else { return };
        // Somebody may be speaking in the middle of a line.
        self.console.note("");
        for line in asked.lines(&words::span(asked.left_ms(now))) {
            self.console.note(&line);
        }
        if self.is_manned {
            self.console.note(choices(asked));
        } else {
            let id = short(&asked.id);
            self.console
                .note(&format!("answer with `homard approvals allow {id}` or `homard approvals deny {id}`"));
        }
    }

    /// The next line typed as an answer; waits for ever while nothing is asked or nobody is there.
    ///
    /// # Errors
    /// When the terminal cannot be read.
    pub(crate) async fn typed(&mut self) -> io::Result<String> {
        if !self.is_manned || self.waiting.is_empty() {
            return pending().await;
        }
        let typing = self.typing.get_or_insert_with(|| off_thread(read_line));
        let line = typing.await.unwrap_or(Ok(None));
        self.typing = None;
        match line? {
            Some(line) => Ok(line),
            None => {
                self.is_manned = false;
                pending().await
            }
        }
    }

    /// Gives the gateway what was typed, if it is an answer.
    pub(crate) async fn take(&mut self, client: &Client, line: String) {
        if std::mem::take(&mut self.is_stale) {
            self.console.note("that was typed under an earlier question; please answer this one");
            return;
        }
        let Some(asked) = self.waiting.front() else { return };
        let Some(decision) = decision(&line, asked.can_always) else {
            self.console.note(choices(asked));
            return;
        };
        // Its end is told by the gateway, and takes it off the list.
        if let Err(error) = answer(client, asked.kind, asked.id.clone(), decision).await {
            self.console.warn(&error.to_string());
        }
    }
}

fn choices(asked: &OpenQuestion) -> &'static str {
    if asked.can_always {
        "type `once`, `always` or `deny`, and Enter"
    } else {
        "type `once` or `deny`, and Enter"
    }
}

/// What a typed line says; nothing is taken for a yes that is not one.
fn decision(line: &str, can_always: bool) -> Option<ApprovalDecision> {
    match line.trim().to_lowercase().as_str() {
        "once" | "o" | "yes" | "y" | "allow" => Some(ApprovalDecision::AllowOnce),
        "always" | "a" if can_always => Some(ApprovalDecision::AllowAlways),
        "deny" | "d" | "no" | "n" => Some(ApprovalDecision::Deny),
        _ => None,
    }
}

fn read_line() -> io::Result<Option<String>> {
    let mut line = String::new();
    Ok((io::stdin().lock().read_line(&mut line)? > 0).then_some(line))
}

#[cfg(test)]
mod tests {
    use homard_protocol::methods::approvals::ApprovalDecision;

    use super::decision;

    #[test]
    fn only_a_clear_answer_is_one() {
        let cases = [
            ("once\n", true, Some(ApprovalDecision::AllowOnce)),
            (" Y ", true, Some(ApprovalDecision::AllowOnce)),
            ("always", true, Some(ApprovalDecision::AllowAlways)),
            ("always", false, None),
            ("no\r\n", true, Some(ApprovalDecision::Deny)),
            ("\n", true, None),
            ("yes please", true, None),
        ];
        for (line, can_always, said) in cases {
            assert_eq!(decision(line, can_always), said, "{line:?}");
        }
    }
}
