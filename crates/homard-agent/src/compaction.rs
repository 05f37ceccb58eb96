//! Making a conversation that outgrows its model fit again: its beginning becomes a summary, its end stays word
//! for word, and the transcript says so.
//!
//! There is no dead end: a summary that cannot be had is replaced by a plain list of what was asked. `size`
//! guesses tokens, `plan` decides where to cut, `digest` is the text that is summarised; this file asks for the
//! summary and records it. When to do it is decided in `ask`.

mod digest;
pub(crate) mod plan;
pub(crate) mod size;

use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt;
use homard_llm::{FailReason, LlmError, Request, StreamEvent, ThinkingLevel};
use homard_protocol::{
    AssistantMessage, Entry, EntryId, EntryKind, Message, Usage, UserContent, UserMessage,
};
use homard_store::{Context, StoreError};
use tokio_util::sync::CancellationToken;

use crate::clip::clipped;
use crate::history::History;
use crate::hook_points;
use crate::turn::{Agent, Step, Turn};
use plan::{Keep, Plan, plan};

const PROMPT: &str = include_str!("../prompts/compact.md");
/// Separates a summary from the request that is being worked on, kept word for word.
const REQUEST_MARK: &str = "\n\n## The request being worked on, word for word\n";

/// Context assumed where nobody says otherwise, in tokens.
const DEFAULT_WINDOW: u32 = 200_000;
/// Tokens kept free for the answer.
const DEFAULT_RESERVE: u64 = 20_000;
/// Newest tokens kept word for word.
const DEFAULT_KEEP: u64 = 20_000;
/// Largest part of the context kept word for word, in hundredths.
const DEFAULT_HISTORY_PERCENT: u64 = 50;
/// Longest time one compaction may take.
const DEFAULT_TIMEOUT: Duration = Duration::from_secs(300);
/// Longest summary, in tokens.
const MAX_SUMMARY: u64 = 4_000;
/// Shortest answer limit given to the summarising model; the text is shortened afterwards.
const LEAST_ANSWER: u32 = 1_024;
/// Summarising calls of one compaction; what is older than they can take is listed.
const MAX_PIECES: usize = 8;
/// How often a piece that is itself refused as too long is halved.
const MAX_HALVED: u32 = 3;
/// A window is divided by this for the text of one summarising call: two fifths, less a fifth for bad guesses.
const PIECE_SHARE: u64 = 3;

/// How long conversations are kept within a model's context.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CompactionSettings {
    /// Whether to summarise before the model refuses. When it refuses, it is done anyway.
    pub ahead: bool,
    /// Whether a long conversation is summarised piece by piece, and not in one call.
    pub in_pieces: bool,
    /// The context that may be used, in tokens.
    pub window: u32,
    /// Tokens kept free for the answer; never more than half of the window.
    pub reserve: u64,
    /// Newest tokens kept word for word.
    pub keep_recent: u64,
    /// Largest part of the window kept word for word, in hundredths.
    pub history_percent: u64,
    /// Longest time one compaction may take.
    pub timeout: Duration,
}

impl Default for CompactionSettings {
    fn default() -> Self {
        Self {
            ahead: true,
            in_pieces: true,
            window: DEFAULT_WINDOW,
            reserve: DEFAULT_RESERVE,
            keep_recent: DEFAULT_KEEP,
            history_percent: DEFAULT_HISTORY_PERCENT,
            timeout: DEFAULT_TIMEOUT,
        }
    }
}

impl CompactionSettings {
    /// The largest prompt that leaves room for an answer, in tokens.
    pub(crate) fn limit(&self) -> u64 {
        let window = u64::from(self.window);
        window - self.reserve.min(window / 2)
    }
}

/// Why a conversation is summarised.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trigger {
    /// The next request would leave too little room for an answer.
    Safeguard,
    /// The model refused the request as too long.
    Overflow,
    /// Somebody asked for it.
    Manual,
}

impl Trigger {
    /// The word events use.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Safeguard => "safeguard",
            Self::Overflow => "overflow",
            Self::Manual => "manual",
        }
    }
}

