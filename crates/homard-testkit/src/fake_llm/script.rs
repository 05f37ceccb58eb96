//! What can happen in one turn, and how it becomes steps on a socket.

use std::time::Duration;

use bytes::Bytes;
use serde::Deserialize;
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use super::dialect::Dialect;

/// Lets the earlier words leave before the connection is torn down.
const BEFORE_CUT: Duration = Duration::from_millis(5);
/// What a server says that has lost its way.
const GARBAGE: &[u8] = b"data: {\"choices\":[{\"delta\":{\"content\": oh no\n\n";

/// One scripted turn.
#[derive(Debug, Clone)]
pub enum Turn {
    Answers(Speech),
    /// Text that ends because it ran into the wanted length.
    RunsOut(String),
    /// A refusal; without a body, one in the API's own shape.
    Fails {
        status: u16,
        body: Option<String>,
        retry_after: Option<Duration>,
    },
    /// Some words, then the connection breaks.
    CutsAfter(usize),
    /// Some words, then silence.
    StallsAfter(usize),
    /// Silence from the start.
    Hangs,
    /// A word, then something unreadable.
    Malformed,
    Html,
    /// The first word, and the rest when the gate opens.
    Gated {
        text: String,
        /// What it waits for.
        gate: Gate,
    },
}

/// What an answer consists of.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Speech {
    pub thinking: Option<String>,
    /// Text in the pieces it is streamed in.
    pub words: Vec<String>,
    /// Tools called at the end, with their arguments.
    pub calls: Vec<(String, Value)>,
    /// How long it takes between two pieces.
    pub pause: Duration,
}

impl Turn {
    /// An answer of text, streamed word by word.
    pub fn says(text: impl Into<String>) -> Self {
        Self::Answers(Speech { words: words(&text.into()), ..Speech::default() })
    }

    /// An answer with reasoning before it.
    pub fn thinks(thinking: impl Into<String>, text: impl Into<String>) -> Self {
        Self::Answers(Speech {
            thinking: Some(thinking.into()),
            words: words(&text.into()),
            ..Speech::default()
        })
    }

    /// An answer of tool calls.
    pub fn calls(calls: impl IntoIterator<Item = (String, Value)>) -> Self {
        Self::Answers(Speech { calls: calls.into_iter().collect(), ..Speech::default() })
    }
}

/// A turn as another process writes it, such as the page's browser tests.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct WrittenTurn {
    says: Option<String>,
    thinks: Option<String>,
    #[serde(default)]
    calls: Vec<WrittenCall>,
    fails: Option<u16>,
    body: Option<String>,
    cuts_after: Option<usize>,
    stalls_after: Option<usize>,
}

#[derive(Debug, Deserialize)]
struct WrittenCall {
    name: String,
    arguments: Value,
}

impl From<WrittenTurn> for Turn {
    fn from(written: WrittenTurn) -> Self {
        match written {
            WrittenTurn { fails: Some(status), body, .. } => Self::Fails { status, body, retry_after: None },
            WrittenTurn { cuts_after: Some(count), .. } => Self::CutsAfter(count),
            WrittenTurn { stalls_after: Some(count), .. } => Self::StallsAfter(count),
            WrittenTurn { says, thinks, calls, .. } => Self::Answers(Speech {
                thinking: thinks,
                words: says.map(|text| words(&text)).unwrap_or_default(),
                calls: calls.into_iter().map(|call| (call.name, call.arguments)).collect(),
                pause: Duration::ZERO,
            }),
        }
    }
}

/// Holds a turn back until the test lets it go on.
#[derive(Debug, Clone, Default)]
pub struct Gate {
    open: CancellationToken,
}

impl Gate {
    /// Lets the turn go on. Once open, it stays open.
    pub fn release(&self) {
        self.open.cancel();
    }
}

/// The pieces in which a text is streamed.
pub(super) fn words(text: &str) -> Vec<String> {
    text.split_inclusive(' ').map(str::to_owned).collect()
}

/// The numbered words of a turn nobody scripted.
pub(super) fn numbered(count: usize) -> Vec<String> {
    (0..count).map(|i| format!("w{i} ")).collect()
}

/// One step of an answer on its way out.
#[derive(Debug)]
pub(super) enum Step {
    /// Bytes around the content.
    Send(Bytes),
    /// A piece of content; the first and last are stamped.
    Content(Bytes),
    Sleep(Duration),
    /// Until the gate opens.
    Wait(CancellationToken),
    Hang,
    Cut,
}

/// The steps of an ordinary answer.
pub(super) fn spoken(dialect: &Dialect<'_>, speech: &Speech) -> Vec<Step> {
    let mut steps = vec![Step::Send(dialect.head())];
    for piece in dialect.content(speech) {
        steps.push(Step::Content(piece));
        if !speech.pause.is_zero() {
            steps.push(Step::Sleep(speech.pause));
        }
    }
    steps.push(Step::Send(dialect.tail(!speech.calls.is_empty(), speech.words.len())));
    steps
}

/// The steps of an answer that ran into the wanted length.
pub(super) fn run_out(dialect: &Dialect<'_>, text: &str) -> Vec<Step> {
    let mut steps = spoken(dialect, &Speech { words: words(text), ..Speech::default() });
    if let Some(Step::Send(tail)) = steps.last_mut() {
        let told = String::from_utf8_lossy(tail).replace("\"stop\"", "\"length\"");
        *tail = Bytes::from(told);
    }
    steps
}

/// The steps of a turn that goes wrong after `count` words.
pub(super) fn broken(dialect: &Dialect<'_>, count: usize, end: Broken) -> Vec<Step> {
    let speech = Speech { words: numbered(count), ..Speech::default() };
    let mut steps = vec![Step::Send(dialect.head())];
    steps.extend(dialect.open_content(&speech).into_iter().map(Step::Content));
    match end {
        Broken::Cut => steps.extend([Step::Sleep(BEFORE_CUT), Step::Cut]),
        Broken::Stall => steps.push(Step::Hang),
        Broken::Garbage => steps.push(Step::Send(Bytes::from_static(GARBAGE))),
    }
    steps
}

/// How a turn goes wrong.
#[derive(Debug, Clone, Copy)]
pub(super) enum Broken {
    Cut,
    Stall,
    Garbage,
}

/// The steps of a gated turn.
pub(super) fn gated(dialect: &Dialect<'_>, text: &str, gate: &Gate) -> Vec<Step> {
    let mut steps = spoken(dialect, &Speech { words: words(text), ..Speech::default() });
    let first =
        steps.iter().position(|step| matches!(step, Step::Content(_))).map_or(steps.len(), |at| at + 1);
    steps.insert(first, Step::Wait(gate.open.clone()));
    steps
}
