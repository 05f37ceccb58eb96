//! What a page asks for beside its files: how it is set up, and pictures of agents and people.

use futures_util::FutureExt;
use homard_config::config::agents::Agent;
use homard_config::config::gateway::ControlUi;
use homard_protocol::AgentId;
use homard_runtime::off_thread;
use http::{Request, StatusCode};
use hyper::body::Incoming;
use serde_json::{Value, json};

use super::folder::{self, ServedFile};
use super::routes::{RouteCx, RouteEntry, RouteGuard, RouteMethods, is_reserved};
use super::{media, reading};
use crate::gateway::Gateway;
use homard_http::answers::{Answer, json_answer, text};

/// Where the page learns how it is set up.
const SETUP: [&str; 3] =
    ["/control-ui-config.json", "/__openclaw/control-ui-config.json", "/__openclaw__/control-ui-config.json"];
/// Pictures and files of rooms that are not furnished: there is nothing behind them yet.
const EMPTY_ROOMS: [&str; 13] = [
    "/api/artifacts/download/",
    "/api/chat/media/outgoing/",
    "/api/users/",
    "/__openclaw__/board/",
    "/__openclaw__/catalog-icon",
    "/__openclaw__/channel-avatar",
    "/__openclaw__/link-favicon",
    "/__openclaw__/mcp-app",
    "/__openclaw__/plugin-activity-icon",
    "/__openclaw__/plugin-icon",
    "/__openclaw__/plugin-theme-art",
    "/__openclaw__/workspace-icon",
    "/__openclaw__/media/",
];
/// What an agent without a name is called.
const NAMELESS: &str = "Assistant";
/// The picture of an agent.
const AVATAR: &str = "/avatar/";

/// What the page asks for beside its files.
pub(super) const ENTRY: RouteEntry = RouteEntry {
    reserved: &["/api/", "/__openclaw/", "/plugins/"],
    methods: RouteMethods::Look,
    guard: RouteGuard::Guarded,
    owns: |known, path| owned(&known.config.gateway.control_ui, path).is_some(),
    answer: |cx| answer(cx).boxed(),
};

/// What a path asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
enum PageRequest {
    /// How the page is set up.
    Setup,
    /// The picture of an agent.
    Avatar(String),
    /// A file of a transcript.
    Media,
    /// Something of a room that is not furnished.
    Nothing,
    /// A path nobody knows, and never the app's.
    Unknown,
}

/// Whether `path` is one of these.
fn owned(page: &ControlUi, path: &str) -> Option<PageRequest> {
    if path == page.base_path {
        return None;
    }
    let path =
        path.strip_prefix(page.base_path.as_str()).filter(|rest| rest.starts_with('/')).unwrap_or(path);
    if SETUP.contains(&path) {
        return Some(PageRequest::Setup);
    }
    if let Some(agent) = path.strip_prefix(AVATAR) {
        return Some(PageRequest::Avatar(agent.to_owned()));
    }
    if path == media::PATH {
        return Some(PageRequest::Media);
    }
    if EMPTY_ROOMS.iter().any(|prefix| path.starts_with(prefix)) {
        return Some(PageRequest::Nothing);
    }
    let is_known_to_be_none = path == "/ui" || path.starts_with("/ui/");
    (is_known_to_be_none || is_reserved(path)).then_some(PageRequest::Unknown)
}

/// Answers it.
async fn answer(RouteCx { gateway, request, peer }: RouteCx<'_>) -> Answer {
    let wanted = owned(&gateway.config().current().gateway.control_ui, request.uri().path());
    let wanted = wanted.unwrap_or(PageRequest::Unknown);
    if wanted == PageRequest::Unknown {
        return text(StatusCode::NOT_FOUND, "Not Found");
    }
    if wanted == PageRequest::Media {
        return media::answer(gateway, &request, peer).await;
    }
    if let Err(refused) = reading::check(gateway, request.headers(), peer).await {
        return *refused;
    }
    match wanted {
        PageRequest::Setup => json_answer(StatusCode::OK, &setup(gateway)),
        PageRequest::Avatar(agent) => avatar(gateway, &request, &agent).await,
        PageRequest::Media | PageRequest::Nothing | PageRequest::Unknown => {
            text(StatusCode::NOT_FOUND, "Not Found")
        }
    }
}

