//! Money and tokens, counted before they are spent.
