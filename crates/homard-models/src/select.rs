//! Which model somebody means.
