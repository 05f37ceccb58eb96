//! Credentials: profiles on disk, their order, their cooldowns and their renewal.

mod candidate;

pub use candidate::{Candidate, Exchange, OAuthRow, ProviderAuth, Source};
