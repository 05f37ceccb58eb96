//! What the tools for the web share: which addresses may be asked, what a page says, what was asked lately.

pub(crate) mod address;
pub(crate) mod body;
pub(crate) mod cache;
pub(crate) mod html;
pub(crate) mod markdown;
pub(crate) mod public;
