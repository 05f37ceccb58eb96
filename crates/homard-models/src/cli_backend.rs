//! Agents that are programs of their own: `claude`, `codex` and whatever else the owner describes.
//!
//! Such a program is asked like any model, but keeps its own session, uses no tool of ours and does not
//! stream: its answer arrives as one piece. `row` knows how each is spoken to, `prompt` and `arguments` make
//! the call, `process` runs it, `output` and `failure` read what came of it, and `sessions` remembers which
//! of its sessions is which of our conversations. This file owns the order of things.

mod arguments;
mod failure;
mod output;
mod process;
mod prompt;
mod row;
mod sessions;

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt;
use futures_util::stream::{self, BoxStream};
use homard_config::Config;
use homard_config::config::agents::cli_backends::CliSessionMode;
use homard_exec::{BuiltEnv, Exit};
use homard_llm::{Answer, CLI_API, InputKind, LlmError, ModelSpec, Provider, Request, StreamEvent};
use homard_protocol::{AssistantBlock, AssistantMessage, ModelId, ProviderId, StopReason};
use homard_runtime::{Clock, CollectOrdered as _, Mutex, OrCancel, off_thread};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use arguments::{CommandLine, Session, command_line};
use output::ProgramOutput;
use process::{End, FinishedProgram, Job, RunFolder};
use row::{KNOWN, Row};

pub use sessions::{SessionIds, SessionIdsInMemory};

/// Where calls of one program wait for each other.
type Queue = Arc<tokio::sync::Mutex<()>>;

/// What programs need beside the configuration. Clone-cheap; keep one for the life of the process, so that
/// calls before and after a change of configuration still wait for each other.
#[derive(Clone)]
pub struct CliParts {
    clock: Clock,
    sessions: Arc<dyn SessionIds>,
    queues: Arc<Mutex<BTreeMap<ProviderId, Queue>>>,
}

impl CliParts {
    /// Takes the clock answers are dated by, and who remembers sessions.
    #[must_use]
    pub fn new(clock: Clock, sessions: Arc<dyn SessionIds>) -> Self {
        Self { clock, sessions, queues: Arc::default() }
    }

    fn queue(&self, backend: &ProviderId) -> Queue {
        let mut queues = self.queues.lock();
        Arc::clone(queues.entry(backend.clone()).or_default())
    }
}

impl fmt::Debug for CliParts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CliParts").finish_non_exhaustive()
    }
}

/// Every program that can be asked, for [`Models::with_provider`](homard_llm::Models::with_provider): the
/// known ones and the configured ones. The known ones list their models only where the owner configured them
/// or they are installed, but can be named anywhere; their absence is then told when they are asked.
#[must_use]
pub fn providers(config: &Config, parts: &CliParts) -> Vec<(Arc<dyn Provider>, Vec<ModelSpec>)> {
    let written = &config.agents.defaults.cli_backends;
    let known = KNOWN.iter().map(|known| known.id).filter(|&id| !written.contains_key(id));
    let ids = known.chain(written.keys().map(String::as_str));
    ids.filter_map(|id| {
        let Ok(provider) = ProviderId::parse(id) else {
            tracing::warn!("agents.defaults.cliBackends has an id that names no provider and is not used");
            return None;
        };
        let Some(row) = Row::find(id, written.get(id)) else {
            tracing::warn!("agents.defaults.cliBackends.{id} has no command and is not used");
            return None;
        };
        let backend = CliBackend::new(provider, row, config, parts.clone());
        let listed = written.contains_key(id) || backend.inner.program().is_some();
        let models = if listed { backend.models(config) } else { Vec::new() };
        Some((Arc::new(backend) as Arc<dyn Provider>, models))
    })
    .collect()
}

/// A program used as a model.
pub struct CliBackend {
    inner: Arc<Inner>,
}

struct Inner {
    id: ProviderId,
    row: Row,
    env: BuiltEnv,
    cwd: PathBuf,
    limit: Duration,
    parts: CliParts,
}

impl fmt::Debug for CliBackend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Inner { id, row, .. } = &*self.inner;
        f.debug_struct("CliBackend").field("id", id).field("command", &row.command).finish_non_exhaustive()
    }
}

impl CliBackend {
    fn new(id: ProviderId, row: Row, config: &Config, parts: CliParts) -> Self {
        let env = environment(&id, &row, config);
        let cwd = config.agents.default_agent().workspace.clone();
        let limit = config.agents.defaults.timeout;
        Self { inner: Arc::new(Inner { id, row, env, cwd, limit, parts }) }
    }

