//! The box that holds the tools built and described; which there are says the table in `tools`.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use homard_config::config::tools::web::WebTools;
use homard_exec::{BuiltEnv, Launcher, Processes};
use homard_runtime::Clip;
use serde_json::Value;

use crate::cx::ToolCx;
use crate::files::undo;
use crate::gate;
use crate::hook_points::{HookAbout, HookPoint, HookRefusal, HookValue};
use crate::outcome::ToolOutcome;
use crate::policy::{DecidedBy, LayerName, ToolPolicy, canonical_name};
use crate::ports::Ports;
use crate::tool::{DynTool, ToolSpec};
use crate::tools::{TABLE, exec, nodes, process};

/// Least likeness at which an unknown name is taken for a misspelling.
const LIKENESS: f64 = 0.75;

/// A line of the table: how a tool is built.
pub(crate) struct ToolEntry {
    /// Builds it from the options; `None` when they say there is no such tool.
    pub(crate) build: fn(&ToolOptions) -> Option<Arc<dyn DynTool>>,
}

/// What the owner decided about the built-in tools.
#[derive(Debug, Clone)]
pub struct ToolOptions {
    pub home: PathBuf,
    /// Whether file tools refuse paths that lead out of the workspace.
    pub workspace_only: bool,
    /// The environment of commands.
    pub env: BuiltEnv,
    /// How commands are started; directly when there is none.
    pub launcher: Option<Arc<Launcher>>,
    /// How long a command may run when the model names no time.
    pub exec_timeout: Duration,
    /// Reading and searching the web.
    pub web: WebOptions,
    /// How long a command may hold the turn before it goes on in the background.
    pub exec_background_after: Duration,
    /// Commands in the background. Kept by the composition root, since they outlive a change of options.
    pub processes: Processes,
    /// The patch tool; `None` when it is not wanted.
    pub apply_patch: Option<ApplyPatchOptions>,
}

/// What the owner decided about the patch tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ApplyPatchOptions {
    /// Whether it refuses paths that lead out of the workspace, whatever the other file tools do.
    pub workspace_only: bool,
}

/// What the tools for the web may do.
#[derive(Debug, Clone, Default)]
pub struct WebOptions {
    pub tools: WebTools,
    /// Private places that pages may be read from all the same. Only for tests, whose servers are on this
    /// machine: whoever fills this from a setting opens the private network to whatever a model reads.
    pub reachable: Vec<SocketAddr>,
}

impl ToolOptions {
    /// How long a command may run unless the owner says otherwise.
    pub const EXEC_TIMEOUT: Duration = Duration::from_secs(1800);
    /// How long a command may hold the turn unless the owner says otherwise.
    pub const EXEC_BACKGROUND_AFTER: Duration = Duration::from_secs(10);
}

/// A tool with its description, built once.
#[derive(Clone)]
pub struct OfferedTool {
    tool: Arc<dyn DynTool>,
    spec: Arc<ToolSpec>,
    /// What the model is told at first, where that is less than everything.
    brief: Option<Arc<ToolSpec>>,
    /// What it is told where there are nodes, if that is more.
    with_nodes: Option<Arc<ToolSpec>>,
}

impl OfferedTool {
    fn new(tool: Arc<dyn DynTool>) -> Self {
        let spec = Arc::new(tool.spec());
        let brief = tool.is_brief().then(|| Arc::new(spec.in_brief()));
        let with_nodes = (spec.name == exec::NAME).then(|| Arc::new(exec::reaching_nodes(&spec)));
        Self { tool, spec, brief, with_nodes }
    }

    /// What the model is told at first; the same as [`spec`](Self::spec) unless the tool is brief.
    #[must_use]
    pub fn told(&self) -> &Arc<ToolSpec> {
        self.brief.as_ref().unwrap_or(&self.spec)
    }

    /// All there is to tell about it.
    #[must_use]
    pub fn spec(&self) -> &Arc<ToolSpec> {
        &self.spec
    }

    /// How far its effects go.
    #[must_use]
    pub fn reach(&self) -> gate::Effect {
        self.tool.reach()
    }

