//! `homard message read` and `search`: what was said in a conversation on a platform. Platforms do not tell bots their
//! history, so it is what Homard heard and said there itself.

use clap::Args;
use homard_client::Client;
use homard_protocol::limits::MAX_HISTORY_LIMIT;
use homard_protocol::methods::sessions::search::MAX_SEARCH_LIMIT;
use homard_protocol::methods::sessions::{SessionsList, SessionsListParams};
use homard_protocol::{SessionKey, SessionRef, SessionScope};

use crate::commands::Cx;
use crate::commands::connection::ConnectArgs;
use crate::commands::talk::sessions;
use crate::report::Advice;

/// Conversations that are looked through.
const LOOKED_AT: u32 = 1_000;

/// Which conversation.
#[derive(Args)]
struct WhereArgs {
    /// Where: telegram:-1001234, irc:#room, or an id alone with --channel
    #[arg(long, short = 't', value_name = "TARGET", allow_hyphen_values = true)]
    target: String,
    /// The platform, where the target does not name it
    #[arg(long, value_name = "CHANNEL")]
    channel: Option<String>,
    #[command(flatten)]
    reach: ConnectArgs,
}

#[derive(Args)]
pub(super) struct ReadArgs {
    #[command(flatten)]
    at: WhereArgs,
    /// How many messages
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=i64::from(MAX_HISTORY_LIMIT)))]
    limit: u32,
}

#[derive(Args)]
pub(super) struct SearchArgs {
    #[command(flatten)]
    at: WhereArgs,
    /// What was probably said
    #[arg(long, value_name = "WORDS")]
    query: String,
    /// How many at most
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=i64::from(MAX_SEARCH_LIMIT)))]
    limit: Option<u32>,
}

pub(super) async fn read(cx: &Cx, args: ReadArgs) -> anyhow::Result<()> {
    let key = conversation(cx, &args.at).await?;
    sessions::show_end(cx, key, args.limit, args.at.reach).await
}

pub(super) async fn search(cx: &Cx, args: SearchArgs) -> anyhow::Result<()> {
    let key = conversation(cx, &args.at).await?;
    sessions::find(cx, key, args.query, args.limit, args.at.reach).await
}

/// The conversation we have there.
async fn conversation(cx: &Cx, at: &WhereArgs) -> anyhow::Result<SessionRef> {
    let client = at.reach.connect(cx).await?;
    let found = found(&client, at).await;
    client.close().await;
    found?.ok_or_else(|| {
        Advice::error(
            format!("nothing was heard at `{}`", at.target),
            "`homard directory groups list` shows where we are; what the owner writes directly is in the main conversation (`homard sessions tail`)",
        )
    })
}

async fn found(client: &Client, at: &WhereArgs) -> anyhow::Result<Option<SessionRef>> {
    let named =
        at.target.split_once(':').and_then(|(name, rest)| Some((homard_channels::entry(name)?.id, rest)));
    let (channel, id) = match (named, &at.channel) {
        (Some((channel, id)), _) => (Some(channel), id),
        (None, Some(name)) => (homard_channels::entry(name).map(|entry| entry.id), at.target.as_str()),
        (None, None) => (None, at.target.as_str()),
    };
    let Some(channel) = channel else {
        return Err(Advice::error(
            "nobody said on which platform",
            "write the target as telegram:123456789, or use --channel",
        ));
    };
    // The kind of a place may stand before its id.
    let id = id
        .split_once(':')
        .filter(|(kind, _)| ["group", "channel", "direct", "user"].contains(kind))
        .map_or(id, |(_, id)| id);
    let params = SessionsListParams { limit: Some(LOOKED_AT), ..SessionsListParams::default() };
    let rows = client.call::<SessionsList>(&params).await?.sessions;
    let is_it = |key: &SessionKey| {
        let SessionKey::Agent { scope, .. } = key else { return false };
        match scope {
            SessionScope::Direct { channel: on, peer, .. } => on.as_str() == channel && peer.as_str() == id,
            SessionScope::Group { channel: on, id: group }
            | SessionScope::Channel { channel: on, id: group } => {
                on.as_str() == channel && group.as_str() == id
            }
            _ => false,
        }
    };
    Ok(rows.into_iter().map(|row| row.key).find(is_it).map(|key| SessionRef::from(&key)))
}
