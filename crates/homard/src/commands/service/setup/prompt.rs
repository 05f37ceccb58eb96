//! Questions of a conversation at a terminal: a list to move in, a line to type, a yes or no, and somebody who waits.
//!
//! Everything is written to standard error, and is drawn anew from its first line on at every key, cut to the width
//! there is. A terminal that cannot move its cursor is asked in plain lines.

mod frame;

use std::future::Future;
use std::io::{self, Write as _};
use std::time::Duration;

use console::{Key, Term};
use homard_protocol::methods::config::wizard::{WizardOption, WizardStep, WizardStepKind};
use serde_json::{Value, json};

use self::frame::{Frame, Line};
use crate::commands::terminal;
use crate::compose::machine::HiddenTyping;
use crate::report::Console;

/// Between two pictures of somebody who waits.
const TICK: Duration = Duration::from_millis(100);
/// What turns meanwhile.
const TURNING: [&str; 4] = ["◒", "◐", "◓", "◑"];
/// Lines of the screen a list leaves to its question.
const LEFT_OVER: usize = 8;

/// The person left; nothing is to be done any more.
#[derive(Debug)]
pub(crate) struct Left;

impl std::fmt::Display for Left {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("stopped")
    }
}

impl std::error::Error for Left {}

/// A person at a terminal.
pub(crate) struct Prompt {
    term: Term,
    console: Console,
    is_plain: bool,
}

/// A question as it is shown, and what was wrong with the answer before.
#[derive(Clone, Copy)]
struct Question<'a> {
    title: &'a str,
    message: &'a str,
    error: Option<&'a str>,
}

impl Prompt {
    /// The person at standard error; `is_plain` where the cursor cannot be moved.
    pub(crate) fn new(console: Console, is_plain: bool) -> Self {
        Self { term: Term::stderr(), console, is_plain }
    }

    /// Says something between two questions.
    pub(crate) fn say(&self, title: &str, text: &str) {
        if self.is_plain {
            self.console.note(&format!("{title}\n{text}"));
            return;
        }
        let mut frame = self.frame();
        frame.put(Line::Done, title);
        frame.said(text);
        self.draw(&mut 0, &frame).ok();
    }

    /// Asks, and returns what was answered. `error` is what was wrong with the answer before.
    ///
    /// # Errors
    /// [`Left`] when the person leaves; otherwise when the terminal cannot be read.
    pub(crate) fn ask(&self, step: &WizardStep, error: Option<&str>) -> anyhow::Result<Value> {
        let title = step.title.as_deref().unwrap_or("Setup");
        let asked = Question { title, message: step.message.as_deref().unwrap_or_default(), error };
        if self.is_plain {
            return self.ask_plainly(step, asked);
        }
        let _keys = HiddenTyping::key_by_key();
        match step.kind {
            WizardStepKind::Note => {
                self.say(asked.title, asked.message);
                Ok(Value::Null)
            }
            WizardStepKind::Confirm => {
                let words = [("yes", "Yes", true), ("no", "No", false)];
                let option = |(_, label, value): &(&str, &str, bool)| WizardOption {
                    value: json!(value),
                    label: (*label).to_owned(),
                    hint: None,
                };
                let options: Vec<WizardOption> = words.iter().map(option).collect();
                self.choose(asked, &options, step.initial_value.as_ref())
            }
            WizardStepKind::Select => {
                let options = step.options.as_deref().unwrap_or_default();
                self.choose(asked, options, step.initial_value.as_ref())
            }
            WizardStepKind::Text => self.line(asked, step),
        }
    }

    /// Shows that something is waited for until it is there. Who does not want to wait ends the program, which has done
    /// nothing yet.
    ///
    /// # Errors
    /// When the terminal is gone.
    pub(crate) async fn wait<T>(&self, what: &str, waiting: impl Future<Output = T>) -> io::Result<T> {
        let mut waiting = std::pin::pin!(waiting);
        let mut ticks = tokio::time::interval(TICK);
        let (mut drawn, mut turns) = (0, TURNING.iter().cycle());
        loop {
            tokio::select! {
                biased;
                outcome = &mut waiting => {
                    if !self.is_plain {
                        self.term.clear_last_lines(drawn)?;
                    }
                    return Ok(outcome);
                }
                _ = ticks.tick() => {}
            }
            if !self.is_plain {
                let mut frame = self.frame();
                let turn = turns.next().copied().unwrap_or_default();
                frame.put(Line::Plain, &format!("{turn}  {what} …"));
                self.draw(&mut drawn, &frame)?;
            }
        }
    }

