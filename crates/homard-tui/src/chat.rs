//! One conversation as this program knows it: its history, the runs going on in it, and what was sent but not confirmed.
//! Events move it forward; after any doubt (a gap, a new connection, the end of a run) the history is read again, which
//! wins. Lines have names that are the same whether they were heard live or read back, so nothing is shown twice.

mod adopt;
mod history;
pub(crate) mod item;
mod live;

use std::collections::VecDeque;

use homard_protocol::methods::chat::{ChatHistoryResult, ChatSendParams};
use homard_protocol::session_row::ThinkingLevelOption;

pub(crate) use history::user_item;
use item::{ChatItem, Ending, ItemBody, SendState, ids};
use live::LiveRun;

use crate::text::clean::clean_line;
use crate::wire::{AgentNews, AgentStep, ChatStep, SaidStep, output_of};

/// How many finished runs are remembered, so that their stragglers revive nothing.
const ENDED_MAX: usize = 64;

/// One conversation.
#[derive(Debug, Default)]
pub(crate) struct Chat {
    items: Vec<ChatItem>,
    runs: Vec<LiveRun>,
    /// What was said while a run was under way and has not been begun.
    pub(crate) waiting: Vec<WaitingMessage>,
    ended: VecDeque<String>,
    /// What is not acknowledged yet, to be sent again under the same name after a lost connection.
    outbox: Vec<ChatSendParams>,
    pub(crate) older: Older,
    pub(crate) facts: ChatFacts,
    /// Whether the history has been read once.
    pub(crate) loaded: bool,
    /// Counts changes, so that lines that are laid out already are known.
    revision: u64,
}

/// A message that waits for its turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct WaitingMessage {
    pub(crate) run: String,
    pub(crate) text: String,
    /// Whether it goes to the run under way.
    pub(crate) steer: bool,
}

/// What is known of messages above those held.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Older {
    pub(crate) has_more: bool,
    /// How many messages are held, which is where the next page begins.
    pub(crate) offset: u64,
    pub(crate) loading: bool,
    total: u64,
}

/// What the status line tells of a conversation.
#[derive(Debug, Default, Clone, PartialEq)]
pub(crate) struct ChatFacts {
    pub(crate) provider: String,
    pub(crate) model: String,
    pub(crate) used: Option<u64>,
    pub(crate) limit: Option<u64>,
    pub(crate) thinking: String,
    pub(crate) levels: Vec<ThinkingLevelOption>,
    /// What the calls since the last question cost; none where no call had a price.
    pub(crate) cost: Option<f64>,
    pub(crate) title: String,
}

impl Chat {
    pub(crate) fn items(&self) -> &[ChatItem] {
        &self.items
    }

    pub(crate) fn is_running(&self) -> bool {
        !self.runs.is_empty()
    }

    /// Whether something waits for a connection.
    pub(crate) fn has_unsent(&self) -> bool {
        !self.outbox.is_empty()
    }

    /// What the run under way is doing, and since when; the others wait behind it.
    pub(crate) fn doing(&self) -> Option<(&str, i64)> {
        self.runs.first().map(|run| (run.phase.as_str(), run.began))
    }

    /// Why it takes long.
    pub(crate) fn trouble(&self) -> Option<&str> {
        self.runs.first().and_then(|run| run.trouble.as_deref())
    }

    /// Shows a message that is on its way; while a run is under way it waits beside the conversation.
    pub(crate) fn send(&mut self, params: ChatSendParams, steer: bool, now: i64) {
        let run = params.idempotency_key.to_string();
        let text = params.message.clone();
        let files = params.attachments.iter().flatten().filter_map(|file| file.file_name.clone()).collect();
        self.outbox.push(params);
        if self.is_running() {
            self.waiting.push(WaitingMessage { run, text, steer });
            return;
        }
        let body = ItemBody::User { text, files, sender: None, state: SendState::Sending };
        self.append(ChatItem::new(ids::user(&run), Some(run.clone()), body));
        self.run(&run, now);
    }

