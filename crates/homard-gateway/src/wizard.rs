//! Wizards under way: one at a time, each with a time limit, and what the last ones ended with.
//!
//! `script` is the conversation itself, without a gateway; `write` puts what was agreed into the configuration.

mod script;
mod write;

use crate::error::RequestError;
use std::collections::VecDeque;
use std::time::{Duration, Instant};

use homard_protocol::methods::config::wizard::{
    WizardAnswer, WizardFlow, WizardMode, WizardPhase, WizardStartParams, WizardStarted, WizardState,
    WizardTurn,
};
use serde_json::json;
use tokio::sync::Mutex;

use self::script::{Script, Taken};
use crate::gateway::Gateway;

/// How long a wizard waits for an answer before another may begin.
const PATIENCE: Duration = Duration::from_secs(15 * 60);
/// Ended wizards that are remembered, for clients that ask how it went.
const MAX_ENDED: usize = 16;

/// The wizard under way, and those that ended.
#[derive(Debug, Default)]
pub(crate) struct Wizards {
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

impl Wizards {
    /// Begins one.
    pub(crate) async fn start(
        &self,
        gateway: &Gateway,
        params: &WizardStartParams,
    ) -> Result<WizardStarted, RequestError> {
        if params.mode == Some(WizardMode::Remote) {
            return Err(RequestError::invalid(
                "only a local gateway can be set up here; to use another one, set gateway.mode to `remote` on the \
                 machine that uses it",
            ));
        }
        let mut inner = self.inner.lock().await;
        inner.tidy(Instant::now());
        if inner.running.is_some() {
            return Err(RequestError::unavailable(
                "a setup is already in progress; finish or cancel it first",
            )
            .with_details(json!({"code": "SETUP_ADMISSION_BUSY"}))
            .retry_after(1_000));
        }
        let script = match params.flow {
            Some(WizardFlow::Channels) => Script::channels(),
            Some(WizardFlow::Setup) | None => Script::setup(write::facts(gateway, params)),
        };
        let session_id = uuid::Uuid::new_v4().to_string();
        let turn = asking(&script, None);
        inner.running = Some(Running { session_id: session_id.clone(), script, touched: Instant::now() });
        Ok(WizardStarted { session_id, turn })
    }

    /// Takes an answer; without one the question is asked again.
    pub(crate) async fn next(
        &self,
        gateway: &Gateway,
        session_id: &str,
        answer: Option<&WizardAnswer>,
    ) -> Result<WizardTurn, RequestError> {
        let mut inner = self.inner.lock().await;
        inner.tidy(Instant::now());
        if !inner.is_running(session_id) {
            let state = inner.ended(session_id).ok_or_else(not_found)?.clone();
            return Ok(WizardTurn { done: true, step: None, status: state.status, error: state.error });
        }
        let Some(running) = inner.running.as_mut() else { return Err(not_found()) };
        running.touched = Instant::now();
        let Some(answer) = answer else { return Ok(asking(&running.script, None)) };
        let taken = match running.script.answer(&answer.step_id, answer.value.as_ref()) {
            Err(script::Wrong::NotAsked) => {
                return Err(RequestError::invalid(
                    "wizard: this step is not the one that waits for an answer",
                ));
            }
            Err(script::Wrong::Value(words)) => return Ok(asking(&running.script, Some(words))),
            Ok(taken) => taken,
        };
        let (phase, error) = match taken {
            Taken::GoOn => return Ok(asking(&running.script, None)),
            Taken::Stop => (WizardPhase::Cancelled, Some("cancelled".to_owned())),
            Taken::Nothing => (WizardPhase::Done, None),
            Taken::Agreed(plan) => match write::carry_out(gateway, plan).await {
                Ok(()) => (WizardPhase::Done, None),
                Err(words) => (WizardPhase::Error, Some(words)),
            },
        };
        inner.running = None;
        let state = inner.end(session_id.to_owned(), phase, error);
        Ok(WizardTurn { done: true, step: None, status: state.status, error: state.error })
    }

    /// Stops one.
    pub(crate) async fn cancel(&self, session_id: &str) -> Result<WizardState, RequestError> {
        let mut inner = self.inner.lock().await;
        inner.tidy(Instant::now());
        if inner.is_running(session_id) {
            inner.running = None;
            return Ok(inner.end(
                session_id.to_owned(),
                WizardPhase::Cancelled,
                Some("cancelled".to_owned()),
            ));
        }
        inner.ended(session_id).cloned().ok_or_else(not_found)
    }

    /// Says how far one is.
    pub(crate) async fn status(&self, session_id: &str) -> Result<WizardState, RequestError> {
        let mut inner = self.inner.lock().await;
        inner.tidy(Instant::now());
        if inner.is_running(session_id) {
            return Ok(WizardState { status: WizardPhase::Running, error: None });
        }
        inner.ended(session_id).cloned().ok_or_else(not_found)
    }
}

fn asking(script: &Script, error: Option<String>) -> WizardTurn {
    WizardTurn { done: false, step: Some(script.step()), status: WizardPhase::Running, error }
}

fn not_found() -> RequestError {
    RequestError::invalid("wizard not found").with_details(json!({"code": "WIZARD_NOT_FOUND"}))
}
