//! The decision about one command: it runs, a person is asked, or it is refused.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use homard_config::config::tools::{ExecAsk, ExecSecurity};
use homard_protocol::Word;
use homard_protocol::session_words::ExecHost;
use serde_json::Value;

use super::analysis::{Call, analyse};
use super::entry::{self, Entry};
use super::file::PolicyFile;
use super::kinds;
use super::safe_bins;
use super::shape;
use super::shell::Opaque;
use super::store::{PolicyError, PolicyStore};
use crate::env::BuiltEnv;

/// How long a noted use is good enough, so that not every command writes the file.
const NOTE_USE_EVERY_MS: i64 = 60_000;

/// What a person must know before they say "always" to a command that runs code.
const WHATEVER_IT_HOLDS: &str = "it runs code from files: \"always\" allows it whatever those files hold later, also when they were changed here";

/// What was decided about the commands of a run before the file is read. The default lets everything run.
#[derive(Debug, Clone, Default)]
pub struct ExecRules {
    /// Whose commands they are: the agent's name in the file.
    pub agent: String,
    /// Which commands may run; `None` when nobody said.
    pub security: Option<ExecSecurity>,
    /// When a person is asked; `None` when nobody said.
    pub ask: Option<ExecAsk>,
    /// Where commands run, as configured.
    pub host: Option<Word<ExecHost>>,
    /// The node they run on where they run on one and the model names none, by id or name.
    pub node: Option<String>,
    /// Programs that may filter text without being asked about.
    pub safe_bins: Arc<[String]>,
    /// Programs that skills brought, for `autoAllowSkills`.
    pub skill_bins: Arc<BTreeSet<String>>,
    /// The owner's file; without one nothing is remembered.
    pub store: Option<PolicyStore>,
}

/// A command somebody wants to run.
#[derive(Debug, Clone, Copy)]
pub struct Request<'r> {
    pub line: &'r str,
    pub cwd: &'r Path,
    /// The environment it would get, for its `PATH`.
    pub env: &'r BuiltEnv,
    /// Variables the model wants to set.
    pub variables: &'r [(String, String)],
    /// What the model asks for; it can only be stricter.
    pub security: Option<ExecSecurity>,
    /// The same for asking.
    pub ask: Option<ExecAsk>,
}

/// The rules in force for a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rules {
    /// Which commands may run.
    pub security: ExecSecurity,
    /// When a person is asked.
    pub ask: ExecAsk,
    /// What happens when nobody answers.
    pub ask_fallback: ExecSecurity,
    /// Whether programs of skills may run.
    pub auto_allow_skills: bool,
}

/// What was decided.
#[derive(Debug, Clone, PartialEq)]
pub enum Decision {
    Run,
    Ask(Question),
    /// It does not run, and this is why.
    Refuse(String),
}

/// What a person must know, and what happens with the answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Question {
    /// Why the person is asked.
    pub reasons: Vec<String>,
    /// The first program, resolved.
    pub resolved_path: Option<String>,
    /// The rules in force.
    pub rules: Rules,
    /// Whether it runs when nobody answers.
    pub runs_unanswered: bool,
    /// What "always" would add to the file; empty when it cannot be remembered.
    remembered: Vec<(Call, shape::Shape)>,
    line: String,
}

impl Question {
    /// Whether "always" can be remembered.
    #[must_use]
    pub fn can_always(&self) -> bool {
        !self.remembered.is_empty()
    }

    /// What "always" would allow, for the person who is asked; `None` when it cannot be remembered.
    #[must_use]
    pub fn always(&self) -> Option<String> {
        let words: Vec<&str> = self.remembered.iter().map(|(_, shape)| shape.words.as_str()).collect();
        (!words.is_empty()).then(|| words.join("; "))
    }
}

/// What "always" allows for a while: the programs of one command line, each with the shape of its arguments.
#[derive(Debug, Clone, PartialEq)]
pub struct Grant {
    /// The same for the person who is asked.
    pub words: String,
    /// One for each program, to be kept as they are.
    pub entries: Vec<String>,
}

impl Grant {
    /// What "always" would allow of a command; `None` when nothing of it can be allowed beforehand. Reads the disk.
    #[must_use]
    pub fn of(request: &Request<'_>) -> Option<Self> {
        if kinds::may_call_us(request.line) {
            return None;
        }
        let shapes: Option<Vec<_>> =
            calls(request)?.into_iter().map(|call| shape::of(&call).map(|shape| (call, shape))).collect();
        let shapes = shapes.filter(|shapes| !shapes.is_empty())?;
        Some(Self {
            words: shapes.iter().map(|(_, shape)| shape.words.as_str()).collect::<Vec<_>>().join("; "),
            entries: shapes.iter().map(|(call, shape)| entry::shaped(call, shape).to_string()).collect(),
        })
    }

