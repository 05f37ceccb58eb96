//! `chat.startup`, `chat.metadata` and `commands.list`.

use crate::error::RequestError;
use homard_config::config::commands::Commands;
use homard_protocol::methods::chat::ChatHistoryParams;
use homard_protocol::methods::chat::agent::ModelsListParams;
use homard_protocol::methods::chat::startup::{
    ChatMetadataParams, ChatMetadataResult, ChatStartupResult, CommandScope, CommandsListParams,
    CommandsListResult, SlashArgument, SlashCommand,
};
use homard_relay::commands;

use crate::methods::chat;
use crate::methods::models;
use crate::methods::session_key;
use crate::table::Cx;

/// `chat.startup`.
pub(crate) async fn startup(cx: Cx, params: ChatHistoryParams) -> Result<ChatStartupResult, RequestError> {
    let about = ChatMetadataParams {
        agent_id: params.agent_id.clone(),
        session_key: Some(params.session_key.clone()),
        auth_profile_id: None,
    };
    let history = chat::history(cx.clone(), params).await?;
    Ok(ChatStartupResult { history, metadata: metadata(cx, about).await? })
}

/// `chat.metadata`.
pub(crate) async fn metadata(cx: Cx, params: ChatMetadataParams) -> Result<ChatMetadataResult, RequestError> {
    let asked = ModelsListParams {
        agent_id: params.agent_id,
        session_key: params.session_key,
        ..ModelsListParams::default()
    };
    let commands = cx.gateway.config().current().commands.clone();
    let models = models::list(cx, asked).await?.models;
    Ok(ChatMetadataResult { models, commands: all(&commands, false), swarm_enabled: false })
}

/// `commands.list`.
pub(crate) async fn list(cx: Cx, params: CommandsListParams) -> Result<CommandsListResult, RequestError> {
    if let Some(key) = &params.session_key {
        session_key(&cx.gateway, key, params.agent_id.as_ref())?;
    }
    Ok(CommandsListResult {
        commands: all(&cx.gateway.config().current().commands, params.include_args == Some(true)),
    })
}

fn all(commands: &Commands, with_arguments: bool) -> Vec<SlashCommand> {
    let one = |known: commands::ListedCommand| SlashCommand {
        name: known.name.to_owned(),
        native_name: known.name.to_owned(),
        text_aliases: std::iter::once(&known.name)
            .chain(known.aliases)
            .map(|word| format!("/{word}"))
            .collect(),
        description: known.help.to_owned(),
        source: "native".to_owned(),
        scope: CommandScope::Both,
        accepts_args: !known.arguments.is_empty(),
        args: (with_arguments && !known.arguments.is_empty()).then(|| arguments(known.arguments)),
    };
    commands::known(commands).map(one).collect()
}

/// The table writes arguments as people read them, such as `[model] [message]`. What is not in brackets is one.
fn arguments(shown: &str) -> Vec<SlashArgument> {
    let one = |text: &str| SlashArgument {
        name: text.trim_matches(['[', ']', '<', '>']).to_owned(),
        description: text.to_owned(),
        kind: "string".to_owned(),
    };
    match shown.starts_with('[') && shown.ends_with(']') {
        true => shown.split_inclusive(']').map(str::trim).filter(|part| !part.is_empty()).map(one).collect(),
        false => vec![one(shown)],
    }
}
