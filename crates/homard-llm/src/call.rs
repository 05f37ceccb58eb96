//! What is asked and answered: requests, answers, history, arguments, schemas, ids of calls.

pub(crate) mod answer;
pub(crate) mod arguments;
pub(crate) mod history;
pub(crate) mod params;
pub(crate) mod repetition;
pub(crate) mod request;
pub(crate) mod sampling;
pub(crate) mod schema;
pub(crate) mod tool_id;
pub(crate) mod tools_in_words;
pub(crate) mod written_calls;
