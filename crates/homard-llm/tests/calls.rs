//! Whole model calls over real sockets against the fake server, for every wire API.

#[cfg(test)]
mod answers;
#[cfg(test)]
mod aws;
#[cfg(test)]
mod bodies;
#[cfg(test)]
mod faults;
#[cfg(test)]
mod world;
