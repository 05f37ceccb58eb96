//! The grammar holds together, and the help says what it should.

use clap::{CommandFactory, Parser};

mod book;
mod documentation;

use super::{Cli, missing, on_demand};

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

/// The help of a command and of those below it, each after its name.
fn helps(command: &mut clap::Command, helps: &mut Vec<(String, String)>) {
    let help = (command.render_help(), command.render_long_help());
    helps.push((command.get_name().to_owned(), format!("{}{}{}", command.render_usage(), help.0, help.1)));
    command.get_subcommands_mut().for_each(|inner| self::helps(inner, helps));
}

#[test]
fn one_command_described_alone_is_what_it_is_among_all() {
    let built = |mut program: clap::Command| {
        program.build();
        program
    };
    let mut whole = built(Cli::command());
    let mut outline = built(on_demand::outline());
    assert_eq!(outline.render_long_help().to_string(), whole.render_long_help().to_string());
    for command in whole.get_subcommands_mut() {
        let name = command.get_name().to_owned();
        let (alone, found) = on_demand::grammar(&["homard".into(), name.clone().into()]);
        assert_eq!(found.as_deref(), Some(name.as_str()));
        let (mut expected, mut told) = (Vec::new(), Vec::new());
        helps(command, &mut expected);
        helps(built(alone).find_subcommand_mut(&name).unwrap(), &mut told);
        assert_eq!(told, expected);
    }
}

#[test]
fn a_line_is_read_as_the_whole_grammar_reads_it() {
    let lines = UNDERSTOOD.iter().chain(WRONG).chain(&[
        "homard",
        "homard --help",
        "homard -h",
        "homard --no-color -V",
        "homard help cron add",
        "homard --profile logs status",
        "homard --profile=logs --log-level debug status --help",
        "homard --profile logs",
        "homard --profile",
        "homard --folow logs",
        "homard logs --folow",
        "homard status -- logs",
        "homard -- status",
        "homard chat --help",
        "homard models list --help",
        "homard models",
    ]);
    for line in lines {
        let words: Vec<std::ffi::OsString> = line.split(' ').map(Into::into).collect();
        let read = on_demand::read(&words, clap::ColorChoice::Never);
        let expected = Cli::command().try_get_matches_from(&words);
        match (read, expected) {
            (Ok(read), Ok(expected)) => {
                let told = |matches: &clap::ArgMatches| {
                    format!("{:?} {:?}", matches.get_one::<String>("profile"), matches.subcommand())
                };
                assert_eq!(told(&read), told(&expected), "{line}");
            }
            (Err(read), Err(expected)) => {
                assert_eq!(
                    (read.kind(), read.to_string()),
                    (expected.kind(), expected.to_string()),
                    "{line}"
                );
            }
            (read, expected) => panic!("{line}: {:?} and not {:?}", read.err(), expected.err()),
        }
    }
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
        ("update", vec!["update"]),
        ("agents", vec!["agents"]),
        ("agents_bind", vec!["agents", "bind"]),
        ("agents_set_identity", vec!["agents", "set-identity"]),
        ("config_patch", vec!["config", "patch"]),
        ("cron_edit", vec!["cron", "edit"]),
        ("message", vec!["message"]),
        ("message_send", vec!["message", "send"]),
        ("node", vec!["node"]),
        ("nodes_camera", vec!["nodes", "camera"]),
        ("nodes_camera_snap", vec!["nodes", "camera", "snap"]),
        ("sessions_tail", vec!["sessions", "tail"]),
        ("sessions_export", vec!["sessions", "export"]),
        ("channels", vec!["channels"]),
        ("directory", vec!["directory"]),
        ("secrets", vec!["secrets"]),
        ("webhooks", vec!["webhooks"]),
        ("tasks", vec!["tasks"]),
        ("approvals", vec!["approvals"]),
        ("system", vec!["system"]),
        ("memory", vec!["memory"]),
        ("models", vec!["models"]),
        ("skills", vec!["skills"]),
        ("skills_install", vec!["skills", "install"]),
        ("daemon", vec!["daemon"]),
    ];
    for (name, words) in pages {
        insta::assert_snapshot!(name, help(&words));
    }
}

