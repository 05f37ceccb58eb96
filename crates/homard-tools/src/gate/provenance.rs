//! Whose words a file or a command's output is, by where it comes from.
//!
//! The workspace is the owner's, and so are folders the owner vouches for and what the system itself installed. What
//! lies anywhere else was put there by somebody: a download, a mail, a repository. Files in the workspace that hold
//! words of others are remembered by path and by content, so that a copy is known, too.

use std::path::{Path, PathBuf};

use homard_config::{Records, is_shared_folder};
use homard_exec::approvals::read;

use super::{GatePolicy, fetching};
use crate::cx::ToolCx;
use crate::file_access::real_path;
use crate::paths::Paths;
use crate::scope::Guards;
use crate::taint::{Label, Source};

/// Folders that only an administrator writes to.
const SYSTEM: [&str; 9] = ["/bin", "/dev", "/etc", "/lib", "/lib64", "/proc", "/sbin", "/sys", "/usr"];
/// The folder of the state directory with what others sent.
const RECEIVED: &str = "media";
/// What makes a command read more files than it names.
const SWEEPS: [&str; 9] = ["ack", "ag", "find", "--recursive", "-R", "-r", "-rn", "rg", "xargs"];
/// What makes a word a pattern of names.
const PATTERNS: [char; 4] = ['*', '?', '[', '{'];
/// Most words of a command that are looked at as paths.
const MAX_WORDS: usize = 256;

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
        if self.records.contain(&real_path(&self.workspace), real) { None } else { self.of_file(real) }
    }

    /// The label of a file's content; `None` for the owner's own. Blocks on the disk.
    fn of_file(&self, real: &Path) -> Option<Label> {
        let files = &self.guards.files;
        let known = files.label_of(real).or_else(|| files.label_of_content(real));
        known
            .or_else(|| self.is_elsewhere(real).then(|| Label::new(Source::File, real.display().to_string())))
    }

    /// The labels of a command's output. Blocks on the disk.
    pub(super) fn of_command(&self, command: &str) -> Vec<Label> {
        let mut labels: Vec<Label> =
            self.guards.files.named_in(command).into_iter().chain(fetching::label(command)).collect();
        let paths = Paths::new(&self.home, false);
        let mut sweeps = command.contains(PATTERNS);
        for word in self.words(command) {
            sweeps |= SWEEPS.contains(&word.as_str());
            // Of a pattern, the folder it looks in.
            let plain = word.split(PATTERNS).next().unwrap_or_default();
            let path = if plain.len() < word.len() {
                plain.rsplit_once('/').map_or("", |(at, _)| at)
            } else {
                plain
            };
            let real = paths.resolve(&self.workspace, path).ok().filter(|real| real.exists());
            labels.extend(real.and_then(|real| self.of_file(&real)));
        }
        if sweeps {
            labels.extend(self.guards.files.label_below(&real_path(&self.workspace)));
        }
        labels
    }

    /// Everything in a command that could be a path: its words as a shell reads them, and whatever stands between
    /// quotes and signs, for programs inside programs.
    fn words(&self, command: &str) -> Vec<String> {
        let home = self.home.to_string_lossy();
        let command = command.replace("${HOME}", &home).replace("$HOME", &home);
        let pieces = command.split(|c: char| c.is_whitespace() || "\"'`;|&<>()=,$".contains(c));
        let mut words: Vec<String> = pieces.filter(|word| !word.is_empty()).map(str::to_owned).collect();
        for segment in read(&command).unwrap_or_default() {
            let mut of_segment = segment.words.into_iter().map(|word| word.text);
            // A program is run, not read: it is no path where it stands first, and one wherever else it is named.
            let program = of_segment.next();
            if let Some(at) = program.and_then(|program| words.iter().position(|word| *word == program)) {
                words.swap_remove(at);
            }
            words.extend(of_segment);
        }
        words.truncate(MAX_WORDS);
        words
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
        // The home itself and what is above it only lead somewhere.
        let leads = real_path(&self.home).starts_with(real);
        let is_system = SYSTEM.iter().any(|folder| below(Path::new(folder)));
        !is_chosen
            && !leads
            && !is_system
            && !below(&real_path(&self.workspace))
            && !self.policy.vouched.iter().any(|folder| below(&real_path(folder)))
    }
}
