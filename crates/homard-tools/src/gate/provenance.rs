//! Whose words a file or a command's output is, by where it comes from.
//!
//! The workspace is the owner's, and so are folders the owner vouches for and what the system itself installed. What
//! lies anywhere else was put there by somebody: a download, a mail, a repository. Files in the workspace that hold
//! words of others are remembered by path and by content, so that a copy is known, too.
//!
//! Of a command it is seen which folders it works in and which words could be paths there, as a shell reads it where
//! that is understood, and otherwise whatever could be a path in it.

use std::path::{Component, Path, PathBuf};

use homard_config::{Records, is_shared_folder};
use homard_exec::approvals::{Segment, may_call, read};

use super::{GatePolicy, fetching};
use crate::cx::ToolCx;
use crate::files::file_access::real_path;
use crate::files::paths::Paths;
use crate::scope::Guards;
use crate::words_of_others::taint::{Label, Source};

/// Folders that only an administrator writes to.
const SYSTEM: [&str; 9] = ["/bin", "/dev", "/etc", "/lib", "/lib64", "/proc", "/sbin", "/sys", "/usr"];
/// Folders in there that everybody writes to.
const NOT_SYSTEM: [&str; 2] = ["/dev/mqueue", "/dev/shm"];
/// The folder of the state directory with what others sent.
const RECEIVED: &str = "media";
/// What makes a command read more files than it names.
const SWEEPS: [&str; 12] =
    ["--recursive", "ack", "ag", "find", "for", "fzf", "parallel", "rg", "tree", "until", "while", "xargs"];
/// Lists that are put where names are expected.
const LISTED: [&str; 2] = ["$(ls", "`ls"];
/// Words after `git` that print what is in the files of a repository, or was.
const GIT_PRINTS: [&str; 14] = [
    "annotate",
    "archive",
    "blame",
    "cat-file",
    "diff",
    "difftool",
    "format-patch",
    "grep",
    "log",
    "range-diff",
    "shortlog",
    "show",
    "stash",
    "whatchanged",
];
/// Programs that print nothing of what is in the files and folders they name.
const LOOK_AT_NOTHING: [&str; 24] = [
    "[", "basename", "chgrp", "chmod", "chown", "command", "df", "dirname", "echo", "export", "kill",
    "mkdir", "nproc", "printf", "pwd", "rm", "rmdir", "sleep", "test", "touch", "true", "type", "umask",
    "which",
];
/// What makes a word a pattern of names.
const PATTERNS: [char; 4] = ['*', '?', '[', '{'];
/// Signs that stand between the words of a command, and of a command inside a word.
const BETWEEN: &str = "\"'`;|&<>()=,$";
/// Most words of a command that are looked at as paths.
const MAX_WORDS: usize = 256;
/// Most folders a command is taken to work in.
const MAX_FOLDERS: usize = 8;
/// How much of a repository's settings is read.
const MAX_GIT_CONFIG: u64 = 64 * 1024;

/// A command as it is run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct CommandRun {
    pub(crate) line: String,
    /// Where, as the model named it; the workspace if nowhere.
    pub(crate) workdir: Option<String>,
    /// What variables are set to for it.
    pub(crate) values: Vec<String>,
}

impl CommandRun {
    /// A line in the workspace.
    pub(crate) fn of(line: impl Into<String>) -> Self {
        Self { line: line.into(), ..Self::default() }
    }
}

/// A word of a command that could be a path.
pub(super) struct CommandWord {
    pub(super) text: String,
    pub(super) role: Role,
}

/// What a command does with what a word names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// It may print it.
    Read,
    /// It works there from then on.
    Entered,
    Named,
}

impl Role {
    /// What a program does with what it is given.
    pub(super) fn under(program: &str) -> Self {
        match program {
            "cd" | "pushd" => Self::Entered,
            other if LOOK_AT_NOTHING.contains(&other) => Self::Named,
            _ => Self::Read,
        }
    }
}

/// What is needed to tell.
pub(super) struct Provenance {
    home: PathBuf,
    workspace: PathBuf,
    records: Records,
    policy: GatePolicy,
    guards: Guards,
}

impl Provenance {
    pub(super) fn of(home: &Path, cx: &ToolCx) -> Self {
        Self {
            home: home.to_owned(),
            workspace: cx.workspace.clone(),
            records: cx.scope.access.records.clone(),
            policy: cx.scope.gate.clone(),
            guards: cx.scope.guards.clone(),
        }
    }

