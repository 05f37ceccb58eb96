//! How one behaves in company: what the owner wrote about our accounts ([`accounts`]), who may speak ([`access`]), where their words belong ([`routing`]), what they mean
//! ([`words`]), how they are told to a model ([`envelope`]), when a conversation starts afresh ([`freshness`]), how
//! messages wait ([`queue`]), whom a question reaches ([`asking`]), whether anything may be said ([`sending`]) and what of an answer is said aloud ([`reply`]).
//!
//! Everything here is a pure function of values: no input, no output, no clock. The relay asks and acts.

pub mod access;
pub mod accounts;
pub mod asking;
pub mod envelope;
pub mod freshness;
pub mod queue;
pub mod reply;
pub mod routing;
pub mod sending;
pub mod words;

#[cfg(test)]
mod written;
