//! What people and programs say while the gateway is killed, and how each of it can be found again.

use anyhow::Result;
use serde_json::{Value, json};

use super::buttons::Buttons;
use super::dice::Dice;
use super::irc_side::IrcSide;
use super::judge::SeenMessage;
use crate::fake_telegram::{FakeTelegram, Sending};
use crate::gateway::TestGateway;

/// How a message can be found again.
pub(super) const MARK: &str = "tok-";
/// People who write, each in a conversation of their own.
const PEOPLE: i64 = 12;
/// The first person's number.
const FIRST: i64 = 1_000;
/// How many of them send files. They ask for no commands: after a file they would be asked whether they want them.
const SEND_FILES: i64 = 3;
/// Who is asked before a command is run, and their conversation.
const CAREFUL: i64 = FIRST + PEOPLE - 1;
const CAREFUL_KEY: &str = "agent:main:telegram:direct:1011";
/// Where people write together, and a group with topics.
const GROUP: i64 = -2_000;
const FORUM: i64 = -3_000;
const TOPICS: [i64; 2] = [11, 12];
/// Who hears what jobs bring, in the midst of a conversation.
pub(super) const READER: i64 = FIRST;
/// The conversation of a program that sends by the protocol.
pub(super) const PROGRAM: &str = "agent:main:program";
/// Most messages between two kills.
const MOST_MESSAGES: u64 = 3;
/// The gateway takes 30 new jobs a minute.
const MOST_JOBS: usize = 25;
/// How far ahead a job is due.
const JOB_AHEAD_MS: i64 = 300;

/// Every chat something may be seen in.
fn chats() -> impl Iterator<Item = i64> {
    (FIRST..FIRST + PEOPLE).chain([GROUP, FORUM])
}

/// A chat as the gateway calls it.
pub(super) fn place(chat: i64) -> String {
    format!("telegram:{chat}")
}

/// Everything people see there now.
pub(super) fn seen(telegram: &FakeTelegram) -> Vec<SeenMessage> {
    let shown = chats().flat_map(|chat| {
        let ours = telegram.shown(chat).into_iter().filter(|shown| shown.is_ours);
        ours.map(move |shown| SeenMessage {
            place: place(chat),
            number: Some(shown.message_id),
            text: shown.text,
        })
    });
    shown.collect()
}

/// Who may do everything: the people, so that commands are run for them.
pub(super) fn owners() -> Vec<String> {
    (FIRST..FIRST + PEOPLE).map(|person| format!("telegram:{person}")).collect()
}

/// All that was said so far.
#[derive(Debug, Default)]
pub(super) struct Workload {
    count: usize,
    /// The mark of each message on a platform, and the place it was said at.
    pub(super) said: Vec<(String, String)>,
    /// The mark of each job, and its id.
    pub(super) jobs: Vec<(String, String)>,
    /// The mark of each message of the program.
    pub(super) sent: Vec<String>,
    /// Those of them the gateway has not acknowledged: they are sent again.
    unacknowledged: Vec<String>,
    pub(super) buttons: Buttons,
}

impl Workload {
    /// The chats as the platform knows them.
    pub(super) fn furnish(telegram: &FakeTelegram) {
        telegram.has_chat(GROUP, json!({"type": "supergroup"})).has_topics(FORUM, TOPICS);
        telegram.has_chat(READER, json!({}));
    }

    /// The conversation in which commands are asked about.
    ///
    /// # Errors
    /// When the gateway does not answer or refuses.
    pub(super) async fn be_careful(gateway: &TestGateway) -> Result<()> {
        let settings = json!({"key": CAREFUL_KEY, "execAsk": "always"});
        gateway.operator().await?.call("sessions.patch", settings).await?;
        Ok(())
    }

