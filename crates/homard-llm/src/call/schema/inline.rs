//! References inside a schema, replaced by what they point to.
//!
//! References to elsewhere, to nothing and in circles are cut: what stood there accepts anything.

use serde_json::Value;

use super::{MAX_DEPTH, Object, children_mut, union};

/// Keywords that refer, or hold what is referred to.
pub(super) const REFERENCES: &[&str] = &["$ref", "$dynamicRef", "$defs", "definitions"];
/// Most references followed in one schema: a few lines can otherwise describe a forest.
const MAX_FOLLOWED: usize = 256;

/// The same schema without references.
pub(super) fn inlined(root: &Value) -> Value {
    let mut walk = Walk { root, open: Vec::new(), followed: 0 };
    walk.node(root.clone(), 0)
}

struct Walk<'a> {
    root: &'a Value,
    /// What is being replaced at the moment; meeting it again is a circle.
    open: Vec<String>,
    followed: usize,
}

impl Walk<'_> {
    fn node(&mut self, schema: Value, depth: usize) -> Value {
        let Value::Object(mut map) = schema else { return schema };
        if depth > MAX_DEPTH {
            return Value::Object(Object::new());
        }
        let reference = map.get("$ref").and_then(Value::as_str).map(str::to_owned);
        map.retain(|key, _| !REFERENCES.contains(&key.as_str()));
        if let Some(reference) = reference
            && let Some(target) = self.follow(&reference)
        {
            // What stands beside a reference adds to it; a description there is the more exact one.
            union::add(&mut map, target);
            self.open.push(reference);
            let whole = self.node(Value::Object(map), depth);
            self.open.pop();
            return whole;
        }
        for child in children_mut(&mut map) {
            *child = self.node(child.take(), depth + 1);
        }
        Value::Object(map)
    }

    fn follow(&mut self, reference: &str) -> Option<Object> {
        let circle = self.open.iter().any(|open| open == reference);
        if circle || self.followed >= MAX_FOLLOWED {
            return None;
        }
        let target = self.root.pointer(reference.strip_prefix('#')?)?.as_object()?;
        self.followed += 1;
        let mut target = target.clone();
        // The root holds every definition; copying it whole would copy them all.
        target.retain(|key, _| key == "$ref" || !REFERENCES.contains(&key.as_str()));
        Some(target)
    }
}
