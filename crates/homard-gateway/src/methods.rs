//! The handlers, one file per family, and the table that names them.

mod agents;
pub(crate) mod approvals;
mod channels;
pub(crate) mod chat;
pub(crate) mod config;
mod cron;
mod devices;
mod memory;
mod models;
pub(crate) mod nodes;
pub(crate) mod sessions;
mod system;
mod tools;
mod usage;
mod voice;

use homard_protocol::methods::agents::{
    AgentsCreate, AgentsDelete, AgentsFilesGet, AgentsFilesList, AgentsFilesSet, AgentsUpdate,
};
use homard_protocol::methods::approvals::exec_policy::{ExecApprovalsGet, ExecApprovalsSet};
use homard_protocol::methods::approvals::{
    ExecApprovalGet, ExecApprovalList, ExecApprovalRequest, ExecApprovalResolve, ExecApprovalWaitDecision,
    PluginApprovalList, PluginApprovalResolve,
};
use homard_protocol::methods::channels::accounts::{
    ChannelsLogout, ChannelsPairingApprove, ChannelsPairingDismiss, ChannelsPairingList, ChannelsStart,
    ChannelsStop, WebLoginStart, WebLoginWait,
};
use homard_protocol::methods::channels::check::ChannelsCheck;
use homard_protocol::methods::channels::dead_letters::ChannelsDeadLetters;
use homard_protocol::methods::channels::sending::{MessageAction, Poll, Send};
use homard_protocol::methods::channels::{ChannelsPlatforms, ChannelsStatus};
use homard_protocol::methods::chat::agent::{Agent, AgentWait, AgentsList, ModelsList};
use homard_protocol::methods::chat::message::ChatMessageGet;
use homard_protocol::methods::chat::startup::{ChatMetadata, ChatStartup, CommandsList};
use homard_protocol::methods::chat::{ChatAbort, ChatHistory, ChatInject, ChatSend};
use homard_protocol::methods::config::lookup::{ConfigOpenFile, ConfigSchemaLookup};
use homard_protocol::methods::config::wizard::{WizardCancel, WizardNext, WizardStart, WizardStatus};
use homard_protocol::methods::config::{ConfigApply, ConfigGet, ConfigPatch, ConfigSchema, ConfigSet};
use homard_protocol::methods::cron::{
    CronAdd, CronGet, CronList, CronPreview, CronRemove, CronRun, CronRuns, CronStatus, CronUpdate,
};
use homard_protocol::methods::devices::setup_codes::{
    DevicePairSetupCode, DevicePairSetupStatus, DeviceScopesRequestUpgrade, DeviceScopesWaitUpgrade,
};
use homard_protocol::methods::devices::{
    DevicePairApprove, DevicePairList, DevicePairReject, DevicePairRemove, DevicePairRename,
    DeviceTokenRevoke, DeviceTokenRotate,
};
use homard_protocol::methods::memory::{MemoryGet, MemoryList, MemorySearch};
use homard_protocol::methods::models::auth::{
    ModelsAuthImport, ModelsAuthLogout, ModelsAuthSetApiKey, ModelsProbe,
};
use homard_protocol::methods::models::auth_status::ModelsAuthStatus;
use homard_protocol::methods::nodes::exec_policy::{ExecApprovalsNodeGet, ExecApprovalsNodeSet};
use homard_protocol::methods::nodes::invoke::{
    NodeEvent, NodeInvoke, NodeInvokeProgress, NodeInvokeResult, NodePendingAck, NodePendingDrain,
    NodePendingEnqueue, NodePendingPull, NodePluginSurfaceRefresh,
};
use homard_protocol::methods::nodes::{
    NodeDescribe, NodeList, NodePairApprove, NodePairList, NodePairReject, NodePairRemove, NodeRename,
};
use homard_protocol::methods::sessions::archive::{SessionsCleanup, SessionsEnded, SessionsRestore};
use homard_protocol::methods::sessions::branches::{
    SessionsBranchesList, SessionsBranchesSwitch, SessionsFork, SessionsRewind,
};
use homard_protocol::methods::sessions::commands::{
    SessionsAbort, SessionsCreate, SessionsGet, SessionsSend, SessionsSteer,
};
use homard_protocol::methods::sessions::compact::SessionsCompact;
use homard_protocol::methods::sessions::context::SessionsContext;
use homard_protocol::methods::sessions::details::{
    AgentIdentityGet, SessionsDescribe, SessionsMessagesSubscribe, SessionsMessagesUnsubscribe,
};
use homard_protocol::methods::sessions::groups::{
    SessionsGroupsDefaults, SessionsGroupsDelete, SessionsGroupsList, SessionsGroupsPut,
    SessionsGroupsRename, SessionsGroupsUpdate,
};
use homard_protocol::methods::sessions::search::SessionsSearch;
use homard_protocol::methods::sessions::undo::{UndoApply, UndoList};
use homard_protocol::methods::sessions::{
    SessionsDelete, SessionsList, SessionsPatch, SessionsPreview, SessionsReset, SessionsResolve,
    SessionsSubscribe,
};
use homard_protocol::methods::system::maintenance::{
    BrowserRequest, GatewayIdentityGet, SecretsReload, SystemInfo, UpdateRun, UpdateStatus,
};
use homard_protocol::methods::system::page_load::{
    BoardGet, MentionsList, OpenclawApprovalList, PluginSurfaceRefresh, PluginsControlUiList, ProjectsList,
    SessionDiscussionInfo, SessionMembersListEvidence, SessionPullRequestsSubscribe, SessionsCatalogList,
    SessionsObserverVisibility, SessionsViewersSet, UsersPrefsGet,
};
use homard_protocol::methods::system::side_lists::{
    ProgressCardGet, QuestionList, SessionsCompanionState, TaskSuggestionsList, TasksList,
};
use homard_protocol::methods::system::wake::{SetHeartbeats, SystemEvent, WakeUp};
use homard_protocol::methods::system::{Health, LastHeartbeat, LogsTail, Status, SystemPresence};
use homard_protocol::methods::tools::invoke::ToolsInvoke;
use homard_protocol::methods::tools::skills::{SkillsBins, SkillsInstall, SkillsStatus, SkillsUpdate};
use homard_protocol::methods::tools::{ToolsCatalog, ToolsEffective, ToolsExplain};
use homard_protocol::methods::usage::hours::UsageHours;
use homard_protocol::methods::usage::sessions::{SessionsUsage, SessionsUsageLogs, SessionsUsageTimeseries};
use homard_protocol::methods::usage::{UsageCost, UsageRuns, UsageStatus};
use homard_protocol::methods::voice::wake_words::{VoicewakeGet, VoicewakeSet};
use homard_protocol::methods::voice::{
    TalkCatalog, TalkConfig, TalkMode, TalkSpeak, TtsConvert, TtsDisable, TtsEnable, TtsProviders,
    TtsSetProvider, TtsStatus,
};
use homard_protocol::{AgentId, SessionKey};

