//! What is done about a message whose sender may speak: stop, begin anew, obey, keep a setting, or ask the model.

use homard_channel::Inbound;
use homard_config::config::session::send_policy::SendAction;
use homard_policy::freshness::{self, Stale};
use homard_policy::queue::{QueueOptions, QueuePolicy};
use homard_policy::sending::{self, send_policy};
use homard_policy::words::{Arg, Call, Directive, Meaning, Reset};
use homard_protocol::events::SessionChange;
use homard_protocol::{ChannelId, StopCause, TurnSource};
use homard_runtime::OrLog;
use homard_store::{ResetReason, StoreError};

use super::directives::NOTHING_TO_LEAVE;
use super::inbound::{InboundVisit, IntakeOutcome, rank, say_there};
use super::meaning;
use crate::hook_points::{self, Speaker};
use crate::intake::admit::Admitted;
use crate::intake::call_quota::Guest;
use crate::parts::Dispatch;
use crate::turn_setup::settings::time_zone;
use crate::turns::accept::{AcceptError, Accepted};
use crate::turns::queue::{kept_wish, unless_asking};
use crate::turns::request::TurnOptions;

/// What somebody is told whose message says nothing.
const NO_TEXT: &str = "I received your message, but there was no text in it that I could read.";

impl Dispatch {
    /// Does what a message asks for.
    pub(super) async fn act_on(
        &self,
        mut visit: InboundVisit,
        mut admitted: Admitted,
        mut options: TurnOptions,
    ) -> Result<IntakeOutcome, AcceptError> {
        let skills = self.setup().skill_names(&admitted).await;
        let mut reading = visit.rules.words.reading(visit.our_name.as_deref(), &skills);
        // In groups, words inside a text count only from those who mean us or may command anyway.
        reading.may_command = admitted.standing().may_command;
        let meaning = meaning::read(admitted.message(), &reading);
        options.settings.take(&meaning.directives);
        if meaning.stop {
            return self.stop_there(admitted, options).await;
        }
        if let Some(reset) = &meaning.reset {
            if reset.rest.trim().is_empty() && admitted.message().details.files.is_empty() {
                return self.begin_anew(admitted, options, reset).await;
            }
            let by = Speaker::of(admitted.message());
            self.reset_for(admitted.session_key(), reset, by).await?;
            visit.session = None;
        } else if let Some(call) = &meaning.command {
            if let Some(command) = call.command
                && !command.who.admits(rank(&admitted))
            {
                return Ok(IntakeOutcome::Nothing(format!("the sender may not use /{}", command.name)));
            }
            admitted.reword(call.typed());
            let obeyed = Box::pin(self.commands().obey_call(&mut admitted, &options, call.clone())).await?;
            return match obeyed {
                Some(_answered) => Ok(IntakeOutcome::Taken),
                None => Box::pin(self.ask(visit, admitted, options, &meaning)).await,
            };
        } else if meaning.only_directives {
            return self.keep_directives(admitted, options, &meaning.directives).await;
        }
        if meaning.directives.iter().any(|one| matches!(one, Directive::Elevated(Arg::Is(_)))) {
            let text = format!("⚙️ {NOTHING_TO_LEAVE}");
            say_there(&self.outgoing(), admitted.message(), text, "elevated").await;
        }
        for shortcut in &meaning.shortcuts {
            Box::pin(self.answer_beside(&admitted, shortcut)).await;
        }
        if meaning.text.trim().is_empty() && !meaning.shortcuts.is_empty() {
            return Ok(IntakeOutcome::Nothing("it was a command".to_owned()));
        }
        let admitted = admitted.with_text(meaning.text.clone());
        Box::pin(self.ask(visit, admitted, options, &meaning)).await
    }

