//! `homard sessions archive`, `restore` and `delete`: putting conversations away and getting them back.

use clap::Args;
use homard_client::Client;
use homard_protocol::methods::sessions::archive::{
    EndedSessionRow, SessionsEnded, SessionsEndedParams, SessionsRestore, SessionsRestoreParams,
};
use homard_protocol::methods::sessions::details::{SessionsDescribe, SessionsDescribeParams};
use homard_protocol::methods::sessions::{
    SessionsDelete, SessionsDeleteParams, SessionsPatch, SessionsPatchParams, SessionsPatchResult,
};
use homard_protocol::session_row::SessionRow;
use homard_protocol::{SessionId, SessionKey, SessionRef};
use homard_runtime::brief;
use serde_json::{Map, json};

use super::TITLE_CHARS;
use crate::commands::Cx;
use crate::commands::connection::ConnectArgs;
use crate::commands::table::table;
use crate::commands::words;
use crate::report::{Advice, Mark};

#[derive(Args)]
pub(crate) struct OneArgs {
    /// Which conversation, by its key
    key: SessionRef,
    #[command(flatten)]
    reach: ConnectArgs,
}

#[derive(Args)]
pub(crate) struct RestoreArgs {
    /// Which conversation, by its key; without one, what can be restored is listed
    key: Option<SessionRef>,
    /// Exactly this one, by the id of its transcript
    #[arg(long, value_name = "ID", conflicts_with = "key")]
    id: Option<SessionId>,
    #[command(flatten)]
    reach: ConnectArgs,
}

/// Puts a conversation away.
pub(crate) async fn archive(cx: &Cx, args: OneArgs) -> anyhow::Result<()> {
    let client = args.reach.connect(cx).await?;
    if described(&client, &args.key).await?.is_none() {
        return Err(nobody(&args.key));
    }
    let patched = put_away(&client, &args.key, true).await?;
    client.close().await;
    if args.reach.json {
        return Ok(cx.console.json(&patched)?);
    }
    cx.console.line(&format!(
        "{} is archived; `homard sessions restore {}` brings it back",
        patched.key, args.key
    ))?;
    Ok(())
}

async fn put_away(client: &Client, key: &SessionRef, away: bool) -> anyhow::Result<SessionsPatchResult> {
    let settings = Map::from_iter([("archived".to_owned(), json!(away))]);
    let params = SessionsPatchParams { key: key.clone(), agent_id: None, settings };
    Ok(client.call::<SessionsPatch>(&params).await?)
}

/// Deletes a conversation; it can be restored.
pub(crate) async fn delete(cx: &Cx, args: OneArgs) -> anyhow::Result<()> {
    let client = args.reach.connect(cx).await?;
    let params = SessionsDeleteParams { key: args.key.clone(), ..SessionsDeleteParams::default() };
    let deleted = client.call::<SessionsDelete>(&params).await?;
    client.close().await;
    if !deleted.deleted {
        return Err(nobody(&args.key));
    }
    if args.reach.json {
        return Ok(cx.console.json(&deleted)?);
    }
    cx.console.line(&format!(
        "{} is deleted; `homard sessions restore {}` brings it back",
        deleted.key, args.key
    ))?;
    Ok(())
}

fn nobody(key: &SessionRef) -> anyhow::Error {
    Advice::error(
        format!("there is no conversation `{key}`"),
        "`homard sessions` lists those there are, `homard sessions --archived` those that were put away",
    )
}

/// Brings a conversation back, or lists what can be.
pub(crate) async fn restore(cx: &Cx, args: RestoreArgs) -> anyhow::Result<()> {
    let client = args.reach.connect(cx).await?;
    let outcome = match (&args.key, &args.id) {
        (None, None) => list(cx, &client, args.reach.json).await,
        (Some(key), _) if described(&client, key).await?.is_some_and(|session| session.archived) => {
            let patched = put_away(&client, key, false).await?;
            tell(cx, args.reach.json, &patched, &patched.key)
        }
        (key, id) => {
            let params = SessionsRestoreParams { key: key.clone(), session_id: id.clone(), agent_id: None };
            let restored = client.call::<SessionsRestore>(&params).await?;
            tell(cx, args.reach.json, &restored, &restored.key)
        }
    };
    client.close().await;
    outcome
}

fn tell(cx: &Cx, as_json: bool, answer: &impl serde::Serialize, key: &SessionKey) -> anyhow::Result<()> {
    if as_json {
        return Ok(cx.console.json(answer)?);
    }
    Ok(cx.console.line(&format!("{key} is back"))?)
}

async fn described(client: &Client, key: &SessionRef) -> anyhow::Result<Option<SessionRow>> {
    let params = SessionsDescribeParams {
        key: key.clone(),
        agent_id: None,
        include_derived_titles: None,
        include_last_message: None,
    };
    Ok(client.call::<SessionsDescribe>(&params).await?.session)
}

async fn list(cx: &Cx, client: &Client, as_json: bool) -> anyhow::Result<()> {
    let ended = client.call::<SessionsEnded>(&SessionsEndedParams::default()).await?;
    if as_json {
        return Ok(cx.console.json(&ended)?);
    }
    if ended.sessions.is_empty() {
        cx.console.note("nothing was deleted or reset; archived ones are in `homard sessions --archived`");
        return Ok(());
    }
    let now = cx.source.clock.now_ms();
    let rows: Vec<Vec<String>> = ended.sessions.iter().map(|one| row(one, now)).collect();
    for (number, line) in table(&["SESSION", "ENDED", "BY", "ID", "TITLE"], &rows).iter().enumerate() {
        let line = if number == 0 { cx.console.mark(Mark::Strong, line) } else { line.clone() };
        cx.console.line(&line)?;
    }
    Ok(())
}

fn row(one: &EndedSessionRow, now: i64) -> Vec<String> {
    let title = one.label.as_ref().or(one.derived_title.as_ref());
    vec![
        one.key.to_string(),
        words::ago(one.ended_at, now),
        one.reason.to_string(),
        one.session_id.to_string(),
        title.map_or_else(String::new, |title| brief(title, TITLE_CHARS)),
    ]
}
