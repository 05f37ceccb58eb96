//! Commands about machines: devices, nodes, pairing, codes to scan.

pub(crate) mod devices;
pub(crate) mod node;
pub(crate) mod nodes;
pub(crate) mod pairing;
pub(crate) mod qr;