    /// The label of what a file tool reads; `None` for the owner's own, and for records, which it does not read.
    /// Blocks on the disk.
    pub(super) fn of_read(&self, real: &Path) -> Option<Label> {
        if self.records.contain(&real_path(&self.workspace), real) {
            return None;
        }
        // Of what is not there, names that are like it are told.
        let told = if real.exists() { Some(real) } else { real.parent().filter(|folder| folder.is_dir()) };
        told.and_then(|told| self.of_file(told))
    }

    /// The label of a file's content, or of a folder and what is below it; `None` for the owner's own. Blocks on the
    /// disk.
    fn of_file(&self, real: &Path) -> Option<Label> {
        let files = &self.guards.files;
        let known = if real.is_dir() {
            // What is in the workspace itself is swept, or not looked at.
            Some(real)
                .filter(|real| !real_path(&self.workspace).starts_with(real))
                .and_then(|real| files.label_below(real))
        } else {
            files.label_by_name_or_content(real)
        };
        known.or_else(|| self.is_elsewhere(real).then(|| self.elsewhere(real)))
    }

    fn elsewhere(&self, real: &Path) -> Label {
        Label::new(Source::File, real.display().to_string())
    }

    /// The labels of a command's output. Blocks on the disk.
    pub(super) fn of_command(&self, run: &CommandRun) -> Vec<Label> {
        let home = self.home.to_string_lossy();
        let line = run.line.replace("${HOME}", &home).replace("$HOME", &home);
        let files = &self.guards.files;
        let mut labels: Vec<Label> =
            files.named_in(&line).into_iter().chain(fetching::label(&line)).collect();
        let segments = read(&line).ok();
        let mut words = segments.as_deref().map_or_else(|| pieces(&line, Role::Read), read_words);
        words.extend(run.values.iter().flat_map(|value| pieces(value, Role::Read)));
        words.truncate(MAX_WORDS);
        let folders = self.folders(run, &words, &line);
        for word in &words {
            let found = folders.iter().filter_map(|folder| self.found(folder, &word.text));
            labels.extend(found.filter(|_| word.role == Role::Read).filter_map(|real| self.of_file(&real)));
        }
        let looks = |segment: &Segment| {
            segment.words.first().is_none_or(|program| Role::under(&program.text) == Role::Read)
        };
        if segments.as_deref().is_none_or(|segments| segments.iter().any(looks)) {
            labels.extend(
                folders
                    .iter()
                    .filter(|folder| self.is_elsewhere(folder))
                    .map(|folder| self.elsewhere(folder)),
            );
        }
        if sweeps(&line) {
            labels.extend(folders.iter().filter_map(|folder| files.label_below(folder)));
        }
        if may_call(&line, |program, rest| {
            program == "git" && rest.iter().any(|word| GIT_PRINTS.contains(word))
        }) {
            labels.extend(folders.iter().filter_map(|folder| {
                let shared = repository_with_remotes(folder)?;
                Some(Label::new(Source::File, format!("history of {}", shared.display())))
            }));
        }
        labels
    }

    /// The folders a command may work in: where it starts, and every folder it names.
    fn folders(&self, run: &CommandRun, words: &[CommandWord], line: &str) -> Vec<PathBuf> {
        let start = run.workdir.as_deref().filter(|workdir| !workdir.trim().is_empty());
        let start =
            start.and_then(|start| Paths::new(&self.home, false).resolve(&self.workspace, start).ok());
        let mut folders = vec![start.unwrap_or_else(|| real_path(&self.workspace))];
        // Alone, it leads home.
        let goes_home = line.split([';', '&', '|', '\n']).any(|part| part.trim() == "cd");
        folders.extend(goes_home.then(|| real_path(&self.home)));
        // Where it is not understood, or a program is told where to work, every folder may be entered.
        let enters_any = line.contains("cd ") || line.contains("-C");
        let entered = |word: &&CommandWord| match word.role {
            Role::Entered => true,
            Role::Read => enters_any,
            Role::Named => false,
        };
        for word in words.iter().filter(entered) {
            let found =
                folders.iter().find_map(|folder| self.found(folder, &word.text)).filter(|real| real.is_dir());
            if let Some(found) = found.filter(|found| !folders.contains(found))
                && folders.len() < MAX_FOLDERS
            {
                folders.push(found);
            }
        }
        folders
    }

