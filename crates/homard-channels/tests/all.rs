//! The adapters against real and fake servers, in one test program: linking several takes longer than running them.

mod irc;
mod telegram;
