//! `homard configure`: one part of the setup, asked again.

use clap::{Args, ValueEnum};
use homard_protocol::methods::config::wizard::{WizardOption, WizardStepKind};
use serde_json::json;

use super::carry_out::{self, Ran};
use super::flags::Flags;
use super::prompt::{Left, Prompt};
use super::walk::{self, WalkEnd};
use super::{accounts, onboard};
use crate::commands::{Cx, terminal};
use crate::compose::wizard::answers::{blank, say};
use crate::compose::wizard::facts::Finds;
use crate::compose::wizard::script::{Scope, Script, Section};
use crate::compose::wizard::{local_servers, logins};
use crate::report::{Advice, AlreadyTold, Mark};

const EXAMPLES: &str = "\
Examples:
  homard configure                       choose what to change
  homard configure --section model
  homard configure --section channels --section gateway

`homard config set` changes single settings without asking.";

/// Change a part of the setup, asked step by step
///
/// The same questions as in `homard onboard`, about one part alone. Nothing is written before the last yes.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ConfigureArgs {
    /// Which part; can be given several times
    #[arg(long = "section", value_name = "PART")]
    sections: Vec<Part>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Part {
    /// Whose model answers
    Model,
    /// Port, reach and access
    Gateway,
    /// Where the assistant works
    Workspace,
    /// Chat platforms
    Channels,
}

/// Runs the command.
///
/// # Errors
/// When nobody can be asked, the person leaves, or something cannot be written.
pub(crate) async fn run(cx: &Cx, args: ConfigureArgs) -> anyhow::Result<()> {
    if !terminal::is_manned() {
        return Err(Advice::usage(
            "nobody sits at a terminal who could be asked",
            "homard config set agents.defaults.model.primary openai/gpt-5.2",
        ));
    }
    let is_plain = cx.source.environment.get("TERM").is_none_or(|term| term == "dumb");
    let prompt = Prompt::new(cx.console, is_plain);
    match change(cx, &prompt, args).await {
        Err(error) if error.is::<Left>() => {
            cx.console.note("stopped; what was not agreed to is not changed");
            Err(AlreadyTold.into())
        }
        other => other,
    }
}

async fn change(cx: &Cx, prompt: &Prompt, args: ConfigureArgs) -> anyhow::Result<()> {
    let parts = if args.sections.is_empty() { vec![which(prompt)?] } else { args.sections };
    for part in parts {
        let section = match part {
            Part::Channels => {
                accounts::connect(cx, prompt, None).await?;
                continue;
            }
            Part::Model => Section::Model,
            Part::Gateway => Section::Gateway,
            Part::Workspace => Section::Workspace,
        };
        one(cx, prompt, section).await?;
    }
    Ok(cx.console.line(&cx.console.mark(Mark::Good, "done"))?)
}

async fn one(cx: &Cx, prompt: &Prompt, section: Section) -> anyhow::Result<()> {
    let args = onboard::no_options()?;
    let config = cx.config()?;
    let finds = match section {
        Section::Model => {
            let looking = async {
                Finds {
                    servers: local_servers::find().await,
                    kept: onboard::kept(cx).await,
                    logins: logins::find(&cx.source.paths.home).await,
                }
            };
            prompt.wait("Looking around", looking).await?
        }
        Section::Gateway | Section::Workspace => Finds::default(),
    };
    let facts = onboard::facts_of(cx, &config, &finds, Scope::Only(section), &args);
    let mut script = Script::setup(facts);
    match walk::setup(cx, prompt, &mut script, &mut Flags::new(&args)).await? {
        WalkEnd::Stopped | WalkEnd::Import => Err(Left.into()),
        WalkEnd::Agreed(plan) => {
            let ran = Ran { command: "configure", skip_bootstrap: false };
            carry_out::carry_out(cx, *plan, ran).await.map(drop)
        }
    }
}

fn which(prompt: &Prompt) -> anyhow::Result<Part> {
    let mut step = blank("part");
    step.kind = WizardStepKind::Select;
    say(&mut step, "Change", "Which part of the setup?");
    let option = |part: &Part| {
        let value = part.to_possible_value()?;
        let label = value.get_help().map(ToString::to_string).unwrap_or_default();
        Some(WizardOption { value: json!(value.get_name()), label, hint: None })
    };
    step.options = Some(Part::value_variants().iter().filter_map(option).collect());
    let chosen = prompt.ask(&step, None)?;
    let chosen = chosen.as_str().unwrap_or_default();
    Part::from_str(chosen, true).map_err(anyhow::Error::msg)
}
