//! The settings of a home: places in it become places in ours, secrets come along where that is wanted, and what nobody
//! here understands is named.

use std::collections::BTreeSet;
use std::path::Path;

use homard_config::{REDACTED, adopt_config, redact, schema};
use serde_json::{Map, Value};

use crate::Migration;
use crate::home::Home;
use crate::report::{Fate, Kind};

impl Migration {
    pub(crate) fn plan_config(&mut self, home: &Home) {
        let Some(path) = &home.config else { return };
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let text = match std::fs::read_to_string(path) {
            Ok(text) => text,
            Err(error) => {
                self.report.add(Kind::File, &name, Fate::Failed, &format!("it cannot be read: {error}"));
                return;
            }
        };
        let mut told = Told::default();
        let (source, secrets) = (self.target.source.clone(), self.options.secrets);
        let moving = Moving { from: &home.dir, to: &self.target.state_dir, home: &source.paths.home };
        let adopted = adopt_config(&source, &text, |value| {
            if !secrets {
                told.left_secrets = take_out_secrets(value);
            }
            move_places(value, "", &moving, &mut told.moved);
        });
        let adopted = match adopted {
            Ok(adopted) => adopted,
            Err(error) => return self.report.add(Kind::File, &name, Fate::Failed, &error.to_string()),
        };
        for issue in &adopted.left_out {
            self.report.add(Kind::Key, &issue.path, Fate::Left, &issue.message);
        }
        for place in &told.left_secrets {
            self.report.add(Kind::Key, place, Fate::Left, "a key or token; --include-secrets takes it");
        }
        let ours = &source.paths.config_path;
        if !ours.is_file() {
            self.tell_keys(&adopted.value, &adopted.inert, &told.moved, &BTreeSet::new());
            self.report.add(Kind::File, &name, Fate::Changed, "it becomes homard.json");
            self.config = Some(adopted.text);
            return;
        }
        let present = std::fs::read_to_string(ours).unwrap_or_default();
        let (overwrite, theirs) = (self.options.overwrite, adopted.value.clone());
        let mut kept = BTreeSet::new();
        let merged = adopt_config(&source, &present, |value| fill(value, &theirs, "", overwrite, &mut kept));
        match merged {
            Ok(merged) => {
                self.tell_keys(&adopted.value, &adopted.inert, &told.moved, &kept);
                self.report.add(
                    Kind::File,
                    &name,
                    Fate::Changed,
                    "what is not set here yet is added to homard.json",
                );
                self.config = Some(merged.text).filter(|text| *text != present);
            }
            Err(error) => {
                let why = format!("homard.json could not be added to: {error}");
                self.report.add(Kind::File, &name, Fate::Failed, &why);
            }
        }
    }

    fn tell_keys(
        &mut self,
        value: &Value,
        inert: &[String],
        moved: &BTreeSet<String>,
        kept: &BTreeSet<String>,
    ) {
        let mut leaves = Vec::new();
        collect_leaves(value, "", &mut leaves);
        for place in leaves {
            let is_inert =
                inert.iter().any(|inert| place == *inert || place.starts_with(&format!("{inert}.")));
            let (fate, why) = match () {
                () if kept.contains(&place) => (Fate::Left, "it is set here; --overwrite takes theirs"),
                () if moved.contains(&place) => (Fate::Changed, "the place is now in our own folder"),
                () if is_inert => (Fate::Taken, "known and not yet in effect"),
                () => (Fate::Taken, ""),
            };
            self.report.add(Kind::Key, &place, fate, why);
        }
    }
}

/// What was done to the settings.
#[derive(Default)]
struct Told {
    moved: BTreeSet<String>,
    left_secrets: Vec<String>,
}

/// From which folder to which other, and what `~` is.
struct Moving<'a> {
    from: &'a Path,
    to: &'a Path,
    home: &'a Path,
}

fn join(path: &str, key: &str) -> String {
    let key = if key.contains(['.', '[']) { format!("[\"{key}\"]") } else { key.to_owned() };
    if path.is_empty() || key.starts_with('[') { format!("{path}{key}") } else { format!("{path}.{key}") }
}

/// Texts that name a place in the other home name the same place in ours.
fn move_places(value: &mut Value, path: &str, moving: &Moving<'_>, moved: &mut BTreeSet<String>) {
    match value {
        Value::Object(map) => {
            for (key, value) in map {
                move_places(value, &join(path, key), moving, moved);
            }
        }
        Value::Array(items) => {
            for (index, value) in items.iter_mut().enumerate() {
                move_places(value, &format!("{path}[{index}]"), moving, moved);
            }
        }
        Value::String(text) => {
            let whole = match text.strip_prefix("~/") {
                Some(rest) => moving.home.join(rest),
                None => Path::new(text).to_path_buf(),
            };
            let real = whole.canonicalize().unwrap_or_else(|_| whole.clone());
            if let Ok(inside) = real.strip_prefix(moving.from).or_else(|_| whole.strip_prefix(moving.from)) {
                *text = moving.to.join(inside).display().to_string();
                moved.insert(path.to_owned());
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Takes out what would be hidden from a client, but not references to variables.
fn take_out_secrets(value: &mut Value) -> Vec<String> {
    let masked = redact(value, schema());
    let mut places = Vec::new();
    take_out(value, &masked, "", &mut places);
    places
}

fn take_out(value: &mut Value, masked: &Value, path: &str, places: &mut Vec<String>) {
    match (value, masked) {
        (Value::Object(map), Value::Object(masked)) => {
            let is_secret = |key: &String, value: &Value| {
                let is_reference = value.as_str().is_some_and(|text| text.contains("${"));
                masked.get(key).and_then(Value::as_str) == Some(REDACTED) && !is_reference
            };
            let secrets: Vec<String> =
                map.iter().filter(|(key, value)| is_secret(key, value)).map(|(key, _)| key.clone()).collect();
            for key in secrets {
                map.shift_remove(&key);
                places.push(join(path, &key));
            }
            for (key, value) in map {
                if let Some(masked) = masked.get(key) {
                    take_out(value, masked, &join(path, key), places);
                }
            }
        }
        (Value::Array(items), Value::Array(masked)) => {
            for (index, (value, masked)) in items.iter_mut().zip(masked).enumerate() {
                take_out(value, masked, &format!("{path}[{index}]"), places);
            }
        }
        _ => {}
    }
}

/// Adds what is missing; what differs is replaced, or kept and noted.
fn fill(ours: &mut Value, theirs: &Value, path: &str, overwrite: bool, kept: &mut BTreeSet<String>) {
    match (ours, theirs) {
        (Value::Object(ours), Value::Object(theirs)) => {
            for (key, value) in theirs {
                match ours.get_mut(key) {
                    Some(present) => fill(present, value, &join(path, key), overwrite, kept),
                    None => drop(ours.insert(key.clone(), value.clone())),
                }
            }
        }
        (ours, theirs) if ours != theirs => {
            if overwrite {
                *ours = theirs.clone();
            } else {
                let mut leaves = Vec::new();
                collect_leaves(theirs, path, &mut leaves);
                kept.extend(leaves);
            }
        }
        _ => {}
    }
}

/// The places that hold something; lists count as one.
fn collect_leaves(value: &Value, path: &str, leaves: &mut Vec<String>) {
    match value.as_object().filter(|map: &&Map<String, Value>| !map.is_empty()) {
        Some(map) => map.iter().for_each(|(key, value)| collect_leaves(value, &join(path, key), leaves)),
        None => leaves.push(path.to_owned()),
    }
}
