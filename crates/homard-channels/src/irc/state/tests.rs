//! What we do about what a server says.

use std::sync::Arc;
use std::time::Duration;

use homard_channel::{ChannelError, Inbound, Receipt};
use homard_config::Environment;
use homard_protocol::{AccountId, ChannelId};
use homard_runtime::Clock;
use serde_json::{Value, json};
use tokio::time::Instant;

use super::State;
use crate::irc::hearing::BotContext;
use crate::irc::pace::Pace;
use crate::irc::queue::{Next, SendQueue, Ticket};
use crate::irc::register::Welcome;
use crate::irc::settings::Settings;
use crate::irc::wire::Incoming;
use crate::registry::Parts;

/// Somebody on a server, without the server.
struct Stage {
    state: State,
    queue: SendQueue,
    now: Instant,
}

impl Stage {
    fn of(more: &Value, nick: &str) -> Self {
        let mut section = json!({"host": "irc.test", "nick": "homard"});
        section.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let parts = Parts {
            channel: ChannelId::parse("irc").unwrap(),
            account: AccountId::default_account(),
            section,
            env: Environment::default(),
            state_dir: "/".into(),
            clock: Clock::fixed(0),
            commands: Vec::new(),
            ingress: homard_channel::Ingress::default(),
        };
        let settings = Settings::read(&parts).unwrap();
        let cx = BotContext::new(parts.channel, parts.account, parts.clock);
        let welcome = Welcome { nick: nick.into(), ..Welcome::default() };
        let now = Instant::now();
        let mut stage = Self {
            state: State::new(Arc::new(settings), cx, welcome),
            queue: SendQueue::new(Pace { burst: 1, interval: Duration::ZERO }, now),
            now,
        };
        stage.state.begin(&mut stage.queue, now);
        stage
    }

    fn hear(&mut self, line: &str) -> Option<Inbound> {
        self.state.hear(&Incoming::read(line), &mut self.queue, self.now).unwrap()
    }

    fn written(&mut self) -> Vec<String> {
        std::iter::from_fn(|| match self.queue.next(self.now) {
            Next::Write(line) => Some(line),
            Next::At(_) | Next::Nothing => None,
        })
        .collect()
    }

    fn pass(&mut self, time: Duration) {
        self.now += time;
        self.state.run_errands(&mut self.queue, self.now);
    }

    /// Says something, lets the server answer with these lines and confirm.
    fn say(
        &mut self,
        to: &str,
        text: &str,
        answers: &[&str],
    ) -> (Vec<String>, Result<Receipt, ChannelError>) {
        let (ticket, mut outcome) = Ticket::new();
        self.queue.push(self.state.job(to, text, ticket));
        let written = self.written();
        let question = written.last().unwrap().strip_prefix("PING :").unwrap().to_owned();
        for answer in answers {
            self.hear(answer);
        }
        self.hear(&format!(":s PONG s :{question}"));
        (written, outcome.try_recv().unwrap())
    }
}

#[test]
fn channels_are_joined_those_with_keys_first() {
    let mut stage = Stage::of(&json!({"channels": ["#a", "#b key", "#c"]}), "homard");
    assert_eq!(stage.written(), ["JOIN #b,#a,#c key"]);
    let many: Vec<String> = (0..25).map(|n| format!("#channel-with-a-name-{n}")).collect();
    let lines = Stage::of(&json!({"channels": many}), "homard").written();
    assert_eq!(lines.len(), 3);
    assert!(lines.iter().all(|line| line.len() < 400));
}

#[test]
fn the_service_is_told_who_we_are() {
    let nickserv = json!({"nickserv": {"password": "pw", "register": true, "registerEmail": "a@b"}});
    assert_eq!(
        Stage::of(&nickserv, "homard").written(),
        ["PRIVMSG NickServ :IDENTIFY pw", "PRIVMSG NickServ :REGISTER pw a@b"]
    );
}

#[test]
fn a_taken_nick_is_taken_back() {
    let mut stage = Stage::of(&json!({"nickserv": {"password": "pw"}}), "homard_");
    assert_eq!(stage.written(), ["PRIVMSG NickServ :GHOST homard pw"]);
    assert_eq!(stage.state.standing().advice.len(), 1);
    stage.pass(Duration::from_secs(3));
    assert_eq!(stage.written(), ["NICK homard"]);
    stage.hear(":s 433 homard_ homard :in use");
    stage.pass(Duration::from_secs(300));
    assert_eq!(stage.written(), ["NICK homard"]);
    stage.hear(":homard_!h@h NICK :homard");
    assert_eq!(stage.written(), ["PRIVMSG NickServ :IDENTIFY pw"]);
    assert_eq!(stage.state.standing().nick, "homard");
    assert!(stage.state.standing().advice.is_empty());
    stage.pass(Duration::from_secs(900));
    assert!(stage.written().is_empty());
}