    /// What the program offers: what we know, what the owner named.
    fn models(&self, config: &Config) -> Vec<ModelSpec> {
        let Inner { id, row, .. } = &*self.inner;
        let known = row.models.iter().filter_map(|name| ModelId::parse(name).ok());
        let named = config.agents.defaults.models.keys().filter(|model| model.provider == *id);
        let mut models: Vec<ModelSpec> = Vec::new();
        for model in known.chain(named.map(|model| model.model.clone())) {
            if models.iter().any(|listed| listed.id == model) {
                continue;
            }
            let mut spec = ModelSpec::new(id.clone(), model, CLI_API);
            spec.input = vec![InputKind::Text, InputKind::Image];
            models.push(spec);
        }
        models
    }
}

/// The short list every child gets, and what the owner set for this one.
fn environment(id: &ProviderId, row: &Row, config: &Config) -> BuiltEnv {
    let is_kept = |name: &str| !row.clear_env.iter().any(|cleared| cleared == name);
    let base = config.env.iter().filter(|(name, _)| is_kept(name));
    let base: BTreeMap<String, String> = base.map(|(k, v)| (k.to_owned(), v.to_owned())).collect_map();
    let own = row.env.iter().filter(|(name, _)| is_kept(name));
    own.fold(BuiltEnv::from_base(&base), |env, (name, value)| {
        env.clone().with_explicit(name, value.expose()).unwrap_or_else(|error| {
            tracing::warn!(%error, "agents.defaults.cliBackends.{id}.env has a variable that is not used");
            env
        })
    })
}

impl Provider for CliBackend {
    fn id(&self) -> &ProviderId {
        &self.inner.id
    }

    fn stream(&self, request: Request, cancel: CancellationToken) -> BoxStream<'static, StreamEvent> {
        let inner = Arc::clone(&self.inner);
        let answer = async move {
            let events = match inner.ask(&request, &cancel).await {
                Ok(reading) => inner.told(&request, reading),
                Err(error) => vec![StreamEvent::Failed(error)],
            };
            stream::iter(events)
        };
        stream::once(answer).flatten().boxed()
    }
}

/// Why a call of the program gave no answer.
enum CliFailure {
    /// It does not remember the session; a new one may work.
    SessionLost(LlmError),
    Other(LlmError),
}

impl CliFailure {
    fn into_error(self) -> LlmError {
        match self {
            Self::SessionLost(error) | Self::Other(error) => error,
        }
    }
}

impl From<LlmError> for CliFailure {
    fn from(error: LlmError) -> Self {
        Self::Other(error)
    }
}

impl Inner {
    fn program(&self) -> Option<PathBuf> {
        let path = self.env.iter().find(|(name, _)| *name == "PATH").map_or("", |(_, path)| path);
        process::find_program(&self.row.command, path)
    }

    /// One question, asked again without memory when the program lost it.
    async fn ask(&self, request: &Request, cancel: &CancellationToken) -> Result<ProgramOutput, LlmError> {
        if request.program_dir.is_none() {
            return Err(failure::not_for_others(&self.id));
        }
        let program = self.program().ok_or_else(|| failure::not_found(&self.id, &self.row))?;
        let _turn = if self.row.serialize {
            let waiting = self.parts.queue(&self.id).lock_owned().or_cancel(cancel).await;
            Some(waiting.map_err(|_cancelled| LlmError::aborted())?)
        } else {
            None
        };
        if cancel.is_cancelled() {
            return Err(LlmError::aborted());
        }
        let call = Ask { inner: self, request, program, cancel };
        if let Some(id) = self.remembered(request).await {
            match call.attempt(Session::Known(id)).await {
                Ok(reading) => return Ok(reading),
                Err(CliFailure::Other(error)) => return Err(error),
                Err(CliFailure::SessionLost(error)) => {
                    tracing::info!(backend = %self.id, %error, "a program lost its session; a new one begins");
                    self.remember(request, None).await;
                }
            }
        }
        let names = self.row.session_mode == CliSessionMode::Always && self.row.names_session();
        let session = if names { Session::New(Uuid::new_v4().to_string()) } else { Session::Unnamed };
        call.attempt(session).await.map_err(CliFailure::into_error)
    }

    async fn remembered(&self, request: &Request) -> Option<String> {
        let session = request.session.as_deref().filter(|_| self.row.resumes())?;
        let id = self.parts.sessions.get(session, &self.id).await?;
        output::is_session_id(&id).then_some(id)
    }

    async fn remember(&self, request: &Request, id: Option<String>) {
        if let Some(session) = request.session.as_deref().filter(|_| self.row.resumes()) {
            self.parts.sessions.set(session, &self.id, id).await;
        }
    }