use crate::error::RequestError;
use crate::gateway::Gateway;
use crate::table::MethodTable;

/// Every method, in alphabetical order. (`connect` is answered by the handshake.)
#[expect(clippy::too_many_lines, reason = "a table: one line per method")]
pub(crate) fn table() -> MethodTable {
    MethodTable::default()
        .on::<Agent, _, _>(chat::agent::agent)
        .on::<AgentIdentityGet, _, _>(sessions::details::identity)
        .on::<AgentWait, _, _>(chat::agent::wait)
        .on::<AgentsCreate, _, _>(agents::create)
        .on::<AgentsDelete, _, _>(agents::delete)
        .on::<AgentsFilesGet, _, _>(agents::files::get)
        .on::<AgentsFilesList, _, _>(agents::files::list)
        .on::<AgentsFilesSet, _, _>(agents::files::set)
        .on::<AgentsList, _, _>(chat::agent::list)
        .on::<AgentsUpdate, _, _>(agents::update)
        .on::<BoardGet, _, _>(system::page_load::board)
        .on::<BrowserRequest, _, _>(system::maintenance::browser)
        .on::<ChannelsCheck, _, _>(channels::check::check)
        .on::<ChannelsDeadLetters, _, _>(channels::dead_letters::list)
        .on::<ChannelsLogout, _, _>(channels::account_actions::logout)
        .on::<ChannelsPairingApprove, _, _>(channels::pairing::approve)
        .on::<ChannelsPairingDismiss, _, _>(channels::pairing::dismiss)
        .on::<ChannelsPairingList, _, _>(channels::pairing::list)
        .on::<ChannelsPlatforms, _, _>(channels::platforms)
        .on::<ChannelsStart, _, _>(channels::account_actions::start)
        .on::<ChannelsStatus, _, _>(channels::status)
        .on::<ChannelsStop, _, _>(channels::account_actions::stop)
        .on::<ChatAbort, _, _>(chat::abort)
        .on::<ChatHistory, _, _>(chat::history)
        .on::<ChatInject, _, _>(chat::inject)
        .on::<ChatMessageGet, _, _>(chat::message::get)
        .on::<ChatMetadata, _, _>(chat::startup::metadata)
        .on::<ChatSend, _, _>(chat::send)
        .on::<ChatStartup, _, _>(chat::startup::startup)
        .on::<CommandsList, _, _>(chat::startup::list)
        .on::<ConfigApply, _, _>(config::apply)
        .on::<ConfigGet, _, _>(config::get)
        .on::<ConfigOpenFile, _, _>(config::lookup::open_file)
        .on::<ConfigPatch, _, _>(config::patch)
        .on::<ConfigSchema, _, _>(config::schema)
        .on::<ConfigSchemaLookup, _, _>(config::lookup::lookup)
        .on::<ConfigSet, _, _>(config::set)
        .on::<CronAdd, _, _>(cron::add)
        .on::<CronGet, _, _>(cron::get)
        .on::<CronList, _, _>(cron::list)
        .on::<CronPreview, _, _>(cron::preview)
        .on::<CronRemove, _, _>(cron::remove)
        .on::<CronRun, _, _>(cron::run)
        .on::<CronRuns, _, _>(cron::runs)
        .on::<CronStatus, _, _>(cron::status)
        .on::<CronUpdate, _, _>(cron::update)
        .on::<DevicePairApprove, _, _>(devices::approve)
        .on::<DevicePairList, _, _>(devices::list)
        .on::<DevicePairReject, _, _>(devices::reject)
        .on::<DevicePairRemove, _, _>(devices::remove)
        .on::<DevicePairRename, _, _>(devices::rename)
        .on::<DevicePairSetupCode, _, _>(devices::setup_codes::make)
        .on::<DevicePairSetupStatus, _, _>(devices::setup_codes::status)
        .on::<DeviceScopesRequestUpgrade, _, _>(devices::setup_codes::request_upgrade)
        .on::<DeviceScopesWaitUpgrade, _, _>(devices::setup_codes::wait_upgrade)
        .on::<DeviceTokenRevoke, _, _>(devices::revoke)
        .on::<DeviceTokenRotate, _, _>(devices::rotate)
        .on::<ExecApprovalGet, _, _>(approvals::exec::get)
        .on::<ExecApprovalList, _, _>(approvals::exec::list)
        .on::<ExecApprovalRequest, _, _>(approvals::exec::request)
        .on::<ExecApprovalResolve, _, _>(approvals::exec::resolve)
        .on::<ExecApprovalWaitDecision, _, _>(approvals::exec::wait_decision)
        .on::<ExecApprovalsGet, _, _>(approvals::exec_policy::get)
        .on::<ExecApprovalsNodeGet, _, _>(nodes::exec_policy::get)
        .on::<ExecApprovalsNodeSet, _, _>(nodes::exec_policy::set)
        .on::<ExecApprovalsSet, _, _>(approvals::exec_policy::set)
        .on::<GatewayIdentityGet, _, _>(system::maintenance::identity)
        .on::<Health, _, _>(system::health)
        .on::<LastHeartbeat, _, _>(system::wake::last_heartbeat)
        .on::<LogsTail, _, _>(system::logs_tail)
        .on::<MemoryGet, _, _>(memory::get)
        .on::<MemoryList, _, _>(memory::list)
        .on::<MemorySearch, _, _>(memory::search)
        .on::<MentionsList, _, _>(system::page_load::mentions)
        .on::<MessageAction, _, _>(channels::sending::action)
        .on::<ModelsAuthImport, _, _>(models::auth::import)
        .on::<ModelsAuthLogout, _, _>(models::auth::logout)
        .on::<ModelsAuthSetApiKey, _, _>(models::auth::set_api_key)
        .on::<ModelsAuthStatus, _, _>(models::auth_status::status)
        .on::<ModelsList, _, _>(models::list)
        .on::<ModelsProbe, _, _>(models::auth::probe)
        .on::<NodeDescribe, _, _>(nodes::describe)
        .on::<NodeEvent, _, _>(nodes::event::event)
        .on::<NodeInvoke, _, _>(nodes::invoke::invoke)
        .on::<NodeInvokeProgress, _, _>(nodes::invoke::progress)
        .on::<NodeInvokeResult, _, _>(nodes::invoke::result)
        .on::<NodeList, _, _>(nodes::list)
        .on::<NodePairApprove, _, _>(nodes::pairing::approve)
        .on::<NodePairList, _, _>(nodes::pairing::list)
        .on::<NodePairReject, _, _>(nodes::pairing::reject)
        .on::<NodePairRemove, _, _>(nodes::pairing::remove)
        .on::<NodePendingAck, _, _>(nodes::pending::ack)
        .on::<NodePendingDrain, _, _>(nodes::pending::drain)
        .on::<NodePendingEnqueue, _, _>(nodes::pending::enqueue)
        .on::<NodePendingPull, _, _>(nodes::pending::pull)
        .on::<NodePluginSurfaceRefresh, _, _>(nodes::invoke::plugin_surface)
        .on::<NodeRename, _, _>(nodes::rename)
        .on::<OpenclawApprovalList, _, _>(system::page_load::approvals)
        .on::<PluginApprovalList, _, _>(approvals::exec::plugin_list)
        .on::<PluginApprovalResolve, _, _>(approvals::exec::plugin_resolve)
        .on::<PluginSurfaceRefresh, _, _>(system::page_load::surface)
        .on::<PluginsControlUiList, _, _>(system::page_load::plugins)
        .on::<Poll, _, _>(channels::sending::poll)
        .on::<ProgressCardGet, _, _>(system::side_lists::card)
        .on::<ProjectsList, _, _>(system::page_load::projects)
        .on::<QuestionList, _, _>(system::side_lists::questions)
        .on::<SecretsReload, _, _>(system::maintenance::secrets_reload)
        .on::<Send, _, _>(channels::sending::send)
        .on::<SessionDiscussionInfo, _, _>(system::page_load::discussion)
        .on::<SessionMembersListEvidence, _, _>(system::page_load::members)
        .on::<SessionPullRequestsSubscribe, _, _>(system::page_load::pull_requests)
        .on::<SessionsAbort, _, _>(sessions::commands::abort)
        .on::<SessionsBranchesList, _, _>(sessions::branches::list)
        .on::<SessionsBranchesSwitch, _, _>(sessions::branches::switch)
        .on::<SessionsCatalogList, _, _>(system::page_load::catalogs)
        .on::<SessionsCleanup, _, _>(sessions::archive::cleanup)
        .on::<SessionsCompact, _, _>(sessions::compact::compact)
        .on::<SessionsCompanionState, _, _>(system::side_lists::companion)
        .on::<SessionsContext, _, _>(sessions::context::report)
        .on::<SessionsCreate, _, _>(sessions::commands::create)
        .on::<SessionsDelete, _, _>(sessions::delete)
        .on::<SessionsDescribe, _, _>(sessions::details::describe)
        .on::<SessionsEnded, _, _>(sessions::archive::ended)
        .on::<SessionsFork, _, _>(sessions::branches::fork)
        .on::<SessionsGet, _, _>(sessions::commands::get)
        .on::<SessionsGroupsDefaults, _, _>(sessions::groups::defaults)
        .on::<SessionsGroupsDelete, _, _>(sessions::groups::delete)
        .on::<SessionsGroupsList, _, _>(sessions::groups::list)
        .on::<SessionsGroupsPut, _, _>(sessions::groups::put)
        .on::<SessionsGroupsRename, _, _>(sessions::groups::rename)
        .on::<SessionsGroupsUpdate, _, _>(sessions::groups::update)
        .on::<SessionsList, _, _>(sessions::list)
        .on::<SessionsMessagesSubscribe, _, _>(sessions::details::subscribe)
        .on::<SessionsMessagesUnsubscribe, _, _>(sessions::details::unsubscribe)
        .on::<SessionsObserverVisibility, _, _>(system::page_load::observer)
        .on::<SessionsPatch, _, _>(sessions::patch)
        .on::<SessionsPreview, _, _>(sessions::preview)
        .on::<SessionsReset, _, _>(sessions::reset)
        .on::<SessionsResolve, _, _>(sessions::resolve)
        .on::<SessionsRestore, _, _>(sessions::archive::restore)
        .on::<SessionsRewind, _, _>(sessions::branches::rewind)
        .on::<SessionsSearch, _, _>(sessions::search::search)
        .on::<SessionsSend, _, _>(sessions::commands::send)
        .on::<SessionsSteer, _, _>(sessions::commands::steer)
        .on::<SessionsSubscribe, _, _>(sessions::subscribe)
        .on::<SessionsUsage, _, _>(usage::sessions::report)
        .on::<SessionsUsageLogs, _, _>(usage::sessions::logs)
        .on::<SessionsUsageTimeseries, _, _>(usage::sessions::timeseries)
        .on::<SessionsViewersSet, _, _>(system::page_load::viewers)
        .on::<SetHeartbeats, _, _>(system::wake::set_heartbeats)
        .on::<SkillsBins, _, _>(tools::skills::bins)
        .on::<SkillsInstall, _, _>(tools::skills::install)
        .on::<SkillsStatus, _, _>(tools::skills::status)
        .on::<SkillsUpdate, _, _>(tools::skills::update)
        .on::<Status, _, _>(system::status)
        .on::<SystemEvent, _, _>(system::wake::event)
        .on::<SystemInfo, _, _>(system::maintenance::system_info)
        .on::<SystemPresence, _, _>(system::presence)
        .on::<TalkCatalog, _, _>(voice::catalog)
        .on::<TalkConfig, _, _>(voice::config)
        .on::<TalkMode, _, _>(voice::mode)
        .on::<TalkSpeak, _, _>(voice::speak)
        .on::<TaskSuggestionsList, _, _>(system::side_lists::suggestions)
        .on::<TasksList, _, _>(system::side_lists::tasks)
        .on::<ToolsCatalog, _, _>(tools::catalog)
        .on::<ToolsEffective, _, _>(tools::effective)
        .on::<ToolsExplain, _, _>(tools::explain)
        .on::<ToolsInvoke, _, _>(tools::invoke::invoke)
        .on::<TtsConvert, _, _>(voice::convert)
        .on::<TtsDisable, _, _>(voice::disable)
        .on::<TtsEnable, _, _>(voice::enable)
        .on::<TtsProviders, _, _>(voice::providers)
        .on::<TtsSetProvider, _, _>(voice::set_provider)
        .on::<TtsStatus, _, _>(voice::status)
        .on::<UndoApply, _, _>(sessions::undo::apply)
        .on::<UndoList, _, _>(sessions::undo::list)
        .on::<UpdateRun, _, _>(system::maintenance::update_run)
        .on::<UpdateStatus, _, _>(system::maintenance::update_status)
        .on::<UsageCost, _, _>(usage::cost)
        .on::<UsageHours, _, _>(usage::hours::report)
        .on::<UsageRuns, _, _>(usage::runs)
        .on::<UsageStatus, _, _>(usage::status)
        .on::<UsersPrefsGet, _, _>(system::page_load::prefs)
        .on::<VoicewakeGet, _, _>(voice::wake_words::get)
        .on::<VoicewakeSet, _, _>(voice::wake_words::set)
        .on::<WakeUp, _, _>(system::wake::wake)
        .on::<WebLoginStart, _, _>(channels::accounts::login_start)
        .on::<WebLoginWait, _, _>(channels::accounts::login_wait)
        .on::<WizardCancel, _, _>(config::wizard::cancel)
        .on::<WizardNext, _, _>(config::wizard::next)
        .on::<WizardStart, _, _>(config::wizard::start)
        .on::<WizardStatus, _, _>(config::wizard::status)
}

/// Refuses a number that is out of its documented range.
fn check_range<N: PartialOrd + std::fmt::Display>(
    method: &str,
    field: &str,
    value: Option<N>,
    range: std::ops::RangeInclusive<N>,
) -> Result<(), RequestError> {
    match value {
        Some(value) if !range.contains(&value) => Err(RequestError::invalid(format!(
            "invalid {method} params: at /{field}: must be between {} and {}",
            range.start(),
            range.end()
        ))),
        _ => Ok(()),
    }
}

/// Reads a session key as a client may write it; bare keys belong to `agent`, or to the default one.
fn session_key(gateway: &Gateway, text: &str, agent: Option<&str>) -> Result<SessionKey, RequestError> {
    let config = gateway.config().current();
    let agent = match agent {
        Some(agent) => AgentId::parse(agent)?,
        None => config.agents.default_agent().id.clone(),
    };
    Ok(SessionKey::parse_for(text, &agent)?)
}

#[cfg(test)]
mod tests;
