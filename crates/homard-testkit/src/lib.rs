//! What is outside our walls, faked at the socket.

mod bench;
mod client;
mod crash;
mod device;
mod fake_collector;
mod fake_llm;
mod fake_models;
mod fake_oauth;
mod fake_telegram;
mod fake_web;
mod gateway;
mod home;
mod irc_peer;
mod line_server;
mod ngircd;
mod node;
mod openclaw_home;
mod release;
#[cfg(unix)]
mod weechat;

pub use bench::{BenchOptions, Comparison, Report, SCENES, Work, compare_builds, run_bench};
pub use client::{Refusal, TestClient, WAIT_CAP, operator_params};
pub use crash::{CrashOptions, CrashReport, JobsReport, run_crash, run_job_crash};
pub use device::{ProofVersion, TestDevice};
pub use fake_collector::{CollectedSpan, FakeCollector};
pub use fake_llm::{
    AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, FakeLlm, FakeLlmOptions, Gate, Recorded, Speech, Turn,
};
pub use fake_models::{Asked, FakeModels, Page};
pub use fake_oauth::{
    FAKE_ACCOUNT, FAKE_CLIENT_ID, FAKE_CLIENT_SECRET, FAKE_EMAIL, FAKE_PROJECT, FakeOAuth, GoogleAccount,
    Issued, OAuthFault,
};
pub use fake_telegram::{
    FakeTelegram, Fault, FaultSource, Outcome, Said, Saying, Sending, Sent, Shown, Upload,
};
pub use fake_web::{FAKE_SEARCH_KEY, FakeWeb, SearchAnswer, WebPage};
pub use gateway::{Launch, TEST_TOKEN, TestGateway, free_port};
pub use home::TestHome;
pub use irc_peer::IrcPeer;
pub use line_server::{LinePeer, LineServer};
pub use ngircd::{IrcSetup, Ngircd};
pub use node::{TestNode, node_params};
pub use openclaw_home::OpenClawHome;
pub use release::{ReleaseMaker, TestRelease};
#[cfg(unix)]
pub use weechat::Weechat;