    /// The gateway took a message.
    pub(crate) fn sent(&mut self, run: &str, still_runs: bool) -> bool {
        self.outbox.retain(|params| params.idempotency_key.as_str() != run);
        self.mark(run, SendState::Sent);
        if let Some(live) = self.runs.iter_mut().find(|live| live.id == run) {
            live.acknowledged = true;
        }
        if !still_runs {
            self.finish(run);
        }
        !still_runs
    }

    /// A message was not taken: because nobody was there, or because it was refused.
    pub(crate) fn not_sent(&mut self, run: &str, why: Option<String>) {
        self.runs.retain(|live| live.id != run);
        if let Some(waiting) = self.unqueue(run) {
            let body = ItemBody::User {
                text: waiting.text,
                files: Vec::new(),
                sender: None,
                state: SendState::Sent,
            };
            self.append(ChatItem::new(ids::user(run), Some(run.to_owned()), body));
        }
        match why {
            Some(why) => {
                self.outbox.retain(|params| params.idempotency_key.as_str() != run);
                self.mark(run, SendState::Refused(why));
            }
            None => self.mark(run, SendState::Unsent),
        }
    }

    /// What is sent again now that somebody is there.
    pub(crate) fn resend(&mut self, now: i64) -> Vec<ChatSendParams> {
        let again = self.outbox.clone();
        for params in &again {
            let run = params.idempotency_key.as_str();
            self.mark(run, SendState::Sending);
            if self.items.iter().any(|item| item.id == ids::user(run)) {
                self.run(run, now);
            }
        }
        again
    }

    /// A message that waited is begun, or gone.
    pub(crate) fn unqueue(&mut self, run: &str) -> Option<WaitingMessage> {
        let at = self.waiting.iter().position(|waiting| waiting.run == run)?;
        Some(self.waiting.remove(at))
    }

    fn mark(&mut self, run: &str, now: SendState) {
        let id = ids::user(run);
        let Some(at) = self.items.iter().rposition(|item| item.id == id) else { return };
        self.revision += 1;
        let revision = self.revision;
        if let Some(item) = self.items.get_mut(at)
            && let ItemBody::User { state, .. } = &mut item.body
        {
            *state = now;
            item.revision = revision;
        }
    }

    /// Puts a line at the end, or in the place of the one with its name.
    pub(crate) fn append(&mut self, mut item: ChatItem) {
        self.revision += 1;
        item.revision = self.revision;
        match self.items.iter().rposition(|known| known.id == item.id) {
            Some(at) => {
                if let Some(known) = self.items.get_mut(at) {
                    item.after.clone_from(&known.after);
                    *known = item;
                }
            }
            None => {
                item.after = self.items.last().map(|last| last.id.clone());
                self.items.push(item);
            }
        }
    }

    /// Takes a step of a run; tells whether the history has to be read again.
    pub(crate) fn hear_chat(&mut self, step: &ChatStep, now: i64) -> bool {
        if self.ended.contains(&step.run_id) {
            return false;
        }
        match step.state.as_str() {
            "status" => {
                self.begin(&step.run_id, now);
                let phase = step.phase.clone().unwrap_or_default();
                let is_new = self.is_strange(&step.run_id);
                self.run(&step.run_id, now).phase = phase;
                is_new
            }
            "delta" => {
                self.begin(&step.run_id, now);
                let is_new = self.is_strange(&step.run_id);
                let run = self.run(&step.run_id, now);
                run.acknowledged = true;
                run.trouble = None;
                "writing".clone_into(&mut run.phase);
                run.hear(step.whole().as_deref(), &step.delta_text);
                self.end_thought(&step.run_id);
                self.draw(&step.run_id, None);
                is_new
            }
            "final" | "aborted" | "error" => {
                self.hear_end(step);
                true
            }
            _ => false,
        }
    }

