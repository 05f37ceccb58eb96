//! What waits for the person's yes. Letters answer only after the question was taken up with Tab, so that nobody who is
//! writing a message says yes by accident.

use homard_client::questions::{OpenQuestion, QuestionEnd, short};
use homard_protocol::methods::approvals::ApprovalDecision;

/// The questions, oldest first.
#[derive(Debug, Default)]
pub(crate) struct Questions {
    waiting: Vec<OpenQuestion>,
    /// Whether keys answer the first of them.
    pub(crate) is_taken_up: bool,
    /// How many of its rows are scrolled away.
    pub(crate) scrolled: usize,
}

impl Questions {
    pub(crate) fn first(&self) -> Option<&OpenQuestion> {
        self.waiting.first()
    }

    pub(crate) fn count(&self) -> usize {
        self.waiting.len()
    }

    pub(crate) fn add(&mut self, asked: OpenQuestion) {
        if !self.waiting.iter().any(|known| known.id == asked.id) {
            self.waiting.push(asked);
        }
    }

    /// What waits according to the gateway.
    pub(crate) fn replace(&mut self, all: Vec<OpenQuestion>) {
        let before = self.first().map(|asked| asked.id.clone());
        self.waiting = all;
        if self.first().map(|asked| asked.id.clone()) != before {
            self.put_down();
        }
    }

    /// Takes a question off the list; how it ended, in words.
    pub(crate) fn end(&mut self, ended: &QuestionEnd) -> Option<String> {
        let at = self.waiting.iter().position(|known| known.id == ended.id)?;
        self.drop_at(at);
        Some(format!("{}: {}", short(&ended.id), ended.words()))
    }

    /// Takes a question off the list that was answered.
    pub(crate) fn forget(&mut self, id: &str) {
        if let Some(at) = self.waiting.iter().position(|known| known.id.as_str() == id) {
            self.drop_at(at);
        }
    }

    fn drop_at(&mut self, at: usize) {
        self.waiting.remove(at);
        if at == 0 {
            // The next one is another: what is typed now was not meant for it.
            self.put_down();
        }
    }

    pub(crate) fn put_down(&mut self) {
        self.is_taken_up = false;
        self.scrolled = 0;
    }

    /// What a letter says to the first question.
    pub(crate) fn decision(&self, letter: char) -> Option<ApprovalDecision> {
        match letter.to_ascii_lowercase() {
            'o' | 'y' => Some(ApprovalDecision::AllowOnce),
            'a' if self.first().is_some_and(|asked| asked.can_always) => Some(ApprovalDecision::AllowAlways),
            'd' | 'n' => Some(ApprovalDecision::Deny),
            _ => None,
        }
    }
}
