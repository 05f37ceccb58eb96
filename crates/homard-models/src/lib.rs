//! Which model answers, with whose key, at what price.
//!
//! `homard-llm` can call a model; this crate decides which one, proves who asks, pays attention to the money
//! and keeps trying while trying makes sense.
//!
//! Reading order: [`catalogue`] knows the providers of the world as rows of data, [`providers`] turns rows,
//! configuration and environment into the providers of this house, [`select`] finds the model somebody means,
//! [`auth`] keeps credentials, [`budget`] counts the money before it is spent, and [`failover`] walks over
//! profiles and models until one answers. [`cli_backend`] is for agents that are programs of their own.

pub mod auth;
pub mod budget;
pub mod catalogue;
pub mod cli_backend;
pub mod discovery;
pub mod embed;
pub mod failover;
pub mod listing;
pub mod probe;
pub mod providers;
pub mod router;
pub mod select;
