//! Agents started by agents: from the call that asks for one to the message that says how it went.
//!
//! A child is a row in the store before it is a run, and the row is settled only when whoever asked has been
//! told (`announce`) or does not want to know any more (`ending`). So a crash at any moment leaves something
//! to go on from, and the announcement's run is named after the child's, so that nobody is told twice.

mod announce;
mod ending;

use std::time::Duration;

use homard_channel::Inbound;
use homard_config::Config;
use homard_config::config::agents::Agent;
use homard_config::config::agents::sandbox::SandboxMode;
use homard_llm::ThinkingLevel;
use homard_protocol::{AgentId, ModelRef, SessionKey, SessionScope, TurnSource, Word};
use homard_runtime::{Clip, OrLog, millis, millis_i64};
use homard_store::{NewSubagent, SessionEntry, SessionRecord, SubagentAdded, SubagentRecord};
use homard_tools::{ChildLine, ChildTask, PortError, Spawned, ToolCx};
use tokio::sync::Notify;

use crate::parts::Subagents;
use crate::ports::{not_kept, run_name};
use crate::sessions::access::agent_of;
use crate::turn_setup::sandbox;
use crate::turns::queue::Queue;
use crate::turns::request::TurnOptions;

/// How much of a task a list shows, in characters.
const TASK_SHOWN: usize = 120;
/// What the model is told about a child that was started.
const NOTE: &str =
    "It works in the background; its result will come to you as a message. Do not wait for it.";

/// What those who look after children share.
#[derive(Debug, Default)]
pub(crate) struct Family {
    settled: Notify,
}

/// What a subagent is told beside its prompt, in every turn of its conversation.
pub(crate) fn standing_orders(session: &SessionRecord, max_depth: u32) -> Option<String> {
    let SessionKey::Agent { scope: SessionScope::Subagent(_), .. } = &session.key else { return None };
    let depth = session.entry.spawn_depth?;
    let may = if depth < max_depth {
        " You may start subagents of your own; wait for what they report before you finish."
    } else {
        ""
    };
    Some(format!(
        "## You are a subagent\nAnother agent gave you the task in the first message and goes on without you. \
         Do that task and nothing else, then stop. Nobody can answer questions: decide, and say what you \
         assumed.{may} Your last message is handed over as your result, so make it complete and short. If \
         there is nothing to report, answer exactly {}.",
        announce::SKIP
    ))
}

/// Everything about a child that was decided before it is kept.
struct Plan {
    agent: AgentId,
    model: Option<ModelRef>,
    thinking: Option<ThinkingLevel>,
    depth: u32,
    /// The conversation that asks: what is stricter there is as strict in the child's.
    asking: Box<SessionEntry>,
}

impl Subagents {
    /// Whether an agent may start another.
    pub(crate) fn may_start(&self, own: &AgentId, other: &AgentId) -> bool {
        let config = self.inner().config();
        let agent = config.agents.agent(own).unwrap_or(config.agents.default_agent());
        let allow = agent.subagents.allow.as_ref().unwrap_or(&config.agents.defaults.subagents.allow);
        own == other || allow.has(other.as_str())
    }

    /// Starts an agent in a conversation of its own. Returns once that is kept.
    pub(crate) async fn spawn_child(&self, cx: &ToolCx, task: ChildTask) -> Result<Spawned, PortError> {
        let (config, store) = (self.inner().config(), self.inner().store());
        let limits = &config.agents.defaults.subagents;
        let plan = self.plan(cx, &task, &config).await?;
        let run_id = run_name("subagent", cx, &[&task.task, task.label.as_deref().unwrap_or_default()])?;
        let scope = SessionScope::Subagent(uuid::Uuid::new_v4().to_string());
        let asks_at = self.chat_approvals().with_its_owner(Some(&cx.run_id)).await.map_err(not_kept)?;
        let child = NewSubagent {
            run_id: run_id.clone(),
            child_key: SessionKey::agent(plan.agent.clone(), scope),
            requester_key: cx.session_key.clone(),
            requester_run: cx.run_id.clone(),
            depth: plan.depth,
            label: task.label.clone(),
            task: task.task.clone(),
            delete_after: task.delete_after,
            asks_at: asks_at.and_then(|address| serde_json::to_string(&address).ok()),
        };
        let label = self.free_label(&plan.agent, task.label.as_deref()).await?;
        let settings = settings(&plan, label);
        let added =
            store.subagents().add(child.clone(), limits.max_children, settings).await.map_err(not_kept)?;
        match added {
            SubagentAdded::New => {}
            SubagentAdded::Known(known) => return Ok(spawned(&known.asked)),
            SubagentAdded::TooMany(open) => {
                return Err(PortError::NotAllowed(format!(
                    "{open} subagents of this session are under way, and no more may be \
                     (agents.defaults.subagents.maxChildrenPerAgent); wait for one, or stop one with subagents"
                )));
            }
        }
        let (key, now) = (child.child_key.clone(), cx.clock.now_ms());
        let message = Inbound::from_operator(key, run_id.to_string(), task.task, now);
        let options = TurnOptions {
            timeout_ms: task.timeout.or(limits.run_timeout).map(millis),
            labels: cx.scope.taint.labels(),
            ..TurnOptions::of(TurnSource::Subagent)
        };
        if let Err(error) = self.turns().accept(message, options, Queue::Wait).await {
            store.subagents().settle(&run_id, None).await.or_log("a child that never began is still open");
            return Err(PortError::Failed(error.to_string()));
        }
        let answer = spawned(&child);
        self.follow(child);
        Ok(answer)
    }