    /// What a word of a command means in a folder, if it is there; of a pattern, the folder it looks in.
    fn found(&self, folder: &Path, word: &str) -> Option<PathBuf> {
        let plain = word.split(PATTERNS).next().unwrap_or_default();
        let path = if plain.len() < word.len() {
            plain.rsplit_once('/').map_or("", |(at, _)| if at.is_empty() { "/" } else { at })
        } else {
            plain
        };
        if path.is_empty() || (path == "/" && plain.len() == word.len()) {
            return None;
        }
        Paths::new(&self.home, false).resolve(folder, path).ok().filter(|real| real.exists())
    }

    /// Whether something lies where others put files. What is not there says nothing.
    fn is_elsewhere(&self, real: &Path) -> bool {
        if !real.exists() {
            return false;
        }
        let below = |folder: &Path| real.starts_with(folder);
        // Of the state directory the owner chose skills and workspaces; what was said and received there is others'.
        let is_chosen = self.records.places().map(real_path).any(|place| {
            let first = real.strip_prefix(place).ok().and_then(|rest| rest.components().next());
            first
                .map(|first| first.as_os_str().to_string_lossy())
                .is_some_and(|first| is_shared_folder(&first) && !first.starts_with(RECEIVED))
        });
        !is_chosen
            && !in_system(real)
            && !below(&real_path(&self.workspace))
            && !self.policy.vouched.iter().any(|folder| below(&real_path(folder)))
    }
}

/// Whether a path is below a folder that only an administrator writes to.
pub(super) fn in_system(path: &Path) -> bool {
    let is_one_of = |folders: &[&str]| folders.iter().any(|folder| path.starts_with(folder));
    is_one_of(&SYSTEM)
        && !is_one_of(&NOT_SYSTEM)
        && !path.components().any(|part| part == Component::ParentDir)
}

/// The words of a command that could be paths, as a shell reads them; programs inside programs included.
pub(super) fn read_words(segments: &[Segment]) -> Vec<CommandWord> {
    let mut found = Vec::new();
    for segment in segments {
        // A program is run, not read.
        let program = segment.words.first().map_or("", |program| program.text.as_str());
        let role = Role::under(program);
        for word in segment.words.iter().skip(1) {
            found.push(CommandWord { text: word.text.clone(), role });
            found.extend(pieces(&word.text, role).into_iter().filter(|piece| piece.text != word.text));
        }
        found.extend(segment.assignments.iter().flat_map(|(_, value)| pieces(value, Role::Read)));
        found.extend(segment.redirects.iter().flat_map(|redirect| pieces(&redirect.target, Role::Read)));
    }
    found
}

/// Whatever stands between quotes and signs.
pub(super) fn pieces(text: &str, role: Role) -> Vec<CommandWord> {
    let pieces =
        text.split(|c: char| c.is_whitespace() || BETWEEN.contains(c)).filter(|piece| !piece.is_empty());
    pieces.map(|piece| CommandWord { text: piece.to_owned(), role }).collect()
}

/// Whether a command reads more files than it names.
pub(super) fn sweeps(line: &str) -> bool {
    let reads_below = |program: &str, rest: &[&str]| {
        let is_flag = |word: &&&str| word.starts_with('-') && !word.starts_with("--");
        let has = |flag: char| rest.iter().filter(is_flag).any(|word| word.contains(flag));
        match program {
            "git" => rest.iter().any(|word| GIT_PRINTS.contains(word)),
            "ls" => has('R'),
            "diff" | "egrep" | "fgrep" | "grep" | "zgrep" => has('r') || has('R'),
            _ => false,
        }
    };
    line.contains(PATTERNS)
        || LISTED.iter().any(|listed| line.contains(listed))
        || pieces(line, Role::Read).iter().any(|piece| SWEEPS.contains(&piece.text.as_str()))
        || may_call(line, reads_below)
}

/// The repository a folder belongs to, if others can have written to it.
fn repository_with_remotes(folder: &Path) -> Option<&Path> {
    use std::io::Read as _;

    let root = folder.ancestors().find(|folder| folder.join(".git").is_dir())?;
    let mut settings = String::new();
    let file = std::fs::File::open(root.join(".git/config")).ok()?;
    file.take(MAX_GIT_CONFIG).read_to_string(&mut settings).ok()?;
    settings.contains("[remote ").then_some(root)
}
