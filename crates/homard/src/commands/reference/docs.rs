//! `homard docs`: the book that is built in, searched and read.

use clap::Args;
use homard_web::book::{self, Page, Passage};
use serde_json::{Value, json};

use crate::commands::Cx;
use crate::commands::table::pairs;
use crate::report::{Advice, Mark};

const EXAMPLES: &str = "\
Examples:
  homard docs                       which pages there are
  homard docs hand over to a new version
  homard docs channels/telegram     read a page
  homard docs cron | less";

/// How many passages are shown unless asked otherwise.
const DEFAULT_LIMIT: usize = 5;

/// Search the book that is built in, or read a page of it
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct DocsArgs {
    /// Words to look for, or the name of a page
    #[arg(value_name = "QUERY")]
    query: Vec<String>,
    /// How many passages to show
    #[arg(long, value_name = "N", default_value_t = DEFAULT_LIMIT)]
    limit: usize,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Runs the command.
///
/// # Errors
/// When nothing is found, or the reader is gone.
pub(crate) fn run(cx: &Cx, args: &DocsArgs) -> anyhow::Result<()> {
    let pages = book::pages();
    let query = args.query.join(" ");
    let query = query.trim();
    if query.is_empty() {
        return contents(cx, args, &pages);
    }
    let name = query.trim_end_matches(".md");
    if let Some(page) = pages.iter().find(|page| page.name.eq_ignore_ascii_case(name)) {
        return read(cx, args, page);
    }
    let found = book::find(&pages, query, args.limit);
    if args.json {
        let results: Vec<Value> = found.iter().map(as_json).collect();
        return Ok(cx.console.json(&json!({"query": query, "results": results}))?);
    }
    if found.is_empty() {
        return Err(Advice::error(
            format!("the book says nothing about `{query}`"),
            "try other words; `homard docs` lists the pages",
        ));
    }
    for Passage { page, heading, excerpt, .. } in &found {
        cx.console.line(&format!("{}  {}", cx.console.mark(Mark::Strong, page), heading.replace('`', "")))?;
        cx.console.line(&format!("    {excerpt}\n"))?;
    }
    Ok(cx.console.line("Read a page with `homard docs PAGE`.")?)
}

fn contents(cx: &Cx, args: &DocsArgs, pages: &[Page]) -> anyhow::Result<()> {
    if args.json {
        let pages: Vec<Value> =
            pages.iter().map(|page| json!({"page": page.name, "title": page.title})).collect();
        return Ok(cx.console.json(&json!({"pages": pages}))?);
    }
    let rows: Vec<(&str, String)> =
        pages.iter().map(|page| (page.name.as_str(), page.title.clone())).collect();
    for line in pairs(&rows) {
        cx.console.line(&line)?;
    }
    Ok(cx.console.line("\nRead a page with `homard docs PAGE`, or look for words.")?)
}

fn read(cx: &Cx, args: &DocsArgs, page: &Page) -> anyhow::Result<()> {
    if args.json {
        return Ok(cx.console.json(&json!({"page": page.name, "title": page.title, "text": page.text}))?);
    }
    Ok(cx.console.part(&page.text)?)
}

fn as_json(passage: &Passage) -> Value {
    let Passage { page, title, heading, excerpt } = passage;
    json!({"page": page, "title": title, "heading": heading, "excerpt": excerpt})
}
