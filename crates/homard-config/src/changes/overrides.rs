//! Settings changed for as long as the process runs (`/debug`), on top of the file and never written to it.

use serde_json::{Map, Value};

use crate::syntax::value_path::{PathSyntaxError, ValuePath};

/// Runtime overrides. Objects merge over the file's; everything else replaces.
#[derive(Clone, Default, PartialEq)]
pub struct Overrides {
    value: Map<String, Value>,
}

impl std::fmt::Debug for Overrides {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Overrides({})", crate::redact::redact_section(&self.as_value()))
    }
}

impl Overrides {
    /// Puts a value over a place. `Ok(false)` when another override is in the way.
    pub(crate) fn set(&mut self, path: &str, value: Value) -> Result<bool, PathSyntaxError> {
        let path = ValuePath::parse(path)?;
        let mut root = Value::Object(std::mem::take(&mut self.value));
        let done = path.set(&mut root, value);
        self.put_back(root);
        Ok(done)
    }

    /// Takes an override away. `Ok(false)` when there was none.
    pub(crate) fn unset(&mut self, path: &str) -> Result<bool, PathSyntaxError> {
        let path = ValuePath::parse(path)?;
        let mut root = Value::Object(std::mem::take(&mut self.value));
        let done = path.remove(&mut root).is_some();
        self.put_back(root);
        Ok(done)
    }

    fn put_back(&mut self, root: Value) {
        if let Value::Object(map) = root {
            self.value = map;
        }
    }

    /// All overrides as one value.
    #[must_use]
    pub fn as_value(&self) -> Value {
        Value::Object(self.value.clone())
    }

    pub(crate) fn applied_to(&self, value: &Value) -> Value {
        let mut out = value.clone();
        if !self.value.is_empty() {
            over(&mut out, &Value::Object(self.value.clone()));
        }
        out
    }
}

fn over(below: &mut Value, above: &Value) {
    match (below, above) {
        (Value::Object(below), Value::Object(above)) => {
            for (key, value) in above {
                over(below.entry(key.clone()).or_insert(Value::Null), value);
            }
        }
        (below, above) => *below = above.clone(),
    }
}
