//! Commands that bring words of others in, from elsewhere or out of what others wrote: their output is a stranger's,
//! whoever asked for it.
//!
//! A short list of programs, looked for where a program stands in a command line. It errs towards seeing one.

use homard_exec::approvals::may_call;

use crate::words_of_others::taint::{Label, Source};

/// Programs that fetch from elsewhere.
const PROGRAMS: [&str; 52] = [
    "aria2c",
    "aws",
    "curl",
    "curlie",
    "dig",
    "elinks",
    "fetchmail",
    "finger",
    "ftp",
    "gallery-dl",
    "gcloud",
    "getmail",
    "gh",
    "glab",
    "grpcurl",
    "gsutil",
    "himalaya",
    "host",
    "http",
    "httpie",
    "https",
    "imapfilter",
    "lftp",
    "links",
    "lynx",
    "mail",
    "mailx",
    "mbsync",
    "mosquitto_sub",
    "mutt",
    "nc",
    "ncat",
    "neomutt",
    "netcat",
    "notmuch",
    "nslookup",
    "offlineimap",
    "rclone",
    "rsync",
    "s3cmd",
    "scp",
    "sftp",
    "socat",
    "ssh",
    "telnet",
    "w3m",
    "websocat",
    "wget",
    "whois",
    "xh",
    "youtube-dl",
    "yt-dlp",
];
/// Programs that fetch with one of these words after them.
const WITH_WORD: [(&str, &[&str]); 9] = [
    ("cargo", &["info", "search"]),
    ("docker", &["attach", "exec", "logs", "pull", "run"]),
    ("git", &["cat-file", "clone", "fetch", "ls-remote", "pull", "show", "submodule"]),
    ("hg", &["clone", "incoming", "pull"]),
    ("kubectl", &["attach", "describe", "exec", "get", "logs"]),
    ("npm", &["info", "search", "show", "view"]),
    ("openssl", &["s_client"]),
    ("podman", &["attach", "exec", "logs", "pull", "run"]),
    ("svn", &["checkout", "co", "export", "update", "up"]),
];
/// Programs that run what stands on their command line, and fetch when that names an address.
const INTERPRETERS: [&str; 7] = ["bun", "deno", "node", "perl", "php", "python", "ruby"];
/// The shell's own way to open a connection.
const SHELL_SOCKETS: [&str; 2] = ["/dev/tcp/", "/dev/udp/"];

/// The label of a command's output, when it fetches.
pub(super) fn label(command: &str) -> Option<Label> {
    let fetches = may_call(command, |program, rest| is_fetching(program, rest, command))
        || SHELL_SOCKETS.iter().any(|socket| command.contains(socket));
    fetches.then(|| Label::new(Source::Web, format!("fetched by the command {command}")))
}

fn is_fetching(program: &str, rest: &[&str], command: &str) -> bool {
    if PROGRAMS.contains(&program) {
        return true;
    }
    if let Some((_, words)) = WITH_WORD.iter().find(|(name, _)| *name == program) {
        return rest.iter().any(|word| words.contains(word));
    }
    let without_version = program.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    INTERPRETERS.contains(&without_version) && (command.contains("http://") || command.contains("https://"))
}
