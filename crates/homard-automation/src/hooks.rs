//! Hooks: programs, and a few helpers of our own, that hear of the gateway's own events.
//!
//! Those that only watch run beside what they hear of, so that a slow one holds nobody up. Where what a hook says decides
//! how it goes on (a message, a tool's call, the prompt), it is waited for a moment and then passed over. What a hook
//! is, and where it is found: `found`; how its program is run: `handler`; which event is which place on a message's way:
//! `event`. Nothing is registered, and nothing costs anything, until the owner switches hooks on.

mod bundled;
mod event;
mod found;
mod handler;
mod report;

use std::sync::{Arc, Weak};
use std::time::Duration;

use homard_config::config::hooks::internal::HookEntry;
use homard_runtime::OrLog;
use homard_tools::{HookAnswer, HookError, HookOccasion, HookPoint, HookValue};
use tokio::sync::Semaphore;

pub use found::{FoundHook, HookOrigin, find, hook_dirs};
pub use report::hooks_report;

use self::found::Handler;
use self::handler::{Answer, Call};
use crate::automation::{Automation, Inner};

/// How long a hook may take that only watches.
const WATCH_LIMIT: Duration = Duration::from_secs(30);
/// How long one may take whose word decides; less than filters have.
const DECIDE_LIMIT: Duration = Duration::from_secs(4);
/// How many hooks run at once; others wait.
const MAX_AT_ONCE: usize = 8;

/// A hook that runs.
struct Listening {
    hook: FoundHook,
    entry: Option<HookEntry>,
    /// Shared by all of them.
    places: Arc<Semaphore>,
    room: Weak<Inner>,
}

impl Automation {
    /// Lets the hooks that the owner wants hear of what happens; called once, before anybody is let in.
    pub(crate) async fn register_hooks(&self) {
        let config = self.config();
        if !config.hooks.internal.enabled {
            return;
        }
        let paths = self.inner.config.source().paths.clone();
        let looking = Arc::clone(&config);
        let found = tokio::task::spawn_blocking(move || {
            find(&looking, &looking.agents.default_agent().workspace, &paths)
        });
        let places = Arc::new(Semaphore::new(MAX_AT_ONCE));
        for hook in found.await.or_log("hooks could not be looked for").unwrap_or_default() {
            if !hook.is_ready() {
                let why = hook.problem.clone().unwrap_or_else(|| hook.missing.join(", "));
                if hook.enabled {
                    tracing::warn!(hook = hook.name, why, "a hook does not run");
                }
                continue;
            }
            tracing::info!(hook = hook.name, events = hook.events.join(" "), "a hook listens");
            let entry = config.hooks.internal.entries.get(&hook.name).cloned();
            let room = Arc::downgrade(&self.inner);
            let listening = Arc::new(Listening { hook, entry, places: Arc::clone(&places), room });
            for point in event::points(&listening.hook.events) {
                let hears = Arc::clone(&listening);
                let hook_points = self.inner.relay.hook_points();
                hook_points.add(point, &listening.hook.name, move |occasion| {
                    let hears = Arc::clone(&hears);
                    async move { hears.hear(occasion).await }
                });
            }
        }
    }
}

impl Listening {
    async fn hear(self: Arc<Self>, occasion: HookOccasion) -> Result<HookAnswer, HookError> {
        let (Some(event), Some(inner)) = (event::of(&occasion, &self.hook.events), self.room.upgrade())
        else {
            return Ok(HookAnswer::Pass);
        };
        let room = Automation { inner };
        if event::decides(occasion.point) {
            let answer = self.ask(&room, event, &occasion, DECIDE_LIMIT).await.map_err(HookError)?;
            return Ok(self.answered(answer, occasion));
        }
        let tasks = room.inner.tasks.clone();
        tasks.spawn(async move {
            if let Err(why) = self.ask(&room, event, &occasion, WATCH_LIMIT).await {
                tracing::warn!(hook = self.hook.name, event, why, "a hook failed");
            }
        });
        Ok(HookAnswer::Pass)
    }

    /// Runs it, and tells people what it wants them to be told.
    async fn ask(
        &self,
        room: &Automation,
        event: &str,
        occasion: &HookOccasion,
        limit: Duration,
    ) -> Result<Answer, String> {
        let _place = self.places.acquire().await.map_err(|error| error.to_string())?;
        let answer = match &self.hook.handler {
            Handler::Bundled(bundled) => bundled.run(room, event, occasion, self.entry.as_ref()).await?,
            Handler::Program(program) => {
                let (config, name) = (room.config(), self.hook.name.as_str());
                let call = Call { name, program, entry: self.entry.as_ref(), env: &config.env, limit };
                let told = event::told(event, occasion, room.inner.clock.now_ms());
                let answer = call.run(&told, room.inner.tasks.token()).await;
                answer.map_err(|error| error.to_string())?
            }
            Handler::None(why) => return Err(why.clone()),
        };
        if let Some(key) = &occasion.session {
            for message in &answer.messages {
                let text = format!("🪝 {}: {message}", self.hook.name);
                let told = room.inner.relay.sessions().tell_readers(key, text).await;
                told.or_log("what a hook says is not shown");
            }
        }
        Ok(answer)
    }

    /// What an answer means where something is decided.
    fn answered(&self, answer: Answer, occasion: HookOccasion) -> HookAnswer {
        let Answer { refuse, arguments, text, append, .. } = answer;
        let name = &self.hook.name;
        match (occasion.point, occasion.value) {
            (HookPoint::MessageIn | HookPoint::MessageOut | HookPoint::BeforeToolCall, _)
                if refuse.is_some() =>
            {
                HookAnswer::Refuse(format!("{} (hook {name})", refuse.unwrap_or_default()))
            }
            (HookPoint::BeforeToolCall, _) => arguments
                .map_or(HookAnswer::Pass, |arguments| HookAnswer::Change(HookValue::Arguments(arguments))),
            (HookPoint::MessageIn | HookPoint::MessageOut, _) => {
                text.map_or(HookAnswer::Pass, |text| HookAnswer::Change(HookValue::Text(text)))
            }
            (HookPoint::BeforePrompt, HookValue::Text(before)) => append.map_or(HookAnswer::Pass, |append| {
                let text = format!("{before}\n# From the hook {name}\n\n{}\n", append.trim());
                HookAnswer::Change(HookValue::Text(text))
            }),
            _ => HookAnswer::Pass,
        }
    }
}
