//! Who is let in, as whom, and what they may do: proofs, devices, pairing, origins, limits on guesses and writes.

pub(crate) mod auth;
pub(crate) mod caller;
pub(crate) mod device_auth;
pub(crate) mod devices;
pub(crate) mod handshake;
pub(crate) mod origin;
pub(crate) mod pairing;
pub(crate) mod proxy;
pub(crate) mod rules;
pub(crate) mod scope_upgrades;
pub(crate) mod setup_codes;
pub(crate) mod write_limit;
