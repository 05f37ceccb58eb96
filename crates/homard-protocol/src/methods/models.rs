//! `models.*`: which models there are and whose credentials they are used with.

pub mod auth;
pub mod auth_order;
pub mod auth_status;
