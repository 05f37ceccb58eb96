//! `homard onboard`: from a fresh machine to the first chat.

use std::collections::BTreeMap;

use clap::{Args as _, FromArgMatches as _};
use homard_config::config::gateway::GatewayMode;
use homard_config::{Config, ConfigSource};
use homard_migrate::Home;
use serde_json::Value;

use super::args::OnboardArgs;
use super::carry_out::{self, Ran};
use super::flags::Flags;
use super::prompt::{Left, Prompt};
use super::start_over::StartOver;
use super::walk::{self, WalkEnd};
use super::{accounts, end, migrate};
use crate::commands::connection::own_port;
use crate::commands::models::Local;
use crate::commands::service::daemon;
use crate::commands::{Cx, gateway, run_alone, terminal};
use crate::compose::lock::{self, Holder};
use crate::compose::wizard::facts::{self, Finds};
use crate::compose::wizard::script::{Facts, Scope, Script, TakenPorts};
use crate::compose::wizard::{local_servers, logins};
use crate::report::{Advice, AlreadyTold};

/// Runs the command; where the person wants it, the gateway afterwards.
///
/// # Errors
/// When an answer is missing, the person leaves, or something cannot be written.
pub(crate) fn run(cx: &Cx, args: &OnboardArgs) -> anyhow::Result<()> {
    // Another program's settings are taken over, or not; they are never half in effect, and never in the way.
    let source = ConfigSource { paths: cx.source.paths.ours_alone(), ..cx.source.clone() };
    let cx = &Cx { source, global: cx.global.clone(), console: cx.console };
    let starts = run_alone(Box::pin(guided(cx, args)))?;
    if starts { gateway::run_here(cx) } else { Ok(()) }
}

/// Whether nobody has set anything up here: there is no configuration of ours.
pub(crate) fn is_fresh(cx: &Cx) -> bool {
    !cx.source.paths.config_path.exists()
}

/// What `homard` alone does on a fresh machine: offers the setup to whoever sits there.
pub(crate) fn offer(cx: &Cx) -> anyhow::Result<()> {
    run(cx, &no_options()?)
}

/// The options of somebody who gave none.
pub(super) fn no_options() -> anyhow::Result<OnboardArgs> {
    let command = OnboardArgs::augment_args(clap::Command::new("onboard"));
    Ok(OnboardArgs::from_arg_matches(&command.get_matches_from(["onboard"]))?)
}

async fn guided(cx: &Cx, args: &OnboardArgs) -> anyhow::Result<bool> {
    let outcome = walk_through(cx, args).await;
    match outcome {
        Err(error) if error.is::<Left>() => Err(AlreadyTold.into()),
        other => other,
    }
}

async fn walk_through(cx: &Cx, args: &OnboardArgs) -> anyhow::Result<bool> {
    if !args.is_silent() && !terminal::is_manned() {
        return Err(Advice::usage(
            "nobody sits at a terminal who could be asked",
            "homard onboard --non-interactive --accept-risk --auth-choice openai (`--help` names every option)",
        ));
    }
    let is_dumb = cx.source.environment.get("TERM").is_none_or(|term| term == "dumb");
    let prompt = Prompt::new(cx.console, is_dumb || !terminal::is_manned());
    let mut anew = StartOver::wanted(cx, &prompt, args)?;
    if args.steps.import_from.is_some() {
        anew.begin(cx, &prompt)?;
        migrate::take_over(cx, args.steps.import_source.as_deref(), args.steps.import_secrets)?;
    }
    let agreed = agree(cx, &prompt, args, anew).await?;
    let service = if agreed { Some(daemon::set_up(cx).await) } else { None };
    if args.json {
        end::tell_json(cx, service.as_ref())?;
        return Ok(false);
    }
    match &service {
        Some(Ok(words)) => prompt.say("Service", words),
        Some(Err(error)) => prompt.say("Service", &format!("It could not be installed: {error:#}\nEverything else is done; `homard daemon install` tries again.")),
        None => {}
    }
    if args.is_silent() {
        end::tell(cx, &prompt, args)?;
        return Ok(false);
    }
    let after = async {
        let is_here = cx.config()?.gateway.mode != Some(GatewayMode::Remote);
        if is_here && !args.steps.skip_channels {
            accounts::offer(cx, &prompt).await?;
        }
        end::tell(cx, &prompt, args)
    };
    // What was agreed is written: who leaves now has a gateway.
    match after.await {
        Err(error) if error.is::<Left>() => {
            cx.console.note("what you agreed to is written; `homard onboard` goes on from there");
            Ok(false)
        }
        other => other,
    }
}

