//! Conversations that outgrow their model, with the real store and a fake model on a socket.

#[cfg(test)]
mod flush;
#[cfg(test)]
mod long;
#[cfg(test)]
mod overflow;
#[cfg(test)]
mod tool_limits;
#[cfg(test)]
mod world;
