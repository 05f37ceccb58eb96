//! Commands that bring words of others in: their output is a stranger's, whoever asked for it.
//!
//! A short list of programs, looked for where a program stands in a command line. It errs towards seeing one.

use crate::taint::{Label, Source};

/// Programs that fetch from elsewhere.
const PROGRAMS: [&str; 33] = [
    "aria2c",
    "curl",
    "elinks",
    "fetchmail",
    "ftp",
    "getmail",
    "gh",
    "glab",
    "himalaya",
    "http",
    "https",
    "imapfilter",
    "lftp",
    "links",
    "lynx",
    "mbsync",
    "mutt",
    "nc",
    "ncat",
    "neomutt",
    "netcat",
    "notmuch",
    "offlineimap",
    "rsync",
    "scp",
    "sftp",
    "socat",
    "ssh",
    "telnet",
    "w3m",
    "wget",
    "xh",
    "yt-dlp",
];
/// Programs that fetch with one of these words after them.
const WITH_WORD: [(&str, &[&str]); 3] = [
    ("git", &["clone", "fetch", "ls-remote", "pull", "submodule"]),
    ("hg", &["clone", "incoming", "pull"]),
    ("svn", &["checkout", "co", "export", "update", "up"]),
];
/// Programs that run what stands on their command line, and fetch when that names an address.
const INTERPRETERS: [&str; 8] = ["bun", "deno", "node", "perl", "php", "python", "python3", "ruby"];
/// Words that stand before the program that matters.
const BEFORE: [&str; 13] = [
    "command", "doas", "env", "eval", "exec", "ionice", "nice", "nohup", "setsid", "stdbuf", "sudo", "time",
    "xargs",
];

/// The label of a command's output, when it fetches.
pub(super) fn label(command: &str) -> Option<Label> {
    let fetches = command.split([';', '|', '&', '\n', '(', ')', '{', '}', '`', '"', '\'']).any(|part| {
        let mut words = part.split_whitespace().skip_while(|word| {
            word.starts_with('-') || word.contains('=') || *word == "!" || BEFORE.contains(&base(word))
        });
        words.next().is_some_and(|program| is_fetching(base(program), words, command))
    });
    fetches.then(|| Label::new(Source::Web, format!("fetched by the command {command}")))
}

fn is_fetching<'w>(program: &str, mut rest: impl Iterator<Item = &'w str>, command: &str) -> bool {
    if PROGRAMS.contains(&program) {
        return true;
    }
    if let Some((_, words)) = WITH_WORD.iter().find(|(name, _)| *name == program) {
        return rest.any(|word| words.contains(&word));
    }
    INTERPRETERS.contains(&program) && (command.contains("http://") || command.contains("https://"))
}

/// The name of a program without where it is.
fn base(program: &str) -> &str {
    program.rsplit('/').next().unwrap_or(program)
}
