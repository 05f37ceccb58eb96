//! Calls to model servers, in one test program: linking several takes longer than running them.

mod calls;
mod recorded;
