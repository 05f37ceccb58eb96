//! `$include`: settings spread over several files.
//!
//! A single include stands in for its object, siblings merged over it; a list is merged in order. Objects
//! merge, arrays are joined, anything else: the later wins. Files must lie beside the configuration (or
//! under `HOMARD_INCLUDE_ROOTS`), because an include is also a way to read any file.

use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use crate::issue::Issue;
use crate::syntax::document;
use crate::syntax::value_path::ValuePath;

const INCLUDE: &str = "$include";
/// Deepest chain of files including files.
pub(crate) const MAX_INCLUDE_DEPTH: usize = 10;
/// Largest included file, in bytes.
const MAX_INCLUDE_BYTES: u64 = 2 * 1024 * 1024;
/// Longest path of an included file, in bytes.
const MAX_INCLUDE_PATH: usize = 4_096;

/// Resolves the includes of one configuration.
pub(crate) struct Includes {
    /// Directories files may be taken from.
    roots: Vec<PathBuf>,
    /// Every file that was read, once each.
    pub(crate) files: Vec<PathBuf>,
    pub(crate) issues: Vec<Issue>,
}

impl Includes {
    /// Files may come from the configuration's own directory and from `extra_roots`.
    pub(crate) fn new(config_path: &Path, extra_roots: &[PathBuf]) -> Self {
        let own = config_path.parent().unwrap_or(Path::new(".")).to_path_buf();
        // A linked file's neighbours are beside the real one.
        let real = canonical(config_path).parent().unwrap_or(Path::new(".")).to_path_buf();
        let roots = [&own, &real].into_iter().chain(extra_roots).map(|r| canonical(r)).collect();
        Self { roots, files: Vec::new(), issues: Vec::new() }
    }

    /// The value with every include resolved. Problems are collected; what could not be read is left out.
    pub(crate) fn resolve(&mut self, value: &Value, config_path: &Path) -> Value {
        let chain = vec![canonical(config_path)];
        self.walk(value, &chain, &ValuePath::default())
    }

    fn walk(&mut self, value: &Value, chain: &[PathBuf], path: &ValuePath) -> Value {
        match value {
            Value::Array(items) => Value::Array(
                items.iter().enumerate().map(|(i, v)| self.walk(v, chain, &path.index(i))).collect(),
            ),
            Value::Object(map) => match map.get(INCLUDE) {
                None => Value::Object(self.members(map, chain, path)),
                Some(include) => self.with_include(include, map, chain, path),
            },
            other => other.clone(),
        }
    }

    fn members(
        &mut self,
        map: &Map<String, Value>,
        chain: &[PathBuf],
        path: &ValuePath,
    ) -> Map<String, Value> {
        let own = map.iter().filter(|(key, _)| *key != INCLUDE);
        own.map(|(key, value)| (key.clone(), self.walk(value, chain, &path.key(key)))).collect()
    }

    fn with_include(
        &mut self,
        include: &Value,
        map: &Map<String, Value>,
        chain: &[PathBuf],
        path: &ValuePath,
    ) -> Value {
        let at = path.key(INCLUDE);
        let names: Vec<&str> = match include {
            Value::String(name) => vec![name],
            Value::Array(names) if names.iter().all(Value::is_string) => {
                names.iter().filter_map(Value::as_str).collect()
            }
            _ => {
                self.issues.push(Issue::at(&at, "expected a file name or a list of file names"));
                Vec::new()
            }
        };
        let mut merged: Option<Value> = None;
        for name in names {
            if let Some(part) = self.file(name, chain, path) {
                merged = Some(match merged {
                    Some(before) => merge(before, part),
                    None => part,
                });
            }
        }
        let own = self.members(map, chain, path);
        match merged {
            None => Value::Object(own),
            Some(part) if own.is_empty() => part,
            Some(part @ Value::Object(_)) => merge(part, Value::Object(own)),
            Some(_) => {
                self.issues.push(Issue::at(&at, "only an object can be included where there are other keys"));
                Value::Object(own)
            }
        }
    }

    fn file(&mut self, name: &str, chain: &[PathBuf], path: &ValuePath) -> Option<Value> {
        let read = self.read(name, chain);
        match read {
            Ok((file, value)) => {
                if !self.files.contains(&file) {
                    self.files.push(file.clone());
                }
                let mut chain = chain.to_vec();
                chain.push(file);
                Some(self.walk(&value, &chain, path))
            }
            Err(message) => {
                self.issues.push(Issue::at(&path.key(INCLUDE), message));
                None
            }
        }
    }

    fn read(&self, name: &str, chain: &[PathBuf]) -> Result<(PathBuf, Value), String> {
        if name.is_empty() || name.len() > MAX_INCLUDE_PATH || name.contains('\0') {
            return Err("the file name is empty, too long or has a NUL in it".to_owned());
        }
        if chain.len() > MAX_INCLUDE_DEPTH {
            return Err(format!("`{name}` is nested more than {MAX_INCLUDE_DEPTH} includes deep"));
        }
        let folder = chain.last().and_then(|f| f.parent()).unwrap_or(Path::new("."));
        let file = folder.join(name);
        let file = file.canonicalize().map_err(|e| format!("could not read `{}`: {e}", file.display()))?;
        if chain.contains(&file) {
            let cycle: Vec<String> = chain.iter().chain([&file]).map(|f| f.display().to_string()).collect();
            return Err(format!("files include each other in a circle: {}", cycle.join(" → ")));
        }
        if !self.roots.iter().any(|root| file.starts_with(root)) {
            let root = self.roots.first().map(|r| r.display().to_string()).unwrap_or_default();
            return Err(format!(
                "`{}` is outside `{root}`; add its directory to HOMARD_INCLUDE_ROOTS",
                file.display()
            ));
        }
        let size =
            std::fs::metadata(&file).map_err(|e| format!("could not read `{}`: {e}", file.display()))?.len();
        if size > MAX_INCLUDE_BYTES {
            return Err(format!("`{}` is larger than {MAX_INCLUDE_BYTES} bytes", file.display()));
        }
        let text = std::fs::read_to_string(&file)
            .map_err(|e| format!("could not read `{}`: {e}", file.display()))?;
        let node = document::parse(&text).map_err(|e| format!("`{}`: {e}", file.display()))?;
        Ok((file, node.to_value()))
    }
}

/// Objects merge, arrays are joined, anything else: the later wins.
pub(crate) fn merge(before: Value, after: Value) -> Value {
    match (before, after) {
        (Value::Object(mut a), Value::Object(b)) => {
            for (key, value) in b {
                let merged = match a.shift_remove_entry(&key) {
                    Some((_, old)) => merge(old, value),
                    None => value,
                };
                a.insert(key, merged);
            }
            Value::Object(a)
        }
        (Value::Array(mut a), Value::Array(b)) => {
            a.extend(b);
            Value::Array(a)
        }
        (_, after) => after,
    }
}

fn canonical(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_path_buf())
}

#[cfg(test)]
mod tests;
