//! What is outside our walls, faked at the socket.

mod bench;
mod client;
mod device;
mod fake_llm;
mod gateway;
mod home;

pub use bench::{BenchOptions, Report, SCENES, run_bench};
pub use client::{Refusal, TestClient, WAIT_CAP, operator_params};
pub use device::{ProofVersion, TestDevice};
pub use fake_llm::{FakeLlm, FakeLlmOptions, Gate, Recorded, Speech, Turn};
pub use gateway::{Launch, TEST_TOKEN, TestGateway, free_port};
pub use home::TestHome;