    /// Stops what goes on in the conversation, without waiting for anything.
    async fn stop_there(
        &self,
        admitted: Admitted,
        options: TurnOptions,
    ) -> Result<IntakeOutcome, AcceptError> {
        let (key, by) = (admitted.session_key().clone(), Speaker::of(admitted.message()));
        let begun = match self.commands().begin_command(admitted, options).await? {
            Ok(begun) => begun,
            Err(_known) => return Ok(IntakeOutcome::Taken),
        };
        let children = self.inner().store().subagents().open(Some(&key)).await;
        let children = children.or_log("the subagents could not be counted").map_or(0, |open| open.len());
        self.turns().abort(&key, None, StopCause::Stop).await;
        hook_points::stopped(self.inner(), &key, &by).await;
        let answer = match children {
            0 => "⚙️ Agent was aborted.".to_owned(),
            1 => "⚙️ Agent was aborted. Stopped 1 subagent.".to_owned(),
            many => format!("⚙️ Agent was aborted. Stopped {many} subagents."),
        };
        self.commands().end_command(begun, Ok(answer)).await;
        Ok(IntakeOutcome::Taken)
    }

    /// Begins the conversation anew and says so.
    async fn begin_anew(
        &self,
        admitted: Admitted,
        options: TurnOptions,
        reset: &Reset,
    ) -> Result<IntakeOutcome, AcceptError> {
        let (key, by) = (admitted.session_key().clone(), Speaker::of(admitted.message()));
        let begun = match self.commands().begin_command(admitted, options).await? {
            Ok(begun) => begun,
            Err(_known) => return Ok(IntakeOutcome::Taken),
        };
        let answer = match self.reset_for(&key, reset, by).await {
            Ok(()) => {
                let session = self.inner().store().sessions().get(&key).await?;
                Ok(format!("⚙️ New session · {}", self.sessions().model_for(&key, session.as_ref())))
            }
            Err(error) => Err(error.to_string()),
        };
        self.commands().end_command(begun, answer).await;
        Ok(IntakeOutcome::Taken)
    }

    /// Begins a conversation anew as somebody asked, with the model they named.
    async fn reset_for(
        &self,
        key: &homard_protocol::SessionKey,
        reset: &Reset,
        by: Speaker,
    ) -> Result<(), StoreError> {
        self.sessions().reset_by(key, ResetReason::of_word(&reset.trigger), Some(by)).await?;
        if let Some(model) = &reset.model {
            let chosen = self.inner().router().selector().parse(model).ok();
            let chosen = chosen.filter(|wanted| self.inner().router().selector().allows(&wanted.model));
            if let Some(wanted) = chosen {
                let patched = self
                    .inner()
                    .store()
                    .sessions()
                    .patch(key, move |entry| entry.choose_model(Some(&wanted.model)));
                self.sessions().announce_change(&patched.await?, SessionChange::Patch);
            }
        }
        Ok(())
    }

    /// Answers a command that stands beside a text.
    async fn answer_beside(&self, admitted: &Admitted, name: &str) {
        let Some(call) = Call::named(name) else { return };
        let run = format!("{}-{name}", admitted.run());
        let mut beside = admitted.clone().with_run(run).with_text(call.typed());
        let mut options = TurnOptions::of(TurnSource::Channel).replying_to(admitted.message().address());
        if let Some(reply) = &mut options.reply {
            reply.is_owner = admitted.standing().is_owner;
        }
        let answered = Box::pin(self.commands().obey_call(&mut beside, &options, call)).await;
        answered.or_log("a command beside a text could not be obeyed");
    }

