//! Who may come in: devices, nodes, strangers who ask, codes that invite.

pub(crate) mod devices;
pub(crate) mod nodes;
pub(crate) mod pairing;
pub(crate) mod setup_codes;
