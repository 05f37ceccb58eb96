//! The options of `homard onboard`: each answers one of its questions, so that a script needs no terminal.

use std::collections::BTreeMap;
use std::path::PathBuf;

use clap::{ArgMatches, Args, Command, FromArgMatches, ValueEnum};

const EXAMPLES: &str = "\
Examples:
  homard onboard                         walk through it at the terminal
  homard onboard --non-interactive --accept-risk --auth-choice openai
                                         with the key in OPENAI_API_KEY
  homard onboard --non-interactive --accept-risk --auth-choice ollama --model qwen3:8b
  homard onboard --non-interactive --accept-risk --custom-base-url http://127.0.0.1:8000/v1 \\
                 --custom-model-id my-model --json
  homard onboard --mode remote --remote-url wss://home.example:18789
  homard onboard --reset --reset-scope config

What is set already is kept, so it can be run again at any time. A key in the environment is found by itself; one on
the command line can be seen by other users of the machine while the command runs.";

/// Set Homard up, step by step
///
/// Asks whose model should answer and tries it, connects a chat platform if you like, and ends with the link to the
/// page. Nothing is written before the last yes; leaving with Ctrl-C leaves everything as it was. Every question can be
/// answered by an option instead.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
#[expect(clippy::struct_excessive_bools, reason = "options are what they are")]
pub(crate) struct OnboardArgs {
    /// Ask nothing: take the options, and the usual answers for the rest
    #[arg(long, requires = "accept_risk")]
    pub(crate) non_interactive: bool,
    /// Ask nothing and choose nothing: only a configuration with a token, and the workspace
    #[arg(long, conflicts_with = "non_interactive")]
    pub(crate) baseline: bool,
    /// Say yes to the security notice: an agent runs programs, reads files and writes to people in your name
    #[arg(long)]
    pub(crate) accept_risk: bool,
    /// How much to ask
    #[arg(long, value_name = "FLOW")]
    pub(crate) flow: Option<Flow>,
    /// Whether a gateway runs here, or commands here use one elsewhere
    #[arg(long, value_name = "MODE")]
    pub(crate) mode: Option<Mode>,
    /// Folder in which the assistant works
    #[arg(long, value_name = "DIR")]
    pub(crate) workspace: Option<String>,
    /// Print what came of it as JSON
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) model: ModelFlags,
    #[command(flatten)]
    pub(crate) gateway: GatewayFlags,
    #[command(flatten)]
    pub(crate) steps: StepFlags,
    #[command(flatten)]
    pub(crate) reset: ResetFlags,
}