    /// Asks the model, when the conversation's turn has come.
    async fn ask(
        &self,
        mut visit: InboundVisit,
        admitted: Admitted,
        mut options: TurnOptions,
        meaning: &Meaning,
    ) -> Result<IntakeOutcome, AcceptError> {
        if may_not_answer(&visit, admitted.message()) {
            return Ok(IntakeOutcome::Nothing("answers are not sent here (sendPolicy)".to_owned()));
        }
        if let Some(guest) = Guest::behind(admitted.message(), admitted.standing().is_owner) {
            let most = self.inner().config().session.guest_calls_per_hour;
            let quota = self.call_quota();
            if let Err(spent) = quota.check(&guest, most, self.inner().clock().now_ms()) {
                if spent.is_news {
                    let text = format!(
                        "That is a lot in one hour, and others want to be answered, too. Try again in {} min.",
                        spent.minutes
                    );
                    say_there(&self.outgoing(), admitted.message(), text, "enough").await;
                }
                return Ok(IntakeOutcome::Nothing(
                    "who sent it has had their model calls of this hour (session.guestCallsPerHour)"
                        .to_owned(),
                ));
            }
        }
        self.begin_anew_if_stale(&mut visit, &admitted.message().channel).await?;
        let message = admitted.message();
        let files = self.fetch_files(visit.there.as_ref(), message, visit.account.rules.media_max_bytes);
        let Some(media) = self.unless_stopped(message, files).await else {
            return Ok(IntakeOutcome::Nothing(
                "the sender said stop while its files were on their way".to_owned(),
            ));
        };
        let Some(text) = self.told_text(&visit, &admitted, &media) else {
            say_there(&self.outgoing(), admitted.message(), NO_TEXT.to_owned(), "no-text").await;
            return Ok(IntakeOutcome::Nothing("it says nothing".to_owned()));
        };
        options.labels.extend(self.labels_of_others(&admitted).await?);
        let wish = meaning.queue_wish();
        let policy = queue_policy(&visit, &admitted.message().channel, &wish);
        let policy = unless_asking(policy, &options, wish.mode);
        let admitted = admitted.with_text(text).with_pictures(media.pictures);
        Ok(match self.turns().queue_by(admitted, options, &policy).await {
            // One that was answered is known, and what is known closed its rows.
            Ok(Accepted::Started { .. } | Accepted::Finished(_) | Accepted::Answered { .. }) => {
                IntakeOutcome::Asked
            }
            Ok(Accepted::InFlight { .. }) => {
                IntakeOutcome::Nothing("it is being answered already".to_owned())
            }
            Err(AcceptError::Full(_)) => {
                IntakeOutcome::Nothing("too many messages wait in the conversation".to_owned())
            }
            Err(error) => return Err(error),
        })
    }

    /// Begins a conversation anew that is too old. One in which something goes on is not.
    async fn begin_anew_if_stale(
        &self,
        visit: &mut InboundVisit,
        channel: &ChannelId,
    ) -> Result<(), StoreError> {
        let Some(session) = &visit.session else { return Ok(()) };
        let key = visit.key().clone();
        if !self.runs().of_session(&key).is_empty() {
            return Ok(());
        }
        let config = &visit.rules.config;
        let rule = freshness::rule(&config.session, &key, Some(channel));
        let zone = time_zone(config.agents.defaults.user_timezone.as_deref());
        let reason =
            match freshness::stale(rule, session.entry.updated_at, self.inner().clock().now_ms(), &zone) {
                None => return Ok(()),
                Some(Stale::Daily) => ResetReason::Daily,
                Some(Stale::Idle) => ResetReason::Idle,
            };
        tracing::info!(session = %key, ?reason, "a conversation begins anew");
        let reset = self.sessions().reset(&key, reason).await?;
        visit.session = Some(reset.record);
        Ok(())
    }
}

/// Whether the owner does not want answers there.
fn may_not_answer(visit: &InboundVisit, message: &Inbound) -> bool {
    let entry = visit.session.as_ref().map(|session| &session.entry);
    let place = sending::SendPlace {
        own: entry.and_then(|entry| entry.send_policy.as_ref()),
        session: visit.key(),
        channel: Some(message.channel.as_str()),
        chat: Some(message.conversation.kind()),
    };
    send_policy(&visit.rules.config.session.send_policy, &place) == SendAction::Deny
}

fn queue_policy(visit: &InboundVisit, channel: &ChannelId, inline: &QueueOptions) -> QueuePolicy {
    let entry = visit.session.as_ref().map(|session| &session.entry);
    let kept = entry.map(kept_wish).unwrap_or_default();
    QueuePolicy::decide(&visit.rules.config.messages.queue, Some(channel), &kept, inline)
}
