//! What a gateway method is: a name, who may call it, and the types on both sides.

use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::scope::Scope;

/// Who may call a method.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Anybody who is connected.
    Open,
    /// Operators, whatever their scopes.
    AnyOperator,
    /// Operators with this scope.
    Operator(Scope),
    /// Operators with this scope, or with its narrow form that covers sessions only.
    Sessions(Scope),
    Node,
}

/// One gateway method. Implemented by an empty type per method in [`methods`](crate::methods); the gateway
/// registers one handler for each, clients call by type.
pub trait Method {
    /// The wire name.
    const NAME: &'static str;
    /// Who may call it, unless [`access_for`](Method::access_for) says otherwise.
    const ACCESS: Access;
    /// The least anybody needs, whatever the parameters; who lacks it learns nothing about them.
    const LEAST: Access = Self::ACCESS;
    /// Whether `hello-ok` lists it.
    const ADVERTISED: bool = true;
    /// Whether it counts against the control-plane write limit.
    const RATE_LIMITED: bool = false;
    /// Whether it only says that there is nothing, because the room behind it is not furnished; the manual tells.
    const EMPTY: bool = false;
    /// What is asked.
    type Params: DeserializeOwned + Serialize + JsonSchema + Send;
    /// What is answered.
    type Result: DeserializeOwned + Serialize + JsonSchema + Send;

    /// Who may call it with these parameters.
    fn access_for(_params: &Self::Params) -> Access {
        Self::ACCESS
    }
}

/// Parameters of methods that take none.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NoParams {}