#[test]
fn a_new_nick_is_the_one_that_is_mentioned() {
    let mut stage = Stage::of(&json!({}), "homard");
    stage.hear(":homard!h@h NICK :Guest7");
    let heard = stage.hear(":mia!m@h PRIVMSG #a :hi guest7").unwrap();
    assert_eq!(heard.details.mentions_us, Some(true));
    assert_eq!(stage.hear(":mia!m@h PRIVMSG homard :old").map(|heard| heard.text), None);
    assert!(stage.hear(":mia!m@h PRIVMSG Guest7 :new").is_some());
}

#[test]
fn after_a_kick_we_come_back_once() {
    let mut stage = Stage::of(&json!({"channels": ["#a key"]}), "homard");
    stage.hear(":homard!h@h JOIN :#a");
    stage.written();
    stage.hear(":op!o@h KICK #A homard :out");
    assert!(stage.state.standing().rooms.is_empty());
    stage.pass(Duration::from_secs(5));
    assert_eq!(stage.written(), ["JOIN #a key"]);
    stage.hear(":homard!h@h JOIN :#a");
    stage.hear(":op!o@h KICK #a homard :I said out");
    stage.pass(Duration::from_secs(60));
    assert!(stage.written().is_empty());
    assert!(stage.state.standing().advice[0].contains("I said out"));
    // Somebody else's kick is none of our business.
    stage.hear(":homard!h@h JOIN :#a");
    stage.hear(":op!o@h KICK #a mia :out");
    assert_eq!(stage.state.standing().rooms, ["#a"]);
}

#[test]
fn why_a_channel_does_not_let_us_in_is_told_to_the_owner_until_it_does() {
    for (number, hint) in [(471, "full"), (473, "invite"), (474, "banned"), (475, "key"), (403, "name")] {
        let mut stage = Stage::of(&json!({"channels": ["#a"]}), "homard");
        stage.hear(&format!(":s {number} homard #a :Cannot join channel"));
        let advice = stage.state.standing().advice;
        assert!(advice.len() == 1 && advice[0].contains(hint) && advice[0].contains("#a"), "{advice:?}");
        stage.hear(":homard!h@h JOIN :#a");
        assert!(stage.state.standing().advice.is_empty());
    }
}

#[test]
fn a_channel_for_registered_nicks_is_tried_again_once() {
    let mut stage = Stage::of(&json!({"channels": ["#a"]}), "homard");
    stage.written();
    stage.hear(":s 477 homard #a :Need a registered nick");
    stage.pass(Duration::from_secs(10));
    assert_eq!(stage.written(), ["JOIN #a"]);
    stage.hear(":s 477 homard #a :Need a registered nick");
    stage.pass(Duration::from_secs(60));
    assert!(stage.written().is_empty());
    assert_eq!(stage.state.standing().advice.len(), 1);
}

#[test]
fn what_we_say_goes_out_in_lines_that_fit_with_our_name_before_them() {
    let mut stage = Stage::of(&json!({"textChunkLimit": 4000}), "homard");
    let (lines, outcome) = stage.say("mia", &"word ".repeat(300), &[]);
    assert_eq!(outcome, Ok(Receipt::default()));
    let longest = lines.iter().map(String::len).max().unwrap();
    let prefix = format!(":homard!{}@{} ", "u".repeat(11), "h".repeat(63)).len();
    assert!(longest + prefix + 2 <= 512, "{longest}");
    assert!(longest > 400);
}

#[test]
fn a_channel_we_are_not_in_is_joined_before_we_speak() {
    let mut stage = Stage::of(&json!({"channels": ["#keyed sesame"]}), "homard");
    stage.written();
    assert_eq!(stage.say("#new", "hi", &[]).0[..2], ["JOIN #new", "PRIVMSG #new :hi"]);
    assert_eq!(stage.say("#keyed", "hi", &[]).0[..2], ["JOIN #keyed sesame", "PRIVMSG #keyed :hi"]);
    stage.hear(":homard!h@h JOIN :#new");
    assert_eq!(stage.say("#NEW", "hi", &[]).0[0], "PRIVMSG #NEW :hi");
    let refused = stage.say("#shut", "hi", &[":s 475 homard #shut :Bad key", ":s 404 homard #shut :no"]).1;
    assert!(matches!(refused, Err(ChannelError::Permanent(words)) if words.contains("Bad key")));
}

