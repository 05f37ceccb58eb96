//! What a model that cannot see is told in place of a picture.

/// Stands where a picture would be.
pub(super) const OMITTED: &str = "[image left out: this model cannot see images]";
