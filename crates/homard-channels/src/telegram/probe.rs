//! Who we are there.

use std::time::Duration;

use homard_channel::{ChannelError, Probe};
use serde_json::{Value, json};

use super::Telegram;
use super::errors::ApiError;

/// How long an answer may take.
const PATIENCE: Duration = Duration::from_secs(15);

/// Asks for our name and remembers it.
pub(super) async fn me(telegram: &Telegram) -> Result<Value, ApiError> {
    let me = telegram.api.call_within("getMe", &json!({}), PATIENCE).await?;
    telegram.learn_username(me.get("username").and_then(Value::as_str).map(str::to_owned));
    Ok(me)
}

/// Everything the server tells that helps a person.
pub(super) async fn probe(telegram: &Telegram) -> Result<Probe, ChannelError> {
    let me = me(telegram).await?;
    let info = telegram.api.call_within("getWebhookInfo", &json!({}), PATIENCE).await?;
    let field = |name: &str| me.get(name).cloned().unwrap_or_default();
    let text = |value: &Value, name: &str| value.get(name).and_then(Value::as_str).map(str::to_owned);
    let webhook = text(&info, "url").unwrap_or_default();
    let mut advice = Vec::new();
    if me.get("can_read_all_group_messages") == Some(&Value::Bool(false)) {
        advice.push(
            "privacy mode is on, so in groups the bot hears only commands, mentions and replies; to change that, \
             send /setprivacy to @BotFather and add the bot to its groups again"
                .to_owned(),
        );
    }
    match (&telegram.settings.webhook, webhook.is_empty()) {
        (None, false) => advice.push(
            "another program has set a webhook for this bot; it is removed when this one listens, and only one of \
             them can hear"
                .to_owned(),
        ),
        (Some(own), _) if own.public != webhook => {
            advice.push("the webhook Telegram knows is not the configured one; start the account again".to_owned());
        }
        _ => {}
    }
    if let Some(error) = text(&info, "last_error_message").filter(|_| telegram.settings.webhook.is_some()) {
        advice.push(format!("Telegram could not bring an update lately: {error}"));
    }
    Ok(Probe {
        id: me.get("id").and_then(Value::as_i64).map(|id| id.to_string()),
        username: text(&me, "username"),
        facts: json!({
            "name": field("first_name"),
            "canJoinGroups": field("can_join_groups"),
            "canReadAllGroupMessages": field("can_read_all_group_messages"),
            "supportsInlineQueries": field("supports_inline_queries"),
            "webhook": {
                "url": webhook,
                "pendingUpdates": info.get("pending_update_count").cloned().unwrap_or_default(),
                "lastError": info.get("last_error_message").cloned().unwrap_or_default(),
            },
        }),
        advice,
    })
}
