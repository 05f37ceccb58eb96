//! Hook points: named places on the way of a message where filters may have a say, each within a deadline.
//!
//! This is the mechanism only. Whoever registers a filter is part of the program; what a filter may do at a point is
//! the point's to say ([`HookPoint::allows`]). A filter that is late, fails, panics or does what the point does not
//! allow is passed over, with one warning that names it, and the others go on: nobody waits for a filter for ever, and
//! a turn never ends because of a broken one.
//!
//! At a point nobody has a filter for, asking costs one atomic load.

use std::fmt;
use std::future::Future;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use homard_protocol::{RunId, SessionKey};
use homard_runtime::{RwLock, millis};
use serde_json::Value;

/// How long a filter has unless whoever registers it says otherwise.
pub const HOOK_DEADLINE: Duration = Duration::from_secs(5);

/// What filters may do at a point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HookPower {
    Watch,
    /// Change the value, too.
    Change,
    /// Look, or say no.
    Refuse,
    /// Change the value, or say no.
    ChangeOrRefuse,
}

/// Makes the closed list of points, each with its name and what filters may do there.
macro_rules! points {
    ($($(#[$about:meta])* $point:ident => $name:literal, $power:ident;)*) => {
        /// A place where filters are asked.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum HookPoint {
            $($(#[$about])* $point,)*
        }

        impl HookPoint {
            /// All of them, in the order a message passes them.
            pub const ALL: &'static [Self] = &[$(Self::$point),*];

            /// What it is called in logs.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$point => $name,)*
                }
            }

            /// What filters may do there.
            #[must_use]
            pub fn allows(self) -> HookPower {
                match self {
                    $(Self::$point => HookPower::$power,)*
                }
            }
        }
    };
}

points! {
    /// The gateway is about to let people in.
    GatewayStart => "gateway start", Watch;
    /// A message whose sender may speak, before its turn is accepted. The value is its text.
    MessageIn => "message in", ChangeOrRefuse;
    /// The first turn of a conversation begins.
    SessionStart => "session start", Watch;
    /// A turn begins: the model is about to be asked for the first time.
    AgentStart => "agent start", Watch;
    /// Before what the model is told first is put together; about whom it is told to ([`ToldTo`]). The value is what is
    /// added to it, empty at first.
    BeforePrompt => "before prompt", Change;
    /// After that. The value is the whole prompt.
    AfterPrompt => "after prompt", Watch;
    /// Before the model is asked; about the model.
    BeforeModelCall => "before model call", Refuse;
    /// It has answered. The value is the text of its answer.
    AfterModelCall => "after model call", Watch;
    /// A tool may be called: the gate let the call through. The value is its arguments; changed ones go past the gate
    /// again.
    BeforeToolCall => "before tool call", ChangeOrRefuse;
    /// A tool has answered. The value is the text of its answer.
    AfterToolCall => "after tool call", Watch;
    /// The beginning of a conversation is about to be summarised; about the reason.
    BeforeCompaction => "before compaction", Watch;
    /// It was. The value is the summary.
    AfterCompaction => "after compaction", Watch;
    /// Something is about to be written down to be sent to a platform. The value is its text, in Markdown.
    MessageOut => "message out", ChangeOrRefuse;
    /// A turn is over. The value is what people are told of it.
    AgentEnd => "agent end", Watch;
    /// Somebody said stop.
    Stop => "stop", Watch;
    /// A conversation begins anew; about the reason. The value is what was said in it last: `sessionId`, `messages` with
    /// `role` and `text`, `labels`.
    SessionReset => "session reset", Watch;
    /// A conversation is over: its transcript was put away or deleted; about the reason.
    SessionEnd => "session end", Watch;
    /// The gateway is about to stop.
    GatewayStop => "gateway stop", Watch;
}

impl HookPoint {
    fn bit(self) -> u32 {
        1 << (self as u32)
    }
}

/// What a filter looks at, and may change.
#[derive(Debug, Clone, PartialEq)]
pub enum HookValue {
    /// There is nothing to change.
    Nothing,
    Text(String),
    /// The arguments of a tool.
    Arguments(Value),
}

/// What a filter is told.
#[derive(Debug, Clone, PartialEq)]
pub struct HookOccasion {
    pub point: HookPoint,
    /// In which conversation, if in one.
    pub session: Option<SessionKey>,
    /// In which run, if in one.
    pub run: Option<RunId>,
    /// What it is about: a tool, a model, a platform, a reason, as the point says.
    pub subject: Option<String>,
    /// As the filters before left it.
    pub value: HookValue,
}

/// Who hears what comes of what the model is told first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ToldTo {
    /// The owner alone: it may be about them.
    Owner,
    /// A group, a guest, or a program outside.
    Others,
}

