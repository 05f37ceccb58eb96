//! Commands and options people know from OpenClaw that are not built here: what is said to whoever types one.
//!
//! Everything else that is not understood is clap's to explain. A row whose words are built fails a test.

use std::ffi::OsString;

use clap::Command;
use clap::error::{ContextKind, ContextValue, Error, ErrorKind};

use super::missing::path;

/// The exit code of a command whose room is not built.
pub(super) const EXIT: u8 = 3;

const NO_PLUGINS: &str = "Homard takes no plugins; skills (`homard skills`), hooks (`homard hooks`) and nodes (`homard node`) add to it";
const NO_BROWSER: &str = "there is no browser of the assistant's own; pages are read by the tool web_fetch";
const NO_MEETINGS: &str = "Homard takes part in no meetings and calls";
const OF_NODE_JS: &str = "Homard is one program and needs no runtime beside it";
const NO_SUCH_JOB: &str = "jobs say something to an agent; `homard cron add --message` makes one";
const LOGS: &str = "`homard gateway --verbose` and `homard --log-level debug gateway` say more";
const NO_GIT: &str = "`homard backup create` writes an archive; have a timer of the system run it";
const NO_STORE: &str = "secrets are named by `homard config set PATH --ref-source env --ref-id NAME`";
const NO_PLATFORM_ROOMS: &str = "`homard message --help` lists what platforms can be asked for";
const SKILLS_BY_HAND: &str = "`homard skills install` takes a folder or a repository";
const DOCTOR: &str = "`homard doctor --deep` looks at everything it knows of";
const NO_FORMAT: &str = "how it keeps things is not known here; `homard migrate plan openclaw` shows what becomes of OpenClaw's home; notes of others are copied by hand";
const PROBES: &str = "`homard models probe` and `homard models auth probe` ask models for a word";
const WAITS: &str = "a restart always waits for runs under way";
const AS_IT_IS: &str = "the answer is told whole already; `--json` has every field";
const MEMORY: &str = "`homard memory --help` lists what there is";