    /// Whether every program of a command was allowed by one of these entries. Reads the disk.
    #[must_use]
    pub fn covers(entries: &[String], request: &Request<'_>) -> bool {
        let read = |entry: &String| Entry::from_value(&serde_json::from_str(entry).ok()?);
        // A rule for a whole program is none of ours.
        let list: Vec<Entry> =
            entries.iter().filter_map(read).filter(|entry| entry.arg_pattern.is_some()).collect();
        !list.is_empty()
            && !kinds::may_call_us(request.line)
            && calls(request).is_some_and(|calls| {
                !calls.is_empty() && calls.iter().all(|call| list.iter().any(|entry| entry.covers(call)))
            })
    }
}

fn calls(request: &Request<'_>) -> Option<Vec<Call>> {
    analyse(request.line, request.cwd, request.env.search_path(), request.variables).ok()
}

impl ExecRules {
    /// Decides about a command. Reads the disk.
    #[must_use]
    pub fn decide(&self, request: &Request<'_>, now_ms: i64) -> Decision {
        let file = match self.store.as_ref().map(PolicyStore::load).transpose() {
            Ok(loaded) => loaded.map(|loaded| loaded.file).unwrap_or_default(),
            Err(error) => return Decision::Refuse(error.to_string()),
        };
        let rules = self.in_force(&file, request.security, request.ask);
        let decision = self.decide_by(&file, rules, request, now_ms);
        if kinds::may_call_us(request.line) { only_asked(decision, rules, request.line) } else { decision }
    }

    fn decide_by(&self, file: &PolicyFile, rules: Rules, request: &Request<'_>, now_ms: i64) -> Decision {
        match (rules.security, rules.ask) {
            (ExecSecurity::Deny, _) => {
                Decision::Refuse("commands are switched off here (security is `deny`)".to_owned())
            }
            (ExecSecurity::Full, ExecAsk::Off | ExecAsk::OnMiss) => Decision::Run,
            (ExecSecurity::Full | ExecSecurity::Allowlist, _) => {
                self.hold_against(file, rules, request, now_ms)
            }
        }
    }

    /// The strictest of what was configured, what the file says and what is asked for.
    #[must_use]
    pub fn in_force(&self, file: &PolicyFile, security: Option<ExecSecurity>, ask: Option<ExecAsk>) -> Rules {
        let says = file.rules(&self.agent);
        let strictest = [self.security, says.security, security].into_iter().flatten().min();
        let asks = [self.ask, says.ask, ask].into_iter().flatten().max();
        let security = strictest.unwrap_or(ExecSecurity::Full);
        // A list nobody is asked about must be wished for.
        let unsaid = if security == ExecSecurity::Allowlist { ExecAsk::OnMiss } else { ExecAsk::Off };
        Rules {
            security,
            ask: asks.unwrap_or(unsaid),
            ask_fallback: says.ask_fallback.unwrap_or(ExecSecurity::Deny).min(security),
            auto_allow_skills: says.auto_allow_skills.unwrap_or(false),
        }
    }

    fn hold_against(&self, file: &PolicyFile, rules: Rules, request: &Request<'_>, now_ms: i64) -> Decision {
        let calls = analyse(request.line, request.cwd, request.env.search_path(), request.variables);
        let list = file.allowlist(&self.agent);
        let judged = match &calls {
            Ok(calls) => self.judge(calls, &list, rules),
            Err(opaque) => LineVerdict { reasons: vec![not_understood(opaque)], ..LineVerdict::default() },
        };
        let is_listed = judged.reasons.is_empty();
        match rules.ask {
            ExecAsk::Off | ExecAsk::OnMiss if is_listed => {
                self.note_use(&judged.used, request.line, now_ms);
                return Decision::Run;
            }
            ExecAsk::Off => {
                return Decision::Refuse(format!(
                    "it is not on the owner's list: {}",
                    judged.reasons.join("; ")
                ));
            }
            ExecAsk::OnMiss | ExecAsk::Always => {}
        }
        let mut reasons = judged.reasons;
        let mut remembered = judged.remembered;
        if rules.ask == ExecAsk::Always {
            reasons.insert(0, "every command is asked about here (ask is `always`)".to_owned());
            // Remembering would change nothing: it would be asked about all the same.
            remembered.clear();
        }
        if self.store.is_some() && remembered.iter().any(|(call, _)| runs_what_can_change(call)) {
            reasons.push(WHATEVER_IT_HOLDS.to_owned());
        }
        let first = calls.ok().and_then(|calls| calls.into_iter().next());
        Decision::Ask(Question {
            reasons,
            resolved_path: first.map(|call| call.program.path.display().to_string()),
            rules,
            runs_unanswered: match rules.ask_fallback {
                ExecSecurity::Deny => false,
                ExecSecurity::Allowlist => is_listed,
                ExecSecurity::Full => true,
            },
            remembered: if self.store.is_some() { remembered } else { Vec::new() },
            line: request.line.to_owned(),
        })
    }

