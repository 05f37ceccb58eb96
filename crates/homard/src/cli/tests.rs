//! The grammar holds together, and the help says what it should.

use clap::{CommandFactory, Parser};

mod book;
mod documentation;

use super::Cli;

#[test]
fn the_grammar_has_no_contradictions() {
    Cli::command().debug_assert();
}

#[test]
fn the_version_is_told_without_the_grammar_as_the_grammar_tells_it() {
    let told = |words: &[&str]| super::asks_for_version(&words.iter().map(Into::into).collect::<Vec<_>>());
    assert!(told(&["homard", "--version"]) && told(&["homard", "-V"]));
    assert!(
        !told(&["homard"])
            && !told(&["homard", "--no-color", "--version"])
            && !told(&["homard", "cron", "-V"])
    );
    assert_eq!(Cli::command().render_version(), format!("homard {}\n", super::VERSION));
}

fn help(words: &[&str]) -> String {
    let line = std::iter::once("homard").chain(words.iter().copied()).chain(["--help"]);
    match Cli::command().term_width(100).try_get_matches_from(line) {
        Err(help) => help.to_string(),
        Ok(_) => panic!("--help did not stop {words:?}"),
    }
}

#[test]
fn help_teaches() {
    let pages = [
        ("homard", vec![]),
        ("gateway", vec!["gateway"]),
        ("gateway_call", vec!["gateway", "call"]),
        ("agent", vec!["agent"]),
        ("config", vec!["config"]),
        ("config_set", vec!["config", "set"]),
        ("sessions", vec!["sessions"]),
        ("logs", vec!["logs"]),
        ("devices", vec!["devices"]),
        ("nodes", vec!["nodes"]),
        ("qr", vec!["qr"]),
        ("cron", vec!["cron"]),
        ("cron_add", vec!["cron", "add"]),
        ("dashboard", vec!["dashboard"]),
        ("models_list", vec!["models", "list"]),
        ("tui", vec!["tui"]),
        ("usage", vec!["usage"]),
        ("status", vec!["status"]),
        ("doctor", vec!["doctor"]),
        ("security_audit", vec!["security", "audit"]),
        ("backup", vec!["backup"]),
        ("backup_create", vec!["backup", "create"]),
        ("backup_restore", vec!["backup", "restore"]),
        ("reset", vec!["reset"]),
        ("uninstall", vec!["uninstall"]),
        ("onboard", vec!["onboard"]),
        ("configure", vec!["configure"]),
        ("migrate", vec!["migrate"]),
    ];
    for (name, words) in pages {
        insta::assert_snapshot!(name, help(&words));
    }
}

