//! What the owner wants, decided: defaults filled in, ids parsed, paths absolute, cross-checks done.
//!
//! Only settings that are in effect are here; `validation::inert` knows and reports the others.
//! Each section has its own file, with the raw shape's counterpart beside the decision.

pub mod agents;
pub mod approvals;
pub mod auth;
pub mod bindings;
pub mod budgets;
pub mod commands;
pub mod cron;
pub mod diagnostics;
pub mod gateway;
pub mod hooks;
pub mod logging;
pub mod messages;
pub mod models;
pub mod session;
pub mod skills;
pub mod tools;
pub mod update;

use std::collections::BTreeMap;

use homard_protocol::ChannelId;
use serde_json::Value;

use crate::env::Environment;
use crate::issue::Issue;
use crate::paths::Paths;
use crate::raw::Raw;
use crate::raw::value::SecretText;
use crate::secret::Secret;
use crate::views::Views;

/// Settings in effect. Taken once at the edge of a unit of work and used to its end.
#[derive(Debug, Clone, PartialEq)]
pub struct Config {
    pub gateway: gateway::Gateway,
    pub agents: agents::Agents,
    /// Which agent gets which messages.
    pub bindings: bindings::Bindings,
    /// Slash commands in chats.
    pub commands: commands::Commands,
    /// How messages look and wait.
    pub messages: messages::Messages,
    /// Calls from outside that start something.
    pub hooks: hooks::Hooks,
    /// Which credentials are used in which order.
    pub auth: auth::Auth,
    /// Where models are served.
    pub models: models::Models,
    /// What models may cost.
    pub budgets: budgets::Budgets,
    /// What agents may do.
    pub tools: tools::Tools,
    /// Who on chat platforms is the owner.
    pub owners: commands::owners::Owners,
    /// How answers reach people on chat platforms.
    pub delivery: messages::delivery::Delivery,
    /// Which messages belong together.
    pub session: session::Session,
    /// What agents have been taught.
    pub skills: skills::Skills,
    pub cron: cron::Cron,
    /// Where questions to the owner are shown on chat platforms.
    pub approvals: approvals::ApprovalRoutes,
    pub logging: logging::Logging,
    /// Where newer programs come from.
    pub update: update::Update,
    /// Being found by others.
    pub discovery: gateway::reach::Discovery,
    /// What is told to a collector.
    pub diagnostics: diagnostics::Diagnostics,
    /// Channel sections as written; only `homard_policy::accounts` reads them, everybody else asks it.
    pub channels: RawChannels,
    /// All layers of the environment, for credentials that are looked up by name.
    pub env: Environment,
    /// What rooms make of all this.
    pub(crate) views: Views,
}

impl Config {
    /// The settings of somebody who wrote none.
    #[must_use]
    pub fn empty(paths: &Paths, env: &Environment) -> Self {
        let mut cx = Resolve::new(paths, env);
        Self::resolve(Raw::default(), &mut cx)
    }

