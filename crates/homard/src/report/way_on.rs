//! What to do about errors of rooms that know no commands, and about a refusal in which the gateway said nothing of it.

use std::error::Error;

use homard_backup::BackupError;
use homard_client::ClientError;
use homard_config::WriteError;
use homard_migrate::NoHome;

use super::MEND_SETTINGS;

const JOBS: &str = "`homard cron list --all` shows the jobs, `homard cron add --help` how one is written";
const CONVERSATIONS: &str =
    "`homard sessions` lists the conversations, `homard agents list` the agents they are with";
const PLATFORMS: &str =
    "`homard channels list --all` names the platforms, `homard channels status` tells how they are";

/// The beginnings of methods' names, the longer ones first.
const ROWS: [(&str, &str); 20] = [
    ("agents.", "`homard agents list` names the agents"),
    ("agent", CONVERSATIONS),
    ("channels.pairing.", "`homard pairing list` shows who waits, `homard channels list` the platforms"),
    ("channels.", PLATFORMS),
    ("chat.", CONVERSATIONS),
    ("config.", "`homard config schema` describes every setting"),
    ("cron.", JOBS),
    ("device.", "`homard devices` lists what is paired and what waits"),
    ("exec.approval.", "`homard approvals pending` lists what waits for an answer"),
    ("exec.approvals.", "`homard approvals get` prints the rules there are"),
    ("memory.", "`homard agents list` names the agents, `homard memory status` what is searched"),
    ("message.", PLATFORMS),
    ("models.", "`homard models list --all` names the models"),
    ("node.", "`homard nodes` lists the nodes and what they can do"),
    ("poll", PLATFORMS),
    ("send", PLATFORMS),
    ("sessions.", CONVERSATIONS),
    ("skills.", "`homard skills` lists the skills"),
    ("tools.", "`homard tools list` names the tools"),
    ("undo.", "`homard undo --session KEY` is about another conversation; `homard sessions` lists them"),
];

/// What to do about an error, where something is known.
pub(super) fn from(cause: &(dyn Error + 'static)) -> Option<String> {
    let client = || cause.downcast_ref().and_then(refused);
    let settings = || cause.downcast_ref().and_then(settings).map(str::to_owned);
    let archive = || cause.downcast_ref().and_then(archive).map(str::to_owned);
    let home = || cause.downcast_ref().map(home).map(str::to_owned);
    client().or_else(settings).or_else(archive).or_else(home)
}

fn settings(error: &WriteError) -> Option<&'static str> {
    match error {
        WriteError::Invalid(_) | WriteError::InTheWay(_) | WriteError::Syntax(_) => {
            Some("`homard config schema` describes every setting, `homard config get` shows what is written")
        }
        WriteError::NotSet(_) | WriteError::NotAsExpected(_) => {
            Some("`homard config get` shows what is written")
        }
        WriteError::BrokenOnDisk(_) => Some(MEND_SETTINGS),
        _other => None,
    }
}

fn archive(error: &BackupError) -> Option<&'static str> {
    match error {
        BackupError::NotOurs { .. } | BackupError::Damaged { .. } | BackupError::Outside(_) => {
            Some("`homard backup list` shows the archives there are")
        }
        BackupError::Nothing(_) => {
            Some("`homard onboard` sets it up; --profile and HOMARD_STATE_DIR choose another folder")
        }
        BackupError::Exists(_) => Some("name another file with --output"),
        BackupError::WrongPassphrase(_) => {
            Some("try the one it was sealed with; without it nobody can open the archive")
        }
        BackupError::Newer { .. } => Some("`homard update` gets a newer program; the archive is as it was"),
        _other => None,
    }
}

fn home(error: &NoHome) -> &'static str {
    match error {
        NoHome::NotThere(_) | NoHome::NotAHome(_) => {
            "--from names the folder that holds openclaw.json; `homard migrate list` shows what is found by itself"
        }
        NoHome::Ourselves(_) | NoHome::Nested(_) => {
            "copy that home elsewhere and name the copy with --from, or set HOMARD_STATE_DIR"
        }
    }
}

/// What to look at, unless the gateway has said so itself.
fn refused(error: &ClientError) -> Option<String> {
    let ClientError::Rejected { method, error } = error else { return None };
    let (_, words) = ROWS.iter().find(|(beginning, _)| method.starts_with(beginning))?;
    (!error.message.contains("`homard ")).then(|| (*words).to_owned())
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;
    use homard_client::ClientError;
    use homard_protocol::ErrorShape;
    use serde_json::json;

    use super::{ROWS, refused};
    use crate::cli::Cli;

    fn told(method: &str, message: &str) -> Option<String> {
        let error = json!({"code": "INVALID_REQUEST", "message": message});
        let error: ErrorShape = serde_json::from_value(error).unwrap();
        refused(&ClientError::Rejected { method: method.to_owned(), error: Box::new(error) })
    }

    #[test]
    fn a_refusal_without_a_way_on_is_given_one() {
        assert!(told("agents.delete", "unknown agent id").is_some_and(|hint| hint.contains("agents list")));
        assert!(told("agent", "No session found").is_some_and(|hint| hint.contains("homard sessions")));
        assert_eq!(told("send", "not connected; see `homard channels status`"), None);
        assert_eq!(told("x.y", "no"), None);
    }

    #[test]
    fn where_to_look_exists() {
        let program = Cli::command();
        for (beginning, words) in ROWS {
            for line in words.split('`').skip(1).step_by(2).filter_map(|code| code.strip_prefix("homard ")) {
                let words =
                    line.split(' ').take_while(|word| word.starts_with(|c: char| c.is_ascii_lowercase()));
                words.fold(&program, |command, word| {
                    let found = command.find_subcommand(word);
                    let is_there = found.is_some() || !command.has_subcommands();
                    assert!(is_there, "{beginning}: there is no `homard {line}`");
                    found.unwrap_or(command)
                });
            }
        }
    }
}