#[test]
fn refusals_are_told_by_their_kind() {
    let mut stage = Stage::of(&json!({}), "homard");
    let rows = [
        ("nobody", ":s 401 homard Nobody :No such nick", "permanent"),
        ("mia", ":s 531 homard mia :You are not permitted", "permanent"),
        ("mia", ":s 439 homard mia :Target change too fast. Please wait 17 seconds.", "wait 17"),
        ("mia", ":s 439 homard mia :Too fast", "wait 60"),
        ("mia", ":s 401 homard somebody-else :No such nick", "taken"),
        ("mia", ":s 301 homard mia :away", "taken"),
    ];
    for (to, line, expected) in rows {
        let told = match stage.say(to, "hi", &[line]).1 {
            Ok(_) => "taken".to_owned(),
            Err(ChannelError::Permanent(_)) => "permanent".to_owned(),
            Err(ChannelError::Wait(time)) => format!("wait {}", time.as_secs()),
            Err(other) => panic!("{other}"),
        };
        assert_eq!(told, expected, "{line}");
    }
}

#[test]
fn the_servers_own_rules_are_learned() {
    let mut stage = Stage::of(&json!({}), "homard");
    stage.hear(":s 005 homard CASEMAPPING=ascii CHANTYPES=#&+ STATUSMSG=@+ BOT=B :are supported");
    assert_eq!(stage.written(), ["MODE homard +B"]);
    assert!(
        stage.hear(":m!m@h PRIVMSG +local :x").unwrap().conversation.peer().unwrap().as_str() == "+local"
    );
    assert!(stage.hear(":m!m@h PRIVMSG @#a :x").unwrap().conversation.peer().unwrap().as_str() == "#a");
    let bracket = stage.hear(":mia[1]!m@h PRIVMSG homard :x").unwrap();
    assert_eq!(bracket.conversation.peer().unwrap().as_str(), "mia[1]");
}

#[test]
fn programs_are_answered_seldom_and_are_no_message() {
    let mut stage = Stage::of(&json!({}), "homard");
    assert_eq!(stage.hear(":m!m@h PRIVMSG homard :\u{1}VERSION\u{1}"), None);
    let version = stage.written();
    assert!(version[0].starts_with("NOTICE m :\u{1}VERSION Homard "), "{version:?}");
    stage.hear(":m!m@h PRIVMSG homard :\u{1}PING 123\u{1}");
    assert_eq!(stage.written(), ["NOTICE m :\u{1}PING 123\u{1}"]);
    for silent in ["DCC SEND x", "FINGER", ""] {
        assert_eq!(stage.hear(&format!(":m!m@h PRIVMSG homard :\u{1}{silent}\u{1}")), None);
        assert!(stage.written().is_empty());
    }
}

#[test]
fn notices_servers_our_own_echo_and_words_to_everybody_are_no_messages() {
    let mut stage = Stage::of(&json!({"nickserv": {"password": "pw"}}), "homard");
    for line in [
        ":m!m@h NOTICE homard :hi",
        ":irc.test PRIVMSG homard :hi",
        "PRIVMSG homard :hi",
        ":Homard!h@h PRIVMSG #a :ours",
        ":m!m@h PRIVMSG $$* :everybody",
        ":NickServ!n@services PRIVMSG homard :hi",
    ] {
        assert_eq!(stage.hear(line), None, "{line}");
    }
}

#[test]
fn what_the_service_says_of_our_password_is_noted() {
    let mut stage = Stage::of(&json!({"nickserv": {"password": "pw"}}), "homard");
    stage.hear(":mallory!m@h NOTICE homard :Invalid password");
    assert!(stage.state.standing().advice.is_empty());
    stage.hear(":NickServ!n@services NOTICE homard :Invalid password for \u{2}homard\u{2}.");
    assert_eq!(stage.state.standing().advice.len(), 1);
    stage.hear(":NickServ!n@services NOTICE homard :You are now identified for \u{2}homard\u{2}.");
    assert!(stage.state.standing().logged_in);
}

#[test]
fn the_servers_last_words_end_the_connection() {
    let mut stage = Stage::of(&json!({}), "homard");
    let end = stage.state.hear(&Incoming::read("ERROR :Excess Flood"), &mut stage.queue, stage.now);
    assert!(matches!(end, Err(ChannelError::Unreachable(why)) if why.contains("Excess Flood")));
}

#[test]
fn a_ping_is_answered() {
    let mut stage = Stage::of(&json!({}), "homard");
    stage.hear("PING :some token");
    assert_eq!(stage.written(), ["PONG :some token"]);
}
