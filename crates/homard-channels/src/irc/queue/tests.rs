//! What goes out when, and what is told about it.

use std::time::Duration;

use homard_channel::{ChannelError, Receipt};
use tokio::sync::oneshot;
use tokio::time::Instant;

use super::{Next, QueuedLine, SendQueue, Ticket};
use crate::irc::pace::Pace;

type Outcome = oneshot::Receiver<Result<Receipt, ChannelError>>;

const FAST: Pace = Pace { burst: 1, interval: Duration::ZERO };

fn job(target: &str, lines: &[&str]) -> (QueuedLine, Outcome) {
    let (ticket, outcome) = Ticket::new();
    (QueuedLine::new(target.into(), lines.iter().map(ToString::to_string).collect(), ticket), outcome)
}

fn written(queue: &mut SendQueue, now: Instant) -> Vec<String> {
    std::iter::from_fn(|| match queue.next(now) {
        Next::Write(line) => Some(line),
        Next::At(_) | Next::Nothing => None,
    })
    .collect()
}

#[test]
fn a_message_is_confirmed_when_the_server_says_our_word_back() {
    let now = Instant::now();
    let mut queue = SendQueue::new(FAST, now);
    let (one, mut outcome) = job("#a", &["1", "2"]);
    queue.push(one);
    assert_eq!(written(&mut queue, now), ["1", "2", "PING :homard-1"]);
    assert!(outcome.try_recv().is_err());
    for wrong in ["homard-2", "homard-", "x", "homard-99999999999999999999999"] {
        queue.answered(wrong);
    }
    assert!(outcome.try_recv().is_err());
    queue.answered("homard-1");
    assert_eq!(outcome.try_recv().unwrap(), Ok(Receipt::default()));
    assert!(queue.is_empty());
}

#[test]
fn conversations_speak_by_turns_and_each_in_its_order() {
    let now = Instant::now();
    let mut queue = SendQueue::new(FAST, now);
    let jobs =
        [job("#a", &["a1", "a2", "a3"]), job("b", &["b1"]), job("#a", &["a4"]), job("c", &["c1", "c2"])];
    let (jobs, _outcomes): (Vec<QueuedLine>, Vec<Outcome>) = jobs.into_iter().unzip();
    jobs.into_iter().for_each(|job| queue.push(job));
    let lines: Vec<String> =
        written(&mut queue, now).into_iter().filter(|line| !line.starts_with("PING")).collect();
    assert_eq!(lines, ["a1", "b1", "c1", "a2", "c2", "a3", "a4"]);
}

#[test]
fn our_business_comes_first_and_answers_to_the_server_at_once() {
    let now = Instant::now();
    let mut queue = SendQueue::new(Pace { burst: 2, interval: Duration::from_secs(2) }, now);
    let (one, _outcome) = job("#a", &["1"]);
    queue.push(one);
    queue.business("JOIN #a".into());
    queue.business("JOIN #b".into());
    assert_eq!(written(&mut queue, now), ["JOIN #a", "JOIN #b"]);
    queue.urgent("PONG :x".into());
    assert_eq!(queue.next(now), Next::Write("PONG :x".into()));
    assert_eq!(queue.next(now), Next::At(now + Duration::from_secs(2)));
    assert_eq!(written(&mut queue, now + Duration::from_secs(2)), ["1", "PING :homard-1"]);
}

#[test]
fn one_question_is_under_way_at_a_time() {
    let now = Instant::now();
    let mut queue = SendQueue::new(FAST, now);
    let (one, mut first) = job("a", &["1"]);
    let (two, mut second) = job("b", &["2"]);
    queue.push(one);
    assert_eq!(written(&mut queue, now), ["1", "PING :homard-1"]);
    queue.push(two);
    assert_eq!(written(&mut queue, now), ["2"]);
    queue.answered("homard-1");
    assert!(first.try_recv().unwrap().is_ok());
    assert!(second.try_recv().is_err());
    assert_eq!(written(&mut queue, now), ["PING :homard-2"]);
    queue.answered("homard-2");
    assert!(second.try_recv().unwrap().is_ok());
}

