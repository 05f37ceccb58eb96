//! One message, or several that are one, from the inbox to where it belongs.

use std::sync::Arc;
use std::time::Duration;

use homard_channel::{ChatKind, Inbound, SharedChannel, Threads};
use homard_config::config::bindings::BroadcastStrategy;
use homard_policy::access::{Case, Standing, Verdict, judge, owner_ids};
use homard_policy::accounts::ChannelAccount;
use homard_policy::envelope::OverheardMessage;
use homard_policy::routing::{Destination, destinations};
use homard_protocol::{RunId, SessionKey, TurnSource};
use homard_runtime::{OrCancel, OrLog};
use homard_store::{InboxId, SessionRecord, StoreError};
use tokio::time::sleep;

use super::chat_place::ChatPlace;
use super::gather::Bundle;
use super::rules::CompanyRules;
use super::{meaning, run_name};
use crate::approvals::answer_of;
use crate::delivery::outbox::OutgoingText;
use crate::delivery::run_delivery::ReplyRoute;
use crate::intake::admit::{Admitted, admit_judged};
use crate::intake::origin::Origin;
use crate::intake::route::Route;
use crate::parts::{Intake, Outgoing};
use crate::trail;
use crate::turns::accept::AcceptError;
use crate::turns::request::TurnOptions;

/// How long an account that is about to be connected is waited for, after a start.
const ACCOUNT_WAIT: Duration = Duration::from_secs(10);
/// How often it is looked for.
const ACCOUNT_LOOK: Duration = Duration::from_millis(50);

/// How often a message is tried to be taken when the store does not answer.
const STORE_TRIES: u32 = 5;
/// How long after.
const STORE_WAIT: Duration = Duration::from_secs(2);

/// What became of a message.
pub(crate) enum IntakeOutcome {
    /// A run has it, and its rows are closed.
    Taken,
    /// The same, and the model is told what was overheard before.
    Asked,
    /// Its sender may not speak, or does not mean us.
    Refused(String),
    /// Nothing comes of it, for this reason.
    Nothing(String),
}

/// Where a message belongs, and by which rules.
pub(super) struct InboundVisit {
    /// The rows that are closed with it.
    pub(super) ids: Vec<InboxId>,
    pub(super) rules: Arc<CompanyRules>,
    pub(super) account: Arc<ChannelAccount>,
    pub(super) there: Option<SharedChannel>,
    pub(super) our_name: Option<String>,
    pub(super) destination: Destination,
    pub(super) session: Option<SessionRecord>,
}

impl InboundVisit {
    /// How many messages of context are kept for the group.
    fn history_limit(&self, message: &Inbound) -> usize {
        let place = self.account.rules.groups.place(&message.conversation, message.details.parent.as_ref());
        let config = &self.rules.config;
        let agent = config.agents.agent(&self.destination.agent);
        place
            .history_limit
            .or(self.account.rules.history_limit)
            .or_else(|| agent.and_then(|agent| agent.group_chat.history_limit))
            .unwrap_or_else(|| config.messages.group_chat.history())
    }

    pub(super) fn key(&self) -> &SessionKey {
        &self.destination.session
    }
}

impl Intake {
    /// Takes what was gathered to where it belongs, and closes its rows if nothing comes of it.
    pub(super) async fn take_bundle(&self, bundle: Bundle) {
        let ids = bundle.ids();
        let Some(message) = bundle.message() else { return };
        self.reached(&message, &ids);
        if let Some(answer) = answer_of(&message) {
            let came_of_it = self.chat_approvals().take(&message, &answer).await;
            return self.close(ids, came_of_it).await;
        }
        match self.take_patiently(&message, &ids).await {
            Ok(IntakeOutcome::Taken | IntakeOutcome::Asked) => {}
            Ok(IntakeOutcome::Refused(why)) => self.leave_out("refused", &message, ids, &why).await,
            Ok(IntakeOutcome::Nothing(why)) => self.leave_out("dropped", &message, ids, &why).await,
            Err(error @ (AcceptError::Stopping | AcceptError::Store(_))) => {
                let (channel, message_id) = (&message.channel, &message.message_id);
                tracing::warn!(%channel, message_id, %error, "a message waits for the next start");
            }
            Err(error) => {
                let (channel, message_id) = (&message.channel, &message.message_id);
                tracing::warn!(%channel, message_id, %error, "a message could not be taken");
                self.close(ids, &error.to_string()).await;
            }
        }
    }