/// What a compaction needs to know of the request that does not fit.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RoomNeeded<'a> {
    pub(crate) trigger: Trigger,
    /// How often it was tried before for the same request; each time less is kept.
    pub(crate) tried: u32,
    /// Tokens every request has beside the conversation.
    pub(crate) overhead: u64,
    /// What whoever asked for it wants.
    pub(crate) wish: CompactionOptions<'a>,
}

/// What whoever asks for a compaction wants of it; the default wants nothing in particular.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CompactionOptions<'a> {
    /// What the summary should keep or leave out, in their words.
    pub instructions: Option<&'a str>,
    /// Keep so many of the newest entries and list the rest, without asking a model.
    pub max_entries: Option<usize>,
}

/// What a compaction did.
#[derive(Debug, Clone)]
pub struct Compacted {
    /// What stands for the beginning now.
    pub summary: String,
    /// Where the rest begins.
    pub first_kept: EntryId,
    /// Entries kept word for word.
    pub kept: usize,
    /// The size before, in tokens.
    pub tokens_before: u64,
    /// The size now, guessed.
    pub tokens_after: u64,
    /// What the summarising calls cost.
    pub usage: Usage,
}

/// How much of what a compaction may leave, in guessed tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Budget {
    keep: Keep,
    summary: u64,
    request: u64,
    piece: u64,
}

impl Budget {
    fn new(settings: &CompactionSettings, history: &History, need: RoomNeeded<'_>) -> Self {
        let now = history.estimate(need.overhead);
        // A model that refused less than its window has a smaller one than we were told.
        let room = settings.limit().min(now).saturating_sub(need.overhead);
        let window = u64::from(settings.window);
        // Nobody refused anything when a person asks for it, and one call is better than several.
        let told = if need.trigger == Trigger::Manual { window } else { window.min(now) };
        let wanted = settings.keep_recent.min(window * settings.history_percent / 100).min(room / 2);
        // From real tokens to guessed ones, and half as much each time.
        let of = |tokens: u64| history.guessed(tokens, need.overhead) >> need.tried.min(63);
        Self {
            keep: Keep { wanted: of(wanted), most: of(room / 8 * 5) },
            summary: of(room / 4).min(MAX_SUMMARY),
            request: of(room / 16),
            piece: of(told / PIECE_SHARE),
        }
    }
}

/// Why a conversation was not made shorter.
#[derive(Debug)]
pub enum NotShorter {
    /// There is nothing worth summarising.
    NothingToDrop,
    Stopped,
    /// The transcript could not be read or written.
    Store(StoreError),
}

impl From<StoreError> for NotShorter {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

/// Shortens the conversation of one turn.
pub(crate) struct Compactor<'a> {
    pub(crate) agent: &'a Agent,
    pub(crate) turn: &'a Turn,
    pub(crate) cancel: &'a CancellationToken,
}

/// A summary and what it cost.
struct Summary {
    text: String,
    /// Whether a part of it is only a list.
    listed: bool,
    usage: Usage,
}