    /// Whether somebody else started a run: their words are in the history.
    fn is_strange(&self, run: &str) -> bool {
        let user = ids::user(run);
        !self.runs.iter().any(|live| live.id == run) && !self.items.iter().any(|item| item.id == user)
    }

    fn hear_end(&mut self, step: &ChatStep) {
        let id = step.run_id.as_str();
        if self.unqueue(id).is_some() {
            // Taken back, handed to the run under way, or stopped before it began: it has nothing to say here.
            self.finish(id);
            return;
        }
        let whole = step.whole();
        if whole.is_some() || self.runs.iter().any(|run| run.id == id) {
            let run = self.run(id, 0);
            run.hear(whole.as_deref(), "");
            let is_silent = run.current().trim().is_empty();
            self.end_thought(id);
            let ending = (step.state == "aborted").then_some(Ending::Stopped);
            self.draw(id, ending);
            if ending.is_some() && is_silent {
                self.append(ChatItem::new(
                    ids::note(id),
                    Some(id.to_owned()),
                    ItemBody::Note("stopped".to_owned()),
                ));
            }
        }
        if step.state == "error" {
            let body = ItemBody::Error(step.error_message.clone());
            self.append(ChatItem::new(ids::error(id), Some(id.to_owned()), body));
        }
        self.finish(id);
    }

    /// Nothing more is said by a run.
    fn finish(&mut self, id: &str) {
        self.runs.retain(|run| run.id != id);
        self.ended.push_back(id.to_owned());
        if self.ended.len() > ENDED_MAX {
            self.ended.pop_front();
        }
        self.revision += 1;
        let revision = self.revision;
        for item in self.items.iter_mut().filter(|item| item.run.as_deref() == Some(id)) {
            if item.settle() {
                item.revision = revision;
            }
        }
    }

    /// The run of a message that waited says something: from now on it is part of the conversation.
    fn begin(&mut self, run: &str, now: i64) {
        let Some(waiting) = self.unqueue(run) else { return };
        let body =
            ItemBody::User { text: waiting.text, files: Vec::new(), sender: None, state: SendState::Sent };
        self.append(ChatItem::new(ids::user(run), Some(run.to_owned()), body));
        self.run(run, now);
    }

    fn run(&mut self, id: &str, now: i64) -> &mut LiveRun {
        let at = match self.runs.iter().position(|run| run.id == id) {
            Some(at) => at,
            None => {
                self.runs.push(LiveRun::new(id, now));
                self.runs.len() - 1
            }
        };
        // It was put there a moment ago, should it be new.
        #[expect(clippy::indexing_slicing, reason = "the place was found or made above")]
        &mut self.runs[at]
    }

    /// Shows what a run says at the moment.
    fn draw(&mut self, id: &str, ending: Option<Ending>) {
        let Some(run) = self.runs.iter().find(|run| run.id == id) else { return };
        let text = run.current().to_owned();
        if text.trim().is_empty() {
            return;
        }
        let item = ids::text(id, run.segment);
        let body = ItemBody::Text { text, streaming: ending.is_none(), ending };
        self.append(ChatItem::new(item, Some(id.to_owned()), body));
    }

    /// Words or a tool follow: the thought is complete, the next one is another.
    fn end_thought(&mut self, id: &str) {
        let Some(run) = self.runs.iter_mut().find(|run| run.id == id) else { return };
        let name = ids::thought(id, run.thought);
        let Some(at) = self.items.iter().rposition(|item| item.id == name) else { return };
        run.thought += 1;
        self.revision += 1;
        let revision = self.revision;
        if let Some(item) = self.items.get_mut(at) {
            item.settle();
            item.revision = revision;
        }
    }

