//! The gate: while words of others are in play, what acts on the world needs the owner's yes.
//!
//! One place for all tools. Before a call it decides from what the tool reaches, what the call is about and whose
//! words are in play; after it, it labels what came back, remembers which files hold words of others, and hides
//! secrets. A conversation in which only the owner speaks passes without anything being looked at.
//!
//! `reach` is what tools declare, `asking` words what a person is asked, `paths` knows which files steer the assistant, `fetching` which commands bring
//! words of others in.

use std::path::{Path, PathBuf};

use homard_protocol::UserBlock;
use homard_protocol::methods::approvals::ApprovalDecision;
use homard_runtime::{Arrange as _, off_thread};
use serde_json::Value;

use crate::approvals::{ApprovalRequest, CommandTerms, Outcome};
use crate::cx::ToolCx;
use crate::outcome::ToolOutcome;
use crate::policy;
use crate::words_of_others::known_urls::Novelty;
use crate::words_of_others::taint::{GateAnswer, Label, Source, one_line};

mod asking;
mod fetching;
pub(crate) mod on_node;
mod paths;
mod provenance;
mod reach;

pub use reach::{Effect, Subject};

use paths::FilePlace;
pub(crate) use provenance::CommandRun;
use provenance::Provenance;

/// Most labels a question names; the rest are counted.
const MAX_NAMED: usize = 6;
/// Most characters of a reason that a person is shown.
const MAX_REASON: usize = 1_000;
/// Longest search while words of others are in play; more than that is telling, not asking.
const MAX_QUERY: usize = 200;

/// What happens to calls that act on the world while words of others are in play.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum GateMode {
    /// A person is asked.
    #[default]
    Ask,
    Deny,
    Off,
}

/// What the owner wants while words of others are in play.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct GatePolicy {
    mode: GateMode,
    allow: Vec<String>,
    /// Files and folders the owner vouches for.
    vouched: Vec<PathBuf>,
}

impl GatePolicy {
    /// A policy; `allow` names tools that run without being asked about, as tool lists do.
    pub fn new<S: AsRef<str>>(mode: GateMode, allow: &[S]) -> Self {
        let allow = allow.iter().map(|pattern| policy::canonical_name(pattern.as_ref())).collect();
        Self { mode, allow, vouched: Vec::new() }
    }

    /// The same with files and folders whose content counts as the owner's own words.
    #[must_use]
    pub fn vouching(self, vouched: Vec<PathBuf>) -> Self {
        Self { vouched, ..self }
    }

    pub(crate) fn lets_through(&self, tool: &str) -> bool {
        self.mode == GateMode::Off || policy::lists(&self.allow, tool)
    }
}

/// A call as the gate sees it.
pub(crate) struct Call<'c> {
    pub(crate) name: &'c str,
    pub(crate) reach: Effect,
    pub(crate) asks_itself: bool,
    pub(crate) subject: Subject,
    pub(crate) home: &'c PathBuf,
}

/// Where a call's files really are.
#[derive(Debug, Default)]
pub(crate) struct RealPaths {
    /// Whose words the files are that are read, where they are not the owner's.
    read: Vec<Label>,
    writes: Vec<FilePlace>,
}

