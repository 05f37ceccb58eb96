//! What pages ask for on load whose rooms are not furnished: each answer is truly empty.

use homard_protocol::method::NoParams;
use homard_protocol::methods::system::conversation_stubs::InSessionParams;
use homard_protocol::methods::system::stubs::{
    Board, CatalogListParams, CatalogListResult, ControlUiPlugins, DiscussionInfo, MAX_PREFS, MAX_VIEWED,
    MembersEvidence, MentionsListResult, ProjectsListParams, ProjectsListResult, SessionPullRequestsParams,
    SubscribedResult, SurfaceParams, SurfaceUrls, Taken, UsersPrefs, UsersPrefsParams, Viewed, ViewersParams,
    VisibilityParams,
};
use serde_json::Value;

use crate::error::RequestError;
use crate::methods::check_range;
use crate::methods::session_key;
use crate::table::Cx;

/// `plugins.controlUi.list`.
pub(crate) async fn plugins(_cx: Cx, _params: NoParams) -> Result<ControlUiPlugins, RequestError> {
    Ok(ControlUiPlugins { revision: "0".to_owned(), ..ControlUiPlugins::default() })
}

/// `openclaw.approval.list`.
pub(crate) async fn approvals(_cx: Cx, _params: NoParams) -> Result<Vec<Value>, RequestError> {
    Ok(Vec::new())
}

/// `plugin.surface.refresh`.
pub(crate) async fn surface(cx: Cx, params: SurfaceParams) -> Result<SurfaceUrls, RequestError> {
    let plugin_surface_urls = crate::http::surface_of(&cx, &params.surface);
    Ok(SurfaceUrls { surface: params.surface, plugin_surface_urls })
}

/// `sessions.observer.visibility`.
pub(crate) async fn observer(_cx: Cx, _params: VisibilityParams) -> Result<Taken, RequestError> {
    Ok(Taken { ok: true })
}

/// `controlUi.sessionPullRequests.subscribe`.
pub(crate) async fn pull_requests(
    _cx: Cx,
    _params: SessionPullRequestsParams,
) -> Result<SubscribedResult, RequestError> {
    Ok(SubscribedResult { subscribed: false })
}

/// `users.prefs.get`.
pub(crate) async fn prefs(_cx: Cx, params: UsersPrefsParams) -> Result<UsersPrefs, RequestError> {
    check_range("users.prefs.get", "keys", params.keys.map(|keys| keys.len()), 0..=MAX_PREFS)?;
    Ok(UsersPrefs { status: "no_durable_identity".to_owned() })
}

/// `mentions.list`.
pub(crate) async fn mentions(cx: Cx, _params: NoParams) -> Result<MentionsListResult, RequestError> {
    Ok(MentionsListResult {
        gateway_instance_id: cx.gateway.lifecycle().boot_id.to_owned(),
        ..MentionsListResult::default()
    })
}

/// `board.get`.
pub(crate) async fn board(cx: Cx, params: InSessionParams) -> Result<Board, RequestError> {
    Ok(Board { session_key: key(&cx, &params)?, ..Board::default() })
}

/// `projects.list`.
pub(crate) async fn projects(
    _cx: Cx,
    _params: ProjectsListParams,
) -> Result<ProjectsListResult, RequestError> {
    Ok(ProjectsListResult::default())
}

/// `sessions.viewers.set`.
pub(crate) async fn viewers(cx: Cx, params: ViewersParams) -> Result<Viewed, RequestError> {
    check_range("sessions.viewers.set", "sessionKeys", Some(params.session_keys.len()), 0..=MAX_VIEWED)?;
    let agent = params.agent_id.as_ref();
    let keys = params.session_keys.iter().map(|said| session_key(&cx.gateway, said, agent));
    Ok(Viewed { session_keys: keys.collect::<Result<_, _>>()? })
}

/// `sessions.catalog.list`.
pub(crate) async fn catalogs(_cx: Cx, params: CatalogListParams) -> Result<CatalogListResult, RequestError> {
    check_range("sessions.catalog.list", "limitPerHost", params.limit_per_host, 1..=u64::MAX)?;
    Ok(CatalogListResult::default())
}

/// `session.discussion.info`.
pub(crate) async fn discussion(cx: Cx, params: InSessionParams) -> Result<DiscussionInfo, RequestError> {
    key(&cx, &params)?;
    Ok(DiscussionInfo { state: "none".to_owned() })
}

/// `session.members.listEvidence`.
pub(crate) async fn members(cx: Cx, params: InSessionParams) -> Result<MembersEvidence, RequestError> {
    let key = session_key(&cx.gateway, &params.session_key, params.agent_id.as_ref())?;
    let known = cx.gateway.store().sessions().get(&key).await?;
    if known.is_none() {
        return Err(RequestError::invalid(format!("unknown session: {key}")));
    }
    Ok(MembersEvidence { session_key: key.to_string(), members: Vec::new() })
}

fn key(cx: &Cx, params: &InSessionParams) -> Result<String, RequestError> {
    Ok(session_key(&cx.gateway, &params.session_key, params.agent_id.as_ref())?.to_string())
}
