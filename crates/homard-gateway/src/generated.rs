//! What is written from the method table: the manual and the page's types.

pub(crate) mod manual;
#[cfg(test)]
mod typescript;
