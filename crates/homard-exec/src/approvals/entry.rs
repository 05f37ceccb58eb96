//! One line of the owner's list.

use homard_runtime::Clip;
use serde_json::{Map, Value, json};

use super::analysis::Call;
use super::kinds;
use super::shape::{self, Shape};

/// Most of a command line that is kept beside a rule.
const MAX_SHOWN_CHARS: usize = 500;

/// A rule of the owner: a program, and possibly the shape of its arguments.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Entry {
    /// Its name, if it has one.
    pub id: Option<String>,
    /// A pattern for the program's path: `*` within a folder, `**` across folders, `?` for one character.
    pub pattern: String,
    /// A pattern for all arguments; without it the rule is about the whole program.
    pub arg_pattern: Option<String>,
    /// The folder the call must happen in.
    pub cwd: Option<String>,
    /// When it was used last, in milliseconds since 1970.
    pub last_used_at: Option<i64>,
}

impl Entry {
    /// Reads one as it stands in the file: an object, or in old files just the pattern.
    #[must_use]
    pub fn from_value(value: &Value) -> Option<Self> {
        if let Some(pattern) = value.as_str() {
            return Some(Self { pattern: pattern.trim().to_owned(), ..Self::default() });
        }
        let text = |name: &str| value.get(name).and_then(Value::as_str).map(str::to_owned);
        let restricts = |name: &str| value.get(name).is_some_and(|found| !found.is_null());
        let (arg_pattern, cwd) = (text("argPattern"), text("cwd"));
        // A restriction that cannot be read must not be lost.
        if (restricts("argPattern") && arg_pattern.is_none()) || (restricts("cwd") && cwd.is_none()) {
            return None;
        }
        let pattern = text("pattern").map(|pattern| pattern.trim().to_owned()).filter(|p| !p.is_empty())?;
        #[expect(clippy::cast_possible_truncation, reason = "milliseconds since 1970 fit")]
        let last_used_at = value.get("lastUsedAt").and_then(Value::as_f64).map(|at| at as i64);
        Some(Self { id: text("id"), pattern, arg_pattern, cwd, last_used_at })
    }

    /// Whether the rule covers a call.
    #[must_use]
    pub fn covers(&self, call: &Call) -> bool {
        if !self.names(call) {
            return false;
        }
        match &self.arg_pattern {
            Some(pattern) => {
                let is_here = self.cwd.as_deref().is_none_or(|cwd| {
                    call.cwd.as_deref().is_some_and(|there| there == std::path::Path::new(cwd))
                });
                let is_open = call.runs_code && shape::leaves_code_open(pattern);
                is_here && !is_open && shape::may_be_listed(call) && shape::matches(pattern, call)
            }
            // A rule for a whole program says nothing about code given to it.
            None => {
                !call.runs_code
                    && !kinds::escapes(&call.program, &call.args)
                    && call.assignments.is_empty()
                    && call.redirects.is_empty()
                    && self.cwd.is_none()
            }
        }
    }

    /// Whether the rule is about the program of a call.
    #[must_use]
    pub fn names(&self, call: &Call) -> bool {
        let program = &call.program;
        if !self.pattern.contains('/') {
            return self.pattern == "*" || (program.by_name && glob(&self.pattern, &program.name));
        }
        let path = program.path.to_string_lossy();
        // Programs with several names are told apart by them; a rule about arguments means one of them.
        let by_real = self.arg_pattern.is_none() && glob(&self.pattern, &program.real.to_string_lossy());
        glob(&self.pattern, &path) || by_real
    }
}

/// What is written to the file when a person says "always".
pub(super) fn remembered(call: &Call, shape: &Shape, line: &str, now_ms: i64) -> Value {
    let brief = line.clip_chars(MAX_SHOWN_CHARS).to_owned();
    let mut entry = Map::new();
    entry.insert("id".to_owned(), json!(uuid::Uuid::new_v4().to_string()));
    if let Value::Object(shaped) = shaped(call, shape) {
        entry.extend(shaped);
    }
    entry.insert("source".to_owned(), json!("allow-always"));
    entry.insert("commandText".to_owned(), json!(brief));
    entry.extend(used(call, line, now_ms));
    Value::Object(entry)
}

/// The rule itself: a program, the shape of its arguments and where.
pub(super) fn shaped(call: &Call, shape: &Shape) -> Value {
    let mut entry = Map::new();
    entry.insert("pattern".to_owned(), json!(escape_glob(&call.program.path.to_string_lossy())));
    entry.insert("argPattern".to_owned(), json!(shape.arg_pattern));
    if let Some(cwd) = &shape.cwd {
        entry.insert("cwd".to_owned(), json!(cwd));
    }
    Value::Object(entry)
}

/// What is written about a use.
pub(super) fn used(call: &Call, line: &str, now_ms: i64) -> Map<String, Value> {
    let brief = line.clip_chars(MAX_SHOWN_CHARS).to_owned();
    let mut fields = Map::new();
    fields.insert("lastUsedAt".to_owned(), json!(now_ms));
    fields.insert("lastUsedCommand".to_owned(), json!(brief));
    fields.insert("lastResolvedPath".to_owned(), json!(call.program.real.to_string_lossy()));
    fields
}

/// Makes a path a pattern for itself.
fn escape_glob(path: &str) -> String {
    path.chars().map(|c| if matches!(c, '*' | '?') { '?' } else { c }).collect()
}

/// Whether a path matches a pattern. Linear in memory and at most quadratic in time.
pub(super) fn glob(pattern: &str, path: &str) -> bool {
    let pattern: Vec<char> = pattern.chars().collect();
    // Which places of the pattern are reached after the characters so far.
    let mut reached = vec![false; pattern.len() + 1];
    set(&mut reached, 0);
    skip_stars(&pattern, &mut reached);
    for c in path.chars() {
        let mut next = vec![false; pattern.len() + 1];
        for (at, _) in reached.iter().enumerate().filter(|(_, reached)| **reached) {
            match pattern.get(at) {
                Some('*') => {
                    let crosses =
                        pattern.get(at + 1) == Some(&'*') || (at > 0 && pattern.get(at - 1) == Some(&'*'));
                    if crosses || c != '/' {
                        set(&mut next, at);
                    }
                }
                Some('?') if c != '/' => set(&mut next, at + 1),
                Some(wanted) if *wanted == c => set(&mut next, at + 1),
                Some(_) | None => {}
            }
        }
        skip_stars(&pattern, &mut next);
        reached = next;
    }
    reached.last().copied().unwrap_or(false)
}

fn set(places: &mut [bool], at: usize) {
    if let Some(place) = places.get_mut(at) {
        *place = true;
    }
}

/// A star may stand for nothing.
fn skip_stars(pattern: &[char], reached: &mut [bool]) {
    for (at, c) in pattern.iter().enumerate() {
        if *c == '*' && reached.get(at).copied().unwrap_or(false) {
            set(reached, at + 1);
        }
    }
}
