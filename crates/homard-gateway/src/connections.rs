//! The sockets: accepting them, counting them, talking over them, telling many at once.

pub(crate) mod conn;
pub(crate) mod connection_limits;
pub(crate) mod fanout;
pub(crate) mod presence;
pub(crate) mod server;