/// What people type.
const UNDERSTOOD: &[&str] = &[
    "homard onboard --non-interactive --accept-risk --auth-choice openai --openai-api-key x --model gpt-5.2 --json",
    "homard onboard --flow advanced --mode local --workspace ~/w --skip-channels --skip-skills --skip-health --skip-ui",
    "homard onboard --custom-base-url http://a/v1 --custom-model-id m --custom-provider-id p --custom-api-key k --custom-compatibility anthropic",
    "homard onboard --gateway-port 1 --gateway-bind lan --gateway-auth password --gateway-password pppppppp --no-install-daemon",
    "homard onboard --mode remote --remote-url wss://a --remote-token t --reset --reset-scope full",
    "homard onboard --import-from openclaw --import-source ~/.openclaw --import-secrets --skip-bootstrap",
    "homard setup --baseline",
    "homard configure --section model --section channels",
    "homard migrate openclaw --from ~/.openclaw --dry-run --json",
    "homard migrate list --json",
    "homard migrate plan openclaw --all",
    "homard migrate apply openclaw --yes --include-secrets --overwrite",
    "homard gateway",
    "homard gateway --port 0 --bind lan --auth token --token x --force --verbose --allow-unconfigured",
    "homard gateway run --port 18790",
    "homard --dev gateway",
    "homard gateway --dev",
    "homard gateway status --json",
    "homard gateway --tailscale serve",
    "homard gateway discover --json --timeout 100",
    "homard gateway probe --ssh me@host:22 --ssh-identity id --json",
    "homard approvals pending --json",
    "homard route explain --channel telegram --peer group:-100 --thread 7 --json",
    "homard approvals allow 01234567 --always",
    "homard approvals deny 01234567",
    "homard exec-approvals resolve 01234567 allow-once",
    "homard approvals watch",
    "homard channels",
    "homard channels list --all --json",
    "homard channels status --probe --channel telegram --json",
    "homard channels add --channel telegram --account work --name Work --token x --no-probe",
    "homard channels add --channel irc --set host=x --set nick=y --use-env",
    "homard channels remove --channel telegram --account work --delete",
    "homard channels start telegram",
    "homard channels stop --channel telegram --account work",
    "homard channels logout telegram --json",
    "homard channels capabilities --channel irc",
    "homard channels logs irc --lines 10",
    "homard channels dead-letters --json",
    "homard message send -t telegram:1 -m hi --silent --reply-to 2 --thread-id 3 --json",
    "homard message send --target 1 --channel telegram --account work --media a.png --force-document --pin",
    "homard message send -t irc:#a -m hi --dry-run",
    "homard message broadcast --targets telegram:1 --targets irc:#a -m hi",
    "homard message poll -t telegram:1 --poll-question q --poll-option a --poll-option b --poll-multi --poll-duration-hours 1 --poll-public",
    "homard message react -t telegram:1 --message-id 2 --emoji x",
    "homard message react -t telegram:1 --message-id 2 --remove",
    "homard message edit -t telegram:1 --message-id 2 -m x",
    "homard message delete -t telegram:1 --message-id 2",
    "homard message pin -t telegram:1 --message-id 2",
    "homard message unpin -t telegram:1 --message-id 2",
    "homard message thread create -t telegram:-1 --thread-name x",
    "homard message thread reply -t telegram:-1 --thread-id 2 -m x",
    "homard cron",
    "homard cron list --all --json --query x",
    "homard automations status",
    "homard cron add --name a --at 20m --system-event hi --wake now",
    "homard cron create --name a --every 1h --session isolated --message hi --no-deliver --json",
    "homard cron add --name a --cron @daily --tz Europe/Paris --exact --message hi --webhook http://127.0.0.1/x",
    "homard cron edit a --name b --keep-after-run",
    "homard cron run a --due --wait",
    "homard cron runs --id a --limit 5",
    "homard cron rm a",
    "homard cron enable a",
    "homard system event --text hi --mode now",
    "homard devices",
    "homard devices list --json",
    "homard devices approve 01234567",
    "homard devices approve --latest",
    "homard devices reject 01234567",
    "homard devices join-code --public-url wss://homard.test --json",
    "homard qr --setup-code-only --limited",
    "homard qr --json --no-ascii --remote --voice-node --url ws://127.0.0.1:1 --token x",
    "homard devices remove 01234567 --json",
    "homard devices rename --device 0123 --name tablet",
    "homard devices rotate --device 0123 --role node --scope operator.read --scope operator.write",
    "homard devices revoke --device 0123 --role operator",
    "homard nodes",
    "homard nodes status --connected --json",
    "homard nodes pending",
    "homard nodes approve 01234567",
    "homard nodes approve --latest",
    "homard nodes reject 01234567",
    "homard nodes remove --node shed",
    "homard nodes rename --node shed --name barn",
    "homard nodes describe --node shed --json",
    "homard nodes invoke --node shed --command device.info --params {} --invoke-timeout 5 --idempotency-key k",
    "homard nodes notify --node shed --body hi --priority passive",
    "homard gateway call chat.history --params {\"sessionKey\":\"main\"}",
    "homard agent -m hi --session-key main --thinking low --timeout 30 --json",
    "homard agent --message hi --agent work",
    "homard agent hello",
    "homard agent hello there --json",
    "homard agent -",
    "homard channels add",
    "homard cron add",
    "homard completion",
    "homard undo --yes",
    "homard sessions --active 60 --limit 5 --json",
    "homard sessions list --archived --search shop --agent work",
    "homard sessions search deploy notes --session main --limit 5 --json",
    "homard sessions archive shopping",
    "homard sessions restore",
    "homard sessions restore shopping --json",
    "homard sessions restore --id 0123",
    "homard sessions delete shopping",
    "homard sessions cleanup --dry-run --all-agents --fix-missing",
    "homard sessions cleanup --enforce --agent work --active-key main",
    "homard agents",
    "homard agents list --json",
    "homard agents add Work --workspace /tmp/w --model a/b --emoji x",
    "homard agents delete work --keep-files",
    "homard models list --json",
    "homard skills --eligible",
    "homard skills list --eligible --verbose --json --agent work",
    "homard skills info weather --url ws://127.0.0.1:1",
    "homard skills check --json",
    "homard logs --follow --limit 10 --plain",
    "homard dashboard --no-open",
    "homard config set gateway.port 18790 --strict-json",
    "homard config unset gateway.port",
    "homard config file",
    "homard completion --shell zsh",
    "homard usage",
    "homard usage --days 7 --by model --json",
    "homard usage --session main --runs --limit 3",
    "homard health --url ws://127.0.0.1:1 --token t --tls-fingerprint ab --timeout 100",
    "homard status --log-level debug --no-color --profile work",
    "homard status --all --deep --usage --json",
    "homard doctor --repair --yes --deep --json --only config --only port --skip disk --severity-min warn",
    "homard doctor --fix --non-interactive",
    "homard security audit --deep --fix --yes --json",
    "homard backup create -o /tmp --exclude-secrets --no-include-workspace --exclude media --include logs --verify",
    "homard backup create --only-config --encrypt --dry-run --json",
    "homard backup create --include-secrets --passphrase-file -",
    "homard backup list /tmp --json",
    "homard backup verify a.tar.gz --passphrase-file p",
    "homard backup restore a.tar.gz --to /tmp/x --yes --json",
    "homard reset --scope config+creds+sessions --dry-run --yes --non-interactive --json",
    "homard uninstall --service --state --workspace --all --dry-run --yes --json",
];

