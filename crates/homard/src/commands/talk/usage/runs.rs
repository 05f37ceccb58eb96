//! The latest answers: what was tried for each, and what its calls cost.

use homard_client::Client;
use homard_protocol::methods::usage::{RunAttempt, RunCall, RunUsage, UsageRuns, UsageRunsParams};
use homard_protocol::{CallState, RunStatus, SessionRef};
use homard_runtime::brief;
use serde_json::Value;

use super::figures::money;
use crate::commands::{Cx, words};
use crate::report::{Console, Mark};

/// How much of an error is shown.
const ERROR_CHARS: usize = 100;

/// Asks and prints.
pub(super) async fn show(
    cx: &Cx,
    client: &Client,
    session_key: Option<SessionRef>,
    limit: Option<u32>,
    json: bool,
) -> anyhow::Result<()> {
    let found = client.call::<UsageRuns>(&UsageRunsParams { session_key, limit }).await?;
    if json {
        return Ok(cx.console.json(&found)?);
    }
    if found.runs.is_empty() {
        cx.console.note("nothing was answered lately; runs are remembered for a week");
    }
    for run in &found.runs {
        for line in lines(&cx.console, run, found.ts) {
            cx.console.line(&line)?;
        }
    }
    Ok(())
}

/// A run in a few lines.
pub(super) fn lines(console: &Console, run: &RunUsage, now: i64) -> Vec<String> {
    let mark = if run.status == RunStatus::Ok { Mark::Good } else { Mark::Bad };
    let when = run.ended_at.map_or_else(|| "–".to_owned(), |at| words::ago(at, now));
    let model = match (&run.provider, &run.model) {
        (Some(provider), Some(model)) => format!("{provider}/{model}"),
        _ => "no model".to_owned(),
    };
    let took =
        run.started_at.zip(run.ended_at).map(|(from, to)| seconds(to.saturating_sub(from).unsigned_abs()));
    let mut facts = vec![console.mark(mark, run.status.as_str()), model];
    facts.extend(took);
    facts.push(format!("{} tokens", words::tokens(run.usage.total_tokens)));
    facts.extend(Some(money(run.usage.cost.total)).filter(|_| run.usage.cost.total > 0.0));
    facts.push(run.session_key.to_string());
    let mut lines = vec![format!("{}  {}", console.mark(Mark::Strong, &when), facts.join(" · "))];
    lines.extend(run.attempts.iter().map(|attempt| format!("    {}", attempt_line(console, attempt))));
    lines.extend(run.calls.iter().map(|call| format!("    {}", call_line(call))));
    if let Some(error) = &run.error {
        lines.push(format!("    {} {}", console.mark(Mark::Bad, "error:"), brief(error, ERROR_CHARS)));
    }
    lines
}

fn attempt_line(console: &Console, attempt: &RunAttempt) -> String {
    let with = attempt.profile.as_ref().map_or_else(String::new, |profile| format!(" with {profile}"));
    let status = attempt.status.map_or_else(String::new, |status| format!(" {status}"));
    let next =
        attempt.next.as_str().map_or_else(String::new, |next| format!(" → {}", next.replace('_', " ")));
    let next =
        if next.is_empty() && attempt.next != Value::Null { format!(" → {}", attempt.next) } else { next };
    let reason = console.mark(Mark::Warning, &attempt.reason.as_str().replace('_', " "));
    format!(
        "tried {}/{}{with}: {reason}{status} after {}{next}: {}",
        attempt.provider,
        attempt.model,
        seconds(attempt.took_ms),
        brief(&attempt.error, ERROR_CHARS)
    )
}

fn call_line(call: &RunCall) -> String {
    let with = call.profile.as_ref().map_or_else(String::new, |profile| format!(" with {profile}"));
    let thinking = call.thinking.as_ref().map_or_else(String::new, |level| format!(", thinking {level}"));
    let first = call.first_ms.map_or_else(String::new, |ms| format!(", first word after {}", seconds(ms)));
    let cached = match call.usage.cache_read {
        0 => String::new(),
        tokens => format!(" ({} cached)", words::tokens(tokens)),
    };
    format!(
        "asked {}/{}{with}: {}, {} in{cached}, {} out, {}{first}{thinking}",
        call.provider,
        call.model,
        if call.state == CallState::Settled { call.outcome.as_str() } else { call.state.as_str() },
        words::tokens(call.usage.prompt_tokens()),
        words::tokens(call.usage.output),
        seconds(call.total_ms),
    )
}

fn seconds(ms: u64) -> String {
    match ms {
        0..60_000 => format!("{}.{} s", ms / 1_000, ms / 100 % 10),
        ms => words::span(ms),
    }
}
