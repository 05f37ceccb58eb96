//! The head of a `SKILL.md`: YAML between two lines of dashes.
//!
//! Files come from anywhere, so this file is lenient about spelling and strict about meaning: a list may be a
//! comma separated text, `metadata` may be YAML or JSON in a text, but what a skill demands of the machine is
//! never dropped because it was hard to read. Whatever cannot be understood is an error of that one skill.

use homard_runtime::brief;
use serde_json::{Map, Value};

use crate::yaml;

/// Longest head, in bytes.
const MAX_HEAD_BYTES: usize = 32 * 1024;
/// Longest name of a skill, in characters.
const MAX_NAME_CHARS: usize = 128;
/// Longest description that is kept, in characters.
const MAX_DESCRIPTION_CHARS: usize = 1_024;
/// Most items of one list that are kept.
const MAX_ITEMS: usize = 64;
/// Under which names in `metadata` a program like this one is spoken to: ours, then those it replaces.
const OURS: [&str; 5] = ["homard", "openclaw", "clawdbot", "moltbot", "moldbot"];

/// What a skill says about itself.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FrontMatter {
    /// Its name; the folder's when it gives none.
    pub name: Option<String>,
    /// What it is for, on one line.
    pub description: String,
    /// Where to read more.
    pub homepage: Option<String>,
    /// Whether a person may call it as a command.
    pub user_invocable: bool,
    /// Whether it is kept out of the prompt.
    pub disable_model_invocation: bool,
    /// The tool its command goes to directly, without asking the model.
    pub command_tool: Option<String>,
    /// What it says to programs like this one.
    pub about: About,
}

/// What a skill says to programs like this one.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct About {
    /// Whether it needs nothing besides its system.
    pub always: bool,
    /// A picture for lists.
    pub emoji: Option<String>,
    /// Its key under `skills.entries`, when it is not its name.
    pub skill_key: Option<String>,
    /// The variable that `apiKey` fills.
    pub primary_env: Option<String>,
    /// The systems it works on; any when empty.
    pub os: Vec<String>,
    /// Programs it needs, all of them.
    pub bins: Vec<String>,
    /// Programs of which it needs one.
    pub any_bins: Vec<String>,
    pub env: Vec<String>,
    /// Settings that must be on.
    pub config: Vec<String>,
    /// How its programs are installed.
    pub install: Vec<Installer>,
    /// What a hook listens to.
    pub events: Vec<String>,
}

/// One way to install what a skill needs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Installer {
    /// What it is asked for by.
    pub id: String,
    /// `brew`, `node`, `go`, `uv`, `download`, or something we do not know.
    pub kind: String,
    pub label: Option<String>,
    /// The programs it brings.
    pub bins: Vec<String>,
    /// The systems it works on; any when empty.
    pub os: Vec<String>,
    /// What is installed: formula, package or module.
    pub target: Option<String>,
}

/// Why a head cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FrontMatterError {
    #[error(
        "has no front matter: begin the file with a line `---`, then `name:` and `description:`, then `---`"
    )]
    Missing,
    #[error("has front matter without an end: close it with a line `---`")]
    Unclosed,
    /// It is too long.
    #[error("has front matter longer than {MAX_HEAD_BYTES} bytes: move the words into the text below it")]
    TooLong,
    /// It is not YAML.
    #[error("has front matter that is not YAML: {0}")]
    Yaml(String),
    /// It is YAML of another shape.
    #[error("has front matter that is not a list of `key: value` lines")]
    NotAMap,
    /// It does not say what it is for.
    #[error("has no `description`: say in one line what the skill is for")]
    NoDescription,
    /// A value has the wrong kind.
    #[error("has a wrong `{key}`: it must be {wanted}")]
    Wrong {
        key: String,
        /// What it should be.
        wanted: &'static str,
    },
}