    /// Decides every setting; problems and warnings are left in `cx`.
    pub(crate) fn resolve(raw: Raw, cx: &mut Resolve<'_>) -> Self {
        let delivery = messages::delivery::Delivery::resolve(&raw);
        let sparing = auth::is_sparing(raw.auth.as_ref());
        let channels = raw.channels.unwrap_or_default();
        let channels = channels.into_iter().filter_map(|(id, section)| {
            let parsed = ChannelId::parse(&id);
            parsed
                .map_err(|error| cx.issue(format!("channels.{id}"), error.to_string()))
                .ok()
                .map(|id| (id, section))
        });
        let channels = channels.collect();
        let commands = raw.commands.unwrap_or_default();
        let gateway = gateway::Gateway::resolve(raw.gateway.unwrap_or_default(), cx);
        Self {
            hooks: hooks::Hooks::resolve(raw.hooks.unwrap_or_default(), &gateway.auth, cx),
            gateway,
            agents: agents::Agents::resolve(
                raw.agents.unwrap_or_default(),
                raw.memory.unwrap_or_default(),
                sparing,
                cx,
            ),
            auth: auth::Auth::resolve(raw.auth.unwrap_or_default(), cx),
            models: models::Models::resolve(raw.models.unwrap_or_default(), cx),
            budgets: budgets::Budgets::resolve(raw.budgets.unwrap_or_default(), cx),
            tools: tools::Tools::resolve(raw.tools.unwrap_or_default(), cx),
            commands: commands::Commands::resolve(&commands),
            owners: commands::owners::Owners::resolve(commands, cx),
            delivery,
            bindings: bindings::Bindings::resolve(
                raw.bindings.unwrap_or_default(),
                raw.broadcast.unwrap_or_default(),
                cx,
            ),
            messages: messages::Messages::resolve(raw.messages.unwrap_or_default(), cx),
            session: session::Session::resolve(raw.session.unwrap_or_default(), cx),
            skills: skills::Skills::resolve(raw.skills.unwrap_or_default(), cx),
            cron: cron::Cron::resolve(raw.cron.unwrap_or_default(), cx),
            approvals: approvals::ApprovalRoutes::resolve(raw.approvals.unwrap_or_default(), cx),
            logging: logging::Logging::resolve(raw.logging.unwrap_or_default(), cx),
            update: update::Update::resolve(raw.update.unwrap_or_default()),
            discovery: gateway::reach::Discovery::resolve(raw.discovery.unwrap_or_default(), cx),
            diagnostics: diagnostics::Diagnostics::resolve(raw.diagnostics.unwrap_or_default(), cx),
            channels,
            env: cx.env.clone(),
            views: Views::default(),
        }
    }
}

/// The sections of chat platforms, as written with references resolved. `Debug` hides secrets.
#[derive(Clone, Default, PartialEq)]
pub struct RawChannels(BTreeMap<ChannelId, Value>);

impl RawChannels {
    /// Every section, `defaults` among them.
    pub fn sections(&self) -> impl Iterator<Item = (&ChannelId, &Value)> {
        self.0.iter()
    }
}

impl FromIterator<(ChannelId, Value)> for RawChannels {
    fn from_iter<T: IntoIterator<Item = (ChannelId, Value)>>(sections: T) -> Self {
        Self(sections.into_iter().collect())
    }
}

impl std::fmt::Debug for RawChannels {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let shown = self.0.iter().map(|(id, section)| (id, crate::redact::redact_section(section)));
        f.debug_map().entries(shown).finish()
    }
}

/// What deciding needs, and what it finds.
pub(crate) struct Resolve<'a> {
    pub(crate) paths: &'a Paths,
    pub(crate) env: &'a Environment,
    pub(crate) issues: Vec<Issue>,
    pub(crate) warnings: Vec<Issue>,
}

impl<'a> Resolve<'a> {
    pub(crate) fn new(paths: &'a Paths, env: &'a Environment) -> Self {
        Self { paths, env, issues: Vec::new(), warnings: Vec::new() }
    }

    pub(crate) fn issue(&mut self, path: impl Into<String>, message: impl Into<String>) {
        self.issues.push(Issue::new(path, message));
    }

    pub(crate) fn warn(&mut self, path: impl Into<String>, message: impl Into<String>) {
        self.warnings.push(Issue::new(path, message));
    }

    /// A secret from wherever it is kept. Blank counts as unset.
    pub(crate) fn secret(&mut self, path: &str, text: Option<SecretText>) -> Option<Secret> {
        match text? {
            SecretText::Text(text) => Some(text.0).filter(|t| !t.trim().is_empty()).map(Secret::new),
            SecretText::Reference(reference) if reference.source == "env" => {
                let found = self.env.get(&reference.id).map(Secret::new);
                if found.is_none() {
                    self.issue(path, format!("environment variable `{}` is not set", reference.id));
                }
                found
            }
            SecretText::Reference(reference) => {
                let source = reference.source;
                self.warn(
                    path,
                    format!("secret references of source `{source}` are known, not yet in effect"),
                );
                None
            }
        }
    }
}
