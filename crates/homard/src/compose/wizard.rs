//! The setup wizard behind the gateway's `wizard.*`: one at a time, each with a time limit, and what the last ones
//! ended with.
//!
//! `script` is the conversation itself, without a gateway; `write` puts what was agreed into the configuration.

mod script;
mod write;

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use homard_config::ConfigHandle;
use homard_gateway::{AndThen, SetupWizard, WizardRefusal};
use homard_protocol::methods::wizard::{
    WizardAnswer, WizardFlow, WizardMode, WizardPhase, WizardStartParams, WizardStarted, WizardState,
    WizardTurn,
};
use homard_relay::Relay;
use homard_runtime::Clock;
use tokio::sync::Mutex;

use self::script::{Script, Taken};

/// How long a wizard waits for an answer before another may begin.
const PATIENCE: Duration = Duration::from_secs(15 * 60);
/// Ended wizards that are remembered, for clients that ask how it went.
const MAX_ENDED: usize = 16;

/// The wizard under way, and those that ended.
pub(super) struct Wizards {
    config: ConfigHandle,
    relay: Relay,
    clock: Clock,
    inner: Mutex<Inner>,
}

#[derive(Debug, Default)]
struct Inner {
    running: Option<Running>,
    ended: VecDeque<(String, WizardState)>,
}

#[derive(Debug)]
struct Running {
    session_id: String,
    script: Script,
    touched: Instant,
}

impl Inner {
    /// Ends one that nobody answered in time.
    fn tidy(&mut self, now: Instant) {
        let late = self.running.take_if(|one| now.duration_since(one.touched) >= PATIENCE);
        if let Some(late) = late {
            self.end(late.session_id, WizardPhase::Cancelled, Some("nobody answered in time".to_owned()));
        }
    }

    fn end(&mut self, session_id: String, status: WizardPhase, error: Option<String>) -> WizardState {
        if self.ended.len() >= MAX_ENDED {
            self.ended.pop_front();
        }
        let state = WizardState { status, error };
        self.ended.push_back((session_id, state.clone()));
        state
    }

    fn ended(&self, session_id: &str) -> Option<&WizardState> {
        self.ended.iter().rev().find(|(id, _)| id == session_id).map(|(_, state)| state)
    }

    fn is_running(&self, session_id: &str) -> bool {
        self.running.as_ref().is_some_and(|one| one.session_id == session_id)
    }
}

impl SetupWizard for Wizards {
    fn start<'a>(
        &'a self,
        params: &'a WizardStartParams,
        auth: &'static str,
    ) -> BoxFuture<'a, Result<WizardStarted, WizardRefusal>> {
        self.begin(params, auth).boxed()
    }

    fn next<'a>(
        &'a self,
        session_id: &'a str,
        answer: Option<&'a WizardAnswer>,
        auth: &'static str,
    ) -> BoxFuture<'a, Result<WizardTurn, WizardRefusal>> {
        self.take(session_id, answer, auth).boxed()
    }

    fn state<'a>(
        &'a self,
        session_id: &'a str,
        then: AndThen,
    ) -> BoxFuture<'a, Result<WizardState, WizardRefusal>> {
        self.look(session_id, then).boxed()
    }
}

impl Wizards {
    /// None under way yet.
    pub(super) fn new(config: ConfigHandle, relay: Relay, clock: Clock) -> Self {
        Self { config, relay, clock, inner: Mutex::default() }
    }

    async fn begin(
        &self,
        params: &WizardStartParams,
        auth: &'static str,
    ) -> Result<WizardStarted, WizardRefusal> {
        if params.mode == Some(WizardMode::Remote) {
            return Err(WizardRefusal::Remote);
        }
        let mut inner = self.inner.lock().await;
        inner.tidy(Instant::now());
        if inner.running.is_some() {
            return Err(WizardRefusal::Busy);
        }
        let script = match params.flow {
            Some(WizardFlow::Channels) => Script::channels(),
            Some(WizardFlow::Setup) | None => Script::setup(self.facts(params, auth)),
        };
        let session_id = uuid::Uuid::new_v4().to_string();
        let turn = asking(&script, None);
        inner.running = Some(Running { session_id: session_id.clone(), script, touched: Instant::now() });
        Ok(WizardStarted { session_id, turn })
    }

    async fn take(
        &self,
        session_id: &str,
        answer: Option<&WizardAnswer>,
        auth: &'static str,
    ) -> Result<WizardTurn, WizardRefusal> {
        let mut inner = self.inner.lock().await;
        inner.tidy(Instant::now());
        if !inner.is_running(session_id) {
            let state = inner.ended(session_id).ok_or(WizardRefusal::NotFound)?.clone();
            return Ok(WizardTurn { done: true, step: None, status: state.status, error: state.error });
        }
        let Some(running) = inner.running.as_mut() else { return Err(WizardRefusal::NotFound) };
        running.touched = Instant::now();
        let Some(answer) = answer else { return Ok(asking(&running.script, None)) };
        let taken = match running.script.answer(&answer.step_id, answer.value.as_ref()) {
            Err(script::Wrong::NotAsked) => return Err(WizardRefusal::NotAsked),
            Err(script::Wrong::Value(words)) => return Ok(asking(&running.script, Some(words))),
            Ok(taken) => taken,
        };
        let (phase, error) = match taken {
            Taken::GoOn => return Ok(asking(&running.script, None)),
            Taken::Stop => (WizardPhase::Cancelled, Some("cancelled".to_owned())),
            Taken::Nothing => (WizardPhase::Done, None),
            Taken::Agreed(plan) => match self.carry_out(plan, auth).await {
                Ok(()) => (WizardPhase::Done, None),
                Err(words) => (WizardPhase::Error, Some(words)),
            },
        };
        inner.running = None;
        let state = inner.end(session_id.to_owned(), phase, error);
        Ok(WizardTurn { done: true, step: None, status: state.status, error: state.error })
    }

    async fn look(&self, session_id: &str, then: AndThen) -> Result<WizardState, WizardRefusal> {
        let mut inner = self.inner.lock().await;
        inner.tidy(Instant::now());
        if !inner.is_running(session_id) {
            return inner.ended(session_id).cloned().ok_or(WizardRefusal::NotFound);
        }
        match then {
            AndThen::GoOn => Ok(WizardState { status: WizardPhase::Running, error: None }),
            AndThen::Cancel => {
                inner.running = None;
                let words = Some("cancelled".to_owned());
                Ok(inner.end(session_id.to_owned(), WizardPhase::Cancelled, words))
            }
        }
    }
}

fn asking(script: &Script, error: Option<String>) -> WizardTurn {
    WizardTurn { done: false, step: Some(script.step()), status: WizardPhase::Running, error }
}
