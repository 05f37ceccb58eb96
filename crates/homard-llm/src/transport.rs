//! How bytes travel: HTTP, event streams, signatures, framing.

pub(crate) mod aws_sign;
pub(crate) mod event_stream;
pub(crate) mod framing;
pub(crate) mod http;
pub(crate) mod remote;
pub(crate) mod sse;
