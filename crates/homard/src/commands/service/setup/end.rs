//! The last words of the setup: the link to the page, and what to do next.

use std::net::SocketAddr;

use homard_protocol::methods::config::wizard::WizardStepKind;
use serde_json::json;

use super::args::OnboardArgs;
use super::prompt::Prompt;
use crate::commands::Cx;
use crate::commands::connection::{is_remote, own_port};
use crate::commands::service::dashboard;
use crate::compose::lock::{self, Holder};
use crate::compose::wizard::answers::{blank, say};

/// What there is now, for programs.
pub(super) fn tell_json(cx: &Cx, service: Option<&anyhow::Result<String>>) -> anyhow::Result<()> {
    let config = cx.config()?;
    let agent = config.agents.default_agent();
    let remote = is_remote(&config);
    Ok(cx.console.json(&json!({
        "ok": true,
        "mode": if remote { "remote" } else { "local" },
        "configPath": cx.source.paths.config_path,
        "stateDir": cx.source.paths.state_dir,
        "workspace": agent.workspace,
        "model": agent.model.primary.as_ref().map(ToString::to_string),
        "gateway": {"port": config.gateway.port, "bind": config.gateway.bind, "auth": config.gateway.auth.mode},
        "service": service.map(|done| match done {
            Ok(words) => json!({"installed": true, "about": words}),
            Err(error) => json!({"installed": false, "error": format!("{error:#}")}),
        }),
        "dashboard": (!remote).then(|| page(cx)).transpose()?,
    }))?)
}

/// The link that signs a browser on this machine in.
fn page(cx: &Cx) -> anyhow::Result<String> {
    let config = cx.config()?;
    let here = SocketAddr::from(([127, 0, 0, 1], own_port(cx, &config)));
    Ok(dashboard::link(&config, here))
}

/// Whether the person wants the gateway started at once; says how to do it otherwise.
pub(super) fn tell(cx: &Cx, prompt: &Prompt, args: &OnboardArgs) -> anyhow::Result<bool> {
    let config = cx.config()?;
    if is_remote(&config) {
        prompt.say("Ready", "Commands here talk to that gateway now.\nhomard agent hello      say something\nhomard status           see how it is");
        return Ok(false);
    }
    let is_running = matches!(lock::holder(&cx.source.paths.lock_file()), Holder::Process(_));
    let first = if is_running {
        "The gateway runs; it takes over what was written."
    } else {
        "homard gateway          start it"
    };
    let words = format!(
        "{first}\nhomard dashboard        open its page, signed in\nhomard agent hello      say something right here\nhomard status           see how it is\n\nThe page:\n\n{}",
        page(cx)?
    );
    prompt.say("Ready", &words);
    if is_running || args.is_silent() || args.steps.skip_ui {
        return Ok(false);
    }
    let mut step = blank("start");
    step.kind = WizardStepKind::Confirm;
    say(
        &mut step,
        "First chat",
        "Start the gateway now, in this terminal? Open the page above and say hello; Ctrl-C stops it.",
    );
    step.initial_value = Some(json!(true));
    Ok(prompt.ask(&step, None)? == json!(true))
}