    /// Takes a step for programs; tells whether the history has to be read again.
    pub(crate) fn hear_agent(&mut self, step: AgentStep, now: i64) -> bool {
        let id = step.run_id.as_str();
        let ended = self.ended.iter().any(|run| run == id);
        if ended && !matches!(step.news, AgentNews::ToolEnded { .. }) {
            return false;
        }
        match step.news {
            AgentNews::ToolStarted { call, name, args } => {
                let is_new = self.is_strange(id);
                self.tool_called(id, &call, now);
                self.append(item::tool(&call, Some(id), &name, &args, Some(step.ts)));
                return is_new;
            }
            AgentNews::ToolUpdated { call, name, output } => {
                self.tool_called(id, &call, now);
                self.change_tool(id, &call, &name, |tool| tool.output = output);
            }
            AgentNews::ToolEnded { call, name, failed, result } => {
                self.change_tool(id, &call, &name, |tool| {
                    tool.output = output_of(&result);
                    tool.end(failed, result.get("details"), step.ts);
                });
            }
            AgentNews::Thinking { text } => {
                let run = self.run(id, now);
                let name = ids::thought(id, run.thought);
                let body = ItemBody::Thinking { text, streaming: true };
                self.append(ChatItem::new(name, Some(id.to_owned()), body));
            }
            AgentNews::Model { provider, model } => {
                self.facts.provider = clean_line(&provider);
                self.facts.model = clean_line(&model);
            }
            AgentNews::Trouble(words) => self.run(id, now).trouble = Some(clean_line(&words)),
            AgentNews::Waits(waits) => self.set_phase(id, if waits { "waiting for your answer" } else { "" }),
            AgentNews::Compacting(is_on) => {
                self.set_phase(id, if is_on { "summarising" } else { "" });
                return !is_on;
            }
        }
        false
    }

    fn set_phase(&mut self, id: &str, phase: &str) {
        if let Some(run) = self.runs.iter_mut().find(|run| run.id == id) {
            phase.clone_into(&mut run.phase);
        }
    }

    /// A tool is used: what was being said is complete, and what follows is a new paragraph below it.
    fn tool_called(&mut self, id: &str, call: &str, now: i64) {
        let name = ids::tool(call);
        if self.items.iter().any(|item| item.id == name) {
            return;
        }
        self.end_thought(id);
        self.draw(id, None);
        let run = self.run(id, now);
        let sealed = run.segment;
        run.seal();
        let text = ids::text(id, sealed);
        self.revision += 1;
        let revision = self.revision;
        if let Some(item) = self.items.iter_mut().rfind(|item| item.id == text) {
            item.settle();
            item.revision = revision;
        }
    }

    fn change_tool(&mut self, run: &str, call: &str, name: &str, change: impl FnOnce(&mut item::ToolCard)) {
        let id = ids::tool(call);
        if !self.items.iter().any(|item| item.id == id) {
            self.append(item::tool(call, Some(run), name, &serde_json::Value::Null, None));
        }
        self.revision += 1;
        let revision = self.revision;
        if let Some(found) = self.items.iter_mut().rfind(|item| item.id == id)
            && let ItemBody::Tool(tool) = &mut found.body
        {
            change(tool);
            found.revision = revision;
        }
    }

    /// A message was written into the conversation; tells whether the history has to be read again.
    pub(crate) fn hear_said(&mut self, step: &SaidStep) -> bool {
        let Some((item, from)) = user_item(&step.message, &step.message_id) else {
            return !self.is_running();
        };
        if let Some(run) = &from {
            self.unqueue(run);
        }
        if self.items.iter().any(|known| known.id == item.id) {
            if let Some(run) = &from {
                self.mark(run, SendState::Sent);
            }
        } else {
            self.append(item);
        }
        false
    }

    /// Takes the newest page of the history over.
    pub(crate) fn adopt(&mut self, page: &ChatHistoryResult, now: i64) {
        adopt::newest(self, page, now);
    }

    /// Whether a page leaves out messages between what is held and itself.
    pub(crate) fn leaves_hole(&self, page: &ChatHistoryResult) -> bool {
        adopt::leaves_hole(self, page)
    }

    /// Takes an older page over.
    pub(crate) fn adopt_older(&mut self, page: &ChatHistoryResult) {
        adopt::older(self, page);
    }
}

#[cfg(test)]
mod tests;