    /// Runs it, past the gate.
    pub(crate) async fn call(&self, arguments: Value, cx: &ToolCx) -> ToolOutcome {
        if self.spec.name == exec::NAME {
            undo::note_command(cx).await;
        }
        self.tool.call(arguments, cx).await
    }
}

impl std::fmt::Debug for OfferedTool {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("OfferedTool").field(&self.spec.name).finish()
    }
}

/// All tools there are, by name. Built once at start; what a conversation sees of it is the policy's choice.
#[derive(Debug, Clone, Default)]
pub struct Toolbox {
    tools: BTreeMap<String, OfferedTool>,
    /// What `~` means to the gate.
    home: PathBuf,
    /// `exec` for conversations without `process`: it leaves nothing running that nobody could look after.
    lone_exec: Option<OfferedTool>,
}

impl Toolbox {
    /// The built-in tools.
    #[must_use]
    pub fn new(options: &ToolOptions) -> Self {
        let built = TABLE.iter().filter_map(|entry| (entry.build)(options));
        let toolbox = built.fold(Self::default(), Self::with);
        Self {
            lone_exec: Some(OfferedTool::new(exec::without_background(options))),
            home: options.home.clone(),
            ..toolbox
        }
    }

    /// The same box with one more tool; it replaces one of the same name. Tools that need something from above
    /// (and plugins) come in here.
    #[must_use]
    pub fn with(mut self, tool: Arc<dyn DynTool>) -> Self {
        let offered = OfferedTool::new(tool);
        if offered.spec.name == exec::NAME {
            self.lone_exec = None;
        }
        self.tools.insert(offered.spec.name.clone(), offered);
        self
    }

