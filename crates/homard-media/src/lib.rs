//! Pictures, sound and other files: what they are by what is inside, where they are kept, and speech made of words.
//!
//! `file_type` tells a type from bytes and names, `staging` keeps bytes as files that can do no harm, `speech` says words
//! into a file.

pub mod file_type;
pub mod speech;
pub mod staging;