/// The words, from the first that is not built, after those that are; and what to do instead.
#[rustfmt::skip]
const ROWS: &[(&str, &str)] = &[
    ("acp", "editors reach the gateway over its protocol or the OpenAI API; `homard docs` has both"),
    ("agent --code-mode", "an agent of the gateway answers; `homard agents add` makes one with its own tools"),
    ("agent --cwd", "`homard agents add NAME --workspace DIR` makes an agent that works there"),
    ("agent --fallback", "`homard models fallbacks add MODEL` sets who answers next"),
    ("agent --isolated", "`--session-key NAME` begins a conversation of its own"),
    ("agent --local", "`homard tui --local` answers without a gateway"),
    ("agents add --agent-dir", "records of agents lie in the state folder"),
    ("agents team", "`homard agents add` makes one agent at a time"),
    ("approvals grants", "rules that were made by `allow --always` are in `homard approvals get`"),
    ("approvals resolve --reason", "`homard approvals deny` takes no reason"),
    ("attach", "`homard tui` opens a conversation"),
    ("audit", "`homard tasks` has what ran, `homard logs` the rest; `homard security audit` looks for risks"),
    ("backup disable", NO_GIT),
    ("backup enable", NO_GIT),
    ("backup git", NO_GIT),
    ("backup sqlite", "`homard backup create` copies databases as they are at one moment"),
    ("browser", NO_BROWSER),
    ("capability", "`homard agent` asks an agent; models are not asked by themselves"),
    ("channels add --agent", "`homard agents bind --agent ID --bind CHANNEL` says who answers there"),
    ("channels capabilities --target", "what a platform can do is the same in all its chats"),
    ("channels login", "platforms that are built want a token: `homard channels add`"),
    ("claws", NO_PLUGINS),
    ("clawbot", "`homard qr` shows the code"),
    ("completion --write-state", "`homard completion --install` writes them where the shell looks"),
    ("completion --yes", "`homard completion --install` asks nothing"),
    ("config --section", "`homard configure --section NAME` asks step by step"),
    ("config set --allow-exec", "`homard config set` writes the reference and runs nothing"),
    ("config set --provider-source", "where references lead is set like anything else: `homard config set secrets.providers.NAME JSON`"),
    ("connect", "`homard node run --host HOST` offers this machine to a gateway"),
    ("cron add --command", NO_SUCH_JOB),
    ("cron add --command-argv", NO_SUCH_JOB),
    ("cron add --fallbacks", "the agent's own fallbacks hold: `homard models fallbacks`"),
    ("cron add --on-exit", NO_SUCH_JOB),
    ("cron add --pacing-min", NO_SUCH_JOB),
    ("cron add --pacing-max", NO_SUCH_JOB),
    ("cron add --script", NO_SUCH_JOB),
    ("cron add --stream-command", NO_SUCH_JOB),
    ("cron add --tools", "the agent's own tools hold: `homard tools explain`"),
    ("cron add --trigger-once", NO_SUCH_JOB),
    ("cron add --trigger-script", NO_SUCH_JOB),
    ("cron scratch", "a job has no folder of its own; `--session isolated` has a conversation of its own"),
    ("dashboard --yes", "nothing is asked; `--no-open` prints the link alone"),
    ("database", DOCTOR),
    ("directory groups members", "platforms that are built do not tell who is in a group"),
    ("dns", "`homard gateway discover` finds gateways on the local network"),
    ("doctor --all", DOCTOR),
    ("doctor --allow-exec", DOCTOR),
    ("doctor --force", "`homard doctor --fix --yes` mends what can be mended"),
    ("doctor --generate-gateway-token", "a token is made when there is none; `homard config set gateway.auth.token`"),
    ("doctor --github-issue", "`homard doctor --deep --json` is what a report wants"),
    ("doctor --lint", "`homard config validate` reads the settings alone"),
    ("doctor --no-workspace-suggestions", "nothing is suggested about workspaces"),
    ("doctor --post-upgrade", "what another version kept is taken over when the gateway starts"),
    ("doctor --session-sqlite", DOCTOR),
    ("doctor --state-sqlite", DOCTOR),
    ("exec-policy", "`homard config set tools.exec.security` and `homard approvals set` say what may run"),
    ("file-transfer", "`homard tools explain` says which rule decides about files"),
    ("fleet", "`homard --profile NAME` keeps another home beside this one"),
    ("gateway --ambient-channels", "platforms are connected as they are configured"),
    ("gateway --cli-backend-logs", LOGS),
    ("gateway --compact", LOGS),
    ("gateway --raw-stream", LOGS),
    ("gateway --raw-stream-path", LOGS),
    ("gateway --reset", "`homard reset` begins anew"),
    ("gateway --ws-log", LOGS),
    ("gateway auth-token", "`homard config get gateway.auth.token` says where it is"),
    ("gateway call --expect-url", "`--url` with `--tls-fingerprint` names the one gateway that is meant"),
    ("gateway diagnostics", "`homard doctor --deep --json` and `homard logs` are what there is"),
    ("gateway install --runtime", OF_NODE_JS),
    ("gateway install --runtime-path", OF_NODE_JS),
    ("gateway install --token", "the service reads the settings: `homard config set gateway.auth.token`"),
    ("gateway install --wrapper", OF_NODE_JS),
    ("gateway restart --safe", WAITS),
    ("gateway restart --skip-deferral", "`homard daemon restart` has the system restart it at once"),
    ("gateway restart --wait", WAITS),
    ("gateway resume", "`homard gateway start` starts it again"),
    ("gateway stability", "`homard health` and `homard logs` say how it is"),
    ("gateway status --deep", "`homard gateway probe` tries every way to it"),
    ("gateway status --no-probe", "`homard daemon status` does not ask the gateway"),
    ("gateway status --require-rpc", "the exit code is 1 when it does not answer"),
    ("gateway suspend", "`homard gateway stop` stops it"),
    ("gateway usage-cost", "`homard usage` has what models cost"),
    ("googlemeet", NO_MEETINGS),
    ("health --debug", AS_IT_IS),
    ("health --verbose", AS_IT_IS),
    ("hooks install", "`homard docs hooks` says where hooks of your own lie; `homard hooks enable` switches them on"),
    ("hooks relay", "`homard docs hooks` says how programs of yours are told of events"),
    ("hooks update", "`homard docs hooks` says where hooks of your own lie"),
    ("infer", "`homard agent` asks an agent; models are not asked by themselves"),
    ("logs --interval", "`--follow` is told of new lines as they come"),
    ("logs --local-time", "the time is that of the file"),
    ("logs --max-bytes", "`--limit` says how many lines"),
    ("logs --utc", "the time is that of the file"),
    ("mcp", "tool servers are not built; skills and nodes add tools"),
    ("memory forget", "take the words out of the note; the index follows"),
    ("memory promote", MEMORY),
    ("memory promote-explain", MEMORY),
    ("memory rem-backfill", MEMORY),
    ("memory rem-harness", MEMORY),
    ("memory reset", "`homard memory index --force` makes the index anew"),
    ("memory search --query", "write the words after `homard memory search`"),
    ("memory session-backfill", MEMORY),
    ("memory status --deep", MEMORY),
    ("memory status --fix", "`homard memory index --force` makes the index anew"),
    ("memory status --verbose", AS_IT_IS),
    ("memory status --index", "`homard memory index` does"),
    ("message channel", NO_PLATFORM_ROOMS),
    ("message emoji", NO_PLATFORM_ROOMS),
    ("message event", NO_PLATFORM_ROOMS),
    ("message member", NO_PLATFORM_ROOMS),
    ("message permissions", NO_PLATFORM_ROOMS),
    ("message pins", NO_PLATFORM_ROOMS),
    ("message reactions", NO_PLATFORM_ROOMS),
    ("message role", NO_PLATFORM_ROOMS),
    ("message ban", NO_PLATFORM_ROOMS),
    ("message kick", NO_PLATFORM_ROOMS),
    ("message timeout", NO_PLATFORM_ROOMS),
    ("message voice", NO_PLATFORM_ROOMS),
    ("message read --after", "`--limit` says how many of the newest"),
    ("message read --around", "`--limit` says how many of the newest"),
    ("message read --before", "`--limit` says how many of the newest"),
    ("message send --delivery", "write the text with --message and files with --media"),
    ("message send --verbose", AS_IT_IS),
    ("message send --presentation", "write the text with --message and files with --media"),
    ("message sticker upload", NO_PLATFORM_ROOMS),
    ("message thread list", NO_PLATFORM_ROOMS),
    ("migrate claude", NO_FORMAT),
    ("migrate codex", NO_FORMAT),
    ("migrate hermes", NO_FORMAT),
    ("migrate zeroclaw", NO_FORMAT),
    ("migrate apply --agent", "everything the plan names is taken; `homard migrate plan` shows it"),
    ("migrate apply --item", "everything the plan names is taken; `homard migrate plan` shows it"),
    ("migrate apply --skill", "everything the plan names is taken; `homard migrate plan` shows it"),
    ("migrate plan --agent", "everything the plan names is taken; `homard migrate plan` shows it"),
    ("migrate plan --item", "everything the plan names is taken; `homard migrate plan` shows it"),
    ("migrate plan --skill", "everything the plan names is taken; `homard migrate plan` shows it"),
    ("models accounts", "`homard models auth list` has every credential"),
    ("models auth activate", "`homard models auth order set` says which is tried first"),
    ("models auth add --device-code", "`homard models auth login --device-code` does"),
    ("models auth add --method", "a key is taken; `homard models auth login` is the other way"),
    ("models auth add --set-default", "`homard models set` chooses the model that answers"),
    ("models auth login --set-default", "`homard models set` chooses the model that answers"),
    ("models auth login --method", "the way a provider has is taken; `--device-code` where there is no browser"),
    ("models auth login-github-copilot", "`homard models auth login --provider github-copilot` does"),
    ("models auth paste-token", "`homard models auth add --token` takes one"),
    ("models auth setup-token", "`homard models auth add --token` takes one"),
    ("models scan --max-age-days", "`homard models scan` lists what local servers have"),
    ("models scan --max-candidates", "`homard models scan` lists what local servers have"),
    ("models scan --min-params", "`homard models scan` lists what local servers have"),
    ("models scan --set-image", "`homard models set-image` chooses the model for pictures"),
    ("models scan --yes", "nothing is asked"),
    ("models scan --no-probe", "`homard models scan` lists what local servers have"),
    ("models status --probe-concurrency", PROBES),
    ("models status --probe-max-tokens", PROBES),
    ("models status --probe-profile", PROBES),
    ("models status --probe-provider", PROBES),
    ("models status --probe-timeout", PROBES),
    ("node run --all-commands", "`homard node run` offers what the machine can do; the gateway decides what it takes"),
    ("node run --commands", "`homard node run` offers what the machine can do; the gateway decides what it takes"),
    ("node run --context-path", "`--url` takes a whole address"),
    ("node run --node-id", "a node has one identity: `homard node identity`"),
    ("node run --pair", "it asks to be let in by itself; `homard nodes approve` does that"),
    ("node run --tls", "`--url wss://HOST` is encrypted, `--tls-fingerprint` names the certificate"),
    ("nodes push", "`homard nodes notify` shows something on a node"),
    ("onboard --agent-name", "`homard agents set-identity --name` gives the agent a name"),
    ("onboard --classic", "there is one setup; `--flow manual` asks more"),
    ("onboard --daemon-runtime", OF_NODE_JS),
    ("onboard --gateway-token-ref-env", "`homard config set gateway.auth.token --ref-source env --ref-id NAME` after it"),
    ("onboard --modern", "there is one setup; `--flow manual` asks more"),
    ("onboard --message", "the setup is no chat; `homard agent` says something to the agent after it"),
    ("onboard --node-manager", OF_NODE_JS),
    ("onboard --remote-password", "`homard config set gateway.remote.password` after it"),
    ("onboard --secret-input-mode", "keys are kept with the credentials; `homard config set PATH --ref-source` names others"),
    ("onboard --tailscale", "`homard config set gateway.tailscale.mode serve` after it"),
    ("onboard --team", "`homard agents add` makes another agent"),
    ("onboard --tui", "the end of the setup offers the first chat; `homard tui` is it"),
    ("onboard --wizard", "`homard onboard` is the wizard"),
    ("onboard --yes", "`--non-interactive --accept-risk` asks nothing; `homard onboard --help` names every option"),
    ("path", NO_PLUGINS),
    ("plugins", NO_PLUGINS),
    ("policy", "`homard tools explain` says which rule decides"),
    ("promos", "nothing is offered here"),
    ("proxy", LOGS),
    ("resume", "`homard tui --session KEY` goes on with a conversation, `homard sessions search` finds it"),
    ("sandbox", "there is none yet; `homard docs tools` says what conversations that want one are left with"),
    ("secrets apply", NO_STORE),
    ("secrets configure", NO_STORE),
    ("secrets store", NO_STORE),
    ("security audit --auth", "`homard security audit --deep` asks the gateway as this machine does"),
    ("security audit --password", "`homard security audit --deep` asks the gateway as this machine does"),
    ("security audit --token", "`homard security audit --deep` asks the gateway as this machine does"),
    ("sessions --all-agents", "every agent's are listed; `--agent ID` says whose"),
    ("sessions --store", "`--agent ID` says whose conversations"),
    ("sessions --verbose", AS_IT_IS),
    ("sessions cleanup --fix-dm-scope", "`homard sessions cleanup` says what it would do"),
    ("sessions export-trajectory", "`homard sessions export` writes a conversation"),
    ("skills curator", SKILLS_BY_HAND),
    ("skills library", SKILLS_BY_HAND),
    ("skills search", SKILLS_BY_HAND),
    ("skills update", "`homard skills install --force` takes the newer one"),
    ("skills verify", "`homard skills check` says what works"),
    ("skills workshop", SKILLS_BY_HAND),
    ("status --agent", AS_IT_IS),
    ("status --debug", AS_IT_IS),
    ("status --verbose", "`--all` says more"),
    ("tasks --runtime", "`homard tasks list --status` and `--agent` narrow it"),
    ("tasks audit", "`homard tasks list` has them all"),
    ("tasks dismiss", "`homard tasks list` shows what there is"),
    ("tasks flow", "`homard tasks list` has them all"),
    ("tasks maintenance", "`homard tasks list` shows what there is"),
    ("tasks notify", "`homard tasks show` says how it went"),
    ("tasks retry", "ask the agent again"),
    ("teamsmeetings", NO_MEETINGS),
    ("telemetry", "nothing is told to anybody; `homard docs operations` says what a collector of yours can be told"),
    ("transcripts", NO_MEETINGS),
    ("triage", DOCTOR),
    ("uninstall --app", "there is no app; `--service`, `--state` and `--workspace` are what there is"),
    ("update --accept-capabilities", NO_PLUGINS),
    ("update cleanup", "the program before is `homard.previous` beside this one"),
    ("update repair", "the program before is `homard.previous` beside this one"),
    ("update wizard", "`homard update` asks before it changes anything"),
    ("users", "`homard pairing` and `homard devices` have who may come in"),
    ("voicecall", NO_MEETINGS),
    ("webhooks gmail", "`homard docs hooks` says how Gmail's messages come in"),
    ("wiki", NO_PLUGINS),
    ("workboard", NO_PLUGINS),
    ("worker", "`homard node run` offers a machine's commands"),
    ("worktrees", "`homard agents add NAME --workspace DIR` makes an agent that works there"),
    ("zoommeetings", NO_MEETINGS),
];