/// Walks the questions and writes what was agreed; [`Left`] when the person does not want to. Tells whether a service is
/// to keep the gateway running.
async fn agree(cx: &Cx, prompt: &Prompt, args: &OnboardArgs, mut anew: StartOver) -> anyhow::Result<bool> {
    let mut flags = Flags::new(args);
    let is_imported = args.steps.import_from.is_some();
    let mut imported = if is_imported { "what was taken over stays" } else { "nothing was changed" };
    let mut plan = loop {
        let seen = &anew.seen(cx);
        let mut facts = look_around(seen, prompt, args, anew).await?;
        flags.prepare(&mut facts);
        let mut script = Script::setup(facts);
        let stopped = || cx.console.note(&format!("stopped; {imported}"));
        match walk::setup(seen, prompt, &mut script, &mut flags).await {
            Err(error) => {
                if error.is::<Left>() {
                    stopped();
                }
                return Err(error);
            }
            Ok(WalkEnd::Stopped) => {
                stopped();
                return Err(Left.into());
            }
            Ok(WalkEnd::Import) => {
                if anew.begin(cx, prompt)? {
                    imported = "what there was is put aside";
                }
                if migrate::with_a_person(cx, prompt)? {
                    imported = "what was taken over stays";
                }
                // What was said before holds for the second walk, too.
                flags.go_on();
            }
            Ok(WalkEnd::Agreed(plan)) => break *plan,
        }
    };
    carry_out::complete(&mut plan, args);
    let service = plan.service;
    anew.begin(cx, prompt)?;
    let ran = Ran { command: "onboard", skip_bootstrap: args.steps.skip_bootstrap };
    let outcome = carry_out::carry_out(cx, plan, ran).await?;
    if let Some(old) = &outcome.migrated_from {
        let new = cx.source.paths.config_path.display();
        cx.console.note(&format!("the settings of {} are now in {new}", old.display()));
    }
    Ok(service)
}

async fn look_around(cx: &Cx, prompt: &Prompt, args: &OnboardArgs, anew: StartOver) -> anyhow::Result<Facts> {
    let config = cx.config()?;
    if let Some(port) = args.gateway.gateway_port.filter(|port| taken_ports(cx, &config).has(*port)) {
        let words = format!("port {port} is used by another program");
        return Err(Advice::usage(words, "stop that program, or choose another --gateway-port"));
    }
    let looking = async {
        // Without a person nobody chooses among what was found.
        let wants_servers = !args.is_silent() || args.model.auth_choice.is_some();
        let servers = if wants_servers { local_servers::find().await } else { Vec::new() };
        // What another program logged in with is taken over by a person, never by a script.
        let logins = if args.is_silent() { Vec::new() } else { logins::find(&cx.source.paths.home).await };
        let kept = if anew.takes_keys() { BTreeMap::new() } else { kept(cx).await };
        let finds = Finds { servers, kept, logins };
        (finds, service(cx, args).await)
    };
    let (finds, service) =
        if args.is_silent() { looking.await } else { prompt.wait("Looking around", looking).await? };
    Ok(Facts { service: service?, ..facts_of(cx, &config, &finds, Scope::Whole, args) })
}

/// Whether the system could start the gateway by itself. Who asked for that is told why it could not.
async fn service(cx: &Cx, args: &OnboardArgs) -> anyhow::Result<bool> {
    let wants_asking = !args.is_silent() && !args.steps.skip_daemon;
    if !args.steps.install_daemon && !wants_asking {
        return Ok(false);
    }
    match daemon::can_install(cx).await {
        Ok(()) => Ok(true),
        Err(error) if args.steps.install_daemon => Err(error),
        Err(_none) => Ok(false),
    }
}

/// What the conversation has to know. Whether there can be a service is for others to say.
pub(super) fn facts_of(cx: &Cx, config: &Config, finds: &Finds, scope: Scope, args: &OnboardArgs) -> Facts {
    let agent = config.agents.default_agent();
    // Options hold whether their question is asked or not.
    let wanted = &args.gateway;
    let port = wanted.gateway_port.unwrap_or(config.gateway.port);
    let paths = &cx.source.paths;
    // Who has a configuration of ours has decided about the other home.
    let openclaw = is_fresh(cx).then(|| Home::find(&paths.home, &paths.state_dir)).flatten();
    let snapshot = cx.snapshot();
    let written =
        |pointer: &str| snapshot.resolved.pointer(pointer).and_then(Value::as_str).map(str::to_owned);
    Facts {
        scope,
        providers: facts::providers(config, finds),
        model: written("/agents/defaults/model/primary").or_else(|| written("/agents/defaults/model")),
        port,
        taken: taken_ports(cx, config),
        bind: wanted.gateway_bind.clone().unwrap_or_else(|| facts::word(config.gateway.bind)),
        auth: wanted.gateway_auth.clone().unwrap_or_else(|| facts::word(config.gateway.auth.mode)),
        workspace: args.workspace.clone(),
        present_workspace: agent.workspace.display().to_string(),
        openclaw: openclaw.map(|home| home.dir.display().to_string()),
        service: false,
        tries: !args.is_silent() && !args.steps.skip_health,
    }
}

/// The first credential that is kept for each provider.
pub(super) async fn kept(cx: &Cx) -> BTreeMap<String, String> {
    let found = async {
        let local = Local::open(cx, None).await?;
        let described = local.router.profiles(&local.agent()?.id).describe().await;
        local.close().await;
        anyhow::Ok(described.profiles)
    };
    facts::kept(found.await.unwrap_or_default())
}

/// Which ports cannot be had; where our own gateway listens it may go on listening.
fn taken_ports(cx: &Cx, config: &Config) -> TakenPorts {
    let is_running = matches!(lock::holder(&cx.source.paths.lock_file()), Holder::Process(_));
    TakenPorts { ours: is_running.then(|| own_port(cx, config)), is_used: facts::is_port_used }
}
