//! Whole calls over sockets: two fake servers are two providers, one of them with two keys.

mod budgets;
mod faults;
mod patience;
mod world;
