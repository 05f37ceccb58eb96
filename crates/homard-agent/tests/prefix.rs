//! Whether providers can keep the beginning of a prompt from one call of a tool loop to the next.

#[cfg(test)]
mod loops;
