//! Streams and refusals as providers send them, and as hostile or broken ones do, for every wire API.

#[cfg(test)]
mod chunks;
#[cfg(test)]
mod hostile;
#[cfg(test)]
mod limits;
#[cfg(test)]
mod streams;
#[cfg(test)]
mod wires;
