//! The conversation that connects a chat platform: which, which account there, what its form asks, what the platform
//! says to it, and what to mend.
//!
//! Knows no platform and does nothing itself: [`Platform`]s go in, what is to be tried and written comes out. Nothing is written
//! before the last yes, and an answer that is still being tried leaves its question waiting.

use homard_channel::{ChannelEntry, ChannelError, FieldKind, Form, FormField, NEEDED, Probe};
use homard_config::Environment;
use homard_gateway::TrialError;
use homard_protocol::AccountId;
use homard_protocol::methods::config::wizard::{WizardOption, WizardStep, WizardStepKind};
use serde_json::{Map, Value, json};

use super::answers::{AnswerError, blank, fresh, line, one_of, option, say, words, yes};
use super::who_may_write;

/// The answer that sets up one account more.
const ANOTHER: &str = "+";
/// The answer that asks the platform once more.
const AGAIN: &str = "again";
/// The answer that ends it.
const STOP: &str = "stop";

/// A platform as it is before the first question.
pub(crate) struct Platform {
    pub(crate) entry: &'static ChannelEntry,
    pub(crate) form: Form,
    /// Our accounts there that are written about, with what holds for each.
    pub(crate) accounts: Vec<(AccountId, Map<String, Value>)>,
}

/// What came of an answer.
#[derive(Debug)]
pub(crate) enum AccountStep {
    /// There is another question.
    GoOn,
    /// The person does not want to.
    Stop,
    /// The platform is to be asked; [`AccountScript::tried`] is told what it says.
    Try,
    /// What was agreed is to be written; [`AccountScript::connected`] or [`AccountScript::mend`] comes next.
    Write,
    /// This person is to be sent a test message; [`AccountScript::greeted`] is told how it went.
    Greet(String),
    Over,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Asked {
    Platform,
    Account,
    AccountName,
    Steps,
    Field(usize),
    More,
    Mend,
    Who,
    People,
    Everybody,
    Connect,
    /// It is connected: shall somebody hear from it?
    Greet,
    Connected,
}

/// A conversation and where it is.
pub(crate) struct AccountScript {
    platforms: Vec<Platform>,
    env: Environment,
    at: Asked,
    step_id: String,
    platform: usize,
    account: AccountId,
    /// What was answered, as it would be written. `null` takes a value away.
    section: Map<String, Value>,
    /// Whether rarely needed things are asked, too; `None` before that question.
    more: Option<bool>,
    /// What the platform, or whoever writes the file, said against it last.
    trouble: Option<String>,
    /// What the last note or question says.
    telling: String,
    /// What the platform said when it was asked.
    probe: Probe,
}

impl std::fmt::Debug for AccountScript {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("AccountScript").field("at", &self.at).finish_non_exhaustive()
    }
}

impl AccountScript {
    /// Begins with the platform, or with what its account needs where the platform is known.
    pub(crate) fn new(platforms: Vec<Platform>, env: Environment, wanted: Option<&str>) -> Self {
        let mut script = Self {
            platforms,
            env,
            at: Asked::Platform,
            step_id: fresh(),
            platform: 0,
            account: AccountId::default_account(),
            section: Map::new(),
            more: None,
            trouble: None,
            telling: String::new(),
            probe: Probe::default(),
        };
        let found = wanted.and_then(|id| script.platforms.iter().position(|one| one.entry.id == id));
        if let Some(found) = found {
            script.at = script.choose(found);
        }
        script
    }

    /// Which account of which platform it is about.
    pub(crate) fn about(&self) -> Option<(&Platform, &AccountId)> {
        self.platforms.get(self.platform).map(|platform| (platform, &self.account))
    }

    /// What was answered, as it would be written.
    pub(crate) fn section(&self) -> &Map<String, Value> {
        &self.section
    }

    /// Whether everything was done, so that stopping here takes nothing back.
    pub(crate) fn is_done(&self) -> bool {
        matches!(self.at, Asked::Greet | Asked::Connected)
    }

