//! Any text message is a request, or is refused with as much of an answer as it deserves.

use homard_protocol::connect::ConnectParams;
use homard_protocol::frame::{FrameError, RequestFrame};

/// The promise.
pub(super) fn run(text: &str) {
    let json = serde_json::from_str::<serde_json::Value>(text);
    match RequestFrame::parse(text) {
        Ok(frame) => {
            assert!(
                !frame.id.is_empty() && !frame.method.is_empty(),
                "an answerable request has an id and a method"
            );
            if let Some(params) = &frame.params {
                // The first frame is read by strangers' hands; refusing is fine, falling over is not.
                let _connect = serde_json::from_str::<ConnectParams>(params.get());
            }
        }
        Err(FrameError::NotJson) => assert!(json.is_err(), "what is JSON gets a reason"),
        Err(FrameError::NotARequest { id, reason }) => {
            assert!(!reason.is_empty());
            assert!(id.is_none_or(|id| !id.is_empty()), "an empty id cannot be answered");
        }
    }
}
