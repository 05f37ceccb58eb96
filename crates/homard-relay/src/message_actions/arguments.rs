//! Wishes of the `message` tool and of programs, turned into deeds.

use homard_tools::{MessageArgs, MessageVerb, PortError, ToolCx};
use serde_json::{Value, json};

use super::action::{Action, Place, deed_of};
use super::{ActError, ActingFor};
use crate::parts::MessageActions;
use crate::ports::run_name;

/// Most places one broadcast goes to.
const MAX_TARGETS: usize = 50;

impl MessageActions {
    /// Does what the `message` tool asks for.
    pub(crate) async fn act_for_tool(&self, cx: &ToolCx, wish: MessageArgs) -> Result<Value, PortError> {
        let config = self.inner().config();
        let agent = cx.session_key.agent_id().unwrap_or(&config.agents.default_agent().id).clone();
        let acting = ActingFor {
            agent,
            session: Some(cx.session_key.clone()),
            run: Some(cx.run_id.clone()),
            gated: true,
            caller: cx.scope.access.caller,
        };
        let words = homard_runtime::json::to_text(&wish);
        let key = run_name("message", cx, &[&words])?;
        self.act_as_wished(wish, &acting, key.as_str()).await.map_err(|error| match error {
            ActError::NotAllowed(why) => PortError::NotAllowed(why),
            error @ (ActError::Invalid(_) | ActError::BadTarget(_) | ActError::NoTarget) => {
                PortError::Invalid(error.to_string())
            }
            error => PortError::Failed(in_full(&error)),
        })
    }

    /// Does what is wished and says what came of it, as JSON. The same key does it once.
    ///
    /// # Errors
    /// As [`act`](Self::act); a broadcast only fails as a whole when nothing of it may be done.
    pub async fn act_as_wished(
        &self,
        wish: MessageArgs,
        acting: &ActingFor,
        key: &str,
    ) -> Result<Value, ActError> {
        let deed = deed_of(&wish).map_err(|error| ActError::Invalid(error.to_string()))?;
        let place = |target: Option<String>| Place {
            channel: wish.channel.clone(),
            target,
            account: wish.account_id.clone(),
            thread: wish.thread_id.clone(),
        };
        if wish.action != MessageVerb::Broadcast {
            let to = place(wish.target.clone());
            let action = Action { deed, to, key: key.to_owned(), dry_run: wish.dry_run };
            return Ok(told(&self.act(action, acting).await?));
        }
        if !self.inner().config().tools.message.broadcast {
            return Err(ActError::NotAllowed(
                "writing to several at once is turned off (tools.message.broadcast)".to_owned(),
            ));
        }
        let targets: Vec<String> = wish.targets.iter().chain(&wish.target).cloned().collect();
        if targets.is_empty() || targets.len() > MAX_TARGETS {
            return Err(ActError::Invalid(format!("targets must name 1 to {MAX_TARGETS} places")));
        }
        let mut results = Vec::new();
        for (number, target) in targets.into_iter().enumerate() {
            let action = Action {
                deed: deed.clone(),
                to: place(Some(target.clone())),
                key: format!("{key}:{number}"),
                dry_run: wish.dry_run,
            };
            results.push(match self.act(action, acting).await {
                Ok(acted) => json!({"target": target, "ok": true, "result": told(&acted)}),
                Err(error) => json!({"target": target, "ok": false, "error": in_full(&error)}),
            });
        }
        Ok(json!({"action": "broadcast", "dryRun": wish.dry_run, "results": results}))
    }
}

fn told(acted: &super::ActionOutcome) -> Value {
    let mut value = serde_json::to_value(acted).unwrap_or_default();
    if let (Value::Object(fields), Some(last)) = (&mut value, acted.message_ids.last()) {
        fields.insert("messageId".to_owned(), json!(last));
    }
    value
}

/// An error and everything that caused it.
pub(crate) fn in_full(error: &dyn std::error::Error) -> String {
    let mut words = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        words = format!("{words}: {cause}");
        source = cause.source();
    }
    words
}
