//! What programs see: their messages stand in the conversation once, and jobs are done or said not to be.

use anyhow::Result;
use serde_json::{Value, json};

use super::workload::{PROGRAM, Workload};
use crate::client::TestClient;

/// As much of a conversation as is asked for at once.
const PAGE: usize = 1_000;

/// What is wrong with a program's messages, in sentences.
///
/// # Errors
/// When the gateway does not answer.
pub(super) async fn wrongs(client: &mut TestClient, workload: &Workload) -> Result<Vec<String>> {
    if workload.sent.is_empty() {
        return Ok(Vec::new());
    }
    let history = client.call("chat.history", json!({"sessionKey": PROGRAM, "limit": PAGE})).await?;
    let messages = history.get("messages").and_then(Value::as_array).cloned().unwrap_or_default();
    let asked: Vec<String> =
        messages.iter().filter(|message| message["role"] == "user").map(Value::to_string).collect();
    // Only the newest page is looked at.
    let newest = workload.sent.iter().rev().take(PAGE / 4);
    let wrong = newest.filter_map(|mark| {
        let times = asked.iter().filter(|text| text.contains(&format!("please answer {mark}"))).count();
        (times != 1).then(|| format!("{mark} of a program stands {times} times in its conversation"))
    });
    Ok(wrong.collect())
}

/// Whether a job that brought nothing says why.
///
/// # Errors
/// When the gateway does not answer.
pub(super) async fn is_said_to_have_failed(client: &mut TestClient, job: &str) -> Result<bool> {
    let runs = client.call("cron.runs", json!({"id": job})).await?;
    let entries = runs.get("entries").and_then(Value::as_array).cloned().unwrap_or_default();
    Ok(entries.iter().any(|run| run["status"] != "ok" || run["delivered"] == false))
}
