//! Lists that pages ask for when they are opened and whose rooms are not furnished: plugins, worktrees, terminals, people.
//!
//! Each is truly empty. The methods that would change something do not exist.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_with::skip_serializing_none;

use super::conversation_stubs::InSessionParams;
use crate::id::AgentId;
use crate::method::{Access, Method, NoParams};
use crate::scope::Scope;

/// Makes a method that only says that there is nothing, and its answer.
macro_rules! empty_list {
    ($(#[$doc:meta])* $name:ident, $method:literal, $scope:ident, $params:ty => $answer:ident { $($field:ident: $type:ty),+ }) => {
        $(#[$doc])*
        #[derive(Debug)]
        pub struct $name;

        impl Method for $name {
            const NAME: &'static str = $method;
            const ACCESS: Access = Access::Operator(Scope::$scope);
            const EMPTY: bool = true;
            type Params = $params;
            type Result = $answer;
        }

        #[doc = concat!("Answer of [`", stringify!($name), "`].")]
        #[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
        #[serde(rename_all = "camelCase")]
        pub struct $answer {
            $(pub $field: $type,)+
        }
    };
}

empty_list!(/// `plugins.list`: plugins that are installed, and whether some could be.
    PluginsList, "plugins.list", Read, NoParams =>
    PluginsInventory { plugins: Vec<Value>, diagnostics: Vec<Value>, mutation_allowed: bool });
empty_list!(/// `plugins.uiDescriptors`: what plugins add to the page.
    PluginsUiDescriptors, "plugins.uiDescriptors", Read, NoParams =>
    UiDescriptors { ok: Always, descriptors: Vec<Value> });
empty_list!(/// `portal.list`: ports of this machine that are shown elsewhere.
    PortalList, "portal.list", Read, PortalListParams => Portals { portals: Vec<Value> });
empty_list!(/// `secrets.store.list`: secrets that people keep in the page.
    SecretsStoreList, "secrets.store.list", Admin, NoParams => StoredSecrets { entries: Vec<Value> });
empty_list!(/// `session.suggestions.list`: what others propose to say in a conversation.
    SessionSuggestionsList, "session.suggestions.list", Read, InSessionParams =>
    SessionSuggestions { suggestions: Vec<Value> });
empty_list!(/// `terminal.list`: terminals that are open.
    TerminalList, "terminal.list", Admin, NoParams => Terminals { sessions: Vec<Value> });
empty_list!(/// `transcripts.list`: meetings that were written down.
    TranscriptsList, "transcripts.list", Read, TranscriptsListParams => Transcripts { sessions: Vec<Value> });
empty_list!(/// `transcripts.status`: whether meetings are written down, and by whom; nobody does.
    TranscriptsStatus, "transcripts.status", Read, NoParams =>
    TranscriptsState { enabled: bool, providers: Vec<Value>, configured_sources: Vec<Value>, omitted: BTreeMap<String, u64> });
empty_list!(/// `users.list`: people with a profile; a gateway has one owner, who needs none.
    UsersList, "users.list", Read, NoParams => UserProfiles { profiles: Vec<Value> });
empty_list!(/// `worktrees.list`: working copies that are looked after.
    WorktreesList, "worktrees.list", Read, NoParams => Worktrees { worktrees: Vec<Value> });

/// A flag that is never off.
#[derive(Debug, Clone, Copy, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Always(bool);

impl Default for Always {
    fn default() -> Self {
        Self(true)
    }
}

/// Parameters of [`PortalList`].
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct PortalListParams {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub environment_id: Option<String>,
}

/// Parameters of [`TranscriptsList`].
#[skip_serializing_none]
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct TranscriptsListParams {
    pub limit: Option<u32>,
    pub cursor: Option<String>,
    pub query: Option<String>,
    pub provider_id: Option<String>,
    pub account_id: Option<String>,
    pub agent_id: Option<AgentId>,
    pub started_after: Option<String>,
    pub started_before: Option<String>,
}
