//! Speaking and being called by name.

pub(crate) mod speech;
pub(crate) mod voicewake;
