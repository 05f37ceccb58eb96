//! Telegram over real sockets, against the fake server.

#[cfg(test)]
mod bench;
#[cfg(test)]
mod files;
#[cfg(test)]
mod listening;
#[cfg(test)]
mod saying;
#[cfg(test)]
mod webhook;