impl Compactor<'_> {
    /// Summarises the beginning of the conversation, records that, and reads the history anew.
    pub(crate) async fn run(
        &self,
        history: &mut History,
        need: RoomNeeded<'_>,
        on_step: &mut (dyn FnMut(Step<'_>) + Send),
    ) -> Result<Compacted, NotShorter> {
        let store = &self.agent.store;
        let context = store.transcripts().context(&self.turn.session_id).await?;
        let budget = Budget::new(&self.turn.compaction, history, need);
        let plan = match need.wish.max_entries {
            Some(most) => plan::newest(&context.entries, most),
            None => plan(&context.entries, budget.keep),
        };
        let plan = plan.ok_or(NotShorter::NothingToDrop)?;
        let first_kept = context.entries.get(plan.first_kept).ok_or(NotShorter::NothingToDrop)?;
        let first_kept_entry_id = first_kept.id.clone();
        let tokens_before = history.estimate(need.overhead);
        on_step(Step::Compacting { trigger: need.trigger, tokens_before });
        hook_points::before_compaction(self.turn, need.trigger).await;
        let summary = self.summary(&context, &plan, budget, need.wish).await?;
        let dropped = context.entries.get(..plan.first_kept).unwrap_or_default();
        let entry = EntryKind::Compaction {
            summary: summary.text.clone(),
            first_kept_entry_id: first_kept_entry_id.clone(),
            tokens_before,
            details: digest::details(dropped, context.summary_details.as_ref()),
            from_hook: None,
        };
        store.transcripts().append(&self.turn.session_id, vec![entry]).await?;
        *history = history.read_anew(store.transcripts().context(&self.turn.session_id).await?);
        let tokens_after = history.estimate(need.overhead);
        tracing::info!(
            trigger = need.trigger.as_str(),
            tokens_before,
            tokens_after,
            listed = summary.listed,
            dropped = plan.dropped,
            kept = plan.kept,
            "the conversation was compacted"
        );
        on_step(Step::Compacted {
            trigger: need.trigger,
            tokens_before,
            tokens_after,
            listed: summary.listed,
        });
        hook_points::after_compaction(self.turn, need.trigger, &summary.text).await;
        Ok(Compacted {
            summary: summary.text,
            first_kept: first_kept_entry_id,
            kept: context.entries.len().saturating_sub(plan.first_kept),
            tokens_before,
            tokens_after,
            usage: summary.usage,
        })
    }

    /// The summary of what is dropped, the request that must not be lost included.
    async fn summary(
        &self,
        context: &Context,
        plan: &Plan,
        budget: Budget,
        wish: CompactionOptions<'_>,
    ) -> Result<Summary, NotShorter> {
        let before = context.summary.as_deref().unwrap_or_default();
        let carried = before.split_once(REQUEST_MARK).map_or("", |(_, carried)| carried);
        let before = before.replace(REQUEST_MARK, "\n\nAsked last: ");
        let dropped = context.entries.get(..plan.first_kept).unwrap_or_default();
        let kept = context.entries.get(plan.first_kept..).unwrap_or_default();
        let mut summary = if wish.max_entries.is_some() {
            let (usage, max) = (Usage::default(), size::bytes_of(budget.summary));
            Summary { text: with_list(&before, dropped, max), listed: true, usage }
        } else {
            self.ask_for_summary(before, dropped, budget, wish).await?
        };
        summary.text = summary.text.replace(REQUEST_MARK, "\n\n");
        let request = match plan.request.and_then(|at| context.entries.get(at)) {
            Some(entry) => said(entry),
            // The turn was cut before: its request is in the summary before this one.
            None if !kept.iter().any(|entry| !said(entry).is_empty()) => carried.to_owned(),
            None => String::new(),
        };
        if !request.is_empty() {
            summary.text.push_str(REQUEST_MARK);
            summary.text.push_str(&clipped(&request, size::bytes_of(budget.request)));
        }
        Ok(summary)
    }

    async fn ask_for_summary(
        &self,
        before: String,
        dropped: &[Entry],
        budget: Budget,
        wish: CompactionOptions<'_>,
    ) -> Result<Summary, NotShorter> {
        let max = size::bytes_of(budget.summary);
        let pieces = digest::pieces(dropped, size::bytes_of(budget.piece));
        let (mut text, mut usage) = (before, Usage::default());
        let most = if self.turn.compaction.in_pieces { MAX_PIECES } else { 1 };
        let mut listed = pieces.len() > most;
        let asked = async {
            for piece in pieces.iter().skip(pieces.len().saturating_sub(most)) {
                let answer = self.ask_about(&text, wish, piece, budget.summary).await?;
                usage.add(&answer.usage);
                let said = answer.text();
                if said.trim().is_empty() {
                    return Err(LlmError::new(FailReason::Format, "the summary is empty"));
                }
                text = clipped(said.trim(), max);
            }
            Ok(())
        };
        let failed = match tokio::time::timeout(self.turn.compaction.timeout, asked).await {
            Ok(Ok(())) => None,
            Ok(Err(error)) if error.reason == FailReason::Aborted => return Err(NotShorter::Stopped),
            Ok(Err(error)) => Some(error.message),
            Err(_elapsed) => Some("it took too long".to_owned()),
        };
        if self.cancel.is_cancelled() {
            return Err(NotShorter::Stopped);
        }
        if let Some(error) = failed {
            tracing::warn!(
                error,
                "the conversation could not be summarised; its requests are listed instead"
            );
            listed = true;
        }
        if listed {
            text = with_list(&text, dropped, max);
        }
        Ok(Summary { text, listed, usage })
    }

    /// Asks for the summary of a piece; of less and less of it while it is refused as too long.
    async fn ask_about(
        &self,
        before: &str,
        wish: CompactionOptions<'_>,
        piece: &str,
        most: u64,
    ) -> Result<AssistantMessage, LlmError> {
        let mut halved = 0;
        loop {
            let shorter = clipped(piece, piece.len() >> halved);
            match self.ask(question(before, &shorter, wish), most).await {
                Err(error) if error.reason == FailReason::ContextOverflow && halved < MAX_HALVED => {
                    halved += 1;
                }
                answered => return answered,
            }
        }
    }

    async fn ask(&self, question: String, most: u64) -> Result<AssistantMessage, LlmError> {
        let turn = self.turn;
        let message = UserMessage {
            content: UserContent::Text(question),
            timestamp: self.agent.clock.now_ms(),
            idempotency_key: None,
        };
        let request = Request {
            model: Arc::clone(&turn.model.model),
            system: Arc::from(PROMPT),
            messages: vec![Arc::new(Message::User(message))],
            tools: Arc::from([]),
            max_tokens: Some(u32::try_from(most).unwrap_or(u32::MAX).max(LEAST_ANSWER)),
            sampling: homard_llm::Sampling::default(),
            thinking: ThinkingLevel::Off,
            credential: None,
            session: None,
            program_dir: turn.program_dir(),
        };
        hook_points::before_call(turn).await?;
        let mut stream = turn.model.provider.stream(request, self.cancel.child_token());
        while let Some(event) = stream.next().await {
            match event {
                StreamEvent::Done(answer) => {
                    hook_points::after_call(turn, &answer.message).await;
                    return Ok(answer.message);
                }
                StreamEvent::Failed(error) => return Err(error),
                _ => {}
            }
        }
        Err(LlmError::new(FailReason::Format, "the summary ended without an end"))
    }
}

/// What a person said in an entry; empty when it was somebody else.
fn said(entry: &Entry) -> String {
    match &entry.kind {
        EntryKind::Message { message: message @ Message::User(_) } => message.text(),
        _ => String::new(),
    }
}

fn question(before: &str, piece: &str, wish: CompactionOptions<'_>) -> String {
    let so_far = if before.is_empty() { "There is none yet." } else { before };
    let wanted =
        wish.instructions.map(|words| format!(" The person asks of it: {words}")).unwrap_or_default();
    format!(
        "<summary-so-far>\n{so_far}\n</summary-so-far>\n\n<conversation>\n{piece}</conversation>\n\nWrite the summary of both.{wanted}"
    )
}

/// What is known of the past without any model's help, in about `max` bytes.
fn with_list(before: &str, dropped: &[Entry], max: usize) -> String {
    let list = digest::list(dropped, max / 2);
    format!("{}\n\n{list}", clipped(before, max / 2)).trim_start().to_owned()
}

impl Agent {
    /// Shortens a conversation because somebody asked for it. Must not be called while a turn of it is under way.
    ///
    /// # Errors
    /// When there is nothing to shorten, it was stopped, or the transcript cannot be read or written.
    pub async fn compact(
        &self,
        (turn, history): (&Turn, &mut History),
        wish: CompactionOptions<'_>,
        on_step: &mut (dyn FnMut(Step<'_>) + Send),
        cancel: &CancellationToken,
    ) -> Result<Compacted, NotShorter> {
        let overhead = size::of_overhead(&turn.system, &turn.offered);
        let need = RoomNeeded { trigger: Trigger::Manual, tried: 0, overhead, wish };
        Compactor { agent: self, turn, cancel }.run(history, need, on_step).await
    }
}