    /// Checks what is asked for against the owner's limits.
    async fn plan(&self, cx: &ToolCx, task: &ChildTask, config: &Config) -> Result<Plan, PortError> {
        let limits = &config.agents.defaults.subagents;
        let own = agent_of(config, &cx.session_key);
        let session = self.inner().store().sessions().get(&cx.session_key).await.map_err(not_kept)?;
        let entry = session.map(|session| session.entry).unwrap_or_default();
        let depth = entry.spawn_depth.unwrap_or(0).saturating_add(1);
        if depth > limits.max_depth {
            return Err(PortError::NotAllowed(format!(
                "subagents may nest {} deep (agents.defaults.subagents.maxSpawnDepth); do it yourself",
                limits.max_depth
            )));
        }
        let agent = match &task.agent {
            Some(name) => {
                AgentId::parse(&name.to_lowercase()).map_err(|error| PortError::Invalid(error.to_string()))?
            }
            None => own.clone(),
        };
        if config.agents.agent(&agent).is_none() || !self.may_start(own, &agent) {
            return Err(PortError::NotAllowed(format!(
                "the agent `{agent}` may not be started from here (subagents.allowAgents); agents_list shows \
                 those that may"
            )));
        }
        let asking = config.agents.agent(own).unwrap_or(config.agents.default_agent());
        let leaves = |other: &Agent| other.sandbox.mode == SandboxMode::Off;
        if sandbox::of(asking, &cx.session_key).is_some() && config.agents.agent(&agent).is_some_and(leaves) {
            return Err(PortError::NotAllowed(format!(
                "this conversation belongs into a sandbox, and those of the agent `{agent}` do not: it may not be \
                 started from here"
            )));
        }
        let model = match &task.model {
            Some(text) => Some(self.sessions().usable_model(text)?),
            None => inherited_model(asking, config, &entry, agent == *own),
        };
        let thinking = [task.thinking.as_ref(), asking.subagents.thinking.as_ref(), limits.thinking.as_ref()];
        let thinking = match thinking.into_iter().flatten().next() {
            Some(word) => Some(ThinkingLevel::parse(word).ok_or_else(|| {
                PortError::Invalid(format!(
                    "`{word}` is no thinking level; use off, minimal, low, medium, high or xhigh"
                ))
            })?),
            None => entry.thinking_level.as_ref().and_then(|level| level.read(ThinkingLevel::parse)),
        };
        Ok(Plan { agent, model, thinking, depth, asking: Box::new(entry) })
    }

    /// The label, unless another session of the agent has it.
    async fn free_label(&self, agent: &AgentId, label: Option<&str>) -> Result<Option<String>, PortError> {
        let Some(label) = label else { return Ok(None) };
        let taken = self.inner().store().sessions().by_label(agent, label).await.map_err(not_kept)?;
        Ok(taken.is_none().then(|| label.to_owned()))
    }

    /// The children of a conversation: those under way, and those of the last while.
    pub(crate) async fn children_of(
        &self,
        cx: &ToolCx,
        recent: Duration,
    ) -> Result<Vec<ChildLine>, PortError> {
        let recent = millis_i64(recent);
        let since = cx.clock.now_ms().saturating_sub(recent);
        let rows = self.inner().store().subagents().of(&cx.session_key, since).await.map_err(not_kept)?;
        let mut lines = Vec::new();
        for row in rows {
            lines.push(self.child_line(&row, cx.clock.now_ms()).await?);
        }
        Ok(lines)
    }

