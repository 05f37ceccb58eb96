//! The setup wizard behind the gateway's `wizard.*`: one at a time, each with a time limit, and what the last ones
//! ended with.
//!
//! `script` (the gateway and its model) and `accounts` (chat platforms) are the conversations themselves, without a
//! gateway; `facts` and `local_servers` are what is known before the first question, `trial` asks a model for a word,
//! `write` and `connect` put what was agreed into the configuration. `homard onboard` walks the same conversations at a
//! terminal.

pub(crate) mod accounts;
pub(crate) mod answers;
pub(crate) mod connect;
pub(crate) mod facts;
pub(crate) mod greet;
pub(crate) mod local_servers;
pub(crate) mod logins;
pub(crate) mod script;
pub(crate) mod trial;
mod who_may_write;
pub(crate) mod write;

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use homard_channel::ChannelRegistry;
use homard_config::ConfigHandle;
use homard_gateway::{AccountTrial, AndThen, SetupWizard, WizardRefusal};
use homard_protocol::methods::config::wizard::{
    WizardAnswer, WizardFlow, WizardMode, WizardPhase, WizardStartParams, WizardStarted, WizardState,
    WizardStep, WizardTurn,
};
use homard_relay::Relay;
use homard_runtime::Clock;
use tokio::sync::Mutex;

use self::accounts::{AccountScript, AccountStep};
use self::answers::AnswerError;
use self::facts::Finds;
use self::greet::Greeting;
use self::script::{AnswerOutcome, Plan, Script};

/// How long a wizard waits for an answer before another may begin.
const PATIENCE: Duration = Duration::from_secs(15 * 60);
/// Ended wizards that are remembered, for clients that ask how it went.
const MAX_ENDED: usize = 16;

/// The wizard under way, and those that ended.
pub(super) struct Wizards {
    config: ConfigHandle,
    relay: Relay,
    platforms: ChannelRegistry,
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
    talk: WizardTopic,
    touched: Instant,
}

/// What is being talked about.
#[derive(Debug)]
enum WizardTopic {
    Setup(Box<Script>),
    Account(Box<AccountScript>),
}

impl WizardTopic {
    fn step(&self) -> WizardStep {
        match self {
            Self::Setup(script) => script.step(),
            Self::Account(script) => script.step(),
        }
    }

    fn answer(&mut self, answer: &WizardAnswer) -> Result<GatewayRequest, AnswerError> {
        let (step_id, value) = (answer.step_id.as_str(), answer.value.as_ref());
        let stopped = || GatewayRequest::End(WizardPhase::Cancelled, Some("cancelled".to_owned()));
        Ok(match self {
            Self::Setup(script) => match script.answer(step_id, value)? {
                AnswerOutcome::GoOn => GatewayRequest::GoOn,
                // There is no home to take over in the facts of a gateway that runs.
                AnswerOutcome::Stop | AnswerOutcome::Import => stopped(),
                AnswerOutcome::Try => GatewayRequest::Try,
                AnswerOutcome::Agreed(plan) => GatewayRequest::CarryOut(plan),
            },
            Self::Account(script) => match script.answer(step_id, value)? {
                AccountStep::GoOn => GatewayRequest::GoOn,
                AccountStep::Stop => stopped(),
                AccountStep::Try => GatewayRequest::Try,
                AccountStep::Write => GatewayRequest::Write,
                AccountStep::Greet(person) => GatewayRequest::Greet(person),
                AccountStep::Over => GatewayRequest::End(WizardPhase::Done, None),
            },
        })
    }
}

/// Somebody who is to be asked before it goes on.
enum Trial {
    Model(Box<Plan>),
    Account(Box<AccountTrial>),
}

/// What an answer asks of the gateway.
enum GatewayRequest {
    GoOn,
    End(WizardPhase, Option<String>),
    CarryOut(Box<Plan>),
    Try,
    Write,
    Greet(String),
}

impl Inner {
    /// Ends one that nobody answered in time.
    fn tidy(&mut self, now: Instant) {
        let late = self.running.take_if(|one| now.duration_since(one.touched) >= PATIENCE);
        if let Some(late) = late {
            self.leave(late, "nobody answered in time");
        }
    }

