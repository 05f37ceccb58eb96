//! Releases found, checked, staged and put in place, over folders and a server of this machine.

#[cfg(test)]
mod releases;
