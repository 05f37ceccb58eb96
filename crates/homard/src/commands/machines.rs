//! Commands about machines: devices, nodes, pairing, codes to scan.

pub(crate) mod devices;
pub(crate) mod node;
pub(crate) mod nodes;
pub(crate) mod pairing;
pub(crate) mod qr;

use crate::report::Advice;

/// The only one of several that a person can mean: what is called just so, else what begins so.
fn only<'a, T>(
    exact: &[&'a T],
    begins: &[&'a T],
    none: impl FnOnce() -> anyhow::Error,
) -> anyhow::Result<&'a T> {
    match (exact, begins) {
        ([one], _) | ([], [one]) => Ok(one),
        ([], []) => Err(none()),
        _ => Err(Advice::error("more than one is meant by that", "write more of the id")),
    }
}