    /// The question that waits.
    pub(crate) fn step(&self) -> WizardStep {
        let mut step = blank(&self.step_id);
        match self.at {
            Asked::Platform => {
                select(&mut step, "Chat platform", "Where do you want to chat?", self.platform_options());
            }
            Asked::Account => {
                select(&mut step, self.label(), "Which account there?", self.account_options());
            }
            Asked::AccountName => {
                say(&mut step, self.label(), "A short name for the new account: letters, digits and dashes.");
            }
            Asked::Steps => {
                step.kind = WizardStepKind::Note;
                let steps = self.form().map(|form| form.steps.join("\n")).unwrap_or_default();
                say(&mut step, self.label(), &steps);
            }
            Asked::Field(index) => self.ask_field(&mut step, index),
            Asked::More => {
                step.kind = WizardStepKind::Confirm;
                let labels: Vec<_> = self
                    .fields()
                    .iter()
                    .filter(|field| field.more)
                    .map(|field| field.label.as_str())
                    .collect();
                say(&mut step, self.label(), &format!("Rarely needed: {}. Set these?", labels.join(", ")));
                step.initial_value = Some(json!(false));
            }
            Asked::Mend => {
                let words = format!("{}\nWhat should be changed?", self.telling);
                select(&mut step, self.label(), &words, self.mend_options());
            }
            Asked::Who | Asked::People | Asked::Everybody => self.ask_who(&mut step),
            Asked::Connect => {
                step.kind = WizardStepKind::Confirm;
                say(&mut step, self.label(), &format!("{}\nConnect it?", self.telling));
                step.initial_value = Some(json!(true));
            }
            Asked::Greet => {
                let help = self.form().and_then(|form| form.people.as_deref()).unwrap_or_default();
                let words = format!(
                    "{}\nTo whom shall it write a test message? {help} Leave it empty to send none.",
                    self.telling
                );
                say(&mut step, self.label(), &words);
                let first = who_may_write::people(&self.section, &self.written()).into_iter().next();
                step.initial_value = first.map(|person| json!(shown(&person)));
            }
            Asked::Connected => {
                step.kind = WizardStepKind::Note;
                say(&mut step, self.label(), &self.telling);
            }
        }
        step
    }

    /// Takes an answer. Where the platform is to be asked, the question goes on waiting until it was.
    pub(crate) fn answer(
        &mut self,
        step_id: &str,
        value: Option<&Value>,
    ) -> Result<AccountStep, AnswerError> {
        if step_id != self.step_id {
            return Err(AnswerError::NotAsked);
        }
        let next = match self.at {
            Asked::Platform => {
                let id = one_of(value, &self.platform_options())?;
                let chosen = self.platforms.iter().position(|one| one.entry.id == id).unwrap_or_default();
                self.choose(chosen)
            }
            Asked::Account => self.take_account(value)?,
            Asked::AccountName => self.take_name(value)?,
            Asked::Steps => return Ok(self.after(None)),
            Asked::Field(index) => {
                self.take_field(index, value)?;
                return Ok(self.after(Some(index)));
            }
            Asked::More => {
                self.more = Some(yes(value)?);
                return Ok(if self.more == Some(true) { self.after(None) } else { AccountStep::Try });
            }
            Asked::Mend => match one_of(value, &self.mend_options())?.as_str() {
                AGAIN => return Ok(AccountStep::Try),
                STOP => return Ok(AccountStep::Stop),
                key => {
                    let found = self.fields().iter().position(|field| field.key == key);
                    Asked::Field(found.unwrap_or_default())
                }
            },
            Asked::Who => match one_of(value, &who_may_write::options(self.form()))?.as_str() {
                who_may_write::NAMED => Asked::People,
                who_may_write::OPEN => Asked::Everybody,
                word => self.let_in(word, None),
            },
            Asked::People => self.let_in(who_may_write::NAMED, Some(who_may_write::read_people(value)?)),
            Asked::Everybody if yes(value)? => self.let_in(who_may_write::OPEN, None),
            Asked::Everybody => Asked::Who,
            Asked::Connect if yes(value)? => return Ok(AccountStep::Write),
            Asked::Connect => return Ok(AccountStep::Stop),
            Asked::Greet => {
                let person = line(value)?;
                return Ok(if person.is_empty() { AccountStep::Over } else { AccountStep::Greet(person) });
            }
            Asked::Connected => return Ok(AccountStep::Over),
        };
        self.go_to(next);
        Ok(AccountStep::GoOn)
    }

