//! The catalogue over real sockets: every provider is called, and servers are asked for their models.

#[cfg(test)]
mod discovery;
#[cfg(test)]
mod rows;