impl ToldTo {
    /// As it is told.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Owner => "owner",
            Self::Others => "others",
        }
    }

    /// Whom an occasion is about; others where it does not say.
    #[must_use]
    pub fn of(occasion: &HookOccasion) -> Self {
        match occasion.subject.as_deref() {
            Some(subject) if subject == Self::Owner.as_str() => Self::Owner,
            _ => Self::Others,
        }
    }
}

/// What it is about, as the place that asks knows it.
#[derive(Debug, Clone, Copy, Default)]
pub struct HookAbout<'a> {
    pub session: Option<&'a SessionKey>,
    pub run: Option<&'a RunId>,
    /// The tool, model, platform or reason.
    pub subject: Option<&'a str>,
}

/// What a filter says.
#[derive(Debug, Clone, PartialEq)]
pub enum HookAnswer {
    /// Go on as it is.
    Pass,
    /// Go on with this instead. It must be of the same kind.
    Change(HookValue),
    /// Do not, and why, for whoever asked.
    Refuse(String),
}

/// Why a filter has nothing to say.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct HookError(pub String);

/// A filter said no.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{words}")]
pub struct HookRefusal {
    pub by: String,
    /// Why, in its words.
    pub words: String,
}

type Asked = BoxFuture<'static, Result<HookAnswer, HookError>>;

struct Filter {
    point: HookPoint,
    name: String,
    deadline: Duration,
    ask: Box<dyn Fn(HookOccasion) -> Asked + Send + Sync>,
}

/// The filters there are. Clones share them.
#[derive(Clone, Default)]
pub struct HookPoints {
    inner: Arc<RegisteredFilter>,
}

#[derive(Default)]
struct RegisteredFilter {
    /// A bit for every point somebody has a filter for.
    heard: AtomicU32,
    filters: RwLock<Vec<Arc<Filter>>>,
}

impl HookPoints {
    /// Adds a filter behind those that are there, with [`HOOK_DEADLINE`].
    pub fn add<F, A>(&self, point: HookPoint, name: &str, ask: F)
    where
        F: Fn(HookOccasion) -> A + Send + Sync + 'static,
        A: Future<Output = Result<HookAnswer, HookError>> + Send + 'static,
    {
        self.add_within(point, name, HOOK_DEADLINE, ask);
    }

    /// The same with a deadline of its own.
    pub fn add_within<F, A>(&self, point: HookPoint, name: &str, deadline: Duration, ask: F)
    where
        F: Fn(HookOccasion) -> A + Send + Sync + 'static,
        A: Future<Output = Result<HookAnswer, HookError>> + Send + 'static,
    {
        let ask = Box::new(move |occasion: HookOccasion| ask(occasion).boxed());
        let filter = Filter { point, name: name.to_owned(), deadline, ask };
        self.inner.filters.write().push(Arc::new(filter));
        self.inner.heard.fetch_or(point.bit(), Ordering::Release);
    }

    /// Whether nobody has a filter for a point.
    #[must_use]
    pub fn is_quiet(&self, point: HookPoint) -> bool {
        self.inner.heard.load(Ordering::Acquire) & point.bit() == 0
    }

    /// Words as the filters want them.
    ///
    /// # Errors
    /// When one says no.
    pub async fn filter_text(
        &self,
        point: HookPoint,
        about: HookAbout<'_>,
        text: String,
    ) -> Result<String, HookRefusal> {
        if self.is_quiet(point) {
            return Ok(text);
        }
        match self.ask_all(point, about, HookValue::Text(text)).await? {
            HookValue::Text(text) => Ok(text),
            // A value keeps its kind.
            HookValue::Nothing | HookValue::Arguments(_) => Ok(String::new()),
        }
    }

    /// Arguments as the filters want them.
    ///
    /// # Errors
    /// When one says no.
    pub async fn filter_arguments(
        &self,
        point: HookPoint,
        about: HookAbout<'_>,
        arguments: Value,
    ) -> Result<Value, HookRefusal> {
        if self.is_quiet(point) {
            return Ok(arguments);
        }
        match self.ask_all(point, about, HookValue::Arguments(arguments)).await? {
            HookValue::Arguments(arguments) => Ok(arguments),
            // A value keeps its kind.
            HookValue::Nothing | HookValue::Text(_) => Ok(Value::Null),
        }
    }

