//! What is typed becomes the message that is meant.

use clap::Parser;
use homard_config::{Config, Environment, Paths};

use super::{RouteArgs, RouteCommand, message};

#[derive(Parser)]
struct Line {
    #[command(flatten)]
    args: RouteArgs,
}

fn asked(words: &str) -> Result<String, String> {
    let words = ["route", "explain"].into_iter().chain(words.split_whitespace());
    let line = Line::try_parse_from(words).map_err(|error| error.kind().to_string())?;
    let RouteCommand::Explain(args) = line.args.command;
    let config = Config::empty(&Paths::under(std::path::Path::new("home")), &Environment::default());
    let message = message(&config, &args).map_err(|error| error.to_string())?;
    let peer = message.conversation.peer().unwrap();
    let thread = message.conversation.thread().map(|thread| format!(" thread {thread}")).unwrap_or_default();
    let kind = message.conversation.kind().as_str();
    let space = message.details.space.map(|space| format!(" in {space}")).unwrap_or_default();
    let roles = message.details.roles.join("+");
    Ok(format!("{}/{} {kind} {peer}{thread}{space} {roles}", message.channel, message.account)
        .trim()
        .to_owned())
}

#[test]
fn a_command_line_names_a_conversation() {
    let rows = [
        ("--channel telegram --peer direct:42", Ok("telegram/default direct 42")),
        ("--channel Telegram --peer dm:42 --account Work", Ok("telegram/work direct 42")),
        ("--channel telegram --peer group:-100 --thread 7", Ok("telegram/default group -100 thread 7")),
        ("--channel matrix --peer channel:!a:b", Ok("matrix/default channel !a:b")),
        (
            "--channel discord --peer channel:9 --guild G --roles a,b",
            Ok("discord/default channel 9 in G a+b"),
        ),
        ("--channel slack --peer channel:9 --team T", Ok("slack/default channel 9 in T")),
        (
            "--channel telegram --peer 42",
            Err("--peer is written as direct:ID, group:ID or channel:ID, not `42`"),
        ),
        (
            "--channel telegram --peer crowd:42",
            Err("`crowd` is no kind of conversation; use direct, group or channel"),
        ),
        ("--channel telegram --peer direct:", Err("--peer names no conversation")),
        ("--channel a/b --peer direct:1", Err("--channel names no platform")),
        ("--channel irc --peer direct:1 --account //", Err("--account names none")),
    ];
    for (words, expected) in rows {
        assert_eq!(asked(words), expected.map(str::to_owned).map_err(str::to_owned), "{words}");
    }
    for words in ["--peer direct:1", "--channel irc", "--channel irc --peer direct:1 --guild a --team b"] {
        assert!(asked(words).is_err(), "{words}");
    }
}
