//! What must hold for any text from outside, as functions that panic where it does not.
//!
//! Each is used twice: by the tests beside this file, which change the seeds in `seeds/` a little and a few hundred
//! times on every run of the checks, and by libFuzzer in `src/bin/fuzz.rs` (`cargo xtask fuzz`), which sees the
//! branches an input takes and searches for hours. A break that was fixed becomes a seed.
#![expect(clippy::expect_used, clippy::panic, reason = "a target falls over when its promise is broken")]

mod targets;

pub use targets::{TARGETS, Target};

#[cfg(test)]
mod tests;