    /// The platform said who we are there. Nothing changes when the question has been answered in the meantime.
    pub(crate) fn tried(&mut self, step_id: &str, probe: Probe) {
        if step_id != self.step_id {
            return;
        }
        let advice: String = probe.advice.iter().map(|words| format!("\nNote: {words}.")).collect();
        self.trouble = None;
        self.telling = format!("It works: this is {} on {}.{advice}", self.who(&probe), self.label());
        self.probe = probe;
        let has_ways_in = self.form().is_some_and(|form| !form.ways_in.is_empty());
        self.go_to(if has_ways_in { Asked::Who } else { Asked::Connect });
    }

    /// The platform, or what it is reached by, said no.
    pub(crate) fn refused(&mut self, step_id: &str, error: &TrialError) {
        let hint = self.form().and_then(|form| form.refused.as_ref());
        let words = match (error, hint) {
            (TrialError::Platform(ChannelError::Refused(_)), Some(hint)) => format!("{error}. {hint}"),
            _ => error.to_string(),
        };
        self.mend(step_id, words);
    }

    /// It did not work; what is wrong can be mended.
    pub(crate) fn mend(&mut self, step_id: &str, trouble: String) {
        if step_id != self.step_id {
            return;
        }
        self.telling = format!("It does not work yet: {trouble}");
        self.trouble = Some(trouble);
        self.go_to(Asked::Mend);
    }

    /// It is written; the words are for the person, who may have it write to somebody at once.
    pub(crate) fn connected(&mut self, words: String) {
        self.telling = words;
        let has_people = self.form().is_some_and(|form| !form.ways_in.is_empty());
        self.go_to(if has_people { Asked::Greet } else { Asked::Connected });
    }

    /// How the test message went. Nothing changes when the question has been answered in the meantime.
    pub(crate) fn greeted(&mut self, step_id: &str, went: Result<String, String>) {
        if step_id != self.step_id {
            return;
        }
        match went {
            Ok(words) => {
                self.telling = words;
                self.go_to(Asked::Connected);
            }
            Err(words) => {
                self.telling = format!("The test message was not sent: {words}.");
                self.go_to(Asked::Greet);
            }
        }
    }

    /// Our name there as people write it.
    pub(crate) fn name(&self) -> String {
        self.who(&self.probe)
    }

    fn who(&self, probe: &Probe) -> String {
        let Some(form) = self.form() else { return String::new() };
        let written = form.named.as_ref().and_then(|key| self.section.get(key)?.as_str());
        match probe.username.as_deref().or(written) {
            Some(name) => form.handled(name),
            None => "the account".to_owned(),
        }
    }

    fn go_to(&mut self, next: Asked) {
        self.at = next;
        self.step_id = fresh();
    }

    fn form(&self) -> Option<&Form> {
        self.platforms.get(self.platform).map(|platform| &platform.form)
    }

    fn fields(&self) -> &[FormField] {
        self.form().map(|form| form.fields.as_slice()).unwrap_or_default()
    }