/// Reads the head of a file.
///
/// # Errors
/// When there is none, or it cannot be understood.
pub fn parse(text: &str) -> Result<FrontMatter, FrontMatterError> {
    let block = block(text)?;
    if block.len() > MAX_HEAD_BYTES {
        return Err(FrontMatterError::TooLong);
    }
    let map = match yaml::read(block) {
        Ok(Value::Object(map)) => map,
        Ok(_) => return Err(FrontMatterError::NotAMap),
        // Many files have a colon in an unquoted description; a head of plain lines is read as plain lines.
        Err(error) => plain_lines(block).ok_or(FrontMatterError::Yaml(error))?,
    };
    understand(&map)
}

/// The text between the two lines of dashes.
fn block(text: &str) -> Result<&str, FrontMatterError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let is_fence = |line: &str| line.trim_end() == "---";
    let first = text.split_inclusive('\n').next().unwrap_or_default();
    if !is_fence(first) {
        return Err(FrontMatterError::Missing);
    }
    let rest = text.get(first.len()..).unwrap_or_default();
    let mut end = 0;
    for line in rest.split_inclusive('\n') {
        if is_fence(line) {
            return Ok(rest.get(..end).unwrap_or_default());
        }
        end += line.len();
    }
    Err(FrontMatterError::Unclosed)
}

/// `key: value` lines and nothing else; `None` when there is more to it.
fn plain_lines(block: &str) -> Option<Map<String, Value>> {
    let mut map = Map::new();
    for line in block.lines().filter(|line| !line.trim().is_empty() && !line.starts_with('#')) {
        let (key, value) = line.split_once(':')?;
        let is_key =
            !key.is_empty() && key.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_');
        let value = value.trim();
        if !is_key || value.starts_with(['|', '>', '&', '*']) {
            return None;
        }
        let quoted = |mark: char| value.strip_prefix(mark)?.strip_suffix(mark);
        let value = quoted('"').or_else(|| quoted('\'')).unwrap_or(value);
        map.insert(key.to_owned(), Value::String(value.to_owned()));
    }
    Some(map)
}

fn understand(map: &Map<String, Value>) -> Result<FrontMatter, FrontMatterError> {
    let name = text(map, "name")?;
    if name.as_deref().is_some_and(|name| !is_name(name)) {
        return Err(FrontMatterError::Wrong { key: "name".into(), wanted: "a short text on one line" });
    }
    let description = text(map, "description")?.ok_or(FrontMatterError::NoDescription)?;
    let metadata = metadata(map.get("metadata"))?;
    let ours = OURS.iter().find_map(|name| metadata.get(*name));
    let (about, own_homepage) = match ours {
        None | Some(Value::Null) => (About::default(), None),
        Some(Value::Object(ours)) => (about(ours)?, text(ours, "homepage")?),
        Some(_) => return Err(FrontMatterError::Wrong { key: "metadata".into(), wanted: "an object" }),
    };
    let to_tool = text(map, "command-dispatch")?.as_deref() == Some("tool");
    Ok(FrontMatter {
        name,
        description: brief(&description, MAX_DESCRIPTION_CHARS),
        homepage: own_homepage.or(text(map, "homepage")?),
        user_invocable: flag(map, "user-invocable")?.unwrap_or(true),
        disable_model_invocation: flag(map, "disable-model-invocation")?.unwrap_or(false),
        command_tool: text(map, "command-tool")?.filter(|_| to_tool),
        about,
    })
}

/// Whether a text can be a skill's name.
pub(crate) fn is_name(name: &str) -> bool {
    !name.is_empty() && name.chars().count() <= MAX_NAME_CHARS && !name.chars().any(char::is_control)
}

/// `metadata` as written: a map, or a text that holds one as JSON.
fn metadata(value: Option<&Value>) -> Result<Map<String, Value>, FrontMatterError> {
    let wrong = || FrontMatterError::Wrong { key: "metadata".into(), wanted: "a map, or one as JSON" };
    match value {
        None | Some(Value::Null) => Ok(Map::new()),
        Some(Value::Object(map)) => Ok(map.clone()),
        Some(Value::String(text)) if text.trim().is_empty() => Ok(Map::new()),
        Some(Value::String(text)) => json5::from_str(text).map_err(|_not_json| wrong()),
        Some(_) => Err(wrong()),
    }
}