    async fn leave_out(&self, step: &'static str, message: &Inbound, ids: Vec<InboxId>, why: &str) {
        trail::left_out(step, message, why);
        self.close(ids, why).await;
    }

    /// Tries again when the store does not answer: whoever wrote does not know that they have to wait for a restart,
    /// and what they write next must not be answered first.
    async fn take_patiently(&self, message: &Inbound, ids: &[InboxId]) -> Result<IntakeOutcome, AcceptError> {
        let stopping = self.inner().stopping();
        for _try in 1..STORE_TRIES {
            match self.take_heard(message, ids).await {
                Err(AcceptError::Store(error)) if !stopping.is_cancelled() => {
                    tracing::warn!(channel = %message.channel, %error, "a message is taken again in a moment");
                    let _stopping = sleep(STORE_WAIT).or_cancel(stopping).await;
                }
                taken => return taken,
            }
        }
        self.take_heard(message, ids).await
    }

    async fn take_heard(&self, message: &Inbound, ids: &[InboxId]) -> Result<IntakeOutcome, AcceptError> {
        let rules = self.inner().company_rules();
        let there = self.account_of(message).await;
        let threads = there.as_ref().map_or(Threads::None, |there| there.abilities().threads);
        let account = rules.account(&message.channel, &message.account);
        let our_name = self.our_name(message);
        let mut outcome = IntakeOutcome::Nothing("nobody is to answer".to_owned());
        let destinations = destinations(&rules.routes, message, rules.speaker(message), threads);
        let last = destinations.len().saturating_sub(1);
        let mut is_asked = false;
        for (at, destination) in destinations.into_iter().enumerate() {
            let session = self.inner().store().sessions().get(&destination.session).await?;
            let visit = InboundVisit {
                // Where several answer, the rows are closed with the last; the others' runs are known by name.
                ids: if at == last { ids.to_vec() } else { Vec::new() },
                rules: Arc::clone(&rules),
                account: Arc::clone(account),
                there: there.clone(),
                our_name: our_name.clone(),
                destination,
                session,
            };
            outcome = self.visit(message, visit, at).await?;
            is_asked |= matches!(outcome, IntakeOutcome::Asked);
            if at < last && rules.routes.broadcast.strategy == BroadcastStrategy::Sequential {
                self.until_answered(message, at).await?;
            }
        }
        if is_asked {
            self.state().company().history.clear(&ChatPlace::of(message).to_string());
        }
        Ok(outcome)
    }

    /// Waits until the agent at this place among several has answered. A stop leaves those after it for the next start,
    /// where what was answered is known.
    async fn until_answered(&self, message: &Inbound, at: usize) -> Result<(), AcceptError> {
        let Some(mut ending) = run_of(message, at).and_then(|id| self.runs().get(&id)).map(|run| run.watch())
        else {
            return Ok(());
        };
        let ended = ending.wait_for(Option::is_some).or_cancel(self.inner().stopping()).await;
        ended.map(drop).map_err(|_stopping| AcceptError::Stopping)
    }

    /// The account that heard a message. Right after a start it may not be there yet.
    async fn account_of(&self, message: &Inbound) -> Option<SharedChannel> {
        let mut waited = Duration::ZERO;
        loop {
            let found = self.channels().known(&message.channel, &message.account);
            if found.is_some() || waited >= ACCOUNT_WAIT || self.inner().stopping().is_cancelled() {
                return found;
            }
            sleep(ACCOUNT_LOOK).await;
            waited += ACCOUNT_LOOK;
        }
    }

    async fn visit(
        &self,
        message: &Inbound,
        visit: InboundVisit,
        at: usize,
    ) -> Result<IntakeOutcome, AcceptError> {
        let verdict = self.judge(message, &visit).await?;
        match &verdict {
            Verdict::Admitted(_) => {}
            Verdict::Stranger => {
                let label = format!("{} user id", message.channel);
                self.stranger_asks(message, &visit.account.rules, &label).await?;
                return Ok(IntakeOutcome::Refused("a stranger, who may ask to be let in".to_owned()));
            }
            Verdict::Overheard => {
                self.overhear(message, &visit);
                return Ok(IntakeOutcome::Refused("not for us".to_owned()));
            }
            Verdict::Refused(why) => return Ok(IntakeOutcome::Refused(why.to_string())),
        }
        let Some(run) = run_of(message, at) else {
            return Ok(IntakeOutcome::Nothing("it cannot be named".to_owned()));
        };
        let (session, agent) = (visit.destination.session.clone(), visit.destination.agent.clone());
        let route = Route::decided(&visit.rules.config, session, agent)?;
        let admitted = admit_judged(message.clone(), run.to_string(), route, verdict)?;
        trail::admitted(&admitted);
        let options = options(&visit, &admitted);
        self.dispatch().act_on(visit, admitted, options).await
    }

