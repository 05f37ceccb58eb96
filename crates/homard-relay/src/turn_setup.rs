//! What a turn is made of: settings, prompt, tools and who may have them, labels, rules for commands.

pub(crate) mod exec_rules;
pub(crate) mod history_limit;
pub(crate) mod invoke;
pub(crate) mod offer;
pub(crate) mod policy_layers;
pub(crate) mod policy_view;
pub(crate) mod program;
pub(crate) mod rules;
pub(crate) mod settings;
pub(crate) mod skill_calls;
pub(crate) mod small_window;
pub(crate) mod taint;
pub(crate) mod turn_prompt;
pub(crate) mod vision;
