//! The way out: from a reply to rows in the outbox and to the platforms.

pub(crate) mod answer;
pub(crate) mod deliver;
pub(crate) mod live;
pub(crate) mod look;
pub(crate) mod media;
pub(crate) mod outbox;
pub(crate) mod reply_rows;
pub(crate) mod reply_style;
pub(crate) mod run_delivery;
pub(crate) mod work;
