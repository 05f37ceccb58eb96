//! Credentials and catalogues, in one test program: linking several takes longer than running them.

mod auth;
mod catalogue;