    async fn child_line(&self, row: &SubagentRecord, now: i64) -> Result<ChildLine, PortError> {
        let asked = &row.asked;
        let run = self.inner().store().runs().get(&asked.run_id).await.map_err(not_kept)?;
        let until = run.as_ref().and_then(|run| run.ended_at).unwrap_or(now);
        Ok(ChildLine {
            session_key: asked.child_key.clone(),
            run_id: asked.run_id.clone(),
            label: asked.label.clone(),
            task: asked.task.clip_chars(TASK_SHOWN).to_owned(),
            status: run.map_or("queued", |run| run.status.as_str()),
            seconds: until.saturating_sub(row.created_at) / 1_000,
        })
    }

    /// Says something to a child that is under way; it is answered after what the child is doing now, and
    /// before its result is announced.
    pub(crate) async fn steer_child(
        &self,
        cx: &ToolCx,
        target: &str,
        message: String,
    ) -> Result<ChildLine, PortError> {
        let mut found = self.open_children(cx, target).await?;
        let (Some(row), true) = (found.pop(), found.is_empty()) else {
            return Err(PortError::Invalid("steer one subagent at a time".to_owned()));
        };
        let key = row.asked.child_key.clone();
        let run_id = run_name("steer", cx, &[target, &message])?;
        let message = Inbound::from_operator(key, run_id.to_string(), message, cx.clock.now_ms());
        let options =
            TurnOptions { labels: cx.scope.taint.labels(), ..TurnOptions::of(TurnSource::Subagent) };
        let accepted = self.turns().accept(message, options, Queue::Wait).await;
        accepted.map_err(|error| PortError::Failed(error.to_string()))?;
        self.child_line(&row, cx.clock.now_ms()).await
    }

    /// The children under way that `target` means: one by key, run or label, or `all`.
    async fn open_children(&self, cx: &ToolCx, target: &str) -> Result<Vec<SubagentRecord>, PortError> {
        let mut rows =
            self.inner().store().subagents().open(Some(&cx.session_key)).await.map_err(not_kept)?;
        let is_meant = |row: &SubagentRecord| {
            target.eq_ignore_ascii_case("all")
                || row.asked.child_key.to_string() == target
                || row.asked.run_id.as_str() == target
                || row.asked.label.as_deref().is_some_and(|label| label.eq_ignore_ascii_case(target))
        };
        rows.retain(is_meant);
        if rows.is_empty() {
            return Err(PortError::Invalid(format!(
                "no subagent of this session that is under way is called `{target}`; action list shows them"
            )));
        }
        Ok(rows)
    }
}

/// The model of a child nobody chose one for: the owner's for subagents, else what was chosen for the
/// conversation that asks, if the same agent works.
fn inherited_model(
    asking: &Agent,
    config: &Config,
    entry: &SessionEntry,
    same_agent: bool,
) -> Option<ModelRef> {
    let configured = asking.subagents.model.primary.as_ref();
    let configured = configured.or(config.agents.defaults.subagents.model.primary.as_ref());
    let chosen = || {
        let (provider, model) = (entry.provider_override.as_ref()?, entry.model_override.as_ref()?);
        ModelRef::parse(&format!("{provider}/{model}")).ok()
    };
    configured.cloned().or_else(|| if same_agent { chosen() } else { None })
}

/// What the child's conversation is set to.
fn settings(plan: &Plan, label: Option<String>) -> impl FnOnce(&mut SessionEntry) + Send + use<> {
    let (model, thinking, asking) = (plan.model.clone(), plan.thinking, plan.asking.clone());
    move |entry| {
        entry.exec_host = asking.exec_host;
        entry.exec_security = asking.exec_security;
        entry.exec_ask = asking.exec_ask;
        entry.exec_node = asking.exec_node;
        entry.label = label;
        entry.thinking_level = thinking.map(Word::Known);
        entry.provider_override = model.as_ref().map(|model| model.provider.to_string());
        entry.model_override = model.map(|model| model.model.to_string());
    }
}

fn spawned(child: &NewSubagent) -> Spawned {
    Spawned {
        status: "accepted",
        run_id: child.run_id.clone(),
        child_session_key: child.child_key.clone(),
        note: NOTE,
    }
}

#[cfg(test)]
mod tests;
