//! Facts; filled in the next step.