impl Call<'_> {
    /// Where the files of the call are, as far as anybody has to know. Symbolic links are followed.
    pub(crate) async fn places(&self, cx: &ToolCx) -> RealPaths {
        if self.subject.writes.is_empty() && self.subject.reads.is_empty() {
            return RealPaths::default();
        }
        let (subject, home, workspace) = (self.subject.clone(), self.home.clone(), cx.workspace.clone());
        let provenance = Provenance::of(self.home, cx);
        let looking = off_thread(move || {
            let reads = paths::places(&home, &workspace, &subject.reads);
            RealPaths {
                read: reads.iter().filter_map(|place| provenance.of_read(place.path())).collect(),
                writes: paths::places(&home, &workspace, &subject.writes),
            }
        });
        looking.await.unwrap_or_default()
    }

    /// Lets the call through, or answers it in the tool's place.
    pub(crate) async fn admit(
        &self,
        arguments: &Value,
        places: &RealPaths,
        cx: &ToolCx,
    ) -> Result<(), ToolOutcome> {
        let taint = &cx.scope.taint;
        if taint.is_clean() || cx.scope.gate.lets_through(self.name) {
            return Ok(());
        }
        let Some(reason) = self.reason(places, cx) else { return Ok(()) };
        let grant = self.grant();
        if grant.as_ref().is_some_and(|what| taint.allows(self.name, what)) {
            taint.pass(&cx.call_id, GateAnswer::Allowed);
            return Ok(());
        }
        let reasons = Self::reasons(&reason, &taint.labels());
        if cx.scope.gate.mode == GateMode::Deny {
            return Err(refusal(&reasons, "the owner's rules (tools.taint) refuse it"));
        }
        if self.asks_itself {
            taint.pass(&cx.call_id, GateAnswer::MustAsk(reasons));
            return Ok(());
        }
        let mut asked = self.request(arguments, &reasons, cx);
        asked.allow_always(grant.as_deref());
        match cx.ask(asked).await {
            Outcome::Said(ApprovalDecision::AllowOnce) => {}
            Outcome::Said(ApprovalDecision::AllowAlways) => {
                if let Some(what) = &grant {
                    taint.allow(self.name, what);
                }
            }
            Outcome::Said(ApprovalDecision::Deny) => {
                return Err(refusal(&reasons, "the owner was asked and said no"));
            }
            Outcome::Expired => {
                return Err(refusal(&reasons, "the owner was asked and did not answer in time"));
            }
            Outcome::NoRoute => return Err(refusal(&reasons, "nobody who could allow it is reachable now")),
            Outcome::Withdrawn => return Err(ToolOutcome::error("stopped before the owner answered")),
        }
        taint.pass(&cx.call_id, GateAnswer::Allowed);
        Ok(())
    }

    /// What "always" would allow: this and nothing wider; `None` when it cannot be said, and never for files: those
    /// that are asked about lie outside the workspace or steer the assistant.
    fn grant(&self) -> Option<String> {
        match self.reach {
            Effect::Looks | Effect::Files => None,
            Effect::Web if self.subject.query.is_some() => None,
            Effect::Web => match self.subject.addresses.as_slice() {
                [address] => Some(format!("exactly {address}")),
                _ => None,
            },
            Effect::Outward => self.subject.grant.clone(),
        }
    }

    /// Why the call needs a yes; `None` when it reaches nothing that matters.
    fn reason(&self, places: &RealPaths, cx: &ToolCx) -> Option<String> {
        if self.subject.only_looks {
            return None;
        }
        match self.reach {
            Effect::Looks => None,
            Effect::Files => places.writes.iter().find_map(|place| match place {
                FilePlace::Inside(_) => None,
                FilePlace::Outside(path) => Some(format!("writes outside the workspace: {}", path.display())),
                FilePlace::Steers(path) => {
                    Some(format!("changes what the assistant goes by: {}", path.display()))
                }
            }),
            Effect::Web => self.web_reason(cx),
            Effect::Outward => Some(format!("{} acts outside this conversation", self.name)),
        }
    }

    fn web_reason(&self, cx: &ToolCx) -> Option<String> {
        let news = self.subject.addresses.iter().find_map(|address| {
            let shown = one_line(address, MAX_QUERY);
            match cx.scope.known_urls.judge(address) {
                Novelty::Nothing => None,
                Novelty::Host => Some(format!("asks a server nobody named: {shown}")),
                Novelty::Choice => Some(format!(
                    "so many known addresses were asked that it can carry something out which: {shown}"
                )),
                Novelty::Rest => {
                    Some(format!("the address was put together here and can carry something out: {shown}"))
                }
            }
        });
        if news.is_some() {
            return news;
        }
        let long = self.subject.query.as_ref().is_some_and(|query| query.chars().count() > MAX_QUERY);
        long.then(|| "the search is long enough to carry something out".to_owned())
    }

    /// What the person reads: what is done, and whose words may have asked for it.
    fn reasons(reason: &str, labels: &[Label]) -> Vec<String> {
        let mut reasons = vec![one_line(reason, MAX_REASON)];
        reasons.extend(labels.iter().take(MAX_NAMED).map(|label| format!("{label} is in this conversation")));
        if let Some(more) = labels.len().checked_sub(MAX_NAMED).filter(|more| *more > 0) {
            reasons.push(format!("and {more} more pieces of content by others"));
        }
        let named = labels.iter().find_map(|label| {
            Some(Path::new(&label.detail)).filter(|path| label.source == Source::File && path.is_absolute())
        });
        if let Some(path) = named {
            let path = one_line(&path.display().to_string(), MAX_QUERY);
            reasons.push(format!("if it is your own, put {path} or its folder into tools.taint.vouched and you are not asked again"));
        }
        reasons
    }

    fn request(&self, arguments: &Value, reasons: &[String], cx: &ToolCx) -> ApprovalRequest {
        let secrets = &cx.scope.guards.secrets;
        let action = asking::action(self.name, &self.subject, arguments);
        let reasons = reasons.iter().map(|reason| secrets.hide(reason).into_owned()).collect();
        ApprovalRequest {
            tool: self.name.to_owned(),
            action: secrets.hide(&action).into_owned(),
            cwd: Some(cx.workspace.display().to_string()),
            resolved_path: None,
            reasons,
            can_always: false,
            terms: CommandTerms::default(),
            session_key: Some(cx.session_key.clone()),
            run_id: Some(cx.run_id.clone()),
            call_id: Some(cx.call_id.clone()),
            for_guest: cx.is_for_guest(),
        }
    }

    /// What follows from a call that ran: labels for what came back, marks for what was written.
    pub(crate) async fn settle(&self, outcome: ToolOutcome, places: RealPaths, cx: &ToolCx) -> ToolOutcome {
        cx.scope.taint.forget(&cx.call_id);
        let guards = &cx.scope.guards;
        let mut outcome = outcome;
        outcome.untrusted.extend(places.read);
        if !self.subject.replaces {
            // What is changed in places is shown in places: in what did not fit, and in what it came to.
            let changed = places.writes.iter().filter_map(|place| guards.files.label_of(place.path()));
            outcome.untrusted.extend(changed);
        }
        if let Some(command) = &self.subject.command {
            outcome.untrusted.extend(labels_of_command(command.clone(), self.home, cx).await);
        }
        if !outcome.is_error && !places.writes.is_empty() {
            self.mark(places.writes, cx).await;
        }
        label(outcome, cx)
    }

    /// Remembers which of the written files hold words of others now.
    async fn mark(&self, writes: Vec<FilePlace>, cx: &ToolCx) {
        let files = cx.scope.guards.files.clone();
        let paths: Vec<PathBuf> = writes.into_iter().map(FilePlace::into_path).collect();
        let from = cx.scope.taint.labels().into_iter().next();
        let replaces = self.subject.replaces;
        let marking = off_thread(move || match from {
            Some(from) => files.mark(&paths, &from),
            None if replaces => files.unmark(&paths),
            // Content moves from file to file.
            None => {
                if let Some(from) = paths.iter().find_map(|path| files.label_of(path)) {
                    files.mark(&paths, &from);
                }
            }
        });
        if marking.await.is_err() {
            tracing::error!("files with words of others could not be remembered");
        }
    }
}