    fn label(&self) -> &'static str {
        self.platforms.get(self.platform).map_or("Chat platform", |platform| platform.entry.label)
    }

    /// What is written about the account already.
    fn written(&self) -> Map<String, Value> {
        let accounts = self.platforms.get(self.platform).map(|platform| platform.accounts.as_slice());
        let own = accounts.into_iter().flatten().find(|(id, _)| *id == self.account);
        own.map(|(_, section)| section.clone()).unwrap_or_default()
    }

    fn platform_options(&self) -> Vec<WizardOption> {
        let one = |platform: &Platform| {
            option(platform.entry.id, platform.entry.label, Some(platform.entry.summary))
        };
        self.platforms.iter().map(one).collect()
    }

    fn account_options(&self) -> Vec<WizardOption> {
        let accounts = self.platforms.get(self.platform).map(|platform| platform.accounts.as_slice());
        let known = accounts.into_iter().flatten();
        let mut options: Vec<_> =
            known.map(|(id, _)| option(id.as_str(), &format!("Change {id}"), None)).collect();
        options.push(option(ANOTHER, "Add another account", None));
        options
    }

    fn mend_options(&self) -> Vec<WizardOption> {
        let asked = self.fields().iter().filter(|field| self.is_asked(field));
        let mut options: Vec<_> = asked.map(|field| option(&field.key, &field.label, None)).collect();
        options.push(option(AGAIN, "Nothing, try again", None));
        options.push(option(STOP, "Stop; nothing is written", None));
        options
    }

    fn choose(&mut self, platform: usize) -> Asked {
        self.platform = platform;
        let is_set_up = self.platforms.get(platform).is_some_and(|one| {
            let is_whole = |section: &Map<String, Value>| {
                (one.entry.is_configured)(&Value::Object(section.clone()), &self.env)
            };
            one.accounts.iter().any(|(_, section)| is_whole(section))
        });
        if is_set_up { Asked::Account } else { self.first() }
    }

    fn take_account(&mut self, value: Option<&Value>) -> Result<Asked, AnswerError> {
        let chosen = one_of(value, &self.account_options())?;
        if chosen == ANOTHER {
            return Ok(Asked::AccountName);
        }
        self.account = AccountId::parse(&chosen).map_err(|error| AnswerError::Value(error.to_string()))?;
        Ok(self.first())
    }

    fn take_name(&mut self, value: Option<&Value>) -> Result<Asked, AnswerError> {
        let name = words(value, NEEDED)?;
        let id = AccountId::parse(&name).map_err(|error| AnswerError::Value(error.to_string()))?;
        let accounts = self.platforms.get(self.platform).map(|platform| platform.accounts.as_slice());
        if accounts.into_iter().flatten().any(|(known, _)| *known == id) {
            return Err(AnswerError::Value(format!("there is an account `{id}` already")));
        }
        self.account = id;
        Ok(self.first())
    }

    /// The first thing about an account: what is to be done on the platform, else its first field.
    fn first(&self) -> Asked {
        if self.form().is_some_and(|form| !form.steps.is_empty()) { Asked::Steps } else { Asked::Field(0) }
    }

    /// Whether a field counts: those of a group only while it is on, rare ones only for who wants them.
    fn is_asked(&self, field: &FormField) -> bool {
        let is_on = |group: &String| self.group_is_on(group);
        (!field.more || self.more == Some(true)) && field.group.as_ref().is_none_or(is_on)
    }

    fn group_is_on(&self, group: &str) -> bool {
        self.section.get(group).and_then(|group| group.get("enabled")) == Some(&Value::Bool(true))
    }

    /// What comes after a field, or before all. Who mends one thing is asked about nothing else, but for what a group
    /// that was just turned on needs.
    fn after(&mut self, index: Option<usize>) -> AccountStep {
        let from = index.map_or(0, |index| index + 1);
        let of_group = index.and_then(|index| self.fields().get(index)).map(|field| field.key.clone());
        let wants_more = self.more == Some(true);
        let mends = self.trouble.is_some();
        let is_next = |field: &FormField| {
            let follows = field.group.is_some() && field.group == of_group;
            self.is_asked(field) && field.more == wants_more && (!mends || follows)
        };
        let next = self.fields().iter().enumerate().skip(from).find(|(_, field)| is_next(field));
        let next = next.map(|(next, _)| Asked::Field(next));
        let rare = || self.more.is_none() && self.fields().iter().any(|field| field.more);
        match next.or_else(|| (!mends && rare()).then_some(Asked::More)) {
            Some(next) => {
                self.go_to(next);
                AccountStep::GoOn
            }
            None => AccountStep::Try,
        }
    }

    fn ask_who(&self, step: &mut WizardStep) {
        let written = self.written();
        match self.at {
            Asked::People => {
                let help = self.form().and_then(|form| form.people.as_deref()).unwrap_or_default();
                say(step, self.label(), &format!("Who may write to it? {help}"));
                let people = who_may_write::people(&self.section, &written);
                step.initial_value = (!people.is_empty()).then(|| json!(shown(&Value::Array(people))));
            }
            Asked::Everybody => {
                step.kind = WizardStepKind::Confirm;
                let words = format!(
                    "Anybody who finds {} can then talk to your assistant, at your cost and with whatever tools guests \
                     are given. Let everybody in?",
                    self.name()
                );
                say(step, self.label(), &words);
                step.initial_value = Some(json!(false));
            }
            _ => {
                let words = format!("{}\nWho may write to it in direct messages?", self.telling);
                select(step, self.label(), &words, who_may_write::options(self.form()));
                step.initial_value = Some(who_may_write::present(&self.section, &written));
            }
        }
    }

    fn let_in(&mut self, way: &str, people: Option<Vec<Value>>) -> Asked {
        let written = self.written();
        let people = people.unwrap_or_else(|| who_may_write::people(&self.section, &written));
        who_may_write::put(&mut self.section, &written, way, people);
        Asked::Connect
    }

    fn ask_field(&self, step: &mut WizardStep, index: usize) {
        let Some(field) = self.fields().get(index) else { return };
        let is_kept = self.is_kept(field);
        let mut message: Vec<String> = vec![field.label.clone()];
        message.extend(field.help.clone());
        if is_kept && field.kind == FieldKind::Secret {
            message.push("Leave it empty to keep the one there is.".to_owned());
        } else if !field.needed && !matches!(field.kind, FieldKind::Switch | FieldKind::Group) {
            message.push("May be left empty.".to_owned());
        }
        say(step, self.label(), &message.join("\n"));
        step.placeholder = field.example.clone();
        let (section, written) = (&self.section, self.written());
        let present = field.written(section).or_else(|| field.written(&written)).or(field.initial.as_ref());
        match &field.kind {
            FieldKind::Secret => step.sensitive = Some(true),
            FieldKind::Switch => {
                step.kind = WizardStepKind::Confirm;
                step.initial_value = Some(json!(present == Some(&Value::Bool(true))));
            }
            FieldKind::Group => {
                step.kind = WizardStepKind::Confirm;
                let is_on = present.is_some_and(|group| group.get("enabled") != Some(&Value::Bool(false)));
                step.initial_value = Some(json!(is_on));
            }
            FieldKind::Select(words) => {
                step.kind = WizardStepKind::Select;
                step.options = Some(words.iter().map(|word| option(word, word, None)).collect());
                step.initial_value = present.cloned();
            }
            FieldKind::Text | FieldKind::Number { .. } | FieldKind::List => {
                step.initial_value = present.map(|value| json!(shown(value)));
            }
        }
    }

    /// Whether a field may stay empty because something holds its value: the file, what was typed before, or the
    /// environment.
    fn is_kept(&self, field: &FormField) -> bool {
        let Some(platform) = self.platforms.get(self.platform) else { return false };
        let mut whole = self.written();
        whole.extend(self.section.clone());
        field.is_held(&whole) || (platform.entry.is_configured)(&Value::Object(whole), &self.env)
    }

    fn take_field(&mut self, index: usize, value: Option<&Value>) -> Result<(), AnswerError> {
        let Some(field) = self.fields().get(index).cloned() else { return Err(AnswerError::NotAsked) };
        let value = match &field.kind {
            FieldKind::Switch => match yes(value)? {
                true => Value::Bool(true),
                false if field.initial == Some(Value::Bool(true)) => Value::Bool(false),
                false => Value::Null,
            },
            FieldKind::Group => {
                let is_on = yes(value)?;
                if is_on || self.written().contains_key(&field.key) {
                    self.section.insert(field.key.clone(), json!({"enabled": is_on}));
                } else {
                    self.section.remove(&field.key);
                }
                return Ok(());
            }
            FieldKind::Text
            | FieldKind::Secret
            | FieldKind::Number { .. }
            | FieldKind::Select(_)
            | FieldKind::List => {
                match field.read(&line(value)?).map_err(AnswerError::Value)? {
                    Some(value) => value,
                    None if field.needed && !self.is_kept(&field) => {
                        return Err(AnswerError::Value(NEEDED.to_owned()));
                    }
                    // What is not typed again stays as it is.
                    None if field.needed || field.kind == FieldKind::Secret => return Ok(()),
                    None => Value::Null,
                }
            }
        };
        let is_nothing = value.is_null() && field.written(&self.written()).is_none();
        if !is_nothing || field.written(&self.section).is_some() {
            field.put(&mut self.section, value);
        }
        Ok(())
    }
}

fn select(step: &mut WizardStep, title: &str, message: &str, options: Vec<WizardOption>) {
    step.kind = WizardStepKind::Select;
    say(step, title, message);
    step.initial_value = options.first().map(|one| one.value.clone());
    step.options = Some(options);
}

/// A value as it would be typed.
fn shown(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(items) => items.iter().map(shown).collect::<Vec<_>>().join(", "),
        Value::Null => String::new(),
        Value::Bool(_) | Value::Number(_) | Value::Object(_) => value.to_string(),
    }
}

#[cfg(test)]
pub(super) mod tests;