#[test]
fn common_command_lines_are_understood() {
    for line in UNDERSTOOD {
        if let Err(error) = Cli::try_parse_from(line.split(' ')) {
            panic!("{line}: {error}");
        }
    }
}

#[test]
fn wrong_command_lines_are_usage_errors() {
    let lines = [
        "homard frobnicate",
        "homard gateway --bind moon",
        "homard gateway --tailscale moon",
        "homard gateway probe --ssh-identity id",
        "homard agent --message hi --session-key a --session-id b",
        "homard agent hi --message hi",
        "homard --profile a --dev status",
        "homard completion --shell tcsh",
        "homard approvals resolve 01234567 perhaps",
        "homard devices approve 01234567 --latest",
        "homard devices revoke --device 0123 --role boss",
        "homard devices reject",
        "homard nodes notify --node shed",
        "homard nodes invoke --node shed",
        "homard nodes approve 01234567 --latest",
        "homard usage --by moon",
        "homard usage --runs --by model",
        "homard usage --days 0",
        "homard config set gateway.port",
        "homard skills info",
        "homard sessions search",
        "homard sessions cleanup --dry-run --enforce",
        "homard sessions archive",
        "homard agents add",
        "homard doctor --yes",
        "homard doctor --severity-min awful",
        "homard security",
        "homard backup",
        "homard backup restore",
        "homard backup create --exclude-secrets --include-secrets",
        "homard reset --scope house",
    ];
    for line in lines {
        let Err(error) = Cli::try_parse_from(line.split(' ')) else { panic!("{line} was taken") };
        assert_eq!(error.exit_code(), 2, "{line}");
    }
}