/// What is said to a line that asks for something of the table; `None` where clap's words are all there is.
pub(super) fn answer(program: fn() -> Command, words: &[OsString], error: &Error) -> Option<String> {
    let (kind, what) = match error.kind() {
        ErrorKind::InvalidSubcommand => (ContextKind::InvalidSubcommand, "command"),
        ErrorKind::UnknownArgument => (ContextKind::InvalidArg, "option"),
        ErrorKind::InvalidValue => (ContextKind::InvalidValue, "choice"),
        _understood => return None,
    };
    let Some(ContextValue::String(odd)) = error.get(kind) else { return None };
    let mut program = program();
    program.build();
    let above: Vec<&str> = path(&program, words).iter().skip(1).map(|command| command.get_name()).collect();
    // An option may be known of the command as a whole.
    let instead = (0..=above.len()).rev().find_map(|depth| instead_of(above.get(..depth)?, odd))?;
    let line = above.iter().copied().chain([odd.as_str()]).collect::<Vec<_>>().join(" ");
    Some(format!("`homard {line}`: this {what} is not built. {}", capital(instead)))
}

fn instead_of(above: &[&str], odd: &str) -> Option<&'static str> {
    let key = above.iter().copied().chain([odd]).collect::<Vec<_>>().join(" ");
    ROWS.iter().find(|(words, _)| *words == key).map(|(_, instead)| *instead)
}