    /// The tool of that name or alias.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&OfferedTool> {
        self.tools.get(&canonical_name(name))
    }

    /// The names of all tools, whether a turn is offered them or not.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.tools.keys().map(String::as_str)
    }

    /// Those that cannot be used in a turn with these ports.
    #[must_use]
    pub fn closed(&self, ports: &Ports) -> Vec<&str> {
        let closed = self.tools.iter().filter(|(_, tool)| !tool.tool.is_open(ports));
        closed.map(|(name, _)| name.as_str()).collect()
    }

    /// What the model is told under `policy` in a turn with these ports, alphabetical.
    #[must_use]
    pub fn specs(&self, policy: &ToolPolicy, ports: &Ports) -> Arc<[Arc<ToolSpec>]> {
        let offered =
            self.tools.iter().filter(|(name, tool)| tool.tool.is_open(ports) && policy.decide(name).allowed);
        let has_nodes = self.tools.get(nodes::NAME).is_some_and(|nodes| nodes.tool.is_open(ports))
            && policy.decide(nodes::NAME).allowed;
        let told = offered.map(|(name, tool)| {
            let tool = self.fitting(policy, name, tool);
            let wider = tool.with_nodes.as_ref().filter(|_| has_nodes);
            Arc::clone(wider.unwrap_or_else(|| tool.told()))
        });
        told.collect()
    }

    /// Runs a tool if there is one of that name, `policy` offers it and the gate lets it through; otherwise
    /// answers so.
    pub async fn call(&self, policy: &ToolPolicy, name: &str, arguments: Value, cx: &ToolCx) -> ToolOutcome {
        match self.get(name) {
            Some(tool) if tool.tool.is_open(&cx.scope.ports) && policy.decide(name).allowed => {
                let name = canonical_name(name);
                self.call_through_gate(self.fitting(policy, &name, tool), &name, arguments, cx).await
            }
            Some(tool) if tool.tool.is_open(&cx.scope.ports) && is_owners(policy, name) => {
                let name = &tool.spec.name;
                ToolOutcome::error(format!("not run: whoever asks now may not have `{name}` used"))
            }
            Some(_) | None => self.unknown(policy, name, &cx.scope.ports),
        }
    }

    async fn call_through_gate(
        &self,
        tool: &OfferedTool,
        name: &str,
        mut arguments: Value,
        cx: &ToolCx,
    ) -> ToolOutcome {
        let (mut call, mut places) = match self.admit(tool, name, &arguments, cx).await {
            Ok(admitted) => admitted,
            Err(refused) => return refused,
        };
        match hooked(name, &arguments, cx).await {
            Ok(None) => {}
            Ok(Some(changed)) => {
                // Nobody has judged what a filter wrote.
                cx.scope.taint.forget(&cx.call_id);
                (call, places) = match self.admit(tool, name, &changed, cx).await {
                    Ok(admitted) => admitted,
                    Err(refused) => return refused,
                };
                arguments = changed;
            }
            Err(refusal) => {
                cx.scope.taint.forget(&cx.call_id);
                return ToolOutcome::error(format!("not run: {refusal}"));
            }
        }
        let outcome = call.settle(tool.call(arguments, cx).await, places, cx).await;
        tell_hooks(name, &outcome, cx).await;
        outcome
    }

    /// Takes a call past the gate.
    async fn admit<'c>(
        &'c self,
        tool: &OfferedTool,
        name: &'c str,
        arguments: &Value,
        cx: &ToolCx,
    ) -> Result<(gate::Call<'c>, gate::RealPaths), ToolOutcome> {
        let call = gate::Call {
            name,
            reach: tool.tool.reach(),
            asks_itself: tool.tool.asks_itself(),
            subject: tool.tool.subject(arguments),
            home: &self.home,
        };
        let places = call.places(cx).await;
        call.admit(arguments, &places, cx).await?;
        Ok((call, places))
    }

    /// The form of a tool that fits what is offered beside it.
    fn fitting<'t>(&'t self, policy: &ToolPolicy, name: &str, tool: &'t OfferedTool) -> &'t OfferedTool {
        match &self.lone_exec {
            Some(lone) if name == exec::NAME && !policy.decide(process::NAME).allowed => lone,
            Some(_) | None => tool,
        }
    }

    /// A tool that is not offered is answered like one that does not exist: the model cannot do more about it.
    fn unknown(&self, policy: &ToolPolicy, name: &str, ports: &Ports) -> ToolOutcome {
        let asked = canonical_name(name);
        let specs = self.specs(policy, ports);
        let names: Vec<&str> = specs.iter().map(|spec| spec.name.as_str()).collect();
        let alike = |name: &&&str| strsim::jaro_winkler(name, &asked) >= LIKENESS;
        let hint =
            names.iter().find(alike).map(|name| format!(" Did you mean `{name}`?")).unwrap_or_default();
        let shown = asked.clip_chars(64).to_owned();
        let there = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
        ToolOutcome::error(format!(
            "there is no tool `{shown}` in this conversation.{hint} Available: {there}"
        ))
    }
}

/// Whether a tool is refused only because of who asks; then the conversation may be offered it all the same.
fn is_owners(policy: &ToolPolicy, name: &str) -> bool {
    matches!(policy.decide(name).by, DecidedBy::Denied { layer: LayerName::Owner, .. })
}

/// What filters make of a call that may be made: other arguments, where they changed them.
async fn hooked(name: &str, arguments: &Value, cx: &ToolCx) -> Result<Option<Value>, HookRefusal> {
    if cx.scope.hooks.is_quiet(HookPoint::BeforeToolCall) {
        return Ok(None);
    }
    let filtered = cx
        .scope
        .hooks
        .filter_arguments(HookPoint::BeforeToolCall, about(name, cx), arguments.clone())
        .await?;
    Ok(Some(filtered).filter(|filtered| filtered != arguments))
}

async fn tell_hooks(name: &str, outcome: &ToolOutcome, cx: &ToolCx) {
    let words = || {
        let words: String = outcome.content.iter().filter_map(|block| block.as_text()).collect();
        HookValue::Text(cx.scope.guards.secrets.hide(&words).into_owned())
    };
    cx.scope.hooks.watch(HookPoint::AfterToolCall, about(name, cx), words).await;
}

fn about<'c>(name: &'c str, cx: &'c ToolCx) -> HookAbout<'c> {
    HookAbout { session: Some(&cx.session_key), run: Some(&cx.run_id), subject: Some(name) }
}

#[cfg(test)]
mod tests;
