//! Words that are not the owner's: their labels, how they are wrapped, which addresses they name.

pub(crate) mod known_urls;
pub(crate) mod taint;
pub(crate) mod untrusted;