/// The words as a sentence, unless they begin with a command.
fn capital(words: &str) -> String {
    let mut letters = words.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::ffi::OsString;

    use clap::{CommandFactory as _, Parser as _};

    use super::{ROWS, answer};
    use crate::cli::Cli;

    #[test]
    fn each_says_what_to_do_instead_and_none_of_them_is_built() {
        let mut seen = BTreeSet::new();
        for (row, instead) in ROWS {
            assert!(seen.insert(row), "{row} is there twice");
            let words: Vec<OsString> =
                std::iter::once("homard").chain(row.split(' ')).map(Into::into).collect();
            let Err(error) = Cli::try_parse_from(&words) else { panic!("{row} is built") };
            let said = answer(Cli::command, &words, &error);
            assert!(said.is_some_and(|said| said.contains(&instead[1..])), "{row}: {error}");
        }
    }

    #[test]
    fn what_there_is_instead_exists() {
        let program = Cli::command();
        for (row, instead) in ROWS {
            for line in instead.split('`').skip(1).step_by(2).filter_map(|code| code.strip_prefix("homard "))
            {
                let words =
                    line.split(' ').take_while(|word| word.starts_with(|c: char| c.is_ascii_lowercase()));
                words.fold(&program, |command, word| {
                    let found = command.find_subcommand(word);
                    assert!(
                        found.is_some() || !command.has_subcommands(),
                        "{row}: there is no `homard {line}`"
                    );
                    found.unwrap_or(command)
                });
            }
        }
    }

    #[test]
    fn what_nobody_knows_is_left_to_the_grammar() {
        for line in ["homard frobnicate", "homard gateway --moon", "homard agents add", "homard mpc"] {
            let words: Vec<OsString> = line.split(' ').map(Into::into).collect();
            let Err(error) = Cli::try_parse_from(&words) else { panic!("{line} was taken") };
            assert_eq!(answer(Cli::command, &words, &error), None, "{line}");
        }
    }

    #[test]
    fn other_names_and_further_words_lead_to_the_same() {
        for line in [
            "homard mcp list --json",
            "homard --no-color automations scratch x",
            "homard gateway run --ws-log full",
            "homard setup --tailscale serve",
            "homard chat --profile work --moon",
        ] {
            let words: Vec<OsString> = line.split(' ').map(Into::into).collect();
            let Err(error) = Cli::try_parse_from(&words) else { panic!("{line} was taken") };
            assert_eq!(answer(Cli::command, &words, &error).is_none(), line.ends_with("--moon"), "{line}");
        }
    }
}
