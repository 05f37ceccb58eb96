//! What the tools for files share: reading text, finding near names and lines, replacing in one step.

#[cfg(test)]
pub(crate) mod hostile_paths;
pub(crate) mod near_names;
pub(crate) mod nearest_lines;
pub(crate) mod off_thread;
pub(crate) mod replace_file;
pub(crate) mod text_file;
