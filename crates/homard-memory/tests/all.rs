//! What must hold for a whole memory.

#[cfg(test)]
mod diary;
#[cfg(test)]
mod retrieval;
