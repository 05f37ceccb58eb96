//! Stored credentials as a whole: on a real disk, with a login server on a real socket.

#[cfg(test)]
mod choosing;
#[cfg(test)]
mod google;
#[cfg(test)]
mod keeping;
#[cfg(test)]
mod logins;
#[cfg(test)]
mod renewal;
#[cfg(test)]
mod secrets;
#[cfg(test)]
mod world;