    /// The answer as a stream tells it.
    fn told(&self, request: &Request, reading: ProgramOutput) -> Vec<StreamEvent> {
        let mut usage = reading.usage;
        usage.cost = request.model.price.cost(&usage);
        let message = AssistantMessage {
            content: vec![AssistantBlock::text(reading.text.clone())],
            api: CLI_API.to_owned(),
            provider: self.id.to_string(),
            model: request.model.id.to_string(),
            usage,
            stop_reason: StopReason::Stop,
            error_message: None,
            timestamp: self.parts.clock.now_ms(),
        };
        vec![
            StreamEvent::Start,
            StreamEvent::Text(reading.text),
            StreamEvent::Usage(usage),
            StreamEvent::Done(Answer { message }),
        ]
    }
}

/// One question to the program, in one or two attempts.
struct Ask<'a> {
    inner: &'a Inner,
    request: &'a Request,
    program: PathBuf,
    cancel: &'a CancellationToken,
}

impl Ask<'_> {
    async fn attempt(&self, session: Session) -> Result<ProgramOutput, CliFailure> {
        let Inner { id, row, limit, .. } = self.inner;
        let question = prompt::question(&self.request.messages, id.as_str(), session.is_known());
        let desk = on_disk(move || RunFolder::lay(&question.images).map(|desk| (desk, question.text)));
        let (desk, text) = desk.await.map_err(|error| failure::no_files(id, &error))?;
        let call = arguments::CliCall {
            model: self.request.model.id.as_str(),
            session: &session,
            system: &self.request.system,
            prompt: &text,
            images: &desk.images,
        };
        let CommandLine { args, stdin } = command_line(row, &call);
        let has_input = stdin.is_some();
        let desk = on_disk(move || {
            stdin.map_or(Ok(()), |text| desk.write_input(&text))?;
            Ok(desk)
        });
        let desk = desk.await.map_err(|error| failure::no_files(id, &error))?;
        let silence = if session.is_known() { row.resumed } else { row.fresh };
        let job = Job {
            program: self.program.clone(),
            args,
            has_input,
            env: self.inner.env.clone(),
            cwd: self.request.program_dir.as_deref().unwrap_or(&self.inner.cwd).to_owned(),
            limit: *limit,
            silence: silence.limit(*limit),
        };
        let silence = job.silence;
        let ran = process::run(job, &desk, self.cancel).await;
        let ran = ran.map_err(|error| failure::not_started(id, &error))?;
        let reading = self.understood(ran, &session, silence)?;
        let named = reading.session.as_deref().or_else(|| session.id());
        if named.is_some() && !(session.is_known() && named == session.id()) {
            self.inner.remember(self.request, named.map(str::to_owned)).await;
        }
        Ok(reading)
    }

    fn understood(
        &self,
        ran: FinishedProgram,
        session: &Session,
        silence: Duration,
    ) -> Result<ProgramOutput, CliFailure> {
        let Inner { id, row, limit, .. } = self.inner;
        let exit = match ran.end {
            End::Silent => return Err(failure::silent(id, silence).into()),
            End::TooMuch => return Err(failure::too_much(id).into()),
            End::Exit(Exit::Cancelled) => return Err(LlmError::aborted().into()),
            End::Exit(Exit::TimedOut) => return Err(failure::too_long(id, *limit).into()),
            End::Exit(exit) => exit,
        };
        let format = if session.is_known() { row.resume_output } else { row.output };
        let reading = output::read(format, &ran.printed, &row.session_id_fields);
        if exit == Exit::Exited(0) && reading.error.is_none() {
            return match reading {
                reading if !reading.text.is_empty() => Ok(reading),
                reading if reading.broken => Err(failure::unreadable(id).into()),
                _ => Err(failure::no_answer(id).into()),
            };
        }
        let errors = Some(ran.errors).filter(|errors| !errors.trim().is_empty());
        let said = reading.error.or(errors).unwrap_or(reading.text);
        let error = failure::failed(id, exit, &said, row);
        if session.is_known() && failure::is_lost_session(&said) {
            return Err(CliFailure::SessionLost(error));
        }
        Err(error.into())
    }
}

/// Runs file work where it holds nobody up.
async fn on_disk<T: Send + 'static>(
    work: impl FnOnce() -> std::io::Result<T> + Send + 'static,
) -> std::io::Result<T> {
    off_thread(work).await.unwrap_or_else(|error| Err(std::io::Error::other(error)))
}

#[cfg(test)]
mod tests;
