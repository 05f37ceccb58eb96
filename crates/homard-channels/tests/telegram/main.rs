//! Telegram over real sockets, against the fake server.

mod bench;
mod files;
mod listening;
mod saying;
mod webhook;
