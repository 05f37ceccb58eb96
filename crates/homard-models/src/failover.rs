//! From one failed call to the next attempt.
