//! `homard sessions context`: where the tokens of a conversation's next request go.

use clap::Args;
use homard_protocol::SessionRef;
use homard_protocol::methods::sessions::context::{
    SessionsContext, SessionsContextParams, SessionsContextResult,
};
use homard_protocol::prompt_report::FileSize;

use crate::commands::Cx;
use crate::commands::connection::ConnectArgs;
use crate::commands::table::table;
use crate::commands::words;
use crate::report::Mark;

/// Characters taken for one token; a guess that is right for English.
const CHARS_PER_TOKEN: usize = 4;

#[derive(Args)]
pub(crate) struct ContextArgs {
    /// Which conversation; the main one if absent
    key: Option<SessionRef>,
    #[command(flatten)]
    reach: ConnectArgs,
}

/// Runs the command.
pub(crate) async fn run(cx: &Cx, args: ContextArgs) -> anyhow::Result<()> {
    let client = args.reach.connect(cx).await?;
    let params = SessionsContextParams { key: args.key, agent_id: None };
    let answer = client.call::<SessionsContext>(&params).await?;
    client.close().await;
    if args.reach.json {
        return Ok(cx.console.json(&answer)?);
    }
    for (number, line) in table(&["PART", "CHARS", "ABOUT TOKENS", ""], &rows(&answer)).iter().enumerate() {
        let line = if number == 0 { cx.console.mark(Mark::Strong, line) } else { line.clone() };
        cx.console.line(&line)?;
    }
    let report = &answer.report;
    let tokens = guess(report.total_chars()).saturating_add(answer.message_tokens);
    cx.console.line("")?;
    cx.console.line(&format!(
        "{} answers as {} ({} prompt): {} of {} tokens used",
        report.model,
        answer.key,
        report.mode,
        words::tokens(tokens),
        words::tokens(u64::from(answer.context_tokens)),
    ))?;
    Ok(())
}

fn rows(answer: &SessionsContextResult) -> Vec<Vec<String>> {
    let report = &answer.report;
    let mut rows = vec![row("system prompt", report.system_prompt.chars, "")];
    for section in &report.sections {
        rows.push(row(&format!("  {}", section.name), section.chars, ""));
        if section.name == "files" {
            let files = report.injected_workspace_files.iter();
            rows.extend(
                files.map(|file| row(&format!("    {}", file.name), file.injected_chars, &note(file))),
            );
        }
    }
    let tools = &report.tools;
    let count = tools.entries.len();
    rows.push(row(&format!("tools ({count})"), tools.list_chars + tools.schema_chars, ""));
    for tool in &tools.entries {
        rows.push(row(&format!("  {}", tool.name), tool.summary_chars + tool.schema_chars, ""));
    }
    let messages = format!("messages ({})", answer.messages);
    rows.push(vec![messages, String::new(), words::tokens(answer.message_tokens), String::new()]);
    rows
}

fn row(name: &str, chars: usize, note: &str) -> Vec<String> {
    vec![name.to_owned(), chars.to_string(), words::tokens(guess(chars)), note.to_owned()]
}

fn note(file: &FileSize) -> String {
    if file.missing {
        "missing".to_owned()
    } else if file.raw_chars == 0 {
        "nothing in it".to_owned()
    } else if file.truncated {
        format!("cut, has {}", file.raw_chars)
    } else {
        String::new()
    }
}

fn guess(chars: usize) -> u64 {
    u64::try_from(chars.div_ceil(CHARS_PER_TOKEN)).unwrap_or(u64::MAX)
}
