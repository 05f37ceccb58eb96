//! The gates, in order.

use homard_channel::{ChatKind, Conversation, Details, Notice, Sender};
use homard_protocol::session_words::GroupActivation;

use super::allow::{AllowList, MatchSource, SenderIdentity, is_among};
use super::commands::Lists;
use super::mentions::{self, Mention};
use super::places::PlaceRules;
use super::rules::{AccountRules, AllowBots, DmPolicy, GroupPolicy};
use super::{Case, Refusal, Standing, Verdict};

/// Passes a message through all gates; the first that stays shut says why.
pub(super) fn pass(case: &Case<'_>) -> Result<Verdict, Verdict> {
    let (message, rules) = (case.message, case.rules);
    let details = &message.details;
    let Some(who) = SenderIdentity::sent(message.channel.as_str(), &message.sender, details) else {
        return refuse(Refusal::NotAllowed);
    };
    if !rules.enabled {
        return refuse(Refusal::AccountOff);
    }
    let place = place_of(rules, &message.conversation, details);
    let mention = mentions::look(&message.text, details, case.our_name, case.patterns);
    programs(case, place.is_none() || mention.is_meant)?;
    let matched = match &place {
        None => direct(rules, case.let_in, &who, details.is_bot)?,
        Some(place) => group(rules, place, &who)?,
    };
    let lists = Lists {
        direct: &rules.allow,
        let_in: if place.is_none() { case.let_in } else { &[] },
        group: place.as_ref().map(|place| place.allow.unwrap_or(&rules.groups.allow)),
        names: rules.names,
    };
    let standing = Standing {
        may_command: case.commands.may_command(&who, &lists),
        is_owner: case.commands.is_owner(&who, &rules.allow),
        was_mentioned: place.is_none() || mention.is_meant,
        matched,
    };
    let is_command = case.is_command || details.native_command;
    if is_command && !standing.may_command {
        return refuse(Refusal::CommandNotAllowed);
    }
    match place {
        Some(place) if !is_command && is_left_out(case.activation, &place, &mention) => {
            Ok(Verdict::Overheard)
        }
        _ => Ok(Verdict::Admitted(standing)),
    }
}

/// Whether what somebody did may be told: they would be answered if they spoke, mentioned or not.
#[must_use]
pub fn may_be_told(happening: &Notice, rules: &AccountRules, let_in: &[String]) -> bool {
    if matches!(happening.sender, Sender::Operator) {
        return true;
    }
    let details = Details::default();
    let Some(who) = SenderIdentity::sent(happening.channel.as_str(), &happening.sender, &details) else {
        return false;
    };
    let admitted = match place_of(rules, &happening.conversation, &details) {
        None => direct(rules, let_in, &who, false),
        Some(place) => group(rules, &place, &who),
    };
    rules.enabled && admitted.is_ok()
}

fn refuse<T>(why: Refusal) -> Result<T, Verdict> {
    Err(Verdict::Refused(why))
}

/// What holds where the message was said; `None` in direct messages.
fn place_of<'a>(
    rules: &'a AccountRules,
    conversation: &Conversation,
    details: &Details,
) -> Option<PlaceRules<'a>> {
    match conversation.kind() {
        ChatKind::Direct => None,
        ChatKind::Group | ChatKind::Channel => {
            Some(rules.groups.place(conversation, details.parent.as_ref()))
        }
    }
}

/// Programs are not answered unless the owner says so, and never for ever.
fn programs(case: &Case<'_>, is_meant: bool) -> Result<(), Verdict> {
    if !case.message.details.is_bot {
        return Ok(());
    }
    match case.rules.bots {
        AllowBots::Always => {}
        AllowBots::Mentions if is_meant => {}
        AllowBots::Never | AllowBots::Mentions => return refuse(Refusal::Bot),
    }
    match case.rules.bot_loops {
        Some(limit) if case.bots_in_a_row > limit.most => refuse(Refusal::BotLoop),
        Some(_) | None => Ok(()),
    }
}

fn direct(
    rules: &AccountRules,
    let_in: &[String],
    who: &SenderIdentity<'_>,
    is_bot: bool,
) -> Result<Option<MatchSource>, Verdict> {
    if rules.dm_policy == DmPolicy::Disabled || !rules.directs.is_enabled(who.id) {
        return refuse(Refusal::DmsOff);
    }
    let listed = rules.allow.find(who, rules.names);
    match listed.or_else(|| is_among(let_in, who).then_some(MatchSource::Id)) {
        Some(source) => Ok(Some(source)),
        None if rules.dm_policy == DmPolicy::Pairing && !is_bot => Err(Verdict::Stranger),
        None => refuse(Refusal::NotAllowed),
    }
}

fn group(
    rules: &AccountRules,
    place: &PlaceRules<'_>,
    who: &SenderIdentity<'_>,
) -> Result<Option<MatchSource>, Verdict> {
    if rules.groups.policy == GroupPolicy::Disabled || place.policy == GroupPolicy::Disabled {
        return refuse(Refusal::GroupsOff);
    }
    if !place.is_listed {
        return refuse(Refusal::GroupNotListed);
    }
    if !place.enabled {
        return refuse(Refusal::GroupOff);
    }
    let found = |list: &AllowList| match list.find(who, rules.names) {
        Some(source) => Ok(Some(source)),
        None => refuse(Refusal::NotAllowed),
    };
    match (place.allow, place.policy) {
        // A list for this place counts, even where everybody else may speak.
        (Some(list), _) => found(list),
        (None, GroupPolicy::Open) => Ok(None),
        (None, GroupPolicy::Allowlist | GroupPolicy::Disabled) => found(&rules.groups.allow),
    }
}

/// Whether a message in a group is not for us. Where nobody can tell, it is.
fn is_left_out(activation: Option<GroupActivation>, place: &PlaceRules<'_>, mention: &Mention) -> bool {
    let must_be_meant = match activation {
        Some(GroupActivation::Always) => false,
        Some(GroupActivation::Mention) => true,
        None => place.require_mention,
    };
    must_be_meant && mention.can_tell && !mention.is_meant
}
