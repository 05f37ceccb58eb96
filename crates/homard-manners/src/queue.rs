//! How messages wait while a turn is under way: modes, debounce, caps and what is dropped.
