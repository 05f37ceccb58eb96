//! The program as people start it, in one test program: linking several takes longer than running them.

mod command_line;
mod gateway_process;
mod scenarios;