fn setup(gateway: &Gateway) -> Value {
    let config = gateway.config().current();
    let agent = config.agents.default_agent();
    let picture = Picture::of(agent);
    let name = agent.identity.name.as_deref().or(agent.name.as_deref()).unwrap_or(NAMELESS);
    json!({
        "basePath": config.gateway.control_ui.base_path,
        "assistantName": name,
        "assistantAvatar": picture.address(agent).or_else(|| agent.identity.emoji.clone()),
        "assistantAvatarSource": picture.source(),
        "assistantAvatarStatus": picture.status(),
        "assistantAvatarReason": picture.reason(),
        "assistantAgentId": agent.id,
        "serverVersion": gateway.diagnostics().host.version,
        "serverBuildId": Value::Null,
        "embedSandbox": "strict",
        "allowExternalEmbedUrls": false,
        "automaticallyFetchFavicons": false,
        "communityInvite": false,
        "terminalEnabled": false,
        "cliAgentsEnabled": false,
        "pluginAssetsRequireAuth": true,
        "pluginFrameGrants": [],
    })
}

/// The picture an agent was given.
enum Picture {
    None,
    /// On the web, or in the address itself.
    Address(&'static str, String),
    /// A file of its workspace.
    File(String),
}

impl Picture {
    fn of(agent: &Agent) -> Self {
        let Some(given) = agent.identity.avatar.as_deref().map(str::trim) else { return Self::None };
        match given {
            "" => Self::None,
            _ if given.starts_with("data:image/") => Self::Address("data", given.to_owned()),
            _ if given.starts_with("https://") || given.starts_with("http://") => {
                Self::Address("remote", given.to_owned())
            }
            _ if given.contains(['/', '.']) => Self::File(given.to_owned()),
            // A sign, as identity files have it.
            _ => Self::None,
        }
    }

    fn address(&self, agent: &Agent) -> Option<String> {
        match self {
            Self::None => None,
            Self::Address(_, address) => Some(address.clone()),
            Self::File(_) => Some(format!("{AVATAR}{}", agent.id)),
        }
    }

    fn status(&self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Address(kind, _) => kind,
            Self::File(_) => "local",
        }
    }

    fn source(&self) -> Option<&str> {
        match self {
            Self::File(path) => Some(path),
            Self::None | Self::Address(..) => None,
        }
    }

    fn reason(&self) -> Option<&'static str> {
        matches!(self, Self::None).then_some("missing")
    }
}

async fn avatar(gateway: &Gateway, request: &Request<Incoming>, id: &str) -> Answer {
    let config = gateway.config().current();
    let agent = AgentId::parse(id).ok().and_then(|id| config.agents.agent(&id).cloned());
    let Some(agent) = agent else { return text(StatusCode::NOT_FOUND, "Not Found") };
    let picture = Picture::of(&agent);
    let query = request.uri().query().unwrap_or_default();
    if url::form_urlencoded::parse(query.as_bytes()).any(|(name, value)| name == "meta" && value == "1") {
        let told = json!({
            "avatarUrl": picture.address(&agent),
            "avatarSource": picture.source(),
            "avatarStatus": picture.status(),
            "avatarReason": picture.reason(),
        });
        return json_answer(StatusCode::OK, &told);
    }
    let Picture::File(path) = picture else { return text(StatusCode::NOT_FOUND, "Not Found") };
    let root = agent.workspace.clone();
    let found = off_thread(move || {
        let path = path.trim_start_matches("./").to_owned();
        if folder::is_plain(&path) { folder::inside(&root, &root.join(path)) } else { None }
    });
    let Some(path) = found.await.ok().flatten() else { return text(StatusCode::NOT_FOUND, "Not Found") };
    let Some(content_type) = media::picture_type(&path) else {
        return text(StatusCode::NOT_FOUND, "Not Found");
    };
    let served = ServedFile { path, content_type, cache: "no-cache", encoding: None };
    folder::serve(&served, request.headers()).await
}

#[cfg(test)]
mod tests;