    fn frame(&self) -> Frame {
        let (_, columns) = self.term.size();
        Frame::new(usize::from(columns), self.console.colors_errors())
    }

    /// A frame that begins with a question.
    fn asking(&self, asked: Question<'_>) -> Frame {
        let mut frame = self.frame();
        frame.put(Line::Asked, asked.title);
        frame.text(asked.message);
        asked.error.iter().for_each(|words| frame.put(Line::Wrong, words));
        frame
    }

    /// Draws over what was drawn before, of which there are `drawn` lines.
    fn draw(&self, drawn: &mut usize, frame: &Frame) -> io::Result<()> {
        self.term.clear_last_lines(*drawn)?;
        let mut out = &self.term;
        out.write_all(frame.to_string().as_bytes())?;
        out.flush()?;
        *drawn = frame.height();
        Ok(())
    }

    fn choose(
        &self,
        asked: Question<'_>,
        options: &[WizardOption],
        usual: Option<&Value>,
    ) -> anyhow::Result<Value> {
        let mut list = List::new(options, usual);
        let mut drawn = 0;
        loop {
            let mut frame = self.asking(asked);
            let room = usize::from(self.term.size().0).saturating_sub(LEFT_OVER).max(3);
            list.show(&mut frame, room);
            self.draw(&mut drawn, &frame)?;
            match self.term.read_key_raw()? {
                Key::CtrlC => return Err(self.leave(drawn, asked.title)),
                Key::Escape if list.typed.is_empty() => return Err(self.leave(drawn, asked.title)),
                Key::Enter => {
                    let Some(chosen) = list.chosen() else { continue };
                    self.settle(drawn, asked.title, &chosen.label)?;
                    return Ok(chosen.value.clone());
                }
                key => list.press(&key),
            }
        }
    }

    fn line(&self, asked: Question<'_>, step: &WizardStep) -> anyhow::Result<Value> {
        let is_secret = step.sensitive == Some(true);
        let usual = step.initial_value.as_ref().and_then(Value::as_str).unwrap_or_default();
        let mut typed = usual.to_owned();
        // Who types something else means that, and not something behind the usual answer.
        let mut is_usual = true;
        let mut drawn = 0;
        loop {
            let shown = if is_secret { "•".repeat(typed.chars().count()) } else { typed.clone() };
            let mut frame = self.asking(asked);
            let example = step.placeholder.as_deref().filter(|_| typed.is_empty());
            frame.typed(&shown, example);
            self.draw(&mut drawn, &frame)?;
            match self.term.read_key_raw()? {
                Key::CtrlC | Key::Escape => return Err(self.leave(drawn, asked.title)),
                Key::Enter => {
                    let hides = is_secret && !typed.is_empty();
                    self.settle(drawn, asked.title, if hides { "••••" } else { &typed })?;
                    return Ok(Value::String(typed));
                }
                Key::Backspace => drop(typed.pop()),
                // Ctrl-U, as in shells.
                Key::Char('\u{15}') => typed.clear(),
                Key::Char(key) if !key.is_control() => {
                    if is_usual {
                        typed.clear();
                    }
                    typed.push(key);
                }
                _ => continue,
            }
            is_usual = false;
        }
    }

    /// Puts the answer in the place of the question.
    fn settle(&self, mut drawn: usize, title: &str, answer: &str) -> io::Result<()> {
        let mut frame = self.frame();
        frame.put(Line::Done, title);
        frame.text(answer);
        self.draw(&mut drawn, &frame)
    }

    fn leave(&self, mut drawn: usize, title: &str) -> anyhow::Error {
        let mut frame = self.frame();
        frame.put(Line::Left, title);
        self.draw(&mut drawn, &frame).ok();
        Left.into()
    }