#[test]
fn a_refusal_is_told_when_all_lines_are_answered_and_never_hits_the_next_message() {
    let now = Instant::now();
    let mut queue = SendQueue::new(FAST, now);
    let (one, mut first) = job("#a", &["1", "2"]);
    queue.push(one);
    written(&mut queue, now);
    assert!(queue.refuse("#a", ChannelError::Permanent("no".into())));
    assert!(queue.refuse("#a", ChannelError::Permanent("no, again".into())));
    assert!(first.try_recv().is_err());
    queue.answered("homard-1");
    assert_eq!(first.try_recv().unwrap(), Err(ChannelError::Permanent("no".into())));
    let (two, mut second) = job("#a", &["3"]);
    queue.push(two);
    assert!(!queue.refuse("#a", ChannelError::Permanent("late".into())));
    written(&mut queue, now);
    queue.answered("homard-2");
    assert!(second.try_recv().unwrap().is_ok());
}

#[test]
fn lines_after_a_refusal_are_not_sent() {
    let now = Instant::now();
    let mut queue = SendQueue::new(Pace { burst: 1, interval: Duration::from_secs(2) }, now);
    let (one, mut outcome) = job("nobody", &["1", "2", "3"]);
    queue.push(one);
    assert_eq!(written(&mut queue, now), ["1"]);
    assert!(queue.refuse("nobody", ChannelError::Permanent("no such nick".into())));
    assert_eq!(written(&mut queue, now + Duration::from_secs(9)), ["PING :homard-1"]);
    queue.answered("homard-1");
    assert_eq!(outcome.try_recv().unwrap(), Err(ChannelError::Permanent("no such nick".into())));
}

#[test]
fn later_is_an_answer_only_for_a_message_of_one_line() {
    let now = Instant::now();
    let wait = ChannelError::Wait(Duration::from_secs(9));
    for (lines, expected) in [
        (&["1"][..], wait.clone()),
        (
            &["1", "2"][..],
            ChannelError::Unknown("the IRC server asked to wait after some of its lines".into()),
        ),
    ] {
        let mut queue = SendQueue::new(FAST, now);
        let (one, mut outcome) = job("a", lines);
        queue.push(one);
        written(&mut queue, now);
        queue.refuse("a", wait.clone());
        queue.answered("homard-1");
        assert_eq!(outcome.try_recv().unwrap(), Err(expected));
    }
}

#[test]
fn a_lost_connection_says_what_was_surely_not_taken_and_what_nobody_knows() {
    let now = Instant::now();
    let mut queue = SendQueue::new(Pace { burst: 1, interval: Duration::from_secs(2) }, now);
    let (one, mut begun) = job("a", &["1", "2"]);
    let (two, mut waiting) = job("b", &["3"]);
    queue.push(one);
    queue.push(two);
    assert_eq!(written(&mut queue, now), ["1"]);
    drop(queue);
    assert!(matches!(begun.try_recv().unwrap(), Err(ChannelError::Unknown(_))));
    assert!(matches!(waiting.try_recv().unwrap(), Err(ChannelError::Unreachable(_))));
}

#[test]
fn the_servers_id_of_a_message_is_its_receipt() {
    let now = Instant::now();
    let mut queue = SendQueue::new(FAST, now);
    let (one, mut outcome) = job("#a", &["1", "2"]);
    queue.push(one);
    written(&mut queue, now);
    queue.echoed("#b", "other");
    queue.echoed("#a", "first");
    queue.echoed("#a", "second");
    queue.answered("homard-1");
    assert_eq!(outcome.try_recv().unwrap().unwrap().message_id, "first");
}

#[test]
fn what_can_be_left_unsaid_is_when_there_is_no_room_for_it() {
    let now = Instant::now();
    let mut queue = SendQueue::new(Pace { burst: 1, interval: Duration::from_secs(2) }, now);
    queue.casually("one".into(), now);
    assert_eq!(written(&mut queue, now), ["one"]);
    queue.casually("two".into(), now);
    assert_eq!(written(&mut queue, now + Duration::from_secs(60)), Vec::<String>::new());
}

#[test]
fn asking_whether_the_server_is_there_needs_no_line() {
    let now = Instant::now();
    let mut queue = SendQueue::new(Pace { burst: 1, interval: Duration::from_secs(2) }, now);
    queue.business("x".into());
    written(&mut queue, now);
    let (one, mut outcome) = job("", &[]);
    queue.push(one);
    assert_eq!(written(&mut queue, now), ["PING :homard-1"]);
    queue.answered("homard-1");
    assert!(outcome.try_recv().unwrap().is_ok());
}