impl OnboardArgs {
    /// Whether nobody is asked.
    pub(crate) fn is_silent(&self) -> bool {
        self.non_interactive || self.baseline
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Flow {
    /// The usual settings
    Quickstart,
    /// Workspace, port, reach and access, too
    #[value(alias = "advanced")]
    Manual,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Mode {
    Local,
    Remote,
}

/// Whose model answers.
#[derive(Args)]
#[command(next_help_heading = "Model")]
pub(crate) struct ModelFlags {
    /// Whose model answers: a provider (`anthropic`, `openai`, `ollama` …), `custom`, `keep` or `skip`
    #[arg(long, value_name = "ID")]
    pub(crate) auth_choice: Option<String>,
    /// Which of its models
    #[arg(long, value_name = "MODEL")]
    pub(crate) model: Option<String>,
    /// Key of that provider, whichever it is
    #[arg(long, value_name = "KEY")]
    pub(crate) api_key: Option<String>,
    #[command(flatten)]
    pub(crate) keys: ProviderKeys,
    /// Address of a server of your own
    #[arg(long, value_name = "URL")]
    pub(crate) custom_base_url: Option<String>,
    /// Its model
    #[arg(long, value_name = "MODEL")]
    pub(crate) custom_model_id: Option<String>,
    /// What to call it; made from its address otherwise
    #[arg(long, value_name = "ID")]
    pub(crate) custom_provider_id: Option<String>,
    /// Its key, where it wants one
    #[arg(long, value_name = "KEY")]
    pub(crate) custom_api_key: Option<String>,
    /// Whose API it speaks
    #[arg(long, value_name = "API", value_parser = ["openai", "anthropic"])]
    pub(crate) custom_compatibility: Option<String>,
}

/// How the gateway is reached.
#[derive(Args)]
#[command(next_help_heading = "Gateway")]
pub(crate) struct GatewayFlags {
    /// Port it listens on
    #[arg(long, value_name = "PORT")]
    pub(crate) gateway_port: Option<u16>,
    /// Who can reach it
    #[arg(long, value_name = "WHERE", value_parser = ["loopback", "lan", "tailnet"])]
    pub(crate) gateway_bind: Option<String>,
    /// How clients prove themselves
    #[arg(long, value_name = "HOW", value_parser = ["token", "password", "none"])]
    pub(crate) gateway_auth: Option<String>,
    /// The token, instead of one that is made
    #[arg(long, value_name = "TOKEN")]
    pub(crate) gateway_token: Option<String>,
    /// The password, with --gateway-auth password
    #[arg(long, value_name = "PASSWORD")]
    pub(crate) gateway_password: Option<String>,
    /// The gateway elsewhere, with --mode remote
    #[arg(long, value_name = "URL")]
    pub(crate) remote_url: Option<String>,
    /// Its token
    #[arg(long, value_name = "TOKEN")]
    pub(crate) remote_token: Option<String>,
}

/// Which steps to take.
#[derive(Args)]
#[command(next_help_heading = "Steps")]
#[expect(clippy::struct_excessive_bools, reason = "options are what they are")]
pub(crate) struct StepFlags {
    /// Take over OpenClaw's home first
    #[arg(long, value_name = "FROM", value_parser = ["openclaw"])]
    pub(crate) import_from: Option<String>,
    /// Where that home is, if not in its usual place
    #[arg(long, value_name = "DIR", requires = "import_from")]
    pub(crate) import_source: Option<PathBuf>,
    /// Take over its keys and tokens, too
    #[arg(long, requires = "import_from")]
    pub(crate) import_secrets: bool,
    /// Do not write the workspace's first files
    #[arg(long)]
    pub(crate) skip_bootstrap: bool,
    /// Connect no chat platform
    #[arg(long)]
    pub(crate) skip_channels: bool,
    /// Do not ask the model for a word
    #[arg(long)]
    pub(crate) skip_health: bool,
    /// Do not offer to start the gateway at the end
    #[arg(long)]
    pub(crate) skip_ui: bool,
    /// Install no service
    #[arg(long, visible_alias = "no-install-daemon")]
    pub(crate) skip_daemon: bool,
    /// Have the system start the gateway and keep it running: systemd, launchd or Task Scheduler
    #[arg(long, conflicts_with = "skip_daemon")]
    pub(crate) install_daemon: bool,
    /// There is nothing to skip: skills are found by themselves.
    #[arg(long, hide = true)]
    pub(crate) skip_skills: bool,
}

/// What is put aside before it begins.
#[derive(Args)]
#[command(next_help_heading = "Begin anew")]
pub(crate) struct ResetFlags {
    /// Put what there is aside first; nothing is deleted
    #[arg(long)]
    pub(crate) reset: bool,
    /// How much of it
    #[arg(long, value_name = "SCOPE", requires = "reset", default_value = "config+creds+sessions")]
    pub(crate) reset_scope: ResetScope,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ResetScope {
    /// The configuration
    Config,
    /// Keys and conversations, too
    #[value(name = "config+creds+sessions")]
    ConfigCredsSessions,
    /// Everything, the workspace included
    Full,
}

/// The options that hold a key, and whose it is. The first few are shown in the help.
pub(crate) const KEY_FLAGS: [(&str, &str); 28] = [
    ("anthropic-api-key", "anthropic"),
    ("openai-api-key", "openai"),
    ("gemini-api-key", "google"),
    ("openrouter-api-key", "openrouter"),
    ("cerebras-api-key", "cerebras"),
    ("deepseek-api-key", "deepseek"),
    ("groq-api-key", "groq"),
    ("huggingface-api-key", "huggingface"),
    ("kimi-code-api-key", "kimi-coding"),
    ("litellm-api-key", "litellm"),
    ("llama-cpp-api-key", "llama-cpp"),
    ("lmstudio-api-key", "lmstudio"),
    ("minimax-api-key", "minimax"),
    ("mistral-api-key", "mistral"),
    ("moonshot-api-key", "moonshot"),
    ("nvidia-api-key", "nvidia"),
    ("ollama-api-key", "ollama"),
    ("opencode-zen-api-key", "opencode"),
    ("qianfan-api-key", "qianfan"),
    ("qwen-api-key", "qwen-portal"),
    ("synthetic-api-key", "synthetic"),
    ("together-api-key", "together"),
    ("venice-api-key", "venice"),
    ("ai-gateway-api-key", "vercel-ai-gateway"),
    ("vllm-api-key", "vllm"),
    ("xai-api-key", "xai"),
    ("xiaomi-api-key", "xiaomi"),
    ("zai-api-key", "zai"),
];
const SHOWN_KEY_FLAGS: usize = 4;

/// Keys by provider. One option for each, which a struct could not have.
#[derive(Default)]
pub(crate) struct ProviderKeys(pub(crate) BTreeMap<&'static str, String>);

impl FromArgMatches for ProviderKeys {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let given = |(flag, provider): (&'static str, &'static str)| {
            matches.get_one::<String>(flag).map(|key| (provider, key.clone()))
        };
        Ok(Self(KEY_FLAGS.into_iter().filter_map(given).collect()))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

impl Args for ProviderKeys {
    fn augment_args(command: Command) -> Command {
        KEY_FLAGS.into_iter().enumerate().fold(command, |command, (index, (flag, provider))| {
            let help = match index {
                0 => "Key of Anthropic; there is such an option for every provider",
                1 => "Key of OpenAI",
                2 => "Key of Google",
                3 => "Key of OpenRouter",
                _ => provider,
            };
            let arg = clap::Arg::new(flag).long(flag).value_name("KEY").help(help);
            command.arg(arg.hide(index >= SHOWN_KEY_FLAGS))
        })
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}
