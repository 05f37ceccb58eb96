//! Hooks: programs, and a few helpers of our own, that hear of the gateway's own events.
//!
//! Those that only watch run beside what they hear of, so that a slow one holds nobody up. Where what a hook says decides
//! how it goes on (a message, a tool's call, the prompt), it is waited for a moment and then passed over. What a hook
//! is, and where it is found: `found`; how its program is run: `handler`; which event is which place on a message's way:
//! `event`; calls from outside, which are another thing: [`webhooks`]. Nothing is registered, and nothing costs
//! anything, until the owner switches hooks on.

mod bundled;
mod event;
mod found;
mod handler;
mod last_runs;
mod report;
mod transform;
pub mod webhooks;

use std::sync::{Arc, Weak};
use std::time::Duration;

use homard_config::config::hooks::internal::HookEntry;
use homard_protocol::{AgentId, SessionKey};
use homard_relay::Place;
use homard_runtime::{OrLog, off_thread};
use homard_tools::{HookAnswer, HookError, HookOccasion, HookPoint, HookValue};
use tokio::sync::Semaphore;

pub use found::{FoundHook, HookOrigin, find, hook_dirs};
pub(crate) use last_runs::LastRuns;
pub use report::{hooks_report, with_last_runs};
pub use transform::{TransformError, TransformedCall, transform};

use self::found::Handler;
use self::handler::{Answer, Call};
use self::last_runs::LastRun;
use crate::automation::{Automation, Inner};

/// How long a hook may take that only watches.
const WATCH_LIMIT: Duration = Duration::from_secs(30);
/// How long one may take whose word decides; less than filters have.
const DECIDE_LIMIT: Duration = Duration::from_secs(4);
/// How much may wait for a hook that only watches; what happens beyond that passes it by.
const MAX_WAITING: usize = 64;
/// A hook that runs.
struct RunningHook {
    hook: FoundHook,
    entry: Option<HookEntry>,
    /// Whose workspace it is from: it hears of that agent's conversations alone.
    of: Option<AgentId>,
    room: Weak<Inner>,
    /// One for each event it is to be told and has not been.
    waiting: Arc<Semaphore>,
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
        let written = self.inner.config.snapshot();
        let found = off_thread(move || found::find_for_all(&looking, &written.effective, &paths));
        for (hook, of) in found.await.or_log("hooks could not be looked for").unwrap_or_default() {
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
            let waiting = Arc::new(Semaphore::new(MAX_WAITING));
            let listening = Arc::new(RunningHook { hook, entry, of, room, waiting });
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

impl RunningHook {
    async fn hear(self: Arc<Self>, occasion: HookOccasion) -> Result<HookAnswer, HookError> {
        let is_ours = match (&self.of, &occasion.session) {
            (None, _) => true,
            (Some(of), Some(session)) => session.agent_id() == Some(of),
            // What is said in no conversation may be said to anybody.
            (Some(_), None) => event::is_gateways(occasion.point),
        };
        let event = event::of(&occasion, &self.hook.events).filter(|_| is_ours);
        let (Some(event), Some(inner)) = (event, self.room.upgrade()) else {
            return Ok(HookAnswer::Pass);
        };
        let room = Automation { inner };
        if event::decides(occasion.point) {
            let answer = self.ask(&room, event, &occasion, DECIDE_LIMIT).await.map_err(HookError)?;
            return Ok(self.answered(answer, occasion));
        }
        let Ok(waits) = Arc::clone(&self.waiting).try_acquire_owned() else {
            return Err(HookError(format!(
                "is too slow: {MAX_WAITING} events wait for it, and this one is left out"
            )));
        };
        let tasks = room.inner.tasks.clone();
        tasks.spawn(async move {
            let _waits = waits;
            if let Err(why) = self.ask(&room, event, &occasion, WATCH_LIMIT).await {
                tracing::warn!(hook = self.hook.name, event, why, "a hook failed");
            }
        });
        Ok(HookAnswer::Pass)
    }

    /// Runs it, remembers what came of it, and tells people what it wants them to be told.
    async fn ask(
        &self,
        room: &Automation,
        event: &'static str,
        occasion: &HookOccasion,
        limit: Duration,
    ) -> Result<Answer, String> {
        let inner = &room.inner;
        let places = &inner.outside.places;
        let places = if event::decides(occasion.point) { &places.deciding } else { &places.watching };
        // What comes with the program starts none.
        let _place = match self.hook.program() {
            Some(_) => Some(places.acquire().await.map_err(|error| error.to_string())?),
            None => None,
        };
        let at = inner.clock.now_ms();
        let (output, mut answer) = self.run(room, event, occasion, limit).await;
        let (duration_ms, error) = (inner.clock.now_ms() - at, answer.as_ref().err().cloned());
        inner.outside.last_runs.put(&self.hook.name, LastRun { event, at, duration_ms, output, error });
        if let (Some(key), Ok(answer)) = (&occasion.session, &mut answer)
            && !answer.messages.is_empty()
        {
            let (room, name) = (room.clone(), self.hook.name.clone());
            let (point, key, messages) = (occasion.point, key.clone(), std::mem::take(&mut answer.messages));
            inner.tasks.spawn(async move { tell_people(&room, &name, point, &key, messages).await });
        }
        answer
    }

    /// What it prints, and what that means.
    async fn run(
        &self,
        room: &Automation,
        event: &str,
        occasion: &HookOccasion,
        limit: Duration,
    ) -> (String, Result<Answer, String>) {
        let nothing = String::new();
        let program = match &self.hook.handler {
            Handler::Bundled(bundled) => {
                return (nothing, bundled.run(room, event, occasion, self.entry.as_ref()).await);
            }
            Handler::Program(program) => program,
            Handler::None(why) => return (nothing, Err(why.clone())),
        };
        let config = room.config();
        let call = Call {
            name: &self.hook.name,
            program,
            argument: None,
            entry: self.entry.as_ref(),
            env: &config.env,
            limit,
            launcher: room.inner.outside.launcher.clone(),
        };
        let told = event::told(event, occasion, room.inner.clock.now_ms());
        match call.run(&told, room.inner.tasks.token()).await {
            Ok(output) => {
                let answer = Answer::read(&output).map_err(|error| error.to_string());
                (output, answer)
            }
            Err(error) => (nothing, Err(error.to_string())),
        }
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

/// Says what a hook wants people to be told: to whoever reads the conversation, and where it was last spoken to.
async fn tell_people(
    room: &Automation,
    name: &str,
    point: HookPoint,
    key: &SessionKey,
    messages: Vec<String>,
) {
    let relay = &room.inner.relay;
    for message in messages {
        let text = format!("🪝 {name}: {message}");
        let told = relay.sessions().tell_readers(key, text.clone()).await;
        told.or_log("what a hook says is not shown");
        // A hook that hears of what is sent would hear of its own words for ever.
        if point == HookPoint::MessageOut {
            continue;
        }
        let last = relay.messages().destination_of(&Place::default(), key).await;
        let Some(address) = last.or_log("what a hook says goes nowhere").flatten() else { continue };
        let once = format!("hook:{}", uuid::Uuid::new_v4());
        let said = relay.messages().say_unasked(address, text, key, once).await;
        said.or_log("what a hook says was not sent");
    }
}
