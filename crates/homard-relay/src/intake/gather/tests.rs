//! What becomes one message.

use std::time::Duration;

use homard_channel::{Attachment, Conversation, Inbound, MediaKind, Sender};
use homard_protocol::{AgentId, PeerId, SessionKey};
use homard_store::InboxId;
use tokio::time::Instant;

use super::{Bundle, GatherRule, Gathering, KeptEvent, MAX_FILES, MAX_PARTS};

const MS: Duration = Duration::from_millis(1);

fn message(from: &str, id: &str, text: &str) -> Box<Inbound> {
    let key = SessionKey::main(AgentId::main());
    let mut message = Inbound::from_operator(key, id.to_owned(), text.to_owned(), 1);
    message.conversation = Conversation::Group { id: PeerId::parse("g").unwrap(), thread: None };
    message.sender = Sender::Peer { id: PeerId::parse(from).unwrap(), name: None };
    Box::new(message)
}

fn photo(from: &str, id: &str, album: Option<&str>, text: &str) -> Box<Inbound> {
    let mut message = message(from, id, text);
    message.details.part_of = album.map(str::to_owned);
    message.details.files = vec![Attachment {
        kind: MediaKind::Image,
        handle: id.to_owned(),
        mime: None,
        name: None,
        size: None,
    }];
    message
}

struct Table {
    gathering: Gathering,
    start: Instant,
    quiet: Duration,
    out: Vec<String>,
}

impl Table {
    fn new(quiet: u32) -> Self {
        Self { gathering: Gathering::default(), start: Instant::now(), quiet: MS * quiet, out: Vec::new() }
    }

    fn note(&mut self, complete: &[Bundle]) {
        self.out.extend(complete.iter().map(|bundle| bundle.message().unwrap().text));
    }

    /// Says something at a moment and tells what is complete by then.
    fn at(&mut self, ms: u32, message: Box<Inbound>) -> Vec<String> {
        let now = self.start + MS * ms;
        let due = self.gathering.due(now);
        self.note(&due);
        let pace = GatherRule { quiet: self.quiet, hurries: message.text.starts_with('/') };
        let part = KeptEvent { id: InboxId::for_tests(), event: message, permit: None };
        match self.gathering.add(part, pace, now) {
            Ok(done) => self.note(&done),
            Err(_one_too_many) => self.out.push("too many".to_owned()),
        }
        std::mem::take(&mut self.out)
    }

    fn rest(&mut self, ms: u32) -> Vec<String> {
        let due = self.gathering.due(self.start + MS * ms);
        self.note(&due);
        std::mem::take(&mut self.out)
    }
}

#[test]
fn a_name_that_changed_hands_is_somebody_else() {
    let mut table = Table::new(100);
    let known_as = |id: &str, text: &str, mask: &str| {
        let mut message = message("ada", id, text);
        message.details.also_known_as = vec![mask.to_owned()];
        message
    };
    assert!(table.at(0, known_as("a", "obey", "ada!eve@elsewhere")).is_empty());
    assert!(table.at(10, known_as("b", "hi", "ada!ada@home")).is_empty());
    let all = table.gathering.all();
    table.note(&all);
    assert_eq!(table.out, ["obey", "hi"], "not one message");
}

#[test]
fn without_a_window_nothing_waits() {
    let mut table = Table::new(0);
    assert_eq!(table.at(0, message("a", "1", "one")), ["one"]);
    assert_eq!(table.at(0, message("a", "2", "two")), ["two"]);
    assert_eq!(table.gathering.next_due(), None);
}

#[test]
fn what_one_person_types_in_quick_succession_is_one_message() {
    let mut table = Table::new(100);
    assert!(table.at(0, message("a", "1", "one")).is_empty());
    assert!(table.at(80, message("b", "2", "other")).is_empty());
    assert!(table.at(90, message("a", "3", "two")).is_empty());
    // Each message begins the window anew, and nobody waits for another person.
    assert_eq!(table.rest(185), ["other"]);
    assert_eq!(table.rest(190), ["one\ntwo"]);
}

#[test]
fn commands_and_files_wait_for_nothing_and_what_was_typed_goes_before() {
    let mut table = Table::new(100);
    table.at(0, message("a", "1", "one"));
    assert_eq!(table.at(10, message("a", "2", "/status")), ["one", "/status"]);
    table.at(20, message("a", "3", "look:"));
    assert_eq!(table.at(30, photo("a", "4", None, "this")), ["look:", "this"]);
}

#[test]
fn an_album_is_one_message_with_its_files() {
    let mut table = Table::new(0);
    assert!(table.at(0, photo("a", "1", Some("x"), "")).is_empty());
    assert!(table.at(300, photo("a", "2", Some("x"), "our cat")).is_empty());
    assert!(table.at(700, photo("a", "3", Some("x"), "")).is_empty());
    assert_eq!(table.rest(1_199), Vec::<String>::new());
    assert_eq!(table.rest(1_200), ["our cat"]);
}

#[test]
fn an_endless_album_is_cut() {
    let mut table = Table::new(0);
    let mut told = Vec::new();
    for n in 0..10_000 {
        told.extend(table.at(n / 10, photo("a", &n.to_string(), Some("x"), "")));
    }
    told.extend(table.rest(60_000));
    let too_many = told.iter().filter(|word| *word == "too many").count();
    assert_eq!((told.len(), too_many), (10_000 - MAX_PARTS + 1, 10_000 - MAX_PARTS));
}

#[test]
fn one_message_has_no_more_files_than_can_be_fetched() {
    let mut table = Table::new(0);
    for n in 0..MAX_PARTS {
        assert!(table.at(0, photo("a", &n.to_string(), Some("x"), "")).is_empty());
    }
    let [bundle] = &table.gathering.all()[..] else { panic!("one message") };
    assert_eq!(bundle.ids().len(), MAX_PARTS);
    assert_eq!(bundle.message().unwrap().details.files.len(), MAX_FILES);
}

#[test]
fn a_text_the_platform_cut_is_put_together() {
    let long = "x".repeat(4_096);
    let mut table = Table::new(0);
    assert!(table.at(0, message("a", "1", &long)).is_empty());
    assert_eq!(table.at(300, message("a", "2", "end")), [format!("{long}end")]);
    // Somebody else's message, or one that does not follow, is another.
    assert!(table.at(1_000, message("a", "7", &long)).is_empty());
    assert_eq!(table.at(1_100, message("b", "8", "hi")), ["hi"]);
    assert_eq!(table.at(1_200, message("a", "9", "no end")), [long.clone(), "no end".to_owned()]);
    assert!(table.at(2_000, message("a", "20", &long)).is_empty());
    assert_eq!(table.rest(3_500), [long]);
}

#[test]
fn pieces_that_the_adapter_marks_are_one_text_without_a_seam() {
    let piece = |id: &str, text: &str| {
        let mut piece = message("a", id, text);
        piece.details.part_of = Some("text-1".to_owned());
        piece
    };
    let mut table = Table::new(0);
    let long = "x".repeat(4_000);
    assert!(table.at(0, piece("1", &long)).is_empty());
    assert!(table.at(1_400, piece("2", "y")).is_empty(), "the next one may take its time");
    assert_eq!(table.rest(2_000), [format!("{long}y")]);
}
