//! The loop: what the model is told, what it answers, which tools it uses, until it is done.
//!
//! [`Agent::run`] takes one [`Turn`] and the [`History`] of its conversation, asks the model, runs the tools
//! it wants, records every step in the transcript and tells the caller about each [`Step`] as it happens. It
//! does not know who is talking or where the answer goes; the relay does.
//!
//! Reading order: `turn` is the loop, `history` is what was said, `prompt` is what the model is told first,
//! `tool_calls` runs what the model asks for.

mod history;
mod prompt;
mod tool_calls;
mod turn;

pub use history::History;
pub use prompt::{Prompt, PromptError, PromptSettings};
pub use turn::{Agent, Ended, How, Step, Turn};
