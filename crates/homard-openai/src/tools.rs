//! Tools a caller brings, and whether one must be called.

use homard_llm::ToolChoice;
use homard_relay::{ProgramTool, Relay};
use serde::Deserialize;
use serde_json::{Value, json};

use super::refusal::ApiError;

/// Most tools of one request.
const MAX_TOOLS: usize = 128;
/// Longest name of a tool.
const MAX_NAME: usize = 64;

/// A tool in either spelling: chat completions put the function inside, responses write it flat.
#[derive(Debug, Deserialize)]
pub(super) struct Brought {
    #[serde(rename = "type")]
    kind: String,
    function: Option<Function>,
    #[serde(flatten)]
    flat: Function,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Function {
    name: Option<String>,
    description: Option<String>,
    parameters: Option<Value>,
}

/// What a request brings, checked.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Offered {
    pub(super) tools: Vec<ProgramTool>,
    pub(super) choice: ToolChoice,
}

/// Reads tools and choice. A tool that has the name of one of ours is refused: whoever reads the
/// conversation must know who ran what.
pub(super) fn read(
    brought: Option<Vec<Brought>>,
    choice: Option<&Value>,
    relay: &Relay,
) -> Result<Offered, ApiError> {
    let brought = brought.unwrap_or_default();
    if brought.len() > MAX_TOOLS {
        return Err(ApiError::at("tools", format!("at most {MAX_TOOLS} tools are taken")));
    }
    let mut tools: Vec<ProgramTool> = Vec::with_capacity(brought.len());
    for one in brought {
        let tool = one.tool()?;
        if relay.setup().has_tool(&tool.name) {
            let message = format!("`{}` is a tool of the agent's own; give yours another name", tool.name);
            return Err(ApiError::at("tools", message));
        }
        if tools.iter().any(|other| other.name == tool.name) {
            return Err(ApiError::at("tools", format!("`{}` is there twice", tool.name)));
        }
        tools.push(tool);
    }
    chosen(tools, choice)
}

impl Brought {
    fn tool(self) -> Result<ProgramTool, ApiError> {
        if self.kind != "function" {
            let message = format!("tools of type `{}` are not supported, only `function`", self.kind);
            return Err(ApiError::at("tools", message));
        }
        let Function { name, description, parameters } = self.function.unwrap_or(self.flat);
        let name = name.unwrap_or_default();
        let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
        if name.is_empty() || name.len() > MAX_NAME || !name.chars().all(is_name) {
            let message = format!("a tool needs a name of 1 to {MAX_NAME} letters, digits, `_` and `-`");
            return Err(ApiError::at("tools", message));
        }
        let parameters = parameters.filter(|schema| !schema.is_null());
        let parameters = parameters.unwrap_or_else(|| json!({"type": "object", "properties": {}}));
        if !parameters.is_object() {
            return Err(ApiError::at(
                "tools",
                format!("the parameters of `{name}` must be a JSON Schema object"),
            ));
        }
        Ok(ProgramTool { name, description: description.unwrap_or_default(), parameters })
    }
}

fn chosen(tools: Vec<ProgramTool>, choice: Option<&Value>) -> Result<Offered, ApiError> {
    let bad = |message: String| ApiError::at("tool_choice", message);
    let none = || bad("a tool is required, but none was given".to_owned());
    let choice = match choice {
        None | Some(Value::Null) => ToolChoice::Auto,
        Some(Value::String(word)) => match word.as_str() {
            "auto" => ToolChoice::Auto,
            "none" => return Ok(Offered::default()),
            "required" if tools.is_empty() => return Err(none()),
            "required" => ToolChoice::Required,
            other => {
                return Err(bad(format!(
                    "`tool_choice` is auto, none, required or a function, not `{other}`"
                )));
            }
        },
        Some(named) => {
            let name = named.pointer("/function/name").or_else(|| named.get("name")).and_then(Value::as_str);
            let is_function = named.get("type").and_then(Value::as_str) == Some("function");
            match name.filter(|_| is_function) {
                Some(name) if tools.iter().any(|tool| tool.name == name) => ToolChoice::Tool(name.to_owned()),
                Some(name) => return Err(bad(format!("`{name}` is not among the tools"))),
                None => return Err(bad("`tool_choice` must name a function".to_owned())),
            }
        }
    };
    Ok(Offered { tools, choice })
}

#[cfg(test)]
mod tests;
