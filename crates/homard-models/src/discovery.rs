//! Asking providers which models they serve.
