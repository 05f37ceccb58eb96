//! From rows, configuration and environment to the providers of this house.
