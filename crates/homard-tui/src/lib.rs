//! The chat in a terminal.
//!
//! It speaks to the gateway as any client does, through [`homard_client`] and in the words of [`homard_protocol`], and
//! knows nothing else of it. [`app`] is the program without input and output: keys, events and answers in, requests out;
//! [`view`] draws it on any number of rows and columns; [`runner`] owns the terminal, the connection and the clock;
//! [`plain`] is the same program in plain lines, for screen readers and pipes.

mod app;
mod chat;
mod input;
mod plain;
mod runner;
#[cfg(test)]
mod testing;
mod text;
mod view;
mod wire;

pub use app::StartOptions;
pub use runner::{Connector, Machine, TuiError, TuiOptions, run};
