//! From a command line to the calls it makes: which programs, with what, where.

use std::path::{Path, PathBuf};

use super::kinds;
use super::program::{self, Program};
use super::shell::{self, Join, Opaque, Redirect, Segment, Word};
use crate::env::is_steering;

/// How many wrappers may stand around each other.
const MAX_WRAPPERS: usize = 4;

/// The calls of one command line, in order. `cd` is none: it only says where the others happen.
pub type Analysis = Vec<Call>;

/// One program being called.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call {
    /// The program, looked up; wrappers like `env` and `timeout` are taken off.
    pub program: Program,
    pub args: Vec<Word>,
    /// Variables set for it.
    pub assignments: Vec<(String, String)>,
    /// Files it reads or writes by the shell's hand.
    pub redirects: Vec<Redirect>,
    /// Where it happens; `None` when that depends on the moment.
    pub cwd: Option<PathBuf>,
    /// Whether it reads what another one writes.
    pub is_fed: bool,
    /// Whether it runs code or programs given to it.
    pub runs_code: bool,
}

/// Reads a line and looks its programs up, from `cwd` and in `search` (a `PATH`). Variables given from outside
/// count as set for every call. Reads the disk.
///
/// # Errors
/// When any part of the line is not fully understood.
pub fn analyse(
    line: &str,
    cwd: &Path,
    search: &str,
    variables: &[(String, String)],
) -> Result<Analysis, Opaque> {
    let segments = shell::read(line)?;
    let mut calls = Vec::new();
    let mut place = Place::new(cwd, &segments);
    for (index, segment) in segments.iter().enumerate() {
        place.enter(segment.join);
        if let Some(name) = segment.assignments.iter().map(|(name, _)| name).find(|name| is_steering(name)) {
            return Err(Opaque::Steering(name.clone()));
        }
        let first = segment.words.first().map_or("", |word| word.text.as_str());
        if first == "cd" && segment.redirects.is_empty() && segment.assignments.is_empty() {
            place.change(segment, segments.get(index + 1).map(|next| next.join));
            continue;
        }
        if first == "cd" || kinds::is_builtin(&segment.words) {
            return Err(Opaque::Builtin(first.to_owned()));
        }
        calls.push(call(segment, place.cwd.as_deref(), search, variables)?);
    }
    Ok(calls)
}

/// Where the shell is, as far as it is certain.
struct Place {
    cwd: Option<PathBuf>,
    has_moved: bool,
    /// With `||` in the line it is not certain which parts run.
    is_uncertain: bool,
}

impl Place {
    fn new(cwd: &Path, segments: &[Segment]) -> Self {
        let is_uncertain = segments.iter().any(|segment| segment.join == Join::Or);
        Self { cwd: cwd.canonicalize().ok(), has_moved: false, is_uncertain }
    }

    fn enter(&mut self, join: Join) {
        // Only after `&&` it is certain that the change of folder worked.
        if self.has_moved && !matches!(join, Join::And | Join::Pipe) {
            self.cwd = None;
        }
    }

    fn change(&mut self, segment: &Segment, next: Option<Join>) {
        let target = match segment.words.as_slice() {
            [_, to] if !to.is_dynamic && !to.text.starts_with('-') && !to.text.is_empty() => Some(&to.text),
            _ => None,
        };
        let certain = !self.is_uncertain && segment.join != Join::Pipe && next == Some(Join::And);
        self.cwd = match (target, self.cwd.take()) {
            (Some(to), Some(cwd)) if certain => cwd.join(to).canonicalize().ok(),
            _ => None,
        };
        self.has_moved = true;
    }
}

fn call(
    segment: &Segment,
    cwd: Option<&Path>,
    search: &str,
    variables: &[(String, String)],
) -> Result<Call, Opaque> {
    let mut words = segment.words.clone();
    let mut assignments: Vec<(String, String)> = variables.to_vec();
    assignments.extend(segment.assignments.iter().cloned());
    let mut depth = 0;
    loop {
        let Some((first, args)) = words.split_first() else { return Err(Opaque::Syntax) };
        if first.is_dynamic {
            return Err(Opaque::ProgramUnknown);
        }
        let found =
            program::find(&first.text, cwd, search).ok_or_else(|| Opaque::NotFound(first.text.clone()))?;
        let inner = kinds::unwrap(&found.name, args).filter(|inner| {
            found.is_trusted()
                && depth < MAX_WRAPPERS
                && inner.assignments.iter().all(|(name, _)| !is_steering(name))
        });
        if let Some(inner) = inner {
            assignments.extend(inner.assignments);
            words = inner.words;
            depth += 1;
            continue;
        }
        return Ok(Call {
            runs_code: kinds::runs_code(&found),
            program: found,
            args: args.to_vec(),
            assignments,
            redirects: segment.redirects.clone(),
            cwd: cwd.map(Path::to_owned),
            is_fed: segment.join == Join::Pipe,
        });
    }
}