    fn judge(&self, calls: &[Call], list: &[Entry], rules: Rules) -> LineVerdict {
        let mut judged = LineVerdict::default();
        let mut can_all = true;
        for call in calls {
            if let Some(entry) = list.iter().find(|entry| entry.covers(call)) {
                judged.used.push((entry.clone(), call.clone()));
                continue;
            }
            if safe_bins::is_safe(call, &self.safe_bins)
                || (rules.auto_allow_skills && self.is_of_skill(call))
            {
                continue;
            }
            judged.reasons.push(why_not(call, list));
            match shape::of(call) {
                Some(shape) => judged.remembered.push((call.clone(), shape)),
                None => can_all = false,
            }
        }
        if !can_all {
            judged.remembered.clear();
        }
        judged
    }

    fn is_of_skill(&self, call: &Call) -> bool {
        let is_plain = call.assignments.is_empty() && call.redirects.is_empty() && !call.runs_code;
        is_plain && call.program.by_name && self.skill_bins.contains(&call.program.name)
    }

    /// Remembers what a person allowed always. Writes the disk.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn remember(&self, question: &Question, now_ms: i64) -> Result<(), PolicyError> {
        let Some(store) = &self.store else { return Ok(()) };
        let entries: Vec<Value> = question
            .remembered
            .iter()
            .map(|(call, shape)| entry::remembered(call, shape, &question.line, now_ms))
            .collect();
        store.update(|file| {
            let mut changed = false;
            for entry in entries {
                changed |= file.add(&self.agent, entry);
            }
            changed
        })?;
        Ok(())
    }

    /// Notes that rules were used. A use that cannot be noted is only missing in the file.
    fn note_use(&self, used: &[(Entry, Call)], line: &str, now_ms: i64) {
        let Some(store) = &self.store else { return };
        let is_old = |(entry, _): &&(Entry, Call)| {
            entry.last_used_at.is_none_or(|at| now_ms.saturating_sub(at) >= NOTE_USE_EVERY_MS)
        };
        let old: Vec<_> = used.iter().filter(is_old).collect();
        if old.is_empty() {
            return;
        }
        let noted = store.update(|file| {
            for (entry, call) in old {
                file.touch(&self.agent, entry, &entry::used(call, line, now_ms));
            }
            true
        });
        if let Err(error) = noted {
            tracing::warn!(%error, "the use of a command rule was not noted");
        }
    }
}

/// Whether a call runs files that file tools can change: code a program finds by itself, or a script in place.
fn runs_what_can_change(call: &Call) -> bool {
    call.runs_code || call.cwd.as_ref().is_some_and(|cwd| call.program.real.starts_with(cwd))
}

/// What is decided about a line that calls this very program: it could answer the questions it is asked about and
/// change the rules it is held against, so no rule, no silence and no earlier answer lets it run.
fn only_asked(decision: Decision, rules: Rules, line: &str) -> Decision {
    let why = "it may change this gateway's settings or answer its questions, so it is always asked about";
    match decision {
        Decision::Refuse(reason) => Decision::Refuse(reason),
        Decision::Run => Decision::Ask(Question {
            reasons: vec![why.to_owned()],
            resolved_path: None,
            rules,
            runs_unanswered: false,
            remembered: Vec::new(),
            line: line.to_owned(),
        }),
        Decision::Ask(mut question) => {
            question.reasons.insert(0, why.to_owned());
            Decision::Ask(Question { runs_unanswered: false, remembered: Vec::new(), ..question })
        }
    }
}

/// How the calls of a line stand to the list.
#[derive(Default)]
struct LineVerdict {
    /// Why some are not covered; empty when all are.
    reasons: Vec<String>,
    /// What would cover them.
    remembered: Vec<(Call, shape::Shape)>,
    /// Rules that covered the others.
    used: Vec<(Entry, Call)>,
}

fn not_understood(opaque: &Opaque) -> String {
    format!("the command cannot be held against a list: {opaque}")
}

fn why_not(call: &Call, list: &[Entry]) -> String {
    let name = &call.program.name;
    if !shape::may_be_listed(call) {
        return format!("`{name}` takes commands from elsewhere, so it is always asked about");
    }
    let has_blanket = list.iter().any(|entry| entry.arg_pattern.is_none() && entry.names(call));
    if has_blanket && call.runs_code {
        return format!("`{name}` can run anything, so a rule for the whole program does not count");
    }
    if has_blanket {
        return format!(
            "the rule for `{name}` does not cover variables, redirections or options that run other programs"
        );
    }
    format!("`{}` is not on the list", call.program.path.display())
}