    /// Asks the rules of company.
    async fn judge(&self, message: &Inbound, visit: &InboundVisit) -> Result<Verdict, StoreError> {
        let (channel, account) = (&message.channel, &message.account);
        let patterns = visit.rules.patterns(channel, account, &visit.destination.agent);
        let let_in = self.inner().store().pairing().allowed(channel, account).await?;
        let entry = visit.session.as_ref().map(|session| &session.entry);
        let activation = entry.and_then(|entry| entry.group_activation.as_ref()?.known());
        let limit = visit.account.rules.bot_loops.unwrap_or_default();
        let now = self.inner().clock().now_ms();
        let is_bot = message.details.is_bot;
        let bots_in_a_row =
            self.state().company().bots.heard(&ChatPlace::of(message).to_string(), is_bot, now, &limit);
        Ok(judge(&Case {
            message,
            rules: &visit.account.rules,
            let_in: &let_in,
            our_name: visit.our_name.as_deref(),
            commands: &visit.rules.commands,
            is_command: meaning::is_control(&visit.rules.words, message, visit.our_name.as_deref()),
            patterns: &patterns,
            activation,
            bots_in_a_row,
        }))
    }

    /// Keeps what was not for us, as context for what will be.
    fn overhear(&self, message: &Inbound, visit: &InboundVisit) {
        let history = &mut self.state().company().history;
        history.keep(
            &ChatPlace::of(message).to_string(),
            OverheardMessage::of(message),
            visit.history_limit(message),
        );
    }
}

/// The run of a message; where several agents answer, each has its own.
fn run_of(message: &Inbound, at: usize) -> Option<RunId> {
    let name = run_name(message)?;
    if at == 0 { Some(name) } else { RunId::parse(&format!("{name}-{at}")).ok() }
}

/// What goes with the run of a message.
fn options(visit: &InboundVisit, admitted: &Admitted) -> TurnOptions {
    let (message, standing) = (admitted.message(), admitted.standing());
    let reply = message.address().map(|address| {
        Box::new(ReplyRoute {
            address,
            message_id: Some(message.message_id.clone()),
            was_mentioned: standing.was_mentioned || message.conversation.kind() == ChatKind::Direct,
            is_owner: standing.is_owner,
        })
    });
    let origin = Origin::of(message, standing, visit.destination.parent.clone());
    let origin = if is_guest(visit, admitted) { origin.by_guest() } else { origin };
    let (origin, inbox) = (Some(Box::new(origin)), visit.ids.clone());
    TurnOptions { reply, origin, inbox, ..TurnOptions::of(TurnSource::Channel) }
}

/// Whether somebody else than the owner writes in the owner's own conversation. Where nobody is named as the owner,
/// nobody is a guest.
fn is_guest(visit: &InboundVisit, admitted: &Admitted) -> bool {
    !admitted.standing().is_owner
        && visit.key().is_main()
        && !owner_ids(&visit.rules.commands, &visit.account.rules, &admitted.message().channel).is_empty()
}

/// Says something that is no answer of a run, where the message was said.
pub(super) async fn say_there(outgoing: &Outgoing, message: &Inbound, text: String, what: &str) {
    let Some(address) = message.address() else { return };
    let key = format!("{what}:{}:{}", ChatPlace::of(message), message.message_id);
    let said = outgoing.say(OutgoingText { address, text, reply_to: None, key }).await;
    said.or_log("a note could not be kept to be sent");
}

/// The standing of the sender of an admitted message, in the words of the table of commands.
pub(super) fn rank(admitted: &Admitted) -> homard_policy::words::Rank {
    let Standing { may_command, is_owner, .. } = admitted.standing();
    homard_policy::words::Rank {
        may_command: *may_command,
        is_owner: *is_owner,
        // Who may leave the sandbox is decided where commands run.
        is_elevated: *is_owner,
    }
}