    /// Asks whether something may be done.
    ///
    /// # Errors
    /// When a filter says no.
    pub async fn permit(&self, point: HookPoint, about: HookAbout<'_>) -> Result<(), HookRefusal> {
        if self.is_quiet(point) {
            return Ok(());
        }
        self.ask_all(point, about, HookValue::Nothing).await.map(drop)
    }

    /// Shows the filters of a point where nothing can be changed what happens; `value` is made only if somebody looks.
    pub async fn watch(&self, point: HookPoint, about: HookAbout<'_>, value: impl FnOnce() -> HookValue) {
        if !self.is_quiet(point) {
            // Who may only watch cannot refuse.
            let _seen = self.ask_all(point, about, value()).await;
        }
    }

    fn ask_all<'a>(
        &'a self,
        point: HookPoint,
        about: HookAbout<'a>,
        value: HookValue,
    ) -> BoxFuture<'a, Result<HookValue, HookRefusal>> {
        async move {
            let mut occasion = HookOccasion {
                point,
                session: about.session.cloned(),
                run: about.run.cloned(),
                subject: about.subject.map(str::to_owned),
                value,
            };
            for filter in self.at(point) {
                match filter.answer(&occasion).await {
                    Ok(HookAnswer::Pass) => {}
                    Ok(HookAnswer::Change(value)) => occasion.value = value,
                    Ok(HookAnswer::Refuse(words)) => {
                        return Err(HookRefusal { by: filter.name.clone(), words });
                    }
                    Err(why) => {
                        let point = point.name();
                        tracing::warn!(filter = filter.name, point, %why, "a filter is passed over");
                    }
                }
            }
            Ok(occasion.value)
        }
        .boxed()
    }

    fn at(&self, point: HookPoint) -> Vec<Arc<Filter>> {
        let filters = self.inner.filters.read();
        filters.iter().filter(|filter| filter.point == point).map(Arc::clone).collect()
    }
}

impl Filter {
    /// What it says within its time, if that is allowed.
    async fn answer(&self, occasion: &HookOccasion) -> Result<HookAnswer, NotHeard> {
        let told = occasion.clone();
        // It may panic before it returns a future.
        let asking = AssertUnwindSafe(async { (self.ask)(told).await }).catch_unwind();
        let answer = match tokio::time::timeout(self.deadline, asking).await {
            Ok(Ok(Ok(answer))) => answer,
            Ok(Ok(Err(error))) => return Err(NotHeard::Failed(error)),
            Ok(Err(_panic)) => return Err(NotHeard::Panicked),
            Err(_late) => return Err(NotHeard::Late(self.deadline)),
        };
        let (may_change, may_refuse) = match self.point.allows() {
            HookPower::Watch => (false, false),
            HookPower::Change => (true, false),
            HookPower::Refuse => (false, true),
            HookPower::ChangeOrRefuse => (true, true),
        };
        match &answer {
            HookAnswer::Change(_) if !may_change => Err(NotHeard::MayNot("change")),
            HookAnswer::Refuse(_) if !may_refuse => Err(NotHeard::MayNot("refuse")),
            HookAnswer::Change(value)
                if std::mem::discriminant(value) != std::mem::discriminant(&occasion.value) =>
            {
                Err(NotHeard::OtherKind)
            }
            HookAnswer::Pass | HookAnswer::Change(_) | HookAnswer::Refuse(_) => Ok(answer),
        }
    }
}

/// Why a filter's answer does not count.
#[derive(Debug, thiserror::Error)]
enum NotHeard {
    #[error("it did not answer within {} ms", millis(*.0))]
    Late(Duration),
    #[error("it failed: {0}")]
    Failed(HookError),
    #[error("it panicked")]
    Panicked,
    #[error("filters may not {0} anything here")]
    MayNot(&'static str),
    #[error("it answered with another kind of value")]
    OtherKind,
}

impl fmt::Debug for HookPoints {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let filters = self.inner.filters.read();
        let names = filters.iter().map(|filter| (filter.point, filter.name.as_str()));
        f.debug_list().entries(names).finish()
    }
}

#[cfg(test)]
mod tests;
