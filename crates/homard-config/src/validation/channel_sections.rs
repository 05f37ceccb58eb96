//! The sections of `channels`: their schemas belong to whoever reads them and are told when the program starts.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::issue::Issue;
use crate::syntax::value_path::ValuePath;
use crate::validation::inert;
use crate::validation::validate::{Walker, nearest};

/// What is known about the sections of `channels`.
#[derive(Debug)]
pub struct ChannelSections {
    /// Schemas by platform, without references, and that of `defaults`.
    pub schemas: BTreeMap<&'static str, Value>,
    /// Platforms that are known and cannot be connected yet.
    pub inert: &'static [&'static str],
}

impl ChannelSections {
    /// Everything that is wrong in `channels`.
    pub(crate) fn issues(&'static self, config: &Value) -> Vec<Issue> {
        let mut walker = Walker::default();
        for (id, section) in sections(config) {
            let path = ValuePath::default().key("channels").key(id);
            match self.schemas.get(id.as_str()) {
                Some(schema) => walker.check(section, schema, &path, id),
                None if self.inert.contains(&id.as_str()) => {}
                None => walker.issues.push(Issue::at(&path, self.unknown(id))),
            }
        }
        walker.issues
    }

    fn unknown(&self, id: &str) -> String {
        let known = || self.schemas.keys().chain(self.inert).copied();
        match nearest(id, known()) {
            Some(near) => format!("unknown platform; did you mean `{near}`?"),
            None => format!("unknown platform; known: {}", known().collect::<Vec<_>>().join(", ")),
        }
    }

    /// Places in `channels` that are written and do nothing yet.
    pub(crate) fn not_yet(&'static self, config: &Value) -> Vec<ValuePath> {
        let mut found = Vec::new();
        for (id, section) in sections(config) {
            let path = ValuePath::default().key("channels").key(id);
            match self.schemas.get(id.as_str()) {
                Some(schema) => inert::walk(section, schema, &path, &mut found),
                None => found.push(path),
            }
        }
        found
    }
}

fn sections(config: &Value) -> impl Iterator<Item = (&String, &Value)> {
    config.get("channels").and_then(Value::as_object).into_iter().flatten()
}

#[cfg(test)]
mod tests;
