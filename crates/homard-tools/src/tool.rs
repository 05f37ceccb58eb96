//! The tool seam: what an implementor writes, and the object-safe twin the loop holds.

use std::future::Future;

use futures_util::future::BoxFuture;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::arguments;
use crate::brief;
use crate::cx::ToolCx;
use crate::gate::{Effect, Subject};
use crate::outcome::ToolOutcome;
use crate::ports::Ports;
use crate::schema;

/// One thing the model may do. Implementors never panic on what a model sends, answer failure with
/// [`ToolOutcome::error`] in words a model can act on, and return soon after `cx.cancel` is cancelled.
pub trait Tool: Send + Sync + 'static {
    /// The doc comments on this type are the description and schema the model reads.
    type Input: DeserializeOwned + JsonSchema + Send;

    /// The name the model calls it by.
    const NAME: &'static str;

    /// Whether calls of one turn may run at the same time; only for tools that change nothing.
    const PARALLEL: bool = false;

    /// Whether the model is told one line about it until it asks: for tools that are large and rarely used.
    /// The line is the first sentence of the description.
    const BRIEF: bool = false;

    /// Whether it can be used in a turn with these ports; `false` when what it needs is not among them.
    fn is_open(&self, _ports: &Ports) -> bool {
        true
    }

    /// How far its effects go; the gate asks the owner about calls that act on the world while words of others
    /// are in play.
    const EFFECT: Effect = Effect::Outward;

    /// Whether the tool asks the owner itself and takes the gate's reasons into its own question (see
    /// [`Taint::passed`](crate::Taint::passed)). Then the gate does not ask.
    const ASKS_ITSELF: bool = false;

    /// What a call is about, for the gate.
    fn subject(_input: &Self::Input) -> Subject {
        Subject::default()
    }

    /// Does it.
    fn run(&self, input: Self::Input, cx: &ToolCx) -> impl Future<Output = ToolOutcome> + Send;
}

/// What the model is told about a tool, and what the loop must know to call it.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolSpec {
    /// The name the model calls it by.
    pub name: String,
    pub description: String,
    /// The JSON Schema of its arguments; always an object.
    pub parameters: Value,
    /// Whether calls of one turn may run at the same time.
    pub parallel: bool,
}

/// The object-safe twin of [`Tool`], for tables of tools. Write `Tool`; this follows by itself.
pub trait DynTool: Send + Sync {
    /// Builds the description; the toolbox asks once and keeps the answer.
    fn spec(&self) -> ToolSpec;

    /// Whether it can be used in a turn with these ports.
    fn is_open(&self, _ports: &Ports) -> bool {
        true
    }

    /// How far its effects go.
    fn reach(&self) -> Effect {
        Effect::Outward
    }

    /// Whether it asks the owner itself, with the gate's reasons.
    fn asks_itself(&self) -> bool {
        false
    }

    /// What a call is about, for the gate.
    fn subject(&self, _arguments: &Value) -> Subject {
        Subject::default()
    }

    /// Whether the model is told one line about it until it asks; see [`Tool::BRIEF`]. Who says so without being a
    /// [`Tool`] answers `{"help": true}` itself.
    fn is_brief(&self) -> bool {
        false
    }

    /// Reads the arguments and runs the tool; arguments that do not fit are an answer, too.
    fn call<'a>(&'a self, arguments: Value, cx: &'a ToolCx) -> BoxFuture<'a, ToolOutcome>;
}

impl<T: Tool> DynTool for T {
    fn spec(&self) -> ToolSpec {
        let (description, parameters) = schema::describe::<T::Input>();
        ToolSpec { name: T::NAME.to_owned(), description, parameters, parallel: T::PARALLEL }
    }

    fn is_open(&self, ports: &Ports) -> bool {
        Tool::is_open(self, ports)
    }

    fn reach(&self) -> Effect {
        T::EFFECT
    }

    fn asks_itself(&self) -> bool {
        T::ASKS_ITSELF
    }

    fn subject(&self, arguments: &Value) -> Subject {
        // Arguments that do not fit are answered by `call`.
        homard_runtime::json::from_value(arguments.clone())
            .map_or_else(|_| Subject::default(), |input| T::subject(&input))
    }

    fn is_brief(&self) -> bool {
        T::BRIEF
    }

    fn call<'a>(&'a self, arguments: Value, cx: &'a ToolCx) -> BoxFuture<'a, ToolOutcome> {
        if T::BRIEF && brief::asks_for_help(&arguments) {
            return Box::pin(std::future::ready(brief::explained(&DynTool::spec(self))));
        }
        let asks_nothing = brief::asks_nothing(&arguments);
        match arguments::parse::<T::Input>(arguments, || schema::describe::<T::Input>().1) {
            Ok(input) => Box::pin(self.run(input, cx)),
            Err(error) if T::BRIEF => {
                let spec = DynTool::spec(self);
                let answer =
                    if asks_nothing { brief::explained(&spec) } else { brief::misfit(&error, &spec) };
                Box::pin(std::future::ready(answer))
            }
            Err(error) => Box::pin(std::future::ready(ToolOutcome::from_error(&error))),
        }
    }
}
