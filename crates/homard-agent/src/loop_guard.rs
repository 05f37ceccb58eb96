//! Noticing that a model goes in circles.
//!
//! A call is known by its tool and arguments, its fruit by what came back. The same call with the same fruit over
//! and over is no progress: the model is told in the result, then the call is refused, then the run ends. That
//! much is always on; the finer detectors are the owner's to turn on (`tools.loopDetection`).

use std::collections::VecDeque;
use std::hash::{DefaultHasher, Hash, Hasher};

use homard_config::config::tools::loops::LoopDetection;
use homard_protocol::{ToolCall, UserBlock};
use homard_tools::ToolOutcome;
use serde_json::Value;

/// After the first remark, the model is told again every so many repeats.
const WARN_EVERY: usize = 10;
/// How long to wait before looking at a process again, by how often that was in vain, in seconds.
const BACKOFF_SECONDS: [u64; 4] = [5, 10, 30, 60];
/// Actions that look at something that may take its time, by tool.
const POLLS: [(&str, &[&str]); 2] = [("process", &["poll", "log"]), ("command_status", &[])];

/// A call that was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct MadeCall {
    call: u64,
    /// `None` when it was refused.
    fruit: Option<u64>,
}

/// Watches the calls of one run.
#[derive(Debug)]
pub(crate) struct LoopGuard {
    rules: LoopDetection,
    seen: VecDeque<MadeCall>,
    ended: Option<String>,
}

impl LoopGuard {
    pub(crate) fn new(rules: LoopDetection) -> Self {
        Self { rules, seen: VecDeque::new(), ended: None }
    }

    /// Why the run must end, once it must.
    pub(crate) fn ended(&self) -> Option<&str> {
        self.ended.as_deref()
    }

    /// What to answer instead of running a call; `None` when it may run.
    pub(crate) fn refuse(&mut self, call: &ToolCall) -> Option<String> {
        let key = key_of(call);
        let (times, pattern) = self.fruitless(key, is_poll(call))?;
        if times < self.rules.critical {
            return None;
        }
        self.remember(MadeCall { call: key, fruit: None });
        if times + 1 >= self.rules.breaker {
            self.ended = Some(format!(
                "The model called the tool `{}` {} times {pattern} and would not stop, so the run was stopped.",
                call.name,
                times + 1
            ));
        }
        Some(format!(
            "not run: this call was made {times} times {pattern}. Do something else, or tell the person what is in the way."
        ))
    }

    /// Takes note of what came back, and adds a remark to it when the model should hear one.
    pub(crate) fn note(&mut self, call: &ToolCall, outcome: &mut ToolOutcome) {
        let key = key_of(call);
        self.remember(MadeCall { call: key, fruit: Some(fruit_of(outcome)) });
        let remark = match self.fruitless(key, is_poll(call)) {
            Some((times, pattern)) if self.is_time_to_say(times) => {
                let wait = if is_poll(call) { wait_hint(times) } else { String::new() };
                Some(format!("this call was made {times} times {pattern}.{wait}"))
            }
            _ if self.rules.detectors.generic_repeat => {
                let times = self.seen.iter().filter(|seen| seen.call == key).count();
                self.is_time_to_say(times).then(|| format!("this call was made {times} times."))
            }
            _ => None,
        };
        if let Some(remark) = remark {
            let words = format!("[Homard: {remark} If it does not get further, do something else.]");
            outcome.content.push(UserBlock::text(words));
        }
    }

    fn is_time_to_say(&self, times: usize) -> bool {
        times >= self.rules.warning && (times - self.rules.warning).is_multiple_of(WARN_EVERY)
    }

    /// How often a call was made in vain lately, and in which pattern. Looking at a process is waiting rather
    /// than going in circles, unless the owner says otherwise.
    fn fruitless(&self, key: u64, is_poll: bool) -> Option<(usize, &'static str)> {
        let detectors = self.rules.detectors;
        let plain = if is_poll && !detectors.known_poll_no_progress { 0 } else { self.same(key) };
        let turns = if detectors.ping_pong { self.ping_pong(key) } else { 0 };
        if turns > plain {
            return Some((turns, "in turn with another, each with the same result"));
        }
        (plain > 1).then_some((plain, "with the same result"))
    }

    /// How often the call was made with the fruit it had last, refused calls included.
    fn same(&self, key: u64) -> usize {
        let fruit = self.seen.iter().rev().find(|seen| seen.call == key && seen.fruit.is_some());
        let Some(fruit) = fruit.map(|seen| seen.fruit) else { return 0 };
        let in_vain = |seen: &&MadeCall| seen.call == key && (seen.fruit.is_none() || seen.fruit == fruit);
        self.seen.iter().filter(in_vain).count()
    }

    /// How long the newest calls have gone `a b a b` without new fruit, as calls.
    fn ping_pong(&self, key: u64) -> usize {
        let newest: Vec<&MadeCall> = self.seen.iter().rev().collect();
        let (Some(a), Some(b)) = (newest.first(), newest.get(1)) else { return 0 };
        if a.call == b.call || (key != a.call && key != b.call) {
            return 0;
        }
        let fits = |(at, seen): &(usize, &&MadeCall)| {
            let like = if at.is_multiple_of(2) { a } else { b };
            seen.call == like.call
                && (seen.fruit.is_none() || like.fruit.is_none() || seen.fruit == like.fruit)
        };
        newest.iter().enumerate().take_while(fits).count()
    }

    fn remember(&mut self, seen: MadeCall) {
        self.seen.push_back(seen);
        let most = self.rules.history.max(self.rules.breaker);
        while self.seen.len() > most {
            self.seen.pop_front();
        }
    }
}

fn wait_hint(times: usize) -> String {
    let seconds = BACKOFF_SECONDS.get(times / WARN_EVERY).or(BACKOFF_SECONDS.last()).copied().unwrap_or(60);
    format!(" Wait at least {seconds} s before you look again.")
}

fn is_poll(call: &ToolCall) -> bool {
    let action = call.arguments.get("action").and_then(Value::as_str);
    POLLS.iter().any(|(tool, actions)| {
        call.name == *tool && (actions.is_empty() || action.is_some_and(|action| actions.contains(&action)))
    })
}

fn key_of(call: &ToolCall) -> u64 {
    let mut hasher = DefaultHasher::new();
    call.name.hash(&mut hasher);
    call.arguments.to_string().hash(&mut hasher);
    hasher.finish()
}

fn fruit_of(outcome: &ToolOutcome) -> u64 {
    let mut hasher = DefaultHasher::new();
    outcome.is_error.hash(&mut hasher);
    for block in &outcome.content {
        match block {
            UserBlock::Text { text } => text.hash(&mut hasher),
            UserBlock::Image { data, .. } | UserBlock::Document { data, .. } => data.hash(&mut hasher),
        }
    }
    hasher.finish()
}

#[cfg(test)]
mod tests;
