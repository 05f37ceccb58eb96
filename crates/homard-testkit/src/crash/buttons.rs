//! People who press what is below a message: what they may choose, and whether something may be done.

use std::collections::BTreeSet;

use serde_json::Value;

use super::dice::Dice;
use super::judge::marks;
use super::workload::{Workload, place};
use crate::fake_telegram::{FakeTelegram, Shown};

/// How the value of a button begins that answers a question.
const APPROVAL: &str = "approval:";
/// One question in so many is answered with no.
const NO_ONE_IN: u64 = 4;

/// What was pressed so far.
#[derive(Debug, Default)]
pub(super) struct Buttons {
    /// The values of buttons below plain messages, and the ids of questions.
    pub(super) pressed: BTreeSet<String>,
    /// The marks in questions that were answered with yes, and with no.
    pub(super) allowed: BTreeSet<String>,
    pub(super) refused: BTreeSet<String>,
}

impl Workload {
    /// Presses below every message in a chat, once for each that people can tell apart; whether there was any.
    pub(super) fn press(&mut self, telegram: &FakeTelegram, chat: i64, person: i64, dice: &mut Dice) -> bool {
        let mut is_new = false;
        for shown in telegram.shown(chat).into_iter().filter(|shown| shown.is_ours) {
            let Some(value) = self.choose(&shown, chat, dice) else { continue };
            telegram.presses(chat, person, shown.message_id, &value);
            is_new = true;
        }
        is_new
    }

    /// Which button below a message is pressed.
    fn choose(&mut self, shown: &Shown, chat: i64, dice: &mut Dice) -> Option<String> {
        let row = shown.message.pointer("/reply_markup/inline_keyboard/0")?.as_array()?;
        let values: Vec<&str> =
            row.iter().filter_map(|button| button.get("callback_data").and_then(Value::as_str)).collect();
        let (first, last) = (*values.first()?, *values.last()?);
        let Some(question) = first.strip_prefix(APPROVAL) else {
            let is_new = self.buttons.pressed.insert(first.to_owned());
            self.said.extend(marks(first).into_iter().filter(|_| is_new).map(|mark| (mark, place(chat))));
            return is_new.then(|| first.to_owned());
        };
        let id = question.rsplit_once(':').map_or(question, |(id, _)| id);
        if !self.buttons.pressed.insert(id.to_owned()) {
            return None;
        }
        let is_no = dice.below(NO_ONE_IN) == 0;
        let answers = if is_no { &mut self.buttons.refused } else { &mut self.buttons.allowed };
        answers.extend(marks(&shown.text));
        Some(if is_no { last } else { first }.to_owned())
    }
}
