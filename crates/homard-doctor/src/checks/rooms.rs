//! What the rooms above told: the model that answers, accounts on chat platforms, the running gateway.

use homard_policy::accounts::ChannelAccounts;

use crate::finding::Finding;
use crate::scene::Scene;

pub(super) fn model(scene: &Scene<'_>) -> Vec<Finding> {
    let Some(model) = &scene.rooms.model else { return Vec::new() };
    let mut found = Vec::new();
    let provider = &model.provider;
    if !model.is_chosen {
        let words = format!("no model is chosen; {} would answer", model.chosen);
        found.push(Finding::warn("models.unset", words).fix("homard models set PROVIDER/MODEL"));
    }
    if let Some(why) = &model.unknown {
        found.push(
            Finding::error("models.unknown", why.clone())
                .fix("homard models list --all, then homard models set PROVIDER/MODEL"),
        );
    } else if !model.has_key {
        let words = format!("{} has no key and no login, so nothing can be answered", model.chosen);
        found.push(
            Finding::error("models.no_key", words)
                .fix(format!("homard models auth add --provider {provider}")),
        );
    } else if !model.is_ready {
        let words = format!("every key of {provider} rests after failures");
        found.push(
            Finding::warn("models.resting", words).fix("homard models status says until when, and why"),
        );
    }
    found
}

pub(super) fn channels(scene: &Scene<'_>) -> Vec<Finding> {
    let accounts = &scene.rooms.channels;
    let mut found = Vec::new();
    for account in accounts.iter().filter(|account| account.is_enabled) {
        let named = format!("{} ({})", account.channel, account.account);
        let again =
            format!("homard channels add --channel {} --account {}", account.channel, account.account);
        if let Some(problem) = &account.problem {
            found.push(Finding::error("channels.wrong", format!("{named}: {problem}")).fix(again));
        } else if !account.is_configured {
            let words =
                format!("{named} is switched on and lacks what it needs to connect, such as its token");
            found.push(Finding::error("channels.no_token", words).fix(again));
        }
    }
    let settings = scene.settings();
    let problems = settings.view::<ChannelAccounts>();
    let problems = problems.problems().into_iter().map(|problem| Finding::warn("channels.notice", problem));
    found.extend(problems);
    if accounts.is_empty() {
        let words = "no chat platform is set up; the page and the command line work without";
        found.push(Finding::info("channels.none", words).fix("homard channels add"));
    }
    let told = scene.rooms.gateway.iter().flat_map(|gateway| &gateway.channels);
    let bad = told.filter(|line| ![": connected", ": switched off"].iter().any(|end| line.ends_with(end)));
    found.extend(bad.map(|line| {
        Finding::warn("channels.not_connected", line.clone()).fix("homard channels status --probe")
    }));
    found
}

pub(super) fn version(scene: &Scene<'_>) -> Vec<Finding> {
    let ours = scene.rooms.version;
    let Some(gateway) = &scene.rooms.gateway else { return Vec::new() };
    if let Some(problem) = &gateway.problem {
        let words = format!("the gateway runs and does not answer: {problem}");
        return vec![
            Finding::error("version.no_answer", words)
                .fix("homard logs shows what it says; homard gateway restart"),
        ];
    }
    if gateway.version == ours {
        return Vec::new();
    }
    let words = format!("the gateway is version {}, this program {ours}", gateway.version);
    vec![Finding::warn("version.different", words).fix("homard gateway handover lets this program take over")]
}
