//! What is written from the method table: the manual.

pub(crate) mod manual;
