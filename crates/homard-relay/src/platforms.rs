//! The accounts on chat platforms, and strangers who ask to be let in.

pub(crate) mod channels;
pub(crate) mod pairing;
pub(crate) mod pairing_row;