/// Whose words the output of a command is, where they are not the owner's.
pub(crate) async fn labels_of_command(command: CommandRun, home: &Path, cx: &ToolCx) -> Vec<Label> {
    let provenance = Provenance::of(home, cx);
    let looking = off_thread(move || provenance.of_command(&command)).await;
    looking.unwrap_or_else(|_stopped| vec![Label::new(Source::Tool, "output nobody could place")])
}

/// Makes the labels of an answer the conversation's, and hides secrets in it.
fn label(mut outcome: ToolOutcome, cx: &ToolCx) -> ToolOutcome {
    outcome.untrusted.arrange();
    outcome.untrusted.dedup();
    for label in &outcome.untrusted {
        cx.scope.taint.add(label.clone());
    }
    outcome.details = Label::beside(outcome.details, &outcome.untrusted);
    let secrets = &cx.scope.guards.secrets;
    for block in &mut outcome.content {
        if let UserBlock::Text { text } = block {
            secrets.hide_in(text);
        }
    }
    if let Some(details) = &mut outcome.details {
        hide_in_value(details, secrets);
    }
    outcome
}

fn hide_in_value(value: &mut Value, secrets: &homard_runtime::Redactor) {
    match value {
        Value::String(text) => secrets.hide_in(text),
        Value::Array(items) => items.iter_mut().for_each(|item| hide_in_value(item, secrets)),
        Value::Object(fields) => fields.values_mut().for_each(|field| hide_in_value(field, secrets)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// What the model reads in place of a result.
fn refusal(reasons: &[String], why: &str) -> ToolOutcome {
    ToolOutcome::error(format!(
        "not done: {why}. It needs the owner's yes because: {}. Do not try another way; tell the owner what you wanted to do and why.",
        reasons.join("; ")
    ))
}

#[cfg(test)]
mod tests;