fn about(map: &Map<String, Value>) -> Result<About, FrontMatterError> {
    let nothing = Map::new();
    let requires = match map.get("requires") {
        None | Some(Value::Null) => &nothing,
        Some(Value::Object(requires)) => requires,
        Some(_) => return Err(FrontMatterError::Wrong { key: "requires".into(), wanted: "an object" }),
    };
    let install = match map.get("install") {
        None | Some(Value::Null) => &[][..],
        Some(Value::Array(list)) => list.as_slice(),
        Some(_) => return Err(FrontMatterError::Wrong { key: "install".into(), wanted: "a list" }),
    };
    let ways =
        install.iter().take(MAX_ITEMS).enumerate().filter_map(|(n, value)| Some((n, value.as_object()?)));
    Ok(About {
        always: flag(map, "always")?.unwrap_or(false),
        emoji: text(map, "emoji")?,
        skill_key: text(map, "skillKey")?,
        primary_env: text(map, "primaryEnv")?,
        os: list(map, "os")?,
        bins: list(requires, "bins")?,
        any_bins: list(requires, "anyBins")?,
        env: list(requires, "env")?,
        config: list(requires, "config")?,
        events: list(map, "events")?,
        install: ways.map(|(number, way)| installer(number, way)).collect::<Result<_, _>>()?,
    })
}

fn installer(number: usize, map: &Map<String, Value>) -> Result<Installer, FrontMatterError> {
    let kind = text(map, "kind")?.or(text(map, "type")?).unwrap_or_default().to_lowercase();
    let target = match kind.as_str() {
        "brew" => text(map, "formula")?,
        "go" => text(map, "module")?.or(text(map, "package")?),
        "download" => text(map, "url")?,
        _ => text(map, "package")?,
    };
    Ok(Installer {
        id: text(map, "id")?.unwrap_or_else(|| format!("{kind}-{number}")),
        label: text(map, "label")?,
        bins: list(map, "bins")?,
        os: list(map, "os")?,
        target,
        kind,
    })
}

/// A text; numbers and switches count as their spelling, blank as nothing.
fn text(map: &Map<String, Value>, key: &str) -> Result<Option<String>, FrontMatterError> {
    let found = match map.get(key) {
        None | Some(Value::Null) => return Ok(None),
        Some(Value::String(text)) => text.trim().to_owned(),
        Some(Value::Number(number)) => number.to_string(),
        Some(Value::Bool(flag)) => flag.to_string(),
        Some(Value::Array(_) | Value::Object(_)) => {
            return Err(FrontMatterError::Wrong { key: key.to_owned(), wanted: "a text" });
        }
    };
    Ok(Some(found).filter(|text| !text.is_empty()))
}

fn flag(map: &Map<String, Value>, key: &str) -> Result<Option<bool>, FrontMatterError> {
    match text(map, key)?.map(|text| text.to_lowercase()).as_deref() {
        None => Ok(None),
        Some("true" | "yes" | "on" | "1") => Ok(Some(true)),
        Some("false" | "no" | "off" | "0") => Ok(Some(false)),
        Some(_) => Err(FrontMatterError::Wrong { key: key.to_owned(), wanted: "true or false" }),
    }
}

/// A list of texts, or one text with commas.
fn list(map: &Map<String, Value>, key: &str) -> Result<Vec<String>, FrontMatterError> {
    let wrong = || FrontMatterError::Wrong { key: key.to_owned(), wanted: "a list of texts" };
    let items: Vec<String> = match map.get(key) {
        None | Some(Value::Null) => Vec::new(),
        Some(Value::String(text)) => text.split(',').map(|item| item.trim().to_owned()).collect(),
        Some(Value::Array(items)) => {
            let texts = items.iter().map(|item| Some(item.as_str()?.trim().to_owned()));
            texts.collect::<Option<_>>().ok_or_else(wrong)?
        }
        Some(_) => return Err(wrong()),
    };
    if items.len() > MAX_ITEMS {
        return Err(FrontMatterError::Wrong { key: key.to_owned(), wanted: "a shorter list" });
    }
    Ok(items.into_iter().filter(|item| !item.is_empty()).collect())
}

#[cfg(test)]
mod tests;