    /// Ends one before its last answer. What was done already stays done.
    fn leave(&mut self, left: Running, why: &str) -> WizardState {
        match &left.talk {
            WizardTopic::Account(script) if script.is_done() => {
                self.end(left.session_id, WizardPhase::Done, None)
            }
            WizardTopic::Account(_) | WizardTopic::Setup(_) => {
                self.end(left.session_id, WizardPhase::Cancelled, Some(why.to_owned()))
            }
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
    pub(super) fn new(config: ConfigHandle, relay: Relay, platforms: ChannelRegistry, clock: Clock) -> Self {
        Self { config, relay, platforms, clock, inner: Mutex::default() }
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
        let talk = match params.flow {
            Some(WizardFlow::Channels) => {
                let script =
                    connect::account_script(&self.config, self.platforms, params.channel.as_deref())?;
                WizardTopic::Account(Box::new(script))
            }
            Some(WizardFlow::Setup) | None => {
                WizardTopic::Setup(Box::new(Script::setup(self.facts(params, auth).await)))
            }
        };
        let session_id = uuid::Uuid::new_v4().to_string();
        let turn = asking(&talk, None);
        inner.running = Some(Running { session_id: session_id.clone(), talk, touched: Instant::now() });
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
        let Some(running) = inner.running.as_mut().filter(|one| one.session_id == session_id) else {
            return over(&inner, session_id);
        };
        running.touched = Instant::now();
        let Some(answer) = answer else { return Ok(asking(&running.talk, None)) };
        let wish = match running.talk.answer(answer) {
            Err(AnswerError::NotAsked) => return Err(WizardRefusal::NotAsked),
            Err(AnswerError::Value(words)) => return Ok(asking(&running.talk, Some(words))),
            Ok(wish) => wish,
        };
        let (phase, error) = match wish {
            GatewayRequest::GoOn => return Ok(asking(&running.talk, None)),
            GatewayRequest::Try => {
                let trial = match &running.talk {
                    WizardTopic::Setup(script) => Some(Trial::Model(Box::new(script.plan().clone()))),
                    WizardTopic::Account(script) => {
                        connect::trial(&self.config, script).map(|trial| Trial::Account(Box::new(trial)))
                    }
                };
                // A model or a platform may take long, and whoever waits for it may want to stop.
                drop(inner);
                return self.try_out(session_id, &answer.step_id, trial).await;
            }
            GatewayRequest::Write => {
                // Nobody can stop it between the yes and the file.
                let connecting = match &mut running.talk {
                    WizardTopic::Account(script) => self.write(script, &answer.step_id).await,
                    WizardTopic::Setup(_) => None,
                };
                let Some(connecting) = connecting else { return Ok(asking(&running.talk, None)) };
                drop(inner);
                let words = self.wait_until_up(connecting).await;
                return self
                    .tell(session_id, |talk| {
                        if let WizardTopic::Account(script) = talk {
                            script.connected(words);
                        }
                    })
                    .await;
            }
            GatewayRequest::Greet(person) => {
                let greeting = match &running.talk {
                    WizardTopic::Account(script) => Greeting::of(script, person),
                    WizardTopic::Setup(_) => None,
                };
                // A platform may take long, and whoever waits for it may want to stop.
                drop(inner);
                let Some(greeting) = greeting else { return Err(WizardRefusal::NotFound) };
                let went = greeting.send(&self.config, &self.clock).await;
                return self
                    .tell(session_id, |talk| {
                        if let WizardTopic::Account(script) = talk {
                            script.greeted(&answer.step_id, went);
                        }
                    })
                    .await;
            }
            GatewayRequest::End(phase, error) => (phase, error),
            GatewayRequest::CarryOut(plan) => match self.carry_out(*plan, auth).await {
                Ok(()) => (WizardPhase::Done, None),
                Err(words) => (WizardPhase::Error, Some(words)),
            },
        };
        inner.running = None;
        inner.end(session_id.to_owned(), phase, error);
        over(&inner, session_id)
    }

    /// Asks a model or a platform, and tells the conversation what it says if it still waits for that.
    async fn try_out(
        &self,
        session_id: &str,
        step_id: &str,
        trial: Option<Trial>,
    ) -> Result<WizardTurn, WizardRefusal> {
        match trial {
            None => Err(WizardRefusal::NotFound),
            Some(Trial::Model(plan)) => {
                let said = trial::model(self.config.source(), &plan).await;
                self.tell(session_id, |talk| {
                    if let WizardTopic::Setup(script) = talk {
                        script.tried(step_id, said);
                    }
                })
                .await
            }
            Some(Trial::Account(trial)) => {
                let said = trial.run(&self.config, &self.clock).await;
                self.tell(session_id, |talk| match (talk, said) {
                    (WizardTopic::Account(script), Ok(probe)) => script.tried(step_id, probe),
                    (WizardTopic::Account(script), Err(error)) => script.refused(step_id, &error),
                    (WizardTopic::Setup(_), _) => {}
                })
                .await
            }
        }
    }

    /// Tells the conversation what came of something, if it still waits for that.
    async fn tell(
        &self,
        session_id: &str,
        news: impl FnOnce(&mut WizardTopic),
    ) -> Result<WizardTurn, WizardRefusal> {
        let mut inner = self.inner.lock().await;
        let Some(running) = inner.running.as_mut().filter(|one| one.session_id == session_id) else {
            return over(&inner, session_id);
        };
        running.touched = Instant::now();
        news(&mut running.talk);
        Ok(asking(&running.talk, None))
    }

    async fn look(&self, session_id: &str, then: AndThen) -> Result<WizardState, WizardRefusal> {
        let mut inner = self.inner.lock().await;
        inner.tidy(Instant::now());
        if !inner.is_running(session_id) {
            return inner.ended(session_id).cloned().ok_or(WizardRefusal::NotFound);
        }
        match then {
            AndThen::GoOn => Ok(WizardState { status: WizardPhase::Running, error: None }),
            AndThen::Cancel => match inner.running.take() {
                Some(running) => Ok(inner.leave(running, "cancelled")),
                None => Err(WizardRefusal::NotFound),
            },
        }
    }
}

fn asking(talk: &WizardTopic, error: Option<String>) -> WizardTurn {
    WizardTurn { done: false, step: Some(talk.step()), status: WizardPhase::Running, error }
}

/// What is said to those who come to a conversation that ended.
fn over(inner: &Inner, session_id: &str) -> Result<WizardTurn, WizardRefusal> {
    let state = inner.ended(session_id).ok_or(WizardRefusal::NotFound)?.clone();
    Ok(WizardTurn { done: true, step: None, status: state.status, error: state.error })
}