    fn ask_plainly(&self, step: &WizardStep, asked: Question<'_>) -> anyhow::Result<Value> {
        let Question { title, message, error } = asked;
        error.iter().for_each(|words| self.console.warn(words));
        self.console.note(&format!("{title}\n{message}"));
        let usual = step.initial_value.as_ref();
        match step.kind {
            WizardStepKind::Note => Ok(Value::Null),
            WizardStepKind::Confirm => Ok(json!(terminal::confirm(self.console, title)?)),
            WizardStepKind::Select => {
                let options = step.options.as_deref().unwrap_or_default();
                let names: Vec<(&str, &str)> = options
                    .iter()
                    .filter_map(|one| Some((one.value.as_str()?, one.label.as_str())))
                    .collect();
                let usual = usual.and_then(Value::as_str);
                let usual = names.iter().map(|(name, _)| *name).find(|name| Some(*name) == usual);
                Ok(json!(terminal::choose_or(self.console, "Type a number or a name.", &names, usual)?))
            }
            WizardStepKind::Text if step.sensitive == Some(true) => {
                Ok(json!(terminal::secret(self.console, title)?.unwrap_or_default()))
            }
            WizardStepKind::Text => {
                let usual = usual.and_then(Value::as_str).unwrap_or_default();
                let typed = terminal::line_or(self.console, &format!("[{usual}]"), usual)?;
                Ok(Value::String(typed))
            }
        }
    }
}

/// A list, what of it is shown, and where the person is in it.
struct List<'a> {
    options: &'a [WizardOption],
    /// What narrows it down.
    typed: String,
    /// Among those that are left.
    at: usize,
}

impl<'a> List<'a> {
    fn new(options: &'a [WizardOption], usual: Option<&Value>) -> Self {
        let at = options.iter().position(|one| Some(&one.value) == usual).unwrap_or_default();
        Self { options, typed: String::new(), at }
    }

    fn left(&self) -> Vec<&'a WizardOption> {
        let wanted = self.typed.to_lowercase();
        let fits = |one: &&WizardOption| {
            let words = [Some(one.label.as_str()), one.value.as_str(), one.hint.as_deref()];
            words.into_iter().flatten().any(|words| words.to_lowercase().contains(&wanted))
        };
        self.options.iter().filter(fits).collect()
    }

    fn chosen(&self) -> Option<&'a WizardOption> {
        self.left().get(self.at).copied()
    }

    fn press(&mut self, key: &Key) {
        let last = self.left().len().saturating_sub(1);
        match key {
            Key::ArrowUp | Key::ArrowLeft | Key::BackTab => self.at = self.at.saturating_sub(1),
            Key::ArrowDown | Key::ArrowRight | Key::Tab => self.at = (self.at + 1).min(last),
            Key::Home => self.at = 0,
            Key::End => self.at = last,
            Key::Escape => self.narrow(String::new()),
            Key::Backspace => {
                let mut typed = self.typed.clone();
                typed.pop();
                self.narrow(typed);
            }
            Key::Char(key) if !key.is_control() => self.narrow(format!("{}{key}", self.typed)),
            _ => {}
        }
    }

    /// Takes other words; those that fit nothing are not taken.
    fn narrow(&mut self, typed: String) {
        let before = std::mem::replace(&mut self.typed, typed);
        if self.left().is_empty() {
            self.typed = before;
        } else {
            self.at = 0;
        }
    }

    fn show(&self, frame: &mut Frame, room: usize) {
        if !self.typed.is_empty() {
            frame.put(Line::Faint, &format!("with “{}” (Esc shows all)", self.typed));
        }
        let left = self.left();
        let first = (self.at + 1).saturating_sub(room);
        for (index, one) in left.iter().enumerate().skip(first).take(room) {
            frame.option(&one.label, one.hint.as_deref(), index == self.at);
        }
        let hidden = left.len().saturating_sub(room);
        if hidden > 0 {
            frame.put(Line::Faint, &format!("{} of {}; ↑ ↓ move, typing narrows", self.at + 1, left.len()));
        }
    }
}

#[cfg(test)]
mod tests;