    /// Some people say something.
    pub(super) fn chatter(&mut self, telegram: &FakeTelegram, dice: &mut Dice) {
        for _ in 0..=dice.below(MOST_MESSAGES) {
            let person = FIRST + i64::try_from(dice.below(PEOPLE.unsigned_abs())).unwrap_or_default();
            match dice.below(16) {
                0 | 1 => telegram.group_says(GROUP, person, &self.asks("", GROUP)),
                2 => {
                    let [one, other] = TOPICS;
                    let topic = if dice.below(2) == 1 { other } else { one };
                    telegram.topic_says(FORUM, topic, person, &self.asks("", FORUM))
                }
                3 => {
                    let person = FIRST + person % SEND_FILES;
                    let text = self.asks("", person);
                    let message = telegram.message(person, person);
                    message.file(Sending::Document, "list.txt", b"milk").caption(&text).send()
                }
                4 => telegram.user_says(person, person, "/whoami"),
                5 => telegram.user_says(person, person, &self.asks("-file", person)),
                6 => {
                    let person = FIRST + SEND_FILES + person % (CAREFUL - FIRST - SEND_FILES);
                    telegram.user_says(person, person, &self.asks("-tool", person))
                }
                7 => telegram.user_says(person, person, &self.asks("-slow", person)),
                8 => telegram.user_says(READER, READER, &self.asks("-slow", READER)),
                9 => telegram.user_says(CAREFUL, CAREFUL, &self.asks("-ask", CAREFUL)),
                10 => telegram.user_says(person, person, &self.asks("-menu", person)),
                11 => telegram.group_says(GROUP, person, &self.asks("-menu", GROUP)),
                12 => telegram.user_says(person, person, &self.asks("-child", person)),
                _ => telegram.user_says(person, person, &self.asks("", person)),
            };
        }
    }

    /// Somebody on IRC says something, now and then.
    ///
    /// # Errors
    /// When the server is gone.
    pub(super) async fn chat_on_irc(&mut self, irc: &mut IrcSide, dice: &mut Dice) -> Result<()> {
        if dice.below(3) != 0 {
            return Ok(());
        }
        let place = IrcSide::some_place(dice);
        let text = self.asks_at("", place.clone());
        irc.say(&place, &text).await
    }

    /// People press what they see; whether there was something to press.
    pub(super) fn press_all(&mut self, telegram: &FakeTelegram, dice: &mut Dice) -> bool {
        let people = (FIRST..FIRST + PEOPLE).map(|person| (person, person));
        people.chain([(GROUP, FIRST)]).fold(false, |any, (chat, person)| {
            let is_new = self.press(telegram, chat, person, dice);
            any || is_new
        })
    }

    /// A program sends, sends again what was not acknowledged, and now and then a job is made.
    ///
    /// # Errors
    /// When the gateway does not answer or refuses.
    pub(super) async fn programs(&mut self, gateway: &TestGateway, dice: &mut Dice) -> Result<()> {
        if dice.below(3) != 0 {
            return Ok(());
        }
        let mut client = gateway.operator().await?;
        let mark = self.mark("-program");
        self.unacknowledged.push(mark.clone());
        self.sent.push(mark);
        // The newest may be cut off by the kill.
        let (newest, older) = self.unacknowledged.split_last().map_or((None, &[][..]), |(n, o)| (Some(n), o));
        for mark in older {
            client.call("chat.send", chat_send(mark)).await?;
        }
        if let Some(mark) = newest {
            client.send("chat.send", chat_send(mark)).await?;
        }
        self.unacknowledged = newest.cloned().into_iter().collect();
        if self.jobs.len() < MOST_JOBS && dice.below(2) == 0 {
            let mark = self.mark("-job");
            let due = jiff::Timestamp::now().as_millisecond() + JOB_AHEAD_MS;
            let added = client.call("cron.add", job(&mark, jiff::Timestamp::from_millisecond(due)?)).await?;
            let id = added.get("id").and_then(Value::as_str).unwrap_or_default().to_owned();
            self.jobs.push((mark, id));
        }
        Ok(())
    }

    /// What was not acknowledged is sent for the last time.
    ///
    /// # Errors
    /// When the gateway does not answer or refuses.
    pub(super) async fn finish(&mut self, gateway: &TestGateway) -> Result<()> {
        let mut client = gateway.operator().await?;
        for mark in std::mem::take(&mut self.unacknowledged) {
            client.call("chat.send", chat_send(&mark)).await?;
        }
        Ok(())
    }

    fn mark(&mut self, end: &str) -> String {
        self.count += 1;
        format!("{MARK}{}{end}", self.count)
    }

    fn asks(&mut self, end: &str, chat: i64) -> String {
        self.asks_at(end, place(chat))
    }

    fn asks_at(&mut self, end: &str, place: String) -> String {
        let mark = self.mark(end);
        self.said.push((mark.clone(), place));
        format!("please answer {mark}")
    }
}

fn chat_send(mark: &str) -> Value {
    json!({"sessionKey": PROGRAM, "message": format!("please answer {mark}"), "idempotencyKey": mark})
}

fn job(mark: &str, due: jiff::Timestamp) -> Value {
    json!({
        "name": mark, "schedule": {"kind": "at", "at": due.to_string()}, "sessionTarget": "isolated",
        "wakeMode": "now", "payload": {"kind": "agentTurn", "message": format!("please answer {mark}")},
        "delivery": {"mode": "announce", "channel": "telegram", "to": READER.to_string()},
    })
}