#[test]
fn what_is_left_out_is_explained_with_an_example() {
    for (line, told) in [
        (
            "homard onboard --non-interactive",
            vec!["--accept-risk", "homard onboard --non-interactive --accept-risk"],
        ),
        (
            "homard agents bind",
            vec!["A platform, or a platform", "homard agents bind --agent work --bind telegram:work"],
        ),
        ("homard skills install", vec!["homard skills install ./weather"]),
        (
            "homard nodes camera clip",
            vec!["Which node", "homard nodes camera clip --node shed --duration 10s"],
        ),
        ("homard channels remove irc --moon", vec!["homard channels remove telegram"]),
    ] {
        let words: Vec<std::ffi::OsString> = line.split(' ').map(Into::into).collect();
        let Err(error) = Cli::try_parse_from(&words) else { panic!("{line} was taken") };
        let hint = missing::hint(Cli::command, &words, &error).unwrap_or_default();
        for told in told {
            assert!(hint.contains(told), "{line}: {hint}");
        }
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
    "homard update --channel beta --from https://a.test/x --dry-run --no-restart --timeout 5 --yes --json",
    "homard update --tag v0.2.1",
    "homard update status --json --timeout 5",
    "homard gateway",
    "homard gateway --port 0 --bind lan --auth token --token x --force --verbose --allow-unconfigured",
    "homard gateway run --port 18790 --auth password --password-file -",
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
    "homard agent -m hi --deliver --channel telegram --to -100 --reply-channel irc --reply-to #a --reply-account work --verbose full",
    "homard agent --message-file q.txt --session-id 0123 --timeout 5",
    "homard agents add Work --bind telegram:work --bind irc --avatar a.png --non-interactive",
    "homard agents bind --agent work --bind telegram:* --json",
    "homard agents unbind --agent work --all",
    "homard agents bindings --agent work --json",
    "homard agents set-identity --agent work --name a --theme b --emoji c --avatar d",
    "homard agents set-identity --workspace ~/w --identity-file i.md --json",
    "homard agents list --bindings",
    "homard agents delete work --force",
    "homard config set gateway.port 1 --dry-run --json --expect-current-json 2",
    "homard config set channels.irc {} --merge",
    "homard config set hooks.token --ref-source env --ref-id T --ref-provider default",
    "homard config set --batch-file b.json --dry-run",
    "homard config patch --stdin --replace-path agents.list --json",
    "homard config unset gateway.port --dry-run",
    "homard cron add --name a --at 1h --message hi --thread-id 3 --best-effort-deliver --light-context --session current --session-key main",
    "homard cron edit a --disable --clear-model --clear-thinking --clear-timeout --clear-agent --clear-failure-alert --clear-missed",
    "homard cron runs a --status skipped",
    "homard cron list --limit 5 --offset 5",
    "homard nodes camera snap --node a --facing both --quality 0.5 --delay-ms 100 --invoke-timeout 5 --json",
    "homard nodes camera clip --node a --device-id x --duration 5s --no-audio --out f.mp4",
    "homard nodes canvas present --node a --target /x --x -1 --y 2 --width 3 --height 4",
    "homard nodes canvas navigate --node a https://homard.test",
    "homard nodes screen record --node a --screen 1 --fps 5",
    "homard nodes location get --node a --accuracy coarse --max-age 5 --location-timeout 5",
    "homard nodes status --last-connected 24h",
    "homard node install --host gateway.lan --port 1 --display-name shed --force --json",
    "homard node restart --json",
    "homard node uninstall",
    "homard sessions tail main --follow --limit 5 --json",
    "homard sessions export main --out x.md --format markdown --force",
    "homard sessions compact main --instructions short",
    "homard message read -t telegram:1 --limit 5 --json",
    "homard message search --target irc:#a --query tea --limit 5",
    "homard message sticker send -t telegram:1 --media a.webp",
    "homard message send -t telegram:1 --media a.ogg --as-voice",
    "homard directory self --channel telegram --account work --json",
    "homard directory peers list --query ada --limit 5",
    "homard directory groups list --channel irc",
    "homard channels resolve ada bob --channel telegram --kind user --json",
    "homard secrets audit --check --json",
    "homard secrets reload",
    "homard webhooks",
    "homard webhooks test agent --data {} --json",
    "homard tasks list --status running --agent main --limit 5",
    "homard tasks cancel 0123 --json",
    "homard approvals get --node shed",
    "homard approvals allowlist add /usr/bin/rg --node shed",
    "homard devices clear --pending --yes",
    "homard system presence --json",
    "homard skills install ./weather --agent work --force --json",
    "homard skills install https://homard.test/weather.git --version v1 --global",
];

#[test]
fn common_command_lines_are_understood() {
    for line in UNDERSTOOD {
        if let Err(error) = Cli::try_parse_from(line.split(' ')) {
            panic!("{line}: {error}");
        }
    }
}

/// What nobody can mean.
const WRONG: &[&str] = &[
    "homard frobnicate",
    "homard gateway --bind moon",
    "homard gateway --password p --password-file f",
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
    "homard agent hi --to 7",
    "homard agents bind",
    "homard agents unbind",
    "homard config patch",
    "homard config set hooks.token --ref-source env",
    "homard nodes camera snap",
    "homard nodes canvas navigate --node a",
    "homard message read",
    "homard channels resolve",
    "homard secrets",
    "homard webhooks test",
    "homard tasks show",
    "homard cron edit a --clear-model --model b",
    "homard approvals get --node a --gateway",
];

#[test]
fn wrong_command_lines_are_usage_errors() {
    for line in WRONG {
        let Err(error) = Cli::try_parse_from(line.split(' ')) else { panic!("{line} was taken") };
        assert_eq!(error.exit_code(), 2, "{line}");
    }
}
